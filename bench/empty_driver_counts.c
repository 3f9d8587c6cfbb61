/*
 * The empty driver: a device with one virtual GPU, with as many licensable features as EMPTY_DRIVER_FEATURES says, and with bus ids.
 */
#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

#include <stdlib.h>
#include <string.h>

static unsigned int features_count = 1;

__attribute__((constructor)) static void read_environment(void)
{
    const char *text = getenv("EMPTY_DRIVER_FEATURES");
    features_count = text != NULL ? (unsigned int)strtoul(text, NULL, 10) : 1;
}

#define LICENSABLE(name)                                                                                                         \
    __attribute__((visibility("default"))) nvmlReturn_t name(nvmlDevice_t device, nvmlGridLicensableFeatures_t *features);       \
    nvmlReturn_t name(nvmlDevice_t device, nvmlGridLicensableFeatures_t *features)                                               \
    {                                                                                                                            \
        (void)device;                                                                                                            \
        features->isGridLicenseSupported = 1; /* these two stand at the same place in all versions */                            \
        features->licensableFeaturesCount = features_count;                                                                      \
        return NVML_SUCCESS;                                                                                                     \
    }

LICENSABLE(nvmlDeviceGetGridLicensableFeatures)
LICENSABLE(nvmlDeviceGetGridLicensableFeatures_v2)
LICENSABLE(nvmlDeviceGetGridLicensableFeatures_v3)
LICENSABLE(nvmlDeviceGetGridLicensableFeatures_v4)

__attribute__((visibility("default"))) nvmlReturn_t nvmlDeviceGetActiveVgpus(nvmlDevice_t device, unsigned int *count,
                                                                             nvmlVgpuInstance_t *instances);
nvmlReturn_t nvmlDeviceGetActiveVgpus(nvmlDevice_t device, unsigned int *count, nvmlVgpuInstance_t *instances)
{
    (void)device;
    (void)instances;
    *count = 1;
    return NVML_SUCCESS;
}

#define BUS_ID(name, info, member, text)                                                                                         \
    __attribute__((visibility("default"))) nvmlReturn_t name(nvmlDevice_t device, info *pci);                                    \
    nvmlReturn_t name(nvmlDevice_t device, info *pci)                                                                            \
    {                                                                                                                            \
        (void)device;                                                                                                            \
        memcpy(pci->member, text, sizeof(text));                                                                                 \
        return NVML_SUCCESS;                                                                                                     \
    }

BUS_ID(nvmlDeviceGetPciInfo, nvmlPciInfo_t, busIdLegacy, "0000:3B:00.0") /* where the older structs have it, too */
BUS_ID(nvmlDeviceGetPciInfo_v2, nvmlPciInfo_t, busIdLegacy, "0000:3B:00.0")
BUS_ID(nvmlDeviceGetPciInfo_v3, nvmlPciInfo_t, busIdLegacy, "0000:3B:00.0")
BUS_ID(nvmlDeviceGetPciInfoExt, nvmlPciInfoExt_t, busId, "00000000:3B:00.0")
