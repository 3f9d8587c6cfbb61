/*
 * Answers about temperatures.
 */
#include "driver/serve.h"

nvmlReturn_t nvpsim__serve_nvmlDeviceGetTemperature(nvmlDevice_t device, nvmlTemperatureSensors_t sensorType, unsigned int *temp)
{
    double gpu_c;
    if (!temp || sensorType != NVML_TEMPERATURE_GPU) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!nvpsim__device_temperature(nvpsim__device_of(device), nvpsim__now_ns(), &gpu_c)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *temp = (unsigned)gpu_c;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetTemperatureV(nvmlDevice_t device, nvmlTemperature_t *temperature)
{
    double gpu_c;
    if (!temperature) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (temperature->version != nvmlTemperature_v1) {
        return nvpsim__version_mismatch();
    }
    if (temperature->sensorType != NVML_TEMPERATURE_GPU) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!nvpsim__device_temperature(nvpsim__device_of(device), nvpsim__now_ns(), &gpu_c)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
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
    if (!pThermalSettings || (sensorIndex > 0 && sensorIndex != NVML_THERMAL_TARGET_ALL)) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!nvpsim__device_temperature(nvpsim__device_of(device), nvpsim__now_ns(), &gpu_c)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    nvmlGpuThermalSettings_t settings = { .count = 1 };
    settings.sensor[0].controller = NVML_THERMAL_CONTROLLER_GPU_INTERNAL;
    settings.sensor[0].target = NVML_THERMAL_TARGET_GPU;
    settings.sensor[0].defaultMinTemp = -128;
    settings.sensor[0].defaultMaxTemp = 127;
    settings.sensor[0].currentTemp = (int)gpu_c;
    *pThermalSettings = settings;
    return NVML_SUCCESS;
}

/* How far the GPU is from slowing down. */
nvmlReturn_t nvpsim__serve_nvmlDeviceGetMarginTemperature(nvmlDevice_t device, nvmlMarginTemperature_t *marginTempInfo)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    double gpu_c;
    if (!marginTempInfo) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (marginTempInfo->version != nvmlMarginTemperature_v1) {
        return nvpsim__version_mismatch();
    }
    if (own->spec->max_operating_c.state != NVPSIM_GIVEN || !nvpsim__device_temperature(own, nvpsim__now_ns(), &gpu_c)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    marginTempInfo->marginTemperature = (int)own->spec->max_operating_c.value - (int)gpu_c;
    return NVML_SUCCESS;
}
