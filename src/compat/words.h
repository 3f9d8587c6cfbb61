/*
 * Calls whose struct begins with a version word, of which a library may know some and refuse others. Which it refuses is evidence
 * about the function; a refused call is repeated with the struct of another version.
 */
#ifndef NVP_COMPAT_WORDS_H
#define NVP_COMPAT_WORDS_H

#include "compat/driver.h"

static inline unsigned int nvp__word_bit(unsigned int word)
{
    return 1u << (word >> 24 & 31);
}

/** What the library says to a version word that it is known to refuse; else NVML_SUCCESS, and it is to be asked. */
static inline nvmlReturn_t nvp__word_known(enum nvp__function_index index, unsigned int word)
{
    bool refused = (nvp__compat_evidence(index) & nvp__word_bit(word)) != 0;
    return refused ? NVML_ERROR_ARGUMENT_VERSION_MISMATCH : NVML_SUCCESS;
}

/** True when another version may be what the library wants. Drivers before 525 have no code of its own for that. */
static inline bool nvp__word_refused(nvmlReturn_t answer)
{
    return answer == NVML_ERROR_ARGUMENT_VERSION_MISMATCH || answer == NVML_ERROR_INVALID_ARGUMENT;
}

/** What to tell the caller of `word`, which was refused with `first`, when the struct of the other version got `second`. */
static inline nvmlReturn_t nvp__word_answer(enum nvp__function_index index, unsigned int word, nvmlReturn_t first,
                                            nvmlReturn_t second)
{
    if (second == NVML_ERROR_ARGUMENT_VERSION_MISMATCH) {
        return first;
    }
    if (second == NVML_SUCCESS || first == NVML_ERROR_ARGUMENT_VERSION_MISMATCH) {
        nvp__compat_found_different(index, nvp__word_bit(word));
    }
    return second;
}

#endif
