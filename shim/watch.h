/*
 * Calls that are watched: traced, or answered in time, or both. Off the way of every other call.
 */
#ifndef NVP_SHIM_WATCH_H
#define NVP_SHIM_WATCH_H

#include "shim.h"

#include "query/call.h"

/** What a call needs beside being made. */
enum nvpshim__manner {
    NVPSHIM__USUAL,  /* NVML must have been initialised by the program */
    NVPSHIM__ALWAYS, /* answers without that */
    NVPSHIM__DIRECT  /* the same, and the deadline is not for it: it has a time-out of its own, or is about the calling thread */
};

/** Reads the environment: NVPULSE_TRACE and NVPULSE_DEADLINE_MS. Called once, before any call. */
void nvpshim__watch_begin(void);

/** A call that is not plain: NVML is not initialised, or the call is watched. `call` has the parameters of the function. */
NVP__COLD nvmlReturn_t nvpshim__apart(int function_index, nvp__any_function call, const uint64_t *words);

/** A watched call. */
NVP__COLD nvmlReturn_t nvpshim__watched(int function_index, nvp__any_function call, enum nvpshim__manner manner,
                                        const uint64_t *words);

/** Notes a watched nvmlErrorString. */
NVP__COLD void nvpshim__watched_text(nvmlReturn_t code, const char *text);

#endif
