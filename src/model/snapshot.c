/*
 * A snapshot as an object: references and access to its parts. How it is filled is known elsewhere.
 */
#include "model/snapshot.h"

#include <stdlib.h>

#include "model/reading.h"

nvp_snapshot *nvp__snapshot_new(void)
{
    nvp_snapshot *snapshot = calloc(1, sizeof *snapshot);
    if (snapshot == NULL) {
        return NULL;
    }
    atomic_init(&snapshot->references, 1);
    for (size_t i = 0; i < NVP_HOST_FIELD_COUNT; i++) {
        snapshot->host[i] = nvp__reading_na(NVP_ERROR_NO_DATA);
    }
    return snapshot;
}

nvp_reading *nvp__snapshot_metrics(nvp_snapshot *snapshot)
{
    nvp_reading *metrics = nvp__arena_new(&snapshot->arena, NVP_METRIC_COUNT, sizeof *metrics);
    for (size_t i = 0; metrics != NULL && i < NVP_METRIC_COUNT; i++) {
        metrics[i] = nvp__reading_na(NVP_ERROR_NO_DATA);
    }
    return metrics;
}

nvp_snapshot *nvp_snapshot_retain(nvp_snapshot *snapshot)
{
    if (snapshot != NULL) {
        atomic_fetch_add_explicit(&snapshot->references, 1, memory_order_relaxed);
    }
    return snapshot;
}

void nvp_snapshot_free(nvp_snapshot *snapshot)
{
    if (snapshot != NULL && atomic_fetch_sub_explicit(&snapshot->references, 1, memory_order_acq_rel) == 1) {
        nvp__arena_clear(&snapshot->arena);
        nvp_snapshot_free(snapshot->origin);
        free(snapshot);
    }
}

int64_t nvp_snapshot_time_us(const nvp_snapshot *snapshot)
{
    return snapshot == NULL ? 0 : snapshot->time_us;
}

uint64_t nvp_snapshot_sequence(const nvp_snapshot *snapshot)
{
    return snapshot == NULL ? 0 : snapshot->sequence;
}

uint64_t nvp_snapshot_generation(const nvp_snapshot *snapshot)
{
    return snapshot == NULL ? 0 : snapshot->generation;
}

const nvp_reading *nvp_snapshot_host(const nvp_snapshot *snapshot, nvp_host_field field)
{
    return snapshot == NULL || (unsigned int)field >= NVP_HOST_FIELD_COUNT ? NULL : &snapshot->host[field];
}

size_t nvp_snapshot_device_count(const nvp_snapshot *snapshot)
{
    return snapshot == NULL ? 0 : snapshot->device_count;
}

const nvp_device_sample *nvp_snapshot_device(const nvp_snapshot *snapshot, size_t place)
{
    return place < nvp_snapshot_device_count(snapshot) ? &snapshot->devices[place] : NULL;
}

const nvp_reading *nvp_device_sample_get(const nvp_device_sample *device, nvp_metric metric)
{
    if (device == NULL || (unsigned int)metric >= NVP_METRIC_COUNT) {
        return NULL;
    }
    return &device->metrics[device->places == NULL ? metric : device->places[metric]];
}

const nvp_reading *nvp__device_readings(const nvp_device_sample *device, nvp_reading *room)
{
    for (size_t m = 0; device->places != NULL && m < NVP_METRIC_COUNT; m++) {
        room[m] = device->metrics[device->places[m]];
    }
    return device->places == NULL ? device->metrics : room;
}

size_t nvp_snapshot_process_count(const nvp_snapshot *snapshot)
{
    return snapshot == NULL ? 0 : snapshot->process_count;
}

const nvp_process *nvp_snapshot_process(const nvp_snapshot *snapshot, size_t place)
{
    return place < nvp_snapshot_process_count(snapshot) ? &snapshot->processes[place] : NULL;
}

nvp_status nvp_snapshot_process_status(const nvp_snapshot *snapshot)
{
    return snapshot == NULL ? NVP_ERROR_NO_DATA : snapshot->process_status;
}

const nvp_reading *nvp_process_get(const nvp_process *process, nvp_process_field field)
{
    return process == NULL || (unsigned int)field >= NVP_PROCESS_FIELD_COUNT ? NULL : &process->fields[field];
}

const char *nvp_device_state_name(nvp_device_state state)
{
    static const char *const names[] = {
        [NVP_DEVICE_OK] = "ok",         [NVP_DEVICE_STALLED] = "stalled", [NVP_DEVICE_LOST] = "lost",
        [NVP_DEVICE_ASLEEP] = "asleep", [NVP_DEVICE_FAILED] = "failed",
    };
    return (unsigned int)state < sizeof names / sizeof *names ? names[state] : "unknown";
}

static const struct {
    const char *name;
    nvp_kind kind;
} host_fields[NVP_HOST_FIELD_COUNT] = {
#define NVP_HOST_FIELD(id, name, kind, unit, help) [NVP_HOST_##id] = { name, NVP_KIND_##kind },
#include "model/host_fields.def"
};

const char *nvp_host_field_name(nvp_host_field field)
{
    return (unsigned int)field < NVP_HOST_FIELD_COUNT ? host_fields[field].name : NULL;
}

nvp_kind nvp__host_field_kind(nvp_host_field field)
{
    return host_fields[field].kind;
}
