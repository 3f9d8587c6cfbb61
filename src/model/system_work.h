/*
 * What is asked of the system in each sample: the number of GPUs, the versions, the events.
 */
#ifndef NVP_MODEL_SYSTEM_WORK_H
#define NVP_MODEL_SYSTEM_WORK_H

#include <nvpulse/snapshot.h>

#include "model/events.h"
#include "model/gpu_choice.h"

struct nvp__system_work {
    bool events_wanted;
    struct nvp__gpu_choice choice; /* whose events */
    unsigned int samples;
    unsigned int device_count;              /* of the last time that it could be asked */
    nvp_status status;                      /* of the last time */
    uint64_t generation;                    /* that the versions belong to */
    nvp_reading host[NVP_HOST_FIELD_COUNT]; /* the fields of the driver; texts are owned */
    struct nvp__events events;
};

/** NULL when memory ran out. */
struct nvp__system_work *nvp__system_work_new(bool events_wanted, const struct nvp__gpu_choice *choice);

/** The job: takes one sample. */
void nvp__system_work_run(void *work);

void nvp__system_work_free(void *work);

/** Asks the driver how many GPUs there are; fails with all that is known of why, where NVML's own code would tell less. */
nvp_status nvp__device_count(unsigned int *count);

#endif
