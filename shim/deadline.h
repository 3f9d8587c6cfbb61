/*
 * NVPULSE_DEADLINE_MS=N: a call that does not return within N milliseconds answers NVML_ERROR_TIMEOUT. It is made by a thread that belongs
 * to its device, on private copies of what it points at; one that is stuck stays behind, and costs the others nothing.
 */
#ifndef NVP_SHIM_DEADLINE_H
#define NVP_SHIM_DEADLINE_H

#include <stdbool.h>

#include "query/call.h"

/** Reads NVPULSE_DEADLINE_MS; false when there is none. */
bool nvpshim__deadline_begin(void);
bool nvpshim__deadline_is_set(void);

/** Makes a call, or answers NVML_ERROR_TIMEOUT when the time is over or when what the call is about is stuck already. */
nvmlReturn_t nvpshim__in_time(const struct nvp__function *function, nvp__any_function call, const uint64_t *words);

#endif
