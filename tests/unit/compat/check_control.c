/*
 * Temperature, fans, power, events, errors, accounting: each call served by another one.
 */
#include "compare.h"

static void temperature(void **state)
{
    unsigned int celsius = 77;
    (void)state;
    assert_int_equal(nvp_nvmlDeviceGetTemperature(device_at(0), NVML_TEMPERATURE_GPU, &celsius), NVML_SUCCESS);
    assert_int_equal(celsius, 41);
    assert_int_equal(nvp_nvmlDeviceGetTemperature(device_at(1), NVML_TEMPERATURE_GPU, &celsius), NVML_SUCCESS);
    assert_int_equal(celsius, 0); /* of -7 */
    assert_int_equal(nvp_nvmlDeviceGetTemperature(device_at(1), NVML_TEMPERATURE_COUNT, &celsius), NVML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(nvp_nvmlDeviceGetTemperature(device_at(1), NVML_TEMPERATURE_GPU, NULL), NVML_ERROR_INVALID_ARGUMENT);
}

static void temperature_v(void **state)
{
    nvmlTemperature_v1_t other = { .version = nvmlTemperature_v1, .sensorType = NVML_TEMPERATURE_COUNT };
    (void)state;
    CHECK_STRUCT(
        nvmlDeviceGetTemperatureV, nvmlTemperature_v1_t, OF_DEVICE, {
            object->version = nvmlTemperature_v1;
            object->sensorType = NVML_TEMPERATURE_GPU;
        }, );
    CHECK_WORD(nvmlDeviceGetTemperatureV, nvmlTemperature_v1_t, OF_DEVICE);
    assert_int_equal(nvp_nvmlDeviceGetTemperatureV(device_at(0), &other), NVML_ERROR_INVALID_ARGUMENT);
}

static void fan_speed_v1(void **state)
{
    (void)state;
    CHECK_NUMBER(nvmlDeviceGetFanSpeed, unsigned int, OF_DEVICE);
}

#define OF_FAN(function, object) function(device_at(0), 0, object)

static void fan_speed_v2(void **state)
{
    unsigned int percent = 7;
    (void)state;
    CHECK_NUMBER(nvmlDeviceGetFanSpeed_v2, unsigned int, OF_FAN);
    assert_int_equal(nvp_nvmlDeviceGetFanSpeed_v2(device_at(0), 1, &percent), NVML_ERROR_NOT_SUPPORTED);
    assert_int_equal(percent, 7);
}

static unsigned int limit_mw(void)
{
    unsigned int limit = 0;
    assert_int_equal(nvp_nvmlDeviceGetPowerManagementLimit(device_at(0), &limit), NVML_SUCCESS);
    return limit;
}

static void power_limit_v1(void **state)
{
    (void)state;
    assert_int_equal(nvp_nvmlDeviceSetPowerManagementLimit(device_at(0), 222000), NVML_SUCCESS);
    assert_int_equal(limit_mw(), 222000);
    assert_int_equal(nvp_nvmlDeviceSetPowerManagementLimit(device_at(0), 1), NVML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(limit_mw(), 222000);
}

static void power_limit_v2(void **state)
{
    nvmlPowerValue_v2_t value = { .version = nvmlPowerValue_v2, .powerScope = NVML_POWER_SCOPE_GPU, .powerValueMw = 233000 };
    (void)state;
    assert_int_equal(nvp_nvmlDeviceSetPowerManagementLimit_v2(device_at(0), &value), NVML_SUCCESS);
    assert_int_equal(limit_mw(), 233000);
    value.powerScope = NVML_POWER_SCOPE_MODULE;
    value.powerValueMw = 250000;
    assert_int_equal(nvp_nvmlDeviceSetPowerManagementLimit_v2(device_at(0), &value), NVML_ERROR_NOT_SUPPORTED);
    value.version = 2;
    assert_int_equal(nvp_nvmlDeviceSetPowerManagementLimit_v2(device_at(0), &value), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
    assert_int_equal(nvp_nvmlDeviceSetPowerManagementLimit_v2(device_at(0), NULL), NVML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(limit_mw(), 233000);
}

static unsigned int requested_profiles(void)
{
    nvmlWorkloadPowerProfileCurrentProfiles_t current = { .version = nvmlWorkloadPowerProfileCurrentProfiles_v1 };
    assert_int_equal(nvp_nvmlDeviceWorkloadPowerProfileGetCurrentProfiles(device_at(0), &current), NVML_SUCCESS);
    return current.requestedProfilesMask.mask[1];
}

static nvmlReturn_t update_profiles(nvmlPowerProfileOperation_t operation, unsigned int bits)
{
    nvmlWorkloadPowerProfileUpdateProfiles_v1_t update = { .operation = operation, .updateProfilesMask.mask[1] = bits };
    return nvp_nvmlDeviceWorkloadPowerProfileUpdateProfiles_v1(device_at(0), &update);
}

static void profiles_update(void **state)
{
    (void)state;
    assert_int_equal(update_profiles(NVML_POWER_PROFILE_OPERATION_SET, 6), NVML_SUCCESS);
    assert_int_equal(requested_profiles(), 6);
    assert_int_equal(update_profiles(NVML_POWER_PROFILE_OPERATION_CLEAR, 4), NVML_SUCCESS);
    assert_int_equal(requested_profiles(), 2);
    assert_int_equal(update_profiles(NVML_POWER_PROFILE_OPERATION_SET_AND_OVERWRITE, 1), NVML_ERROR_NOT_SUPPORTED);
    assert_int_equal(update_profiles(NVML_POWER_PROFILE_OPERATION_MAX, 1), NVML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(nvp_nvmlDeviceWorkloadPowerProfileUpdateProfiles_v1(device_at(0), NULL), NVML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(requested_profiles(), 2);
}

static void profiles_set(void **state)
{
    nvmlWorkloadPowerProfileRequestedProfiles_t profiles = { .version = nvmlWorkloadPowerProfileRequestedProfiles_v1,
                                                             .requestedProfilesMask.mask[1] = 12 };
    (void)state;
    assert_int_equal(update_profiles(NVML_POWER_PROFILE_OPERATION_SET_AND_OVERWRITE, 0), NVML_SUCCESS);
    assert_int_equal(nvp_nvmlDeviceWorkloadPowerProfileSetRequestedProfiles(device_at(0), &profiles), NVML_SUCCESS);
    profiles.requestedProfilesMask.mask[1] = 3;
    assert_int_equal(nvp_nvmlDeviceWorkloadPowerProfileSetRequestedProfiles(device_at(0), &profiles), NVML_SUCCESS);
    assert_int_equal(requested_profiles(), 15);
    profiles.version = 1;
    assert_int_equal(nvp_nvmlDeviceWorkloadPowerProfileSetRequestedProfiles(device_at(0), &profiles),
                     NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
    assert_int_equal(nvp_nvmlDeviceWorkloadPowerProfileSetRequestedProfiles(device_at(0), NULL), NVML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(requested_profiles(), 15);
}

static void profiles_clear(void **state)
{
    nvmlWorkloadPowerProfileRequestedProfiles_t profiles = { .version = nvmlWorkloadPowerProfileRequestedProfiles_v1,
                                                             .requestedProfilesMask.mask[1] = 4 };
    (void)state;
    assert_int_equal(update_profiles(NVML_POWER_PROFILE_OPERATION_SET_AND_OVERWRITE, 5), NVML_SUCCESS);
    assert_int_equal(nvp_nvmlDeviceWorkloadPowerProfileClearRequestedProfiles(device_at(0), &profiles), NVML_SUCCESS);
    assert_int_equal(requested_profiles(), 1);
}

static char event_set;
#define OF_SET(function, object) function((nvmlEventSet_t)(void *)&event_set, object, 10)

static void event_v1(void **state)
{
    nvmlEventData_t data;
    (void)state;
    CHECK_STRUCT(nvmlEventSetWait, nvp_EventData_v1_t, OF_SET, , );
    memset(&data, FILL, sizeof(data));
    assert_int_equal(nvp_nvmlEventSetWait((nvmlEventSet_t)(void *)&event_set, &data, 0), NVML_ERROR_TIMEOUT);
    ASSERT_UNTOUCHED(&data, sizeof(data));
}

static void event_v2(void **state)
{
    nvmlEventData_t data;
    (void)state;
    CHECK_STRUCT(nvmlEventSetWait_v2, nvmlEventData_t, OF_SET, , {
        set_unknown("nvmlEventData_t", object, "gpuInstanceId");
        set_unknown("nvmlEventData_t", object, "computeInstanceId");
    });
    memset(&data, FILL, sizeof(data));
    assert_int_equal(nvp_nvmlEventSetWait_v2((nvmlEventSet_t)(void *)&event_set, &data, 0), NVML_ERROR_TIMEOUT);
    ASSERT_UNTOUCHED(&data, sizeof(data));
}

static void driver_model(void **state)
{
    nvmlDriverModel_t current = NVML_DRIVER_MCDM;
    nvmlDriverModel_t pending = NVML_DRIVER_MCDM;
    bool is_v1 = !nvp_function_available(nvp_function_find("nvmlDeviceGetDriverModel"));
    (void)state;
    assert_int_equal((is_v1 ? nvp_nvmlDeviceGetDriverModel : nvp_nvmlDeviceGetDriverModel_v2)(device_at(0), &current, &pending),
                     NVML_SUCCESS);
    assert_int_equal(current, NVML_DRIVER_WDDM);
    assert_int_equal(pending, NVML_DRIVER_WDM);
}

enum { PAGES = 3 };

static void retired_v1(void **state)
{
    unsigned long long addresses[PAGES + 1] = { 1, 1, 1, 77 };
    unsigned int count = 0;
    (void)state;
    assert_int_equal(nvp_nvmlDeviceGetRetiredPages(device_at(0), NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR, &count, NULL),
                     NVML_ERROR_INSUFFICIENT_SIZE);
    assert_int_equal(count, PAGES);
    assert_int_equal(
        nvp_nvmlDeviceGetRetiredPages(device_at(0), NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR, &count, addresses),
        NVML_SUCCESS);
    assert_int_equal(count, PAGES);
    assert_int_equal(addresses[2], 0x30001);
    assert_int_equal(addresses[3], 77);
    count = 100000; /* more than the adapter has time stamps for */
    assert_int_equal(
        nvp_nvmlDeviceGetRetiredPages(device_at(0), NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR, &count, addresses),
        NVML_SUCCESS);
    assert_int_equal(count, PAGES);
    assert_int_equal(
        nvp_nvmlDeviceGetRetiredPages(device_at(0), NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR, NULL, addresses),
        NVML_ERROR_INVALID_ARGUMENT);
}

static void retired_v2(void **state)
{
    unsigned long long addresses[PAGES] = { 0 };
    unsigned long long timestamps[PAGES + 1] = { 1, 1, 1, 77 };
    nvmlPageRetirementCause_t cause = NVML_PAGE_RETIREMENT_CAUSE_MULTIPLE_SINGLE_BIT_ECC_ERRORS;
    unsigned int count = 0;
    (void)state;
    assert_int_equal(nvp_nvmlDeviceGetRetiredPages_v2(device_at(0), cause, &count, NULL, NULL), NVML_ERROR_INSUFFICIENT_SIZE);
    assert_int_equal(count, PAGES);
    assert_int_equal(nvp_nvmlDeviceGetRetiredPages_v2(device_at(0), cause, &count, addresses, NULL), NVML_ERROR_INVALID_ARGUMENT);
    count = PAGES + 1;
    assert_int_equal(nvp_nvmlDeviceGetRetiredPages_v2(device_at(0), cause, &count, addresses, timestamps), NVML_SUCCESS);
    assert_int_equal(count, PAGES);
    assert_int_equal(addresses[0], 0x10000);
    assert_true(timestamps[0] == ~0ull && timestamps[2] == ~0ull && timestamps[3] == 77);
}

#define OF_COUNTER(function, object)                                                                                             \
    function(device_at(0), NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_AGGREGATE_ECC, object)

static void ecc_detail(void **state)
{
    (void)state;
    CHECK_STRUCT(nvmlDeviceGetDetailedEccErrors, nvmlEccErrorCounts_t, OF_COUNTER, , );
}

#define OF_L2(function, object)                                                                                                  \
    function(device_at(0), NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_AGGREGATE_ECC, NVML_MEMORY_LOCATION_L2_CACHE, object)

static void ecc_counter(void **state)
{
    unsigned long long count = 7;
    (void)state;
    CHECK_NUMBER(nvmlDeviceGetMemoryErrorCounter, unsigned long long, OF_L2);
    assert_int_equal(nvp_nvmlDeviceGetMemoryErrorCounter(device_at(0), 0, 0, NVML_MEMORY_LOCATION_SRAM, &count),
                     NVML_ERROR_NOT_SUPPORTED);
    assert_int_equal(nvp_nvmlDeviceGetMemoryErrorCounter(device_at(0), 0, 0, NVML_MEMORY_LOCATION_COUNT, &count),
                     NVML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(count, 7);
}

#define OF_PROCESS(function, object) function(device_at(0), 4321, object)

static void accounting_v1(void **state)
{
    nvmlAccountingStats_t stats;
    (void)state;
    CHECK_STRUCT(nvmlDeviceGetAccountingStats, nvmlAccountingStats_t, OF_PROCESS, , );
    assert_int_equal(nvp_nvmlDeviceGetAccountingStats(device_at(0), 1, &stats), NVML_ERROR_NOT_FOUND);
}

static void accounting_v2(void **state)
{
    (void)state;
    CHECK_STRUCT(nvmlDeviceGetAccountingStats_v2, nvmlAccountingStats_v2_t, OF_DEVICE, object->pid = 4321, {
        set_unknown("nvmlAccountingStats_v2_t", object, "sampleCount");
        set_unknown("nvmlAccountingStats_v2_t", object, "sumGpuUtil");
        set_unknown("nvmlAccountingStats_v2_t", object, "sumFbUtil");
    });
}

const struct check control_checks[] = {
    { "nvmlDeviceGetTemperature", temperature },
    { "nvmlDeviceGetTemperatureV", temperature_v },
    { "nvmlDeviceGetFanSpeed", fan_speed_v1 },
    { "nvmlDeviceGetFanSpeed_v2", fan_speed_v2 },
    { "nvmlDeviceSetPowerManagementLimit", power_limit_v1 },
    { "nvmlDeviceSetPowerManagementLimit_v2", power_limit_v2 },
    { "nvmlDeviceWorkloadPowerProfileSetRequestedProfiles", profiles_set },
    { "nvmlDeviceWorkloadPowerProfileClearRequestedProfiles", profiles_clear },
    { "nvmlDeviceWorkloadPowerProfileUpdateProfiles_v1", profiles_update },
    { "nvmlEventSetWait", event_v1 },
    { "nvmlEventSetWait_v2", event_v2 },
    { "nvmlDeviceGetDriverModel", driver_model },
    { "nvmlDeviceGetDriverModel_v2", driver_model },
    { "nvmlDeviceGetRetiredPages", retired_v1 },
    { "nvmlDeviceGetRetiredPages_v2", retired_v2 },
    { "nvmlDeviceGetDetailedEccErrors", ecc_detail },
    { "nvmlDeviceGetMemoryErrorCounter", ecc_counter },
    { "nvmlDeviceGetAccountingStats", accounting_v1 },
    { "nvmlDeviceGetAccountingStats_v2", accounting_v2 },
    { NULL, NULL },
};
