/*
 * Profiles of GPU instances and compute instances: without a version word, then with version 2 (adds a name) and version 3 (adds
 * capabilities; of a GPU instance they replace the word about peer to peer). A library may know 2 and refuse 3.
 */
#include "compat/adapters.h"

#include "compat/room.h"
#include "compat/words.h"

#include <string.h>

/* What all versions of the profile of a GPU instance have. */
#define GI_COPY(to, from)                                                                                                        \
    do {                                                                                                                         \
        (to)->id = (from)->id;                                                                                                   \
        (to)->sliceCount = (from)->sliceCount;                                                                                   \
        (to)->instanceCount = (from)->instanceCount;                                                                             \
        (to)->multiprocessorCount = (from)->multiprocessorCount;                                                                 \
        (to)->copyEngineCount = (from)->copyEngineCount;                                                                         \
        (to)->decoderCount = (from)->decoderCount;                                                                               \
        (to)->encoderCount = (from)->encoderCount;                                                                               \
        (to)->jpegCount = (from)->jpegCount;                                                                                     \
        (to)->ofaCount = (from)->ofaCount;                                                                                       \
        (to)->memorySizeMB = (from)->memorySizeMB;                                                                               \
    } while (0)

/* Of what became a set of capabilities the older versions have one. */
#define GI_CAPABILITIES(from) ((from)->isP2pSupported != 0 ? NVML_GPU_INSTANCE_PROFILE_CAPS_P2P : 0)

/* What all versions of the profile of a compute instance have. */
#define CI_COPY(to, from)                                                                                                        \
    do {                                                                                                                         \
        (to)->id = (from)->id;                                                                                                   \
        (to)->sliceCount = (from)->sliceCount;                                                                                   \
        (to)->instanceCount = (from)->instanceCount;                                                                             \
        (to)->multiprocessorCount = (from)->multiprocessorCount;                                                                 \
        (to)->sharedCopyEngineCount = (from)->sharedCopyEngineCount;                                                             \
        (to)->sharedDecoderCount = (from)->sharedDecoderCount;                                                                   \
        (to)->sharedEncoderCount = (from)->sharedEncoderCount;                                                                   \
        (to)->sharedJpegCount = (from)->sharedJpegCount;                                                                         \
        (to)->sharedOfaCount = (from)->sharedOfaCount;                                                                           \
    } while (0)

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
    to->version = nvmlGpuInstanceProfileInfo_v3;
    GI_COPY(to, from);
    memcpy(to->name, from->name, sizeof(to->name));
    to->capabilities = GI_CAPABILITIES(from);
}

static void gi_to_v2(nvmlGpuInstanceProfileInfo_v2_t *to, const nvmlGpuInstanceProfileInfo_v3_t *from)
{
    to->version = nvmlGpuInstanceProfileInfo_v2;
    GI_COPY(to, from);
    memcpy(to->name, from->name, sizeof(to->name));
    to->isP2pSupported = (from->capabilities & NVML_GPU_INSTANCE_PROFILE_CAPS_P2P) != 0;
}

static void ci_to_v3(nvmlComputeInstanceProfileInfo_v3_t *to, const nvmlComputeInstanceProfileInfo_v2_t *from)
{
    to->version = nvmlComputeInstanceProfileInfo_v3;
    CI_COPY(to, from);
    memcpy(to->name, from->name, sizeof(to->name));
    to->capabilities = 0;
}

static void ci_to_v2(nvmlComputeInstanceProfileInfo_v2_t *to, const nvmlComputeInstanceProfileInfo_v3_t *from)
{
    to->version = nvmlComputeInstanceProfileInfo_v2;
    CI_COPY(to, from);
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
    nvp__room_fill(&other, 0, sizeof(other));
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
    nvmlGpuInstanceProfileInfo_v2_t newer;
    nvp__room_fill(&newer, 0, sizeof(newer));
    newer.version = nvmlGpuInstanceProfileInfo_v2;
    nvmlReturn_t status = nvp__compat_gi_profile_v_watched(device, profile, info != NULL ? &newer : NULL);
    if (status == NVML_SUCCESS && info != NULL) {
        GI_COPY(info, &newer);
        info->isP2pSupported = newer.isP2pSupported;
    }
    return status;
}

/* The version word is the caller's. */
static void gi_from_plain(union gi_profile *to, const nvmlGpuInstanceProfileInfo_t *plain)
{
    if (to->v2.version == nvmlGpuInstanceProfileInfo_v2) {
        GI_COPY(&to->v2, plain);
        nvp__room_fill(to->v2.name, 0, sizeof(to->v2.name));
        to->v2.isP2pSupported = plain->isP2pSupported;
    } else {
        GI_COPY(&to->v3, plain);
        nvp__room_fill(to->v3.name, 0, sizeof(to->v3.name));
        to->v3.capabilities = GI_CAPABILITIES(plain);
    }
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
        gi_from_plain(given, &plain);
    }
    return status;
}

/* The profile of that id, in `plain` or else in `given`. One that the device lacks is passed over. */
static nvmlReturn_t gi_look_for(nvmlDevice_t device, unsigned int profile_id, nvmlGpuInstanceProfileInfo_t *plain,
                                union gi_profile *given)
{
    nvmlReturn_t none = NVML_ERROR_INVALID_ARGUMENT;
    for (unsigned int profile = 0; profile < NVML_GPU_INSTANCE_PROFILE_COUNT; profile++) {
        nvmlReturn_t status = plain != NULL ? NVP__OWN(nvmlDeviceGetGpuInstanceProfileInfo)(device, profile, plain)
                                            : nvp__compat_gi_profile_v_watched(device, profile, given);
        if (status == NVML_SUCCESS && (plain != NULL ? plain->id : given->v2.id) == profile_id) {
            return NVML_SUCCESS;
        }
        if (status != NVML_SUCCESS && status != NVML_ERROR_NOT_SUPPORTED && status != NVML_ERROR_INVALID_ARGUMENT) {
            return status;
        }
        none = status == NVML_ERROR_NOT_SUPPORTED ? status : none;
    }
    return none;
}

/* The id stands at the same place in both versions. */
nvmlReturn_t nvp__compat_gi_profile_by_id(nvmlDevice_t device, unsigned int profile_id, void *info)
{
    union gi_profile *given = info;
    union gi_profile kept;
    nvmlGpuInstanceProfileInfo_t plain = { 0 };
    nvmlReturn_t status;
    if (given == NULL || !gi_word_is_known(given->v2.version)) {
        return given == NULL ? NVML_ERROR_INVALID_ARGUMENT : NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    }
    if (nvp__exported_at(NVP_FN_nvmlDeviceGetGpuInstanceProfileInfoV) == NULL) {
        status = gi_look_for(device, profile_id, &plain, NULL);
        if (status == NVML_SUCCESS) {
            gi_from_plain(given, &plain);
        }
        return status;
    }
    nvp__room_copy(&kept, given, sizeof(kept));
    status = gi_look_for(device, profile_id, NULL, given);
    if (status != NVML_SUCCESS) {
        nvp__room_copy(given, &kept, sizeof(kept));
    }
    return status;
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
    nvp__room_fill(&other, 0, sizeof(other));
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
    nvp__room_fill(&newer, 0, sizeof(newer));
    newer.v2.version = nvmlComputeInstanceProfileInfo_v2;
    nvmlReturn_t status = nvp__compat_ci_profile_v_watched(instance, profile, engine, info != NULL ? &newer : NULL);
    if (status == NVML_SUCCESS && info != NULL) {
        CI_COPY(info, &newer.v2);
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
        if (given->v2.version == nvmlComputeInstanceProfileInfo_v2) {
            CI_COPY(&given->v2, &plain);
            nvp__room_fill(given->v2.name, 0, sizeof(given->v2.name));
        } else {
            CI_COPY(&given->v3, &plain);
            nvp__room_fill(given->v3.name, 0, sizeof(given->v3.name));
            given->v3.capabilities = 0;
        }
    }
    return status;
}
