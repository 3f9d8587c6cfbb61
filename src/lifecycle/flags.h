/*
 * The stack of init flags, kept as runs of equal flags so that unbalanced inits do not grow it.
 * Not thread-safe: used under the lifecycle's lock.
 */
#ifndef NVP_LIFECYCLE_FLAGS_H
#define NVP_LIFECYCLE_FLAGS_H

#include <stdbool.h>
#include <stddef.h>

struct nvp__flags_run {
    unsigned int flags;
    unsigned int times;
};

struct nvp__flags {
    struct nvp__flags_run *runs;
    size_t run_count;
    size_t capacity;
    unsigned int total; /* entries in all runs */
};

/** Makes sure that the next push cannot fail. False without memory. */
bool nvp__flags_reserve(struct nvp__flags *stack);
/** Pushes one entry; nvp__flags_reserve() must have succeeded since the last push. */
void nvp__flags_push(struct nvp__flags *stack, unsigned int flags);
/** Takes the top entry off; the stack must not be empty. */
void nvp__flags_pop(struct nvp__flags *stack);
/** The flags on top; the stack must not be empty. */
unsigned int nvp__flags_top(const struct nvp__flags *stack);
/** Empties the stack; its memory stays for the next use, so that a forked child need not free anything. */
void nvp__flags_clear(struct nvp__flags *stack);

#endif
