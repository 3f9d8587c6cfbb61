/*
 * Licences: of a device (four structs under one name, by the version of the call), and of a virtual GPU.
 */
#include "compat/adapters.h"

#include "base/compiler.h"
#include "compat/driver.h"

#include <stddef.h>
#include <stdint.h>
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

/* The offsets of a feature. Each older form is the beginning of the newer one: what it lacks is behind its end. */
enum {
    AT_LICENCE = offsetof(nvmlGridLicensableFeature_t, licenseInfo),
    AT_NAME = offsetof(nvmlGridLicensableFeature_t, productName),
    AT_ENABLED = offsetof(nvmlGridLicensableFeature_t, featureEnabled),
    AT_EXPIRY = offsetof(nvmlGridLicensableFeature_t, licenseExpiry)
};

typedef uint8_t chunk __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));

/* A text up to its end, chunk by chunk: it is short, and to move all of its room takes longer than the driver call. */
static NVP__INLINE void put_text(unsigned char *to, const unsigned char *from)
{
    for (size_t at = 0; at < NVML_GRID_LICENSE_BUFFER_SIZE; at += sizeof(chunk)) {
        chunk bytes;
        memcpy(&bytes, from + at, sizeof(bytes));
        memcpy(to + at, &bytes, sizeof(bytes));
        halves zeros = (halves)(bytes == 0);
        if ((zeros[0] | zeros[1]) != 0) {
            break;
        }
    }
    to[NVML_GRID_LICENSE_BUFFER_SIZE - 1] = '\0';
}

/* A feature of `size` bytes, of which the library has given the first `given`; the rest is not available. */
static NVP__INLINE void put_feature(unsigned char *to, size_t size, const unsigned char *from, size_t given)
{
    const unsigned int unknown = NVP__COMPAT_UNKNOWN_U32;
    const nvmlGridLicenseExpiry_t no_expiry = { .status = NVML_GRID_LICENSE_EXPIRY_NOT_AVAILABLE };
    memcpy(to, from, AT_LICENCE);
    put_text(to + AT_LICENCE, from + AT_LICENCE);
    if (size > AT_NAME && given > AT_NAME) {
        put_text(to + AT_NAME, from + AT_NAME);
    } else if (size > AT_NAME) {
        to[AT_NAME] = '\0';
    }
    if (size > AT_ENABLED) {
        memcpy(to + AT_ENABLED, given > AT_ENABLED ? from + AT_ENABLED : (const unsigned char *)&unknown, sizeof(unknown));
    }
    if (size > AT_EXPIRY) {
        memcpy(to + AT_EXPIRY, given > AT_EXPIRY ? from + AT_EXPIRY : (const unsigned char *)&no_expiry, sizeof(no_expiry));
    }
}

/* The structs have room for so many: a caller that believes a larger number reads past their end. */
static NVP__INLINE unsigned int count_of(unsigned int said)
{
    return said < NVML_GRID_LICENSE_FEATURE_MAX_COUNT ? said : NVML_GRID_LICENSE_FEATURE_MAX_COUNT;
}

static const nvmlGridLicensableFeature_t no_feature;

#define GIVE(wanted, source)                                                                                                     \
    nvmlReturn_t nvp__compat_grid_##wanted##_from_##source(nvmlDevice_t device, void *features)                                  \
    {                                                                                                                            \
        grid_##wanted *to = features;                                                                                            \
        grid_##source from;                                                                                                      \
        from.isGridLicenseSupported = 0;                                                                                         \
        from.licensableFeaturesCount = 0;                                                                                        \
        nvmlReturn_t status = OWN_##source(device, to != NULL ? (void *)&from : NULL);                                           \
        if (status == NVML_SUCCESS && to != NULL) {                                                                              \
            const unsigned int count = count_of(from.licensableFeaturesCount);                                                   \
            to->isGridLicenseSupported = from.isGridLicenseSupported;                                                            \
            to->licensableFeaturesCount = count;                                                                                 \
            for (size_t i = 0; i < NVML_GRID_LICENSE_FEATURE_MAX_COUNT; i++) {                                                   \
                const void *given = i < count ? (const void *)&from.gridLicensableFeatures[i] : &no_feature;                     \
                put_feature((unsigned char *)&to->gridLicensableFeatures[i], FEATURE_SIZE(wanted), given, FEATURE_SIZE(source)); \
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
