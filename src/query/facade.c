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
 * The common path: guard, call. All that a call may have to mind besides being made goes another way: opening, handles of an earlier
 * session, a query inside a query. What is left here are calls that answer device handles, functions that are missing, and answers that say
 * that the session has died. The words are written first: else every argument would take a register that is saved before and restored after.
 */
#define NVP_FUNCTION(name, group, version, first_driver, first_release, flags, shape, parameters, arguments)                     \
    nvmlReturn_t nvp_##name parameters                                                                                           \
    {                                                                                                                            \
        typedef nvmlReturn_t function_type parameters;                                                                           \
        const struct nvp__function *row = &nvp__functions[NVP_FN_##name];                                                        \
        const uint64_t words[] = { NVP__WORDS arguments };                                                                       \
        nvmlReturn_t result;                                                                                                     \
        if (nvp__is_wait(NVP_FN_##name)) {                                                                                       \
            return nvp__call_apart(row, words);                                                                                  \
        }                                                                                                                        \
        NVP__IN_MEMORY(words);                                                                                                   \
        NVP__GUARDED_PLAINLY(                                                                                                    \
            function_type *function =                                                                                            \
                (function_type *)atomic_load_explicit(&nvp__dispatch[NVP_FN_##name], memory_order_relaxed);                      \
            if (NVP__UNLIKELY(function == NULL)) {                                                                               \
                result = nvp__missing(NVP_FN_##name);                                                                            \
            } else {                                                                                                             \
                result = function arguments;                                                                                     \
                if (((flags)&NVP_FN_DEVICES) != 0 && result == NVML_SUCCESS) {                                                   \
                    nvp__call_note_devices(row, words);                                                                          \
                }                                                                                                                \
            },                                                                                                                   \
            return nvp__call_apart(row, words));                                                                                 \
        if (NVP__UNLIKELY(result != NVML_SUCCESS)) {                                                                             \
            result = nvp__call_failed(row, words, result);                                                                       \
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
