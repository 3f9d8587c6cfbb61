/*
 * Answers about vGPU licences of a guest. One call for each layout of the list: a feature grew at its end three times.
 */
#include <stdio.h>
#include <string.h>

#include "driver/serve.h"

static bool is_guest(const nvpsim_device *device)
{
    const nvpsim_number *mode = &device->spec->virtualization;
    return mode->state == NVPSIM_GIVEN && mode->value == NVML_GPU_VIRTUALIZATION_MODE_VGPU;
}

static void feature_fill(const nvpsim_device_spec *spec, nvmlGridLicensableFeature_t *feature)
{
    bool is_licensed = spec->license_state.state == NVPSIM_GIVEN && spec->license_state.value;
    feature->featureCode = NVML_GRID_LICENSE_FEATURE_CODE_COMPUTE;
    feature->featureState = is_licensed;
    feature->featureEnabled = 1;
    snprintf(feature->licenseInfo, sizeof feature->licenseInfo, "%s", is_licensed ? "Licensed" : "Unlicensed");
    snprintf(feature->productName, sizeof feature->productName, "%s",
             spec->license_product.state == NVPSIM_GIVEN ? spec->license_product.bytes : "NVIDIA Virtual Compute Server");
    feature->licenseExpiry.status = is_licensed ? NVML_GRID_LICENSE_EXPIRY_PERMANENT : NVML_GRID_LICENSE_EXPIRY_NOT_APPLICABLE;
}

/* `feature_size`: bytes of a feature in the layout of the call. Of each feature, its beginning is written. */
static nvmlReturn_t features_put(nvmlDevice_t device, void *out, size_t feature_size)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    nvmlGridLicensableFeatures_t all;
    if (!out) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    memset(&all, 0, sizeof all);
    if (is_guest(own)) {
        all.isGridLicenseSupported = 1;
        all.licensableFeaturesCount = 1;
        feature_fill(own->spec, &all.gridLicensableFeatures[0]);
    }
    size_t head = offsetof(nvmlGridLicensableFeatures_t, gridLicensableFeatures);
    memcpy(out, &all, head);
    for (size_t i = 0; i < NVML_GRID_LICENSE_FEATURE_MAX_COUNT; i++) {
        memcpy((char *)out + head + i * feature_size, &all.gridLicensableFeatures[i], feature_size);
    }
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetGridLicensableFeatures(nvmlDevice_t device,
                                                               nvmlGridLicensableFeatures_t *pGridLicensableFeatures)
{
    return features_put(device, pGridLicensableFeatures, sizeof(nvp_GridLicensableFeature_v2_t));
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetGridLicensableFeatures_v2(nvmlDevice_t device,
                                                                  nvmlGridLicensableFeatures_t *pGridLicensableFeatures)
{
    return features_put(device, pGridLicensableFeatures, sizeof(nvp_GridLicensableFeature_v3_t));
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetGridLicensableFeatures_v3(nvmlDevice_t device,
                                                                  nvmlGridLicensableFeatures_t *pGridLicensableFeatures)
{
    return features_put(device, pGridLicensableFeatures, sizeof(nvp_GridLicensableFeature_v4_t));
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetGridLicensableFeatures_v4(nvmlDevice_t device,
                                                                  nvmlGridLicensableFeatures_t *pGridLicensableFeatures)
{
    return features_put(device, pGridLicensableFeatures, sizeof(nvmlGridLicensableFeature_t));
}
