/*
 * NVML's functions under their own names, each made safe: opened lazily, guarded, resolved at run time.
 * One row of functions.def is one entry point; nothing here knows what a function does.
 */
#include "query/facade.h"

#include "abi/table.h"
#include "base/answer.h"
#include "driver/library.h"
#include "lifecycle/guarded.h"
#include "query/call.h"
#include "query/unknown.h"
#include "query/words.h"

#undef NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

nvmlReturn_t nvp__as_nvml(nvp_status status)
{
    switch (status) {
    case NVP_ERROR_NO_MEMORY:
        return NVML_ERROR_MEMORY;
    case NVP_ERROR_BAD_ARGUMENT:
        return NVML_ERROR_INVALID_ARGUMENT;
    case NVP_ERROR_SHUTTING_DOWN:
    case NVP_ERROR_FORKED:
        return NVML_ERROR_UNINITIALIZED;
    case NVP_ERROR_TIMED_OUT:
        return NVML_ERROR_TIMEOUT;
    case NVP_ERROR_LIBRARY_BROKEN:
        return NVML_ERROR_LIBRARY_NOT_FOUND;
    case NVP_ERROR_BUSY:
        return NVML_ERROR_IN_USE;
    default:
        return status >= 0 ? (nvmlReturn_t)status : NVML_ERROR_UNKNOWN;
    }
}

nvmlReturn_t nvp__missing(int function_index)
{
    nvp__unknown_note(nvp__functions[function_index].public.name);
    return NVML_ERROR_FUNCTION_NOT_FOUND;
}

/*
 * The common path: guard, look at two words, call. The rest is for handles of an earlier session, for calls that answer device
 * handles, for functions that are missing and for answers that say that the session has died.
 */
#define NVP_FUNCTION(name, group, version, first_driver, first_release, flags, shape, parameters, arguments)                     \
    nvmlReturn_t nvp_##name parameters                                                                                           \
    {                                                                                                                            \
        typedef nvmlReturn_t function_type parameters;                                                                           \
        const struct nvp__function *row = &nvp__functions[NVP_FN_##name];                                                        \
        nvmlReturn_t result;                                                                                                     \
        if (nvp__is_wait(NVP_FN_##name)) {                                                                                       \
            nvp_status nvp__answer = nvp__call(row, (const uint64_t[]){ NVP__WORDS arguments });                                 \
            return nvp__answer == NVML_ERROR_FUNCTION_NOT_FOUND ? nvp__missing(NVP_FN_##name) : nvp__as_nvml(nvp__answer);       \
        }                                                                                                                        \
        NVP__GUARDED(                                                                                                            \
            function_type *function =                                                                                            \
                (function_type *)atomic_load_explicit(&nvp__dispatch[NVP_FN_##name], memory_order_relaxed);                      \
            unsigned int attention = atomic_load_explicit(&nvp__gate.attention, memory_order_relaxed);                           \
            if (NVP__UNLIKELY(function == NULL)) {                                                                               \
                result = nvp__missing(NVP_FN_##name);                                                                            \
            } else if (NVP__UNLIKELY(attention != 0)) {                                                                          \
                result = nvp__call_attentively(row, (const uint64_t[]){ NVP__WORDS arguments });                                 \
            } else {                                                                                                             \
                result = function arguments;                                                                                     \
                if (((flags)&NVP_FN_DEVICES) != 0 && result == NVML_SUCCESS) {                                                   \
                    nvp__call_note_devices(row, (const uint64_t[]){ NVP__WORDS arguments });                                     \
                }                                                                                                                \
            },                                                                                                                   \
            return nvp__as_nvml(nvp__refusal));                                                                                  \
        if (NVP__UNLIKELY(result != NVML_SUCCESS)) {                                                                             \
            result = nvp__call_failed(row, (const uint64_t[]){ NVP__WORDS arguments }, result);                                  \
        }                                                                                                                        \
        return result;                                                                                                           \
    }
#define NVP_FUNCTION_SESSION(name, group, version, first_driver, first_release, flags, shape, parameters, arguments)
#define NVP_FUNCTION_TEXT(name, group, version, first_driver, first_release, flags, shape, parameters, arguments)
#include "abi/functions.def"

/* The session: counted, and never passed to the driver as it comes. */

nvmlReturn_t nvp_nvmlInit(void)
{
    return nvp__as_nvml(nvp_init());
}

nvmlReturn_t nvp_nvmlInit_v2(void)
{
    return nvp__as_nvml(nvp_init());
}

nvmlReturn_t nvp_nvmlInitWithFlags(unsigned int flags)
{
    return nvp__as_nvml(nvp_init_with_flags(flags));
}

nvmlReturn_t nvp_nvmlShutdown(void)
{
    return nvp__as_nvml(nvp_shutdown());
}

const char *nvp_nvmlErrorString(nvmlReturn_t result)
{
    return nvp_status_text(nvp__status_of_answer(result));
}
