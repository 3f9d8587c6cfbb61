/*
 * Virtual GPUs: those of a GPU instance, and where they can be placed.
 */
#include "compat/adapters.h"

#include "compat/room.h"
#include "compat/words.h"

#define INSTANCES_MAX 256 /* far above the 32 or 48 that a device can hold */

/* The instances of the device that belong to GPU instance `id`, written to the front of `instances`. */
static nvmlReturn_t keep_own(nvmlVgpuInstance_t *instances, unsigned int *count, unsigned int id)
{
    unsigned int kept = 0;
    for (unsigned int i = 0; i < *count; i++) {
        unsigned int owner = 0;
        nvmlReturn_t status =
            instances[i] != 0 ? NVP__OWN(nvmlVgpuInstanceGetGpuInstanceId)(instances[i], &owner) : NVML_ERROR_NOT_FOUND;
        if (status == NVML_SUCCESS && owner == id) {
            instances[kept++] = instances[i];
        } else if (status != NVML_SUCCESS && status != NVML_ERROR_NOT_FOUND && status != NVML_ERROR_INVALID_ARGUMENT) {
            return status; /* those two: it ended since the list was made */
        }
    }
    *count = kept;
    return NVML_SUCCESS;
}

nvmlReturn_t nvp__compat_active_vgpus_of_instance(nvmlGpuInstance_t instance, nvmlActiveVgpuInstanceInfo_v1_t *info)
{
    nvmlGpuInstanceInfo_t owner = { 0 };
    nvmlVgpuInstance_t found[INSTANCES_MAX];
    unsigned int count = INSTANCES_MAX;
    if (nvp__exported_at(NVP_FN_nvmlGpuInstanceGetInfo) == NULL || nvp__exported_at(NVP_FN_nvmlDeviceGetActiveVgpus) == NULL) {
        return NVML_ERROR_FUNCTION_NOT_FOUND;
    }
    if (info == NULL) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (info->version != nvmlActiveVgpuInstanceInfo_v1) {
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    }
    nvp__room_fill(found, 0, sizeof(found)); /* no instance has the number 0 */
    nvmlReturn_t status = NVP__OWN(nvmlGpuInstanceGetInfo)(instance, &owner);
    status = status == NVML_SUCCESS ? NVP__OWN(nvmlDeviceGetActiveVgpus)(owner.device, &count, found) : status;
    count = count < INSTANCES_MAX ? count : INSTANCES_MAX;
    status = status == NVML_SUCCESS ? keep_own(found, &count, owner.id) : status;
    if (status != NVML_SUCCESS) {
        return status;
    }
    bool fits = count <= info->vgpuCount && (info->vgpuInstances != NULL || count == 0);
    for (unsigned int i = 0; fits && i < count; i++) {
        info->vgpuInstances[i] = found[i];
    }
    info->vgpuCount = count;
    return fits ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_SIZE;
}

typedef __typeof__(&nvp_nvmlDeviceGetVgpuTypeSupportedPlacements) placements_fn;

/* Version 1 is version 2 without the mode at the end: it speaks of the heterogeneous mode. Other modes stay refused. */
static nvmlReturn_t ask_other(placements_fn own, nvmlDevice_t device, nvmlVgpuTypeId_t type, nvmlVgpuPlacementList_v2_t *list)
{
    bool is_v1 = list->version == nvmlVgpuPlacementList_v1;
    nvmlVgpuPlacementList_v2_t other = { .version = is_v1 ? nvmlVgpuPlacementList_v2 : nvmlVgpuPlacementList_v1,
                                         .placementSize = list->placementSize,
                                         .count = list->count,
                                         .placementIds = list->placementIds,
                                         .mode = NVML_VGPU_PGPU_HETEROGENEOUS_MODE };
    if (!is_v1 && list->mode != NVML_VGPU_PGPU_HETEROGENEOUS_MODE) {
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    }
    nvmlReturn_t status = own(device, type, &other);
    if (status == NVML_SUCCESS || status == NVML_ERROR_INSUFFICIENT_SIZE) {
        bool is_lie = status == NVML_SUCCESS && list->placementIds != NULL && other.count > list->count;
        list->placementSize = other.placementSize;
        list->count = is_lie ? list->count : other.count;
    }
    return status;
}

static nvmlReturn_t watch(enum nvp__function_index index, nvmlDevice_t device, nvmlVgpuTypeId_t type,
                          nvmlVgpuPlacementList_v2_t *list)
{
    placements_fn own = (placements_fn)nvp__exported_at(index);
    if (list == NULL || (list->version != nvmlVgpuPlacementList_v1 && list->version != nvmlVgpuPlacementList_v2)) {
        return own(device, type, list);
    }
    nvmlReturn_t first = nvp__word_known(index, list->version);
    first = first == NVML_SUCCESS ? own(device, type, list) : first;
    return nvp__word_refused(first) ? nvp__word_answer(index, list->version, first, ask_other(own, device, type, list)) : first;
}

nvmlReturn_t nvp__compat_supported_placements_watched(nvmlDevice_t device, nvmlVgpuTypeId_t type,
                                                      nvmlVgpuPlacementList_v2_t *list)
{
    return watch(NVP_FN_nvmlDeviceGetVgpuTypeSupportedPlacements, device, type, list);
}

nvmlReturn_t nvp__compat_creatable_placements_watched(nvmlDevice_t device, nvmlVgpuTypeId_t type,
                                                      nvmlVgpuPlacementList_v2_t *list)
{
    return watch(NVP_FN_nvmlDeviceGetVgpuTypeCreatablePlacements, device, type, list);
}
