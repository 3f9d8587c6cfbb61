/*
 * A number for each function that any simulated driver exports: those of NVML's table, then the private ones.
 * Names only; what the functions do is in driver/.
 */
#ifndef NVPSIM_BASE_FUNCTION_H
#define NVPSIM_BASE_FUNCTION_H

enum nvpsim_function {
#define NVP_FUNCTION(name, group, version, first_driver, first_release, flags, shape, parameters, arguments) NVPSIM_FN_##name,
#define NVP_FUNCTION_TEXT(name, group, version, first_driver, first_release, flags, shape, parameters, arguments)                \
    NVPSIM_FN_##name,
#include "abi/functions.def"
    NVPSIM_FN_nvmlInternalGetExportTable,
    NVPSIM_FN_nvmlRetry_NvRmControl,
    NVPSIM_FUNCTION_COUNT
};

/** The exported name of a function; NULL for a number that is none. */
const char *nvpsim__function_name(int function);

/** The number of an exported name; -1 for an unknown one. */
int nvpsim__function_find(const char *name);

#endif
