/*
 * Answers about GPU instances, the parts that MIG cuts a GPU into. They can be looked at, not changed.
 */
#include <stdio.h>
#include <string.h>

#include "driver/instances.h"

/* Whether it is the first of the MIG devices in its GPU instance, which stands for that. */
static bool is_first(const nvpsim_device *device, const nvpsim_slice *slice)
{
    for (const nvpsim_slice *other = device->slices; other < slice; other++) {
        if (other->gpu_instance == slice->gpu_instance) {
            return false;
        }
    }
    return true;
}

static unsigned id_of(const nvpsim_mig_profile_spec *profile)
{
    return nvpsim__mig_or(profile->id, (unsigned)profile->number.value);
}

static unsigned memory_slices_of(const nvpsim_mig_profile_spec *profile)
{
    return nvpsim__mig_or(profile->memory_slices, nvpsim__mig_slices(profile));
}

/* SUCCESS when the device has MIG on; the instances of a profile are asked for only then. */
static nvmlReturn_t cut_check(const nvpsim_device *device, const void *out)
{
    if (!out) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    return nvpsim__is_cut(device) ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

/* A profile by the number that clients ask with; MIG need not be on. */
static nvmlReturn_t profile_find(nvmlDevice_t device, unsigned number, const void *out, const nvpsim_mig_profile_spec **profile)
{
    const nvpsim_device_spec *spec = nvpsim__device_of(device)->spec;
    if (!out || number >= nvpsim__driver_known[NVPSIM_KNOWN_GPU_INSTANCE_PROFILES]) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    for (size_t i = 0; i < spec->mig_profile_count; i++) {
        if (spec->mig_profiles[i].number.value == number) {
            *profile = &spec->mig_profiles[i];
            return NVML_SUCCESS;
        }
    }
    return NVML_ERROR_NOT_SUPPORTED;
}

static const nvpsim_mig_profile_spec *profile_by_id(const nvpsim_device *device, unsigned id)
{
    for (size_t i = 0; i < device->spec->mig_profile_count; i++) {
        if (id_of(&device->spec->mig_profiles[i]) == id) {
            return &device->spec->mig_profiles[i];
        }
    }
    return NULL;
}

static nvmlGpuInstanceProfileInfo_t profile_info(const nvpsim_mig_profile_spec *profile)
{
    return (nvmlGpuInstanceProfileInfo_t){ .id = id_of(profile),
                                           .isP2pSupported = 0,
                                           .sliceCount = nvpsim__mig_slices(profile),
                                           .instanceCount = nvpsim__mig_or(profile->instances, 1),
                                           .multiprocessorCount = nvpsim__mig_multiprocessors(profile),
                                           .copyEngineCount = (unsigned)profile->copy_engines.value,
                                           .decoderCount = (unsigned)profile->decoders.value,
                                           .encoderCount = (unsigned)profile->encoders.value,
                                           .jpegCount = (unsigned)profile->jpegs.value,
                                           .ofaCount = (unsigned)profile->ofas.value,
                                           .memorySizeMB = profile->memory_bytes.value >> 20 };
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetGpuInstanceProfileInfo(nvmlDevice_t device, unsigned int profile,
                                                               nvmlGpuInstanceProfileInfo_t *info)
{
    const nvpsim_mig_profile_spec *found;
    nvmlReturn_t result = profile_find(device, profile, info, &found);
    if (result == NVML_SUCCESS) {
        *info = profile_info(found);
    }
    return result;
}

/* Both versions have the same size; the third came later. */
static nvmlReturn_t profile_info_put(const nvpsim_mig_profile_spec *profile, nvmlGpuInstanceProfileInfo_v2_t *info)
{
    nvmlGpuInstanceProfileInfo_t plain = profile_info(profile);
    nvmlGpuInstanceProfileInfo_v2_t second = { .version = info->version,
                                               .id = plain.id,
                                               .isP2pSupported = plain.isP2pSupported,
                                               .sliceCount = plain.sliceCount,
                                               .instanceCount = plain.instanceCount,
                                               .multiprocessorCount = plain.multiprocessorCount,
                                               .copyEngineCount = plain.copyEngineCount,
                                               .decoderCount = plain.decoderCount,
                                               .encoderCount = plain.encoderCount,
                                               .jpegCount = plain.jpegCount,
                                               .ofaCount = plain.ofaCount,
                                               .memorySizeMB = plain.memorySizeMB };
    nvmlGpuInstanceProfileInfo_v3_t third = { .version = info->version,
                                              .id = plain.id,
                                              .sliceCount = plain.sliceCount,
                                              .instanceCount = plain.instanceCount,
                                              .multiprocessorCount = plain.multiprocessorCount,
                                              .copyEngineCount = plain.copyEngineCount,
                                              .decoderCount = plain.decoderCount,
                                              .encoderCount = plain.encoderCount,
                                              .jpegCount = plain.jpegCount,
                                              .ofaCount = plain.ofaCount,
                                              .memorySizeMB = plain.memorySizeMB };
    snprintf(second.name, sizeof second.name, "MIG %s", profile->name.bytes);
    snprintf(third.name, sizeof third.name, "MIG %s", profile->name.bytes);
    if (info->version == nvmlGpuInstanceProfileInfo_v2) {
        memcpy(info, &second, sizeof second);
    } else if (info->version == nvmlGpuInstanceProfileInfo_v3 && nvpsim__driver_since(545, 23, 6)) {
        memcpy(info, &third, sizeof third);
    } else {
        return nvpsim__version_mismatch();
    }
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetGpuInstanceProfileInfoV(nvmlDevice_t device, unsigned int profile,
                                                                nvmlGpuInstanceProfileInfo_v2_t *info)
{
    const nvpsim_mig_profile_spec *found;
    nvmlReturn_t result = profile_find(device, profile, info, &found);
    return result == NVML_SUCCESS ? profile_info_put(found, info) : result;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetGpuInstanceProfileInfoByIdV(nvmlDevice_t device, unsigned int profileId,
                                                                    nvmlGpuInstanceProfileInfo_v2_t *info)
{
    const nvpsim_mig_profile_spec *found = profile_by_id(nvpsim__device_of(device), profileId);
    if (!info) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    return found ? profile_info_put(found, info) : NVML_ERROR_NOT_SUPPORTED;
}

/* Places stand at multiples of their size; a 3-slice instance takes a half of the memory slices. */
static unsigned placements_of(const nvpsim_mig_profile_spec *profile, nvmlGpuInstancePlacement_t *placements)
{
    unsigned size = memory_slices_of(profile), most = nvpsim__mig_or(profile->instances, 1), count = 0;
    for (unsigned start = 0; count < most && start + size <= 8; start += size, count++) {
        if (placements) {
            placements[count] = (nvmlGpuInstancePlacement_t){ .start = start, .size = size };
        }
    }
    return count;
}

/* The count is told only: the caller must know how much room the array needs, and may ask without one in the second form. */
nvmlReturn_t nvpsim__serve_nvmlDeviceGetGpuInstancePossiblePlacements_v2(nvmlDevice_t device, unsigned int profileId,
                                                                         nvmlGpuInstancePlacement_t *placements,
                                                                         unsigned int *count)
{
    const nvpsim_mig_profile_spec *profile = profile_by_id(nvpsim__device_of(device), profileId);
    if (!count) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!profile) {
        return nvpsim__device_of(device)->spec->mig_profile_count > 0 ? NVML_ERROR_INVALID_ARGUMENT : NVML_ERROR_NOT_SUPPORTED;
    }
    *count = placements_of(profile, placements);
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetGpuInstancePossiblePlacements(nvmlDevice_t device, unsigned int profileId,
                                                                      nvmlGpuInstancePlacement_t *placements, unsigned int *count)
{
    nvmlReturn_t result = cut_check(nvpsim__device_of(device), placements);
    if (result != NVML_SUCCESS) {
        return result;
    }
    return nvpsim__serve_nvmlDeviceGetGpuInstancePossiblePlacements_v2(device, profileId, placements, count);
}

/* The GPU instances of a profile, by its id; their number. */
static unsigned instances_of(const nvpsim_device *device, unsigned profile_id, nvmlGpuInstance_t *out)
{
    const nvpsim_session *live = nvpsim__session();
    unsigned count = 0;
    for (size_t i = 0; live && i < live->slice_count; i++) {
        struct nvmlGpuInstance_st *instance = &live->gpu_instances[i];
        if (instance->index != device->index || !is_first(device, instance->slice) ||
            id_of(instance->slice->profile) != profile_id) {
            continue;
        }
        if (out) {
            out[count] = instance;
        }
        count++;
    }
    return count;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetGpuInstanceRemainingCapacity(nvmlDevice_t device, unsigned int profileId,
                                                                     unsigned int *count)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    const nvpsim_mig_profile_spec *profile = profile_by_id(own, profileId);
    nvmlReturn_t result = cut_check(own, count);
    if (result != NVML_SUCCESS) {
        return result;
    }
    if (!profile) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    unsigned used = 0;
    for (size_t i = 0; i < own->slice_count; i++) {
        used += is_first(own, &own->slices[i]) ? nvpsim__mig_slices(own->slices[i].profile) : 0;
    }
    unsigned left = used < 7 ? (7 - used) / nvpsim__mig_slices(profile) : 0, most = nvpsim__mig_or(profile->instances, 1);
    *count = left < most ? left : most;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetGpuInstances(nvmlDevice_t device, unsigned int profileId, nvmlGpuInstance_t *gpuInstances,
                                                     unsigned int *count)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    nvmlReturn_t result = cut_check(own, count);
    if (result != NVML_SUCCESS) {
        return result;
    }
    if (!gpuInstances || !profile_by_id(own, profileId)) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *count = instances_of(own, profileId, gpuInstances);
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetGpuInstanceById(nvmlDevice_t device, unsigned int id, nvmlGpuInstance_t *gpuInstance)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    const nvpsim_session *live = nvpsim__session();
    nvmlReturn_t result = cut_check(own, gpuInstance);
    if (result != NVML_SUCCESS) {
        return result;
    }
    for (size_t i = 0; live && i < live->slice_count; i++) {
        struct nvmlGpuInstance_st *instance = &live->gpu_instances[i];
        if (instance->index == own->index && instance->slice->gpu_instance == id && is_first(own, instance->slice)) {
            *gpuInstance = instance;
            return NVML_SUCCESS;
        }
    }
    return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvpsim__serve_nvmlGpuInstanceGetInfo(nvmlGpuInstance_t gpuInstance, nvmlGpuInstanceInfo_t *info)
{
    const struct nvmlGpuInstance_st *own = nvpsim__gpu_instance_find(gpuInstance);
    const nvpsim_session *live = nvpsim__session();
    if (!own || !info || !live) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *info = (nvmlGpuInstanceInfo_t){ .device = &live->handles[own->index],
                                     .id = own->slice->gpu_instance,
                                     .profileId = id_of(own->slice->profile),
                                     .placement = { .start = own->slice->start, .size = memory_slices_of(own->slice->profile) } };
    return NVML_SUCCESS;
}
