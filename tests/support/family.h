/*
 * A driver that knows every version of the calls that the simulator does not answer, with the same facts behind all of them: what
 * differs between two answers is what the layouts can say. Its files are family_*.c.
 */
#ifndef NVP_TESTS_SUPPORT_FAMILY_H
#define NVP_TESTS_SUPPORT_FAMILY_H

#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

#include <string.h>

#define EXPORT __attribute__((visibility("default")))

#define NVP_FUNCTION(name, group, version, first_driver, first_release, flags, shape, parameters, arguments)                     \
    EXPORT nvmlReturn_t name parameters;
#include "abi/functions.def"

/** What every call answers from now on; NVML_SUCCESS: the truth. */
EXPORT void family_fail(nvmlReturn_t answer);
/** The version word that is refused from now on, and how; 0: none. */
EXPORT void family_refuse(unsigned int word, nvmlReturn_t answer);
/** Calls so far. */
EXPORT unsigned int family_calls(void);
/** Whether a set of CPUs has words of 32 bits, as in 340. */
EXPORT void family_short_words(int use);

/** One of the two devices, or NULL. */
#define FAMILY_DEVICE(index) ((nvmlDevice_t)(void *)&family_devices[index])
extern char family_devices[2];

/** Counts the call; what it has to fail with, or NVML_SUCCESS. `pointer` is an output that must be there. */
nvmlReturn_t family_begin(const void *pointer);
/** The same for a call of a device. */
nvmlReturn_t family_begin_device(nvmlDevice_t device, const void *pointer);
/** Whether a version word is refused: NVML_SUCCESS when it is `known` or `also`. */
nvmlReturn_t family_word(unsigned int word, unsigned int known, unsigned int also);

/** Answers a struct: of `type`, with these members. */
#define FAMILY_GIVE(status, to, type, ...)                                                                                       \
    do {                                                                                                                         \
        nvmlReturn_t status_ = (status);                                                                                         \
        if (status_ == NVML_SUCCESS) {                                                                                           \
            type value_ = { __VA_ARGS__ };                                                                                       \
            memcpy((void *)(to), &value_, sizeof(value_));                                                                       \
        }                                                                                                                        \
        return status_;                                                                                                          \
    } while (0)

#endif
