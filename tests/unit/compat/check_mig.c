/*
 * MIG: each call served by another one.
 */
#include "compare.h"

static nvmlGpuInstance_t instance; /* asked for before calls fail */

#define OF_PROFILE(function, object) function(device_at(0), 1, object)
#define OF_ID(function, object) function(device_at(0), 13, object)
#define OF_CI_PROFILE(function, object) function(instance, 3, 0, object)
#define OF_CI(function, object) function((nvmlComputeInstance_t)(void *)&instance, object)

static void attributes_v1(void **state)
{
    (void)state;
    CHECK_STRUCT(nvmlDeviceGetAttributes, nvp_DeviceAttributes_v1_t, OF_DEVICE, , );
}

static void attributes_v2(void **state)
{
    (void)state;
    CHECK_STRUCT(nvmlDeviceGetAttributes_v2, nvmlDeviceAttributes_t, OF_DEVICE, , {
        set_unknown("nvmlDeviceAttributes_t", object, "gpuInstanceSliceCount");
        set_unknown("nvmlDeviceAttributes_t", object, "computeInstanceSliceCount");
        set_unknown("nvmlDeviceAttributes_t", object, "memorySizeMB");
    });
}

static void gi_profile(void **state)
{
    nvmlGpuInstanceProfileInfo_t info;
    (void)state;
    CHECK_STRUCT(nvmlDeviceGetGpuInstanceProfileInfo, nvmlGpuInstanceProfileInfo_t, OF_PROFILE, , );
    assert_int_equal(nvp_nvmlDeviceGetGpuInstanceProfileInfo(device_at(0), 0, &info), NVML_ERROR_NOT_SUPPORTED);
    assert_int_equal(nvp_nvmlDeviceGetGpuInstanceProfileInfo(device_at(0), 99, &info), NVML_ERROR_INVALID_ARGUMENT);
}

static void gi_profile_v(void **state)
{
    (void)state;
    CHECK_STRUCT(nvmlDeviceGetGpuInstanceProfileInfoV, nvmlGpuInstanceProfileInfo_v2_t, OF_PROFILE,
                 object->version = nvmlGpuInstanceProfileInfo_v2, memset(object->name, 0, sizeof(object->name)));
    CHECK_STRUCT(nvmlDeviceGetGpuInstanceProfileInfoV, nvmlGpuInstanceProfileInfo_v3_t, OF_PROFILE,
                 object->version = nvmlGpuInstanceProfileInfo_v3, {
                     memset(object->name, 0, sizeof(object->name));
                     object->capabilities = NVML_GPU_INSTANCE_PROFILE_CAPS_P2P;
                 });
    CHECK_WORD(nvmlDeviceGetGpuInstanceProfileInfoV, nvmlGpuInstanceProfileInfo_v3_t, OF_PROFILE);
}

/* The plain call has no names, and of the capabilities only one. */
static void lose_by_id(char *name, unsigned int *capabilities)
{
    if (is_served_by("nvmlDeviceGetGpuInstanceProfileInfoByIdV", "nvmlDeviceGetGpuInstanceProfileInfo")) {
        memset(name, 0, NVML_DEVICE_NAME_V2_BUFFER_SIZE);
        *capabilities = NVML_GPU_INSTANCE_PROFILE_CAPS_P2P;
    }
}

static void gi_profile_by_id(void **state)
{
    nvmlGpuInstanceProfileInfo_v2_t info = { .version = nvmlGpuInstanceProfileInfo_v2 };
    unsigned int none;
    (void)state;
    CHECK_STRUCT(nvmlDeviceGetGpuInstanceProfileInfoByIdV, nvmlGpuInstanceProfileInfo_v2_t, OF_ID,
                 object->version = nvmlGpuInstanceProfileInfo_v2, lose_by_id(object->name, &none));
    CHECK_STRUCT(nvmlDeviceGetGpuInstanceProfileInfoByIdV, nvmlGpuInstanceProfileInfo_v3_t, OF_ID,
                 object->version = nvmlGpuInstanceProfileInfo_v3, lose_by_id(object->name, &object->capabilities));
    CHECK_WORD(nvmlDeviceGetGpuInstanceProfileInfoByIdV, nvmlGpuInstanceProfileInfo_v3_t, OF_ID);
    assert_int_equal(nvp_nvmlDeviceGetGpuInstanceProfileInfoByIdV(device_at(0), 12, &info), NVML_ERROR_NOT_SUPPORTED);
}

static void ci_profile(void **state)
{
    (void)state;
    instance = instance_of(1);
    CHECK_STRUCT(nvmlGpuInstanceGetComputeInstanceProfileInfo, nvmlComputeInstanceProfileInfo_t, OF_CI_PROFILE, , );
}

static void ci_profile_v(void **state)
{
    (void)state;
    instance = instance_of(1);
    CHECK_STRUCT(nvmlGpuInstanceGetComputeInstanceProfileInfoV, nvmlComputeInstanceProfileInfo_v2_t, OF_CI_PROFILE,
                 object->version = nvmlComputeInstanceProfileInfo_v2, memset(object->name, 0, sizeof(object->name)));
    CHECK_STRUCT(nvmlGpuInstanceGetComputeInstanceProfileInfoV, nvmlComputeInstanceProfileInfo_v3_t, OF_CI_PROFILE,
                 object->version = nvmlComputeInstanceProfileInfo_v3, {
                     memset(object->name, 0, sizeof(object->name));
                     object->capabilities = 0;
                 });
    CHECK_WORD(nvmlGpuInstanceGetComputeInstanceProfileInfoV, nvmlComputeInstanceProfileInfo_v3_t, OF_CI_PROFILE);
}

enum { PLACEMENTS = 5 };

static void placements_v1(void **state)
{
    nvmlGpuInstancePlacement_t placements[PLACEMENTS] = { 0 };
    unsigned int count = 0;
    (void)state;
    assert_int_equal(nvp_nvmlDeviceGetGpuInstancePossiblePlacements(device_at(0), 9, placements, &count), NVML_SUCCESS);
    assert_int_equal(count, PLACEMENTS);
    assert_int_equal(placements[4].start, 4);
    assert_int_equal(nvp_nvmlDeviceGetGpuInstancePossiblePlacements(device_at(0), 9, NULL, &count), NVML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(nvp_nvmlDeviceGetGpuInstancePossiblePlacements(device_at(0), 9, placements, NULL),
                     NVML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(nvp_nvmlDeviceGetGpuInstancePossiblePlacements(device_at(0), 8, placements, &count),
                     NVML_ERROR_NOT_SUPPORTED);
}

static void placements_v2(void **state)
{
    nvmlGpuInstancePlacement_t placements[PLACEMENTS + 1];
    unsigned int count = 0;
    (void)state;
    memset(placements, FILL, sizeof(placements));
    assert_int_equal(nvp_nvmlDeviceGetGpuInstancePossiblePlacements_v2(device_at(0), 9, NULL, &count), NVML_SUCCESS);
    assert_int_equal(count, PLACEMENTS);
    assert_int_equal(nvp_nvmlDeviceGetGpuInstancePossiblePlacements_v2(device_at(0), 9, placements, &count), NVML_SUCCESS);
    assert_int_equal(placements[4].start, 4);
    assert_int_equal(placements[4].size, 2);
    ASSERT_UNTOUCHED(&placements[PLACEMENTS], sizeof(placements[0]));
    assert_int_equal(nvp_nvmlDeviceGetGpuInstancePossiblePlacements_v2(device_at(0), 9, placements, NULL),
                     NVML_ERROR_INVALID_ARGUMENT);
    count = 77;
    assert_int_equal(nvp_nvmlDeviceGetGpuInstancePossiblePlacements_v2(device_at(0), 8, NULL, &count), NVML_ERROR_NOT_SUPPORTED);
    assert_int_equal(count, 77);
}

static void ci_info_v1(void **state)
{
    (void)state;
    CHECK_STRUCT(nvmlComputeInstanceGetInfo, nvp_ComputeInstanceInfo_v1_t, OF_CI, , );
}

static void ci_info_v2(void **state)
{
    (void)state;
    CHECK_STRUCT(nvmlComputeInstanceGetInfo_v2, nvmlComputeInstanceInfo_t, OF_CI, ,
                 set_unknown("nvmlComputeInstanceInfo_t", object, "placement"));
}

const struct check mig_checks[] = {
    { "nvmlDeviceGetAttributes", attributes_v1 },
    { "nvmlDeviceGetAttributes_v2", attributes_v2 },
    { "nvmlDeviceGetGpuInstanceProfileInfo", gi_profile },
    { "nvmlDeviceGetGpuInstanceProfileInfoV", gi_profile_v },
    { "nvmlDeviceGetGpuInstanceProfileInfoByIdV", gi_profile_by_id },
    { "nvmlGpuInstanceGetComputeInstanceProfileInfo", ci_profile },
    { "nvmlGpuInstanceGetComputeInstanceProfileInfoV", ci_profile_v },
    { "nvmlDeviceGetGpuInstancePossiblePlacements", placements_v1 },
    { "nvmlDeviceGetGpuInstancePossiblePlacements_v2", placements_v2 },
    { "nvmlComputeInstanceGetInfo", ci_info_v1 },
    { "nvmlComputeInstanceGetInfo_v2", ci_info_v2 },
    { NULL, NULL },
};
