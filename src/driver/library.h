/*
 * The NVML library of this process: found, opened, its symbols resolved. The only layer that knows dlopen and dlsym.
 * Never calls an NVML function.
 */
#ifndef NVP_DRIVER_LIBRARY_H
#define NVP_DRIVER_LIBRARY_H

#include "abi/index.h"
#include "base/compiler.h"

#include <nvpulse/driver.h>

#include <stdatomic.h>

/** Any function of the library; cast to its own type before the call. */
typedef void (*nvp__any_function)(void);

/** The address of each function that the library exports, NULL where it lacks it. Written as nvp__dispatch is. */
extern NVP__HIDDEN _Atomic(nvp__any_function) nvp__exported[NVP_FN_COUNT];

/**
 * What is called for each function: the library's own, or what serves it instead, or NULL. Written by nvp__driver_load() while no
 * query is under way; a query reads it inside the in-flight guard, whose gate orders the two. From inside the guard compat may
 * put the library's own function in the place of an adapter that is no longer needed; either serves a query that is under way.
 */
extern NVP__HIDDEN _Atomic(nvp__any_function) nvp__dispatch[NVP_FN_COUNT];

/**
 * Finds, opens and resolves the library unless that is done already. To be called by one thread at a time.
 * Returns NVP_SUCCESS, NVML_ERROR_LIBRARY_NOT_FOUND or NVP_ERROR_LIBRARY_BROKEN.
 */
nvp_status nvp__driver_load(void);

/** Any symbol of the library in use; NULL when none is loaded or it lacks the symbol. */
void *nvp__driver_symbol(const char *name);

/** Why the library that was found cannot be used, from the last search; "" when none was found. Interned. */
const char *nvp__driver_failure(void);

/**
 * Fills what the library lacks: called by nvp__driver_load() after nvp__exported is resolved and copied to nvp__dispatch.
 * Declared here and defined in compat, the layer that knows what can serve what.
 */
void nvp__compat_bind(void);

/** The exported function at `index`, for calls from inside the guard. */
static inline nvp__any_function nvp__exported_at(enum nvp__function_index index)
{
    return atomic_load_explicit(&nvp__exported[index], memory_order_relaxed);
}

#endif
