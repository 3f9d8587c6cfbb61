/*
 * Licences: of a device (four structs under one name, by the version of the call), and of a virtual GPU.
 */
#include "compat/adapters.h"

#include "base/compiler.h"
#include "compat/driver.h"

#include <string.h>

/* The newest form of a feature, from any form that begins alike. What an older form lacks is what its size leaves out. */
static void widen(nvmlGridLicensableFeature_t *to, const void *from, size_t size)
{
    *to = (nvmlGridLicensableFeature_t){ .featureEnabled = NVP__COMPAT_UNKNOWN_U32,
                                         .licenseExpiry = { .status = NVML_GRID_LICENSE_EXPIRY_NOT_AVAILABLE } };
    memcpy(to, from, size);
    to->licenseInfo[sizeof(to->licenseInfo) - 1] = '\0';
    to->productName[sizeof(to->productName) - 1] = '\0';
}

typedef nvp_GridLicensableFeatures_v2_t grid_v1; /* the layout of each version of the call */
typedef nvp_GridLicensableFeatures_v3_t grid_v2;
typedef nvp_GridLicensableFeatures_v4_t grid_v3;
typedef nvmlGridLicensableFeatures_t grid_v4;

#define OWN_v1 NVP__OWN(nvmlDeviceGetGridLicensableFeatures)
#define OWN_v2 NVP__OWN(nvmlDeviceGetGridLicensableFeatures_v2)
#define OWN_v3 NVP__OWN(nvmlDeviceGetGridLicensableFeatures_v3)
#define OWN_v4 NVP__OWN(nvmlDeviceGetGridLicensableFeatures_v4)

/* Each older form is the beginning of the newer one, feature by feature. */
#define GIVE(wanted, source)                                                                                                     \
    nvmlReturn_t nvp__compat_grid_##wanted##_from_##source(nvmlDevice_t device, void *features)                                  \
    {                                                                                                                            \
        grid_##wanted *to = features;                                                                                            \
        grid_##source from;                                                                                                      \
        memset(&from, 0, sizeof(from));                                                                                          \
        nvmlReturn_t status = OWN_##source(device, to != NULL ? (void *)&from : NULL);                                           \
        if (status == NVML_SUCCESS && to != NULL) {                                                                              \
            to->isGridLicenseSupported = from.isGridLicenseSupported;                                                            \
            to->licensableFeaturesCount = from.licensableFeaturesCount;                                                          \
            for (size_t i = 0; i < NVP__COUNT_OF(to->gridLicensableFeatures); i++) {                                             \
                nvmlGridLicensableFeature_t feature;                                                                             \
                widen(&feature, &from.gridLicensableFeatures[i], sizeof(from.gridLicensableFeatures[i]));                        \
                memcpy(&to->gridLicensableFeatures[i], &feature, sizeof(to->gridLicensableFeatures[i]));                         \
            }                                                                                                                    \
        }                                                                                                                        \
        return status;                                                                                                           \
    }

GIVE(v1, v2)
GIVE(v1, v3)
GIVE(v1, v4)
GIVE(v2, v1)
GIVE(v2, v3)
GIVE(v2, v4)
GIVE(v3, v1)
GIVE(v3, v2)
GIVE(v3, v4)
GIVE(v4, v1)
GIVE(v4, v2)
GIVE(v4, v3)

/* A licence that holds is in the state "licensed"; of the other states nothing is known. */
static unsigned int state_of(unsigned int licensed)
{
    return licensed != 0 ? NVML_GRID_LICENSE_STATE_LICENSED : NVML_GRID_LICENSE_STATE_UNKNOWN;
}

nvmlReturn_t nvp__compat_licence_status_from_v2(nvmlVgpuInstance_t instance, unsigned int *licensed)
{
    nvmlVgpuLicenseInfo_t info = { 0 };
    nvmlReturn_t status = NVP__OWN(nvmlVgpuInstanceGetLicenseInfo_v2)(instance, licensed != NULL ? &info : NULL);
    if (status == NVML_SUCCESS && licensed != NULL) {
        *licensed = info.isLicensed;
    }
    return status;
}

nvmlReturn_t nvp__compat_licence_status_from_v1(nvmlVgpuInstance_t instance, unsigned int *licensed)
{
    nvp_VgpuLicenseInfo_v1_t info = { 0 };
    nvmlReturn_t status = NVP__OWN(nvmlVgpuInstanceGetLicenseInfo)(instance, licensed != NULL ? (void *)&info : NULL);
    if (status == NVML_SUCCESS && licensed != NULL) {
        *licensed = info.isLicensed;
    }
    return status;
}

nvmlReturn_t nvp__compat_licence_v1_from_v2(nvmlVgpuInstance_t instance, nvp_VgpuLicenseInfo_v1_t *info)
{
    nvmlVgpuLicenseInfo_t newer = { 0 };
    nvmlReturn_t status = NVP__OWN(nvmlVgpuInstanceGetLicenseInfo_v2)(instance, info != NULL ? &newer : NULL);
    if (status == NVML_SUCCESS && info != NULL) {
        *info = (nvp_VgpuLicenseInfo_v1_t){ .isLicensed = newer.isLicensed, .licenseExpiry = newer.licenseExpiry };
    }
    return status;
}

nvmlReturn_t nvp__compat_licence_v1_from_status(nvmlVgpuInstance_t instance, nvp_VgpuLicenseInfo_v1_t *info)
{
    unsigned int licensed = 0;
    nvmlReturn_t status = NVP__OWN(nvmlVgpuInstanceGetLicenseStatus)(instance, info != NULL ? &licensed : NULL);
    if (status == NVML_SUCCESS && info != NULL) {
        *info = (nvp_VgpuLicenseInfo_v1_t){ .isLicensed = licensed != 0,
                                            .licenseExpiry = { .status = NVML_GRID_LICENSE_EXPIRY_NOT_AVAILABLE } };
    }
    return status;
}

nvmlReturn_t nvp__compat_licence_v2_from_v1(nvmlVgpuInstance_t instance, nvmlVgpuLicenseInfo_t *info)
{
    nvp_VgpuLicenseInfo_v1_t older = { 0 };
    nvmlReturn_t status = NVP__OWN(nvmlVgpuInstanceGetLicenseInfo)(instance, info != NULL ? (void *)&older : NULL);
    if (status == NVML_SUCCESS && info != NULL) {
        *info = (nvmlVgpuLicenseInfo_t){ .isLicensed = older.isLicensed,
                                         .licenseExpiry = older.licenseExpiry,
                                         .currentState = state_of(older.isLicensed) };
    }
    return status;
}

nvmlReturn_t nvp__compat_licence_v2_from_status(nvmlVgpuInstance_t instance, nvmlVgpuLicenseInfo_t *info)
{
    unsigned int licensed = 0;
    nvmlReturn_t status = NVP__OWN(nvmlVgpuInstanceGetLicenseStatus)(instance, info != NULL ? &licensed : NULL);
    if (status == NVML_SUCCESS && info != NULL) {
        *info = (nvmlVgpuLicenseInfo_t){ .isLicensed = licensed != 0,
                                         .licenseExpiry = { .status = NVML_GRID_LICENSE_EXPIRY_NOT_AVAILABLE },
                                         .currentState = state_of(licensed) };
    }
    return status;
}
