/*
 * The CPUs near a device, as a set of bits. The plain call is by its documentation the one for the scope of a node.
 */
#include "compat/adapters.h"

#include "compat/driver.h"

#include <string.h>

#define WORDS_MAX 128 /* 8192 CPUs */

nvmlReturn_t nvp__compat_cpu_affinity_from_scope(nvmlDevice_t device, unsigned int size, unsigned long *set)
{
    return NVP__OWN(nvmlDeviceGetCpuAffinityWithinScope)(device, size, set, NVML_AFFINITY_SCOPE_NODE);
}

/*
 * The header of 340 has words of 32 bits. Twice the words are asked for, with room for twice the larger ones: whichever the library
 * writes, what the caller wants stands at the front, and it never writes past the end.
 */
nvmlReturn_t nvp__compat_cpu_affinity_340(nvmlDevice_t device, unsigned int size, unsigned long *set)
{
    unsigned long words[2 * WORDS_MAX] = { 0 };
    if (set == NULL || size == 0) {
        return NVP__OWN(nvmlDeviceGetCpuAffinity)(device, size, set);
    }
    unsigned int asked = size < WORDS_MAX ? size : WORDS_MAX;
    nvmlReturn_t status = NVP__OWN(nvmlDeviceGetCpuAffinity)(device, 2 * asked, words);
    if (status == NVML_SUCCESS) {
        memset(set, 0, size * sizeof(*set));
        memcpy(set, words, asked * sizeof(*set));
    }
    return status;
}

nvmlReturn_t nvp__compat_cpu_affinity_scope_from_plain(nvmlDevice_t device, unsigned int size, unsigned long *set,
                                                       nvmlAffinityScope_t scope)
{
    switch (scope) {
    case NVML_AFFINITY_SCOPE_NODE: /* without that call: the header of 340 */
        return nvp__exported_at(NVP_FN_nvmlDeviceGetTopologyCommonAncestor) != NULL
                   ? NVP__OWN(nvmlDeviceGetCpuAffinity)(device, size, set)
                   : nvp__compat_cpu_affinity_340(device, size, set);
    case NVML_AFFINITY_SCOPE_SOCKET:
        return NVML_ERROR_NOT_SUPPORTED;
    default:
        return NVML_ERROR_INVALID_ARGUMENT;
    }
}
