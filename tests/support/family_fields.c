/*
 * The driver that knows every version: field values that tell which id was asked for, GPM metrics of an old struct, CPU sets.
 */
#include "family.h"

#include <stdatomic.h>

enum { OLDEST_METRICS = 98 };

static nvmlReturn_t begin_fields(nvmlDevice_t device, int count, const nvmlFieldValue_t *values)
{
    nvmlReturn_t status = family_begin_device(device, values);
    return status == NVML_SUCCESS && count <= 0 ? NVML_ERROR_INVALID_ARGUMENT : status;
}

nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int count, nvmlFieldValue_t *values)
{
    nvmlReturn_t status = begin_fields(device, count, values);
    for (int i = 0; status == NVML_SUCCESS && i < count; i++) {
        values[i].nvmlReturn = NVML_SUCCESS;
        values[i].valueType = NVML_VALUE_TYPE_UNSIGNED_INT;
        values[i].value.uiVal = values[i].fieldId;
    }
    return status;
}

nvmlReturn_t nvmlDeviceClearFieldValues(nvmlDevice_t device, int count, nvmlFieldValue_t *values)
{
    return nvmlDeviceGetFieldValues(device, count, values);
}

/* Takes what the first header of this call had room for, and touches its whole struct. */
nvmlReturn_t nvmlGpmMetricsGet(nvmlGpmMetricsGet_t *request)
{
    nvp_GpmMetricsGet_v1_t whole;
    nvmlReturn_t status = family_begin(request);
    if (status != NVML_SUCCESS) {
        return status;
    }
    memcpy(&whole, request, sizeof(whole));
    if (whole.version != NVML_GPM_METRICS_GET_VERSION || whole.numMetrics > OLDEST_METRICS || whole.sample1 == NULL) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    for (unsigned int i = 0; i < whole.numMetrics; i++) {
        whole.metrics[i].nvmlReturn = whole.metrics[i].metricId % 7 == 0 ? NVML_ERROR_NOT_SUPPORTED : NVML_SUCCESS;
        whole.metrics[i].value = whole.metrics[i].metricId * 2.0;
        if (whole.metrics[i].metricId == 1000) {
            return NVML_ERROR_NO_DATA;
        }
    }
    memcpy(request, &whole, sizeof(whole));
    return NVML_SUCCESS;
}

static _Atomic int short_words;

void family_short_words(int use)
{
    short_words = use;
}

static nvmlReturn_t long_set(unsigned int size, unsigned long *set)
{
    for (unsigned int i = 0; i < size; i++) {
        set[i] = i == 0 ? 0xf000f000f000f000ul : i == 1 ? 0x2ul : 0;
    }
    return NVML_SUCCESS;
}

/* As 340: `size` counts words of 32 bits. */
static nvmlReturn_t short_set(unsigned int size, void *set)
{
    for (unsigned int i = 0; i < size; i++) {
        unsigned int word = i < 2 ? 0xf000f000u : i == 2 ? 2 : 0;
        memcpy((char *)set + i * sizeof(word), &word, sizeof(word));
    }
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCpuAffinityWithinScope(nvmlDevice_t device, unsigned int size, unsigned long *set,
                                                 nvmlAffinityScope_t scope)
{
    nvmlReturn_t status = family_begin_device(device, set);
    status = status == NVML_SUCCESS && (size == 0 || scope > NVML_AFFINITY_SCOPE_SOCKET) ? NVML_ERROR_INVALID_ARGUMENT : status;
    return status == NVML_SUCCESS ? long_set(size, set) : status;
}

nvmlReturn_t nvmlDeviceGetCpuAffinity(nvmlDevice_t device, unsigned int size, unsigned long *set)
{
    nvmlReturn_t status = family_begin_device(device, set);
    status = status == NVML_SUCCESS && size == 0 ? NVML_ERROR_INVALID_ARGUMENT : status;
    if (status != NVML_SUCCESS) {
        return status;
    }
    return short_words ? short_set(size, set) : long_set(size, set);
}
