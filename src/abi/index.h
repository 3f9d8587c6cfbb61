/*
 * A number for each NVML function of the table, NVP_FN_<name>, in the order of names.
 */
#ifndef NVP_ABI_INDEX_H
#define NVP_ABI_INDEX_H

enum nvp__function_index {
#define NVP_FUNCTION(name, group, version, first_driver, first_release, flags, shape, parameters, arguments) NVP_FN_##name,
#define NVP_FUNCTION_SESSION NVP_FUNCTION
#define NVP_FUNCTION_TEXT NVP_FUNCTION
#include "abi/functions.def"
    NVP_FN_COUNT
};

#endif
