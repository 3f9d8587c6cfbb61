/*
 * The adapters: each has the signature of the function that it stands for, and calls another function of the library in its place.
 * They run inside the in-flight guard, call exported functions directly, check arguments as the real function would, and leave the
 * caller's memory untouched when they fail.
 */
#ifndef NVP_COMPAT_ADAPTERS_H
#define NVP_COMPAT_ADAPTERS_H

#include "driver/library.h"

#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

/** What a number is set to when the other function cannot tell it: the mark that becomes N/A. */
#define NVP__COMPAT_UNKNOWN_U32 0xffffffffu
#define NVP__COMPAT_UNKNOWN_U64 0xffffffffffffffffull

/** memory.c */
nvmlReturn_t nvp__compat_memory_v1_from_v2(nvmlDevice_t device, nvmlMemory_t *memory);
nvmlReturn_t nvp__compat_memory_v2_from_v1(nvmlDevice_t device, nvmlMemory_v2_t *memory);

#endif
