/*
 * Power limits and power profiles: calls that change the device, served only where the other call does exactly the same.
 */
#include "compat/adapters.h"

#include "compat/driver.h"

nvmlReturn_t nvp__compat_power_limit_v1_from_v2(nvmlDevice_t device, unsigned int limit_mw)
{
    nvmlPowerValue_v2_t value = { .version = nvmlPowerValue_v2, .powerScope = NVML_POWER_SCOPE_GPU, .powerValueMw = limit_mw };
    return NVP__OWN(nvmlDeviceSetPowerManagementLimit_v2)(device, &value);
}

nvmlReturn_t nvp__compat_power_limit_v2_from_v1(nvmlDevice_t device, nvmlPowerValue_v2_t *value)
{
    if (value == NULL) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (value->version != nvmlPowerValue_v2) {
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    }
    if (value->powerScope != NVML_POWER_SCOPE_GPU) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    return NVP__OWN(nvmlDeviceSetPowerManagementLimit)(device, value->powerValueMw);
}

static nvmlReturn_t update(nvmlDevice_t device, nvmlPowerProfileOperation_t operation,
                           const nvmlWorkloadPowerProfileRequestedProfiles_v1_t *profiles)
{
    if (profiles == NULL) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (profiles->version != nvmlWorkloadPowerProfileRequestedProfiles_v1) {
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    }
    nvmlWorkloadPowerProfileUpdateProfiles_v1_t wanted = { .operation = operation,
                                                           .updateProfilesMask = profiles->requestedProfilesMask };
    return NVP__OWN(nvmlDeviceWorkloadPowerProfileUpdateProfiles_v1)(device, &wanted);
}

nvmlReturn_t nvp__compat_profiles_set_from_update(nvmlDevice_t device, nvmlWorkloadPowerProfileRequestedProfiles_v1_t *profiles)
{
    return update(device, NVML_POWER_PROFILE_OPERATION_SET, profiles);
}

nvmlReturn_t nvp__compat_profiles_clear_from_update(nvmlDevice_t device, nvmlWorkloadPowerProfileRequestedProfiles_v1_t *profiles)
{
    return update(device, NVML_POWER_PROFILE_OPERATION_CLEAR, profiles);
}

nvmlReturn_t nvp__compat_profiles_update_from_both(nvmlDevice_t device, nvmlWorkloadPowerProfileUpdateProfiles_v1_t *update)
{
    if (update == NULL) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    nvmlWorkloadPowerProfileRequestedProfiles_v1_t profiles = { .version = nvmlWorkloadPowerProfileRequestedProfiles_v1,
                                                                .requestedProfilesMask = update->updateProfilesMask };
    switch (update->operation) {
    case NVML_POWER_PROFILE_OPERATION_SET:
        return NVP__OWN(nvmlDeviceWorkloadPowerProfileSetRequestedProfiles)(device, &profiles);
    case NVML_POWER_PROFILE_OPERATION_CLEAR:
        return nvp__exported_at(NVP_FN_nvmlDeviceWorkloadPowerProfileClearRequestedProfiles) != NULL
                   ? NVP__OWN(nvmlDeviceWorkloadPowerProfileClearRequestedProfiles)(device, &profiles)
                   : NVML_ERROR_FUNCTION_NOT_FOUND;
    case NVML_POWER_PROFILE_OPERATION_SET_AND_OVERWRITE:
        return NVML_ERROR_NOT_SUPPORTED;
    default:
        return NVML_ERROR_INVALID_ARGUMENT;
    }
}
