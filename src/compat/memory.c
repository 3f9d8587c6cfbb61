/*
 * Memory of a device: v2 (first in 510) tells the reserved part. From 510 on v1 counts it as used; before, v1 leaves it out of the
 * total and of what is used.
 */
#include "compat/adapters.h"

#include "compat/driver.h"

nvmlReturn_t nvp__compat_memory_v1_from_v2(nvmlDevice_t device, nvmlMemory_t *memory)
{
    nvmlMemory_v2_t newer = { .version = nvmlMemory_v2 };
    nvmlReturn_t status = NVP__OWN(nvmlDeviceGetMemoryInfo_v2)(device, memory != NULL ? &newer : NULL);
    if (status == NVML_SUCCESS && memory != NULL) {
        bool both = newer.used != NVP__COMPAT_UNKNOWN_U64 && newer.reserved != NVP__COMPAT_UNKNOWN_U64;
        *memory = (nvmlMemory_t){ .total = newer.total, .free = newer.free, .used = newer.used + (both ? newer.reserved : 0) };
    }
    return status;
}

nvmlReturn_t nvp__compat_memory_v2_from_v1(nvmlDevice_t device, nvmlMemory_v2_t *memory)
{
    nvmlMemory_t older = { 0 };
    if (memory != NULL && memory->version != nvmlMemory_v2) {
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    }
    nvmlReturn_t status = NVP__OWN(nvmlDeviceGetMemoryInfo)(device, memory != NULL ? &older : NULL);
    if (status == NVML_SUCCESS && memory != NULL) {
        memory->total = older.total;
        memory->reserved = NVP__COMPAT_UNKNOWN_U64;
        memory->free = older.free;
        memory->used = older.used;
    }
    return status;
}
