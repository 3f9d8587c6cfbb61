/*
 * Calls of every function with arguments that its row asks for: under its own name, with memory behind each pointer that shows
 * whether it was written, and by name. Knows the rows, not what a function does.
 */
#ifndef NVP_TESTS_TORTURE_CALLS_H
#define NVP_TESTS_TORTURE_CALLS_H

#include "abi/table.h"

#include <nvpulse/query.h>

#define CALL_ROOM (1u << 15) /* bytes behind a pointer, more than any struct has */

/** A call under NVML's own name. Large: keep it static. */
struct call {
    const struct nvp__function *row;
    uint64_t words[NVP__PARAMS_MAX];
    size_t used[NVP__PARAMS_MAX]; /* bytes of the memory that are watched */
    _Alignas(16) unsigned char memory[NVP__PARAMS_MAX][CALL_ROOM];
    unsigned char before[NVP__PARAMS_MAX][CALL_ROOM];
};

/** Lists have room for a few items, numbers are 0, structs have their newest version word, outputs hold a pattern. */
void call_prepare(struct call *call, const struct nvp__function *row, nvmlDevice_t device);

/** Calls; nothing is prepared anew, so that a call which left its memory alone can be made again. */
nvmlReturn_t call_make(struct call *call);

/** True when no byte of the memory differs from what call_prepare() has put there. */
bool call_left_all_alone(const struct call *call);

/** The same as arguments of a call by name, at most NVP__PARAMS_MAX: structs are the memory of `call`. Gives their number. */
size_t call_arguments(const struct call *call, nvp_arg *arguments);

#endif
