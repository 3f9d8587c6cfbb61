/*
 * Events of the GPUs: critical Xid errors, counted from the moment that they were registered for. Looked at without waiting, so that neither a
 * fork nor the end of the process has to wait for it. Failures are tried again with a back-off. One thread at a time.
 */
#ifndef NVP_MODEL_EVENTS_H
#define NVP_MODEL_EVENTS_H

#include <nvpulse/metric.h>
#include <nvpulse/nvml.h>

#include "model/gpu_choice.h"

/** What was seen of one GPU. */
struct nvp__event_record {
    nvmlDevice_t device;
    nvp_status status; /* whether its events are registered */
    uint64_t xid_count, last_xid;
    int64_t last_xid_at_us, looked_at_us;
};

/** Zeroes are a good start. */
struct nvp__events {
    nvmlEventSet_t set;
    uint64_t generation;
    int64_t retry_at_ns, retry_after_ns;
    nvp_status status;
    size_t count;
    struct nvp__event_record *records; /* by index of the GPU */
};

/** Registers those of `count` GPUs that are chosen and new, and takes the events that have come. May block in the driver. */
void nvp__events_look(struct nvp__events *events, unsigned int count, const struct nvp__gpu_choice *choice);

/** A metric of kind NVP__BY_EVENT of the GPU with this index. */
nvp_reading nvp__events_reading(const struct nvp__events *events, unsigned int index, unsigned int metric);

void nvp__events_free(struct nvp__events *events);

#endif
