/*
 * The driver that knows every version: licences, virtual GPUs, utilisation, the fabric.
 */
#include "family.h"

#define LICENCE_TEXT "Expiry: 2027-1-1 0:0:0 GMT"

nvmlReturn_t nvmlDeviceGetGridLicensableFeatures(nvmlDevice_t device, nvmlGridLicensableFeatures_t *features)
{
    FAMILY_GIVE(
        family_begin_device(device, features), features, nvp_GridLicensableFeatures_v2_t, 1, 2,
        { { NVML_GRID_LICENSE_FEATURE_CODE_VGPU, 1, LICENCE_TEXT }, { NVML_GRID_LICENSE_FEATURE_CODE_COMPUTE, 0, "none" } });
}

nvmlReturn_t nvmlDeviceGetGridLicensableFeatures_v2(nvmlDevice_t device, nvmlGridLicensableFeatures_t *features)
{
    FAMILY_GIVE(family_begin_device(device, features), features, nvp_GridLicensableFeatures_v3_t, 1, 2,
                { { NVML_GRID_LICENSE_FEATURE_CODE_VGPU, 1, LICENCE_TEXT, "vPC" },
                  { NVML_GRID_LICENSE_FEATURE_CODE_COMPUTE, 0, "none", "vCS" } });
}

nvmlReturn_t nvmlDeviceGetGridLicensableFeatures_v3(nvmlDevice_t device, nvmlGridLicensableFeatures_t *features)
{
    FAMILY_GIVE(family_begin_device(device, features), features, nvp_GridLicensableFeatures_v4_t, 1, 2,
                { { NVML_GRID_LICENSE_FEATURE_CODE_VGPU, 1, LICENCE_TEXT, "vPC", 1 },
                  { NVML_GRID_LICENSE_FEATURE_CODE_COMPUTE, 0, "none", "vCS", 0 } });
}

nvmlReturn_t nvmlDeviceGetGridLicensableFeatures_v4(nvmlDevice_t device, nvmlGridLicensableFeatures_t *features)
{
    FAMILY_GIVE(family_begin_device(device, features), features, nvmlGridLicensableFeatures_t, 1, 2,
                { { NVML_GRID_LICENSE_FEATURE_CODE_VGPU,
                    1,
                    LICENCE_TEXT,
                    "vPC",
                    1,
                    { 2027, 1, 1, 0, 0, 0, NVML_GRID_LICENSE_EXPIRY_VALID } },
                  { NVML_GRID_LICENSE_FEATURE_CODE_COMPUTE,
                    0,
                    "none",
                    "vCS",
                    0,
                    { 0, 0, 0, 0, 0, 0, NVML_GRID_LICENSE_EXPIRY_NOT_APPLICABLE } } });
}

/* Instances 11 and 13 belong to GPU instance 1, 12 to GPU instance 2; 11 is licensed. */
enum { INSTANCES = 3 };

static nvmlReturn_t begin_instance(nvmlVgpuInstance_t instance, const void *pointer)
{
    nvmlReturn_t status = family_begin(pointer);
    return status == NVML_SUCCESS && (instance < 11 || instance > 13) ? NVML_ERROR_NOT_FOUND : status;
}

nvmlReturn_t nvmlVgpuInstanceGetLicenseStatus(nvmlVgpuInstance_t instance, unsigned int *licensed)
{
    FAMILY_GIVE(begin_instance(instance, licensed), licensed, unsigned int, instance == 11);
}

nvmlReturn_t nvmlVgpuInstanceGetLicenseInfo(nvmlVgpuInstance_t instance, nvmlVgpuLicenseInfo_t *info)
{
    FAMILY_GIVE(begin_instance(instance, info), info, nvp_VgpuLicenseInfo_v1_t, instance == 11,
                { 2027, 1, 1, 0, 0, 0, NVML_GRID_LICENSE_EXPIRY_VALID });
}

nvmlReturn_t nvmlVgpuInstanceGetLicenseInfo_v2(nvmlVgpuInstance_t instance, nvmlVgpuLicenseInfo_t *info)
{
    FAMILY_GIVE(begin_instance(instance, info), info, nvmlVgpuLicenseInfo_t, instance == 11,
                { 2027, 1, 1, 0, 0, 0, NVML_GRID_LICENSE_EXPIRY_VALID },
                instance == 11 ? NVML_GRID_LICENSE_STATE_LICENSED : NVML_GRID_LICENSE_STATE_UNLICENSED_RESTRICTED);
}

nvmlReturn_t nvmlVgpuInstanceGetGpuInstanceId(nvmlVgpuInstance_t instance, unsigned int *id)
{
    FAMILY_GIVE(begin_instance(instance, id), id, unsigned int, instance == 12 ? 2 : 1);
}

nvmlReturn_t nvmlDeviceGetActiveVgpus(nvmlDevice_t device, unsigned int *count, nvmlVgpuInstance_t *instances)
{
    nvmlReturn_t status = family_begin_device(device, count);
    if (status == NVML_SUCCESS && *count < INSTANCES) {
        *count = INSTANCES;
        return NVML_ERROR_INSUFFICIENT_SIZE;
    }
    for (unsigned int i = 0; status == NVML_SUCCESS && i < INSTANCES; i++) {
        instances[i] = 11 + i;
    }
    if (status == NVML_SUCCESS) {
        *count = INSTANCES;
    }
    return status;
}

/* The handle of GPU instance n is the address of that byte. */
static unsigned int instance_id(nvmlGpuInstance_t instance)
{
    return (void *)instance == (void *)&family_devices[0] ? 1 : 2;
}

nvmlReturn_t nvmlGpuInstanceGetInfo(nvmlGpuInstance_t instance, nvmlGpuInstanceInfo_t *info)
{
    nvmlReturn_t status = instance == NULL ? NVML_ERROR_INVALID_ARGUMENT : family_begin(info);
    FAMILY_GIVE(status, info, nvmlGpuInstanceInfo_t, FAMILY_DEVICE(0), instance_id(instance), 11, { 0, 2 });
}

nvmlReturn_t nvmlGpuInstanceGetActiveVgpus(nvmlGpuInstance_t instance, nvmlActiveVgpuInstanceInfo_t *info)
{
    nvmlReturn_t status = instance == NULL ? NVML_ERROR_INVALID_ARGUMENT : family_begin(info);
    status = status == NVML_SUCCESS ? family_word(info->version, nvmlActiveVgpuInstanceInfo_v1, nvmlActiveVgpuInstanceInfo_v1)
                                    : status;
    if (status != NVML_SUCCESS) {
        return status;
    }
    unsigned int needed = instance_id(instance) == 1 ? 2 : 1;
    if (info->vgpuCount < needed) {
        info->vgpuCount = needed;
        return NVML_ERROR_INSUFFICIENT_SIZE;
    }
    info->vgpuCount = needed;
    info->vgpuInstances[0] = needed == 2 ? 11 : 12;
    if (needed == 2) {
        info->vgpuInstances[1] = 13;
    }
    return NVML_SUCCESS;
}

enum { SAMPLES = 70 }; /* more than an adapter keeps on its stack */

/* The longest member of each value is given, so that no byte of the union is left as it was. */

static nvmlReturn_t begin_samples(nvmlDevice_t device, unsigned int *count, const void *entries)
{
    nvmlReturn_t status = family_begin_device(device, count);
    if (status == NVML_SUCCESS && *count < SAMPLES) {
        *count = SAMPLES;
        return NVML_ERROR_INSUFFICIENT_SIZE;
    }
    status = status == NVML_SUCCESS && entries == NULL ? NVML_ERROR_INVALID_ARGUMENT : status;
    if (status == NVML_SUCCESS) {
        *count = SAMPLES;
    }
    return status;
}

nvmlReturn_t nvmlDeviceGetProcessUtilization(nvmlDevice_t device, nvmlProcessUtilizationSample_t *samples, unsigned int *count,
                                             unsigned long long since)
{
    nvmlReturn_t status = begin_samples(device, count, samples);
    for (unsigned int i = 0; status == NVML_SUCCESS && i < SAMPLES; i++) {
        samples[i] = (nvmlProcessUtilizationSample_t){ 1000 + i, since + i, i, i + 1, i + 2, i + 3 };
    }
    return status;
}

nvmlReturn_t nvmlDeviceGetProcessesUtilizationInfo(nvmlDevice_t device, nvmlProcessesUtilizationInfo_t *info)
{
    unsigned int word = nvmlProcessesUtilizationInfo_v1;
    nvmlReturn_t status = family_begin_device(device, info);
    status = status == NVML_SUCCESS ? family_word(info->version, word, word) : status;
    status = status == NVML_SUCCESS ? begin_samples(device, &info->processSamplesCount, info->procUtilArray) : status;
    for (unsigned int i = 0; status == NVML_SUCCESS && i < SAMPLES; i++) {
        info->procUtilArray[i] =
            (nvmlProcessUtilizationInfo_v1_t){ info->lastSeenTimeStamp + i, 1000 + i, i, i + 1, i + 2, i + 3, i + 4, i + 5 };
    }
    return status;
}

nvmlReturn_t nvmlDeviceGetVgpuProcessUtilization(nvmlDevice_t device, unsigned long long since, unsigned int *count,
                                                 nvmlVgpuProcessUtilizationSample_t *samples)
{
    nvmlReturn_t status = begin_samples(device, count, samples);
    for (unsigned int i = 0; status == NVML_SUCCESS && i < SAMPLES; i++) {
        samples[i] = (nvmlVgpuProcessUtilizationSample_t){ 11, 1000 + i, "game.exe", since + i, i, i + 1, i + 2, i + 3 };
    }
    return status;
}

nvmlReturn_t nvmlDeviceGetVgpuProcessesUtilizationInfo(nvmlDevice_t device, nvmlVgpuProcessesUtilizationInfo_t *info)
{
    unsigned int word = nvmlVgpuProcessesUtilizationInfo_v1;
    nvmlReturn_t status = family_begin_device(device, info);
    status = status == NVML_SUCCESS ? family_word(info->version, word, word) : status;
    status = status == NVML_SUCCESS ? begin_samples(device, &info->vgpuProcessCount, info->vgpuProcUtilArray) : status;
    for (unsigned int i = 0; status == NVML_SUCCESS && i < SAMPLES; i++) {
        info->vgpuProcUtilArray[i] = (nvmlVgpuProcessUtilizationInfo_v1_t){
            "game.exe", info->lastSeenTimeStamp + i, 11, 1000 + i, i, i + 1, i + 2, i + 3, i + 4, i + 5
        };
    }
    return status;
}

nvmlReturn_t nvmlDeviceGetVgpuUtilization(nvmlDevice_t device, unsigned long long since, nvmlValueType_t *type,
                                          unsigned int *count, nvmlVgpuInstanceUtilizationSample_t *samples)
{
    nvmlReturn_t status = type == NULL ? NVML_ERROR_INVALID_ARGUMENT : begin_samples(device, count, samples);
    for (unsigned int i = 0; status == NVML_SUCCESS && i < SAMPLES; i++) {
        samples[i] = (nvmlVgpuInstanceUtilizationSample_t){ 11 + i % 3,          since + i,           { .ullVal = i },
                                                            { .ullVal = i + 1 }, { .ullVal = i + 2 }, { .ullVal = i + 3 } };
    }
    if (status == NVML_SUCCESS) {
        *type = NVML_VALUE_TYPE_UNSIGNED_INT;
    }
    return status;
}

nvmlReturn_t nvmlDeviceGetVgpuInstancesUtilizationInfo(nvmlDevice_t device, nvmlVgpuInstancesUtilizationInfo_t *info)
{
    unsigned int word = nvmlVgpuInstancesUtilizationInfo_v1;
    nvmlReturn_t status = family_begin_device(device, info);
    status = status == NVML_SUCCESS ? family_word(info->version, word, word) : status;
    status = status == NVML_SUCCESS ? begin_samples(device, &info->vgpuInstanceCount, info->vgpuUtilArray) : status;
    for (unsigned int i = 0; status == NVML_SUCCESS && i < SAMPLES; i++) {
        info->vgpuUtilArray[i] =
            (nvmlVgpuInstanceUtilizationInfo_v1_t){ info->lastSeenTimeStamp + i, 11 + i % 3,          { .ullVal = i },
                                                    { .ullVal = i + 1 },         { .ullVal = i + 2 }, { .ullVal = i + 3 },
                                                    { .ullVal = i + 4 },         { .ullVal = i + 5 } };
    }
    if (status == NVML_SUCCESS) {
        info->sampleValType = NVML_VALUE_TYPE_UNSIGNED_INT;
    }
    return status;
}

static nvmlReturn_t give_places(nvmlDevice_t device, nvmlVgpuTypeId_t type, nvmlVgpuPlacementList_t *list, unsigned int first)
{
    nvmlReturn_t status = family_begin_device(device, list);
    status = status == NVML_SUCCESS && type != 500 ? NVML_ERROR_INVALID_ARGUMENT : status;
    status = status == NVML_SUCCESS ? family_word(list->version, nvmlVgpuPlacementList_v1, nvmlVgpuPlacementList_v2) : status;
    if (status != NVML_SUCCESS) {
        return status;
    }
    unsigned int needed = list->version == nvmlVgpuPlacementList_v2 && list->mode == NVML_VGPU_PGPU_HOMOGENEOUS_MODE ? 4 : 3;
    if (list->count < needed) {
        list->count = needed;
        return NVML_ERROR_INSUFFICIENT_SIZE;
    }
    for (unsigned int i = 0; i < needed; i++) {
        list->placementIds[i] = first + i * 8;
    }
    list->count = needed;
    list->placementSize = 8;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetVgpuTypeSupportedPlacements(nvmlDevice_t device, nvmlVgpuTypeId_t type, nvmlVgpuPlacementList_t *list)
{
    return give_places(device, type, list, 0);
}

nvmlReturn_t nvmlDeviceGetVgpuTypeCreatablePlacements(nvmlDevice_t device, nvmlVgpuTypeId_t type, nvmlVgpuPlacementList_t *list)
{
    return give_places(device, type, list, 8);
}

#define CLUSTER "\x01\x02\x00\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"

nvmlReturn_t nvmlDeviceGetGpuFabricInfo(nvmlDevice_t device, nvmlGpuFabricInfo_t *info)
{
    FAMILY_GIVE(family_begin_device(device, info), info, nvmlGpuFabricInfo_t, CLUSTER, NVML_SUCCESS, 9,
                NVML_GPU_FABRIC_STATE_COMPLETED);
}

nvmlReturn_t nvmlDeviceGetGpuFabricInfoV(nvmlDevice_t device, nvmlGpuFabricInfoV_t *info)
{
    nvmlReturn_t status = family_begin_device(device, info);
    status = status == NVML_SUCCESS ? family_word(info->version, nvmlGpuFabricInfo_v2, nvmlGpuFabricInfo_v3) : status;
    if (status == NVML_SUCCESS && info->version == nvmlGpuFabricInfo_v2) {
        FAMILY_GIVE(status, info, nvmlGpuFabricInfo_v2_t, info->version, CLUSTER, NVML_SUCCESS, 9,
                    NVML_GPU_FABRIC_STATE_COMPLETED, 0x55);
    }
    FAMILY_GIVE(status, info, nvmlGpuFabricInfo_v3_t, info->version, CLUSTER, NVML_SUCCESS, 9, NVML_GPU_FABRIC_STATE_COMPLETED,
                0x55, NVML_GPU_FABRIC_HEALTH_SUMMARY_HEALTHY);
}
