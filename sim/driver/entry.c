/*
 * The exported functions: one for each row of the table, all alike. Which of them a library exports, its version script says.
 * Holds no answer of its own but nvmlErrorString and the private names.
 */
#include "driver/call.h"
#include "driver/error.h"
#include "driver/private_table.h"
#include "driver/serve.h"

#define EXPORT __attribute__((visibility("default")))

/* Flags of the table; only the session flag matters here. */
enum { NVP_FN_WRITES = 0, NVP_FN_DEPRECATED = 0, NVP_FN_DEVICES = 0, NVP_FN_NO_BY_NAME = 0, NVP_FN_SESSION = 1 };

/* Faults of the scenario hit the first init too: it has to be read before the call begins. */
#define NEEDS_WORLD(name, flags) (((flags)&NVP_FN_SESSION) && NVPSIM_FN_##name != NVPSIM_FN_nvmlShutdown)
#define NEEDS_SESSION(name, flags) (!((flags)&NVP_FN_SESSION) && NVPSIM_FN_##name != NVPSIM_FN_nvmlSystemGetNVMLVersion)

/* The first argument when it is a device, else NULL; for an empty list too. */
#define FIRST(first, ...) first
#define AS_DEVICE(first) _Generic((first), nvmlDevice_t : (first), default : NULL)
#define IS_DEVICE(first) _Generic((first), nvmlDevice_t : true, default : false)
#define DEVICE_OF(...) AS_DEVICE(FIRST(__VA_ARGS__ __VA_OPT__(, ) NULL, NULL))
#define HAS_DEVICE(...) IS_DEVICE(FIRST(__VA_ARGS__ __VA_OPT__(, ) NULL, NULL))

#define NVP_FUNCTION(name, group, version, first_driver, first_release, flags, shape, parameters, arguments)                     \
    EXPORT nvmlReturn_t name parameters;                                                                                         \
    nvmlReturn_t name parameters                                                                                                 \
    {                                                                                                                            \
        nvpsim_call call;                                                                                                        \
        if (NEEDS_WORLD(name, flags))                                                                                            \
            nvpsim__world_need();                                                                                                \
        nvmlReturn_t result =                                                                                                    \
            nvpsim__call_begin(&call, NVPSIM_FN_##name, NEEDS_SESSION(name, flags), HAS_DEVICE arguments, DEVICE_OF arguments);  \
        if (result == NVML_SUCCESS)                                                                                              \
            result = nvpsim__serve_##name arguments;                                                                             \
        nvpsim__call_end(&call);                                                                                                 \
        return result;                                                                                                           \
    }
#include "abi/functions.def"

EXPORT const char *nvmlErrorString(nvmlReturn_t result);
EXPORT nvmlReturn_t nvmlInternalGetExportTable(const void **table, const void *id);
EXPORT nvmlReturn_t nvmlRetry_NvRmControl(void);

const char *nvmlErrorString(nvmlReturn_t result)
{
    nvpsim_call call;
    nvpsim__call_begin(&call, NVPSIM_FN_nvmlErrorString, false, false, NULL);
    const char *text = nvpsim__error_text((int)result);
    nvpsim__call_end(&call);
    return text;
}

/* As in real libraries, no session is needed. */
nvmlReturn_t nvmlInternalGetExportTable(const void **table, const void *id)
{
    nvpsim_call call;
    nvmlReturn_t result = nvpsim__call_begin(&call, NVPSIM_FN_nvmlInternalGetExportTable, false, false, NULL);
    if (result == NVML_SUCCESS) {
        result = nvpsim__private_table(table, id);
    }
    nvpsim__call_end(&call);
    return result;
}

/* Private, its parameters are not known: none is looked at. */
nvmlReturn_t nvmlRetry_NvRmControl(void)
{
    nvpsim_call call;
    nvmlReturn_t result = nvpsim__call_begin(&call, NVPSIM_FN_nvmlRetry_NvRmControl, true, false, NULL);
    nvpsim__call_end(&call);
    return result == NVML_SUCCESS ? NVML_ERROR_NOT_SUPPORTED : result;
}
