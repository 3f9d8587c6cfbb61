/*
 * What a snapshot is made of. Whoever makes one (the sampler, the JSON reader) fills these members before anybody else sees it;
 * all that it points to lives in its arena.
 */
#ifndef NVP_MODEL_SNAPSHOT_H
#define NVP_MODEL_SNAPSHOT_H

#include <stdatomic.h>

#include <nvpulse/snapshot.h>

#include "base/arena.h"

struct nvp_process {
    nvp_reading fields[NVP_PROCESS_FIELD_COUNT];
};

struct nvp_snapshot {
    atomic_uint references; /* relaxed to add, acquire-release to take back */
    struct nvp__arena arena;
    uint64_t sequence, generation;
    int64_t time_us;
    nvp_reading host[NVP_HOST_FIELD_COUNT];
    size_t device_count;
    /* `metrics` of each: NVP_METRIC_COUNT readings; where there are `places`, the readings that those name, behind one for all others */
    nvp_device_sample *devices;
    size_t process_count;
    nvp_process *processes;
    nvp_status process_status;
    nvp_snapshot *origin; /* of a part: the snapshot that owns the readings; NULL otherwise */
};

/** An empty snapshot with one reference; every host field is N/A (no data). NULL when memory ran out. */
nvp_snapshot *nvp__snapshot_new(void);

/** NVP_METRIC_COUNT readings in the arena of the snapshot, all N/A (no data); NULL when memory ran out. */
nvp_reading *nvp__snapshot_metrics(nvp_snapshot *snapshot);

/** The readings of a device by metric: its own, or copies in `room`, which has NVP_METRIC_COUNT of them. */
const nvp_reading *nvp__device_readings(const nvp_device_sample *device, nvp_reading *room);

/** The kind of a host field when it is not N/A; `field` is a valid one. */
nvp_kind nvp__host_field_kind(nvp_host_field field);

#endif
