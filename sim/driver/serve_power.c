/*
 * Answers about power, its limits, and energy.
 */
#include "driver/serve.h"

nvmlReturn_t nvpsim__serve_nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned int *power)
{
    double power_mw;
    if (!power) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!nvpsim__device_power(nvpsim__device_of(device), nvpsim__now_ns(), &power_mw)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *power = (unsigned)power_mw;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t device, unsigned long long *energy)
{
    double energy_mj;
    if (!energy) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!nvpsim__device_energy(nvpsim__device_of(device), nvpsim__now_ns(), &energy_mj)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *energy = (unsigned long long)energy_mj;
    return NVML_SUCCESS;
}

static bool limits_supported(const nvpsim_device *device)
{
    const nvpsim_number *supported = &device->spec->power_supported;
    return supported->state == NVPSIM_GIVEN ? supported->value != 0 : supported->state == NVPSIM_ABSENT;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned int *limit)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!limit) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!limits_supported(own) || nvpsim__device_limit_mw(own) == 0) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *limit = nvpsim__device_limit_mw(own);
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetPowerManagementLimit(nvmlDevice_t device, unsigned int *limit)
{
    return nvpsim__serve_nvmlDeviceGetEnforcedPowerLimit(device, limit);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetPowerManagementDefaultLimit(nvmlDevice_t device, unsigned int *defaultLimit)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (defaultLimit && !limits_supported(own)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    return nvpsim__put_number(defaultLimit, own->spec->power_default_mw);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetPowerManagementLimitConstraints(nvmlDevice_t device, unsigned int *minLimit,
                                                                        unsigned int *maxLimit)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!minLimit || !maxLimit) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!limits_supported(own) || own->spec->power_min_mw.state != NVPSIM_GIVEN ||
        own->spec->power_max_mw.state != NVPSIM_GIVEN) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *minLimit = (unsigned)own->spec->power_min_mw.value;
    *maxLimit = (unsigned)own->spec->power_max_mw.value;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceSetPowerManagementLimit(nvmlDevice_t device, unsigned int limit)
{
    unsigned low, high;
    nvmlReturn_t result = nvpsim__serve_nvmlDeviceGetPowerManagementLimitConstraints(device, &low, &high);
    if (result == NVML_SUCCESS) {
        result = nvpsim__may_change();
    }
    if (result != NVML_SUCCESS) {
        return result;
    }
    if (limit < low || limit > high) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    nvpsim__session_lock();
    bool ok = nvpsim__device_set_limit(nvpsim__device_of(device), /* under the lock: it may just have been exchanged */
                                       nvpsim__now_ns(), limit);
    nvpsim__session_unlock();
    return ok ? NVML_SUCCESS : NVML_ERROR_MEMORY;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceSetPowerManagementLimit_v2(nvmlDevice_t device, nvmlPowerValue_v2_t *powerValue)
{
    if (!powerValue) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (powerValue->version != nvmlPowerValue_v2) {
        return nvpsim__version_mismatch();
    }
    if (powerValue->powerScope != NVML_POWER_SCOPE_GPU) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    return nvpsim__serve_nvmlDeviceSetPowerManagementLimit(device, powerValue->powerValueMw);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetPowerManagementMode(nvmlDevice_t device, nvmlEnableState_t *mode)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!mode) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!limits_supported(own)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *mode = own->spec->power_mode.state == NVPSIM_GIVEN && !own->spec->power_mode.value ? NVML_FEATURE_DISABLED
                                                                                        : NVML_FEATURE_ENABLED;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetPowerSource(nvmlDevice_t device, nvmlPowerSource_t *powerSource)
{
    const nvpsim_number *source = &nvpsim__device_of(device)->spec->power_source;
    if (!powerSource) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *powerSource = source->state == NVPSIM_GIVEN ? (nvmlPowerSource_t)source->value : NVML_POWER_SOURCE_AC;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetPerformanceState(nvmlDevice_t device, nvmlPstates_t *pState)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!pState) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (own->spec->performance_state.state == NVPSIM_NOT_AVAILABLE) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *pState = (nvmlPstates_t)nvpsim__device_performance_state(own, nvpsim__now_ns());
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetPowerState(nvmlDevice_t device, nvmlPstates_t *pState)
{
    const nvpsim_number *state = &nvpsim__device_of(device)->spec->power_state;
    if (!pState || state->state != NVPSIM_GIVEN) {
        return nvpsim__serve_nvmlDeviceGetPerformanceState(device, pState);
    }
    *pState = (nvmlPstates_t)state->value;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetViolationStatus(nvmlDevice_t device, nvmlPerfPolicyType_t perfPolicyType,
                                                        nvmlViolationTime_t *violTime)
{
    (void)device;
    if (!violTime || (unsigned)perfPolicyType >= nvpsim__driver_known[NVPSIM_KNOWN_PERF_POLICIES]) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    violTime->referenceTime = nvpsim__wall_us(nvpsim__now_ns());
    violTime->violationTime = 0;
    return NVML_SUCCESS;
}
