/*
 * A device found by its UUID: given as text, or (first in 575) in a struct, as text or as sixteen bytes.
 */
#include "compat/adapters.h"

#include "compat/driver.h"

#include <string.h>

#define PREFIX_LENGTH 4 /* "GPU-", "MIG-" */

/* The usual writing: 8-4-4-4-12 digits after the prefix. */
static void write_uuid(char text[NVML_DEVICE_UUID_ASCII_LEN], const char *prefix, const unsigned char *bytes)
{
    char *at = text + PREFIX_LENGTH;
    memcpy(text, prefix, PREFIX_LENGTH);
    for (int i = 0; i < NVML_DEVICE_UUID_BINARY_LEN; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            *at++ = '-';
        }
        *at++ = "0123456789abcdef"[bytes[i] >> 4];
        *at++ = "0123456789abcdef"[bytes[i] & 0xf];
    }
    *at = '\0';
}

nvmlReturn_t nvp__compat_uuid_struct_from_text(const nvmlUUID_v1_t *uuid, nvmlDevice_t *device)
{
    char text[NVML_DEVICE_UUID_ASCII_LEN];
    if (uuid == NULL) {
        return NVP__OWN(nvmlDeviceGetHandleByUUID)(NULL, device);
    }
    if (uuid->version != nvmlUUID_v1) {
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    }
    switch (uuid->type) {
    case NVML_UUID_TYPE_ASCII:
        memcpy(text, uuid->value.str, sizeof(text));
        text[sizeof(text) - 1] = '\0';
        return NVP__OWN(nvmlDeviceGetHandleByUUID)(text, device);
    case NVML_UUID_TYPE_BINARY: { /* the bytes do not tell of which kind the device is */
        write_uuid(text, "GPU-", uuid->value.bytes);
        nvmlReturn_t status = NVP__OWN(nvmlDeviceGetHandleByUUID)(text, device);
        if (status == NVML_ERROR_NOT_FOUND) {
            write_uuid(text, "MIG-", uuid->value.bytes);
            status = NVP__OWN(nvmlDeviceGetHandleByUUID)(text, device);
        }
        return status;
    }
    default:
        return NVML_ERROR_INVALID_ARGUMENT;
    }
}

nvmlReturn_t nvp__compat_uuid_text_from_struct(const char *uuid, nvmlDevice_t *device)
{
    nvmlUUID_v1_t given = { .version = nvmlUUID_v1, .type = NVML_UUID_TYPE_ASCII };
    size_t length = uuid != NULL ? strnlen(uuid, sizeof(given.value.str)) : 0;
    if (length == sizeof(given.value.str)) {
        return device != NULL ? NVML_ERROR_NOT_FOUND : NVML_ERROR_INVALID_ARGUMENT;
    }
    memcpy(given.value.str, uuid != NULL ? uuid : "", length);
    return NVP__OWN(nvmlDeviceGetHandleByUUIDV)(uuid != NULL ? &given : NULL, device);
}
