/*
 * Counts of calls, kept for each thread so that counting costs no shared write.
 * A thread takes one of a fixed number of places at its first call and gives it back when it ends; the counts stay in the place.
 */
#ifndef NVPSIM_DRIVER_COUNTER_H
#define NVPSIM_DRIVER_COUNTER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/function.h"

/**
 * Written by the thread that holds the place (relaxed: load, add, store), read by any. The last place is shared by all
 * threads that found no other; there the additions are atomic.
 */
typedef struct nvpsim_counter {
    _Alignas(64) _Atomic unsigned depth; /* calls that this thread is in */
    atomic_bool is_taken;
    bool is_shared;
    _Atomic uint64_t calls[NVPSIM_FUNCTION_COUNT];
} nvpsim_counter;

extern __thread nvpsim_counter *nvpsim__counter_own __attribute__((tls_model("initial-exec"), visibility("hidden")));

/** The place of a thread that has none yet. */
nvpsim_counter *nvpsim__counter_take(void);

/** Additions to a place that other threads share. */
void nvpsim__counter_enter_shared(nvpsim_counter *counter, int function);
void nvpsim__counter_leave_shared(nvpsim_counter *counter);

/** Enters; `depth` is for leaving. */
static inline __attribute__((always_inline)) nvpsim_counter *nvpsim__counter_enter(int function, unsigned *depth)
{
    nvpsim_counter *counter = nvpsim__counter_own;
    if (__builtin_expect(!counter, 0)) {
        counter = nvpsim__counter_take();
    }
    *depth = 0;
    if (__builtin_expect(counter->is_shared, 0)) {
        nvpsim__counter_enter_shared(counter, function);
        return counter;
    }
    uint64_t calls = atomic_load_explicit(&counter->calls[function], memory_order_relaxed);
    atomic_store_explicit(&counter->calls[function], calls + 1, memory_order_relaxed);
    *depth = atomic_load_explicit(&counter->depth, memory_order_relaxed);
    atomic_store_explicit(&counter->depth, *depth + 1, memory_order_relaxed);
    return counter;
}

static inline void nvpsim__counter_leave(nvpsim_counter *counter, unsigned depth)
{
    if (__builtin_expect(counter->is_shared, 0)) {
        nvpsim__counter_leave_shared(counter);
        return;
    }
    atomic_store_explicit(&counter->depth, depth, memory_order_release);
}

/** Calls of a function since the last reset; of all functions for -1. */
uint64_t nvpsim__counter_sum(int function);
void nvpsim__counter_reset(void);
unsigned nvpsim__counter_in_flight(void);

/** In a forked child: the places of the threads that it does not have are free, and no call of theirs is under way. */
void nvpsim__counter_forked(void);

#endif
