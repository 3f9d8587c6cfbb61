/*
 * A guarded call of any function of the table with arguments as words.
 */
#ifndef NVP_QUERY_CALL_H
#define NVP_QUERY_CALL_H

#include "abi/table.h"

/**
 * Calls a function of the driver; `words` holds one word for each parameter: numbers as they are, pointers as uintptr_t.
 * Returns NVML's answer, or nvpulse's own refusal. Opens NVML if needed; may block in the driver. Not for init and shutdown.
 */
nvp_status nvp__call(const struct nvp__function *function, const uint64_t *words);

#endif
