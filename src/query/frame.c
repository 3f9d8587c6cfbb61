/*
 * Arguments in: which parameter takes which argument, how much room each output gets, what words the driver receives.
 * The way back, from outputs to a value, is in result.c.
 */
#include "query/frame.h"

#include "base/compiler.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_ROOM 256
#define BLOB_ROOM 1024
#define LIST_ROOM 32
#define SET_ROOM 64        /* words of a CPU or node set */
#define STATES_ROOM 16     /* performance states */
#define UNBOUNDED_ROOM 256 /* lists whose capacity cannot be told to the driver; far above any answer known */
#define TEXT_ROOM_MAX ((size_t)1 << 16)
#define LIST_ROOM_MAX ((size_t)1 << 20)
#define ALIGNMENT 16
/* Some drivers write more than the header of their symbol says: 535.43 to 535.86 write process records of 32 bytes for 24. */
#define RECORD_SPARE 2
#define STRUCT_SPARE 64

static bool takes_argument(const struct nvp__param *param)
{
    return param->role == NVP_ROLE_IN || param->role == NVP_ROLE_VALUES || param->role == NVP_ROLE_INOUT;
}

static bool is_optional(const struct nvp__param *param)
{
    return param->role == NVP_ROLE_INOUT && param->kind == NVP_TYPE_STRUCT;
}

static bool number_fits(const struct nvp__param *param, const nvp_arg *arg)
{
    bool negative = arg->kind == NVP_ARG_INT && (int64_t)arg->number < 0;
    switch (param->kind) {
    case NVP_TYPE_I32:
        return negative ? (int64_t)arg->number >= INT32_MIN : arg->number <= INT32_MAX;
    case NVP_TYPE_U64:
        return !negative;
    default:
        return !negative && arg->number <= UINT32_MAX;
    }
}

static bool argument_fits(const struct nvp__param *param, const nvp_arg *arg)
{
    switch (param->kind) {
    case NVP_TYPE_HANDLE:
        return arg->kind == NVP_ARG_HANDLE;
    case NVP_TYPE_CHAR:
        return arg->kind == NVP_ARG_TEXT && arg->pointer != NULL;
    case NVP_TYPE_STRUCT: {
        size_t size = nvp__struct_row(param->type)->size;
        if (arg->kind == NVP_ARG_DEFAULT) {
            return param->role != NVP_ROLE_VALUES;
        }
        bool whole = param->role == NVP_ROLE_VALUES ? arg->size > 0 && arg->size % size == 0 && arg->size / size <= LIST_ROOM_MAX
                                                    : arg->size == size;
        return arg->kind == NVP_ARG_DATA && arg->pointer != NULL && whole;
    }
    default:
        return (arg->kind == NVP_ARG_UINT || arg->kind == NVP_ARG_INT) && number_fits(param, arg);
    }
}

static bool assign_arguments(struct nvp__frame *frame, size_t count)
{
    size_t required = 0;
    size_t optional = 0;
    for (size_t i = 0; i < frame->param_count; i++) {
        required += takes_argument(&frame->params[i]) && !is_optional(&frame->params[i]);
        optional += is_optional(&frame->params[i]);
    }
    if (count != required && count != required + optional) {
        return false;
    }
    signed char next = 0;
    for (size_t i = 0; i < frame->param_count; i++) {
        const struct nvp__param *param = &frame->params[i];
        frame->arg_of[i] = -1;
        if (takes_argument(param) && (!is_optional(param) || count > required)) {
            frame->arg_of[i] = next++;
            if (!argument_fits(param, &frame->args[frame->arg_of[i]])) {
                return false;
            }
        }
    }
    return true;
}

static size_t first_room(const struct nvp__frame *frame, const struct nvp__param *param)
{
    switch (param->role) {
    case NVP_ROLE_TEXT:
        return TEXT_ROOM;
    case NVP_ROLE_BLOB:
        return BLOB_ROOM;
    case NVP_ROLE_VALUES:
        return frame->args[frame->arg_of[param - frame->params]].size / nvp__struct_row(param->type)->size;
    case NVP_ROLE_INOUT: /* of a struct that points at a list */
        return LIST_ROOM;
    case NVP_ROLE_ITEMS: {
        const struct nvp__param *counter = &frame->params[param->link];
        if (counter->role == NVP_ROLE_CAPACITY) {
            return (counter->flags & NVP_PARAM_BYTES) != 0 ? STATES_ROOM : SET_ROOM;
        }
        return counter->role == NVP_ROLE_COUNT_OUT ? UNBOUNDED_ROOM : LIST_ROOM;
    }
    default:
        return 0;
    }
}

nvp_status nvp__frame_begin(struct nvp__frame *frame, const struct nvp__function *function, const nvp_arg *args, size_t count)
{
    frame->function = function;
    frame->params = nvp__function_params(function);
    frame->param_count = function->public.parameter_count;
    frame->args = args;
    frame->memory = frame->scratch;
    if ((count > 0 && args == NULL) || !assign_arguments(frame, count)) {
        return NVP_ERROR_BAD_ARGUMENT;
    }
    for (size_t i = 0; i < frame->param_count; i++) {
        frame->room[i] = first_room(frame, &frame->params[i]);
    }
    return NVP_SUCCESS;
}

/* The field of an input/output struct that points at a list, or NULL. */
static const struct nvp__field *items_field(const struct nvp__param *param)
{
    const struct nvp__struct *row = param->kind == NVP_TYPE_STRUCT ? nvp__struct_row(param->type) : NULL;
    return row != NULL && param->role == NVP_ROLE_INOUT ? nvp__struct_field_with(row, NVP_FIELD_ITEMS) : NULL;
}

static size_t aligned(size_t size)
{
    return (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

/* Bytes that a parameter needs in memory; 0 for scalars. Capacities are bounded, so nothing here can overflow. */
static size_t memory_of(const struct nvp__frame *frame, size_t position)
{
    const struct nvp__param *param = &frame->params[position];
    size_t element = nvp__type_size(param->kind, param->type);
    switch (param->role) {
    case NVP_ROLE_TEXT:
    case NVP_ROLE_BLOB:
        return aligned(frame->room[position] + 1);
    case NVP_ROLE_ITEMS:
    case NVP_ROLE_VALUES:
        return aligned(frame->room[position] * element * RECORD_SPARE);
    default:
        if (param->kind != NVP_TYPE_STRUCT) {
            return 0;
        }
        const struct nvp__field *items = items_field(param);
        size_t list = items != NULL ? frame->room[position] * items->element_size * RECORD_SPARE : 0;
        return aligned(element) + (items != NULL ? aligned(list) : STRUCT_SPARE);
    }
}

static bool lay_out(struct nvp__frame *frame)
{
    size_t size = 0;
    for (size_t i = 0; i < frame->param_count; i++) {
        frame->offset[i] = size;
        size += memory_of(frame, i);
        frame->scalars[i] = 0;
    }
    nvp__frame_end(frame);
    frame->size = size;
    if (size <= sizeof(frame->scratch)) {
        memset(frame->scratch, 0, size);
        return true;
    }
    unsigned char *memory = calloc(1, size);
    if (memory == NULL) {
        return false;
    }
    frame->memory = memory;
    return true;
}

static void put_uint32(unsigned char *at, uint32_t number)
{
    memcpy(at, &number, sizeof(number));
}

/* Fills a struct for the driver: the caller's bytes, else zeroes; the version word; the list that it points at. */
static void fill_struct(struct nvp__frame *frame, size_t position)
{
    const struct nvp__param *param = &frame->params[position];
    const struct nvp__struct *row = nvp__struct_row(param->type);
    unsigned char *at = frame->memory + frame->offset[position];
    const nvp_arg *arg = frame->arg_of[position] >= 0 ? &frame->args[frame->arg_of[position]] : NULL;
    if (arg != NULL && arg->kind == NVP_ARG_DATA) {
        memcpy(at, arg->pointer, arg->size);
    }
    const struct nvp__field *version = nvp__struct_field_with(row, NVP_FIELD_VERSION);
    uint32_t given;
    if (version != NULL && param->role != NVP_ROLE_OUT) {
        memcpy(&given, at + version->offset, sizeof(given));
        put_uint32(at + version->offset, given != 0 ? given : row->version_word);
    }
    const struct nvp__field *items = items_field(param);
    const struct nvp__field *count = items != NULL ? nvp__struct_field_with(row, NVP_FIELD_COUNT) : NULL;
    if (count != NULL) {
        const unsigned char *list = at + aligned(row->size);
        memcpy(at + items->offset, &list, sizeof(list));
        put_uint32(at + count->offset, (uint32_t)frame->room[position]);
    }
}

static uint64_t pointer_word(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

/* The capacity that a count, length or capacity parameter announces: that of the buffer which is linked to it. */
static size_t announced(const struct nvp__frame *frame, size_t position)
{
    for (size_t i = 0; i < frame->param_count; i++) {
        if (frame->params[i].link == (int)position) {
            bool in_bytes = (frame->params[position].flags & NVP_PARAM_BYTES) != 0;
            return frame->room[i] * (in_bytes ? nvp__type_size(frame->params[i].kind, frame->params[i].type) : 1);
        }
    }
    return 0;
}

static void fill_input(struct nvp__frame *frame, size_t position)
{
    static const nvp_arg none = { .kind = NVP_ARG_DEFAULT }; /* only a struct can have been left out */
    const struct nvp__param *param = &frame->params[position];
    const nvp_arg *arg = frame->arg_of[position] >= 0 ? &frame->args[frame->arg_of[position]] : &none;
    if (param->kind == NVP_TYPE_STRUCT) {
        fill_struct(frame, position);
        frame->words[position] = pointer_word(frame->memory + frame->offset[position]);
    } else if (param->role == NVP_ROLE_INOUT) {
        put_uint32((unsigned char *)&frame->scalars[position], (uint32_t)arg->number);
        frame->words[position] = pointer_word(&frame->scalars[position]);
    } else if (param->kind == NVP_TYPE_HANDLE || param->kind == NVP_TYPE_CHAR) {
        frame->words[position] = pointer_word(arg->pointer);
    } else {
        frame->words[position] = arg->number;
    }
}

static void fill_word(struct nvp__frame *frame, size_t position)
{
    const struct nvp__param *param = &frame->params[position];
    switch (param->role) {
    case NVP_ROLE_IN:
    case NVP_ROLE_INOUT:
    case NVP_ROLE_VALUES:
        fill_input(frame, position);
        break;
    case NVP_ROLE_LENGTH:
    case NVP_ROLE_CAPACITY:
        frame->words[position] = announced(frame, position);
        break;
    case NVP_ROLE_LENGTH_INOUT:
    case NVP_ROLE_COUNT_INOUT:
        put_uint32((unsigned char *)&frame->scalars[position], (uint32_t)announced(frame, position));
        frame->words[position] = pointer_word(&frame->scalars[position]);
        break;
    case NVP_ROLE_OUT:
        if (param->kind != NVP_TYPE_STRUCT) {
            frame->words[position] = pointer_word(&frame->scalars[position]);
            break;
        }
        fill_struct(frame, position);
        frame->words[position] = pointer_word(frame->memory + frame->offset[position]);
        break;
    case NVP_ROLE_COUNT_OUT:
        frame->words[position] = pointer_word(&frame->scalars[position]);
        break;
    default: /* TEXT, BLOB, ITEMS */
        frame->words[position] = pointer_word(frame->memory + frame->offset[position]);
        break;
    }
}

nvp_status nvp__frame_prepare(struct nvp__frame *frame)
{
    if (!lay_out(frame)) {
        return NVP_ERROR_NO_MEMORY;
    }
    for (size_t i = 0; i < frame->param_count; i++) {
        fill_word(frame, i);
    }
    return NVP_SUCCESS;
}

/* What the driver says is needed: in the count or length parameter, or in the count field of a struct; 0 if it cannot say. */
static size_t needed(const struct nvp__frame *frame, size_t position)
{
    const struct nvp__param *param = &frame->params[position];
    uint32_t number = 0;
    if (param->role == NVP_ROLE_INOUT) {
        const struct nvp__field *count = nvp__struct_field_with(nvp__struct_row(param->type), NVP_FIELD_COUNT);
        if (count != NULL) {
            memcpy(&number, frame->memory + frame->offset[position] + count->offset, sizeof(number));
        }
    } else if (param->link >= 0 && frame->params[param->link].role != NVP_ROLE_LENGTH) {
        memcpy(&number, &frame->scalars[param->link], sizeof(number));
    }
    return number;
}

static bool can_grow(const struct nvp__param *param)
{
    switch (param->role) {
    case NVP_ROLE_TEXT:
    case NVP_ROLE_BLOB:
    case NVP_ROLE_ITEMS:
        return true;
    case NVP_ROLE_INOUT:
        return items_field(param) != NULL;
    default:
        return false;
    }
}

bool nvp__frame_grow(struct nvp__frame *frame)
{
    bool grown = false;
    for (size_t i = 0; i < frame->param_count; i++) {
        const struct nvp__param *param = &frame->params[i];
        if (!can_grow(param)) {
            continue;
        }
        size_t most = param->role == NVP_ROLE_TEXT || param->role == NVP_ROLE_BLOB ? TEXT_ROOM_MAX : LIST_ROOM_MAX;
        size_t want = needed(frame, i) + needed(frame, i) / 4; /* lists grow between two calls */
        size_t room = want > frame->room[i] * 2 ? want : frame->room[i] * 2;
        room = room < most ? room : most;
        grown = grown || room > frame->room[i];
        frame->room[i] = room;
    }
    return grown;
}

void nvp__frame_end(struct nvp__frame *frame)
{
    if (frame->memory != frame->scratch) {
        free(frame->memory);
        frame->memory = frame->scratch;
    }
}
