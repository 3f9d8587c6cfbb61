/*
 * A process belongs to the part when the whole GPU that it uses does, or the MIG device.
 */
#include <stdlib.h>

#include "part.h"

static bool is_chosen(const nvp_snapshot *snapshot, const bool *devices, const nvp_process *process)
{
    uint64_t index = nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_GPU_INDEX), UINT64_MAX);
    uint64_t mig = nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_MIG_INDEX), UINT64_MAX);
    const nvp_device_sample *device;
    for (size_t i = 0; (device = nvp_snapshot_device(snapshot, i)) != NULL; i++) {
        bool is_whole = device->mig_index < 0;
        if (devices[i] && device->index == index && (is_whole || (uint64_t)device->mig_index == mig)) {
            return true;
        }
    }
    return false;
}

nvp_status cli_part(nvp_snapshot *snapshot, const char *ids, nvp_snapshot **part, cli_match *match, const char **missing)
{
    nvp_status status = NVP_ERROR_NO_MEMORY;
    bool *devices = calloc(nvp_snapshot_device_count(snapshot) + 1, sizeof *devices);
    bool *processes = calloc(nvp_snapshot_process_count(snapshot) + 1, sizeof *processes);
    if (devices != NULL && processes != NULL) {
        const nvp_process *process;
        *match = cli_pick_mark(snapshot, ids, true, devices, missing);
        for (size_t i = 0; (process = nvp_snapshot_process(snapshot, i)) != NULL; i++) {
            processes[i] = is_chosen(snapshot, devices, process);
        }
        status = nvp_snapshot_part(snapshot, devices, processes, part);
    }
    free(devices);
    free(processes);
    return status;
}
