/*
 * Licences: of a device (four structs under one name, by the version of the call), and of a virtual GPU.
 */
#include "compat/adapters.h"

#include "base/compiler.h"
#include "compat/driver.h"
#include "compat/room.h"

#include <stddef.h>
#include <string.h>

typedef nvp_GridLicensableFeatures_v2_t grid_v1; /* the layout of each version of the call */
typedef nvp_GridLicensableFeatures_v3_t grid_v2;
typedef nvp_GridLicensableFeatures_v4_t grid_v3;
typedef nvmlGridLicensableFeatures_t grid_v4;

#define OWN_v1 NVP__OWN(nvmlDeviceGetGridLicensableFeatures)
#define OWN_v2 NVP__OWN(nvmlDeviceGetGridLicensableFeatures_v2)
#define OWN_v3 NVP__OWN(nvmlDeviceGetGridLicensableFeatures_v3)
#define OWN_v4 NVP__OWN(nvmlDeviceGetGridLicensableFeatures_v4)

#define FEATURE_SIZE(version) sizeof(((grid_##version *)NULL)->gridLicensableFeatures[0])
#define TEXT_END(member) (offsetof(nvmlGridLicensableFeature_t, member) + NVML_GRID_LICENSE_BUFFER_SIZE - 1)

static NVP__INLINE bool has(size_t feature_size, size_t offset)
{
    return feature_size > offset;
}

/* Ends the texts of a feature of `size` bytes, of which the library has given the first `given`; the rest is not available. */
static NVP__INLINE void complete(unsigned char *feature, size_t size, size_t given)
{
    const unsigned int unknown = NVP__COMPAT_UNKNOWN_U32;
    const nvmlGridLicenseExpiry_t no_expiry = { .status = NVML_GRID_LICENSE_EXPIRY_NOT_AVAILABLE };
    const size_t name = offsetof(nvmlGridLicensableFeature_t, productName);
    const size_t enabled = offsetof(nvmlGridLicensableFeature_t, featureEnabled);
    const size_t expiry = offsetof(nvmlGridLicensableFeature_t, licenseExpiry);
    feature[TEXT_END(licenseInfo)] = '\0';
    if (has(size, name) && !has(given, name)) {
        feature[name] = '\0';
    } else if (has(size, name)) {
        feature[TEXT_END(productName)] = '\0';
    }
    if (has(size, enabled) && !has(given, enabled)) {
        memcpy(feature + enabled, &unknown, sizeof(unknown));
    }
    if (has(size, expiry) && !has(given, expiry)) {
        memcpy(feature + expiry, &no_expiry, sizeof(no_expiry));
    }
}

/* A feature that there is not: the structs are large, and to clear them takes longer than all the rest. */
static NVP__INLINE void blank(unsigned char *feature, size_t size, size_t given)
{
    const size_t licence = offsetof(nvmlGridLicensableFeature_t, licenseInfo);
    const size_t name = offsetof(nvmlGridLicensableFeature_t, productName);
    const size_t enabled = offsetof(nvmlGridLicensableFeature_t, featureEnabled);
    memset(feature, 0, licence + 1);
    if (has(size, name)) {
        feature[name] = '\0';
    }
    if (has(size, enabled)) {
        memset(feature + enabled, 0, size - enabled);
    }
    complete(feature, size, given);
}

/* The structs have room for so many: a caller that believes a larger number reads past their end. */
static NVP__INLINE unsigned int count_of(unsigned int said)
{
    return said < NVML_GRID_LICENSE_FEATURE_MAX_COUNT ? said : NVML_GRID_LICENSE_FEATURE_MAX_COUNT;
}

/* Each older form is the beginning of the newer one, feature by feature. */

#define BLANK(to, wanted, source)                                                                                                \
    for (size_t i = (to)->licensableFeaturesCount; i < NVML_GRID_LICENSE_FEATURE_MAX_COUNT; i++) {                               \
        blank((unsigned char *)&(to)->gridLicensableFeatures[i], FEATURE_SIZE(wanted), FEATURE_SIZE(source));                    \
    }

/* A newer answer needs memory of its own. */
#define GIVE_OLDER(wanted, source)                                                                                               \
    nvmlReturn_t nvp__compat_grid_##wanted##_from_##source(nvmlDevice_t device, void *features)                                  \
    {                                                                                                                            \
        grid_##wanted *to = features;                                                                                            \
        grid_##source from;                                                                                                      \
        from.isGridLicenseSupported = 0;                                                                                         \
        from.licensableFeaturesCount = 0;                                                                                        \
        nvmlReturn_t status = OWN_##source(device, to != NULL ? (void *)&from : NULL);                                           \
        if (status == NVML_SUCCESS && to != NULL) {                                                                              \
            to->isGridLicenseSupported = from.isGridLicenseSupported;                                                            \
            to->licensableFeaturesCount = count_of(from.licensableFeaturesCount);                                                \
            for (size_t i = 0; i < to->licensableFeaturesCount; i++) {                                                           \
                nvp__room_copy(&to->gridLicensableFeatures[i], &from.gridLicensableFeatures[i], FEATURE_SIZE(wanted));           \
                complete((unsigned char *)&to->gridLicensableFeatures[i], FEATURE_SIZE(wanted), FEATURE_SIZE(source));           \
            }                                                                                                                    \
            BLANK(to, wanted, source)                                                                                            \
        }                                                                                                                        \
        return status;                                                                                                           \
    }

/* An older answer is read into the caller's own struct and spread there from the last feature to the first, which is in its place. */
#define GIVE_NEWER(wanted, source)                                                                                               \
    nvmlReturn_t nvp__compat_grid_##wanted##_from_##source(nvmlDevice_t device, void *features)                                  \
    {                                                                                                                            \
        grid_##wanted *to = features;                                                                                            \
        nvmlReturn_t status = OWN_##source(device, features);                                                                    \
        if (status == NVML_SUCCESS && to != NULL) {                                                                              \
            to->licensableFeaturesCount = count_of(to->licensableFeaturesCount);                                                 \
            unsigned char *first = (unsigned char *)to->gridLicensableFeatures;                                                  \
            for (size_t i = to->licensableFeaturesCount; i-- > 0;) {                                                             \
                unsigned char *feature = first + i * FEATURE_SIZE(wanted);                                                       \
                if (i > 0) {                                                                                                     \
                    memmove(feature, first + i * FEATURE_SIZE(source), FEATURE_SIZE(source));                                    \
                }                                                                                                                \
                complete(feature, FEATURE_SIZE(wanted), FEATURE_SIZE(source));                                                   \
            }                                                                                                                    \
            BLANK(to, wanted, source)                                                                                            \
        }                                                                                                                        \
        return status;                                                                                                           \
    }

GIVE_OLDER(v1, v2)
GIVE_OLDER(v1, v3)
GIVE_OLDER(v1, v4)
GIVE_NEWER(v2, v1)
GIVE_OLDER(v2, v3)
GIVE_OLDER(v2, v4)
GIVE_NEWER(v3, v1)
GIVE_NEWER(v3, v2)
GIVE_OLDER(v3, v4)
GIVE_NEWER(v4, v1)
GIVE_NEWER(v4, v2)
GIVE_NEWER(v4, v3)

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
