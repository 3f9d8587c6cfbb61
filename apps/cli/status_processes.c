/*
 * Who uses a device: the three lists that NVML keeps, merged by process.
 */
#include <stdlib.h>

#include "status_query.h"
#include "status_report.h"

static const struct list {
    status_quantity quantity;
    unsigned int use;
    const char *calls[4];
} lists[] = {
    { STATUS_COMPUTE_PROCESSES,
      STATUS_COMPUTE,
      { "nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2",
        "nvmlDeviceGetComputeRunningProcesses" } },
    { STATUS_GRAPHICS_PROCESSES,
      STATUS_GRAPHICS,
      { "nvmlDeviceGetGraphicsRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v2",
        "nvmlDeviceGetGraphicsRunningProcesses" } },
    { STATUS_MPS_PROCESSES,
      STATUS_MPS,
      { "nvmlDeviceGetMPSComputeRunningProcesses_v3", "nvmlDeviceGetMPSComputeRunningProcesses_v2",
        "nvmlDeviceGetMPSComputeRunningProcesses" } },
};

static status_process *find_process(const status_device *device, unsigned int pid)
{
    for (size_t i = 0; i < device->process_count; i++) {
        if (device->processes[i].pid == pid) {
            return &device->processes[i];
        }
    }
    return NULL;
}

/* The process of that pid, which is appended when it is new; NULL when memory runs out. */
static status_process *find_or_add_process(status_device *device, unsigned int pid)
{
    status_process *process = find_process(device, pid);
    if (process != NULL) {
        return process;
    }
    status_process *processes = reallocarray(device->processes, device->process_count + 1, sizeof *processes);
    if (processes == NULL) {
        return NULL;
    }
    device->processes = processes;
    process = &processes[device->process_count++];
    *process = (status_process){ .pid = pid, .used_bytes = NVP_VALUE_INIT, .name = NVP_VALUE_INIT };
    return process;
}

/* A process in several lists has the same memory in each; a number is better than N/A. */
static void merge_memory(status_process *process, const nvp_value *used_bytes)
{
    bool known = nvp_check(&process->used_bytes, NVP_KIND_UINT);
    if (!known || nvp_value_uint(used_bytes, 0) > process->used_bytes.as.uint_value) {
        nvp_value_copy(&process->used_bytes, used_bytes);
    }
}

static nvp_status take_process(status_device *device, const nvp_value *item, unsigned int use)
{
    nvp_value pid = NVP_VALUE_INIT, used_bytes = NVP_VALUE_INIT;
    nvp_status status = NVP_SUCCESS;
    if (nvp_value_field(item, "pid", &pid) == NVP_SUCCESS && nvp_check(&pid, NVP_KIND_UINT) &&
        nvp_value_field(item, "usedGpuMemory", &used_bytes) == NVP_SUCCESS) {
        status_process *process = find_or_add_process(device, (unsigned int)pid.as.uint_value);
        if (process != NULL) {
            process->uses |= use;
            merge_memory(process, &used_bytes);
        } else {
            status = NVP_ERROR_NO_MEMORY;
        }
    }
    nvp_value_clear(&pid);
    nvp_value_clear(&used_bytes);
    return status;
}

static nvp_status read_list(status_device *device, const struct list *list)
{
    nvp_value answer = NVP_VALUE_INIT, item = NVP_VALUE_INIT;
    nvp_status status = NVP_SUCCESS;
    status_query_first(list->calls, NVP_ARGS(nvp_arg_handle(device->handle)), &answer);
    for (size_t i = 0; nvp_check(&answer, NVP_KIND_LIST) && i < answer.count && status == NVP_SUCCESS; i++) {
        status = nvp_value_at(&answer, i, &item);
        if (status == NVP_SUCCESS) {
            status = take_process(device, &item, list->use);
        }
    }
    if (nvp_check(&answer, NVP_KIND_LIST)) {
        nvp_value_set_uint(&device->values[list->quantity], answer.count);
    } else {
        nvp_value_set_na(&device->values[list->quantity], answer.status);
    }
    nvp_value_clear(&item);
    nvp_value_clear(&answer);
    return status;
}

static void keep_reason(nvp_value *summary, const nvp_value *value)
{
    if (!nvp_check(value, NVP_KIND_ANY) && summary->reason == NVP_REASON_NONE) {
        nvp_value_set_na(summary, value->status);
    }
}

nvp_status status_processes_read(status_device *device)
{
    nvp_status status = NVP_SUCCESS;
    for (size_t i = 0; i < sizeof lists / sizeof *lists && status == NVP_SUCCESS; i++) {
        status = read_list(device, &lists[i]);
    }
    for (size_t i = 0; i < device->process_count; i++) {
        status_process *process = &device->processes[i];
        nvp_query("nvmlSystemGetProcessName", NVP_ARGS(nvp_arg_uint(process->pid)), NULL, &process->name);
        keep_reason(&device->values[STATUS_PROCESS_MEMORY], &process->used_bytes);
        keep_reason(&device->values[STATUS_PROCESS_NAME], &process->name);
    }
    return status;
}
