/*
 * What the parts of the shim share: whether the program has initialised NVML, and whether calls are watched.
 */
#ifndef NVP_SHIM_SHIM_H
#define NVP_SHIM_SHIM_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>

#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

#include "base/compiler.h"

#define SHIM_EXPORT __attribute__((visibility("default")))

/** Set in nvpshim__word while calls are traced or have a deadline; it makes the word negative. */
#define NVPSHIM__WATCHED INT_MIN

/**
 * Successful inits without their shutdown, and NVPSHIM__WATCHED, which is set before the first call and never changes. One word, so that
 * a call has to look at nothing else. Relaxed: a program that calls without having initialised has no order to speak of.
 */
extern atomic_int nvpshim__word;

/** True when a call is only to be made: NVML is initialised and nobody watches. */
static inline bool nvpshim__is_plain(void)
{
    return NVP__LIKELY(atomic_load_explicit(&nvpshim__word, memory_order_relaxed) > 0);
}

static inline bool nvpshim__is_watched(void)
{
    return atomic_load_explicit(&nvpshim__word, memory_order_relaxed) < 0;
}

/** True while the program has NVML initialised. */
static inline bool nvpshim__is_initialised(void)
{
    return (atomic_load_explicit(&nvpshim__word, memory_order_relaxed) & ~NVPSHIM__WATCHED) != 0;
}

#endif
