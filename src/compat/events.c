/*
 * An event that was waited for: 24 bytes until 440, 32 with the instance ids since 450.
 */
#include "compat/adapters.h"

#include "compat/driver.h"

nvmlReturn_t nvp__compat_event_v1_from_v2(nvmlEventSet_t set, nvp_EventData_v1_t *data, unsigned int timeout_ms)
{
    nvmlEventData_t newer = { 0 };
    nvmlReturn_t status = NVP__OWN(nvmlEventSetWait_v2)(set, data != NULL ? &newer : NULL, timeout_ms);
    if (status == NVML_SUCCESS && data != NULL) {
        /* the third word was called reserved before it was called eventData */
        *data = (nvp_EventData_v1_t){ .device = newer.device, .eventType = newer.eventType, .reserved = newer.eventData };
    }
    return status;
}

nvmlReturn_t nvp__compat_event_v2_from_v1(nvmlEventSet_t set, nvmlEventData_t *data, unsigned int timeout_ms)
{
    nvp_EventData_v1_t older = { 0 };
    nvmlReturn_t status = NVP__OWN(nvmlEventSetWait)(set, data != NULL ? (void *)&older : NULL, timeout_ms);
    if (status == NVML_SUCCESS && data != NULL) {
        *data = (nvmlEventData_t){ .device = older.device,
                                   .eventType = older.eventType,
                                   .eventData = older.reserved,
                                   .gpuInstanceId = NVP__COMPAT_UNKNOWN_U32,
                                   .computeInstanceId = NVP__COMPAT_UNKNOWN_U32 };
    }
    return status;
}
