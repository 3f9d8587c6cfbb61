/*
 * Field ids that a driver numbers in another way than the newest header, which is what callers use. Both renumberings move ids
 * within themselves, so that each id has one equivalent and the caller's own ids can be put back.
 */
#include "compat/adapters.h"

#include "compat/driver.h"

typedef unsigned int renumber_fn(unsigned int id);
typedef __typeof__(&nvp_nvmlDeviceGetFieldValues) fields_fn;

/* 575.51 to 580.76 put five ids before those of power smoothing, which later drivers put behind them. */
#define SMOOTHING_FIRST NVML_FI_PWR_SMOOTHING_ENABLED
#define SMOOTHING_LAST NVML_FI_PWR_SMOOTHING_ADMIN_OVERRIDE_RAMP_DOWN_HYST_VAL
#define MOVED_FIRST NVML_FI_DEV_CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN
#define MOVED_LAST NVML_FI_DEV_POWER_SYNC_BALANCING_AF
#define MOVED (MOVED_LAST - MOVED_FIRST + 1)
#define SMOOTHING (SMOOTHING_LAST - SMOOTHING_FIRST + 1)
_Static_assert(MOVED_FIRST == SMOOTHING_LAST + 1, "the two ranges touch");

static unsigned int to_575(unsigned int id)
{
    if (id >= SMOOTHING_FIRST && id <= SMOOTHING_LAST) {
        return id + MOVED;
    }
    return id >= MOVED_FIRST && id <= MOVED_LAST ? id - SMOOTHING : id;
}

static unsigned int from_575(unsigned int id)
{
    if (id >= SMOOTHING_FIRST && id < SMOOTHING_FIRST + MOVED) {
        return id + SMOOTHING;
    }
    return id >= SMOOTHING_FIRST + MOVED && id <= MOVED_LAST ? id - MOVED : id;
}

/* 555 to 565 have these two the other way round. */
static unsigned int swap_555(unsigned int id)
{
    switch (id) {
    case NVML_FI_DEV_IS_MIG_MODE_INDEPENDENT_MIG_QUERY_CAPABLE:
        return NVML_FI_DEV_NVLINK_GET_POWER_THRESHOLD_MAX;
    case NVML_FI_DEV_NVLINK_GET_POWER_THRESHOLD_MAX:
        return NVML_FI_DEV_IS_MIG_MODE_INDEPENDENT_MIG_QUERY_CAPABLE;
    default:
        return id;
    }
}

static void renumber(renumber_fn *change, int count, nvmlFieldValue_t *values)
{
    for (int i = 0; i < count; i++) {
        values[i].fieldId = change(values[i].fieldId);
    }
}

static nvmlReturn_t call(fields_fn own, renumber_fn *there, renumber_fn *back, nvmlDevice_t device, int count,
                         nvmlFieldValue_t *values)
{
    if (values == NULL) {
        return own(device, count, values);
    }
    renumber(there, count, values);
    nvmlReturn_t status = own(device, count, values);
    renumber(back, count, values);
    return status;
}

nvmlReturn_t nvp__compat_get_fields_251(nvmlDevice_t device, int count, nvmlFieldValue_t *values)
{
    return call(NVP__OWN(nvmlDeviceGetFieldValues), to_575, from_575, device, count, values);
}

nvmlReturn_t nvp__compat_get_fields_199(nvmlDevice_t device, int count, nvmlFieldValue_t *values)
{
    return call(NVP__OWN(nvmlDeviceGetFieldValues), swap_555, swap_555, device, count, values);
}

nvmlReturn_t nvp__compat_clear_fields_251(nvmlDevice_t device, int count, nvmlFieldValue_t *values)
{
    return call(NVP__OWN(nvmlDeviceClearFieldValues), to_575, from_575, device, count, values);
}

nvmlReturn_t nvp__compat_clear_fields_199(nvmlDevice_t device, int count, nvmlFieldValue_t *values)
{
    return call(NVP__OWN(nvmlDeviceClearFieldValues), swap_555, swap_555, device, count, values);
}
