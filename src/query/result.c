/*
 * Outputs out: from the memory of a finished call to one value, or to a struct with a field for each output.
 */
#include "query/frame.h"
#include "query/value.h"

#include <string.h>

/* Items that the driver wrote; never more than there was room for, whatever it says. */
static size_t item_count(const struct nvp__frame *frame, size_t position)
{
    const struct nvp__param *param = &frame->params[position];
    size_t room = frame->room[position];
    uint32_t count;
    if (param->role == NVP_ROLE_VALUES || frame->params[param->link].role == NVP_ROLE_CAPACITY) {
        return room;
    }
    memcpy(&count, &frame->scalars[param->link], sizeof(count));
    return count < room ? count : room;
}

/* The words of a CPU or node set that say something: trailing zero words are room that was not needed. */
static size_t set_words(const unsigned char *at, size_t count, size_t element)
{
    while (count > 1) {
        unsigned long word = 0;
        memcpy(&word, at + (count - 1) * element, element < sizeof(word) ? element : sizeof(word));
        if (word != 0) {
            break;
        }
        count--;
    }
    return count;
}

/* Where an output lies, how many bytes it has and how many items. */
struct output {
    const unsigned char *at;
    size_t bytes;
    size_t count;
};

static struct output output_of(const struct nvp__frame *frame, size_t position)
{
    const struct nvp__param *param = &frame->params[position];
    const unsigned char *at = frame->memory + frame->offset[position];
    size_t element = nvp__type_size(param->kind, param->type);
    struct output output = { .at = at, .bytes = element, .count = 0 };
    switch (param->role) {
    case NVP_ROLE_TEXT:
        output.count = strnlen((const char *)at, frame->room[position]);
        output.bytes = output.count;
        break;
    case NVP_ROLE_ITEMS:
    case NVP_ROLE_VALUES:
        output.count = item_count(frame, position);
        output.count = param->kind == NVP_TYPE_ULONG ? set_words(at, output.count, element) : output.count;
        output.bytes = output.count * element;
        break;
    default:
        if (param->kind != NVP_TYPE_STRUCT) {
            output.at = (const unsigned char *)&frame->scalars[position];
        }
        break;
    }
    return output;
}

/* A struct that points at a list keeps both in one block, the list behind the struct. */
static nvp_status take_struct(struct nvp__frame *frame, size_t position, nvp_value *result)
{
    const struct nvp__param *param = &frame->params[position];
    const struct nvp__struct *row = nvp__struct_row(param->type);
    const struct nvp__field *items = param->role == NVP_ROLE_INOUT ? nvp__struct_field_with(row, NVP_FIELD_ITEMS) : NULL;
    const struct nvp__field *count = items != NULL ? nvp__struct_field_with(row, NVP_FIELD_COUNT) : NULL;
    const unsigned char *from = frame->memory + frame->offset[position];
    size_t list_at = (row->size + 15u) & ~(size_t)15u;
    size_t size = row->size;
    uint32_t used = 0;
    if (count != NULL) {
        memcpy(&used, from + count->offset, sizeof(used));
        used = used < frame->room[position] ? used : (uint32_t)frame->room[position];
        size_t bytes = list_at + (size_t)used * items->element_size;
        size = bytes > NVP_VALUE_INLINE_BYTES ? bytes : NVP_VALUE_INLINE_BYTES + 1; /* never inline: it must not move */
    }
    unsigned char *room = nvp__value_room(result, size);
    if (room == NULL) {
        return NVP_ERROR_NO_MEMORY;
    }
    memcpy(room, from, row->size);
    if (count != NULL) {
        const unsigned char *list = room + list_at;
        memcpy(room + list_at, from + list_at, (size_t)used * items->element_size);
        memcpy(room + items->offset, &list, sizeof(list));
        memcpy(room + count->offset, &used, sizeof(used));
    }
    size_t fields;
    nvp__struct_fields(row, &fields);
    result->kind = NVP_KIND_STRUCT;
    result->shape = &row->shape;
    result->count = fields;
    return NVP_SUCCESS;
}

static nvp_status take_list(const struct nvp__param *param, const struct output *output, nvp_value *result)
{
    unsigned char *room = nvp__value_room(result, output->bytes);
    if (room == NULL) {
        return NVP_ERROR_NO_MEMORY;
    }
    memcpy(room, output->at, output->bytes);
    result->kind = NVP_KIND_LIST;
    result->shape = &param->shape;
    result->count = output->count;
    return NVP_SUCCESS;
}

static nvp_status take_single(struct nvp__frame *frame, size_t position, nvp_value *result)
{
    const struct nvp__param *param = &frame->params[position];
    struct output output = output_of(frame, position);
    switch (param->role) {
    case NVP_ROLE_TEXT:
        return nvp__value_take_text(result, (const char *)output.at, output.count);
    case NVP_ROLE_ITEMS:
    case NVP_ROLE_VALUES:
        return take_list(param, &output, result);
    default:
        if (param->kind == NVP_TYPE_STRUCT) {
            return take_struct(frame, position, result);
        }
        struct nvp__typed typed = nvp__typed_of_param(param);
        return nvp__value_decode(result, &typed, output.at);
    }
}

static nvp_status take_several(struct nvp__frame *frame, size_t outputs, nvp_value *result)
{
    struct nvp__results head = { { 0 }, { 0 } };
    size_t size = sizeof(head);
    for (size_t i = 0; i < frame->param_count; i++) {
        if (nvp__role_is_output(frame->params[i].role)) {
            struct output output = output_of(frame, i);
            head.offset[i] = (unsigned int)size;
            head.count[i] = (unsigned int)output.count;
            size += (output.bytes + 7) & ~(size_t)7;
        }
    }
    unsigned char *room = nvp__value_room(result, size);
    if (room == NULL) {
        return NVP_ERROR_NO_MEMORY;
    }
    memcpy(room, &head, sizeof(head));
    for (size_t i = 0; i < frame->param_count; i++) {
        if (nvp__role_is_output(frame->params[i].role)) {
            struct output output = output_of(frame, i);
            memcpy(room + head.offset[i], output.at, output.bytes);
        }
    }
    result->kind = NVP_KIND_STRUCT;
    result->shape = &frame->function->shape;
    result->count = outputs;
    return NVP_SUCCESS;
}

nvp_status nvp__frame_result(struct nvp__frame *frame, nvp_value *result)
{
    size_t outputs = 0;
    size_t last = 0;
    for (size_t i = 0; i < frame->param_count; i++) {
        if (nvp__role_is_output(frame->params[i].role)) {
            outputs++;
            last = i;
        }
    }
    nvp_status status = NVP_SUCCESS;
    if (outputs == 0) {
        result->kind = NVP_KIND_NOTHING;
    } else if (outputs == 1) {
        status = take_single(frame, last, result);
    } else {
        status = take_several(frame, outputs, result);
    }
    if (status != NVP_SUCCESS) {
        nvp_value_set_na(result, status);
    }
    return status;
}
