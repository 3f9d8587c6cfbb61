/*
 * Answers about clock offsets, and clocks and performance states as text.
 */
#include <stdio.h>
#include <string.h>

#include "driver/serve.h"

/* What overclocking tools may add; the hardware that is sold for it has fans. */
enum { OFFSET_MHZ = 1000, MEMORY_OFFSET_MHZ = 3000 };

static bool has_offsets(const nvpsim_device *device)
{
    return device->fans > 0;
}

static _Atomic int *offset_of(nvpsim_device *device, bool is_memory)
{
    return is_memory ? &device->settings->memory_offset_mhz : &device->settings->graphics_offset_mhz;
}

static nvmlReturn_t offset_get(nvmlDevice_t device, bool is_memory, int *offset)
{
    nvpsim_device *own = nvpsim__device_of(device);
    if (!offset) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!has_offsets(own)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *offset = atomic_load_explicit(offset_of(own, is_memory), memory_order_relaxed);
    return NVML_SUCCESS;
}

static nvmlReturn_t offset_set(nvmlDevice_t device, bool is_memory, int offset)
{
    nvpsim_device *own = nvpsim__device_of(device);
    int most = is_memory ? MEMORY_OFFSET_MHZ : OFFSET_MHZ;
    if (!has_offsets(own)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    if (offset < -most || offset > most) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    nvmlReturn_t result = nvpsim__may_change();
    if (result == NVML_SUCCESS) {
        atomic_store_explicit(offset_of(own, is_memory), offset, memory_order_relaxed);
    }
    return result;
}

static nvmlReturn_t offset_range(nvmlDevice_t device, bool is_memory, int *low, int *high)
{
    if (!low || !high) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!has_offsets(nvpsim__device_of(device))) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *high = is_memory ? MEMORY_OFFSET_MHZ : OFFSET_MHZ;
    *low = -*high;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetGpcClkVfOffset(nvmlDevice_t device, int *offset)
{
    return offset_get(device, false, offset);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetMemClkVfOffset(nvmlDevice_t device, int *offset)
{
    return offset_get(device, true, offset);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceSetGpcClkVfOffset(nvmlDevice_t device, int offset)
{
    return offset_set(device, false, offset);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceSetMemClkVfOffset(nvmlDevice_t device, int offset)
{
    return offset_set(device, true, offset);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetGpcClkMinMaxVfOffset(nvmlDevice_t device, int *minOffset, int *maxOffset)
{
    return offset_range(device, false, minOffset, maxOffset);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetMemClkMinMaxVfOffset(nvmlDevice_t device, int *minOffset, int *maxOffset)
{
    return offset_range(device, true, minOffset, maxOffset);
}

static nvmlReturn_t offsets_check(const nvmlClockOffset_t *info)
{
    if (!info) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (info->version != nvmlClockOffset_v1) {
        return nvpsim__version_mismatch();
    }
    bool has_clock = info->type == NVML_CLOCK_GRAPHICS || info->type == NVML_CLOCK_MEM;
    return has_clock && (unsigned)info->pstate <= NVML_PSTATE_15 ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetClockOffsets(nvmlDevice_t device, nvmlClockOffset_t *info)
{
    nvmlReturn_t result = offsets_check(info);
    int offset, low, high;
    if (result == NVML_SUCCESS) {
        result = offset_get(device, info->type == NVML_CLOCK_MEM, &offset);
    }
    if (result == NVML_SUCCESS) {
        result = offset_range(device, info->type == NVML_CLOCK_MEM, &low, &high);
    }
    if (result == NVML_SUCCESS) {
        info->clockOffsetMHz = offset;
        info->minClockOffsetMHz = low;
        info->maxClockOffsetMHz = high;
    }
    return result;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceSetClockOffsets(nvmlDevice_t device, nvmlClockOffset_t *info)
{
    nvmlReturn_t result = offsets_check(info);
    return result == NVML_SUCCESS ? offset_set(device, info->type == NVML_CLOCK_MEM, info->clockOffsetMHz) : result;
}

static unsigned clock_of(const nvpsim_device *device, nvpsim_clock_domain domain, uint64_t now_ns)
{
    unsigned mhz;
    return nvpsim__device_clock(device, domain, now_ns, &mhz) ? mhz : 0;
}

static unsigned clock_max_of(const nvpsim_device *device, nvpsim_clock_domain domain)
{
    unsigned mhz;
    return nvpsim__device_clock_max(device, domain, &mhz) ? mhz : 0;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetCurrentClockFreqs(nvmlDevice_t device, nvmlDeviceCurrentClockFreqs_t *currentClockFreqs)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    uint64_t now_ns = nvpsim__now_ns();
    if (!currentClockFreqs) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (currentClockFreqs->version != nvmlDeviceCurrentClockFreqs_v1) {
        return nvpsim__version_mismatch();
    }
    snprintf(currentClockFreqs->str, sizeof currentClockFreqs->str, "perf=%u, nvclock=%u, memclock=%u",
             nvpsim__device_performance_state(own, now_ns), clock_of(own, NVPSIM_GRAPHICS, now_ns),
             clock_of(own, NVPSIM_MEMORY_CLOCK, now_ns));
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetPerformanceModes(nvmlDevice_t device, nvmlDevicePerfModes_t *perfModes)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!perfModes) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (perfModes->version != nvmlDevicePerfModes_v1) {
        return nvpsim__version_mismatch();
    }
    nvpsim_number graphics = own->spec->graphics_idle_mhz, memory = own->spec->memory_idle_mhz;
    snprintf(perfModes->str, sizeof perfModes->str, "perf=8, nvclock=%u, memclock=%u; perf=0, nvclock=%u, memclock=%u",
             graphics.state == NVPSIM_GIVEN ? (unsigned)graphics.value : 0,
             memory.state == NVPSIM_GIVEN ? (unsigned)memory.value : 0, clock_max_of(own, NVPSIM_GRAPHICS),
             clock_max_of(own, NVPSIM_MEMORY_CLOCK));
    return NVML_SUCCESS;
}
