/*
 * The stack of init flags.
 */
#include "lifecycle/flags.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>

bool nvp__flags_reserve(struct nvp__flags *stack)
{
    if (stack->total == UINT_MAX) {
        return false;
    }
    if (stack->run_count < stack->capacity) {
        return true;
    }
    size_t capacity = stack->capacity == 0 ? 4 : stack->capacity * 2;
    struct nvp__flags_run *runs = reallocarray(stack->runs, capacity, sizeof(*runs));
    if (runs == NULL) {
        return false;
    }
    stack->runs = runs;
    stack->capacity = capacity;
    return true;
}

void nvp__flags_push(struct nvp__flags *stack, unsigned int flags)
{
    if (stack->run_count > 0 && stack->runs[stack->run_count - 1].flags == flags) {
        stack->runs[stack->run_count - 1].times++;
    } else {
        assert(stack->run_count < stack->capacity);
        stack->runs[stack->run_count++] = (struct nvp__flags_run){ .flags = flags, .times = 1 };
    }
    stack->total++;
}

void nvp__flags_pop(struct nvp__flags *stack)
{
    assert(stack->total > 0);
    stack->total--;
    if (--stack->runs[stack->run_count - 1].times == 0) {
        stack->run_count--;
    }
}

unsigned int nvp__flags_top(const struct nvp__flags *stack)
{
    assert(stack->total > 0);
    return stack->runs[stack->run_count - 1].flags;
}

void nvp__flags_clear(struct nvp__flags *stack)
{
    stack->run_count = 0;
    stack->total = 0;
}
