/*
 * Each pointer of a call is a piece: where it is the program's, where the copy lies, and how much of it goes back.
 */
#include "copy.h"

#include "base/compiler.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PIECES_MAX (2 * NVP__PARAMS_MAX) /* a struct may point at a list */
#define ROOM_MAX ((size_t)64 << 20)
#define STRUCT_MAX ((size_t)1 << 16)
#define ALIGNMENT 16
#define TEXT_UNTOLD 64     /* NVML_GSP_FIRMWARE_VERSION_BUF_SIZE, the one text whose room is not a parameter */
#define UNBOUNDED_ROOM 256 /* items of a list whose room cannot be told to the driver; far above any answer known */

/** What of a piece is the program's after the call. */
enum share {
    SHARE_NONE,  /* it is input */
    SHARE_WHOLE, /* all, whatever was answered: what the driver has not touched is as it was */
    SHARE_TEXT,  /* after success, up to the NUL */
    SHARE_ITEMS  /* after success, as many as the linked count says */
};

struct piece {
    unsigned char *theirs;
    size_t offset, bytes; /* of the copy */
    size_t element;       /* of a list */
    size_t link_at;       /* of the pointer to this list, in the copy of a struct; 0: none */
    enum share share;
    size_t position; /* of the parameter */
};

struct nvpshim__copy {
    const struct nvp__function *function;
    const uint64_t *theirs;
    uint64_t words[NVP__PARAMS_MAX];
    struct piece pieces[PIECES_MAX];
    size_t count, size;
    unsigned char *memory;
};

static void *pointer_of(uint64_t word)
{
    return (void *)(uintptr_t)word;
}

uint32_t nvpshim__count_before(const struct nvp__function *function, const uint64_t *words, size_t position)
{
    const struct nvp__param *params = nvp__function_params(function);
    const struct nvp__param *param = &params[position];
    if (param->link < 0) {
        return param->role == NVP_ROLE_TEXT ? TEXT_UNTOLD : 0;
    }
    const struct nvp__param *counter = &params[param->link];
    uint64_t word = words[param->link];
    uint32_t count = 0;
    if (counter->role == NVP_ROLE_LENGTH || counter->role == NVP_ROLE_CAPACITY) {
        count = (uint32_t)word;
        count = counter->kind == NVP_TYPE_I32 && (int32_t)count < 0 ? 0 : count;
    } else if (counter->role != NVP_ROLE_COUNT_OUT && word != 0) {
        memcpy(&count, pointer_of(word), sizeof(count));
    }
    return (counter->flags & NVP_PARAM_BYTES) != 0 ? count / (uint32_t)nvp__type_size(param->kind, param->type) : count;
}

size_t nvpshim__struct_bytes(const struct nvp__struct *row, const void *at)
{
    const struct nvp__field *version = nvp__struct_field_with(row, NVP_FIELD_VERSION);
    uint32_t word = 0;
    if (version == NULL || (row->version_word & 0xffffffu) != row->size) { /* its word does not tell the size */
        return row->size;
    }
    memcpy(&word, (const unsigned char *)at + version->offset, sizeof(word));
    size_t told = word & 0xffffffu;
    return told >= sizeof(word) && told <= STRUCT_MAX ? told : row->size;
}

/* Room for a piece; `spare` bytes behind it are zero. */
static void add(struct nvpshim__copy *copy, size_t position, void *theirs, size_t bytes, size_t element, size_t spare,
                enum share share)
{
    struct piece *piece = &copy->pieces[copy->count++];
    *piece = (struct piece){ theirs, copy->size, bytes, element, 0, share, position };
    size_t room = bytes + spare;
    copy->size += (room + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

static const struct nvp__field *items_of(const struct nvp__param *param)
{
    const struct nvp__struct *row = param->kind == NVP_TYPE_STRUCT ? nvp__struct_row(param->type) : NULL;
    return row != NULL && param->role == NVP_ROLE_INOUT ? nvp__struct_field_with(row, NVP_FIELD_ITEMS) : NULL;
}

/* A struct, and the list that it points at. */
static bool add_struct(struct nvpshim__copy *copy, const struct nvp__param *param, size_t position, unsigned char *theirs)
{
    const struct nvp__struct *row = nvp__struct_row(param->type);
    const struct nvp__field *items = items_of(param);
    const struct nvp__field *count = items != NULL ? nvp__struct_field_with(row, NVP_FIELD_COUNT) : NULL;
    size_t bytes = nvpshim__struct_bytes(row, theirs);
    add(copy, position, theirs, bytes, 0, row->size, param->role == NVP_ROLE_IN ? SHARE_NONE : SHARE_WHOLE);
    void *list = NULL;
    uint32_t length = 0;
    if (count != NULL && bytes >= row->size) {
        memcpy(&list, theirs + items->offset, sizeof(list));
        memcpy(&length, theirs + count->offset, sizeof(length));
    }
    if (list != NULL) {
        if ((size_t)length * items->element_size > ROOM_MAX) {
            return false;
        }
        size_t link_at = copy->pieces[copy->count - 1].offset + items->offset;
        add(copy, position, list, (size_t)length * items->element_size, items->element_size, 0, SHARE_WHOLE);
        copy->pieces[copy->count - 1].link_at = link_at;
    }
    return true;
}

/* A buffer whose room another parameter tells. */
static bool add_buffer(struct nvpshim__copy *copy, const struct nvp__param *param, size_t position, void *theirs)
{
    size_t element = param->role == NVP_ROLE_BLOB ? 1 : nvp__type_size(param->kind, param->type);
    size_t count = nvpshim__count_before(copy->function, copy->theirs, position);
    if (param->link >= 0 && nvp__function_params(copy->function)[param->link].role == NVP_ROLE_COUNT_OUT) {
        count = UNBOUNDED_ROOM;
    }
    if (count * element > ROOM_MAX) {
        return false;
    }
    add(copy, position, theirs, count * element, element, 0,
        param->role == NVP_ROLE_VALUES ? SHARE_WHOLE
        : param->role == NVP_ROLE_TEXT ? SHARE_TEXT
                                       : SHARE_ITEMS);
    return true;
}

static bool add_param(struct nvpshim__copy *copy, const struct nvp__param *param, size_t position)
{
    void *theirs = pointer_of(copy->theirs[position]);
    switch (param->role) {
    case NVP_ROLE_LENGTH:
    case NVP_ROLE_CAPACITY:
        return true;
    case NVP_ROLE_TEXT:
    case NVP_ROLE_BLOB:
    case NVP_ROLE_ITEMS:
    case NVP_ROLE_VALUES:
        return theirs == NULL || add_buffer(copy, param, position, theirs);
    case NVP_ROLE_IN:
        if (param->kind == NVP_TYPE_CHAR && theirs != NULL) {
            add(copy, position, theirs, strlen(theirs) + 1, 0, 0, SHARE_NONE);
        }
        if (param->kind != NVP_TYPE_STRUCT) {
            return true;
        }
        break;
    default:
        break;
    }
    if (theirs != NULL && param->kind == NVP_TYPE_STRUCT) {
        return add_struct(copy, param, position, theirs);
    }
    if (theirs != NULL) {
        add(copy, position, theirs, nvp__type_size(param->kind, param->type), 0, 0, SHARE_WHOLE);
    }
    return true;
}

/* Buffers that are only written to are not read: a program may say more room than it has. */
static void fill(struct nvpshim__copy *copy)
{
    for (size_t i = 0; i < copy->count; i++) {
        const struct piece *piece = &copy->pieces[i];
        unsigned char *own = copy->memory + piece->offset;
        if (piece->share == SHARE_NONE || piece->share == SHARE_WHOLE) {
            memcpy(own, piece->theirs, piece->bytes);
        }
        if (piece->link_at != 0) {
            memcpy(copy->memory + piece->link_at, &own, sizeof(own));
        } else {
            copy->words[piece->position] = (uint64_t)(uintptr_t)own;
        }
    }
}

struct nvpshim__copy *nvpshim__copy_new(const struct nvp__function *function, const uint64_t *words)
{
    struct nvpshim__copy *copy = calloc(1, sizeof(*copy));
    const struct nvp__param *params = nvp__function_params(function);
    bool done = copy != NULL;
    if (done) {
        copy->function = function;
        copy->theirs = words;
    }
    for (size_t i = 0; done && i < function->public.parameter_count; i++) {
        copy->words[i] = words[i];
        done = add_param(copy, &params[i], i);
    }
    if (done) {
        copy->memory = calloc(1, copy->size > 0 ? copy->size : 1);
        done = copy->memory != NULL;
    }
    if (!done) {
        nvpshim__copy_free(copy);
        return NULL;
    }
    fill(copy);
    return copy;
}

const uint64_t *nvpshim__copy_words(const struct nvpshim__copy *copy)
{
    return copy->words;
}

/* How many bytes of a list the driver has filled. */
static size_t filled(const struct nvpshim__copy *copy, const struct piece *piece)
{
    const struct nvp__param *params = nvp__function_params(copy->function);
    const struct nvp__param *param = &params[piece->position];
    uint32_t count;
    if (param->link < 0 || params[param->link].role == NVP_ROLE_CAPACITY || copy->theirs[param->link] == 0) {
        return piece->bytes;
    }
    memcpy(&count, pointer_of(copy->words[param->link]), sizeof(count));
    size_t bytes = count * piece->element;
    return bytes < piece->bytes ? bytes : piece->bytes;
}

void nvpshim__copy_back(struct nvpshim__copy *copy, nvmlReturn_t result)
{
    for (size_t i = copy->count;
         i-- > 0;) { /* a list comes before the struct that points at it, which gets its own pointer back */
        const struct piece *piece = &copy->pieces[i];
        const unsigned char *own = copy->memory + piece->offset;
        if (piece->share == SHARE_WHOLE) {
            memcpy(piece->theirs, own, piece->bytes);
        } else if (piece->share == SHARE_TEXT && result == NVML_SUCCESS) {
            size_t length = strnlen((const char *)own, piece->bytes);
            memcpy(piece->theirs, own, length < piece->bytes ? length + 1 : length);
        } else if (piece->share == SHARE_ITEMS && result == NVML_SUCCESS) {
            memcpy(piece->theirs, own, filled(copy, piece));
        }
        if (piece->link_at != 0) {
            memcpy(copy->memory + piece->link_at, &piece->theirs, sizeof(piece->theirs));
        }
    }
}

void nvpshim__copy_free(struct nvpshim__copy *copy)
{
    if (copy != NULL) {
        free(copy->memory);
        free(copy);
    }
}
