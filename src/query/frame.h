/*
 * One call by name in the making: arguments checked against the row, memory for the outputs, words for the call.
 */
#ifndef NVP_QUERY_FRAME_H
#define NVP_QUERY_FRAME_H

#include "abi/table.h"

#include <nvpulse/query.h>

#include <stdalign.h>

#define NVP__FRAME_SCRATCH 512

/** Lives on the stack of one query. `words`, `offset`, `room` and `scalars` are indexed by parameter. */
struct nvp__frame {
    const struct nvp__function *function;
    const struct nvp__param *params;
    size_t param_count;
    const nvp_arg *args;
    signed char arg_of[NVP__PARAMS_MAX]; /* index of the argument of a parameter; -1 */
    size_t room[NVP__PARAMS_MAX];        /* capacity: items of a list, bytes of a text or blob */
    size_t offset[NVP__PARAMS_MAX];      /* in memory, for outputs that are more than a scalar */
    uint64_t scalars[NVP__PARAMS_MAX];   /* scalar outputs, counts and lengths */
    uint64_t words[NVP__PARAMS_MAX];     /* what is passed */
    size_t size;                         /* bytes used in memory */
    unsigned char *memory;               /* scratch, or allocated */
    alignas(16) unsigned char scratch[NVP__FRAME_SCRATCH];
};

/** Checks the arguments and chooses first capacities. NVP_SUCCESS or NVP_ERROR_BAD_ARGUMENT. */
nvp_status nvp__frame_begin(struct nvp__frame *frame, const struct nvp__function *function, const nvp_arg *args, size_t count);

/** Lays the outputs out, zeroed, and fills the words. NVP_SUCCESS or NVP_ERROR_NO_MEMORY. */
nvp_status nvp__frame_prepare(struct nvp__frame *frame);

/** After NVML_ERROR_INSUFFICIENT_SIZE: enlarges what was too small. False when nothing can grow any more. */
bool nvp__frame_grow(struct nvp__frame *frame);

/** After success: makes the result, sentinels turned into N/A. NVP_SUCCESS or NVP_ERROR_NO_MEMORY. */
nvp_status nvp__frame_result(struct nvp__frame *frame, nvp_value *result);

/** Frees the memory of the outputs. */
void nvp__frame_end(struct nvp__frame *frame);

#endif
