/*
 * The tables, made by the compiler from the row files, and the indexes over them, made at first use.
 */
#include "abi/table.h"

#include "base/compiler.h"

#include <pthread.h>
#include <string.h>

#define HASH_SLOTS 2048 /* a power of two, well above the number of functions */

#define NVP_SHAPE(token, count, c_parameter_types) enum { arity_##token = count };
#include "abi/shapes.def"

#define PUBLIC_ROW(name, group, version, first_driver, first_release, flags, by_name, arity)                                     \
    {                                                                                                                            \
#name, group, first_driver, first_release, version, ((flags)&NVP_FN_WRITES) != 0, ((flags)&NVP_FN_DEPRECATED) != 0,      \
            by_name, arity                                                                                                       \
    }
#define FUNCTION_ROW(name, group, version, first_driver, first_release, flags, by_name, shape)                                   \
    { { NVP__ROW_FUNCTION },                                                                                                     \
      flags,                                                                                                                     \
      NVP__SIGNATURE_##shape,                                                                                                    \
      PUBLIC_ROW(name, group, version, first_driver, first_release, flags, by_name, arity_##shape) },

const struct nvp__function nvp__functions[NVP_FN_COUNT] = {
#define NVP_FUNCTION(name, group, version, first_driver, first_release, flags, shape, parameters, arguments)                     \
    FUNCTION_ROW(name, group, version, first_driver, first_release, flags, ((flags)&NVP_FN_NO_BY_NAME) == 0, shape)
#define NVP_FUNCTION_TEXT(name, group, version, first_driver, first_release, flags, shape, parameters, arguments)                \
    FUNCTION_ROW(name, group, version, first_driver, first_release, flags, true, shape)
#include "abi/functions.def"
};

/* A text of a row is named by the line of the row in its file. */
#define TEXT_OF_LINE(file, line) file##_##line
#define TEXT_OF(file, line) TEXT_OF_LINE(file, line)

static const struct texts {
#define NVP_PARAM(function, position, name, ctype, role, kind, type, link, flags)                                                \
    char TEXT_OF(param, __LINE__)[sizeof(name)];                                                                                 \
    char TEXT_OF(param_type, __LINE__)[sizeof(ctype)];
#include "abi/params.def"
#define NVP_FIELD(struct_name, name, offset, kind, element_size, count, type, flags) char TEXT_OF(field, __LINE__)[sizeof(name)];
#include "abi/structs.def"
#define NVP_ENUMERATOR(enum_name, name, value) char TEXT_OF(enumerator, __LINE__)[sizeof(#name)];
#include "abi/enums.def"
} texts = {
#define NVP_PARAM(function, position, name, ctype, role, kind, type, link, flags) name, ctype,
#include "abi/params.def"
#define NVP_FIELD(struct_name, name, offset, kind, element_size, count, type, flags) name,
#include "abi/structs.def"
#define NVP_ENUMERATOR(enum_name, name, value) #name,
#include "abi/enums.def"
};

const char *nvp__text_at(nvp__text place)
{
    return (const char *)&texts + place;
}

#define PLACE_OF(file, line) (nvp__text) offsetof(struct texts, TEXT_OF(file, line))

static const struct nvp__param params[] = {
#define NVP_PARAM(function, position, name, ctype, role, kind, type, link, flags)                                                \
    { { NVP__ROW_PARAM },                                                                                                        \
      role,                                                                                                                      \
      kind,                                                                                                                      \
      flags,                                                                                                                     \
      link,                                                                                                                      \
      type,                                                                                                                      \
      NVP_FN_##function,                                                                                                         \
      PLACE_OF(param, __LINE__),                                                                                                 \
      PLACE_OF(param_type, __LINE__) },
#include "abi/params.def"
};

const struct nvp__struct nvp__structs[NVP__STRUCT_END] = {
#define NVP_STRUCT(name, size, align, version_word, flags)                                                                       \
    [NVP_STRUCT_##name] = { { NVP__ROW_STRUCT }, flags, size, version_word, #name },
#include "abi/structs.def"
};

static const struct nvp__field fields[] = {
#define NVP_FIELD(struct_name, name, offset, kind, element_size, count, type, flags)                                             \
    { { NVP__ROW_FIELD }, kind, flags, type, NVP_STRUCT_##struct_name, offset, element_size, count, PLACE_OF(field, __LINE__) },
#include "abi/structs.def"
};

const struct nvp__enum nvp__enums[NVP__ENUM_END] = {
#define NVP_ENUM(name) [NVP_ENUM_##name] = { { NVP__ROW_ENUM }, { NVP__ROW_MASK }, #name },
#include "abi/enums.def"
};

static const struct nvp__enumerator enumerators[] = {
#define NVP_ENUMERATOR(enum_name, name, value) { value, PLACE_OF(enumerator, __LINE__), NVP_ENUM_##enum_name },
#include "abi/enums.def"
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
/* Written once, then constant. */
static struct nvp__range param_ranges[NVP_FN_COUNT];
static struct nvp__range field_ranges[NVP__STRUCT_END];
static struct nvp__range enumerator_ranges[NVP__ENUM_END];
static unsigned short hash_slots[HASH_SLOTS]; /* function index + 1; 0: empty */

static void add_to_range(struct nvp__range *range, size_t index)
{
    if (range->count == 0) {
        range->first = (unsigned short)index;
    }
    range->count++;
}

/* Eight bytes at a time; names are short and share long prefixes, so all of them count. */
static size_t hash(const char *name, size_t length)
{
    uint64_t state = length * UINT64_C(0x9e3779b97f4a7c15);
    while (length > 0) {
        uint64_t word = 0;
        size_t bytes = length < sizeof(word) ? length : sizeof(word);
        memcpy(&word, name, bytes);
        state = (state ^ word) * UINT64_C(0xff51afd7ed558ccd);
        state ^= state >> 32;
        name += bytes;
        length -= bytes;
    }
    return (size_t)state & (HASH_SLOTS - 1);
}

static void build(void)
{
    for (size_t i = 0; i < NVP__COUNT_OF(params); i++) {
        add_to_range(&param_ranges[params[i].owner], i);
    }
    for (size_t i = 0; i < NVP__COUNT_OF(fields); i++) {
        add_to_range(&field_ranges[fields[i].owner], i);
    }
    for (size_t i = 0; i < NVP__COUNT_OF(enumerators); i++) {
        add_to_range(&enumerator_ranges[enumerators[i].owner], i);
    }
    for (size_t i = 0; i < NVP_FN_COUNT; i++) {
        const char *name = nvp__functions[i].public.name;
        size_t slot = hash(name, strlen(name));
        while (hash_slots[slot] != 0) {
            slot = (slot + 1) & (HASH_SLOTS - 1);
        }
        hash_slots[slot] = (unsigned short)(i + 1);
    }
}

const struct nvp__function *nvp__function_row(const char *name)
{
    pthread_once(&once, build);
    size_t slot = hash(name, strlen(name));
    for (; hash_slots[slot] != 0; slot = (slot + 1) & (HASH_SLOTS - 1)) {
        const struct nvp__function *function = &nvp__functions[hash_slots[slot] - 1];
        if (strcmp(function->public.name, name) == 0) {
            return function;
        }
    }
    return NULL;
}

const struct nvp__param *nvp__function_params(const struct nvp__function *function)
{
    pthread_once(&once, build);
    return params + param_ranges[nvp__function_index(function)].first;
}

const struct nvp__field *nvp__struct_fields(const struct nvp__struct *row, size_t *count)
{
    pthread_once(&once, build);
    const struct nvp__range *range = &field_ranges[row - nvp__structs];
    *count = range->count;
    return fields + range->first;
}

const struct nvp__field *nvp__struct_field_with(const struct nvp__struct *row, unsigned int flags)
{
    size_t count;
    const struct nvp__field *field = nvp__struct_fields(row, &count);
    for (size_t i = 0; i < count; i++) {
        if ((field[i].flags & flags) == flags) {
            return &field[i];
        }
    }
    return NULL;
}

const struct nvp__enumerator *nvp__enum_names(const struct nvp__enum *row, size_t *count)
{
    pthread_once(&once, build);
    const struct nvp__range *range = &enumerator_ranges[row - nvp__enums];
    *count = range->count;
    return enumerators + range->first;
}

const char *nvp__enum_name(const struct nvp__enum *row, int64_t value)
{
    size_t count;
    const struct nvp__enumerator *names = nvp__enum_names(row, &count);
    for (size_t i = 0; i < count; i++) {
        if (names[i].value == value) {
            return nvp__text_at(names[i].name);
        }
    }
    return NULL;
}

size_t nvp__type_size(unsigned int kind, int type)
{
    switch (kind) {
    case NVP_TYPE_U8:
    case NVP_TYPE_CHAR:
        return 1;
    case NVP_TYPE_U16:
        return 2;
    case NVP_TYPE_U32:
    case NVP_TYPE_I32:
    case NVP_TYPE_ENUM:
        return 4;
    case NVP_TYPE_ULONG:
        return sizeof(unsigned long);
    case NVP_TYPE_HANDLE:
    case NVP_TYPE_POINTER:
        return sizeof(void *);
    case NVP_TYPE_STRUCT:
        return nvp__struct_row(type) != NULL ? nvp__struct_row(type)->size : 0;
    default:
        return 8;
    }
}
