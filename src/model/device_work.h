/*
 * What is asked of a GPU in each sample, and what is found: the GPU itself, its MIG devices, its processes. Only the thread that has the job
 * touches it while the job is under way, only the sampler while it is not.
 */
#ifndef NVP_MODEL_DEVICE_WORK_H
#define NVP_MODEL_DEVICE_WORK_H

#include <nvpulse/snapshot.h>

#include "model/processes.h"
#include "model/reader.h"

#define NVP__UUID_BYTES 96 /* NVML's own limit, the longer names of MIG devices included */

/** What every job of a sampler reads. */
struct nvp__plan {
    struct nvp__metric_set metrics;
    uint16_t places[NVP_METRIC_COUNT];     /* where each metric stands in a snapshot; 0: what has no place */
    uint16_t listed[NVP_METRIC_COUNT + 1]; /* the metric in each place */
    size_t place_count;                    /* the one for what has none included */
    bool named;                            /* the caller named the metrics: all of them, costly ones, too */
    unsigned int flags;                    /* NVP_SNAPSHOT_... */
    int64_t timeout_ns;
};

struct nvp__mig_work {
    unsigned int index, gpu_instance, compute_instance;
    char uuid[NVP__UUID_BYTES];
    struct nvp__reader reader;
};

struct nvp__device_work {
    struct nvp__plan plan;
    unsigned int index;
    bool found; /* the reader has a handle */
    char uuid[NVP__UUID_BYTES];
    nvp_device_state state;
    nvp_status status;
    int64_t sampled_at_us;
    int64_t due_ns[NVP_TIER_COSTLY + 1]; /* when each tier is read next */
    uint64_t generation;                 /* that the tiers and `never_sleeps` belong to */
    bool never_sleeps;                   /* the kernel knows no state of the device's power */
    struct nvp__reader reader;
    struct nvp__gpu_processes processes;
    size_t mig_count;
    struct nvp__mig_work **migs;
};

/** NULL when memory ran out. */
struct nvp__device_work *nvp__device_work_new(const struct nvp__plan *plan, unsigned int index);

/** The job: takes one sample. */
void nvp__device_work_run(void *work);

void nvp__device_work_free(void *work);

/** Finds the MIG devices anew, when MIG is on; those that are still there keep their readers. */
void nvp__mig_work_find(struct nvp__device_work *work);
void nvp__mig_work_free(struct nvp__device_work *work);

#endif
