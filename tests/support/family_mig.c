/*
 * The driver that knows every version: MIG profiles, placements, instances and their attributes.
 */
#include "family.h"

enum { PROFILES = 4, PLACEMENTS = 5 };

/* Profiles 1 and 3 exist. */
static nvmlReturn_t profile_begin(nvmlReturn_t status, unsigned int profile)
{
    if (status == NVML_SUCCESS && profile >= PROFILES) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    return status == NVML_SUCCESS && profile % 2 == 0 ? NVML_ERROR_NOT_SUPPORTED : status;
}

/* The handle of GPU instance n has the value of that of device n - 1. */
nvmlReturn_t nvmlDeviceGetGpuInstanceById(nvmlDevice_t device, unsigned int id, nvmlGpuInstance_t *instance)
{
    nvmlReturn_t status = family_begin_device(device, instance);
    status = status == NVML_SUCCESS && (id < 1 || id > 2) ? NVML_ERROR_NOT_FOUND : status;
    if (status == NVML_SUCCESS) {
        *instance = (nvmlGpuInstance_t)(void *)FAMILY_DEVICE(id - 1);
    }
    return status;
}

nvmlReturn_t nvmlDeviceGetAttributes(nvmlDevice_t device, nvmlDeviceAttributes_t *attributes)
{
    FAMILY_GIVE(family_begin_device(device, attributes), attributes, nvp_DeviceAttributes_v1_t, 42, 3, 2, 1, 4, 5);
}

nvmlReturn_t nvmlDeviceGetAttributes_v2(nvmlDevice_t device, nvmlDeviceAttributes_t *attributes)
{
    FAMILY_GIVE(family_begin_device(device, attributes), attributes, nvmlDeviceAttributes_t, 42, 3, 2, 1, 4, 5, 3, 2, 20096);
}

nvmlReturn_t nvmlDeviceGetGpuInstanceProfileInfo(nvmlDevice_t device, unsigned int profile, nvmlGpuInstanceProfileInfo_t *info)
{
    FAMILY_GIVE(profile_begin(family_begin_device(device, info), profile), info, nvmlGpuInstanceProfileInfo_t, profile + 10, 1,
                profile, 7, 14, 1, 2, 3, 4, 5, 9856);
}

static nvmlReturn_t give_gi(nvmlReturn_t status, unsigned int profile, nvmlGpuInstanceProfileInfo_v2_t *info)
{
    status = profile_begin(status, profile);
    if (status == NVML_SUCCESS && info->version == nvmlGpuInstanceProfileInfo_v2) {
        FAMILY_GIVE(status, info, nvmlGpuInstanceProfileInfo_v2_t, info->version, profile + 10, 1, profile, 7, 14, 1, 2, 3, 4, 5,
                    9856, "MIG 1g.10gb");
    }
    FAMILY_GIVE(status, info, nvmlGpuInstanceProfileInfo_v3_t, info->version, profile + 10, profile, 7, 14, 1, 2, 3, 4, 5, 9856,
                "MIG 1g.10gb", NVML_GPU_INSTANCE_PROFILE_CAPS_P2P | NVML_GPU_INSTANCE_PROFILE_CAPS_GFX);
}

static nvmlReturn_t begin_gi(nvmlDevice_t device, const nvmlGpuInstanceProfileInfo_v2_t *info)
{
    nvmlReturn_t status = family_begin_device(device, info);
    return status == NVML_SUCCESS ? family_word(info->version, nvmlGpuInstanceProfileInfo_v2, nvmlGpuInstanceProfileInfo_v3)
                                  : status;
}

nvmlReturn_t nvmlDeviceGetGpuInstanceProfileInfoV(nvmlDevice_t device, unsigned int profile,
                                                  nvmlGpuInstanceProfileInfo_v2_t *info)
{
    return give_gi(begin_gi(device, info), profile, info);
}

nvmlReturn_t nvmlDeviceGetGpuInstanceProfileInfoByIdV(nvmlDevice_t device, unsigned int id, nvmlGpuInstanceProfileInfo_v2_t *info)
{
    nvmlReturn_t status = begin_gi(device, info);
    if (status == NVML_SUCCESS && id != 11 && id != 13) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    return give_gi(status, id - 10, info);
}

static nvmlReturn_t begin_ci(nvmlGpuInstance_t instance, const void *info)
{
    return instance == NULL ? NVML_ERROR_INVALID_ARGUMENT : family_begin(info);
}

nvmlReturn_t nvmlGpuInstanceGetComputeInstanceProfileInfo(nvmlGpuInstance_t instance, unsigned int profile, unsigned int engine,
                                                          nvmlComputeInstanceProfileInfo_t *info)
{
    FAMILY_GIVE(profile_begin(begin_ci(instance, info), profile), info, nvmlComputeInstanceProfileInfo_t, profile + 20,
                engine + 1, 7, 14, 1, 2, 3, 4, 5);
}

nvmlReturn_t nvmlGpuInstanceGetComputeInstanceProfileInfoV(nvmlGpuInstance_t instance, unsigned int profile, unsigned int engine,
                                                           nvmlComputeInstanceProfileInfo_v2_t *info)
{
    nvmlReturn_t status = begin_ci(instance, info);
    status = status == NVML_SUCCESS
                 ? family_word(info->version, nvmlComputeInstanceProfileInfo_v2, nvmlComputeInstanceProfileInfo_v3)
                 : status;
    status = profile_begin(status, profile);
    if (status == NVML_SUCCESS && info->version == nvmlComputeInstanceProfileInfo_v2) {
        FAMILY_GIVE(status, info, nvmlComputeInstanceProfileInfo_v2_t, info->version, profile + 20, engine + 1, 7, 14, 1, 2, 3, 4,
                    5, "MIG 1c.1g.10gb");
    }
    FAMILY_GIVE(status, info, nvmlComputeInstanceProfileInfo_v3_t, info->version, profile + 20, engine + 1, 7, 14, 1, 2, 3, 4, 5,
                "MIG 1c.1g.10gb", NVML_COMPUTE_INSTANCE_PROFILE_CAPS_GFX);
}

static nvmlReturn_t give_placements(nvmlReturn_t status, nvmlGpuInstancePlacement_t *placements, unsigned int *count)
{
    status = status == NVML_SUCCESS && count == NULL ? NVML_ERROR_INVALID_ARGUMENT : status;
    for (unsigned int i = 0; status == NVML_SUCCESS && placements != NULL && i < PLACEMENTS; i++) {
        placements[i] = (nvmlGpuInstancePlacement_t){ .start = i, .size = 2 };
    }
    if (status == NVML_SUCCESS) {
        *count = PLACEMENTS;
    }
    return status;
}

nvmlReturn_t nvmlDeviceGetGpuInstancePossiblePlacements(nvmlDevice_t device, unsigned int profile,
                                                        nvmlGpuInstancePlacement_t *placements, unsigned int *count)
{
    nvmlReturn_t status = family_begin_device(device, placements);
    return give_placements(status == NVML_SUCCESS && profile != 9 ? NVML_ERROR_NOT_SUPPORTED : status, placements, count);
}

nvmlReturn_t nvmlDeviceGetGpuInstancePossiblePlacements_v2(nvmlDevice_t device, unsigned int profile,
                                                           nvmlGpuInstancePlacement_t *placements, unsigned int *count)
{
    nvmlReturn_t status = family_begin_device(device, count);
    return give_placements(status == NVML_SUCCESS && profile != 9 ? NVML_ERROR_NOT_SUPPORTED : status, placements, count);
}

nvmlReturn_t nvmlComputeInstanceGetInfo(nvmlComputeInstance_t instance, nvmlComputeInstanceInfo_t *info)
{
    nvmlReturn_t status = instance == NULL ? NVML_ERROR_INVALID_ARGUMENT : family_begin(info);
    FAMILY_GIVE(status, info, nvp_ComputeInstanceInfo_v1_t, FAMILY_DEVICE(1), (nvmlGpuInstance_t)(void *)&family_devices[0], 2,
                7);
}

nvmlReturn_t nvmlComputeInstanceGetInfo_v2(nvmlComputeInstance_t instance, nvmlComputeInstanceInfo_t *info)
{
    nvmlReturn_t status = instance == NULL ? NVML_ERROR_INVALID_ARGUMENT : family_begin(info);
    FAMILY_GIVE(status, info, nvmlComputeInstanceInfo_t, FAMILY_DEVICE(1), (nvmlGpuInstance_t)(void *)&family_devices[0], 2, 7,
                { 4, 2 });
}
