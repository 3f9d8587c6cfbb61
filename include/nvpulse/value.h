/*
 * A result of any shape, or N/A with its reason: numbers, text, handles, structs with named fields, lists.
 * Values are plain memory: no function here calls NVML or takes a lock, and each value belongs to one thread at a time.
 */
#ifndef NVPULSE_VALUE_H
#define NVPULSE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nvpulse/status.h>

NVP_BEGIN_DECLS

/** The kinds of value; or several of them together for nvp_check(). */
typedef enum nvp_kind {
    NVP_KIND_NA = 0,           /**< not available: see `reason` and `status` */
    NVP_KIND_NOTHING = 1 << 0, /**< success of a call that has no result */
    NVP_KIND_UINT = 1 << 1,
    NVP_KIND_INT = 1 << 2,
    NVP_KIND_REAL = 1 << 3,
    NVP_KIND_TEXT = 1 << 4,  /**< valid UTF-8 */
    NVP_KIND_BYTES = 1 << 5, /**< raw bytes, such as a binary UUID */
    NVP_KIND_HANDLE = 1 << 6,
    NVP_KIND_STRUCT = 1 << 7, /**< named fields */
    NVP_KIND_LIST = 1 << 8    /**< items, all of one shape */
} nvp_kind;

/** Every number. */
#define NVP_KIND_NUMBER (NVP_KIND_UINT | NVP_KIND_INT | NVP_KIND_REAL)
/** Anything but N/A. */
#define NVP_KIND_ANY 0x1ffu

#define NVP_VALUE_INLINE_BYTES 128

/** The shape of a struct, list or enum value; opaque. */
struct nvp_shape;

/**
 * One value. Start with NVP_VALUE_INIT; end with nvp_value_clear(), which is needed for every kind and frees what long
 * texts, big structs and lists hold. Read numbers from `as`, everything else through the functions below.
 */
typedef struct nvp_value {
    size_t struct_size; /**< sizeof(nvp_value) */
    nvp_kind kind;
    nvp_reason reason; /**< why it is N/A; NVP_REASON_NONE otherwise */
    nvp_status status; /**< the status behind it: NVP_SUCCESS, or what made it N/A */
    union {
        uint64_t uint_value;
        int64_t int_value;
        double real_value;
        void *handle;
        const void *data; /**< private */
    } as;
    size_t count;                  /**< bytes of a text or of bytes, fields of a struct, items of a list */
    const struct nvp_shape *shape; /**< private */
    void *owned;                   /**< private */
    union {
        char text[NVP_VALUE_INLINE_BYTES];
        uint64_t align;
    } store; /**< private */
} nvp_value;

#define NVP_VALUE_INIT { sizeof(nvp_value), NVP_KIND_NA, NVP_REASON_NONE, 0, { 0 }, 0, NULL, NULL, { { 0 } } }

/** Frees what a value holds and makes it N/A without a reason. NULL is allowed. */
NVP_API void nvp_value_clear(nvp_value *value);

/** Makes a value N/A, with the reason that `status` stands for. Clears it first. */
NVP_API void nvp_value_set_na(nvp_value *value, nvp_status status);

/** Makes a value a number or text of the caller's; texts are copied. Each clears the value first. */
NVP_API void nvp_value_set_uint(nvp_value *value, uint64_t number);
NVP_API void nvp_value_set_int(nvp_value *value, int64_t number);
NVP_API void nvp_value_set_real(nvp_value *value, double number);
/** NVP_ERROR_NO_MEMORY leaves the value N/A. Bad bytes are replaced by U+FFFD. */
NVP_API nvp_status nvp_value_set_text(nvp_value *value, const char *text);

/** Copies a value with all that it holds. NVP_ERROR_NO_MEMORY leaves `to` N/A. */
NVP_API nvp_status nvp_value_copy(nvp_value *to, const nvp_value *from);

/**
 * Tells a value from N/A: true when the value is of one of `kinds` (nvp_kind or-ed; 0 means NVP_KIND_ANY). False for NULL.
 */
NVP_API bool nvp_check(const nvp_value *value, unsigned int kinds);

/** The text of a TEXT value, NUL-terminated; "" for any other kind. Valid until the value changes. */
NVP_API const char *nvp_value_text(const nvp_value *value);

/** The bytes of a BYTES value, or the raw driver struct of a STRUCT value (`size` in bytes); NULL for any other kind. */
NVP_API const void *nvp_value_data(const nvp_value *value, size_t *size);

/** A number as a double, whatever its kind; `otherwise` when it is not a number. */
NVP_API double nvp_value_number(const nvp_value *value, double otherwise);

/** An unsigned number; `otherwise` for every other kind and for negative numbers. */
NVP_API uint64_t nvp_value_uint(const nvp_value *value, uint64_t otherwise);

/**
 * The name of an enum value, such as "NVML_PSTATE_8"; NULL when the value is not of an enum or the number is not
 * known (it stays readable as a number). Static memory.
 */
NVP_API const char *nvp_value_enum_name(const nvp_value *value);

/** The name of field `index` of a struct, NULL past the end or for other kinds. Static memory. */
NVP_API const char *nvp_value_field_name(const nvp_value *value, size_t index);

/**
 * Reads field `index` of a struct or item `index` of a list into `item` (initialised by the caller, cleared here first).
 * Structs and lists inside borrow from `value`: use them before it is cleared. Clear `item` in the end, too.
 * Sentinels become N/A. Returns NVP_SUCCESS, NVP_ERROR_NO_SUCH_FIELD or NVP_ERROR_NO_MEMORY.
 */
NVP_API nvp_status nvp_value_at(const nvp_value *value, size_t index, nvp_value *item);

/** As nvp_value_at(), by the name of a field. */
NVP_API nvp_status nvp_value_field(const nvp_value *value, const char *name, nvp_value *item);

/**
 * Writes a value for people: "42", "N/A", "NVML_PSTATE_0 (0)", "unknown (77)" for an enum number without a name,
 * fields as "name: value" joined by ", ", items in brackets. NUL-terminated whenever `size` > 0.
 * Returns the length that the whole text has, as snprintf does.
 */
NVP_API size_t nvp_value_format(const nvp_value *value, char *buffer, size_t size);

/**
 * Writes a value as JSON: N/A is null; 64-bit numbers are written in full; handles and bytes are hexadecimal text;
 * enum values stay numbers. Otherwise as nvp_value_format().
 */
NVP_API size_t nvp_value_json(const nvp_value *value, char *buffer, size_t size);

NVP_END_DECLS

#endif
