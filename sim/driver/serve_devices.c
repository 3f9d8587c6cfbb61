/*
 * Answers that find devices: counts and handles.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "driver/serve.h"

static const nvpsim_session *session(void)
{
    return atomic_load_explicit(&nvpsim__session_live, memory_order_acquire);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetCount_v2(unsigned int *deviceCount)
{
    if (!deviceCount) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    const nvpsim_session *live = session();
    if (!live) {
        return NVML_ERROR_UNINITIALIZED;
    }
    *deviceCount = atomic_load_explicit(&live->device_count, memory_order_relaxed);
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetCount(unsigned int *deviceCount)
{
    return nvpsim__serve_nvmlDeviceGetCount_v2(deviceCount);
}

static nvmlReturn_t put_handle(const nvpsim_session *live, nvmlDevice_t *out, struct nvmlDevice_st *handle)
{
    if (nvpsim__handle_device(handle)->is_unsteady && !nvpsim__handle_is_sound(live, handle)) {
        return NVML_ERROR_GPU_IS_LOST;
    }
    *out = handle;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device)
{
    const nvpsim_session *live = session();
    if (!live) { /* a shutdown may come between the check of the entry point and this */
        return NVML_ERROR_UNINITIALIZED;
    }
    if (!device || index >= atomic_load_explicit(&live->device_count, memory_order_relaxed)) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    return put_handle(live, device, &live->handles[atomic_load_explicit(&live->order[index], memory_order_relaxed)]);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetHandleByIndex(unsigned int index, nvmlDevice_t *device)
{
    return nvpsim__serve_nvmlDeviceGetHandleByIndex_v2(index, device);
}

/* The handles of a session one by one, beginning after `handle`; NULL at the end, and without a session. */
static struct nvmlDevice_st *next_handle(const nvpsim_session *live, const struct nvmlDevice_st *handle)
{
    for (size_t i = live && handle ? (size_t)(handle - live->handles) + 1 : 0; live && i < live->handle_count; i++) {
        if (atomic_load_explicit(&live->handles[i].slot, memory_order_relaxed)) {
            return &live->handles[i];
        }
    }
    return NULL;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device)
{
    const nvpsim_session *live = session();
    if (!uuid || !device) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    for (struct nvmlDevice_st *handle = next_handle(live, NULL); handle; handle = next_handle(live, handle)) {
        char own[NVPSIM_UUID_SIZE];
        nvpsim__uuid_put(handle, own);
        if (strcasecmp(own, uuid) == 0) {
            return put_handle(live, device, handle);
        }
    }
    return live ? NVML_ERROR_NOT_FOUND : NVML_ERROR_UNINITIALIZED;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetHandleBySerial(const char *serial, nvmlDevice_t *device)
{
    if (!serial || !device) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    const nvpsim_session *live = session();
    for (struct nvmlDevice_st *handle = next_handle(live, NULL); handle; handle = next_handle(live, handle)) {
        const nvpsim_text *own = &nvpsim__handle_device(handle)->spec->serial;
        if (own->state == NVPSIM_GIVEN && strcmp(own->bytes, serial) == 0) {
            return put_handle(live, device, handle);
        }
    }
    return live ? NVML_ERROR_NOT_FOUND : NVML_ERROR_UNINITIALIZED;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetHandleByPciBusId_v2(const char *pciBusId, nvmlDevice_t *device)
{
    nvpsim_bus_id bus;
    if (!pciBusId || !device || !nvpsim__bus_id_parse(pciBusId, &bus)) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    const nvpsim_session *live = session();
    for (struct nvmlDevice_st *handle = next_handle(live, NULL); handle; handle = next_handle(live, handle)) {
        if (memcmp(&nvpsim__handle_device(handle)->bus, &bus, sizeof bus) == 0) {
            return put_handle(live, device, handle);
        }
    }
    return live ? NVML_ERROR_NOT_FOUND : NVML_ERROR_UNINITIALIZED;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetHandleByPciBusId(const char *pciBusId, nvmlDevice_t *device)
{
    return nvpsim__serve_nvmlDeviceGetHandleByPciBusId_v2(pciBusId, device);
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

/* The sixteen bytes of a UUID after its prefix. */
static bool uuid_bytes(const char *uuid, unsigned char *bytes)
{
    unsigned digits = 0;
    const char *at = strchr(uuid, '-');
    memset(bytes, 0, NVML_DEVICE_UUID_BINARY_LEN);
    for (at = at ? at + 1 : uuid; *at; at++) {
        if (*at == '-') {
            continue;
        }
        if (!isxdigit((unsigned char)*at) || digits == 2 * NVML_DEVICE_UUID_BINARY_LEN) {
            return false;
        }
        bytes[digits / 2] = (unsigned char)(bytes[digits / 2] << 4 | digit_of(*at));
        digits++;
    }
    return digits == 2 * NVML_DEVICE_UUID_BINARY_LEN;
}

static nvmlReturn_t find_binary(const unsigned char *wanted, nvmlDevice_t *device)
{
    const nvpsim_session *live = session();
    for (struct nvmlDevice_st *handle = next_handle(live, NULL); handle; handle = next_handle(live, handle)) {
        char text[NVPSIM_UUID_SIZE];
        unsigned char own[NVML_DEVICE_UUID_BINARY_LEN];
        nvpsim__uuid_put(handle, text);
        if (uuid_bytes(text, own) && memcmp(own, wanted, sizeof own) == 0) {
            return put_handle(live, device, handle);
        }
    }
    return live ? NVML_ERROR_NOT_FOUND : NVML_ERROR_UNINITIALIZED;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetHandleByUUIDV(const nvmlUUID_t *uuid, nvmlDevice_t *device)
{
    if (!uuid || !device) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (uuid->version != nvmlUUID_v1) {
        return nvpsim__version_mismatch();
    }
    if (uuid->type == NVML_UUID_TYPE_BINARY) {
        return find_binary(uuid->value.bytes, device);
    }
    if (uuid->type != NVML_UUID_TYPE_ASCII || !memchr(uuid->value.str, 0, sizeof uuid->value.str)) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    return nvpsim__serve_nvmlDeviceGetHandleByUUID(uuid->value.str, device);
}
