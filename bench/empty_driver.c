/*
 * A driver in which every call succeeds at once and does nothing: what a call on it takes is what stands between. Calls that say how
 * many entries they gave are in empty_driver_counts.c.
 */
#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define NVP_FUNCTION(name, group, version, first_driver, first_release, flags, shape, parameters, arguments)                     \
    __attribute__((visibility("default"), weak)) nvmlReturn_t name parameters;                                                   \
    nvmlReturn_t name parameters                                                                                                 \
    {                                                                                                                            \
        return NVML_SUCCESS;                                                                                                     \
    }
#include "abi/functions.def"
