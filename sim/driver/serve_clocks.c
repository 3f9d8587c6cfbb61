/*
 * Answers about clocks: current, highest, application, supported, locked, and why they are what they are.
 */
#include "driver/serve.h"

static bool domain_of(nvmlClockType_t type, nvpsim_clock_domain *domain)
{
    switch (type) {
    case NVML_CLOCK_GRAPHICS:
        *domain = NVPSIM_GRAPHICS;
        return true;
    case NVML_CLOCK_SM:
        *domain = NVPSIM_SM;
        return true;
    case NVML_CLOCK_MEM:
        *domain = NVPSIM_MEMORY_CLOCK;
        return true;
    case NVML_CLOCK_VIDEO:
        *domain = NVPSIM_VIDEO;
        return nvpsim__driver_known[NVPSIM_KNOWN_CLOCK_TYPES] > NVML_CLOCK_VIDEO;
    default:
        return false;
    }
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned int *clock)
{
    nvpsim_clock_domain domain;
    if (!clock || !domain_of(type, &domain)) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    return nvpsim__device_clock(nvpsim__device_of(device), domain, nvpsim__now_ns(), clock) ? NVML_SUCCESS
                                                                                            : NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned int *clock)
{
    nvpsim_clock_domain domain;
    if (!clock || !domain_of(type, &domain)) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    return nvpsim__device_clock_max(nvpsim__device_of(device), domain, clock) ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetMaxCustomerBoostClock(nvmlDevice_t device, nvmlClockType_t clockType,
                                                              unsigned int *clockMHz)
{
    return nvpsim__serve_nvmlDeviceGetMaxClockInfo(device, clockType, clockMHz);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetApplicationsClock(nvmlDevice_t device, nvmlClockType_t clockType, unsigned int *clockMHz)
{
    const nvpsim_settings *settings = nvpsim__device_of(device)->settings;
    nvpsim_clock_domain domain;
    if (!clockMHz || !domain_of(clockType, &domain)) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    unsigned mhz = 0;
    if (domain == NVPSIM_GRAPHICS || domain == NVPSIM_SM) {
        mhz = atomic_load_explicit(&settings->graphics_app_mhz, memory_order_relaxed);
    } else if (domain == NVPSIM_MEMORY_CLOCK) {
        mhz = atomic_load_explicit(&settings->memory_app_mhz, memory_order_relaxed);
    }
    if (mhz == 0) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *clockMHz = mhz;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetDefaultApplicationsClock(nvmlDevice_t device, nvmlClockType_t clockType,
                                                                 unsigned int *clockMHz)
{
    const nvpsim_device_spec *spec = nvpsim__device_of(device)->spec;
    nvpsim_clock_domain domain;
    if (!clockMHz || !domain_of(clockType, &domain)) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (domain == NVPSIM_VIDEO) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    return nvpsim__put_number(clockMHz,
                              domain == NVPSIM_MEMORY_CLOCK ? spec->memory_app_default_mhz : spec->graphics_app_default_mhz);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetClock(nvmlDevice_t device, nvmlClockType_t clockType, nvmlClockId_t clockId,
                                              unsigned int *clockMHz)
{
    switch (clockId) {
    case NVML_CLOCK_ID_CURRENT:
        return nvpsim__serve_nvmlDeviceGetClockInfo(device, clockType, clockMHz);
    case NVML_CLOCK_ID_APP_CLOCK_TARGET:
        return nvpsim__serve_nvmlDeviceGetApplicationsClock(device, clockType, clockMHz);
    case NVML_CLOCK_ID_APP_CLOCK_DEFAULT:
        return nvpsim__serve_nvmlDeviceGetDefaultApplicationsClock(device, clockType, clockMHz);
    case NVML_CLOCK_ID_CUSTOMER_BOOST_MAX:
        return nvpsim__serve_nvmlDeviceGetMaxCustomerBoostClock(device, clockType, clockMHz);
    default:
        return NVML_ERROR_INVALID_ARGUMENT;
    }
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetSupportedMemoryClocks(nvmlDevice_t device, unsigned int *count, unsigned int *clocksMHz)
{
    const nvpsim_clock_pairs *pairs = &nvpsim__device_of(device)->spec->supported_clocks;
    if (count && pairs->count == 0) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    nvmlReturn_t result = nvpsim__list_room(count, clocksMHz, (unsigned)pairs->count);
    for (size_t i = 0; result == NVML_SUCCESS && i < pairs->count; i++) {
        clocksMHz[i] = (unsigned)pairs->items[i].memory_mhz.value;
    }
    return result;
}

static const nvpsim_numbers *graphics_of(const nvpsim_device *device, unsigned memory_mhz)
{
    const nvpsim_clock_pairs *pairs = &device->spec->supported_clocks;
    for (size_t i = 0; i < pairs->count; i++) {
        if (pairs->items[i].memory_mhz.value == memory_mhz) {
            return &pairs->items[i].graphics_mhz;
        }
    }
    return NULL;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetSupportedGraphicsClocks(nvmlDevice_t device, unsigned int memoryClockMHz,
                                                                unsigned int *count, unsigned int *clocksMHz)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!count) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (own->spec->supported_clocks.count == 0) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    const nvpsim_numbers *clocks = graphics_of(own, memoryClockMHz);
    if (!clocks) {
        return NVML_ERROR_NOT_FOUND;
    }
    nvmlReturn_t result = nvpsim__list_room(count, clocksMHz, (unsigned)clocks->count);
    for (size_t i = 0; result == NVML_SUCCESS && i < clocks->count; i++) {
        clocksMHz[i] = (unsigned)clocks->values[i];
    }
    return result;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceSetApplicationsClocks(nvmlDevice_t device, unsigned int memClockMHz,
                                                           unsigned int graphicsClockMHz)
{
    nvpsim_device *own = nvpsim__device_of(device);
    if (own->spec->graphics_app_default_mhz.state != NVPSIM_GIVEN) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    nvmlReturn_t result = nvpsim__may_change();
    if (result != NVML_SUCCESS) {
        return result;
    }
    const nvpsim_numbers *clocks = graphics_of(own, memClockMHz);
    for (size_t i = 0; clocks && i < clocks->count; i++) {
        if (clocks->values[i] != graphicsClockMHz) {
            continue;
        }
        atomic_store_explicit(&own->settings->memory_app_mhz, memClockMHz, memory_order_relaxed);
        atomic_store_explicit(&own->settings->graphics_app_mhz, graphicsClockMHz, memory_order_relaxed);
        return NVML_SUCCESS;
    }
    return NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceResetApplicationsClocks(nvmlDevice_t device)
{
    nvpsim_device *own = nvpsim__device_of(device);
    if (own->spec->graphics_app_default_mhz.state != NVPSIM_GIVEN) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    nvmlReturn_t result = nvpsim__may_change();
    if (result != NVML_SUCCESS) {
        return result;
    }
    atomic_store_explicit(&own->settings->memory_app_mhz, (unsigned)own->spec->memory_app_default_mhz.value,
                          memory_order_relaxed);
    atomic_store_explicit(&own->settings->graphics_app_mhz, (unsigned)own->spec->graphics_app_default_mhz.value,
                          memory_order_relaxed);
    return NVML_SUCCESS;
}

static nvmlReturn_t range_set(_Atomic unsigned *low, _Atomic unsigned *high, unsigned low_mhz, unsigned high_mhz)
{
    nvmlReturn_t result = nvpsim__may_change();
    if (result != NVML_SUCCESS) {
        return result;
    }
    atomic_store_explicit(low, low_mhz, memory_order_relaxed);
    atomic_store_explicit(high, high_mhz, memory_order_relaxed);
    return NVML_SUCCESS;
}

/* NVML_SUCCESS where a clock can be locked to a range. */
static nvmlReturn_t range_check(const nvpsim_device *own, nvpsim_clock_domain domain, unsigned low_mhz, unsigned high_mhz)
{
    unsigned most;
    if (!nvpsim__device_clock_max(own, domain, &most)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    return low_mhz == 0 || low_mhz > high_mhz || high_mhz > most ? NVML_ERROR_INVALID_ARGUMENT : NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceSetGpuLockedClocks(nvmlDevice_t device, unsigned int minGpuClockMHz,
                                                        unsigned int maxGpuClockMHz)
{
    nvpsim_device *own = nvpsim__device_of(device);
    nvmlReturn_t result = range_check(own, NVPSIM_GRAPHICS, minGpuClockMHz, maxGpuClockMHz);
    if (result != NVML_SUCCESS) {
        return result;
    }
    return range_set(&own->settings->graphics_low_mhz, &own->settings->graphics_high_mhz, minGpuClockMHz, maxGpuClockMHz);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceResetGpuLockedClocks(nvmlDevice_t device)
{
    nvpsim_device *own = nvpsim__device_of(device);
    return range_set(&own->settings->graphics_low_mhz, &own->settings->graphics_high_mhz, 0, 0);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceSetMemoryLockedClocks(nvmlDevice_t device, unsigned int minMemClockMHz,
                                                           unsigned int maxMemClockMHz)
{
    nvpsim_device *own = nvpsim__device_of(device);
    nvmlReturn_t result = range_check(own, NVPSIM_MEMORY_CLOCK, minMemClockMHz, maxMemClockMHz);
    if (result != NVML_SUCCESS) {
        return result;
    }
    return range_set(&own->settings->memory_low_mhz, &own->settings->memory_high_mhz, minMemClockMHz, maxMemClockMHz);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceResetMemoryLockedClocks(nvmlDevice_t device)
{
    nvpsim_device *own = nvpsim__device_of(device);
    return range_set(&own->settings->memory_low_mhz, &own->settings->memory_high_mhz, 0, 0);
}

/* In the order of nvml-mock's names, which is that of NVPSIM_THROTTLE_REASONS. */
static const unsigned long long reason_bits[NVPSIM_THROTTLE_REASONS] = {
    nvmlClocksEventReasonGpuIdle,
    nvmlClocksEventReasonApplicationsClocksSetting,
    nvmlClocksEventReasonSwPowerCap,
    nvmlClocksThrottleReasonHwSlowdown,
    nvmlClocksEventReasonSyncBoost,
    nvmlClocksEventReasonSwThermalSlowdown,
    nvmlClocksThrottleReasonHwThermalSlowdown,
    nvmlClocksThrottleReasonHwPowerBrakeSlowdown,
    nvmlClocksEventReasonDisplayClockSetting,
};

/* The reasons that a driver can give; newer ones were told as none. */
static unsigned long long reasons_known(void)
{
    if (nvpsim__driver_since(390, 157, 0)) {
        return nvmlClocksEventReasonAll;
    }
    return nvpsim__driver_since(375, 20, 0) ? 0x1f : 0xf;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t device, unsigned long long *clocksEventReasons)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    uint64_t now_ns = nvpsim__now_ns();
    double load = 0;
    if (!clocksEventReasons) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    nvpsim__device_load(own, NVPSIM_ENGINE_GPU, now_ns, &load);
    uint64_t reasons = 0;
    bool is_recorded = nvpsim__device_clock_reasons(own, now_ns, &reasons);
    for (int i = 0; i < NVPSIM_THROTTLE_REASONS && !is_recorded; i++) {
        nvpsim_number stated = own->spec->throttle[i];
        bool follows = (i == 0 && load < 1) || (i == 2 && nvpsim__device_is_power_capped(own, now_ns));
        if (stated.state == NVPSIM_GIVEN ? stated.value != 0 : follows) {
            reasons |= reason_bits[i];
        }
    }
    *clocksEventReasons = reasons & reasons_known();
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device,
                                                                     unsigned long long *clocksThrottleReasons)
{
    return nvpsim__serve_nvmlDeviceGetCurrentClocksEventReasons(device, clocksThrottleReasons);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetSupportedClocksEventReasons(nvmlDevice_t device,
                                                                    unsigned long long *supportedClocksEventReasons)
{
    (void)device;
    if (!supportedClocksEventReasons) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *supportedClocksEventReasons = reasons_known();
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetSupportedClocksThrottleReasons(nvmlDevice_t device,
                                                                       unsigned long long *supportedClocksThrottleReasons)
{
    return nvpsim__serve_nvmlDeviceGetSupportedClocksEventReasons(device, supportedClocksThrottleReasons);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetAdaptiveClockInfoStatus(nvmlDevice_t device, unsigned int *adaptiveClockStatus)
{
    (void)device;
    if (!adaptiveClockStatus) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *adaptiveClockStatus = NVML_ADAPTIVE_CLOCKING_INFO_STATUS_ENABLED;
    return NVML_SUCCESS;
}

/* The size is in bytes; what is left of the array is filled with "unknown". */
nvmlReturn_t nvpsim__serve_nvmlDeviceGetSupportedPerformanceStates(nvmlDevice_t device, nvmlPstates_t *pstates, unsigned int size)
{
    static const nvmlPstates_t states[] = { NVML_PSTATE_0, NVML_PSTATE_2, NVML_PSTATE_5, NVML_PSTATE_8 };
    enum { COUNT = sizeof states / sizeof states[0] };
    if (!pstates) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (nvpsim__device_of(device)->spec->performance_state.state == NVPSIM_NOT_AVAILABLE) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    if (size < sizeof states) {
        return NVML_ERROR_INSUFFICIENT_SIZE;
    }
    for (unsigned i = 0; i < size / sizeof states[0]; i++) {
        pstates[i] = i < COUNT ? states[i] : NVML_PSTATE_UNKNOWN;
    }
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetMinMaxClockOfPState(nvmlDevice_t device, nvmlClockType_t type, nvmlPstates_t pstate,
                                                            unsigned int *minClockMHz, unsigned int *maxClockMHz)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    nvpsim_clock_domain domain;
    unsigned most;
    if (!minClockMHz || !maxClockMHz || !domain_of(type, &domain) || (unsigned)pstate > NVML_PSTATE_15) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!nvpsim__device_clock_max(own, domain, &most)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    nvpsim_number idle = domain == NVPSIM_MEMORY_CLOCK ? own->spec->memory_idle_mhz : own->spec->graphics_idle_mhz;
    unsigned least = idle.state == NVPSIM_GIVEN ? (unsigned)idle.value : most;
    *minClockMHz = least < most ? least : most;
    *maxClockMHz = pstate == NVML_PSTATE_8 ? *minClockMHz : most;
    return NVML_SUCCESS;
}
