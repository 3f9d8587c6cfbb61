/*
 * What the bytes that a driver wrote mean: numbers, texts, sentinels, structs, lists. The one place where a sentinel becomes N/A.
 */
#include "query/value.h"

#include "base/answer.h"

#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

#include <math.h>
#include <string.h>

struct nvp__typed nvp__typed_of_param(const struct nvp__param *param)
{
    return (struct nvp__typed){
        .kind = param->kind,
        .mask = (param->flags & NVP_PARAM_MASK) != 0,
        .type = param->type,
        .element_size = (unsigned int)nvp__type_size(param->kind, param->type),
        .shape = &param->shape,
    };
}

struct nvp__typed nvp__typed_of_field(const struct nvp__field *field)
{
    return (struct nvp__typed){
        .kind = field->kind,
        .mask = (field->flags & NVP_FIELD_MASK) != 0,
        .bytes = (field->flags & NVP_FIELD_BYTES) != 0,
        .type = field->type,
        .element_size = field->element_size,
        .count = field->count,
        .shape = &field->shape,
    };
}

static uint64_t read_unsigned(const void *at, size_t size)
{
    uint8_t byte;
    uint16_t half;
    uint32_t word;
    uint64_t whole;
    switch (size) {
    case 1:
        memcpy(&byte, at, sizeof(byte));
        return byte;
    case 2:
        memcpy(&half, at, sizeof(half));
        return half;
    case 4:
        memcpy(&word, at, sizeof(word));
        return word;
    default:
        memcpy(&whole, at, sizeof(whole));
        return whole;
    }
}

static void set_unsigned(nvp_value *value, const struct nvp__typed *typed, const void *at)
{
    size_t size = nvp__type_size(typed->kind, typed->type);
    uint64_t number = read_unsigned(at, size);
    bool all_ones = (size == 4 && number == UINT32_MAX) || (size == 8 && number == UINT64_MAX);
    if (all_ones && !typed->mask) {
        nvp_value_set_na(value, NVP_ERROR_SENTINEL);
        return;
    }
    value->kind = NVP_KIND_UINT;
    value->as.uint_value = number;
    if (typed->type > 0 && typed->type < NVP__ENUM_END) {
        value->shape = typed->mask ? &nvp__enums[typed->type].mask : &nvp__enums[typed->type].shape;
    }
}

static void set_signed(nvp_value *value, const struct nvp__typed *typed, const void *at)
{
    int32_t word;
    value->kind = NVP_KIND_INT;
    if (typed->kind == NVP_TYPE_I32) {
        memcpy(&word, at, sizeof(word));
        value->as.int_value = word;
    } else {
        memcpy(&value->as.int_value, at, sizeof(value->as.int_value));
    }
}

static void set_real(nvp_value *value, const void *at)
{
    double number;
    memcpy(&number, at, sizeof(number));
    if (!isfinite(number)) {
        nvp_value_set_na(value, NVP_ERROR_SENTINEL);
        return;
    }
    value->kind = NVP_KIND_REAL;
    value->as.real_value = number;
}

static nvp_status set_array(nvp_value *value, const struct nvp__typed *typed, const void *at)
{
    if (typed->bytes) {
        value->kind = NVP_KIND_BYTES;
    } else if (typed->kind == NVP_TYPE_CHAR) {
        return nvp__value_take_text(value, at, strnlen(at, typed->count));
    } else {
        value->kind = NVP_KIND_LIST;
        value->shape = typed->shape;
    }
    value->count = typed->count;
    value->as.data = at;
    return NVP_SUCCESS;
}

static nvp_status set_pointed_text(nvp_value *value, const void *at)
{
    const char *text;
    memcpy(&text, at, sizeof(text));
    if (text == NULL) {
        nvp_value_set_na(value, NVML_ERROR_NO_DATA);
        return NVP_SUCCESS;
    }
    return nvp__value_take_text(value, text, strlen(text));
}

nvp_status nvp__value_decode(nvp_value *value, const struct nvp__typed *typed, const void *at)
{
    if (typed->count > 0) {
        return set_array(value, typed, at);
    }
    switch (typed->kind) {
    case NVP_TYPE_I32:
    case NVP_TYPE_I64:
        set_signed(value, typed, at);
        break;
    case NVP_TYPE_F64:
        set_real(value, at);
        break;
    case NVP_TYPE_HANDLE:
        value->kind = NVP_KIND_HANDLE;
        memcpy(&value->as.handle, at, sizeof(value->as.handle));
        break;
    case NVP_TYPE_POINTER:
        return set_pointed_text(value, at);
    case NVP_TYPE_STRUCT: {
        const struct nvp__struct *row = nvp__struct_row(typed->type);
        size_t fields;
        nvp__struct_fields(row, &fields);
        value->kind = NVP_KIND_STRUCT;
        value->shape = &row->shape;
        value->count = fields;
        value->as.data = at;
        break;
    }
    default:
        set_unsigned(value, typed, at);
        break;
    }
    return NVP_SUCCESS;
}

void nvp__value_decode_union(nvp_value *value, unsigned int value_type, const void *at)
{
    struct nvp__typed typed = { .kind = NVP_TYPE_U64 };
    switch (value_type) {
    case NVML_VALUE_TYPE_DOUBLE:
        typed.kind = NVP_TYPE_F64;
        break;
    case NVML_VALUE_TYPE_UNSIGNED_INT:
        typed.kind = NVP_TYPE_U32;
        break;
    case NVML_VALUE_TYPE_UNSIGNED_LONG:
        typed.kind = NVP_TYPE_ULONG;
        break;
    case NVML_VALUE_TYPE_UNSIGNED_LONG_LONG:
        break;
    case NVML_VALUE_TYPE_SIGNED_LONG_LONG:
        typed.kind = NVP_TYPE_I64;
        break;
    case NVML_VALUE_TYPE_SIGNED_INT:
        typed.kind = NVP_TYPE_I32;
        break;
    case NVML_VALUE_TYPE_UNSIGNED_SHORT:
        typed.kind = NVP_TYPE_U16;
        break;
    default: /* a type newer than this table: eight bytes that nobody can read */
        nvp_value_set_na(value, NVML_ERROR_UNKNOWN);
        return;
    }
    nvp__value_decode(value, &typed, at);
}

/* The list that a field points at; its length is in another field of the struct. */
static nvp_status decode_items(nvp_value *item, const struct nvp__struct *row, const struct nvp__field *field,
                               const unsigned char *bytes)
{
    const struct nvp__field *count_field = nvp__struct_field_with(row, NVP_FIELD_COUNT);
    const void *items;
    uint32_t count = 0;
    memcpy(&items, bytes + field->offset, sizeof(items));
    if (count_field != NULL) {
        memcpy(&count, bytes + count_field->offset, sizeof(count));
    }
    if (items == NULL) {
        nvp_value_set_na(item, NVML_ERROR_NO_DATA);
        return NVP_SUCCESS;
    }
    item->kind = NVP_KIND_LIST;
    item->shape = &field->shape;
    item->count = count;
    item->as.data = items;
    return NVP_SUCCESS;
}

/* The value of a field-value or sample struct is a union whose type another field names. */
static bool decode_typed_union(nvp_value *item, const struct nvp__field *field, const unsigned char *bytes)
{
    uint32_t type;
    if (field->owner != NVP_STRUCT_nvmlFieldValue_t || field->kind != NVP_TYPE_STRUCT) {
        return false;
    }
    uint32_t answer;
    memcpy(&type, bytes + offsetof(nvmlFieldValue_t, valueType), sizeof(type));
    memcpy(&answer, bytes + offsetof(nvmlFieldValue_t, nvmlReturn), sizeof(answer));
    if (answer != NVML_SUCCESS) {
        nvp_value_set_na(item, nvp__status_of_answer(answer));
    } else {
        nvp__value_decode_union(item, type, bytes + field->offset);
    }
    return true;
}

static nvp_status struct_field_at(const nvp_value *value, size_t index, nvp_value *item)
{
    const struct nvp__struct *row = (const struct nvp__struct *)value->shape;
    const unsigned char *bytes = nvp__value_bytes(value);
    size_t count;
    const struct nvp__field *field = &nvp__struct_fields(row, &count)[index];
    if ((field->flags & NVP_FIELD_ITEMS) != 0) {
        return decode_items(item, row, field, bytes);
    }
    if (decode_typed_union(item, field, bytes)) {
        return NVP_SUCCESS;
    }
    struct nvp__typed typed = nvp__typed_of_field(field);
    return nvp__value_decode(item, &typed, bytes + field->offset);
}

/* The position of output `index` among all parameters; -1 past the end. */
static int output_position(const struct nvp__function *function, size_t index)
{
    const struct nvp__param *params = nvp__function_params(function);
    for (size_t i = 0; i < function->public.parameter_count; i++) {
        if (nvp__role_is_output(params[i].role) && index-- == 0) {
            return (int)i;
        }
    }
    return -1;
}

static nvp_status result_at(const nvp_value *value, size_t index, nvp_value *item)
{
    const struct nvp__function *function = (const struct nvp__function *)value->shape;
    const unsigned char *bytes = nvp__value_bytes(value);
    struct nvp__results results;
    memcpy(&results, bytes, sizeof(results));
    int position = output_position(function, index);
    if (position < 0) {
        return NVP_ERROR_NO_SUCH_FIELD;
    }
    const struct nvp__param *param = &nvp__function_params(function)[position];
    struct nvp__typed typed = nvp__typed_of_param(param);
    const unsigned char *at = bytes + results.offset[position];
    if (param->role == NVP_ROLE_TEXT) {
        return nvp__value_take_text(item, (const char *)at, results.count[position]);
    }
    if (param->role == NVP_ROLE_ITEMS || param->role == NVP_ROLE_VALUES) {
        item->kind = NVP_KIND_LIST;
        item->shape = &param->shape;
        item->count = results.count[position];
        item->as.data = at;
        return NVP_SUCCESS;
    }
    return nvp__value_decode(item, &typed, at);
}

static nvp_status list_item_at(const nvp_value *value, size_t index, nvp_value *item)
{
    struct nvp__typed typed = value->shape->row == NVP__ROW_PARAM ? nvp__typed_of_param((const struct nvp__param *)value->shape)
                                                                  : nvp__typed_of_field((const struct nvp__field *)value->shape);
    typed.count = 0;
    const unsigned char *bytes = nvp__value_bytes(value);
    return nvp__value_decode(item, &typed, bytes + index * typed.element_size);
}

nvp_status nvp_value_at(const nvp_value *value, size_t index, nvp_value *item)
{
    nvp_value_clear(item);
    if (value == NULL || !nvp_check(value, NVP_KIND_STRUCT | NVP_KIND_LIST) || index >= value->count) {
        return NVP_ERROR_NO_SUCH_FIELD;
    }
    switch (value->shape->row) {
    case NVP__ROW_STRUCT:
        return struct_field_at(value, index, item);
    case NVP__ROW_FUNCTION:
        return result_at(value, index, item);
    default:
        return list_item_at(value, index, item);
    }
}

const char *nvp_value_field_name(const nvp_value *value, size_t index)
{
    if (!nvp_check(value, NVP_KIND_STRUCT) || index >= value->count) {
        return NULL;
    }
    if (value->shape->row == NVP__ROW_FUNCTION) {
        const struct nvp__function *function = (const struct nvp__function *)value->shape;
        int position = output_position(function, index);
        return position >= 0 ? nvp__text_at(nvp__function_params(function)[position].name) : NULL;
    }
    size_t count;
    return nvp__text_at(nvp__struct_fields((const struct nvp__struct *)value->shape, &count)[index].name);
}

nvp_status nvp_value_field(const nvp_value *value, const char *name, nvp_value *item)
{
    nvp_value_clear(item);
    for (size_t i = 0; name != NULL && nvp_value_field_name(value, i) != NULL; i++) {
        if (strcmp(nvp_value_field_name(value, i), name) == 0) {
            return nvp_value_at(value, i, item);
        }
    }
    return NVP_ERROR_NO_SUCH_FIELD;
}
