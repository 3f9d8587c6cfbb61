/*
 * Answers about the processes on a device: lists, one record size for each version of the call.
 */
#include <string.h>

#include "driver/process_list.h"

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

/* What nvmlSystemGetProcessName says; nothing when it knows no name. */
static void name_put(char *name, unsigned size, const nvpsim_process *process)
{
    memset(name, 0, size);
    nvpsim__serve_nvmlSystemGetProcessName(nvpsim__process_pid(process), name, size);
}

static size_t record_size(enum record_form form)
{
    static const size_t sizes[] = { [RECORD_V1] = sizeof(nvmlProcessInfo_v1_t),
                                    [RECORD_V2] = sizeof(nvmlProcessInfo_v2_t),
                                    [RECORD_V3] = sizeof(nvp_ProcessInfo_v3_t) };
    return sizes[form];
}

/* Padding is written too: a reader that looks at the stride must not see what was there before. */
static void record_put(void *record, enum record_form form, const nvpsim_process *process, uint64_t now_ns)
{
    unsigned pid = nvpsim__process_pid(process);
    unsigned long long used_bytes = memory_of(process, now_ns);
    const nvpsim_slice *slice = slice_shown(process);
    if (form == RECORD_V1) {
        nvmlProcessInfo_v1_t oldest;
        memset(&oldest, 0, sizeof oldest);
        oldest.pid = pid;
        oldest.usedGpuMemory = used_bytes;
        memcpy(record, &oldest, sizeof oldest);
    } else {
        nvp_ProcessInfo_v3_t newest;
        memset(&newest, 0, sizeof newest);
        newest.pid = pid;
        newest.usedGpuMemory = used_bytes;
        newest.gpuInstanceId = slice ? slice->gpu_instance : UINT32_MAX;
        newest.computeInstanceId = slice ? slice->compute_instance : UINT32_MAX;
        memcpy(record, &newest, record_size(form));
    }
}

/* Writes records, each with room for a name of that many bytes behind it. */
static nvmlReturn_t list_put(nvmlDevice_t handle, unsigned type, enum record_form form, unsigned name_size, unsigned int *count,
                             void *records)
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
    for (char *record = records; (process = process_next(&walk)) != NULL; record += record_size(form) + name_size) {
        record_put(record, form, process, walk.now_ns);
        if (name_size != 0) {
            name_put(record + record_size(form), name_size, process);
        }
    }
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__named_processes(nvmlDevice_t device, unsigned type, unsigned int *count, void *rows)
{
    return list_put(device, type, nvpsim__driver_since(535, 0, 0) ? RECORD_V3 : RECORD_V2, 4096, count, rows);
}

/* The three versions of the call for one kind of process. */
#define LISTS(kind, types)                                                                                                       \
    nvmlReturn_t nvpsim__serve_nvmlDeviceGet##kind##RunningProcesses(nvmlDevice_t device, unsigned int *infoCount,               \
                                                                     nvmlProcessInfo_v1_t *infos)                                \
    {                                                                                                                            \
        return list_put(device, types, RECORD_V1, 0, infoCount, infos);                                                             \
    }                                                                                                                            \
    nvmlReturn_t nvpsim__serve_nvmlDeviceGet##kind##RunningProcesses_v2(nvmlDevice_t device, unsigned int *infoCount,            \
                                                                        nvmlProcessInfo_v2_t *infos)                             \
    {                                                                                                                            \
        return list_put(device, types, RECORD_V2, 0, infoCount, infos);                                                             \
    }                                                                                                                            \
    nvmlReturn_t nvpsim__serve_nvmlDeviceGet##kind##RunningProcesses_v3(nvmlDevice_t device, unsigned int *infoCount,            \
                                                                        nvmlProcessInfo_t *infos)                                \
    {                                                                                                                            \
        return list_put(device, types, form_of_v3(), 0, infoCount, infos);                                                          \
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
