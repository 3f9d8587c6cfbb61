/*
 * A driver whose counts are lies: every list has three entries, and every call that lists says that there are far more, with
 * success. Texts fill their buffers without an end.
 */
#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define NVP_FUNCTION(name, group, version, first_driver, first_release, flags, shape, parameters, arguments)                     \
    EXPORT nvmlReturn_t name parameters;
#include "abi/functions.def"

enum { ENTRIES = 3, LIE = 1000000 };

static char devices[1];

nvmlReturn_t nvmlInit_v2(void)
{
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlInitWithFlags(unsigned int flags)
{
    (void)flags;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlShutdown(void)
{
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device)
{
    (void)index;
    *device = (nvmlDevice_t)(void *)devices;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned int length)
{
    (void)device;
    memset(uuid, 'u', length);
    return NVML_SUCCESS;
}

/* Three entries at most, or as many as there is room for; the count is a lie. */
static nvmlReturn_t tell(void *entries, size_t size, unsigned int *count, unsigned int room)
{
    for (unsigned int i = 0; entries != NULL && i < ENTRIES && i < room; i++) {
        unsigned int number = i + 1;
        memset((char *)entries + i * size, 0, size);
        memcpy((char *)entries + i * size, &number, sizeof(number));
    }
    *count = LIE;
    return NVML_SUCCESS;
}

#define PLACES(name)                                                                                                             \
    nvmlReturn_t name(nvmlDevice_t device, unsigned int profile, nvmlGpuInstancePlacement_t *places, unsigned int *count)        \
    {                                                                                                                            \
        (void)device;                                                                                                            \
        (void)profile;                                                                                                           \
        return tell(places, sizeof(*places), count, ENTRIES);                                                                    \
    }
PLACES(nvmlDeviceGetGpuInstancePossiblePlacements)
PLACES(nvmlDeviceGetGpuInstancePossiblePlacements_v2)

nvmlReturn_t nvmlDeviceGetGpuInstances(nvmlDevice_t device, unsigned int profile, nvmlGpuInstance_t *instances,
                                       unsigned int *count)
{
    (void)device;
    (void)profile;
    return tell(instances, sizeof(*instances), count, ENTRIES);
}

nvmlReturn_t nvmlGpuInstanceGetComputeInstances(nvmlGpuInstance_t instance, unsigned int profile,
                                                nvmlComputeInstance_t *instances, unsigned int *count)
{
    (void)instance;
    (void)profile;
    return tell(instances, sizeof(*instances), count, ENTRIES);
}

nvmlReturn_t nvmlGpuInstanceGetComputeInstancePossiblePlacements(nvmlGpuInstance_t instance, unsigned int profile,
                                                                 nvmlComputeInstancePlacement_t *places, unsigned int *count)
{
    (void)instance;
    (void)profile;
    return tell(places, sizeof(*places), count, ENTRIES);
}

#define LICENSABLE(name, layout)                                                                                                 \
    nvmlReturn_t name(nvmlDevice_t device, nvmlGridLicensableFeatures_t *features)                                               \
    {                                                                                                                            \
        layout lie;                                                                                                              \
        (void)device;                                                                                                            \
        memset(&lie, 'x', sizeof(lie));                                                                                          \
        lie.licensableFeaturesCount = LIE;                                                                                       \
        memcpy((void *)features, &lie, sizeof(lie));                                                                             \
        return NVML_SUCCESS;                                                                                                     \
    }
LICENSABLE(nvmlDeviceGetGridLicensableFeatures, nvp_GridLicensableFeatures_v2_t)
LICENSABLE(nvmlDeviceGetGridLicensableFeatures_v2, nvp_GridLicensableFeatures_v3_t)
LICENSABLE(nvmlDeviceGetGridLicensableFeatures_v3, nvp_GridLicensableFeatures_v4_t)
LICENSABLE(nvmlDeviceGetGridLicensableFeatures_v4, nvmlGridLicensableFeatures_t)

nvmlReturn_t nvmlDeviceGetRetiredPages(nvmlDevice_t device, nvmlPageRetirementCause_t cause, unsigned int *count,
                                       unsigned long long *addresses)
{
    (void)device;
    (void)cause;
    return tell(addresses, sizeof(*addresses), count, *count);
}

nvmlReturn_t nvmlDeviceGetRetiredPages_v2(nvmlDevice_t device, nvmlPageRetirementCause_t cause, unsigned int *count,
                                          unsigned long long *addresses, unsigned long long *times_us)
{
    (void)device;
    (void)cause;
    tell(times_us, sizeof(*times_us), &(unsigned int){ 0 }, *count);
    return tell(addresses, sizeof(*addresses), count, *count);
}

nvmlReturn_t nvmlDeviceGetProcessUtilization(nvmlDevice_t device, nvmlProcessUtilizationSample_t *samples, unsigned int *count,
                                             unsigned long long since_us)
{
    (void)device;
    (void)since_us;
    return tell(samples, sizeof(*samples), count, *count);
}

nvmlReturn_t nvmlDeviceGetProcessesUtilizationInfo(nvmlDevice_t device, nvmlProcessesUtilizationInfo_t *info)
{
    (void)device;
    return tell(info->procUtilArray, sizeof(*info->procUtilArray), &info->processSamplesCount, info->processSamplesCount);
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_v1_t *infos)
{
    (void)device;
    return tell(infos, sizeof(*infos), count, *count);
}

nvmlReturn_t nvmlDeviceGetRunningProcessDetailList(nvmlDevice_t device, nvmlProcessDetailList_t *list)
{
    (void)device;
    return tell(list->procArray, sizeof(*list->procArray), &list->numProcArrayEntries, list->numProcArrayEntries);
}

nvmlReturn_t nvmlGpuInstanceGetInfo(nvmlGpuInstance_t instance, nvmlGpuInstanceInfo_t *info)
{
    (void)instance;
    *info = (nvmlGpuInstanceInfo_t){ .device = (nvmlDevice_t)(void *)devices, .id = 1 };
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetActiveVgpus(nvmlDevice_t device, unsigned int *count, nvmlVgpuInstance_t *instances)
{
    (void)device;
    return tell(instances, sizeof(*instances), count, *count);
}

nvmlReturn_t nvmlVgpuInstanceGetGpuInstanceId(nvmlVgpuInstance_t instance, unsigned int *id)
{
    *id = instance;
    return instance > 0 && instance <= ENTRIES ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

/* Knows version 1 alone. */
nvmlReturn_t nvmlDeviceGetVgpuTypeSupportedPlacements(nvmlDevice_t device, nvmlVgpuTypeId_t type, nvmlVgpuPlacementList_t *list)
{
    (void)device;
    (void)type;
    if (list->version != nvmlVgpuPlacementList_v1) {
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    }
    return tell(list->placementIds, sizeof(*list->placementIds), &list->count, list->count);
}
