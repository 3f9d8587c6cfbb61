/*
 * A snapshot with some of the rows of another one. The rows are copied; what they point to stays with the snapshot that it came from.
 */
#include <string.h>

#include "model/snapshot.h"

static void copy_rows(nvp_snapshot *part, const nvp_snapshot *from, const bool *devices, const bool *processes)
{
    for (size_t i = 0; i < from->device_count; i++) {
        if (devices == NULL || devices[i]) {
            part->devices[part->device_count++] = from->devices[i];
        }
    }
    for (size_t i = 0; i < from->process_count; i++) {
        if (processes == NULL || processes[i]) {
            part->processes[part->process_count++] = from->processes[i];
        }
    }
}

nvp_status nvp_snapshot_part(nvp_snapshot *snapshot, const bool *devices, const bool *processes, nvp_snapshot **result)
{
    if (snapshot == NULL || result == NULL) {
        return NVP_ERROR_BAD_ARGUMENT;
    }
    nvp_snapshot *part = nvp__snapshot_new();
    if (part == NULL) {
        return NVP_ERROR_NO_MEMORY;
    }
    part->origin = nvp_snapshot_retain(snapshot);
    part->sequence = snapshot->sequence;
    part->generation = snapshot->generation;
    part->time_us = snapshot->time_us;
    part->process_status = snapshot->process_status;
    memcpy(part->host, snapshot->host, sizeof part->host);
    part->devices = nvp__arena_new(&part->arena, snapshot->device_count, sizeof *part->devices);
    part->processes = nvp__arena_new(&part->arena, snapshot->process_count, sizeof *part->processes);
    if (part->devices == NULL || part->processes == NULL) {
        nvp_snapshot_free(part);
        return NVP_ERROR_NO_MEMORY;
    }
    copy_rows(part, snapshot, devices, processes);
    *result = part;
    return NVP_SUCCESS;
}
