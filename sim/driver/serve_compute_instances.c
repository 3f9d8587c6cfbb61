/*
 * Answers about compute instances, which MIG devices stand for. They can be looked at, not changed.
 */
#include <stdio.h>
#include <string.h>

#include "driver/instances.h"

static const struct nvmlComputeInstance_st *compute_instance_find(nvmlComputeInstance_t handle)
{
    const nvpsim_session *live = nvpsim__session();
    uintptr_t offset = live ? (uintptr_t)handle - (uintptr_t)live->compute_instances : 0;
    bool is_own = live && offset < live->slice_count * sizeof *handle && offset % sizeof *handle == 0;
    return is_own ? handle : NULL;
}

/* Compute slices of the profiles that clients ask for by number. */
static unsigned compute_slices_of(unsigned number)
{
    static const unsigned slices[] = { 1, 2, 3, 4, 7, 8, 6, 1, 7 };
    return number < sizeof slices / sizeof slices[0] ? slices[number] : 0;
}

/* The compute instance profile with as many slices. */
static unsigned compute_profile_of(unsigned slices)
{
    unsigned number = 0;
    while (compute_slices_of(number) != 0 && compute_slices_of(number) != slices) {
        number++;
    }
    return number;
}

static nvmlReturn_t compute_profile_info(nvmlGpuInstance_t gpuInstance, unsigned profile, unsigned engines, const void *out,
                                         nvmlComputeInstanceProfileInfo_t *info)
{
    const struct nvmlGpuInstance_st *own = nvpsim__gpu_instance_find(gpuInstance);
    if (!own || !out || profile >= nvpsim__driver_known[NVPSIM_KNOWN_COMPUTE_INSTANCE_PROFILES] ||
        engines >= NVML_COMPUTE_INSTANCE_ENGINE_PROFILE_COUNT) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    const nvpsim_mig_profile_spec *whole = own->slice->profile;
    unsigned slices = compute_slices_of(profile), all = nvpsim__mig_slices(whole);
    if (slices == 0 || slices > all || compute_profile_of(slices) != profile) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *info = (nvmlComputeInstanceProfileInfo_t){ .id = profile,
                                                .sliceCount = slices,
                                                .instanceCount = all / slices,
                                                .multiprocessorCount = nvpsim__mig_multiprocessors(whole) * slices / all,
                                                .sharedCopyEngineCount = (unsigned)whole->copy_engines.value,
                                                .sharedDecoderCount = (unsigned)whole->decoders.value,
                                                .sharedEncoderCount = (unsigned)whole->encoders.value,
                                                .sharedJpegCount = (unsigned)whole->jpegs.value,
                                                .sharedOfaCount = (unsigned)whole->ofas.value };
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlGpuInstanceGetComputeInstanceProfileInfo(nvmlGpuInstance_t gpuInstance, unsigned int profile,
                                                                        unsigned int engProfile,
                                                                        nvmlComputeInstanceProfileInfo_t *info)
{
    nvmlComputeInstanceProfileInfo_t plain;
    nvmlReturn_t result = compute_profile_info(gpuInstance, profile, engProfile, info, &plain);
    if (result == NVML_SUCCESS) {
        *info = plain;
    }
    return result;
}

/* The second form is the first with a word before it and a name after it; the third adds capabilities. */
nvmlReturn_t nvpsim__serve_nvmlGpuInstanceGetComputeInstanceProfileInfoV(nvmlGpuInstance_t gpuInstance, unsigned int profile,
                                                                         unsigned int engProfile,
                                                                         nvmlComputeInstanceProfileInfo_v2_t *info)
{
    nvmlComputeInstanceProfileInfo_t plain;
    nvmlReturn_t result = compute_profile_info(gpuInstance, profile, engProfile, info, &plain);
    if (result != NVML_SUCCESS) {
        return result;
    }
    bool is_third = info->version == nvmlComputeInstanceProfileInfo_v3 && nvpsim__driver_since(545, 23, 6);
    if (info->version != nvmlComputeInstanceProfileInfo_v2 && !is_third) {
        return nvpsim__version_mismatch();
    }
    nvmlComputeInstanceProfileInfo_v3_t third;
    memset(&third, 0, sizeof third);
    third.version = info->version;
    memcpy(&third.id, &plain, sizeof plain);
    const nvpsim_mig_profile_spec *whole = nvpsim__gpu_instance_find(gpuInstance)->slice->profile;
    if (plain.sliceCount == nvpsim__mig_slices(whole)) {
        snprintf(third.name, sizeof third.name, "MIG %s", whole->name.bytes);
    } else {
        snprintf(third.name, sizeof third.name, "MIG %uc.%s", plain.sliceCount, whole->name.bytes);
    }
    memcpy(info, &third, is_third ? sizeof third : sizeof(nvmlComputeInstanceProfileInfo_v2_t));
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlGpuInstanceGetComputeInstances(nvmlGpuInstance_t gpuInstance, unsigned int profileId,
                                                              nvmlComputeInstance_t *computeInstances, unsigned int *count)
{
    const struct nvmlGpuInstance_st *own = nvpsim__gpu_instance_find(gpuInstance);
    const nvpsim_session *live = nvpsim__session();
    if (!own || !computeInstances || !count || compute_slices_of(profileId) == 0) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    unsigned found = 0;
    for (size_t i = 0; live && i < live->slice_count; i++) {
        struct nvmlComputeInstance_st *instance = &live->compute_instances[i];
        if (instance->index == own->index && instance->slice->gpu_instance == own->slice->gpu_instance &&
            compute_profile_of(instance->slice->compute_slices) == profileId) {
            computeInstances[found++] = instance;
        }
    }
    *count = found;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlGpuInstanceGetComputeInstanceById(nvmlGpuInstance_t gpuInstance, unsigned int id,
                                                                 nvmlComputeInstance_t *computeInstance)
{
    const struct nvmlGpuInstance_st *own = nvpsim__gpu_instance_find(gpuInstance);
    const nvpsim_session *live = nvpsim__session();
    if (!own || !computeInstance) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    for (size_t i = 0; live && i < live->slice_count; i++) {
        struct nvmlComputeInstance_st *instance = &live->compute_instances[i];
        if (instance->index == own->index && instance->slice->gpu_instance == own->slice->gpu_instance &&
            instance->slice->compute_instance == id) {
            *computeInstance = instance;
            return NVML_SUCCESS;
        }
    }
    return NVML_ERROR_NOT_FOUND;
}

static struct nvmlGpuInstance_st *instance_of(const nvpsim_session *live, const struct nvmlComputeInstance_st *compute)
{
    for (size_t i = 0; i < live->slice_count; i++) {
        struct nvmlGpuInstance_st *instance = &live->gpu_instances[i];
        if (instance->index == compute->index && instance->slice->gpu_instance == compute->slice->gpu_instance) {
            return instance;
        }
    }
    return NULL;
}

nvmlReturn_t nvpsim__serve_nvmlComputeInstanceGetInfo_v2(nvmlComputeInstance_t computeInstance, nvmlComputeInstanceInfo_t *info)
{
    const struct nvmlComputeInstance_st *own = compute_instance_find(computeInstance);
    const nvpsim_session *live = nvpsim__session();
    if (!own || !info || !live) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *info = (nvmlComputeInstanceInfo_t){ .device = &live->handles[own->index],
                                         .gpuInstance = instance_of(live, own),
                                         .id = own->slice->compute_instance,
                                         .profileId = compute_profile_of(own->slice->compute_slices),
                                         .placement = { .start = 0, .size = own->slice->compute_slices } };
    return NVML_SUCCESS;
}

/* The first form ends before the placement: no more may be written. */
nvmlReturn_t nvpsim__serve_nvmlComputeInstanceGetInfo(nvmlComputeInstance_t computeInstance, nvmlComputeInstanceInfo_t *info)
{
    nvmlComputeInstanceInfo_t all;
    nvmlReturn_t result = nvpsim__serve_nvmlComputeInstanceGetInfo_v2(computeInstance, info ? &all : NULL);
    if (result == NVML_SUCCESS) {
        memcpy(info, &all, sizeof(nvp_ComputeInstanceInfo_v1_t));
    }
    return result;
}
