/*
 * Event sets. No event happens in this simulation yet: a wait ends with a time-out, as on a healthy machine.
 */
#include <errno.h>
#include <time.h>

#include "driver/events.h"
#include "driver/serve.h"

enum { SETS_MAX = 256 };

struct nvmlEventSet_st {
    atomic_bool is_open;
};

static struct nvmlEventSet_st sets[SETS_MAX];

/* The open set that a caller's handle is; NULL for anything else. */
static struct nvmlEventSet_st *set_find(nvmlEventSet_t handle)
{
    uintptr_t offset = (uintptr_t)handle - (uintptr_t)sets;
    if (offset >= sizeof sets || offset % sizeof sets[0] != 0)
        return NULL;
    return atomic_load_explicit(&handle->is_open, memory_order_acquire) ? handle : NULL;
}

void nvpsim__event_sets_close(void)
{
    for (int i = 0; i < SETS_MAX; i++)
        atomic_store_explicit(&sets[i].is_open, false, memory_order_release);
}

nvmlReturn_t nvpsim__serve_nvmlEventSetCreate(nvmlEventSet_t *set)
{
    if (!set)
        return NVML_ERROR_INVALID_ARGUMENT;
    for (int i = 0; i < SETS_MAX; i++) {
        bool is_open = false;
        if (atomic_compare_exchange_strong(&sets[i].is_open, &is_open, true)) {
            *set = &sets[i];
            return NVML_SUCCESS;
        }
    }
    return nvpsim__driver_knows_error(NVML_ERROR_INSUFFICIENT_RESOURCES) ? NVML_ERROR_INSUFFICIENT_RESOURCES : NVML_ERROR_UNKNOWN;
}

nvmlReturn_t nvpsim__serve_nvmlEventSetFree(nvmlEventSet_t set)
{
    struct nvmlEventSet_st *open = set_find(set);
    if (!open)
        return NVML_ERROR_INVALID_ARGUMENT;
    atomic_store_explicit(&open->is_open, false, memory_order_release);
    return NVML_SUCCESS;
}

static unsigned long long supported_types(const nvpsim_device *device)
{
    unsigned long long types = nvmlEventTypeXidCriticalError | nvmlEventTypePState | nvmlEventTypeClock;
    if (device->spec->ecc_current.state == NVPSIM_GIVEN)
        types |= nvmlEventTypeSingleBitEccError | nvmlEventTypeDoubleBitEccError;
    return types;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetSupportedEventTypes(nvmlDevice_t device, unsigned long long *eventTypes)
{
    if (!eventTypes)
        return NVML_ERROR_INVALID_ARGUMENT;
    *eventTypes = supported_types(nvpsim__device_of(device));
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceRegisterEvents(nvmlDevice_t device, unsigned long long eventTypes, nvmlEventSet_t set)
{
    if (!set_find(set))
        return NVML_ERROR_INVALID_ARGUMENT;
    return eventTypes & ~supported_types(nvpsim__device_of(device)) ? NVML_ERROR_NOT_SUPPORTED : NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t *data, unsigned int timeoutms)
{
    if (!data || !set_find(set))
        return NVML_ERROR_INVALID_ARGUMENT;
    struct timespec left = { (time_t)(timeoutms / 1000), (long)(timeoutms % 1000) * 1000000 };
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
    return NVML_ERROR_TIMEOUT;
}

nvmlReturn_t nvpsim__serve_nvmlEventSetWait(nvmlEventSet_t set, nvmlEventData_t *data, unsigned int timeoutms)
{
    return nvpsim__serve_nvmlEventSetWait_v2(set, data, timeoutms);
}
