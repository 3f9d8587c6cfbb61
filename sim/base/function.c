/*
 * Names of the functions and the search among them.
 */
#include "base/function.h"

#include <stddef.h>
#include <string.h>

static const char *const names[NVPSIM_FUNCTION_COUNT] = {
#define NVP_FUNCTION(name, group, version, first_driver, first_release, flags, shape, parameters, arguments) #name,
#define NVP_FUNCTION_TEXT(name, group, version, first_driver, first_release, flags, shape, parameters, arguments) #name,
#include "abi/functions.def"
    "nvmlInternalGetExportTable",
    "nvmlRetry_NvRmControl",
};

const char *nvpsim__function_name(int function)
{
    return function >= 0 && function < NVPSIM_FUNCTION_COUNT ? names[function] : NULL;
}

int nvpsim__function_find(const char *name)
{
    int low = 0, high = NVPSIM_FN_nvmlInternalGetExportTable; /* the private names are not in order */
    while (low < high) {
        int middle = (low + high) / 2;
        int order = strcmp(name, names[middle]);
        if (order == 0) {
            return middle;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    for (int i = NVPSIM_FN_nvmlInternalGetExportTable; i < NVPSIM_FUNCTION_COUNT; i++) {
        if (strcmp(name, names[i]) == 0) {
            return i;
        }
    }
    return -1;
}
