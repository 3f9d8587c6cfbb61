/*
 * A sampler: what is asked of a machine in each sample, the crew that asks it, and the snapshot before.
 */
#ifndef NVP_MODEL_SAMPLER_H
#define NVP_MODEL_SAMPLER_H

#include <nvpulse/sampler.h>

#include "base/crew.h"
#include "model/device_work.h"
#include "model/gpu_choice.h"
#include "model/system_work.h"

struct nvp__gpu {
    struct nvp__device_work *work; /* owned by the crew */
    bool ready;                    /* it came back in this sample: `work` can be read */
};

struct nvp_sampler {
    struct nvp__plan plan;
    struct nvp__gpu_choice choice;
    struct nvp__crew *crew;          /* the system is job 0, then come the GPUs */
    struct nvp__system_work *system; /* owned by the crew */
    bool system_ready;
    bool system_is_fresh; /* ready for a snapshot that has not come: whoever takes over need not ask again */
    unsigned int seen;    /* GPUs of the machine so far; those of the choice have a job */
    size_t gpu_count;
    struct nvp__gpu *gpus; /* in the order of their indices */
    struct nvp__host *host;
    nvp_snapshot *before;  /* rows of devices that are stalled come from here */
    size_t snapshot_bytes; /* of the one before: the next is as large, mostly */
    uint64_t sequence;
};

/** The job of the GPU in this place of the list. */
static inline size_t nvp__job_of_gpu(size_t place)
{
    return place + 1;
}

/** Makes the snapshot of what the jobs have found. */
nvp_status nvp__compose(nvp_sampler *sampler, nvp_snapshot **snapshot);

/** Adds the processes of all devices to a snapshot that has its devices; see compose.c. */
nvp_status nvp__compose_processes(nvp_sampler *sampler, nvp_snapshot *snapshot);

#endif
