/*
 * The driver that knows every version: session, handles, faults.
 */
#include "family.h"

#include <stdatomic.h>
#include <stdbool.h>

char family_devices[2];

static _Atomic nvmlReturn_t failure;
static _Atomic unsigned int refused_word;
static _Atomic nvmlReturn_t refusal;
static _Atomic unsigned int calls;

void family_fail(nvmlReturn_t answer)
{
    failure = answer;
}

void family_refuse(unsigned int word, nvmlReturn_t answer)
{
    refused_word = word;
    refusal = answer;
}

unsigned int family_calls(void)
{
    return calls;
}

nvmlReturn_t family_begin(const void *pointer)
{
    calls++;
    if (failure != NVML_SUCCESS) {
        return failure;
    }
    return pointer != NULL ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t family_begin_device(nvmlDevice_t device, const void *pointer)
{
    nvmlReturn_t status = family_begin(pointer);
    bool is_device = device == FAMILY_DEVICE(0) || device == FAMILY_DEVICE(1);
    return status != NVML_SUCCESS || is_device ? status : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t family_word(unsigned int word, unsigned int known, unsigned int also)
{
    if (word == refused_word) {
        return refusal;
    }
    return word == known || word == also ? NVML_SUCCESS : NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
}

nvmlReturn_t nvmlInit_v2(void)
{
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlInitWithFlags(unsigned int flags)
{
    (void)flags;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlShutdown(void)
{
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device)
{
    if (index >= sizeof(family_devices)) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *device = FAMILY_DEVICE(index);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned int length)
{
    const char *text = device == FAMILY_DEVICE(0) ? "GPU-00112233-4455-6677-8899-aabbccddeeff" : "MIG-0123";
    if (length <= strlen(text)) {
        return NVML_ERROR_INSUFFICIENT_SIZE;
    }
    memcpy(uuid, text, strlen(text) + 1);
    return NVML_SUCCESS;
}
