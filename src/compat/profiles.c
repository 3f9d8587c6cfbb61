/*
 * Profiles of GPU instances and compute instances: without a version word, then with version 2 (adds a name) and version 3 (adds
 * capabilities; of a GPU instance they replace the word about peer to peer). A library may know 2 and refuse 3.
 */
#include "compat/adapters.h"

#include "compat/words.h"

#include <string.h>

/* What all versions of the profile of a GPU instance have. */
#define GI_COMMON(from)                                                                                                          \
    .id = (from)->id, .sliceCount = (from)->sliceCount, .instanceCount = (from)->instanceCount,                                  \
    .multiprocessorCount = (from)->multiprocessorCount, .copyEngineCount = (from)->copyEngineCount,                              \
    .decoderCount = (from)->decoderCount, .encoderCount = (from)->encoderCount, .jpegCount = (from)->jpegCount,                  \
    .ofaCount = (from)->ofaCount, .memorySizeMB = (from)->memorySizeMB

/* The same for a compute instance. */
#define CI_COMMON(from)                                                                                                          \
    .id = (from)->id, .sliceCount = (from)->sliceCount, .instanceCount = (from)->instanceCount,                                  \
    .multiprocessorCount = (from)->multiprocessorCount, .sharedCopyEngineCount = (from)->sharedCopyEngineCount,                  \
    .sharedDecoderCount = (from)->sharedDecoderCount, .sharedEncoderCount = (from)->sharedEncoderCount,                          \
    .sharedJpegCount = (from)->sharedJpegCount, .sharedOfaCount = (from)->sharedOfaCount

/* A caller's struct of either version, told apart by its word. */
union gi_profile {
    nvmlGpuInstanceProfileInfo_v2_t v2;
    nvmlGpuInstanceProfileInfo_v3_t v3;
};

union ci_profile {
    nvmlComputeInstanceProfileInfo_v2_t v2;
    nvmlComputeInstanceProfileInfo_v3_t v3;
};

static bool gi_word_is_known(unsigned int word)
{
    return word == nvmlGpuInstanceProfileInfo_v2 || word == nvmlGpuInstanceProfileInfo_v3;
}

static bool ci_word_is_known(unsigned int word)
{
    return word == nvmlComputeInstanceProfileInfo_v2 || word == nvmlComputeInstanceProfileInfo_v3;
}

static void gi_to_v3(nvmlGpuInstanceProfileInfo_v3_t *to, const nvmlGpuInstanceProfileInfo_v2_t *from)
{
    *to = (nvmlGpuInstanceProfileInfo_v3_t){ .version = nvmlGpuInstanceProfileInfo_v3,
                                             GI_COMMON(from),
                                             .capabilities = from->isP2pSupported != 0 ? NVML_GPU_INSTANCE_PROFILE_CAPS_P2P : 0 };
    memcpy(to->name, from->name, sizeof(to->name));
}

static void gi_to_v2(nvmlGpuInstanceProfileInfo_v2_t *to, const nvmlGpuInstanceProfileInfo_v3_t *from)
{
    *to = (nvmlGpuInstanceProfileInfo_v2_t){ .version = nvmlGpuInstanceProfileInfo_v2,
                                             GI_COMMON(from),
                                             .isP2pSupported = (from->capabilities & NVML_GPU_INSTANCE_PROFILE_CAPS_P2P) != 0 };
    memcpy(to->name, from->name, sizeof(to->name));
}

static void ci_to_v3(nvmlComputeInstanceProfileInfo_v3_t *to, const nvmlComputeInstanceProfileInfo_v2_t *from)
{
    *to = (nvmlComputeInstanceProfileInfo_v3_t){ .version = nvmlComputeInstanceProfileInfo_v3, CI_COMMON(from) };
    memcpy(to->name, from->name, sizeof(to->name));
}

static void ci_to_v2(nvmlComputeInstanceProfileInfo_v2_t *to, const nvmlComputeInstanceProfileInfo_v3_t *from)
{
    *to = (nvmlComputeInstanceProfileInfo_v2_t){ .version = nvmlComputeInstanceProfileInfo_v2, CI_COMMON(from) };
    memcpy(to->name, from->name, sizeof(to->name));
}

nvmlReturn_t nvp__compat_gi_profile_v_watched(nvmlDevice_t device, unsigned int profile, void *info)
{
    enum nvp__function_index index = NVP_FN_nvmlDeviceGetGpuInstanceProfileInfoV;
    union gi_profile *given = info;
    union gi_profile other;
    if (given == NULL || !gi_word_is_known(given->v2.version)) {
        return NVP__OWN(nvmlDeviceGetGpuInstanceProfileInfoV)(device, profile, info);
    }
    unsigned int word = given->v2.version;
    nvmlReturn_t first = nvp__word_known(index, word);
    first = first == NVML_SUCCESS ? NVP__OWN(nvmlDeviceGetGpuInstanceProfileInfoV)(device, profile, info) : first;
    if (!nvp__word_refused(first)) {
        return first;
    }
    bool is_v2 = word == nvmlGpuInstanceProfileInfo_v2;
    memset(&other, 0, sizeof(other));
    other.v2.version = is_v2 ? nvmlGpuInstanceProfileInfo_v3 : nvmlGpuInstanceProfileInfo_v2;
    nvmlReturn_t second = NVP__OWN(nvmlDeviceGetGpuInstanceProfileInfoV)(device, profile, &other.v2);
    if (second == NVML_SUCCESS && is_v2) {
        gi_to_v2(&given->v2, &other.v3);
    } else if (second == NVML_SUCCESS) {
        gi_to_v3(&given->v3, &other.v2);
    }
    return nvp__word_answer(index, word, first, second);
}

nvmlReturn_t nvp__compat_gi_profile_from_v(nvmlDevice_t device, unsigned int profile, nvmlGpuInstanceProfileInfo_t *info)
{
    nvmlGpuInstanceProfileInfo_v2_t newer = { .version = nvmlGpuInstanceProfileInfo_v2 };
    nvmlReturn_t status = nvp__compat_gi_profile_v_watched(device, profile, info != NULL ? &newer : NULL);
    if (status == NVML_SUCCESS && info != NULL) {
        *info = (nvmlGpuInstanceProfileInfo_t){ GI_COMMON(&newer), .isP2pSupported = newer.isP2pSupported };
    }
    return status;
}

nvmlReturn_t nvp__compat_gi_profile_v_from_plain(nvmlDevice_t device, unsigned int profile, void *info)
{
    union gi_profile *given = info;
    nvmlGpuInstanceProfileInfo_t plain = { 0 };
    if (given != NULL && !gi_word_is_known(given->v2.version)) {
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    }
    nvmlReturn_t status = NVP__OWN(nvmlDeviceGetGpuInstanceProfileInfo)(device, profile, given != NULL ? &plain : NULL);
    if (status == NVML_SUCCESS && given != NULL) {
        nvmlGpuInstanceProfileInfo_v2_t newer = { .version = nvmlGpuInstanceProfileInfo_v2,
                                                  GI_COMMON(&plain),
                                                  .isP2pSupported = plain.isP2pSupported };
        if (given->v2.version == nvmlGpuInstanceProfileInfo_v2) {
            given->v2 = newer;
        } else {
            gi_to_v3(&given->v3, &newer);
        }
    }
    return status;
}

static nvmlReturn_t gi_profile(nvmlDevice_t device, unsigned int profile, void *info)
{
    return nvp__exported_at(NVP_FN_nvmlDeviceGetGpuInstanceProfileInfoV) != NULL
               ? nvp__compat_gi_profile_v_watched(device, profile, info)
               : nvp__compat_gi_profile_v_from_plain(device, profile, info);
}

/* A profile that the device lacks is passed over. The id stands at the same place in both versions. */
nvmlReturn_t nvp__compat_gi_profile_by_id(nvmlDevice_t device, unsigned int profile_id, void *info)
{
    union gi_profile *given = info;
    nvmlReturn_t none = NVML_ERROR_INVALID_ARGUMENT;
    if (given == NULL || !gi_word_is_known(given->v2.version)) {
        return given == NULL ? NVML_ERROR_INVALID_ARGUMENT : NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    }
    for (unsigned int profile = 0; profile < NVML_GPU_INSTANCE_PROFILE_COUNT; profile++) {
        union gi_profile found;
        memset(&found, 0, sizeof(found));
        found.v2.version = given->v2.version;
        nvmlReturn_t status = gi_profile(device, profile, &found);
        if (status == NVML_SUCCESS && found.v2.id == profile_id) {
            *given = found;
            return NVML_SUCCESS;
        }
        if (status != NVML_SUCCESS && status != NVML_ERROR_NOT_SUPPORTED && status != NVML_ERROR_INVALID_ARGUMENT) {
            return status;
        }
        none = status == NVML_ERROR_NOT_SUPPORTED ? status : none;
    }
    return none;
}

nvmlReturn_t nvp__compat_ci_profile_v_watched(nvmlGpuInstance_t instance, unsigned int profile, unsigned int engine, void *info)
{
    enum nvp__function_index index = NVP_FN_nvmlGpuInstanceGetComputeInstanceProfileInfoV;
    union ci_profile *given = info;
    union ci_profile other;
    if (given == NULL || !ci_word_is_known(given->v2.version)) {
        return NVP__OWN(nvmlGpuInstanceGetComputeInstanceProfileInfoV)(instance, profile, engine, info);
    }
    unsigned int word = given->v2.version;
    nvmlReturn_t first = nvp__word_known(index, word);
    first =
        first == NVML_SUCCESS ? NVP__OWN(nvmlGpuInstanceGetComputeInstanceProfileInfoV)(instance, profile, engine, info) : first;
    if (!nvp__word_refused(first)) {
        return first;
    }
    bool is_v2 = word == nvmlComputeInstanceProfileInfo_v2;
    memset(&other, 0, sizeof(other));
    other.v2.version = is_v2 ? nvmlComputeInstanceProfileInfo_v3 : nvmlComputeInstanceProfileInfo_v2;
    nvmlReturn_t second = NVP__OWN(nvmlGpuInstanceGetComputeInstanceProfileInfoV)(instance, profile, engine, &other.v2);
    if (second == NVML_SUCCESS && is_v2) {
        ci_to_v2(&given->v2, &other.v3);
    } else if (second == NVML_SUCCESS) {
        ci_to_v3(&given->v3, &other.v2);
    }
    return nvp__word_answer(index, word, first, second);
}

nvmlReturn_t nvp__compat_ci_profile_from_v(nvmlGpuInstance_t instance, unsigned int profile, unsigned int engine,
                                           nvmlComputeInstanceProfileInfo_t *info)
{
    union ci_profile newer;
    memset(&newer, 0, sizeof(newer));
    newer.v2.version = nvmlComputeInstanceProfileInfo_v2;
    nvmlReturn_t status = nvp__compat_ci_profile_v_watched(instance, profile, engine, info != NULL ? &newer : NULL);
    if (status == NVML_SUCCESS && info != NULL) {
        *info = (nvmlComputeInstanceProfileInfo_t){ CI_COMMON(&newer.v2) };
    }
    return status;
}

nvmlReturn_t nvp__compat_ci_profile_v_from_plain(nvmlGpuInstance_t instance, unsigned int profile, unsigned int engine,
                                                 void *info)
{
    union ci_profile *given = info;
    nvmlComputeInstanceProfileInfo_t plain = { 0 };
    if (given != NULL && !ci_word_is_known(given->v2.version)) {
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    }
    nvmlReturn_t status =
        NVP__OWN(nvmlGpuInstanceGetComputeInstanceProfileInfo)(instance, profile, engine, given != NULL ? &plain : NULL);
    if (status == NVML_SUCCESS && given != NULL) {
        nvmlComputeInstanceProfileInfo_v2_t newer = { .version = nvmlComputeInstanceProfileInfo_v2, CI_COMMON(&plain) };
        if (given->v2.version == nvmlComputeInstanceProfileInfo_v2) {
            given->v2 = newer;
        } else {
            ci_to_v3(&given->v3, &newer);
        }
    }
    return status;
}
