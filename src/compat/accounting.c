/*
 * What a process has used: the process id became a field of the struct with v2 (first in 610).
 */
#include "compat/adapters.h"

#include "compat/driver.h"

#include <string.h>

nvmlReturn_t nvp__compat_accounting_v1_from_v2(nvmlDevice_t device, unsigned int pid, nvmlAccountingStats_t *stats)
{
    nvmlAccountingStats_v2_t newer = { .pid = pid };
    nvmlReturn_t status = NVP__OWN(nvmlDeviceGetAccountingStats_v2)(device, stats != NULL ? &newer : NULL);
    if (status == NVML_SUCCESS && stats != NULL) {
        *stats = (nvmlAccountingStats_t){ .gpuUtilization = newer.gpuUtilization,
                                          .memoryUtilization = newer.memoryUtilization,
                                          .maxMemoryUsage = newer.maxMemoryUsage,
                                          .time = newer.time,
                                          .startTime = newer.startTime,
                                          .isRunning = newer.isRunning };
    }
    return status;
}

nvmlReturn_t nvp__compat_accounting_v2_from_v1(nvmlDevice_t device, nvmlAccountingStats_v2_t *stats)
{
    nvmlAccountingStats_t older;
    memset(&older, 0xff, sizeof(older)); /* startTime and isRunning were reserved words in 340 */
    nvmlReturn_t status =
        NVP__OWN(nvmlDeviceGetAccountingStats)(device, stats != NULL ? stats->pid : 0, stats != NULL ? &older : NULL);
    if (status == NVML_SUCCESS && stats != NULL) {
        *stats = (nvmlAccountingStats_v2_t){ .pid = stats->pid,
                                             .isRunning = older.isRunning,
                                             .gpuUtilization = older.gpuUtilization,
                                             .memoryUtilization = older.memoryUtilization,
                                             .maxMemoryUsage = older.maxMemoryUsage,
                                             .sampleCount = NVP__COMPAT_UNKNOWN_U32,
                                             .sumGpuUtil = NVP__COMPAT_UNKNOWN_U64,
                                             .sumFbUtil = NVP__COMPAT_UNKNOWN_U64,
                                             .time = older.time,
                                             .startTime = older.startTime };
    }
    return status;
}
