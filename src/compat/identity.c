/*
 * A device found by its UUID: given as text, or (first in 575) in a struct, as text or as sixteen bytes.
 */
#include "compat/adapters.h"

#include "compat/digits.h"
#include "compat/driver.h"

#include <string.h>

#define PREFIX_LENGTH 4 /* "GPU-", "MIG-" */

static NVP__INLINE char *put_bytes(char *at, const unsigned char *bytes, int count)
{
    for (int i = 0; i < count; i++) {
        at = nvp__put_byte(at, bytes[i], nvp__lower_digits);
    }
    return at;
}

/* The usual writing: 8-4-4-4-12 digits after the prefix. */
static void write_uuid(char text[NVML_DEVICE_UUID_ASCII_LEN], const char *prefix, const unsigned char *bytes)
{
    memcpy(text, prefix, PREFIX_LENGTH);
    char *at = put_bytes(text + PREFIX_LENGTH, bytes, 4);
    for (int i = 4; i < 10; i += 2) {
        *at++ = '-';
        at = put_bytes(at, bytes + i, 2);
    }
    *at++ = '-';
    at = put_bytes(at, bytes + 10, 6);
    *at = '\0';
}

/* A text that fills its place without an end is ended there. */
static nvmlReturn_t find_text(const char text[NVML_DEVICE_UUID_ASCII_LEN], nvmlDevice_t *device)
{
    char ended[NVML_DEVICE_UUID_ASCII_LEN];
    if (memchr(text, '\0', sizeof(ended)) != NULL) {
        return NVP__OWN(nvmlDeviceGetHandleByUUID)(text, device);
    }
    memcpy(ended, text, sizeof(ended) - 1);
    ended[sizeof(ended) - 1] = '\0';
    return NVP__OWN(nvmlDeviceGetHandleByUUID)(ended, device);
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
        return find_text(uuid->value.str, device);
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
    if (uuid == NULL) {
        return NVP__OWN(nvmlDeviceGetHandleByUUIDV)(NULL, device);
    }
    size_t length = strnlen(uuid, sizeof(given.value.str));
    if (length == sizeof(given.value.str)) {
        return device != NULL ? NVML_ERROR_NOT_FOUND : NVML_ERROR_INVALID_ARGUMENT;
    }
    if (length == sizeof(given.value.str) - 1) { /* as nearly all are: a size that is known costs no call */
        memcpy(given.value.str, uuid, sizeof(given.value.str) - 1);
    } else {
        memcpy(given.value.str, uuid, length);
    }
    return NVP__OWN(nvmlDeviceGetHandleByUUIDV)(&given, device);
}
