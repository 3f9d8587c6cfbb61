/*
 * Accounting of processes: while the mode is on, every process that computed since it was cleared has a record.
 */
#include <string.h>

#include "driver/serve.h"

static bool is_supported(const nvpsim_device *device)
{
    return device->spec->accounting_mode.state == NVPSIM_GIVEN;
}

static bool is_on(const nvpsim_device *device)
{
    return is_supported(device) && atomic_load_explicit(&device->settings->accounting, memory_order_relaxed) != 0;
}

/* Whether a process has a record: it has begun, and did not end before the records were cleared. */
static bool has_record(const nvpsim_device *device, const nvpsim_process *process, uint64_t now_ns)
{
    uint64_t cleared_ns = atomic_load_explicit(&device->settings->accounting_cleared_ns, memory_order_relaxed);
    return (process->types & NVPSIM_PROCESS_COMPUTE) && process->from_ns <= now_ns && process->until_ns > cleared_ns;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetAccountingMode(nvmlDevice_t device, nvmlEnableState_t *mode)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!mode) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!is_supported(own)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *mode = is_on(own) ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceSetAccountingMode(nvmlDevice_t device, nvmlEnableState_t mode)
{
    nvpsim_device *own = nvpsim__device_of(device);
    if (mode != NVML_FEATURE_ENABLED && mode != NVML_FEATURE_DISABLED) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!is_supported(own)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    nvmlReturn_t result = nvpsim__may_change();
    if (result == NVML_SUCCESS) {
        atomic_store_explicit(&own->settings->accounting, (unsigned)mode, memory_order_relaxed);
    }
    return result;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetAccountingBufferSize(nvmlDevice_t device, unsigned int *bufferSize)
{
    return nvpsim__put_number(bufferSize, nvpsim__device_of(device)->spec->accounting_size);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceClearAccountingPids(nvmlDevice_t device)
{
    nvpsim_device *own = nvpsim__device_of(device);
    if (!is_supported(own)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    nvmlReturn_t result = nvpsim__may_change();
    if (result == NVML_SUCCESS) {
        atomic_store_explicit(&own->settings->accounting_cleared_ns, nvpsim__now_ns(), memory_order_relaxed);
    }
    return result;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetAccountingPids(nvmlDevice_t device, unsigned int *count, unsigned int *pids)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    uint64_t now_ns = nvpsim__now_ns();
    if (!count) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!is_supported(own)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    unsigned records = 0, put = 0;
    for (size_t i = 0; is_on(own) && i < own->process_count; i++) {
        records += has_record(own, &own->processes[i], now_ns);
    }
    nvmlReturn_t result = nvpsim__list_room(count, pids, records);
    for (size_t i = 0; result == NVML_SUCCESS && put < records && i < own->process_count; i++) {
        if (has_record(own, &own->processes[i], now_ns)) {
            pids[put++] = nvpsim__process_pid(&own->processes[i]);
        }
    }
    return result;
}

/* The newest form; the earlier one is made from it. The loads are those of now, or of the end of the process. */
static nvmlReturn_t stats_read(const nvpsim_device *device, unsigned pid, nvmlAccountingStats_v2_t *stats)
{
    uint64_t now_ns = nvpsim__now_ns(), used_bytes = 0;
    if (!is_on(device)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    for (size_t i = 0; i < device->process_count; i++) {
        const nvpsim_process *process = &device->processes[i];
        if (nvpsim__process_pid(process) != pid || !has_record(device, process, now_ns)) {
            continue;
        }
        bool is_running = nvpsim__process_is_running(process, now_ns);
        uint64_t at_ns = is_running ? now_ns : process->until_ns;
        nvpsim__process_memory(process, at_ns, &used_bytes);
        *stats = (nvmlAccountingStats_v2_t){
            .pid = pid,
            .isRunning = is_running,
            .gpuUtilization = (unsigned)nvpsim__process_load(device, process, NVPSIM_ENGINE_GPU, at_ns),
            .memoryUtilization = (unsigned)nvpsim__process_load(device, process, NVPSIM_ENGINE_MEMORY, at_ns),
            .maxMemoryUsage = used_bytes,
            .time = is_running ? 0 : (process->until_ns - process->from_ns) / NVPSIM_NS_PER_MS,
            .startTime = nvpsim__wall_us(process->from_ns),
        };
        return NVML_SUCCESS;
    }
    return NVML_ERROR_NOT_FOUND;
}

/* In the first drivers the words after the time were reserved. */
nvmlReturn_t nvpsim__serve_nvmlDeviceGetAccountingStats(nvmlDevice_t device, unsigned int pid, nvmlAccountingStats_t *stats)
{
    nvmlAccountingStats_v2_t read;
    if (!stats) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    nvmlReturn_t result = stats_read(nvpsim__device_of(device), pid, &read);
    if (result != NVML_SUCCESS) {
        return result;
    }
    bool has_start = nvpsim__driver_since(375, 20, 0);
    *stats = (nvmlAccountingStats_t){ .gpuUtilization = read.gpuUtilization,
                                      .memoryUtilization = read.memoryUtilization,
                                      .maxMemoryUsage = read.maxMemoryUsage,
                                      .time = read.time,
                                      .startTime = has_start ? read.startTime : 0,
                                      .isRunning = has_start ? read.isRunning : 0 };
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetAccountingStats_v2(nvmlDevice_t device, nvmlAccountingStats_v2_t *stats)
{
    nvmlAccountingStats_v2_t read;
    if (!stats) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    nvmlReturn_t result = stats_read(nvpsim__device_of(device), stats->pid, &read);
    if (result == NVML_SUCCESS) {
        *stats = read;
    }
    return result;
}
