/*
 * Answers about MIG: its mode, and the devices that a GPU is cut into. GPU and compute instances have files of their own.
 */
#include <stdio.h>
#include <string.h>

#include "driver/call.h"
#include "driver/instances.h"

const bool nvpsim__serves_slices[NVPSIM_FUNCTION_COUNT] = {
#define SERVES(name) [NVPSIM_FN_##name] = true
    SERVES(nvmlDeviceGetArchitecture),
    SERVES(nvmlDeviceGetAttributes),
    SERVES(nvmlDeviceGetAttributes_v2),
    SERVES(nvmlDeviceGetBAR1MemoryInfo),
    SERVES(nvmlDeviceGetComputeInstanceId),
    SERVES(nvmlDeviceGetComputeRunningProcesses),
    SERVES(nvmlDeviceGetComputeRunningProcesses_v2),
    SERVES(nvmlDeviceGetComputeRunningProcesses_v3),
    SERVES(nvmlDeviceGetCudaComputeCapability),
    SERVES(nvmlDeviceGetDeviceHandleFromMigDeviceHandle),
    SERVES(nvmlDeviceGetGpuInstanceId),
    SERVES(nvmlDeviceGetGraphicsRunningProcesses),
    SERVES(nvmlDeviceGetGraphicsRunningProcesses_v2),
    SERVES(nvmlDeviceGetGraphicsRunningProcesses_v3),
    SERVES(nvmlDeviceGetIndex),
    SERVES(nvmlDeviceGetMPSComputeRunningProcesses),
    SERVES(nvmlDeviceGetMPSComputeRunningProcesses_v2),
    SERVES(nvmlDeviceGetMPSComputeRunningProcesses_v3),
    SERVES(nvmlDeviceGetMemoryErrorCounter),
    SERVES(nvmlDeviceGetMemoryInfo),
    SERVES(nvmlDeviceGetMemoryInfo_v2),
    SERVES(nvmlDeviceGetName),
    SERVES(nvmlDeviceGetRunningProcessDetailList),
    SERVES(nvmlDeviceGetTotalEccErrors),
    SERVES(nvmlDeviceGetUUID),
    SERVES(nvmlDeviceIsMigDeviceHandle),
#undef SERVES
};

nvmlReturn_t nvpsim__whole_readable(nvmlDevice_t handle)
{
    const nvpsim_device *device = nvpsim__device_of(handle);
    const nvpsim_number *readable = &device->spec->mig_parent_readable;
    bool is_hidden = readable->state == NVPSIM_GIVEN && !readable->value;
    return is_hidden && !nvpsim__slice_of(handle) && nvpsim__is_cut(device) ? NVML_ERROR_NO_PERMISSION : NVML_SUCCESS;
}

nvmlDevice_t nvpsim__slice_handle(const nvpsim_slice *slice)
{
    const nvpsim_session *session = atomic_load_explicit(&nvpsim__session_live, memory_order_acquire);
    for (size_t i = NVPSIM_DEVICES_MAX; session && i < session->handle_count; i++) {
        if (session->handles[i].slice == slice) {
            return &session->handles[i];
        }
    }
    return NULL;
}

static bool is_capable(const nvpsim_device *device)
{
    return device->spec->mig_current.state == NVPSIM_GIVEN && device->spec->mig_max_instances.value > 0;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned int *currentMode, unsigned int *pendingMode)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!currentMode || !pendingMode) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!is_capable(own)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *currentMode = (unsigned)own->spec->mig_current.value;
    *pendingMode = atomic_load_explicit(&own->settings->mig_pending, memory_order_relaxed);
    return NVML_SUCCESS;
}

/* The mode changes with the next reset, which is not simulated. */
nvmlReturn_t nvpsim__serve_nvmlDeviceSetMigMode(nvmlDevice_t device, unsigned int mode, nvmlReturn_t *activationStatus)
{
    nvpsim_device *own = nvpsim__device_of(device);
    if (!activationStatus || mode > NVML_DEVICE_MIG_ENABLE) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!is_capable(own)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    nvmlReturn_t result = nvpsim__may_change();
    if (result == NVML_SUCCESS) {
        atomic_store_explicit(&own->settings->mig_pending, mode, memory_order_relaxed);
        *activationStatus = mode == own->spec->mig_current.value ? NVML_SUCCESS : NVML_ERROR_RESET_REQUIRED;
    }
    return result;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t device, unsigned int *count)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!count) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *count = is_capable(own) ? (unsigned)own->spec->mig_max_instances.value : 0;
    return NVML_SUCCESS;
}

/* An index that no device has is a hole, which a client has to pass over. */
nvmlReturn_t nvpsim__serve_nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t device, unsigned int index, nvmlDevice_t *migDevice)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!migDevice) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!is_capable(own)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    if (index >= own->spec->mig_max_instances.value) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    for (size_t i = 0; i < own->slice_count; i++) {
        if (own->slices[i].index == index) {
            nvmlDevice_t handle = nvpsim__slice_handle(&own->slices[i]);
            *migDevice = handle ? handle : *migDevice;
            return handle ? NVML_SUCCESS : NVML_ERROR_UNINITIALIZED;
        }
    }
    return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceIsMigDeviceHandle(nvmlDevice_t device, unsigned int *isMigDevice)
{
    if (!isMigDevice) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *isMigDevice = nvpsim__slice_of(device) != NULL;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetDeviceHandleFromMigDeviceHandle(nvmlDevice_t migDevice, nvmlDevice_t *device)
{
    const nvpsim_session *session = atomic_load_explicit(&nvpsim__session_live, memory_order_acquire);
    if (!device || !nvpsim__slice_of(migDevice)) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!session) {
        return NVML_ERROR_UNINITIALIZED;
    }
    *device = &session->handles[nvpsim__device_of(migDevice)->index];
    return NVML_SUCCESS;
}

/* NVML_SUCCESS where something that only a MIG device has can be written. */
static nvmlReturn_t slice_need(const nvpsim_slice *slice, const void *output)
{
    return !output ? NVML_ERROR_INVALID_ARGUMENT : !slice ? NVML_ERROR_NOT_SUPPORTED : NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetGpuInstanceId(nvmlDevice_t device, unsigned int *id)
{
    const nvpsim_slice *slice = nvpsim__slice_of(device);
    nvmlReturn_t result = slice_need(slice, id);
    if (result == NVML_SUCCESS) {
        *id = slice->gpu_instance;
    }
    return result;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetComputeInstanceId(nvmlDevice_t device, unsigned int *id)
{
    const nvpsim_slice *slice = nvpsim__slice_of(device);
    nvmlReturn_t result = slice_need(slice, id);
    if (result == NVML_SUCCESS) {
        *id = slice->compute_instance;
    }
    return result;
}

static nvmlDeviceAttributes_t attributes_of(const nvpsim_slice *slice)
{
    const nvpsim_mig_profile_spec *profile = slice->profile;
    unsigned slices = nvpsim__mig_slices(profile);
    return (nvmlDeviceAttributes_t){ .multiprocessorCount = nvpsim__mig_multiprocessors(profile) * slice->compute_slices / slices,
                                     .sharedCopyEngineCount = (unsigned)profile->copy_engines.value,
                                     .sharedDecoderCount = (unsigned)profile->decoders.value,
                                     .sharedEncoderCount = (unsigned)profile->encoders.value,
                                     .sharedJpegCount = (unsigned)profile->jpegs.value,
                                     .sharedOfaCount = (unsigned)profile->ofas.value,
                                     .gpuInstanceSliceCount = slices,
                                     .computeInstanceSliceCount = slice->compute_slices,
                                     .memorySizeMB = profile->memory_bytes.value >> 20 };
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetAttributes_v2(nvmlDevice_t device, nvmlDeviceAttributes_t *attributes)
{
    const nvpsim_slice *slice = nvpsim__slice_of(device);
    nvmlReturn_t result = slice_need(slice, attributes);
    if (result == NVML_SUCCESS) {
        *attributes = attributes_of(slice);
    }
    return result;
}

/* The first form ends before the slices: no more may be written. */
nvmlReturn_t nvpsim__serve_nvmlDeviceGetAttributes(nvmlDevice_t device, nvmlDeviceAttributes_t *attributes)
{
    nvmlDeviceAttributes_t all;
    nvmlReturn_t result = nvpsim__serve_nvmlDeviceGetAttributes_v2(device, attributes ? &all : NULL);
    if (result == NVML_SUCCESS) {
        memcpy(attributes, &all, sizeof(nvp_DeviceAttributes_v1_t));
    }
    return result;
}
