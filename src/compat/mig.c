/*
 * MIG: attributes of a slice, where instances can be placed, where a compute instance is.
 */
#include "compat/adapters.h"

#include "base/compiler.h"
#include "compat/driver.h"
#include "compat/room.h"

#include <string.h>

/* Far above the seven or eight places that a GPU has: the older call does not ask how much room there is. */
#define PLACEMENTS_MAX 64

nvmlReturn_t nvp__compat_attributes_v1_from_v2(nvmlDevice_t device, nvp_DeviceAttributes_v1_t *attributes)
{
    nvmlDeviceAttributes_t newer = { 0 };
    nvmlReturn_t status = NVP__OWN(nvmlDeviceGetAttributes_v2)(device, attributes != NULL ? &newer : NULL);
    if (status == NVML_SUCCESS && attributes != NULL) {
        *attributes = (nvp_DeviceAttributes_v1_t){ .multiprocessorCount = newer.multiprocessorCount,
                                                   .sharedCopyEngineCount = newer.sharedCopyEngineCount,
                                                   .sharedDecoderCount = newer.sharedDecoderCount,
                                                   .sharedEncoderCount = newer.sharedEncoderCount,
                                                   .sharedJpegCount = newer.sharedJpegCount,
                                                   .sharedOfaCount = newer.sharedOfaCount };
    }
    return status;
}

nvmlReturn_t nvp__compat_attributes_v2_from_v1(nvmlDevice_t device, nvmlDeviceAttributes_t *attributes)
{
    nvp_DeviceAttributes_v1_t older = { 0 };
    nvmlReturn_t status = NVP__OWN(nvmlDeviceGetAttributes)(device, attributes != NULL ? (void *)&older : NULL);
    if (status == NVML_SUCCESS && attributes != NULL) {
        *attributes = (nvmlDeviceAttributes_t){ .multiprocessorCount = older.multiprocessorCount,
                                                .sharedCopyEngineCount = older.sharedCopyEngineCount,
                                                .sharedDecoderCount = older.sharedDecoderCount,
                                                .sharedEncoderCount = older.sharedEncoderCount,
                                                .sharedJpegCount = older.sharedJpegCount,
                                                .sharedOfaCount = older.sharedOfaCount,
                                                .gpuInstanceSliceCount = NVP__COMPAT_UNKNOWN_U32,
                                                .computeInstanceSliceCount = NVP__COMPAT_UNKNOWN_U32,
                                                .memorySizeMB = NVP__COMPAT_UNKNOWN_U64 };
    }
    return status;
}

/* v1 has no sizing call: a missing buffer is a mistake. */
nvmlReturn_t nvp__compat_placements_v1_from_v2(nvmlDevice_t device, unsigned int profile_id,
                                               nvmlGpuInstancePlacement_t *placements, unsigned int *count)
{
    return placements != NULL ? NVP__OWN(nvmlDeviceGetGpuInstancePossiblePlacements_v2)(device, profile_id, placements, count)
                              : NVML_ERROR_INVALID_ARGUMENT;
}

static bool is_written(const nvmlGpuInstancePlacement_t *placement)
{
    return placement->start != NVP__COMPAT_UNKNOWN_U32 || placement->size != NVP__COMPAT_UNKNOWN_U32;
}

/*
 * v2 may be asked for the count alone, and v1 writes all that there are: it gets a buffer that no count can overrun. A caller of v2 has
 * room for as many as it was told of, so that a count is taken for no more than what was written.
 */
nvmlReturn_t nvp__compat_placements_v2_from_v1(nvmlDevice_t device, unsigned int profile_id,
                                               nvmlGpuInstancePlacement_t *placements, unsigned int *count)
{
    nvmlGpuInstancePlacement_t found[PLACEMENTS_MAX];
    unsigned int number = 0;
    nvp__room_fill(found, 0xff, sizeof(found));
    nvmlReturn_t status =
        NVP__OWN(nvmlDeviceGetGpuInstancePossiblePlacements)(device, profile_id, found, count != NULL ? &number : NULL);
    if (status == NVML_SUCCESS && count != NULL) {
        number = number < PLACEMENTS_MAX ? number : PLACEMENTS_MAX;
        while (number > 0 && !is_written(&found[number - 1])) {
            number--;
        }
        if (placements != NULL) {
            memcpy(placements, found, number * sizeof(found[0]));
        }
        *count = number;
    }
    return status;
}

nvmlReturn_t nvp__compat_ci_info_v1_from_v2(nvmlComputeInstance_t instance, nvp_ComputeInstanceInfo_v1_t *info)
{
    nvmlComputeInstanceInfo_t newer = { 0 };
    nvmlReturn_t status = NVP__OWN(nvmlComputeInstanceGetInfo_v2)(instance, info != NULL ? &newer : NULL);
    if (status == NVML_SUCCESS && info != NULL) {
        *info = (nvp_ComputeInstanceInfo_v1_t){
            .device = newer.device, .gpuInstance = newer.gpuInstance, .id = newer.id, .profileId = newer.profileId
        };
    }
    return status;
}

nvmlReturn_t nvp__compat_ci_info_v2_from_v1(nvmlComputeInstance_t instance, nvmlComputeInstanceInfo_t *info)
{
    nvp_ComputeInstanceInfo_v1_t older = { 0 };
    nvmlReturn_t status = NVP__OWN(nvmlComputeInstanceGetInfo)(instance, info != NULL ? (void *)&older : NULL);
    if (status == NVML_SUCCESS && info != NULL) {
        *info = (nvmlComputeInstanceInfo_t){ .device = older.device,
                                             .gpuInstance = older.gpuInstance,
                                             .id = older.id,
                                             .profileId = older.profileId,
                                             .placement = { .start = NVP__COMPAT_UNKNOWN_U32, .size = NVP__COMPAT_UNKNOWN_U32 } };
    }
    return status;
}
