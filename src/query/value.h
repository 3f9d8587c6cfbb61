/*
 * Internal side of values: where their bytes are, and how driver memory becomes a value.
 */
#ifndef NVP_QUERY_VALUE_H
#define NVP_QUERY_VALUE_H

#include "abi/table.h"
#include "base/out.h"

#include <nvpulse/value.h>

/** What lies at an address: an element, or an array of `count` elements. */
struct nvp__typed {
    unsigned char kind; /* NVP_TYPE_... */
    bool mask;          /* all bits set is a number like any other */
    bool bytes;         /* an array of raw bytes */
    short type;
    unsigned int element_size;
    unsigned int count;            /* 0: not an array */
    const struct nvp_shape *shape; /* the row that describes a list of such elements */
};

/**
 * Several outputs of one call, as a STRUCT value of the shape NVP__ROW_FUNCTION: this head, then the outputs' bytes. Output by output
 * in the order of parameters; `offset` is 0 for a parameter that is no output.
 */
struct nvp__results {
    unsigned int offset[NVP__PARAMS_MAX];
    unsigned int count[NVP__PARAMS_MAX]; /* items of a list, bytes of a text */
};

/** True for the roles that make up a result. */
static inline bool nvp__role_is_output(unsigned int role)
{
    return role == NVP_ROLE_OUT || role == NVP_ROLE_INOUT || role == NVP_ROLE_TEXT || role == NVP_ROLE_BLOB ||
           role == NVP_ROLE_ITEMS || role == NVP_ROLE_VALUES;
}

/** The bytes of a text, of bytes, of a struct or of a list. */
const void *nvp__value_bytes(const nvp_value *value);

/** Room for `size` bytes in the value: in itself if they fit, else allocated and owned. NULL without memory. */
void *nvp__value_room(nvp_value *value, size_t size);

/** Makes a value a text of `length` bytes made valid UTF-8; without memory it becomes N/A. */
nvp_status nvp__value_take_text(nvp_value *value, const char *text, size_t length);

/**
 * Makes a value of what lies at `at`: numbers and texts are copied, structs and lists are borrowed. Sentinels become N/A.
 * The value must be clear.
 */
nvp_status nvp__value_decode(nvp_value *value, const struct nvp__typed *typed, const void *at);

/** What a parameter gives: one element; `count` of a list is set by the caller. */
struct nvp__typed nvp__typed_of_param(const struct nvp__param *param);
/** What a field holds. */
struct nvp__typed nvp__typed_of_field(const struct nvp__field *field);

/** A union of numbers, as in samples and field values, read by the type that the driver names (nvmlValueType_t). */
void nvp__value_decode_union(nvp_value *value, unsigned int value_type, const void *at);

/** Writes a value as nvp_value_json() does, but enum values as their names where they have one. */
void nvp__value_json_named(struct nvp__out *out, const nvp_value *value);

/** The enum row of a value, its shape being ROW_ENUM or ROW_MASK; NULL for others. */
const struct nvp__enum *nvp__value_enum(const nvp_value *value);

#endif
