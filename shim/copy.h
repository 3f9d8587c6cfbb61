/*
 * Private copies of what a call points at, so that it can be made by a thread that outlives the call: what a program gets is written to
 * its memory only when that is in time. Sizes are those of the parameters' rows.
 */
#ifndef NVP_SHIM_COPY_H
#define NVP_SHIM_COPY_H

#include <stddef.h>
#include <stdint.h>

#include "abi/table.h"

#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

struct nvpshim__copy;

/** Copies what the words of a call point at; NULL when memory ran out, or for a list of which the program says that it is immense. */
struct nvpshim__copy *nvpshim__copy_new(const struct nvp__function *function, const uint64_t *words);

/** The words to call with: pointers lead to the copies. */
const uint64_t *nvpshim__copy_words(const struct nvpshim__copy *copy);

/** Writes what the call has answered to the program's own memory. */
void nvpshim__copy_back(struct nvpshim__copy *copy, nvmlReturn_t result);

void nvpshim__copy_free(struct nvpshim__copy *copy);

/**
 * How many items of a list, or bytes of a text, the program has room for at parameter `position`: what the parameter that is linked to it
 * says before the call. 0 for other parameters and without that.
 */
uint32_t nvpshim__count_before(const struct nvp__function *function, const uint64_t *words, size_t position);

/** The bytes of the program's struct: its version word says so where it has one. */
size_t nvpshim__struct_bytes(const struct nvp__struct *row, const void *at);

#endif
