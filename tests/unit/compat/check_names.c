/*
 * Calls that only changed their name: each served by the other one, as it is.
 */
#include "compare.h"

#define OF_SYSTEM(function, object) function(object)
#define OF_EXCLUDED(function, object) function(0, object)

#define CHECK_ALIAS(name, type, call)                                                                                            \
    static void check_##name(void **state)                                                                                       \
    {                                                                                                                            \
        (void)state;                                                                                                             \
        CHECK_NUMBER(nvml##name, type, call);                                                                                     \
    }
CHECK_ALIAS(DeviceGetPowerState, nvmlPstates_t, OF_DEVICE)
CHECK_ALIAS(DeviceGetPerformanceState, nvmlPstates_t, OF_DEVICE)
CHECK_ALIAS(DeviceGetCurrentClocksThrottleReasons, unsigned long long, OF_DEVICE)
CHECK_ALIAS(DeviceGetCurrentClocksEventReasons, unsigned long long, OF_DEVICE)
CHECK_ALIAS(DeviceGetSupportedClocksThrottleReasons, unsigned long long, OF_DEVICE)
CHECK_ALIAS(DeviceGetSupportedClocksEventReasons, unsigned long long, OF_DEVICE)
CHECK_ALIAS(SystemGetCudaDriverVersion, int, OF_SYSTEM)
CHECK_ALIAS(SystemGetCudaDriverVersion_v2, int, OF_SYSTEM)
CHECK_ALIAS(GetBlacklistDeviceCount, unsigned int, OF_SYSTEM)
CHECK_ALIAS(GetExcludedDeviceCount, unsigned int, OF_SYSTEM)

/* The simulator excludes no device: the answer of both is a failure, and the same one. */
static void check_GetBlacklistDeviceInfoByIndex(void **state)
{
    nvmlBlacklistDeviceInfo_t info;
    (void)state;
    assert_int_equal(OF_EXCLUDED(nvp_nvmlGetBlacklistDeviceInfoByIndex, &info),
                     OF_EXCLUDED(WHOLE(nvmlGetBlacklistDeviceInfoByIndex), &info));
}

static void check_GetExcludedDeviceInfoByIndex(void **state)
{
    nvmlExcludedDeviceInfo_t info;
    (void)state;
    assert_int_equal(OF_EXCLUDED(nvp_nvmlGetExcludedDeviceInfoByIndex, &info),
                     OF_EXCLUDED(WHOLE(nvmlGetExcludedDeviceInfoByIndex), &info));
}

#define ROW(name) { "nvml" #name, check_##name }
const struct check name_checks[] = {
    ROW(DeviceGetPowerState),
    ROW(DeviceGetPerformanceState),
    ROW(DeviceGetCurrentClocksThrottleReasons),
    ROW(DeviceGetCurrentClocksEventReasons),
    ROW(DeviceGetSupportedClocksThrottleReasons),
    ROW(DeviceGetSupportedClocksEventReasons),
    ROW(SystemGetCudaDriverVersion),
    ROW(SystemGetCudaDriverVersion_v2),
    ROW(GetBlacklistDeviceCount),
    ROW(GetExcludedDeviceCount),
    ROW(GetBlacklistDeviceInfoByIndex),
    ROW(GetExcludedDeviceInfoByIndex),
    { NULL, NULL },
};
