/*
 * Answers about modes: persistence, compute, display, operation, virtualisation, restrictions.
 */
#include "driver/serve.h"

static nvmlReturn_t switch_put(nvmlEnableState_t *out, unsigned value)
{
    if (!out) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *out = value ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED;
    return NVML_SUCCESS;
}

static nvmlReturn_t setting_change(_Atomic unsigned *setting, unsigned value)
{
    nvmlReturn_t result = nvpsim__may_change();
    if (result == NVML_SUCCESS) {
        atomic_store_explicit(setting, value, memory_order_relaxed);
    }
    return result;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t *mode)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (mode && own->spec->persistence_mode.state == NVPSIM_NOT_AVAILABLE) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    return switch_put(mode, atomic_load_explicit(&own->settings->persistence, memory_order_relaxed));
}

nvmlReturn_t nvpsim__serve_nvmlDeviceSetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t mode)
{
    nvpsim_device *own = nvpsim__device_of(device);
    if (mode != NVML_FEATURE_ENABLED && mode != NVML_FEATURE_DISABLED) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (own->spec->persistence_mode.state == NVPSIM_NOT_AVAILABLE) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    return setting_change(&own->settings->persistence, (unsigned)mode);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetComputeMode(nvmlDevice_t device, nvmlComputeMode_t *mode)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!mode) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (own->spec->compute_mode.state == NVPSIM_NOT_AVAILABLE) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *mode = (nvmlComputeMode_t)atomic_load_explicit(&own->settings->compute_mode, memory_order_relaxed);
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceSetComputeMode(nvmlDevice_t device, nvmlComputeMode_t mode)
{
    nvpsim_device *own = nvpsim__device_of(device);
    if ((unsigned)mode >= NVML_COMPUTEMODE_COUNT) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (own->spec->compute_mode.state == NVPSIM_NOT_AVAILABLE || mode == NVML_COMPUTEMODE_EXCLUSIVE_THREAD) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    return setting_change(&own->settings->compute_mode, (unsigned)mode);
}

static nvmlReturn_t spec_switch_put(nvmlEnableState_t *out, nvpsim_number stated)
{
    if (out && stated.state != NVPSIM_GIVEN) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    return switch_put(out, (unsigned)stated.value);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetDisplayMode(nvmlDevice_t device, nvmlEnableState_t *display)
{
    return spec_switch_put(display, nvpsim__device_of(device)->spec->display_mode);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetDisplayActive(nvmlDevice_t device, nvmlEnableState_t *isActive)
{
    return spec_switch_put(isActive, nvpsim__device_of(device)->spec->display_active);
}

/* One of the two may be NULL: nvidia-smi asks for them one by one. */
nvmlReturn_t nvpsim__serve_nvmlDeviceGetGpuOperationMode(nvmlDevice_t device, nvmlGpuOperationMode_t *current,
                                                         nvmlGpuOperationMode_t *pending)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!current && !pending) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (own->spec->operation_current.state != NVPSIM_GIVEN) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    if (current) {
        *current = (nvmlGpuOperationMode_t)own->spec->operation_current.value;
    }
    if (pending) {
        *pending = (nvmlGpuOperationMode_t)atomic_load_explicit(&own->settings->operation_pending, memory_order_relaxed);
    }
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceSetGpuOperationMode(nvmlDevice_t device, nvmlGpuOperationMode_t mode)
{
    nvpsim_device *own = nvpsim__device_of(device);
    if (mode != NVML_GOM_ALL_ON && mode != NVML_GOM_COMPUTE && mode != NVML_GOM_LOW_DP) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (own->spec->operation_current.state != NVPSIM_GIVEN) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    return setting_change(&own->settings->operation_pending, (unsigned)mode);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetVirtualizationMode(nvmlDevice_t device, nvmlGpuVirtualizationMode_t *pVirtualMode)
{
    const nvpsim_number *mode = &nvpsim__device_of(device)->spec->virtualization;
    if (!pVirtualMode) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (mode->state == NVPSIM_NOT_AVAILABLE) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *pVirtualMode = (nvmlGpuVirtualizationMode_t)mode->value;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetHostVgpuMode(nvmlDevice_t device, nvmlHostVgpuMode_t *pHostVgpuMode)
{
    const nvpsim_number *mode = &nvpsim__device_of(device)->spec->host_vgpu_mode;
    if (!pHostVgpuMode) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (mode->state != NVPSIM_GIVEN) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *pHostVgpuMode = (nvmlHostVgpuMode_t)mode->value;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetAPIRestriction(nvmlDevice_t device, nvmlRestrictedAPI_t apiType,
                                                       nvmlEnableState_t *isRestricted)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!isRestricted || (unsigned)apiType >= NVML_RESTRICTED_API_COUNT) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (own->spec->graphics_app_default_mhz.state != NVPSIM_GIVEN) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *isRestricted = apiType == NVML_RESTRICTED_API_SET_APPLICATION_CLOCKS ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetLastBBXFlushTime(nvmlDevice_t device, unsigned long long *timestamp,
                                                         unsigned long *durationUs)
{
    if (!timestamp || !durationUs) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (nvpsim__device_of(device)->spec->inforom_power.state == NVPSIM_ABSENT) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *timestamp = nvpsim__wall_us(0);
    *durationUs = 250;
    return NVML_SUCCESS;
}
