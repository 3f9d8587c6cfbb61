/*
 * Licences, virtual GPUs, utilisation, the fabric: each call served by another one.
 */
#include "compare.h"

/* The oldest version of the call that serves: 1 to 4. */
static int grid_version(const char *function)
{
    return is_served_by(function, "nvmlDeviceGetGridLicensableFeatures")      ? 1
           : is_served_by(function, "nvmlDeviceGetGridLicensableFeatures_v2") ? 2
           : is_served_by(function, "nvmlDeviceGetGridLicensableFeatures_v3") ? 3
                                                                              : 4;
}

static void grid_v1(void **state)
{
    (void)state;
    CHECK_STRUCT(nvmlDeviceGetGridLicensableFeatures, nvp_GridLicensableFeatures_v2_t, OF_DEVICE, , );
}

static void grid_v2(void **state)
{
    int version = grid_version("nvmlDeviceGetGridLicensableFeatures_v2");
    (void)state;
    CHECK_STRUCT(
        nvmlDeviceGetGridLicensableFeatures_v2, nvp_GridLicensableFeatures_v3_t, OF_DEVICE, ,
        for (int i = 0; version < 2 && i < 3; i++) { memset(object->gridLicensableFeatures[i].productName, 0, 128); });
}

static void grid_v3(void **state)
{
    int version = grid_version("nvmlDeviceGetGridLicensableFeatures_v3");
    (void)state;
    CHECK_STRUCT(
        nvmlDeviceGetGridLicensableFeatures_v3, nvp_GridLicensableFeatures_v4_t, OF_DEVICE, ,
        for (int i = 0; version < 3 && i < 3; i++) {
            memset(object->gridLicensableFeatures[i].productName, 0, version < 2 ? 128 : 0);
            object->gridLicensableFeatures[i].featureEnabled = ~0u;
        });
}

static void grid_v4(void **state)
{
    int version = grid_version("nvmlDeviceGetGridLicensableFeatures_v4");
    (void)state;
    CHECK_STRUCT(
        nvmlDeviceGetGridLicensableFeatures_v4, nvmlGridLicensableFeatures_t, OF_DEVICE, ,
        for (int i = 0; version < 4 && i < 3; i++) {
            nvmlGridLicensableFeature_t *feature = &object->gridLicensableFeatures[i];
            memset(feature->productName, 0, version < 2 ? 128 : 0);
            feature->featureEnabled = version < 3 ? ~0u : feature->featureEnabled;
            memset(&feature->licenseExpiry, 0, sizeof(feature->licenseExpiry));
        });
}

#define OF_INSTANCE(function, object) function(11, object)
#define OF_UNLICENSED(function, object) function(12, object)

static void licence_status(void **state)
{
    unsigned int licensed = 7;
    (void)state;
    CHECK_NUMBER(nvmlVgpuInstanceGetLicenseStatus, unsigned int, OF_INSTANCE);
    CHECK_NUMBER(nvmlVgpuInstanceGetLicenseStatus, unsigned int, OF_UNLICENSED);
    assert_int_equal(nvp_nvmlVgpuInstanceGetLicenseStatus(99, &licensed), NVML_ERROR_NOT_FOUND);
    assert_int_equal(licensed, 7);
}

static void lose_expiry(const char *function, nvmlVgpuLicenseExpiry_t *expiry)
{
    if (is_served_by(function, "nvmlVgpuInstanceGetLicenseStatus")) {
        memset(expiry, 0, sizeof(*expiry));
    }
}

static void licence_v1(void **state)
{
    (void)state;
    CHECK_STRUCT(nvmlVgpuInstanceGetLicenseInfo, nvp_VgpuLicenseInfo_v1_t, OF_INSTANCE, ,
                 lose_expiry("nvmlVgpuInstanceGetLicenseInfo", &object->licenseExpiry));
    CHECK_STRUCT(nvmlVgpuInstanceGetLicenseInfo, nvp_VgpuLicenseInfo_v1_t, OF_UNLICENSED, ,
                 lose_expiry("nvmlVgpuInstanceGetLicenseInfo", &object->licenseExpiry));
}

static void licence_v2(void **state)
{
    (void)state;
    CHECK_STRUCT(nvmlVgpuInstanceGetLicenseInfo_v2, nvmlVgpuLicenseInfo_t, OF_INSTANCE, ,
                 lose_expiry("nvmlVgpuInstanceGetLicenseInfo_v2", &object->licenseExpiry));
    CHECK_STRUCT(nvmlVgpuInstanceGetLicenseInfo_v2, nvmlVgpuLicenseInfo_t, OF_UNLICENSED, , {
        lose_expiry("nvmlVgpuInstanceGetLicenseInfo_v2", &object->licenseExpiry);
        object->currentState = NVML_GRID_LICENSE_STATE_UNKNOWN;
    });
}

static void active_vgpus(void **state)
{
    nvmlVgpuInstance_t instances[3] = { 7, 7, 7 };
    nvmlActiveVgpuInstanceInfo_t info = { .version = nvmlActiveVgpuInstanceInfo_v1 };
    (void)state;
    assert_int_equal(nvp_nvmlGpuInstanceGetActiveVgpus(instance_of(1), &info), NVML_ERROR_INSUFFICIENT_SIZE);
    assert_int_equal(info.vgpuCount, 2);
    info.vgpuInstances = instances;
    assert_int_equal(nvp_nvmlGpuInstanceGetActiveVgpus(instance_of(1), &info), NVML_SUCCESS);
    assert_int_equal(info.vgpuCount, 2);
    assert_true(instances[0] == 11 && instances[1] == 13 && instances[2] == 7);
    info.vgpuCount = 3;
    assert_int_equal(nvp_nvmlGpuInstanceGetActiveVgpus(instance_of(2), &info), NVML_SUCCESS);
    assert_int_equal(info.vgpuCount, 1);
    assert_true(instances[0] == 12 && instances[1] == 13);
    assert_int_equal(nvp_nvmlGpuInstanceGetActiveVgpus(NULL, &info), NVML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(nvp_nvmlGpuInstanceGetActiveVgpus(instance_of(1), NULL), NVML_ERROR_INVALID_ARGUMENT);
    info.version = 1;
    assert_int_equal(nvp_nvmlGpuInstanceGetActiveVgpus(instance_of(1), &info), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
}

static void fabric_v1(void **state)
{
    (void)state;
    CHECK_STRUCT(nvmlDeviceGetGpuFabricInfo, nvmlGpuFabricInfo_t, OF_DEVICE, , );
}

static void fabric_v(void **state)
{
    (void)state;
    CHECK_STRUCT(nvmlDeviceGetGpuFabricInfoV, nvmlGpuFabricInfo_v2_t, OF_DEVICE, object->version = nvmlGpuFabricInfo_v2,
                 object->healthMask = 0);
    CHECK_STRUCT(nvmlDeviceGetGpuFabricInfoV, nvmlGpuFabricInfo_v3_t, OF_DEVICE, object->version = nvmlGpuFabricInfo_v3, {
        object->healthMask = 0;
        object->healthSummary = NVML_GPU_FABRIC_HEALTH_SUMMARY_NOT_SUPPORTED;
    });
    CHECK_WORD(nvmlDeviceGetGpuFabricInfoV, nvmlGpuFabricInfo_v3_t, OF_DEVICE);
}

const struct check vgpu_checks[] = {
    { "nvmlDeviceGetGridLicensableFeatures", grid_v1 },
    { "nvmlDeviceGetGridLicensableFeatures_v2", grid_v2 },
    { "nvmlDeviceGetGridLicensableFeatures_v3", grid_v3 },
    { "nvmlDeviceGetGridLicensableFeatures_v4", grid_v4 },
    { "nvmlVgpuInstanceGetLicenseStatus", licence_status },
    { "nvmlVgpuInstanceGetLicenseInfo", licence_v1 },
    { "nvmlVgpuInstanceGetLicenseInfo_v2", licence_v2 },
    { "nvmlGpuInstanceGetActiveVgpus", active_vgpus },
    { "nvmlDeviceGetGpuFabricInfo", fabric_v1 },
    { "nvmlDeviceGetGpuFabricInfoV", fabric_v },
    { NULL, NULL },
};
