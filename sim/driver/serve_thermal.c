/*
 * Answers about temperatures and fans.
 */
#include "driver/serve.h"

nvmlReturn_t nvpsim__serve_nvmlDeviceGetTemperature(nvmlDevice_t device, nvmlTemperatureSensors_t sensorType, unsigned int *temp)
{
    double gpu_c;
    if (!temp || sensorType != NVML_TEMPERATURE_GPU)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (!nvpsim__device_temperature(nvpsim__device_of(device), nvpsim__now_ns(), &gpu_c))
        return NVML_ERROR_NOT_SUPPORTED;
    *temp = (unsigned)gpu_c;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetTemperatureV(nvmlDevice_t device, nvmlTemperature_t *temperature)
{
    double gpu_c;
    if (!temperature)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (temperature->version != nvmlTemperature_v1)
        return nvpsim__version_mismatch();
    if (temperature->sensorType != NVML_TEMPERATURE_GPU)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (!nvpsim__device_temperature(nvpsim__device_of(device), nvpsim__now_ns(), &gpu_c))
        return NVML_ERROR_NOT_SUPPORTED;
    temperature->temperature = (int)gpu_c;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetTemperatureThreshold(nvmlDevice_t device, nvmlTemperatureThresholds_t thresholdType,
                                                             unsigned int *temp)
{
    const nvpsim_device_spec *spec = nvpsim__device_of(device)->spec;
    if ((unsigned)thresholdType >= nvpsim__driver_known[NVPSIM_KNOWN_THRESHOLDS]) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    switch (thresholdType) {
    case NVML_TEMPERATURE_THRESHOLD_SHUTDOWN:
        return nvpsim__put_number(temp, spec->shutdown_c);
    case NVML_TEMPERATURE_THRESHOLD_SLOWDOWN:
        return nvpsim__put_number(temp, spec->slowdown_c);
    case NVML_TEMPERATURE_THRESHOLD_MEM_MAX:
        return nvpsim__put_number(temp, spec->memory_max_c);
    case NVML_TEMPERATURE_THRESHOLD_GPU_MAX:
        return nvpsim__put_number(temp, spec->max_operating_c);
    case NVML_TEMPERATURE_THRESHOLD_ACOUSTIC_CURR:
        return nvpsim__put_number(temp, spec->target_c);
    case NVML_TEMPERATURE_THRESHOLD_ACOUSTIC_MIN:
    case NVML_TEMPERATURE_THRESHOLD_ACOUSTIC_MAX:
    case NVML_TEMPERATURE_THRESHOLD_GPS_CURR:
        return temp ? NVML_ERROR_NOT_SUPPORTED : NVML_ERROR_INVALID_ARGUMENT;
    default:
        return NVML_ERROR_INVALID_ARGUMENT;
    }
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetThermalSettings(nvmlDevice_t device, unsigned int sensorIndex,
                                                        nvmlGpuThermalSettings_t *pThermalSettings)
{
    double gpu_c;
    if (!pThermalSettings || (sensorIndex > 0 && sensorIndex != NVML_THERMAL_TARGET_ALL))
        return NVML_ERROR_INVALID_ARGUMENT;
    if (!nvpsim__device_temperature(nvpsim__device_of(device), nvpsim__now_ns(), &gpu_c))
        return NVML_ERROR_NOT_SUPPORTED;
    nvmlGpuThermalSettings_t settings = { .count = 1 };
    settings.sensor[0].controller = NVML_THERMAL_CONTROLLER_GPU_INTERNAL;
    settings.sensor[0].target = NVML_THERMAL_TARGET_GPU;
    settings.sensor[0].defaultMinTemp = -128;
    settings.sensor[0].defaultMaxTemp = 127;
    settings.sensor[0].currentTemp = (int)gpu_c;
    *pThermalSettings = settings;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetNumFans(nvmlDevice_t device, unsigned int *numFans)
{
    if (!numFans)
        return NVML_ERROR_INVALID_ARGUMENT;
    *numFans = nvpsim__device_of(device)->fans;
    return NVML_SUCCESS;
}

/* A fan that the device lacks is a wrong argument; a device without fans does not support the call. */
static nvmlReturn_t fan_check(nvmlDevice_t device, unsigned int fan, const void *out)
{
    if (!out)
        return NVML_ERROR_INVALID_ARGUMENT;
    unsigned fans = nvpsim__device_of(device)->fans;
    if (fans == 0)
        return NVML_ERROR_NOT_SUPPORTED;
    return fan < fans ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetFanSpeed_v2(nvmlDevice_t device, unsigned int fan, unsigned int *speed)
{
    double percent;
    nvmlReturn_t result = fan_check(device, fan, speed);
    if (result != NVML_SUCCESS)
        return result;
    if (!nvpsim__device_fan(nvpsim__device_of(device), fan, nvpsim__now_ns(), &percent))
        return NVML_ERROR_NOT_SUPPORTED;
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
    if (result != NVML_SUCCESS)
        return result;
    if (!nvpsim__device_fan_target(nvpsim__device_of(device), fan, nvpsim__now_ns(), &percent))
        return NVML_ERROR_NOT_SUPPORTED;
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
    if (result != NVML_SUCCESS || !maxSpeed)
        return result != NVML_SUCCESS ? result : NVML_ERROR_INVALID_ARGUMENT;
    fan_limits(nvpsim__device_of(device), minSpeed, maxSpeed);
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetFanControlPolicy_v2(nvmlDevice_t device, unsigned int fan, nvmlFanControlPolicy_t *policy)
{
    nvmlReturn_t result = fan_check(device, fan, policy);
    if (result != NVML_SUCCESS)
        return result;
    unsigned by_hand = atomic_load_explicit(&nvpsim__device_of(device)->settings.fan_percent[fan], memory_order_relaxed);
    *policy = by_hand > 0 ? NVML_FAN_POLICY_MANUAL : NVML_FAN_POLICY_TEMPERATURE_CONTINOUS_SW;
    return NVML_SUCCESS;
}

static nvmlReturn_t fan_set(nvmlDevice_t device, unsigned int fan, unsigned percent)
{
    nvmlReturn_t result = fan_check(device, fan, device);
    if (result == NVML_SUCCESS)
        result = nvpsim__may_change();
    if (result == NVML_SUCCESS)
        atomic_store_explicit(&nvpsim__device_of(device)->settings.fan_percent[fan], percent, memory_order_relaxed);
    return result;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceSetFanSpeed_v2(nvmlDevice_t device, unsigned int fan, unsigned int speed)
{
    unsigned low, high;
    fan_limits(nvpsim__device_of(device), &low, &high);
    if (speed < low || speed > high)
        return NVML_ERROR_INVALID_ARGUMENT;
    return fan_set(device, fan, speed);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceSetDefaultFanSpeed_v2(nvmlDevice_t device, unsigned int fan)
{
    return fan_set(device, fan, 0);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceSetFanControlPolicy(nvmlDevice_t device, unsigned int fan, nvmlFanControlPolicy_t policy)
{
    double percent = 0;
    if (policy != NVML_FAN_POLICY_MANUAL && policy != NVML_FAN_POLICY_TEMPERATURE_CONTINOUS_SW)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (policy == NVML_FAN_POLICY_MANUAL)
        nvpsim__device_fan(nvpsim__device_of(device), fan, nvpsim__now_ns(), &percent);
    return fan_set(device, fan, (unsigned)percent);
}
