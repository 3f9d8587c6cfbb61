/*
 * A guarded call of any function of the table with arguments as words, and what a call has to mind besides being made.
 */
#ifndef NVP_QUERY_CALL_H
#define NVP_QUERY_CALL_H

#include "abi/table.h"
#include "driver/library.h"
#include "query/facade.h"

/**
 * Calls a function of the driver; `words` holds one word for each parameter: numbers as they are, pointers as uintptr_t.
 * Returns NVML's answer, or nvpulse's own refusal. Opens NVML if needed, and again when the session has died; may block in the
 * driver. Not for init and shutdown.
 */
nvp_status nvp__call(const struct nvp__function *function, const uint64_t *words);

/** Calls `address`, which has the parameters of that function, and nothing else: no guard, no look at the answer. */
nvmlReturn_t nvp__call_as(const struct nvp__function *function, nvp__any_function address, const uint64_t *words);

/** Functions that wait for an event as long as their third parameter says, in ms; nvp__call() does not stay in the driver all that time. */
static inline bool nvp__is_wait(int function_index)
{
    return function_index == NVP_FN_nvmlEventSetWait || function_index == NVP_FN_nvmlEventSetWait_v2;
}

/**
 * The same for an entry point under NVML's name whose call has something to mind, which is everything but to call the function: answers in
 * NVML's terms, and notes a function that is missing.
 */
NVP__APART nvmlReturn_t nvp__call_apart(const struct nvp__function *function, const uint64_t *words);

/** Inside the guard, after a success in the first session: remembers the device handles that were answered. */
void nvp__call_note_devices(const struct nvp__function *function, const uint64_t *words);

/**
 * Outside the guard, after a failure: when it says that the session has died, opens NVML again and makes the call once more.
 * Returns the answer to give.
 */
NVP__APART nvmlReturn_t nvp__call_failed(const struct nvp__function *function, const uint64_t *words, nvmlReturn_t answer);

#endif
