/*
 * A sampler: the lanes of a machine, and the snapshot before.
 */
#ifndef NVP_MODEL_SAMPLER_H
#define NVP_MODEL_SAMPLER_H

#include <nvpulse/sampler.h>

#include "base/lane.h"
#include "model/device_work.h"
#include "model/gpu_choice.h"
#include "model/system_work.h"

struct nvp__gpu_lane {
    struct nvp__lane *lane;
    struct nvp__device_work *work; /* owned by the lane */
    bool ready;                    /* the lane came back in this sample: `work` can be read */
};

struct nvp_sampler {
    struct nvp__plan plan;
    struct nvp__gpu_choice choice;
    struct nvp__lane *system_lane;
    struct nvp__system_work *system; /* owned by the lane */
    bool system_ready;
    unsigned int seen; /* GPUs of the machine so far; those of the choice have a lane */
    size_t gpu_count;
    struct nvp__gpu_lane *gpus; /* in the order of their indices */
    struct nvp__host *host;
    nvp_snapshot *before; /* rows of devices that are stalled come from here */
    uint64_t sequence;
};

/** Makes the snapshot of what the lanes have found. */
nvp_status nvp__compose(nvp_sampler *sampler, nvp_snapshot **snapshot);

/** Adds the processes of all devices to a snapshot that has its devices; see compose.c. */
nvp_status nvp__compose_processes(nvp_sampler *sampler, nvp_snapshot *snapshot);

#endif
