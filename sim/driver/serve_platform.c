/*
 * Answers about what a device is part of and what it can: platform, driver model, addressing, repairs, driver branch.
 */
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "driver/serve.h"

static unsigned char byte_of(nvpsim_number number)
{
    return number.state == NVPSIM_GIVEN ? (unsigned char)number.value : 0;
}

static bool has_platform(const nvpsim_device_spec *spec)
{
    return spec->chassis_serial.state == NVPSIM_GIVEN || spec->slot_number.state == NVPSIM_GIVEN ||
           spec->tray_index.state == NVPSIM_GIVEN || spec->host_id.state == NVPSIM_GIVEN;
}

/* Both versions have the same layout; the second calls and means the members otherwise. */
nvmlReturn_t nvpsim__serve_nvmlDeviceGetPlatformInfo(nvmlDevice_t device, nvmlPlatformInfo_t *platformInfo)
{
    const nvpsim_device_spec *spec = nvpsim__device_of(device)->spec;
    if (!platformInfo) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    bool is_second = platformInfo->version == nvmlPlatformInfo_v2 && nvpsim__driver_since(570, 124, 4);
    if (platformInfo->version != nvmlPlatformInfo_v1 && !is_second) {
        return nvpsim__version_mismatch();
    }
    if (!has_platform(spec)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    nvmlPlatformInfo_v2_t info = { .version = platformInfo->version,
                                   .slotNumber = byte_of(spec->slot_number),
                                   .trayIndex = byte_of(spec->tray_index),
                                   .hostId = byte_of(spec->host_id),
                                   .peerType = byte_of(spec->peer_type),
                                   .moduleId = byte_of(spec->module_id) };
    if (is_second && spec->chassis_serial.state == NVPSIM_GIVEN) {
        snprintf((char *)info.chassisSerialNumber, sizeof info.chassisSerialNumber, "%s", spec->chassis_serial.bytes);
    }
    memcpy(platformInfo, &info, sizeof info);
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetCapabilities(nvmlDevice_t device, nvmlDeviceCapabilities_t *caps)
{
    (void)device;
    if (!caps) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (caps->version != nvmlDeviceCapabilities_v1) {
        return nvpsim__version_mismatch();
    }
    caps->capMask = 0;
    return NVML_SUCCESS;
}

static bool shares_memory(const nvpsim_device *device)
{
    return device->spec->addressing_mode.state == NVPSIM_GIVEN && device->spec->addressing_mode.value == NVPSIM_ADDRESSING_ATS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetAddressingMode(nvmlDevice_t device, nvmlDeviceAddressingMode_t *mode)
{
    const nvpsim_number *own = &nvpsim__device_of(device)->spec->addressing_mode;
    if (!mode) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (mode->version != nvmlDeviceAddressingMode_v1) {
        return nvpsim__version_mismatch();
    }
    if (own->state == NVPSIM_NOT_AVAILABLE) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    mode->value = own->state == NVPSIM_GIVEN ? (unsigned)own->value : NVPSIM_ADDRESSING_NONE;
    return NVML_SUCCESS;
}

/* Only memory that the CPU shares is a NUMA node of its own. */
nvmlReturn_t nvpsim__serve_nvmlDeviceGetNumaNodeId(nvmlDevice_t device, unsigned int *node)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!node) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!shares_memory(own)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *node = own->numa_node;
    return NVML_SUCCESS;
}

/* Of Windows, as the guests of WSL see none of it. One of the two may be NULL: nvidia-smi asks for them one by one. */
static nvmlReturn_t driver_models(nvmlDevice_t device, bool knows_mcdm, nvmlDriverModel_t *current, nvmlDriverModel_t *pending)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!current && !pending) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (own->spec->driver_model.state != NVPSIM_GIVEN) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    nvmlDriverModel_t now = (nvmlDriverModel_t)own->spec->driver_model.value;
    nvmlDriverModel_t then = (nvmlDriverModel_t)atomic_load_explicit(&own->settings->driver_model_pending, memory_order_relaxed);
    if (current) {
        *current = now == NVML_DRIVER_MCDM && !knows_mcdm ? NVML_DRIVER_WDDM : now;
    }
    if (pending) {
        *pending = then == NVML_DRIVER_MCDM && !knows_mcdm ? NVML_DRIVER_WDDM : then;
    }
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetDriverModel_v2(nvmlDevice_t device, nvmlDriverModel_t *current,
                                                       nvmlDriverModel_t *pending)
{
    return driver_models(device, true, current, pending);
}

/* The first form has no word for MCDM, which came later; it tells the model that MCDM descends from. */
nvmlReturn_t nvpsim__serve_nvmlDeviceGetDriverModel(nvmlDevice_t device, nvmlDriverModel_t *current, nvmlDriverModel_t *pending)
{
    return driver_models(device, false, current, pending);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceSetDriverModel(nvmlDevice_t device, nvmlDriverModel_t driverModel, unsigned int flags)
{
    nvpsim_device *own = nvpsim__device_of(device);
    (void)flags;
    if (own->spec->driver_model.state != NVPSIM_GIVEN) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    if ((unsigned)driverModel > NVML_DRIVER_MCDM) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    nvmlReturn_t result = nvpsim__may_change();
    if (result == NVML_SUCCESS) {
        atomic_store_explicit(&own->settings->driver_model_pending, (unsigned)driverModel, memory_order_relaxed);
    }
    return result;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetRepairStatus(nvmlDevice_t device, nvmlRepairStatus_t *repairStatus)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!repairStatus) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (repairStatus->version != nvmlRepairStatus_v1) {
        return nvpsim__version_mismatch();
    }
    if (own->spec->ecc_current.state != NVPSIM_GIVEN) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    repairStatus->bChannelRepairPending = 0;
    repairStatus->bTpcRepairPending = 0;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetPdi(nvmlDevice_t device, nvmlPdi_t *pdi)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!pdi) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (pdi->version != nvmlPdi_v1) {
        return nvpsim__version_mismatch();
    }
    uint64_t state = own->seed ^ (UINT64_C(0x706469) + own->index);
    pdi->value = nvpsim__random_next(&state);
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlSystemGetDriverBranch(nvmlSystemDriverBranchInfo_t *branchInfo, unsigned int length)
{
    char text[16];
    if (!branchInfo) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (branchInfo->version != nvmlSystemDriverBranchInfo_v1) {
        return nvpsim__version_mismatch();
    }
    snprintf(text, sizeof text, "r%u_00", nvpsim__generation.release / 1000000);
    return nvpsim__put_text(branchInfo->branch, length < sizeof branchInfo->branch ? length : sizeof branchInfo->branch, text);
}

/* Confidential computing: not there, which the system can say. */

nvmlReturn_t nvpsim__serve_nvmlSystemGetConfComputeCapabilities(nvmlConfComputeSystemCaps_t *capabilities)
{
    if (!capabilities) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *capabilities = (nvmlConfComputeSystemCaps_t){ 0 };
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlSystemGetConfComputeState(nvmlConfComputeSystemState_t *state)
{
    if (!state) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *state = (nvmlConfComputeSystemState_t){ 0 };
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlSystemGetConfComputeGpusReadyState(unsigned int *isAcceptingWork)
{
    if (!isAcceptingWork) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *isAcceptingWork = 0;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetConfComputeMemSizeInfo(nvmlDevice_t device, nvmlConfComputeMemSizeInfo_t *memInfo)
{
    nvpsim_memory now;
    if (!memInfo) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!nvpsim__device_memory(nvpsim__device_of(device), nvpsim__now_ns(), &now)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *memInfo = (nvmlConfComputeMemSizeInfo_t){ .protectedMemSizeKib = 0, .unprotectedMemSizeKib = now.total / 1024 };
    return NVML_SUCCESS;
}
