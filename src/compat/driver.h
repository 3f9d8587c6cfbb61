/*
 * How an adapter calls the library, and what it knows about it. Adapters run inside the in-flight guard: they call exported
 * functions directly, keep no state but the evidence below, and leave the caller's memory untouched when they fail.
 */
#ifndef NVP_COMPAT_DRIVER_H
#define NVP_COMPAT_DRIVER_H

#include "driver/library.h"

#undef NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

#include <stdbool.h>

/** The library's own function, with its type. It must be exported: a fallback is in force only then. */
#define NVP__OWN(name) ((__typeof__(&nvp_##name))nvp__exported_at(NVP_FN_##name))

/** What a number is set to when the other function cannot tell it: the mark that becomes N/A. */
#define NVP__COMPAT_UNKNOWN_U32 0xffffffffu
#define NVP__COMPAT_UNKNOWN_U64 0xffffffffffffffffull

/**
 * What was learned about a function of the library in use, 0 until something was. What the number means is up to the adapters of
 * that function. It is forgotten when a library is loaded, which happens while no query is under way.
 */
unsigned int nvp__compat_evidence(enum nvp__function_index index);

/** The function is as its header says: from now on it is called directly. */
void nvp__compat_found_plain(enum nvp__function_index index, unsigned int evidence);

/** The function differs from its header: the adapter stays, and nvp_function_fallback() tells. Adds `evidence` to what is known. */
void nvp__compat_found_different(enum nvp__function_index index, unsigned int evidence);

#endif
