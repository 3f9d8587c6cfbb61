/*
 * The manners that all answers share.
 */
#include "driver/serve.h"

#include <string.h>
#include <unistd.h>

nvpsim_device *nvpsim__device_find(nvmlDevice_t handle)
{
    const nvpsim_session *session = atomic_load_explicit(&nvpsim__session_live, memory_order_acquire);
    const struct nvmlDevice_st *found = session ? nvpsim__session_find(session, handle) : NULL;
    return found ? nvpsim__handle_device(found) : NULL;
}

unsigned nvpsim__place_of(const nvpsim_device *device)
{
    const nvpsim_session *session = atomic_load_explicit(&nvpsim__session_live, memory_order_acquire);
    return session ? atomic_load_explicit(&session->handles[device->index].place, memory_order_relaxed) : device->index;
}

nvmlReturn_t nvpsim__put_text(char *buffer, unsigned length, const char *text)
{
    size_t size = strlen(text) + 1;
    if (!buffer) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (size > length) {
        return NVML_ERROR_INSUFFICIENT_SIZE;
    }
    memcpy(buffer, text, size);
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__put_spec_text(char *buffer, unsigned length, nvpsim_text text)
{
    if (!buffer) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    return text.state == NVPSIM_GIVEN ? nvpsim__put_text(buffer, length, text.bytes) : NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t nvpsim__put_number(unsigned *out, nvpsim_number number)
{
    if (!out) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (number.state != NVPSIM_GIVEN) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *out = (unsigned)number.value;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__may_change(void)
{
    nvpsim_number privileged = nvpsim__world->scenario->privileged;
    if (privileged.state == NVPSIM_GIVEN && privileged.value != NVPSIM_PRIVILEGED_AUTO) {
        return privileged.value == NVPSIM_PRIVILEGED_YES ? NVML_SUCCESS : NVML_ERROR_NO_PERMISSION;
    }
    return geteuid() == 0 ? NVML_SUCCESS : NVML_ERROR_NO_PERMISSION;
}

nvmlReturn_t nvpsim__version_mismatch(void)
{
    return nvpsim__driver_since(525, 0, 0) ? NVML_ERROR_ARGUMENT_VERSION_MISMATCH : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvpsim__list_room(unsigned *count, const void *items, unsigned available)
{
    if (!count || (!items && *count > 0)) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    unsigned room = *count;
    *count = available;
    return available > room ? NVML_ERROR_INSUFFICIENT_SIZE : NVML_SUCCESS;
}
