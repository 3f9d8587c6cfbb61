/*
 * Answers about device memory.
 */
#include "driver/serve.h"

static nvmlReturn_t memory_read(nvmlDevice_t device, nvpsim_memory *now)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    const nvpsim_slice *slice = nvpsim__slice_of(device);
    if (slice) {
        *now = nvpsim__slice_memory(own, slice, nvpsim__now_ns());
        return NVML_SUCCESS;
    }
    nvmlReturn_t result = nvpsim__whole_readable(device);
    if (result != NVML_SUCCESS) {
        return result;
    }
    return nvpsim__device_memory(own, nvpsim__now_ns(), now) ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

/*
 * From 510 on the total includes what driver and firmware keep, and this first form counts that as used.
 * Earlier drivers left it out of the total.
 */
nvmlReturn_t nvpsim__serve_nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory)
{
    nvpsim_memory now;
    if (!memory) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    nvmlReturn_t result = memory_read(device, &now);
    if (result != NVML_SUCCESS) {
        return result;
    }
    bool counts_reserved = nvpsim__driver_since(510, 39, 1);
    memory->total = now.total - (counts_reserved ? 0 : now.reserved);
    memory->free = now.free;
    memory->used = now.used + (counts_reserved ? now.reserved : 0);
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory)
{
    nvpsim_memory now;
    if (!memory) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (memory->version != nvmlMemory_v2) {
        return nvpsim__version_mismatch();
    }
    nvmlReturn_t result = memory_read(device, &now);
    if (result != NVML_SUCCESS) {
        return result;
    }
    memory->total = now.total;
    memory->reserved = now.reserved;
    memory->free = now.free;
    memory->used = now.used;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetBAR1MemoryInfo(nvmlDevice_t device, nvmlBAR1Memory_t *bar1Memory)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!bar1Memory) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (own->spec->bar1_total.state != NVPSIM_GIVEN) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    nvmlReturn_t result = nvpsim__whole_readable(device);
    if (result != NVML_SUCCESS) {
        return result;
    }
    const nvpsim_slice *slice = nvpsim__slice_of(device);
    unsigned long long total = own->spec->bar1_total.value, used = 0;
    if (slice) { /* BAR1 is shared out like the memory */
        total = (unsigned long long)((double)total * (double)slice->profile->memory_bytes.value / (double)own->memory_total);
    } else if (own->bar1_used) {
        used = nvpsim__memory_bytes(own->bar1_used, nvpsim__now_ns());
    }
    used = used > total ? total : used;
    bar1Memory->bar1Total = total;
    bar1Memory->bar1Used = used;
    bar1Memory->bar1Free = total - used;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetMemoryBusWidth(nvmlDevice_t device, unsigned int *busWidth)
{
    return nvpsim__put_number(busWidth, nvpsim__device_of(device)->spec->memory_bus_bits);
}
