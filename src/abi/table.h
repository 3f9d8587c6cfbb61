/*
 * The rows of functions.def, params.def, structs.def and enums.def as tables in memory.
 * Constant after the first use; knows nothing of a driver.
 */
#ifndef NVP_ABI_TABLE_H
#define NVP_ABI_TABLE_H

#include "abi/index.h"

#include <nvpulse/function.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The most parameters that any function has. */
#define NVP__PARAMS_MAX 6

/** What kind of row the shape of a value points at; first member of each such row. */
struct nvp_shape {
    unsigned char row;
};

enum {
    NVP__ROW_STRUCT = 1, /* struct nvp__struct */
    NVP__ROW_FUNCTION,   /* struct nvp__function: several outputs as a struct */
    NVP__ROW_PARAM,      /* struct nvp__param: a list */
    NVP__ROW_FIELD,      /* struct nvp__field: a list */
    NVP__ROW_ENUM,       /* struct nvp__enum, through its member `shape` */
    NVP__ROW_MASK        /* struct nvp__enum, through its member `mask` */
};

enum nvp__role {
    NVP_ROLE_IN = 1,
    NVP_ROLE_OUT,
    NVP_ROLE_INOUT,
    NVP_ROLE_TEXT,
    NVP_ROLE_LENGTH,
    NVP_ROLE_LENGTH_INOUT,
    NVP_ROLE_BLOB,
    NVP_ROLE_ITEMS,
    NVP_ROLE_COUNT_INOUT,
    NVP_ROLE_COUNT_OUT,
    NVP_ROLE_CAPACITY,
    NVP_ROLE_VALUES
};

enum nvp__type {
    NVP_TYPE_NONE = 0,
    NVP_TYPE_U8,
    NVP_TYPE_U16,
    NVP_TYPE_U32,
    NVP_TYPE_U64,
    NVP_TYPE_I32,
    NVP_TYPE_I64,
    NVP_TYPE_ULONG,
    NVP_TYPE_F64,
    NVP_TYPE_CHAR,
    NVP_TYPE_ENUM,
    NVP_TYPE_HANDLE,
    NVP_TYPE_POINTER,
    NVP_TYPE_STRUCT
};

/* NVP_FN_DEVICES: answers device handles. */
enum { NVP_FN_WRITES = 1, NVP_FN_DEPRECATED = 2, NVP_FN_SESSION = 4, NVP_FN_NO_BY_NAME = 8, NVP_FN_DEVICES = 16 };
enum { NVP_PARAM_MASK = 1, NVP_PARAM_BYTES = 2, NVP_PARAM_OPTIONAL = 4 };
enum { NVP_STRUCT_UNION = 1 };
enum {
    NVP_FIELD_MASK = 1,
    NVP_FIELD_BYTES = 2,
    NVP_FIELD_TEXT = 4,
    NVP_FIELD_INPUT = 8,
    NVP_FIELD_VERSION = 16,
    NVP_FIELD_ITEMS = 32,
    NVP_FIELD_COUNT = 64
};

/* Numbers of structs, enums and handles, each from 1; 0 is NVP_TYPE_NONE. */
enum {
    NVP__STRUCT_NONE = 0,
#define NVP_STRUCT(name, size, align, version_word, flags) NVP_STRUCT_##name,
#include "abi/structs.def"
    NVP__STRUCT_END
};
enum {
    NVP__ENUM_NONE = 0,
#define NVP_ENUM(name) NVP_ENUM_##name,
#include "abi/enums.def"
    NVP__ENUM_END
};
enum {
    NVP__HANDLE_NONE = 0,
#define NVP_HANDLE(name) NVP_HANDLE_##name,
#include "abi/handles.def"
    NVP__HANDLE_END
};
/* Numbers of the sequences of C parameter classes. */
enum {
#define NVP_SHAPE(token, count, c_parameter_types) NVP__SIGNATURE_##token,
#include "abi/shapes.def"
    NVP__SIGNATURE_COUNT
};

/**
 * The place of a text among those of the tables that have many rows. Were they pointers, each process would begin with filling them
 * in: 20 pages of its own, each copied from the file when it is first written to.
 */
typedef unsigned int nvp__text;

/** The text at a place. Never NULL; constant. */
const char *nvp__text_at(nvp__text place);

struct nvp__param {
    struct nvp_shape shape;
    unsigned char role;
    unsigned char kind; /* of the value, or of what is pointed at */
    unsigned char flags;
    signed char link; /* position of the length, count or capacity; -1 */
    short type;       /* number of the struct, enum or handle */
    short owner;      /* the function's index */
    nvp__text name;
    nvp__text ctype;
};

struct nvp__function {
    struct nvp_shape shape;
    unsigned char flags;
    unsigned char signature;
    nvp_function public;
};

struct nvp__field {
    struct nvp_shape shape;
    unsigned char kind;
    unsigned char flags;
    short type;
    short owner; /* number of the struct */
    unsigned int offset;
    unsigned int element_size;
    unsigned int count; /* 0: not an array */
    nvp__text name;
};

struct nvp__struct {
    struct nvp_shape shape;
    unsigned char flags;
    unsigned int size;
    unsigned int version_word; /* 0: none */
    const char *name;
};

struct nvp__enum {
    struct nvp_shape shape;
    struct nvp_shape mask;
    const char *name;
};

struct nvp__enumerator {
    int64_t value;
    nvp__text name;
    short owner; /* number of the enum */
};

/** Rows that belong together: `count` from `first`. */
struct nvp__range {
    unsigned short first;
    unsigned short count;
};

extern const struct nvp__function nvp__functions[NVP_FN_COUNT];
extern const struct nvp__struct nvp__structs[NVP__STRUCT_END]; /* from 1 */
extern const struct nvp__enum nvp__enums[NVP__ENUM_END];       /* from 1 */

/** The row of a function, or NULL. Finds it by hash. Safe from any thread. */
const struct nvp__function *nvp__function_row(const char *name);

/** The parameters of a function, `function->public.parameter_count` of them. */
const struct nvp__param *nvp__function_params(const struct nvp__function *function);

/** The fields of a struct. */
const struct nvp__field *nvp__struct_fields(const struct nvp__struct *row, size_t *count);

static inline int nvp__function_index(const struct nvp__function *function)
{
    return (int)(function - nvp__functions);
}

/** The struct row of that number; NULL for 0. */
static inline const struct nvp__struct *nvp__struct_row(int type)
{
    return type > 0 && type < NVP__STRUCT_END ? &nvp__structs[type] : NULL;
}

/** The field of a struct that has all of `flags`, or NULL. */
const struct nvp__field *nvp__struct_field_with(const struct nvp__struct *row, unsigned int flags);

/** The names of an enum. */
const struct nvp__enumerator *nvp__enum_names(const struct nvp__enum *row, size_t *count);

/** The name of a value of an enum, or NULL. */
const char *nvp__enum_name(const struct nvp__enum *row, int64_t value);

/** Bytes of one element of a kind; for structs of that type. */
size_t nvp__type_size(unsigned int kind, int type);

#endif
