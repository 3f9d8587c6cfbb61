/*
 * Batches of field values: one driver call for many, each with its own status, type and time.
 */
#include "base/answer.h"
#include "base/clock.h"
#include "base/compiler.h"
#include "query/call.h"
#include "query/unknown.h"
#include "query/value.h"

#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/query.h>

#include <stdlib.h>
#include <string.h>

#define STACK_FIELDS 64
#define FIELDS_MAX 65536

static void init_value(nvp_value *value)
{
    value->owned = NULL;
    nvp_value_clear(value);
}

static void fail_all(nvp_field *fields, size_t count, nvp_status status)
{
    int64_t now_us = nvp__wall_us();
    for (size_t i = 0; i < count; i++) {
        init_value(&fields[i].value);
        nvp_value_set_na(&fields[i].value, status);
        fields[i].timestamp_us = now_us;
        fields[i].latency_us = 0;
    }
}

static void take(nvp_field *field, const nvmlFieldValue_t *from)
{
    init_value(&field->value);
    field->timestamp_us = from->timestamp > 0 ? (int64_t)from->timestamp : nvp__wall_us();
    field->latency_us = from->latencyUsec > 0 ? (int64_t)from->latencyUsec : 0;
    if (from->nvmlReturn != NVML_SUCCESS) {
        nvp_value_set_na(&field->value, nvp__status_of_answer(from->nvmlReturn));
    } else {
        nvp__value_decode_union(&field->value, (unsigned int)from->valueType, &from->value);
    }
}

static nvp_status query(nvmlDevice_t device, nvp_field *fields, size_t count, nvmlFieldValue_t *values)
{
    memset(values, 0, count * sizeof(*values));
    for (size_t i = 0; i < count; i++) {
        values[i].fieldId = fields[i].field_id;
        values[i].scopeId = fields[i].scope_id;
        values[i].nvmlReturn = NVML_ERROR_NO_DATA; /* of a field that the driver leaves alone */
    }
    const struct nvp__function *function = &nvp__functions[NVP_FN_nvmlDeviceGetFieldValues];
    const uint64_t words[] = { (uintptr_t)device, count, (uintptr_t)values };
    nvp_status status = nvp__call(function, words);
    if (status == NVML_ERROR_FUNCTION_NOT_FOUND) {
        nvp__unknown_note(function->public.name);
    }
    if (status != NVP_SUCCESS) {
        fail_all(fields, count, status);
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        take(&fields[i], &values[i]);
    }
    return NVP_SUCCESS;
}

nvp_status nvp_query_fields(nvmlDevice_t device, nvp_field *fields, size_t count)
{
    if (fields == NULL || count == 0 || count > FIELDS_MAX) {
        return NVP_ERROR_BAD_ARGUMENT;
    }
    nvmlFieldValue_t on_stack[STACK_FIELDS];
    if (count <= NVP__COUNT_OF(on_stack)) {
        return query(device, fields, count, on_stack);
    }
    nvmlFieldValue_t *allocated = calloc(count, sizeof(*allocated));
    if (allocated == NULL) {
        fail_all(fields, count, NVP_ERROR_NO_MEMORY);
        return NVP_ERROR_NO_MEMORY;
    }
    nvp_status status = query(device, fields, count, allocated);
    free(allocated);
    return status;
}
