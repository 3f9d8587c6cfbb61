/*
 * Answers about the NVLink fabric and the link to the CPU.
 */
#include <ctype.h>
#include <string.h>

#include "driver/serve.h"

static bool has_fabric(const nvpsim_device *device)
{
    return device->spec->fabric_cluster_uuid.state == NVPSIM_GIVEN;
}

/* Sixteen bytes from hexadecimal digits; other characters are passed over, what is missing is zero. */
static void uuid_bytes(const char *text, unsigned char *bytes)
{
    unsigned digits = 0;
    memset(bytes, 0, NVML_GPU_FABRIC_UUID_LEN);
    for (; *text && digits < 2 * NVML_GPU_FABRIC_UUID_LEN; text++) {
        if (!isxdigit((unsigned char)*text)) {
            continue;
        }
        unsigned digit = *text <= '9' ? (unsigned)(*text - '0') : ((unsigned)*text | 0x20u) - 'a' + 10;
        bytes[digits / 2] = (unsigned char)((unsigned)bytes[digits / 2] << 4 | digit);
        digits++;
    }
}

static nvmlGpuFabricState_t fabric_state(const nvpsim_device *device)
{
    const nvpsim_number *state = &device->spec->fabric_state;
    return state->state == NVPSIM_GIVEN ? (nvmlGpuFabricState_t)state->value : NVML_GPU_FABRIC_STATE_COMPLETED;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetGpuFabricInfo(nvmlDevice_t device, nvmlGpuFabricInfo_t *gpuFabricInfo)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!gpuFabricInfo) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!has_fabric(own)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    nvmlGpuFabricInfo_t info;
    memset(&info, 0, sizeof info);
    uuid_bytes(own->spec->fabric_cluster_uuid.bytes, info.clusterUuid);
    info.status = NVML_SUCCESS;
    info.cliqueId = (unsigned)own->spec->fabric_clique.value;
    info.state = fabric_state(own);
    memcpy(gpuFabricInfo, &info, sizeof info);
    return NVML_SUCCESS;
}

/* The second version ends before the summary: its size is what may be written. */
nvmlReturn_t nvpsim__serve_nvmlDeviceGetGpuFabricInfoV(nvmlDevice_t device, nvmlGpuFabricInfoV_t *gpuFabricInfo)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    unsigned version;
    if (!gpuFabricInfo) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    memcpy(&version, gpuFabricInfo, sizeof version);
    bool is_third = version == nvmlGpuFabricInfo_v3 && nvpsim__driver_since(580, 65, 6);
    if (version != nvmlGpuFabricInfo_v2 && !is_third) {
        return nvpsim__version_mismatch();
    }
    if (!has_fabric(own)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    nvmlGpuFabricInfo_v3_t info;
    memset(&info, 0, sizeof info);
    info.version = version;
    uuid_bytes(own->spec->fabric_cluster_uuid.bytes, info.clusterUuid);
    info.status = NVML_SUCCESS;
    info.cliqueId = (unsigned)own->spec->fabric_clique.value;
    info.state = fabric_state(own);
    info.healthMask = NVML_GPU_FABRIC_HEALTH_MASK_DEGRADED_BW_FALSE << NVML_GPU_FABRIC_HEALTH_MASK_SHIFT_DEGRADED_BW;
    info.healthSummary = NVML_GPU_FABRIC_HEALTH_SUMMARY_HEALTHY;
    memcpy(gpuFabricInfo, &info, is_third ? sizeof info : sizeof(nvmlGpuFabricInfo_v2_t));
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetC2cModeInfoV(nvmlDevice_t device, nvmlC2cModeInfo_v1_t *c2cModeInfo)
{
    (void)device;
    if (!c2cModeInfo) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    nvpsim_number stated = nvpsim__world->scenario->c2c_enabled;
    c2cModeInfo->isC2cEnabled = stated.state == NVPSIM_GIVEN && stated.value != 0;
    return NVML_SUCCESS;
}
