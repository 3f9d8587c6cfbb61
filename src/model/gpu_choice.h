/*
 * Which GPUs a sampler asks, by index. Knows nothing of what is asked.
 */
#ifndef NVP_MODEL_GPU_CHOICE_H
#define NVP_MODEL_GPU_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#define NVP__GPUS_MAX 1024u /* more than any driver enumerates: a number beyond it is nonsense */

/** Zeroes: all of them. */
struct nvp__gpu_choice {
    bool some; /* only those in the set */
    uint64_t words[NVP__GPUS_MAX / 64];
};

/** An index that no driver enumerates is left out. */
static inline void nvp__gpu_choice_add(struct nvp__gpu_choice *choice, unsigned int index)
{
    if (index < NVP__GPUS_MAX) {
        choice->words[index / 64] |= UINT64_C(1) << (index % 64);
    }
}

static inline bool nvp__gpu_choice_has(const struct nvp__gpu_choice *choice, unsigned int index)
{
    return !choice->some || (index < NVP__GPUS_MAX && (choice->words[index / 64] >> (index % 64) & 1) != 0);
}

#endif
