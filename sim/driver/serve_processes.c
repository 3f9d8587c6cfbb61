/*
 * Answers about the processes on a device: lists, one record size for each version of the call.
 */
#include <string.h>

#include "driver/serve.h"

enum record_form { RECORD_V1, RECORD_V2, RECORD_V3 };

/* For a while the records of the third call had a field more; the name of the call stayed. */
static enum record_form form_of_v3(void)
{
    return nvpsim__driver_since(535, 43, 2) && !nvpsim__driver_since(535, 98, 0) ? RECORD_V3 : RECORD_V2;
}

/** A walk over the processes that a list shows. */
typedef struct process_walk {
    const nvpsim_device *device;
    const nvpsim_slice *slice; /* only processes of this MIG device; NULL: all */
    unsigned type;
    uint64_t now_ns;
    size_t next;
} process_walk;

static process_walk walk_start(nvmlDevice_t handle, unsigned type)
{
    return (process_walk){ nvpsim__device_of(handle), nvpsim__slice_of(handle), type, nvpsim__now_ns(), 0 };
}

/* The next process, or NULL at the end. */
static const nvpsim_process *process_next(process_walk *walk)
{
    while (walk->next < walk->device->process_count) {
        const nvpsim_process *process = &walk->device->processes[walk->next++];
        bool is_shown = (process->types & walk->type) && (!walk->slice || process->slice == walk->slice);
        if (is_shown && nvpsim__process_is_running(process, walk->now_ns)) {
            return process;
        }
    }
    return NULL;
}

static unsigned process_count(process_walk walk)
{
    unsigned count = 0;
    while (process_next(&walk)) {
        count++;
    }
    return count;
}

/* Drivers that know nothing of MIG tell no instances. */
static const nvpsim_slice *slice_shown(const nvpsim_process *process)
{
    return nvpsim__driver_since(450, 51, 0) ? process->slice : NULL;
}

static unsigned long long memory_of(const nvpsim_process *process, uint64_t now_ns)
{
    uint64_t used_bytes;
    return nvpsim__process_memory(process, now_ns, &used_bytes) ? used_bytes : (unsigned long long)NVML_VALUE_NOT_AVAILABLE;
}

/* Padding is written too: a reader that looks at the stride must not see what was there before. */
static void record_put(void *records, size_t index, enum record_form form, const nvpsim_process *process, uint64_t now_ns)
{
    unsigned pid = nvpsim__process_pid(process);
    unsigned long long used_bytes = memory_of(process, now_ns);
    const nvpsim_slice *slice = slice_shown(process);
    if (form == RECORD_V1) {
        nvmlProcessInfo_v1_t record;
        memset(&record, 0, sizeof record);
        record.pid = pid;
        record.usedGpuMemory = used_bytes;
        memcpy((char *)records + index * sizeof record, &record, sizeof record);
    } else {
        nvp_ProcessInfo_v3_t record;
        size_t size = form == RECORD_V2 ? sizeof(nvmlProcessInfo_v2_t) : sizeof record;
        memset(&record, 0, sizeof record);
        record.pid = pid;
        record.usedGpuMemory = used_bytes;
        record.gpuInstanceId = slice ? slice->gpu_instance : UINT32_MAX;
        record.computeInstanceId = slice ? slice->compute_instance : UINT32_MAX;
        memcpy((char *)records + index * size, &record, size);
    }
}

static nvmlReturn_t list_put(nvmlDevice_t handle, unsigned type, enum record_form form, unsigned int *count, void *records)
{
    process_walk walk = walk_start(handle, type);
    nvmlReturn_t result = count ? nvpsim__whole_readable(handle) : NVML_ERROR_INVALID_ARGUMENT;
    if (result == NVML_SUCCESS) {
        result = nvpsim__list_room(count, records, process_count(walk));
    }
    if (result != NVML_SUCCESS) {
        return result;
    }
    const nvpsim_process *process;
    for (size_t i = 0; (process = process_next(&walk)) != NULL; i++) {
        record_put(records, i, form, process, walk.now_ns);
    }
    return NVML_SUCCESS;
}

/* The three versions of the call for one kind of process. */
#define LISTS(kind, types)                                                                                                       \
    nvmlReturn_t nvpsim__serve_nvmlDeviceGet##kind##RunningProcesses(nvmlDevice_t device, unsigned int *infoCount,               \
                                                                     nvmlProcessInfo_v1_t *infos)                                \
    {                                                                                                                            \
        return list_put(device, types, RECORD_V1, infoCount, infos);                                                             \
    }                                                                                                                            \
    nvmlReturn_t nvpsim__serve_nvmlDeviceGet##kind##RunningProcesses_v2(nvmlDevice_t device, unsigned int *infoCount,            \
                                                                        nvmlProcessInfo_v2_t *infos)                             \
    {                                                                                                                            \
        return list_put(device, types, RECORD_V2, infoCount, infos);                                                             \
    }                                                                                                                            \
    nvmlReturn_t nvpsim__serve_nvmlDeviceGet##kind##RunningProcesses_v3(nvmlDevice_t device, unsigned int *infoCount,            \
                                                                        nvmlProcessInfo_t *infos)                                \
    {                                                                                                                            \
        return list_put(device, types, form_of_v3(), infoCount, infos);                                                          \
    }

LISTS(Compute, NVPSIM_PROCESS_COMPUTE)
LISTS(Graphics, NVPSIM_PROCESS_GRAPHICS)
LISTS(MPSCompute, NVPSIM_PROCESS_MPS)

nvmlReturn_t nvpsim__serve_nvmlDeviceGetRunningProcessDetailList(nvmlDevice_t device, nvmlProcessDetailList_t *plist)
{
    static const unsigned types[] = { NVPSIM_PROCESS_COMPUTE, NVPSIM_PROCESS_GRAPHICS, NVPSIM_PROCESS_MPS };
    if (!plist) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (plist->version != nvmlProcessDetailList_v1) {
        return nvpsim__version_mismatch();
    }
    if (plist->mode >= sizeof types / sizeof types[0]) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    process_walk walk = walk_start(device, types[plist->mode]);
    nvmlReturn_t result = nvpsim__whole_readable(device);
    if (result == NVML_SUCCESS) {
        result = nvpsim__list_room(&plist->numProcArrayEntries, plist->procArray, process_count(walk));
    }
    const nvpsim_process *process;
    for (size_t i = 0; result == NVML_SUCCESS && (process = process_next(&walk)) != NULL; i++) {
        const nvpsim_slice *slice = slice_shown(process);
        plist->procArray[i] = (nvmlProcessDetail_v1_t){ .pid = nvpsim__process_pid(process),
                                                        .usedGpuMemory = memory_of(process, walk.now_ns),
                                                        .gpuInstanceId = slice ? slice->gpu_instance : UINT32_MAX,
                                                        .computeInstanceId = slice ? slice->compute_instance : UINT32_MAX,
                                                        .usedGpuCcProtectedMemory = 0 };
    }
    return result;
}
