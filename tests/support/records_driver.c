/*
 * A driver whose process lists have records of any size, written in any manner, whatever the name of the call says. Device 0 is idle,
 * device 1 has one process, device 2 three, device 3 ten thousand, device 4 rows that cannot be, device 5 one more at each call.
 */
#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

#include <stdatomic.h>
#include <string.h>

#include "records_driver.h"

#define NVP_FUNCTION(name, group, version, first_driver, first_release, flags, shape, parameters, arguments)                     \
    EXPORT nvmlReturn_t name parameters;
#include "abi/functions.def"

enum { DEVICES = 6 };
static char devices[DEVICES];
static const unsigned int counts[DEVICES] = { 0, 1, 3, 10000, 6, 2 };

static _Atomic size_t sizes[4] = { 0, 16, 24, 24 }; /* of a record, by the version of the call */
static _Atomic int manner;
static void *_Atomic last;
static _Atomic unsigned int calls;

void records_set(unsigned int version, size_t size)
{
    sizes[version] = size;
}

void records_write(int how)
{
    manner = how;
}

const void *records_last_buffer(void)
{
    return last;
}

nvmlReturn_t nvmlInit_v2(void)
{
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlShutdown(void)
{
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device)
{
    if (index >= DEVICES) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *device = (nvmlDevice_t)(void *)&devices[index];
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned int length)
{
    (void)length;
    memcpy(uuid, "GPU-0", 6);
    uuid[4] = (char)('0' + ((char *)(void *)device - devices));
    return NVML_SUCCESS;
}

/* Only to be exported: with it and without the call for details, the header of version 3 has 32 bytes. */
nvmlReturn_t nvmlDeviceGetConfComputeMemSizeInfo(nvmlDevice_t device, nvmlConfComputeMemSizeInfo_t *info)
{
    (void)device;
    (void)info;
    return NVML_ERROR_NOT_SUPPORTED;
}

static nvmlProcessDetail_v1_t process_at(unsigned int device, unsigned int index)
{
    static const unsigned int odd_pids[] = { 100, 0, 0xffffffffu, 101, 0x7fffffffu, 102 };
    nvmlProcessDetail_v1_t process;
    memset(&process, 0, sizeof(process));
    process.pid = device == 4 ? odd_pids[index] : 100 + index;
    process.usedGpuMemory = index == 1 ? ~0ull : (index + 1) * (5ull << 30); /* the second one is not available, as under WDDM */
    process.gpuInstanceId = index % 2 == 0 ? 0xffffffffu : index;
    process.computeInstanceId = index % 2 == 0 ? 0xffffffffu : 0;
    process.usedGpuCcProtectedMemory = 4096ull * index;
    return process;
}

static void write_records(unsigned int device, unsigned int count, unsigned int room, size_t size, unsigned char *to)
{
    if (manner == RECORDS_CLEARED_FIRST && room > 0) {
        memset(to, 0, room * size);
    }
    for (unsigned int i = 0; i < count; i++) {
        nvmlProcessDetail_v1_t process = process_at(device, i);
        size_t known = size < sizeof(process) ? size : sizeof(process);
        memcpy(to + i * size, &process, manner == RECORDS_WITHOUT_TAIL ? known - 8 : known);
    }
}

static nvmlReturn_t give(nvmlDevice_t handle, unsigned int *room, void *to, size_t size)
{
    unsigned int device = (unsigned int)((char *)(void *)handle - devices);
    unsigned int more = device == 5 ? atomic_fetch_add(&calls, 1) % 16 : 0;
    last = to;
    if (room == NULL || device >= DEVICES) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    unsigned int count = counts[device] + more;
    if (*room < count) {
        *room = count;
        return NVML_ERROR_INSUFFICIENT_SIZE;
    }
    if (to == NULL && *room > 0) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    write_records(device, count, *room, size, to);
    *room = manner == RECORDS_COUNTED_WRONG ? *room + 1000 : count;
    return NVML_SUCCESS;
}

#define LISTS(kind)                                                                                                              \
    nvmlReturn_t nvmlDeviceGet##kind##RunningProcesses(nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_v1_t *infos)    \
    {                                                                                                                            \
        return give(device, count, infos, sizes[1]);                                                                             \
    }                                                                                                                            \
    nvmlReturn_t nvmlDeviceGet##kind##RunningProcesses_v2(nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_v2_t *infos) \
    {                                                                                                                            \
        return give(device, count, infos, sizes[2]);                                                                             \
    }                                                                                                                            \
    nvmlReturn_t nvmlDeviceGet##kind##RunningProcesses_v3(nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_t *infos)    \
    {                                                                                                                            \
        return give(device, count, infos, sizes[3]);                                                                             \
    }

LISTS(Compute)
LISTS(Graphics)
LISTS(MPSCompute)

nvmlReturn_t nvmlDeviceGetRunningProcessDetailList(nvmlDevice_t device, nvmlProcessDetailList_t *list)
{
    if (list == NULL || list->mode > NVML_PROCESS_MODE_MPS) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    return list->version != nvmlProcessDetailList_v1
               ? NVML_ERROR_ARGUMENT_VERSION_MISMATCH
               : give(device, &list->numProcArrayEntries, list->procArray, sizeof(nvmlProcessDetail_v1_t));
}
