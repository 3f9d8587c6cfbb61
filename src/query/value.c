/*
 * Values: memory, simple makers and readers. What driver memory means is in decode.c, text forms are in format.c.
 */
#include "query/value.h"

#include "base/utf8.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

/* What `owned` points at; the size is needed to copy it. */
struct block {
    size_t size;
    alignas(16) unsigned char bytes[];
};

static struct block *block_of(const nvp_value *value)
{
    return value->owned;
}

void nvp_value_clear(nvp_value *value)
{
    if (value == NULL) {
        return;
    }
    free(value->owned);
    value->struct_size = sizeof(*value);
    value->kind = NVP_KIND_NA;
    value->reason = NVP_REASON_NONE;
    value->status = NVP_SUCCESS;
    value->as.uint_value = 0;
    value->count = 0;
    value->shape = NULL;
    value->owned = NULL;
}

void nvp_value_set_na(nvp_value *value, nvp_status status)
{
    nvp_value_clear(value);
    value->status = status;
    value->reason = nvp_status_reason(status);
}

void nvp_value_set_uint(nvp_value *value, uint64_t number)
{
    nvp_value_clear(value);
    value->kind = NVP_KIND_UINT;
    value->as.uint_value = number;
}

void nvp_value_set_int(nvp_value *value, int64_t number)
{
    nvp_value_clear(value);
    value->kind = NVP_KIND_INT;
    value->as.int_value = number;
}

void nvp_value_set_real(nvp_value *value, double number)
{
    nvp_value_clear(value);
    value->kind = NVP_KIND_REAL;
    value->as.real_value = number;
}

void *nvp__value_room(nvp_value *value, size_t size)
{
    if (size <= sizeof(value->store)) {
        value->as.data = NULL;
        return value->store.text;
    }
    struct block *block = size <= SIZE_MAX - sizeof(*block) ? calloc(1, sizeof(*block) + size) : NULL;
    if (block == NULL) {
        return NULL;
    }
    block->size = size;
    free(value->owned);
    value->owned = block;
    value->as.data = block->bytes;
    return block->bytes;
}

const void *nvp__value_bytes(const nvp_value *value)
{
    return value->as.data != NULL ? value->as.data : value->store.text;
}

nvp_status nvp__value_take_text(nvp_value *value, const char *text, size_t length)
{
    size_t bytes = nvp__utf8_repair(text, length, NULL, 0);
    char *room = nvp__value_room(value, bytes + 1);
    if (room == NULL) {
        nvp_value_set_na(value, NVP_ERROR_NO_MEMORY);
        return NVP_ERROR_NO_MEMORY;
    }
    nvp__utf8_repair(text, length, room, bytes + 1);
    value->kind = NVP_KIND_TEXT;
    value->count = bytes;
    return NVP_SUCCESS;
}

nvp_status nvp_value_set_text(nvp_value *value, const char *text)
{
    nvp_value_clear(value);
    if (text == NULL) {
        nvp_value_set_na(value, NVP_ERROR_BAD_ARGUMENT);
        return NVP_ERROR_BAD_ARGUMENT;
    }
    return nvp__value_take_text(value, text, strlen(text));
}

/* A struct whose list lies in the same block has a pointer to it, which must follow the copy. */
static void move_items(nvp_value *to, const nvp_value *from)
{
    if (from->kind != NVP_KIND_STRUCT || from->shape == NULL || from->shape->row != NVP__ROW_STRUCT) {
        return;
    }
    const struct nvp__field *items = nvp__struct_field_with((const struct nvp__struct *)from->shape, NVP_FIELD_ITEMS);
    if (items == NULL) {
        return;
    }
    const unsigned char *old_bytes = block_of(from)->bytes;
    unsigned char *new_bytes = block_of(to)->bytes;
    const unsigned char *pointer;
    memcpy(&pointer, old_bytes + items->offset, sizeof(pointer));
    if (pointer >= old_bytes && pointer <= old_bytes + block_of(from)->size) {
        pointer = new_bytes + (pointer - old_bytes);
        memcpy(new_bytes + items->offset, &pointer, sizeof(pointer));
    }
}

/* The bytes of a borrowed struct or list are those of its owner; a copy needs them for itself. */
static size_t borrowed_size(const nvp_value *value)
{
    const struct nvp_shape *shape = value->shape;
    if (shape == NULL || value->as.data == NULL) {
        return 0;
    }
    switch (shape->row) {
    case NVP__ROW_STRUCT:
        return ((const struct nvp__struct *)shape)->size;
    case NVP__ROW_PARAM: {
        const struct nvp__param *param = (const struct nvp__param *)shape;
        return value->count * nvp__type_size(param->kind, param->type);
    }
    case NVP__ROW_FIELD:
        return value->count * ((const struct nvp__field *)shape)->element_size;
    default:
        return 0;
    }
}

nvp_status nvp_value_copy(nvp_value *to, const nvp_value *from)
{
    if (to == from) {
        return NVP_SUCCESS;
    }
    nvp_value_clear(to);
    bool has_bytes = ((unsigned int)from->kind & (NVP_KIND_TEXT | NVP_KIND_BYTES | NVP_KIND_STRUCT | NVP_KIND_LIST)) != 0;
    size_t size = !has_bytes                     ? 0
                  : from->owned != NULL          ? block_of(from)->size
                  : from->kind == NVP_KIND_BYTES ? from->count
                                                 : borrowed_size(from);
    if (!has_bytes || from->as.data == NULL || size == 0) {
        *to = *from;
        to->owned = NULL;
        return NVP_SUCCESS;
    }
    unsigned char *room = nvp__value_room(to, size);
    if (room == NULL) {
        nvp_value_set_na(to, NVP_ERROR_NO_MEMORY);
        return NVP_ERROR_NO_MEMORY;
    }
    memcpy(room, from->as.data, size);
    to->kind = from->kind;
    to->reason = from->reason;
    to->status = from->status;
    to->count = from->count;
    to->shape = from->shape;
    if (from->owned != NULL && to->owned != NULL) {
        move_items(to, from);
    }
    return NVP_SUCCESS;
}

bool nvp_check(const nvp_value *value, unsigned int kinds)
{
    return value != NULL && ((unsigned int)value->kind & (kinds == 0 ? NVP_KIND_ANY : kinds)) != 0;
}

const char *nvp_value_text(const nvp_value *value)
{
    return value != NULL && value->kind == NVP_KIND_TEXT ? nvp__value_bytes(value) : "";
}

const void *nvp_value_data(const nvp_value *value, size_t *size)
{
    *size = 0;
    if (value == NULL) {
        return NULL;
    }
    if (value->kind == NVP_KIND_BYTES) {
        *size = value->count;
        return nvp__value_bytes(value);
    }
    if (value->kind == NVP_KIND_STRUCT && value->shape->row == NVP__ROW_STRUCT) {
        *size = ((const struct nvp__struct *)value->shape)->size;
        return nvp__value_bytes(value);
    }
    return NULL;
}

double nvp_value_number(const nvp_value *value, double otherwise)
{
    switch (value != NULL ? value->kind : NVP_KIND_NA) {
    case NVP_KIND_UINT:
        return (double)value->as.uint_value;
    case NVP_KIND_INT:
        return (double)value->as.int_value;
    case NVP_KIND_REAL:
        return value->as.real_value;
    default:
        return otherwise;
    }
}

uint64_t nvp_value_uint(const nvp_value *value, uint64_t otherwise)
{
    if (value == NULL) {
        return otherwise;
    }
    if (value->kind == NVP_KIND_UINT) {
        return value->as.uint_value;
    }
    return value->kind == NVP_KIND_INT && value->as.int_value >= 0 ? (uint64_t)value->as.int_value : otherwise;
}
