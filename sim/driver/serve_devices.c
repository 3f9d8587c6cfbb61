/*
 * Answers that find devices: counts and handles.
 */
#include <string.h>
#include <strings.h>

#include "driver/serve.h"

static const nvpsim_session *session(void)
{
    return atomic_load_explicit(&nvpsim__session_live, memory_order_acquire);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetCount_v2(unsigned int *deviceCount)
{
    if (!deviceCount)
        return NVML_ERROR_INVALID_ARGUMENT;
    *deviceCount = nvpsim__world->device_count;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetCount(unsigned int *deviceCount)
{
    return nvpsim__serve_nvmlDeviceGetCount_v2(deviceCount);
}

/* Shutdown may come between the check of the entry point and this. */
static nvmlReturn_t put_handle(nvmlDevice_t *out, unsigned index)
{
    const nvpsim_session *live = session();
    if (!live)
        return NVML_ERROR_UNINITIALIZED;
    if (live->handles[index].device->is_lost)
        return NVML_ERROR_GPU_IS_LOST;
    *out = &live->handles[index];
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device)
{
    if (!device || index >= nvpsim__world->device_count)
        return NVML_ERROR_INVALID_ARGUMENT;
    return put_handle(device, index);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetHandleByIndex(unsigned int index, nvmlDevice_t *device)
{
    return nvpsim__serve_nvmlDeviceGetHandleByIndex_v2(index, device);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device)
{
    if (!uuid || !device)
        return NVML_ERROR_INVALID_ARGUMENT;
    for (unsigned i = 0; i < nvpsim__world->device_count; i++) {
        if (strcasecmp(nvpsim__world->devices[i].uuid, uuid) == 0)
            return put_handle(device, i);
    }
    return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetHandleBySerial(const char *serial, nvmlDevice_t *device)
{
    if (!serial || !device)
        return NVML_ERROR_INVALID_ARGUMENT;
    for (unsigned i = 0; i < nvpsim__world->device_count; i++) {
        const nvpsim_text *own = &nvpsim__world->devices[i].spec->serial;
        if (own->state == NVPSIM_GIVEN && strcmp(own->bytes, serial) == 0)
            return put_handle(device, i);
    }
    return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetHandleByPciBusId_v2(const char *pciBusId, nvmlDevice_t *device)
{
    nvpsim_bus_id bus;
    if (!pciBusId || !device || !nvpsim__bus_id_parse(pciBusId, &bus))
        return NVML_ERROR_INVALID_ARGUMENT;
    for (unsigned i = 0; i < nvpsim__world->device_count; i++) {
        if (memcmp(&nvpsim__world->devices[i].bus, &bus, sizeof bus) == 0)
            return put_handle(device, i);
    }
    return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetHandleByPciBusId(const char *pciBusId, nvmlDevice_t *device)
{
    return nvpsim__serve_nvmlDeviceGetHandleByPciBusId_v2(pciBusId, device);
}
