/*
 * What nvpulse knows of NVML's functions and constants: the rows behind calls by name.
 * Nothing here calls NVML. All memory is static; everything is safe from any thread and after fork.
 */
#ifndef NVPULSE_FUNCTION_H
#define NVPULSE_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nvpulse/status.h>

NVP_BEGIN_DECLS

/** One NVML function. */
typedef struct nvp_function {
    const char *name;          /**< exported symbol */
    const char *group;         /**< subject, such as "nvmlDeviceQueries" */
    const char *first_driver;  /**< the oldest of the known libraries that exports it, such as "340.108" or "> 550.163" */
    const char *first_release; /**< the oldest release known from headers; usually the better number */
    unsigned int version;      /**< n of a _vN suffix, 1 without, 0 for the suffixes V and Ext */
    bool writes;               /**< changes the state of a GPU, of the driver or of another client */
    bool deprecated;           /**< its header says so */
    bool by_name;              /**< nvp_query() can call it */
    size_t parameter_count;
} nvp_function;

/** One parameter of a function. */
typedef struct nvp_parameter {
    const char *name;
    const char *ctype;     /**< its C type, such as "unsigned int *" */
    bool supplied;         /**< nvp_query() takes an argument for it */
    bool optional;         /**< that argument may be left out */
    bool is_output;        /**< part of the result */
    bool is_handle;        /**< `ctype` is a handle (nvmlDevice_t, ...) */
    bool is_text;          /**< const char * */
    bool is_struct;        /**< a struct by pointer */
    const char *enum_name; /**< the enum whose names it takes, or NULL */
} nvp_parameter;

/** The number of functions. */
NVP_API size_t nvp_function_count(void);
/** Function `index` in the order of names; NULL past the end. */
NVP_API const nvp_function *nvp_function_at(size_t index);
/** The function of that name, or NULL. */
NVP_API const nvp_function *nvp_function_find(const char *name);
/** Fills parameter `index` (from 0). NVP_ERROR_NO_SUCH_FIELD past the end. */
NVP_API nvp_status nvp_function_parameter(const nvp_function *function, size_t index, nvp_parameter *parameter);
/** True when the library in use exports it; false too when no library is loaded (see nvp_driver_find()). */
NVP_API bool nvp_function_available(const nvp_function *function);

/** How a function is served that the library in use lacks, or has in another form than its newest header says. */
typedef struct nvp_fallback {
    const char *wanted;    /**< the function */
    const char *served_by; /**< what is called for it; itself where it differs from its header */
    const char *lost;      /**< what the caller does not get by this; begins with "nothing" when the two mean the same */
} nvp_fallback;

/**
 * What serves `function` in place of the library's own as it is; NULL when nothing has to, or nothing can. That a function differs
 * from its header may be seen only by what it answers: then NULL until it has answered.
 */
NVP_API const nvp_fallback *nvp_function_fallback(const nvp_function *function);

/** Writes up to `max` functions whose names are near `name`, the nearest first; returns how many. */
NVP_API size_t nvp_function_suggest(const char *name, const nvp_function **nearest, size_t max);

/** The value of a constant or enumerator by its name, such as "NVML_TEMPERATURE_GPU". NVP_ERROR_NO_SUCH_FIELD if unknown. */
NVP_API nvp_status nvp_constant_find(const char *name, int64_t *value);
/** The name of a value of an enum such as "nvmlPstates_t", or NULL. */
NVP_API const char *nvp_enum_value_name(const char *enum_name, int64_t value);
/** Name `index` (from 0) of an enum and its value; NULL past the end or for an unknown enum. `value` may be NULL. */
NVP_API const char *nvp_enum_value_at(const char *enum_name, size_t index, int64_t *value);
/** The name of a field id (NVML_FI_...), or NULL. */
NVP_API const char *nvp_field_id_name(unsigned int field_id);

NVP_END_DECLS

#endif
