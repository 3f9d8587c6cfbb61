/*
 * From what the jobs have found to a snapshot. A device whose job has not come back keeps the rows of the snapshot before.
 */
#include "model/sampler.h"

#include <string.h>

#include <nvpulse/lifecycle.h>

#include "base/clock.h"
#include "model/reading.h"
#include "model/snapshot.h"

static size_t count_rows_before(const nvp_snapshot *before, unsigned int index)
{
    size_t count = 0;
    for (size_t i = 0; i < nvp_snapshot_device_count(before); i++) {
        count += before->devices[i].index == index;
    }
    return count;
}

static size_t count_rows(const nvp_sampler *sampler)
{
    size_t count = 0;
    for (size_t i = 0; i < sampler->gpu_count; i++) {
        const struct nvp__gpu *gpu = &sampler->gpus[i];
        size_t before = gpu->ready ? 0 : count_rows_before(sampler->before, gpu->work->index);
        count += gpu->ready ? 1 + gpu->work->mig_count : before > 0 ? before : 1;
    }
    return count;
}

/* Readings for a row in the places of the plan, to be filled but for the first, which is that of metrics without a place: N/A. NULL when memory ran out. */
static nvp_reading *new_metrics(const nvp_sampler *sampler, nvp_snapshot *snapshot, nvp_device_sample *row)
{
    nvp_reading *metrics = nvp__arena_new(&snapshot->arena, sampler->plan.place_count, sizeof *metrics);
    if (metrics != NULL) {
        metrics[0] = nvp__reading_na(NVP_ERROR_NO_DATA);
    }
    row->metrics = metrics;
    return metrics;
}

static bool copy_metrics(const nvp_sampler *sampler, nvp_snapshot *snapshot, nvp_device_sample *row, const nvp_reading *metrics)
{
    nvp_reading *copy = new_metrics(sampler, snapshot, row);
    for (size_t i = 1; copy != NULL && i < sampler->plan.place_count; i++) {
        copy[i] = nvp__reading_copy(&snapshot->arena, &metrics[sampler->plan.listed[i]]);
    }
    return copy != NULL;
}

/* The same of a row of the snapshot before, whose places are the same. */
static bool copy_row(const nvp_sampler *sampler, nvp_snapshot *snapshot, nvp_device_sample *row, const nvp_device_sample *before)
{
    nvp_reading *copy = new_metrics(sampler, snapshot, row);
    for (size_t i = 1; copy != NULL && i < sampler->plan.place_count; i++) {
        copy[i] = nvp__reading_copy(&snapshot->arena, &before->metrics[i]);
    }
    return copy != NULL;
}

/* The place of a metric in a snapshot that nobody else has seen yet; NULL when it has none. */
static nvp_reading *place_of(const nvp_sampler *sampler, const nvp_device_sample *row, nvp_metric metric)
{
    uint16_t place = sampler->plan.places[metric];
    return place == 0 ? NULL : (nvp_reading *)(uintptr_t)&row->metrics[place];
}

static void put_events(const nvp_sampler *sampler, const nvp_device_sample *row)
{
    static const nvp_metric events[] = { NVP_METRIC_EVENT_XID_COUNT, NVP_METRIC_EVENT_LAST_XID, NVP_METRIC_EVENT_LAST_XID_AT_US };
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        nvp_reading *place = place_of(sampler, row, events[i]);
        if (place != NULL) {
            *place = sampler->system_ready ? nvp__events_reading(&sampler->system->events, row->index, events[i])
                                           : nvp__reading_na(NVP_ERROR_TIMED_OUT);
        }
    }
}

/* The GPU, then its MIG devices. */
static bool add_ready(const nvp_sampler *sampler, nvp_snapshot *snapshot, const uint16_t *places,
                      const struct nvp__device_work *work)
{
    nvp_device_sample row = { .index = work->index,
                              .mig_index = -1,
                              .state = work->state,
                              .status = work->status,
                              .sampled_at_us = work->sampled_at_us,
                              .places = places };
    if (!copy_metrics(sampler, snapshot, &row, work->reader.readings)) {
        return false;
    }
    put_events(sampler, &row);
    snapshot->devices[snapshot->device_count++] = row;
    for (size_t i = 0; i < work->mig_count; i++) {
        row.mig_index = (int)work->migs[i]->index;
        if (!copy_metrics(sampler, snapshot, &row, work->migs[i]->reader.readings)) {
            return false;
        }
        snapshot->devices[snapshot->device_count++] = row;
    }
    return true;
}

/* A device that never came back: everything that was asked of it has timed out. */
static bool add_unknown(const nvp_sampler *sampler, nvp_snapshot *snapshot, nvp_device_sample row)
{
    nvp_reading *metrics = new_metrics(sampler, snapshot, &row);
    for (size_t i = 1; metrics != NULL && i < sampler->plan.place_count; i++) {
        bool was_asked = nvp__metric_set_has(&sampler->plan.metrics, sampler->plan.listed[i]);
        metrics[i] = nvp__reading_na(was_asked ? row.status : NVP_ERROR_NO_DATA);
    }
    snapshot->devices[snapshot->device_count++] = row;
    return metrics != NULL;
}

static bool add_stalled(const nvp_sampler *sampler, nvp_snapshot *snapshot, const uint16_t *places, size_t place)
{
    int64_t since_ns = nvp__crew_busy_since(sampler->crew, nvp__job_of_gpu(place));
    unsigned int index = sampler->gpus[place].work->index;
    nvp_device_sample row = { .index = index,
                              .mig_index = -1,
                              .state = since_ns != 0 ? NVP_DEVICE_STALLED : NVP_DEVICE_FAILED,
                              .status = since_ns != 0 ? NVP_ERROR_TIMED_OUT : NVP_ERROR_NO_MEMORY,
                              .stalled_us = since_ns != 0 ? (nvp__clock_ns() - since_ns) / 1000 : 0,
                              .places = places };
    bool any = false;
    for (size_t i = 0; i < nvp_snapshot_device_count(sampler->before); i++) {
        const nvp_device_sample *before = &sampler->before->devices[i];
        if (before->index != index) {
            continue;
        }
        row.mig_index = before->mig_index;
        row.sampled_at_us = before->sampled_at_us;
        if (!copy_row(sampler, snapshot, &row, before)) {
            return false;
        }
        snapshot->devices[snapshot->device_count++] = row;
        any = true;
    }
    return any || add_unknown(sampler, snapshot, row);
}

static bool add_devices(nvp_sampler *sampler, nvp_snapshot *snapshot)
{
    size_t rows = count_rows(sampler);
    snapshot->devices = nvp__arena_new(&snapshot->arena, rows, sizeof *snapshot->devices);
    uint16_t *places = nvp__arena_new(&snapshot->arena, NVP_METRIC_COUNT, sizeof *places);
    if (snapshot->devices == NULL || places == NULL) {
        return false;
    }
    memcpy(places, sampler->plan.places, sizeof sampler->plan.places);
    bool added = true;
    for (size_t i = 0; added && i < sampler->gpu_count; i++) {
        const struct nvp__gpu *gpu = &sampler->gpus[i];
        added = gpu->ready ? add_ready(sampler, snapshot, places, gpu->work) : add_stalled(sampler, snapshot, places, i);
    }
    return added;
}

static void add_host(nvp_sampler *sampler, nvp_snapshot *snapshot)
{
    nvp__host_begin(sampler->host, (sampler->plan.flags & NVP_SNAPSHOT_PACED) != 0, &snapshot->arena, snapshot->host);
    for (nvp_host_field field = NVP_HOST_DRIVER_VERSION; field <= NVP_HOST_SIMULATION; field++) {
        const nvp_reading *from =
            sampler->system_ready ? &sampler->system->host[field] : nvp_snapshot_host(sampler->before, field);
        if (from != NULL) {
            snapshot->host[field] = nvp__reading_copy(&snapshot->arena, from);
        }
    }
    snapshot->host[NVP_HOST_GPU_COUNT] = nvp__reading_uint(sampler->seen, snapshot->time_us);
}

/* What the processes of a device use together; N/A when that of one is not known. */
static nvp_reading sum_of_processes(const nvp_snapshot *snapshot, unsigned int index, int64_t now_us)
{
    uint64_t sum = 0;
    if (snapshot->process_status != NVP_SUCCESS) {
        return nvp__reading_na(snapshot->process_status);
    }
    for (size_t i = 0; i < snapshot->process_count; i++) {
        const nvp_reading *fields = snapshot->processes[i].fields;
        if (nvp_reading_uint(&fields[NVP_PROCESS_GPU_INDEX], UINT64_MAX) != index) {
            continue;
        }
        if (!nvp_reading_has(&fields[NVP_PROCESS_GPU_MEMORY_BYTES])) {
            return nvp__reading_na(fields[NVP_PROCESS_GPU_MEMORY_BYTES].status);
        }
        sum += nvp_reading_uint(&fields[NVP_PROCESS_GPU_MEMORY_BYTES], 0);
    }
    return nvp__reading_uint(sum, now_us);
}

/* A device that shares the memory of the host: the total is the host's, in use is what its processes use. */
static void tell_unified_memory(const nvp_sampler *sampler, nvp_snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->device_count; i++) {
        const nvp_device_sample *row = &snapshot->devices[i];
        nvp_reading *total = place_of(sampler, row, NVP_METRIC_MEMORY_TOTAL_BYTES);
        nvp_reading *used = place_of(sampler, row, NVP_METRIC_MEMORY_USED_BYTES);
        if (nvp_reading_uint(nvp_device_sample_get(row, NVP_METRIC_MEMORY_UNIFIED), 0) != 1) {
            continue;
        }
        if (total != NULL) {
            *total = snapshot->host[NVP_HOST_MEMORY_TOTAL_BYTES];
        }
        if (used != NULL) {
            *used = sum_of_processes(snapshot, row->index, snapshot->time_us);
        }
    }
}

nvp_status nvp__compose(nvp_sampler *sampler, nvp_snapshot **result)
{
    nvp_snapshot *snapshot = nvp__snapshot_new();
    if (snapshot == NULL) {
        return NVP_ERROR_NO_MEMORY;
    }
    nvp__arena_expect(&snapshot->arena, sampler->snapshot_bytes);
    snapshot->time_us = nvp__wall_us();
    snapshot->sequence = sampler->sequence + 1;
    snapshot->generation = nvp_generation();
    bool added = add_devices(sampler, snapshot);
    add_host(sampler, snapshot);
    if (!added || nvp__compose_processes(sampler, snapshot) != NVP_SUCCESS) {
        nvp_snapshot_free(snapshot);
        return NVP_ERROR_NO_MEMORY;
    }
    tell_unified_memory(sampler, snapshot);
    sampler->snapshot_bytes = snapshot->arena.used;
    sampler->sequence++;
    *result = snapshot;
    return NVP_SUCCESS;
}
