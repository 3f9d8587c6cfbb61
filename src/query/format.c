/*
 * Values as text for people and as JSON. Reads a value only through its public functions.
 */
#include "query/value.h"

#include <inttypes.h>
#include <stdio.h>

#define DEPTH_MAX 6 /* deeper than any struct of NVML nests */

static void format_value(struct nvp__out *out, const nvp_value *value, int depth);
static void json_value(struct nvp__out *out, const nvp_value *value, bool named, int depth);

const struct nvp__enum *nvp__value_enum(const nvp_value *value)
{
    if (value == NULL || value->kind != NVP_KIND_UINT || value->shape == NULL) {
        return NULL;
    }
    const char *shape = (const char *)value->shape;
    switch (value->shape->row) {
    case NVP__ROW_ENUM:
        return (const struct nvp__enum *)(const void *)(shape - offsetof(struct nvp__enum, shape));
    case NVP__ROW_MASK:
        return (const struct nvp__enum *)(const void *)(shape - offsetof(struct nvp__enum, mask));
    default:
        return NULL;
    }
}

const char *nvp_value_enum_name(const nvp_value *value)
{
    const struct nvp__enum *row = nvp__value_enum(value);
    return row != NULL ? nvp__enum_name(row, (int64_t)value->as.uint_value) : NULL;
}

static void format_mask(struct nvp__out *out, const struct nvp__enum *row, uint64_t bits)
{
    const char *separator = "";
    nvp__out_format(out, "0x%" PRIx64 " (", bits);
    if (bits == 0) {
        const char *name = nvp__enum_name(row, 0);
        nvp__out_text(out, name != NULL ? name : "none");
    }
    for (int bit = 0; bit < 64; bit++) {
        uint64_t one = UINT64_C(1) << bit;
        if ((bits & one) != 0) {
            const char *name = nvp__enum_name(row, (int64_t)one);
            nvp__out_text(out, separator);
            if (name != NULL) {
                nvp__out_text(out, name);
            } else {
                nvp__out_format(out, "unknown (0x%" PRIx64 ")", one);
            }
            separator = " | ";
        }
    }
    nvp__out_text(out, ")");
}

static void format_uint(struct nvp__out *out, const nvp_value *value)
{
    const struct nvp__enum *row = nvp__value_enum(value);
    const char *name = nvp_value_enum_name(value);
    if (row == NULL) {
        nvp__out_format(out, "%" PRIu64, value->as.uint_value);
    } else if (value->shape->row == NVP__ROW_MASK) {
        format_mask(out, row, value->as.uint_value);
    } else if (name != NULL) {
        nvp__out_format(out, "%s (%" PRIu64 ")", name, value->as.uint_value);
    } else {
        nvp__out_format(out, "unknown (%" PRIu64 ")", value->as.uint_value);
    }
}

static void format_parts(struct nvp__out *out, const nvp_value *value, int depth)
{
    bool is_list = value->kind == NVP_KIND_LIST;
    bool enclosed = is_list || depth > 0;
    nvp__out_text(out, !enclosed ? "" : is_list ? "[" : "{");
    for (size_t i = 0; i < value->count && depth < DEPTH_MAX; i++) {
        nvp_value item = NVP_VALUE_INIT;
        nvp_value_at(value, i, &item);
        nvp__out_text(out, i > 0 ? ", " : "");
        if (!is_list) {
            nvp__out_text(out, nvp_value_field_name(value, i));
            nvp__out_text(out, ": ");
        }
        format_value(out, &item, depth + 1);
        nvp_value_clear(&item);
    }
    nvp__out_text(out, !enclosed ? "" : is_list ? "]" : "}");
}

static void format_value(struct nvp__out *out, const nvp_value *value, int depth)
{
    switch (value->kind) {
    case NVP_KIND_NOTHING:
        nvp__out_text(out, "done");
        break;
    case NVP_KIND_UINT:
        format_uint(out, value);
        break;
    case NVP_KIND_INT:
        nvp__out_format(out, "%" PRId64, value->as.int_value);
        break;
    case NVP_KIND_REAL:
        nvp__out_json_real(out, value->as.real_value);
        break;
    case NVP_KIND_TEXT:
        nvp__out_text(out, nvp_value_text(value));
        break;
    case NVP_KIND_BYTES:
        nvp__out_hex(out, nvp__value_bytes(value), value->count);
        break;
    case NVP_KIND_HANDLE:
        nvp__out_format(out, "0x%" PRIxPTR, (uintptr_t)value->as.handle);
        break;
    case NVP_KIND_STRUCT:
    case NVP_KIND_LIST:
        format_parts(out, value, depth);
        break;
    default:
        nvp__out_text(out, "N/A");
        break;
    }
}

static void json_parts(struct nvp__out *out, const nvp_value *value, bool named, int depth)
{
    bool is_list = value->kind == NVP_KIND_LIST;
    nvp__out_text(out, is_list ? "[" : "{");
    for (size_t i = 0; i < value->count && depth < DEPTH_MAX; i++) {
        nvp_value item = NVP_VALUE_INIT;
        nvp_value_at(value, i, &item);
        nvp__out_text(out, i > 0 ? "," : "");
        if (!is_list) {
            nvp__out_json_text(out, nvp_value_field_name(value, i));
            nvp__out_text(out, ":");
        }
        json_value(out, &item, named, depth + 1);
        nvp_value_clear(&item);
    }
    nvp__out_text(out, is_list ? "]" : "}");
}

static void json_uint(struct nvp__out *out, const nvp_value *value, bool named)
{
    const char *name = named ? nvp_value_enum_name(value) : NULL;
    if (name != NULL) {
        nvp__out_json_text(out, name);
    } else {
        nvp__out_format(out, "%" PRIu64, value->as.uint_value);
    }
}

static void json_value(struct nvp__out *out, const nvp_value *value, bool named, int depth)
{
    switch (value->kind) {
    case NVP_KIND_NOTHING:
        nvp__out_text(out, "true");
        break;
    case NVP_KIND_UINT:
        json_uint(out, value, named);
        break;
    case NVP_KIND_TEXT:
        nvp__out_json_text(out, nvp_value_text(value));
        break;
    case NVP_KIND_INT:
    case NVP_KIND_REAL:
        format_value(out, value, depth);
        break;
    case NVP_KIND_BYTES:
    case NVP_KIND_HANDLE:
        nvp__out_text(out, "\"");
        format_value(out, value, depth);
        nvp__out_text(out, "\"");
        break;
    case NVP_KIND_STRUCT:
    case NVP_KIND_LIST:
        json_parts(out, value, named, depth);
        break;
    default:
        nvp__out_text(out, "null");
        break;
    }
}

size_t nvp_value_format(const nvp_value *value, char *buffer, size_t size)
{
    struct nvp__out out = nvp__out_over(buffer, size);
    if (value != NULL) {
        format_value(&out, value, 0);
    }
    return out.length;
}

size_t nvp_value_json(const nvp_value *value, char *buffer, size_t size)
{
    struct nvp__out out = nvp__out_over(buffer, size);
    if (value != NULL) {
        json_value(&out, value, false, 0);
    }
    return out.length;
}

void nvp__value_json_named(struct nvp__out *out, const nvp_value *value)
{
    json_value(out, value, true, 0);
}
