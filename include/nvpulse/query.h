/*
 * Calls with a policy: any NVML function by name, errors as N/A with a reason, batches of field values.
 * Every call opens NVML if needed, may block in the driver, and is safe from any thread and after fork.
 */
#ifndef NVPULSE_QUERY_H
#define NVPULSE_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nvpulse/nvml.h>
#include <nvpulse/value.h>

NVP_BEGIN_DECLS

/** One argument of a call by name; make it with the functions below. */
typedef struct nvp_arg {
    enum { NVP_ARG_DEFAULT, NVP_ARG_UINT, NVP_ARG_INT, NVP_ARG_TEXT, NVP_ARG_HANDLE, NVP_ARG_DATA } kind;
    uint64_t number;     /**< UINT; INT as two's complement */
    const void *pointer; /**< TEXT, HANDLE, DATA; borrowed for the call */
    size_t size;         /**< DATA: bytes */
} nvp_arg;

/** An unsigned number, an enum value or a bit mask. */
NVP_API nvp_arg nvp_arg_uint(uint64_t number);
/** A signed number. */
NVP_API nvp_arg nvp_arg_int(int64_t number);
/** NUL-terminated text, borrowed until the call returns. */
NVP_API nvp_arg nvp_arg_text(const char *text);
/** Any handle: nvmlDevice_t, nvmlUnit_t, nvmlEventSet_t, ... */
NVP_API nvp_arg nvp_arg_handle(const void *handle);
/** A struct or an array of structs, borrowed and never written to: the result carries what the driver wrote. */
NVP_API nvp_arg nvp_arg_data(const void *data, size_t size);
/** Zeroes, with the newest version word where the struct has one. */
NVP_API nvp_arg nvp_arg_default(void);

/** An argument list in place: nvp_query("nvmlDeviceGetName", NVP_ARGS(nvp_arg_handle(device)), NULL, &value). C++: from C++11 on. */
#ifndef __cplusplus
#define NVP_ARGS(...) ((const nvp_arg[]){ __VA_ARGS__ }), (sizeof((const nvp_arg[]){ __VA_ARGS__ }) / sizeof(nvp_arg))
#elif __cplusplus >= 201103L
#define NVP_ARGS(...) nvp_args_({ __VA_ARGS__ }), sizeof(nvp_args_count_({ __VA_ARGS__ }))
#endif

enum {
    NVP_QUERY_KEEP_ERRORS = 1 << 0, /**< an error is returned as status instead of success with N/A */
    NVP_QUERY_SILENT = 1 << 1       /**< a missing function is neither logged nor remembered */
};

/** How to call. NULL, or all zero but struct_size, means: errors become N/A, missing functions are logged once. */
typedef struct nvp_query_options {
    size_t struct_size; /**< sizeof(nvp_query_options) */
    unsigned int flags; /**< NVP_QUERY_... or-ed */
    /** Copied into the result instead of N/A; result.reason and result.status still tell why. NULL: N/A. */
    const nvp_value *otherwise;
} nvp_query_options;

#define NVP_QUERY_OPTIONS_INIT { sizeof(nvp_query_options), 0, NULL }

/**
 * Calls an NVML function by its exported name and gives its result as a value.
 *
 * @param function  such as "nvmlDeviceGetPowerUsage"; unversioned names mean that very symbol
 * @param args      one for each parameter that the caller supplies, in order: all inputs; output pointers, buffer lengths
 *                  and element counts are supplied by nvpulse. A struct that is both input and output may be left out
 *                  (all of them or none), or given as nvp_arg_data() or nvp_arg_default().
 * @param count     number of args
 * @param options   policy, or NULL
 * @param result    initialised by the caller; cleared and written in every case
 *
 * One output gives that value; several give a struct with a field for each; none gives NVP_KIND_NOTHING. Numbers that
 * mean "not available" become N/A. Lists grow until they fit. A number or a text of up to 127 bytes allocates nothing.
 *
 * Returns NVP_SUCCESS (the value may be N/A); or always, as a mistake of the caller: NVP_ERROR_BAD_ARGUMENT,
 * NVP_ERROR_UNKNOWN_FUNCTION, NVP_ERROR_NOT_BY_NAME; with NVP_QUERY_KEEP_ERRORS also whatever made it N/A.
 */
NVP_API nvp_status nvp_query(const char *function, const nvp_arg *args, size_t count, const nvp_query_options *options,
                             nvp_value *result);

/** A field of nvmlDeviceGetFieldValues to read, and what came back. */
typedef struct nvp_field {
    unsigned int field_id; /**< in: NVML_FI_... */
    unsigned int scope_id; /**< in: link, sensor or other scope; 0 if the field has none */
    /** out: when it was read, in microseconds since 1970: the driver's time, or the present when the whole call failed. */
    int64_t timestamp_us;
    int64_t latency_us; /**< out: how long reading took, in microseconds; 0 if unknown */
    nvp_value value;    /**< out: a number of the type that the driver names, or N/A; no memory is held */
} nvp_field;

/** A field with its scope, ready for nvp_query_fields(). */
#define NVP_FIELD_OF(id, scope) { (id), (scope), 0, 0, NVP_VALUE_INIT }

/**
 * Reads many field values of a device in one driver call (nvmlDeviceGetFieldValues, first in 390).
 *
 * @param device  device handle
 * @param fields  `count` entries; field_id and scope_id set by the caller; `value` needs no initialisation
 * @param count   1 to 65536
 *
 * When the whole call fails, each field is N/A with that reason and the present time.
 * Returns NVP_SUCCESS when the call was made; its status when the whole call failed; NVP_ERROR_BAD_ARGUMENT; NVP_ERROR_NO_MEMORY.
 */
NVP_API nvp_status nvp_query_fields(nvmlDevice_t device, nvp_field *fields, size_t count);

/** The number of different function names that were found missing; at most NVP_UNKNOWN_FUNCTIONS_MAX are kept. */
NVP_API size_t nvp_unknown_function_count(void);
#define NVP_UNKNOWN_FUNCTIONS_MAX 1024

/** Name `index` in the order of first use; NULL past the end. Lives until the process ends. Safe from any thread. */
NVP_API const char *nvp_unknown_function_name(size_t index);

/** True when `number` means "not available" for an unsigned NVML scalar of `size` bytes (4 or 8): all bits set. */
static inline bool nvp_is_sentinel(uint64_t number, size_t size)
{
    return number == (size == 4 ? (uint64_t)UINT32_MAX : UINT64_MAX);
}

/**
 * NVP_QUERY_OR(otherwise, function, arguments...): the typed form for a scalar that an NVML function writes through its last
 * parameter. Gives the number, or `otherwise` when the call fails or answers a sentinel. The type of `otherwise` must be the type
 * that the function writes; the compiler checks it.
 *
 *     unsigned int power_mw = NVP_QUERY_OR(0u, nvmlDeviceGetPowerUsage, device);
 *
 * At most five arguments in C. C++: from C++11 on.
 */
#ifndef __cplusplus
#define NVP_QUERY_OR(otherwise, ...)                                                                                             \
    __extension__({                                                                                                              \
        __typeof__(otherwise) nvp_default_ = (otherwise);                                                                        \
        __typeof__(otherwise) nvp_number_ = nvp_default_;                                                                        \
        nvmlReturn_t nvp_return_ = NVP_CALL_LAST(&nvp_number_, __VA_ARGS__);                                                     \
        nvp_return_ != NVML_SUCCESS || NVP_SENTINEL_OF(nvp_number_) ? nvp_default_ : nvp_number_;                                \
    })
/* Calls a function with the arguments behind it and `last` as its last one. */
#define NVP_CALL_LAST(last, ...)                                                                                                 \
    NVP_CHOOSE_7TH(__VA_ARGS__, NVP_CALL_5, NVP_CALL_4, NVP_CALL_3, NVP_CALL_2, NVP_CALL_1, NVP_CALL_0, 0)(last, __VA_ARGS__)
#define NVP_CHOOSE_7TH(a, b, c, d, e, f, chosen, ...) chosen
#define NVP_CALL_0(last, function) function(last)
#define NVP_CALL_1(last, function, a) function(a, last)
#define NVP_CALL_2(last, function, a, b) function(a, b, last)
#define NVP_CALL_3(last, function, a, b, c) function(a, b, c, last)
#define NVP_CALL_4(last, function, a, b, c, d) function(a, b, c, d, last)
#define NVP_CALL_5(last, function, a, b, c, d, e) function(a, b, c, d, e, last)
#define NVP_SENTINEL_OF(number)                                                                                                  \
    (_Generic((number), unsigned int: 1, unsigned long long: 1, unsigned long: 1, default: 0) &&                                 \
     nvp_is_sentinel((uint64_t)(number), sizeof(number)))
#elif __cplusplus >= 201103L
#define NVP_QUERY_OR(otherwise, ...) nvp_query_or_(otherwise, __VA_ARGS__)
#endif

NVP_END_DECLS

#if defined(__cplusplus) && __cplusplus >= 201103L
/* What the macros above are made of in C++: a temporary array lives until the call that it is an argument of has returned. */
template <size_t N> inline const nvp_arg *nvp_args_(const nvp_arg (&&args)[N])
{
    return args;
}
template <size_t N> char (&nvp_args_count_(const nvp_arg (&&)[N]))[N]; /* only its type is used */

template <typename T> inline bool nvp_is_sentinel_(T)
{
    return false;
}
inline bool nvp_is_sentinel_(unsigned int number)
{
    return nvp_is_sentinel(number, sizeof(number));
}
inline bool nvp_is_sentinel_(unsigned long number)
{
    return nvp_is_sentinel(number, sizeof(number));
}
inline bool nvp_is_sentinel_(unsigned long long number)
{
    return nvp_is_sentinel(number, sizeof(number));
}
template <typename T, typename Function, typename... Arguments>
inline T nvp_query_or_(T otherwise, Function function, Arguments... arguments)
{
    T number = otherwise;
    return function(arguments..., &number) != NVML_SUCCESS || nvp_is_sentinel_(number) ? otherwise : number;
}
#endif

#endif
