/*
 * Answers about MIG and GPM: devices may be capable of MIG, but none is partitioned here; GPM is not there.
 */
#include "driver/serve.h"

static bool is_capable(const nvpsim_device *device)
{
    return device->spec->mig_current.state == NVPSIM_GIVEN && device->spec->mig_max_instances.value > 0;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned int *currentMode, unsigned int *pendingMode)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!currentMode || !pendingMode)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (!is_capable(own))
        return NVML_ERROR_NOT_SUPPORTED;
    *currentMode = (unsigned)own->spec->mig_current.value;
    *pendingMode = atomic_load_explicit(&own->settings.mig_pending, memory_order_relaxed);
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t device, unsigned int *count)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!count)
        return NVML_ERROR_INVALID_ARGUMENT;
    *count = is_capable(own) ? (unsigned)own->spec->mig_max_instances.value : 0;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t device, unsigned int index, nvmlDevice_t *migDevice)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!migDevice)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (!is_capable(own))
        return NVML_ERROR_NOT_SUPPORTED;
    return index < own->spec->mig_max_instances.value ? NVML_ERROR_NOT_FOUND : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceIsMigDeviceHandle(nvmlDevice_t device, unsigned int *isMigDevice)
{
    (void)device;
    if (!isMigDevice)
        return NVML_ERROR_INVALID_ARGUMENT;
    *isMigDevice = 0;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetDeviceHandleFromMigDeviceHandle(nvmlDevice_t migDevice, nvmlDevice_t *device)
{
    (void)migDevice;
    (void)device;
    return NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvpsim__serve_nvmlGpmQueryDeviceSupport(nvmlDevice_t device, nvmlGpmSupport_t *gpmSupport)
{
    (void)device;
    if (!gpmSupport)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (gpmSupport->version != NVML_GPM_SUPPORT_VERSION)
        return nvpsim__version_mismatch();
    gpmSupport->isSupportedDevice = 0;
    return NVML_SUCCESS;
}
