/*
 * A driver with one device. It filters nothing: what a real one has answered wrongly at some time a test can make it answer.
 */
#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

#include "usage_driver.h"

#include <string.h>

#define NVP_FUNCTION(name, group, version, first_driver, first_release, flags, shape, parameters, arguments)                     \
    EXPORT nvmlReturn_t name parameters;
#include "abi/functions.def"

static char device;
static struct usage now;
static struct usage_calls calls;

void usage_set(const struct usage *usage)
{
    now = *usage;
}

struct usage_calls usage_take_calls(void)
{
    struct usage_calls seen = calls;
    calls = (struct usage_calls){ 0 };
    return seen;
}

nvmlReturn_t nvmlInit_v2(void)
{
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlShutdown(void)
{
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *handle)
{
    if (index > 0) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *handle = (nvmlDevice_t)(void *)&device;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t handle, char *uuid, unsigned int length)
{
    (void)handle;
    (void)length;
    memcpy(uuid, "GPU-0", 6);
    return NVML_SUCCESS;
}

/* Leaves the count at what is needed, unless it is told to say nothing. */
static bool fits(unsigned int needed, unsigned int *count)
{
    unsigned int room = *count;
    bool fit = needed <= room && !now.ever_larger;
    *count = fit ? needed + now.surplus : now.counts_silently ? room : now.ever_larger ? room + 1 : needed;
    return fit;
}

static nvmlReturn_t list(const struct usage_process *processes, unsigned int needed, unsigned int *count,
                         nvmlProcessInfo_t *infos)
{
    calls.lists++;
    if (!fits(needed, count)) {
        return NVML_ERROR_INSUFFICIENT_SIZE;
    }
    for (unsigned int i = 0; i < needed; i++) {
        infos[i] = (nvmlProcessInfo_t){ .pid = processes[i].pid,
                                        .usedGpuMemory = processes[i].memory,
                                        .gpuInstanceId = processes[i].gpu_instance,
                                        .computeInstanceId = processes[i].compute_instance };
    }
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t handle, unsigned int *count, nvmlProcessInfo_t *infos)
{
    (void)handle;
    return list(now.compute, now.compute_count, count, infos);
}

nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t handle, unsigned int *count, nvmlProcessInfo_t *infos)
{
    (void)handle;
    return list(now.graphics, now.graphics_count, count, infos);
}

nvmlReturn_t nvmlDeviceGetProcessUtilization(nvmlDevice_t handle, nvmlProcessUtilizationSample_t *samples, unsigned int *count,
                                             unsigned long long since_us)
{
    (void)handle;
    calls.plain++;
    calls.since_us = since_us;
    if (now.plain_answer != 0) {
        return (nvmlReturn_t)now.plain_answer;
    }
    if (!fits(now.sample_count, count)) {
        return NVML_ERROR_INSUFFICIENT_SIZE;
    }
    for (unsigned int i = 0; i < now.sample_count; i++) {
        const struct usage_sample *from = &now.samples[i];
        samples[i] = (nvmlProcessUtilizationSample_t){ .pid = from->pid,
                                                       .timeStamp = from->at_us,
                                                       .smUtil = from->sm,
                                                       .memUtil = from->memory,
                                                       .encUtil = from->encoder,
                                                       .decUtil = from->decoder };
    }
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetProcessesUtilizationInfo(nvmlDevice_t handle, nvmlProcessesUtilizationInfo_t *info)
{
    (void)handle;
    calls.info++;
    calls.since_us = info->lastSeenTimeStamp;
    if (now.info_answer != 0) {
        return (nvmlReturn_t)now.info_answer;
    }
    if (!fits(now.sample_count, &info->processSamplesCount)) {
        return NVML_ERROR_INSUFFICIENT_SIZE;
    }
    for (unsigned int i = 0; i < now.sample_count; i++) {
        const struct usage_sample *from = &now.samples[i];
        info->procUtilArray[i] = (nvmlProcessUtilizationInfo_v1_t){ .timeStamp = from->at_us,
                                                                    .pid = from->pid,
                                                                    .smUtil = from->sm,
                                                                    .memUtil = from->memory,
                                                                    .encUtil = from->encoder,
                                                                    .decUtil = from->decoder,
                                                                    .jpgUtil = from->jpeg,
                                                                    .ofaUtil = from->ofa };
    }
    return NVML_SUCCESS;
}
