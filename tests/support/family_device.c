/*
 * The driver that knows every version: identity, temperature, fans, power, events, errors, accounting of a device.
 */
#include "family.h"

#include <stdatomic.h>

#define GPU_UUID "GPU-00112233-4455-6677-8899-aabbccddeeff"
#define MIG_UUID "MIG-ffeeddcc-bbaa-9988-7766-554433221100"

static nvmlReturn_t by_text(const char *uuid, nvmlDevice_t *device)
{
    if (strcmp(uuid, GPU_UUID) == 0) {
        *device = FAMILY_DEVICE(0);
    } else if (strcmp(uuid, MIG_UUID) == 0) {
        *device = FAMILY_DEVICE(1);
    } else {
        return NVML_ERROR_NOT_FOUND;
    }
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device)
{
    nvmlReturn_t status = family_begin(device);
    status = status == NVML_SUCCESS && uuid == NULL ? NVML_ERROR_INVALID_ARGUMENT : status;
    return status == NVML_SUCCESS ? by_text(uuid, device) : status;
}

nvmlReturn_t nvmlDeviceGetHandleByUUIDV(const nvmlUUID_t *uuid, nvmlDevice_t *device)
{
    static const unsigned char gpu_bytes[] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                               0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff };
    static const unsigned char mig_bytes[] = { 0xff, 0xee, 0xdd, 0xcc, 0xbb, 0xaa, 0x99, 0x88,
                                               0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0x00 };
    nvmlReturn_t status = family_begin(device);
    status = status == NVML_SUCCESS && uuid == NULL ? NVML_ERROR_INVALID_ARGUMENT : status;
    status = status == NVML_SUCCESS ? family_word(uuid->version, nvmlUUID_v1, nvmlUUID_v1) : status;
    if (status != NVML_SUCCESS) {
        return status;
    }
    if (uuid->type == NVML_UUID_TYPE_ASCII) {
        return by_text(uuid->value.str, device);
    }
    if (uuid->type != NVML_UUID_TYPE_BINARY) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (memcmp(uuid->value.bytes, gpu_bytes, sizeof(gpu_bytes)) == 0) {
        *device = FAMILY_DEVICE(0);
    } else if (memcmp(uuid->value.bytes, mig_bytes, sizeof(mig_bytes)) == 0) {
        *device = FAMILY_DEVICE(1);
    } else {
        return NVML_ERROR_NOT_FOUND;
    }
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, nvmlTemperatureSensors_t sensor, unsigned int *celsius)
{
    nvmlReturn_t status = family_begin_device(device, celsius);
    if (status == NVML_SUCCESS && sensor != NVML_TEMPERATURE_GPU) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (status == NVML_SUCCESS) {
        *celsius = device == FAMILY_DEVICE(0) ? 41 : 0; /* the second one freezes, which this call cannot say */
    }
    return status;
}

nvmlReturn_t nvmlDeviceGetTemperatureV(nvmlDevice_t device, nvmlTemperature_t *temperature)
{
    nvmlReturn_t status = family_begin_device(device, temperature);
    status = status == NVML_SUCCESS ? family_word(temperature->version, nvmlTemperature_v1, nvmlTemperature_v1) : status;
    if (status == NVML_SUCCESS && temperature->sensorType != NVML_TEMPERATURE_GPU) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (status == NVML_SUCCESS) {
        temperature->temperature = device == FAMILY_DEVICE(0) ? 41 : -7;
    }
    return status;
}

nvmlReturn_t nvmlDeviceGetFanSpeed(nvmlDevice_t device, unsigned int *speed)
{
    FAMILY_GIVE(family_begin_device(device, speed), speed, unsigned int, 30);
}

nvmlReturn_t nvmlDeviceGetFanSpeed_v2(nvmlDevice_t device, unsigned int fan, unsigned int *speed)
{
    nvmlReturn_t status = family_begin_device(device, speed);
    FAMILY_GIVE(status == NVML_SUCCESS && fan > 1 ? NVML_ERROR_INVALID_ARGUMENT : status, speed, unsigned int, 30 + fan);
}

static _Atomic unsigned int limit_mw = 300000;

nvmlReturn_t nvmlDeviceGetPowerManagementLimit(nvmlDevice_t device, unsigned int *limit)
{
    FAMILY_GIVE(family_begin_device(device, limit), limit, unsigned int, limit_mw);
}

static nvmlReturn_t set_limit(unsigned int limit)
{
    if (limit < 100000 || limit > 400000) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    limit_mw = limit;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceSetPowerManagementLimit(nvmlDevice_t device, unsigned int limit)
{
    nvmlReturn_t status = family_begin_device(device, &limit);
    return status == NVML_SUCCESS ? set_limit(limit) : status;
}

nvmlReturn_t nvmlDeviceSetPowerManagementLimit_v2(nvmlDevice_t device, nvmlPowerValue_v2_t *value)
{
    nvmlReturn_t status = family_begin_device(device, value);
    status = status == NVML_SUCCESS ? family_word(value->version, nvmlPowerValue_v2, nvmlPowerValue_v2) : status;
    if (status == NVML_SUCCESS && value->powerScope != NVML_POWER_SCOPE_GPU) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    return status == NVML_SUCCESS ? set_limit(value->powerValueMw) : status;
}

static nvmlMask255_t requested;

static nvmlReturn_t change_profiles(const nvmlMask255_t *mask, nvmlPowerProfileOperation_t operation)
{
    for (int i = 0; i < NVML_255_MASK_NUM_ELEMS; i++) {
        unsigned int kept = operation == NVML_POWER_PROFILE_OPERATION_SET_AND_OVERWRITE ? 0 : requested.mask[i];
        requested.mask[i] = operation == NVML_POWER_PROFILE_OPERATION_CLEAR ? kept & ~mask->mask[i] : kept | mask->mask[i];
    }
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceWorkloadPowerProfileGetCurrentProfiles(nvmlDevice_t device,
                                                              nvmlWorkloadPowerProfileCurrentProfiles_t *profiles)
{
    nvmlReturn_t status = family_begin_device(device, profiles);
    if (status == NVML_SUCCESS) {
        profiles->requestedProfilesMask = requested;
    }
    return status;
}

static nvmlReturn_t change_requested(nvmlDevice_t device, const nvmlWorkloadPowerProfileRequestedProfiles_t *profiles,
                                     nvmlPowerProfileOperation_t operation)
{
    unsigned int word = nvmlWorkloadPowerProfileRequestedProfiles_v1;
    nvmlReturn_t status = family_begin_device(device, profiles);
    status = status == NVML_SUCCESS ? family_word(profiles->version, word, word) : status;
    return status == NVML_SUCCESS ? change_profiles(&profiles->requestedProfilesMask, operation) : status;
}

nvmlReturn_t nvmlDeviceWorkloadPowerProfileSetRequestedProfiles(nvmlDevice_t device,
                                                                nvmlWorkloadPowerProfileRequestedProfiles_t *profiles)
{
    return change_requested(device, profiles, NVML_POWER_PROFILE_OPERATION_SET);
}

nvmlReturn_t nvmlDeviceWorkloadPowerProfileClearRequestedProfiles(nvmlDevice_t device,
                                                                  nvmlWorkloadPowerProfileRequestedProfiles_t *profiles)
{
    return change_requested(device, profiles, NVML_POWER_PROFILE_OPERATION_CLEAR);
}

nvmlReturn_t nvmlDeviceWorkloadPowerProfileUpdateProfiles_v1(nvmlDevice_t device,
                                                             nvmlWorkloadPowerProfileUpdateProfiles_v1_t *update)
{
    nvmlReturn_t status = family_begin_device(device, update);
    if (status == NVML_SUCCESS && (unsigned int)update->operation >= NVML_POWER_PROFILE_OPERATION_MAX) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    return status == NVML_SUCCESS ? change_profiles(&update->updateProfilesMask, update->operation) : status;
}

nvmlReturn_t nvmlEventSetWait(nvmlEventSet_t set, nvmlEventData_t *data, unsigned int timeout_ms)
{
    nvmlReturn_t status = set == NULL ? NVML_ERROR_INVALID_ARGUMENT : family_begin(data);
    FAMILY_GIVE(status == NVML_SUCCESS && timeout_ms == 0 ? NVML_ERROR_TIMEOUT : status, data, nvp_EventData_v1_t,
                FAMILY_DEVICE(1), nvmlEventTypeXidCriticalError, 79);
}

nvmlReturn_t nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t *data, unsigned int timeout_ms)
{
    nvmlReturn_t status = set == NULL ? NVML_ERROR_INVALID_ARGUMENT : family_begin(data);
    FAMILY_GIVE(status == NVML_SUCCESS && timeout_ms == 0 ? NVML_ERROR_TIMEOUT : status, data, nvmlEventData_t, FAMILY_DEVICE(1),
                nvmlEventTypeXidCriticalError, 79, 3, 1);
}

nvmlReturn_t nvmlDeviceGetDriverModel(nvmlDevice_t device, nvmlDriverModel_t *current, nvmlDriverModel_t *pending)
{
    nvmlReturn_t status = family_begin_device(device, current);
    status = status == NVML_SUCCESS && pending == NULL ? NVML_ERROR_INVALID_ARGUMENT : status;
    if (status == NVML_SUCCESS) {
        *current = NVML_DRIVER_WDDM;
        *pending = NVML_DRIVER_WDM;
    }
    return status;
}

nvmlReturn_t nvmlDeviceGetDriverModel_v2(nvmlDevice_t device, nvmlDriverModel_t *current, nvmlDriverModel_t *pending)
{
    return nvmlDeviceGetDriverModel(device, current, pending);
}

enum { PAGES = 3 };

static nvmlReturn_t pages_begin(nvmlDevice_t device, unsigned int *count, const void *addresses)
{
    nvmlReturn_t status = family_begin_device(device, count);
    if (status == NVML_SUCCESS && *count < PAGES) {
        *count = PAGES;
        return NVML_ERROR_INSUFFICIENT_SIZE;
    }
    return status == NVML_SUCCESS && addresses == NULL ? NVML_ERROR_INVALID_ARGUMENT : status;
}

nvmlReturn_t nvmlDeviceGetRetiredPages(nvmlDevice_t device, nvmlPageRetirementCause_t cause, unsigned int *count,
                                       unsigned long long *addresses)
{
    nvmlReturn_t status = pages_begin(device, count, addresses);
    for (unsigned int i = 0; status == NVML_SUCCESS && i < PAGES; i++) {
        addresses[i] = 0x10000ull * (i + 1) + (unsigned int)cause;
    }
    if (status == NVML_SUCCESS) {
        *count = PAGES;
    }
    return status;
}

nvmlReturn_t nvmlDeviceGetRetiredPages_v2(nvmlDevice_t device, nvmlPageRetirementCause_t cause, unsigned int *count,
                                          unsigned long long *addresses, unsigned long long *timestamps)
{
    nvmlReturn_t status = nvmlDeviceGetRetiredPages(device, cause, count, addresses);
    if (status == NVML_SUCCESS && timestamps == NULL) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    for (unsigned int i = 0; status == NVML_SUCCESS && i < PAGES; i++) {
        timestamps[i] = 1700000000000000ull + i;
    }
    return status;
}

static const unsigned long long ecc_counts[] = { 5, 7, 11, 13 };

nvmlReturn_t nvmlDeviceGetDetailedEccErrors(nvmlDevice_t device, nvmlMemoryErrorType_t error, nvmlEccCounterType_t counter,
                                            nvmlEccErrorCounts_t *counts)
{
    unsigned long long more = 100ull * (unsigned int)error + 1000ull * (unsigned int)counter;
    FAMILY_GIVE(family_begin_device(device, counts), counts, nvmlEccErrorCounts_t, ecc_counts[0] + more, ecc_counts[1] + more,
                ecc_counts[2] + more, ecc_counts[3] + more);
}

nvmlReturn_t nvmlDeviceGetMemoryErrorCounter(nvmlDevice_t device, nvmlMemoryErrorType_t error, nvmlEccCounterType_t counter,
                                             nvmlMemoryLocation_t location, unsigned long long *count)
{
    nvmlReturn_t status = family_begin_device(device, count);
    if (status == NVML_SUCCESS && (unsigned int)location >= NVML_MEMORY_LOCATION_COUNT) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (status == NVML_SUCCESS && (unsigned int)location >= sizeof(ecc_counts) / sizeof(ecc_counts[0])) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    if (status == NVML_SUCCESS) {
        *count = ecc_counts[location] + 100ull * (unsigned int)error + 1000ull * (unsigned int)counter;
    }
    return status;
}

nvmlReturn_t nvmlDeviceGetAccountingStats(nvmlDevice_t device, unsigned int pid, nvmlAccountingStats_t *stats)
{
    nvmlReturn_t status = family_begin_device(device, stats);
    FAMILY_GIVE(status == NVML_SUCCESS && pid != 4321 ? NVML_ERROR_NOT_FOUND : status, stats, nvmlAccountingStats_t, 77, 33,
                1ull << 33, 90000, 1700000000000000ull, 1, { 0 });
}

nvmlReturn_t nvmlDeviceGetAccountingStats_v2(nvmlDevice_t device, nvmlAccountingStats_v2_t *stats)
{
    nvmlReturn_t status = family_begin_device(device, stats);
    FAMILY_GIVE(status == NVML_SUCCESS && stats->pid != 4321 ? NVML_ERROR_NOT_FOUND : status, stats, nvmlAccountingStats_v2_t,
                4321, 1, 77, 33, 1ull << 33, 12, 924, 396, 90000, 1700000000000000ull);
}
