/*
 * What the parts of the shim share.
 */
#ifndef NVP_SHIM_SHIM_H
#define NVP_SHIM_SHIM_H

#include <stdatomic.h>
#include <stdbool.h>

#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

#include "base/compiler.h"

#define SHIM_EXPORT __attribute__((visibility("default")))

/** Successful inits without their shutdown. Relaxed: a program that calls without having initialised has no order to speak of. */
extern atomic_uint nvpshim__inits;

/** True while the program has NVML initialised. */
static inline bool nvpshim__is_initialised(void)
{
    return NVP__LIKELY(atomic_load_explicit(&nvpshim__inits, memory_order_relaxed) != 0);
}

#endif
