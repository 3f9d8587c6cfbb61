/*
 * Shared by the entry points under NVML's names and by calls by name.
 */
#ifndef NVP_QUERY_FACADE_H
#define NVP_QUERY_FACADE_H

#include "base/compiler.h"

#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>
#include <nvpulse/status.h>

#include <stdbool.h>

/** A status of nvpulse's own in NVML's terms, for callers that know only those. */
nvmlReturn_t nvp__as_nvml(nvp_status status);

/** What a call answers when the library lacks the function: notes it, and gives NVML_ERROR_FUNCTION_NOT_FOUND. */
NVP__COLD nvmlReturn_t nvp__missing(int function_index);

#endif
