/*
 * Temperature and fans.
 */
#include "compat/adapters.h"

#include "compat/driver.h"

nvmlReturn_t nvp__compat_temperature_from_v(nvmlDevice_t device, nvmlTemperatureSensors_t sensor, unsigned int *celsius)
{
    nvmlTemperature_v1_t newer = { .version = nvmlTemperature_v1, .sensorType = sensor };
    nvmlReturn_t status = NVP__OWN(nvmlDeviceGetTemperatureV)(device, celsius != NULL ? &newer : NULL);
    if (status == NVML_SUCCESS && celsius != NULL) {
        *celsius = newer.temperature > 0 ? (unsigned int)newer.temperature : 0;
    }
    return status;
}

nvmlReturn_t nvp__compat_temperature_v_from_plain(nvmlDevice_t device, nvmlTemperature_v1_t *temperature)
{
    unsigned int celsius = 0;
    if (temperature == NULL) {
        return NVP__OWN(nvmlDeviceGetTemperature)(device, NVML_TEMPERATURE_GPU, NULL);
    }
    if (temperature->version != nvmlTemperature_v1) {
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    }
    nvmlReturn_t status = NVP__OWN(nvmlDeviceGetTemperature)(device, temperature->sensorType, &celsius);
    if (status == NVML_SUCCESS) {
        temperature->temperature = (int)celsius;
    }
    return status;
}

nvmlReturn_t nvp__compat_fan_speed_v1_from_v2(nvmlDevice_t device, unsigned int *percent)
{
    return NVP__OWN(nvmlDeviceGetFanSpeed_v2)(device, 0, percent);
}

nvmlReturn_t nvp__compat_fan_speed_v2_from_v1(nvmlDevice_t device, unsigned int fan, unsigned int *percent)
{
    return fan == 0 ? NVP__OWN(nvmlDeviceGetFanSpeed)(device, percent) : NVML_ERROR_NOT_SUPPORTED;
}
