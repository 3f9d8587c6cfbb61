/*
 * Answers about fans: speed, intended speed, control.
 */
#include "driver/serve.h"

nvmlReturn_t nvpsim__serve_nvmlDeviceGetNumFans(nvmlDevice_t device, unsigned int *numFans)
{
    if (!numFans) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *numFans = nvpsim__device_of(device)->fans;
    return NVML_SUCCESS;
}

/* A fan that the device lacks is a wrong argument; a device without fans does not support the call. */
static nvmlReturn_t fan_check(nvmlDevice_t device, unsigned int fan, const void *out)
{
    if (!out) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    unsigned fans = nvpsim__device_of(device)->fans;
    if (fans == 0) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    return fan < fans ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetFanSpeed_v2(nvmlDevice_t device, unsigned int fan, unsigned int *speed)
{
    double percent;
    nvmlReturn_t result = fan_check(device, fan, speed);
    if (result != NVML_SUCCESS) {
        return result;
    }
    if (!nvpsim__device_fan(nvpsim__device_of(device), fan, nvpsim__now_ns(), &percent)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *speed = (unsigned)percent;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetFanSpeed(nvmlDevice_t device, unsigned int *speed)
{
    return nvpsim__serve_nvmlDeviceGetFanSpeed_v2(device, 0, speed);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetTargetFanSpeed(nvmlDevice_t device, unsigned int fan, unsigned int *targetSpeed)
{
    double percent;
    nvmlReturn_t result = fan_check(device, fan, targetSpeed);
    if (result != NVML_SUCCESS) {
        return result;
    }
    if (!nvpsim__device_fan_target(nvpsim__device_of(device), fan, nvpsim__now_ns(), &percent)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *targetSpeed = (unsigned)percent;
    return NVML_SUCCESS;
}

static void fan_limits(const nvpsim_device *device, unsigned *low, unsigned *high)
{
    const nvpsim_device_spec *spec = device->spec;
    *low = spec->fan_min_percent.state == NVPSIM_GIVEN ? (unsigned)spec->fan_min_percent.value : 30;
    *high = spec->fan_max_percent.state == NVPSIM_GIVEN ? (unsigned)spec->fan_max_percent.value : 100;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetMinMaxFanSpeed(nvmlDevice_t device, unsigned int *minSpeed, unsigned int *maxSpeed)
{
    nvmlReturn_t result = fan_check(device, 0, minSpeed);
    if (result != NVML_SUCCESS || !maxSpeed) {
        return result != NVML_SUCCESS ? result : NVML_ERROR_INVALID_ARGUMENT;
    }
    fan_limits(nvpsim__device_of(device), minSpeed, maxSpeed);
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetFanControlPolicy_v2(nvmlDevice_t device, unsigned int fan, nvmlFanControlPolicy_t *policy)
{
    nvmlReturn_t result = fan_check(device, fan, policy);
    if (result != NVML_SUCCESS) {
        return result;
    }
    unsigned by_hand = atomic_load_explicit(&nvpsim__device_of(device)->settings->fan_percent[fan], memory_order_relaxed);
    *policy = by_hand > 0 ? NVML_FAN_POLICY_MANUAL : NVML_FAN_POLICY_TEMPERATURE_CONTINOUS_SW;
    return NVML_SUCCESS;
}

static nvmlReturn_t fan_set(nvmlDevice_t device, unsigned int fan, unsigned percent)
{
    nvmlReturn_t result = fan_check(device, fan, device);
    if (result == NVML_SUCCESS) {
        result = nvpsim__may_change();
    }
    if (result == NVML_SUCCESS) {
        atomic_store_explicit(&nvpsim__device_of(device)->settings->fan_percent[fan], percent, memory_order_relaxed);
    }
    return result;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceSetFanSpeed_v2(nvmlDevice_t device, unsigned int fan, unsigned int speed)
{
    unsigned low, high;
    fan_limits(nvpsim__device_of(device), &low, &high);
    if (speed < low || speed > high) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    return fan_set(device, fan, speed);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceSetDefaultFanSpeed_v2(nvmlDevice_t device, unsigned int fan)
{
    return fan_set(device, fan, 0);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceSetFanControlPolicy(nvmlDevice_t device, unsigned int fan, nvmlFanControlPolicy_t policy)
{
    double percent = 0;
    if (policy != NVML_FAN_POLICY_MANUAL && policy != NVML_FAN_POLICY_TEMPERATURE_CONTINOUS_SW) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (policy == NVML_FAN_POLICY_MANUAL) {
        nvpsim__device_fan(nvpsim__device_of(device), fan, nvpsim__now_ns(), &percent);
    }
    return fan_set(device, fan, (unsigned)percent);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetFanSpeedRPM(nvmlDevice_t device, nvmlFanSpeedInfo_t *fanSpeed)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    double percent;
    if (!fanSpeed) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (fanSpeed->version != nvmlFanSpeedInfo_v1) {
        return nvpsim__version_mismatch();
    }
    nvmlReturn_t result = fan_check(device, fanSpeed->fan, fanSpeed);
    if (result != NVML_SUCCESS) {
        return result;
    }
    if (!nvpsim__device_fan(own, fanSpeed->fan, nvpsim__now_ns(), &percent)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    double most_rpm = own->spec->fan_max_rpm.state == NVPSIM_GIVEN ? (double)own->spec->fan_max_rpm.value : 3300;
    fanSpeed->speed = (unsigned)(percent * most_rpm / 100);
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetCoolerInfo(nvmlDevice_t device, nvmlCoolerInfo_t *coolerInfo)
{
    if (!coolerInfo) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (coolerInfo->version != nvmlCoolerInfo_v1) {
        return nvpsim__version_mismatch();
    }
    nvmlReturn_t result = fan_check(device, coolerInfo->index, coolerInfo);
    if (result == NVML_SUCCESS) {
        coolerInfo->signalType = NVML_THERMAL_COOLER_SIGNAL_VARIABLE;
        coolerInfo->target = NVML_THERMAL_COOLER_TARGET_GPU_RELATED;
    }
    return result;
}
