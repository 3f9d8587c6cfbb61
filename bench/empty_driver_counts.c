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

static const char licence[32] = "GRID-Virtual-WS-Ext,2.0";
static const char product[32] = "NVIDIA RTX Virtual Workstation";

#define NAMED memcpy(feature->productName, product, sizeof(product))
#define UNNAMED (void)product

#define LICENSABLE(name, type, put_name)                                                                                         \
    __attribute__((visibility("default"))) nvmlReturn_t name(nvmlDevice_t device, type *features);                               \
    nvmlReturn_t name(nvmlDevice_t device, type *features)                                                                       \
    {                                                                                                                            \
        (void)device;                                                                                                            \
        features->isGridLicenseSupported = 1;                                                                                    \
        features->licensableFeaturesCount = features_count;                                                                      \
        for (unsigned int i = 0; i < features_count; i++) {                                                                      \
            __typeof__(&features->gridLicensableFeatures[0]) feature = &features->gridLicensableFeatures[i];                     \
            memcpy(feature->licenseInfo, licence, sizeof(licence));                                                              \
            put_name;                                                                                                            \
        }                                                                                                                        \
        return NVML_SUCCESS;                                                                                                     \
    }

LICENSABLE(nvmlDeviceGetGridLicensableFeatures, nvp_GridLicensableFeatures_v2_t, UNNAMED)
LICENSABLE(nvmlDeviceGetGridLicensableFeatures_v2, nvp_GridLicensableFeatures_v3_t, NAMED)
LICENSABLE(nvmlDeviceGetGridLicensableFeatures_v3, nvp_GridLicensableFeatures_v4_t, NAMED)
LICENSABLE(nvmlDeviceGetGridLicensableFeatures_v4, nvmlGridLicensableFeatures_t, NAMED)

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

#define BUS_ID_OF_LINK(name)                                                                                                     \
    __attribute__((visibility("default"))) nvmlReturn_t name(nvmlDevice_t device, unsigned int link, nvmlPciInfo_t *pci);        \
    nvmlReturn_t name(nvmlDevice_t device, unsigned int link, nvmlPciInfo_t *pci)                                                \
    {                                                                                                                            \
        (void)link;                                                                                                              \
        (void)device;                                                                                                            \
        memcpy(pci->busIdLegacy, "0000:3B:00.0", sizeof("0000:3B:00.0"));                                                        \
        return NVML_SUCCESS;                                                                                                     \
    }

BUS_ID(nvmlDeviceGetPciInfo, nvmlPciInfo_t, busIdLegacy, "0000:3B:00.0") /* where the older structs have it, too */
BUS_ID(nvmlDeviceGetPciInfo_v2, nvmlPciInfo_t, busIdLegacy, "0000:3B:00.0")
BUS_ID(nvmlDeviceGetPciInfo_v3, nvmlPciInfo_t, busIdLegacy, "0000:3B:00.0")
BUS_ID(nvmlDeviceGetPciInfoExt, nvmlPciInfoExt_t, busId, "00000000:3B:00.0")
BUS_ID_OF_LINK(nvmlDeviceGetNvLinkRemotePciInfo)
BUS_ID_OF_LINK(nvmlDeviceGetNvLinkRemotePciInfo_v2)
