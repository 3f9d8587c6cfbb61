/*
 * The NVLink fabric that a GPU belongs to: without a version word, then with version 2 (health mask) and 3 (health summary).
 * What an older call does not tell is given by the code for that: "not supported" is 0 in each part of the mask.
 */
#include "compat/adapters.h"

#include "compat/words.h"

#include <string.h>

static bool word_is_known(unsigned int word)
{
    return word == nvmlGpuFabricInfo_v2 || word == nvmlGpuFabricInfo_v3;
}

/* Into a caller's struct, whose version word stays. Version 2 is the beginning of version 3. */
static void give(nvmlGpuFabricInfo_v3_t *caller, const nvmlGpuFabricInfo_v3_t *info)
{
    memcpy(caller->clusterUuid, info->clusterUuid, sizeof(caller->clusterUuid));
    caller->status = info->status;
    caller->cliqueId = info->cliqueId;
    caller->state = info->state;
    caller->healthMask = info->healthMask;
    if (caller->version == nvmlGpuFabricInfo_v3) {
        caller->healthSummary = info->healthSummary;
    }
}

nvmlReturn_t nvp__compat_fabric_v_watched(nvmlDevice_t device, nvmlGpuFabricInfo_v3_t *info)
{
    enum nvp__function_index index = NVP_FN_nvmlDeviceGetGpuFabricInfoV;
    if (info == NULL || !word_is_known(info->version)) {
        return NVP__OWN(nvmlDeviceGetGpuFabricInfoV)(device, info);
    }
    nvmlReturn_t first = nvp__word_known(index, info->version);
    first = first == NVML_SUCCESS ? NVP__OWN(nvmlDeviceGetGpuFabricInfoV)(device, info) : first;
    if (!nvp__word_refused(first)) {
        return first;
    }
    nvmlGpuFabricInfo_v3_t other = { .version =
                                         info->version == nvmlGpuFabricInfo_v2 ? nvmlGpuFabricInfo_v3 : nvmlGpuFabricInfo_v2,
                                     .healthSummary = NVML_GPU_FABRIC_HEALTH_SUMMARY_NOT_SUPPORTED };
    nvmlReturn_t second = NVP__OWN(nvmlDeviceGetGpuFabricInfoV)(device, &other);
    if (second == NVML_SUCCESS) {
        give(info, &other);
    }
    return nvp__word_answer(index, info->version, first, second);
}

nvmlReturn_t nvp__compat_fabric_from_v(nvmlDevice_t device, nvmlGpuFabricInfo_t *info)
{
    nvmlGpuFabricInfo_v3_t newer = { .version = nvmlGpuFabricInfo_v2 };
    nvmlReturn_t status = nvp__compat_fabric_v_watched(device, info != NULL ? &newer : NULL);
    if (status == NVML_SUCCESS && info != NULL) {
        *info = (nvmlGpuFabricInfo_t){ .status = newer.status, .cliqueId = newer.cliqueId, .state = newer.state };
        memcpy(info->clusterUuid, newer.clusterUuid, sizeof(info->clusterUuid));
    }
    return status;
}

nvmlReturn_t nvp__compat_fabric_v_from_plain(nvmlDevice_t device, nvmlGpuFabricInfo_v3_t *info)
{
    nvmlGpuFabricInfo_t plain;
    memset(&plain, 0, sizeof(plain));
    if (info != NULL && !word_is_known(info->version)) {
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    }
    nvmlReturn_t status = NVP__OWN(nvmlDeviceGetGpuFabricInfo)(device, info != NULL ? &plain : NULL);
    if (status == NVML_SUCCESS && info != NULL) {
        nvmlGpuFabricInfo_v3_t newer = { .status = plain.status,
                                         .cliqueId = plain.cliqueId,
                                         .state = plain.state,
                                         .healthSummary = NVML_GPU_FABRIC_HEALTH_SUMMARY_NOT_SUPPORTED };
        memcpy(newer.clusterUuid, plain.clusterUuid, sizeof(newer.clusterUuid));
        give(info, &newer);
    }
    return status;
}
