/*
 * Names, texts, advice and reasons of all statuses, from status.def and abi/errors.def.
 * Pure look-up in constant tables: no locks, no allocation, usable in a signal handler.
 */
#include <nvpulse/status.h>

#include "base/compiler.h"

#include <stddef.h>

struct status_row {
    nvp_status status;
    nvp_reason reason;
    const char *name;
    const char *text;
    const char *advice;
};

/* NVML's codes in the order of their numbers; the reason comes from nvml_reasons. */
static const struct status_row nvml_rows[] = {
#define NVP_ERROR(name, value, text, meaning, advice) { value, NVP_REASON_UNKNOWN, #name, text, advice },
#include "abi/errors.def"
};

static const struct status_row own_rows[] = {
#define NVP_OWN_STATUS(name, reason, text, advice) { name, reason, #name, text, advice },
#include "base/status.def"
};

/* By the number without its sign. */
static const unsigned char own_reasons[] = {
#define NVP_OWN_STATUS(name, reason, text, advice) [-(name)] = (reason),
#include "base/status.def"
};

/* By nvmlReturn_t; what is not named here is NVP_REASON_UNKNOWN. */
static const unsigned char nvml_reasons[] = {
    [0] = NVP_REASON_NONE,
    [1] = NVP_REASON_UNINITIALIZED,
    [2] = NVP_REASON_BAD_ARGUMENT,
    [3] = NVP_REASON_NOT_SUPPORTED,
    [4] = NVP_REASON_NO_PERMISSION,
    [5] = NVP_REASON_UNKNOWN,
    [6] = NVP_REASON_NO_DATA,
    [7] = NVP_REASON_UNKNOWN,
    [8] = NVP_REASON_UNKNOWN,
    [9] = NVP_REASON_NO_DRIVER,
    [10] = NVP_REASON_TIMED_OUT,
    [11] = NVP_REASON_UNKNOWN,
    [12] = NVP_REASON_NO_LIBRARY,
    [13] = NVP_REASON_FUNCTION_MISSING,
    [14] = NVP_REASON_UNKNOWN,
    [15] = NVP_REASON_GPU_LOST,
    [16] = NVP_REASON_RESET_REQUIRED,
    [17] = NVP_REASON_NO_PERMISSION,
    [18] = NVP_REASON_VERSION_MISMATCH,
    [19] = NVP_REASON_BUSY,
    [20] = NVP_REASON_NO_MEMORY,
    [21] = NVP_REASON_NO_DATA,
    [22] = NVP_REASON_NOT_SUPPORTED,
    [23] = NVP_REASON_NO_MEMORY,
    [24] = NVP_REASON_BAD_ARGUMENT,
    [25] = NVP_REASON_VERSION_MISMATCH,
    [26] = NVP_REASON_NOT_SUPPORTED,
    [27] = NVP_REASON_BUSY,
    [28] = NVP_REASON_NO_DRIVER,
    [29] = NVP_REASON_BUSY,
    [30] = NVP_REASON_NOT_SUPPORTED,
};

static const struct {
    const char *text;
    const char *word;
} reasons[] = {
    [NVP_REASON_NONE] = { "available", "available" },
    [NVP_REASON_NOT_SUPPORTED] = { "not supported", "not_supported" },
    [NVP_REASON_NO_PERMISSION] = { "no permission", "no_permission" },
    [NVP_REASON_FUNCTION_MISSING] = { "this driver lacks the function", "function_missing" },
    [NVP_REASON_NO_LIBRARY] = { "NVML library not found", "no_library" },
    [NVP_REASON_BROKEN_LIBRARY] = { "NVML library cannot be used", "broken_library" },
    [NVP_REASON_NO_DRIVER] = { "no driver or no GPU", "no_driver" },
    [NVP_REASON_VERSION_MISMATCH] = { "version mismatch", "version_mismatch" },
    [NVP_REASON_UNINITIALIZED] = { "NVML is not initialised", "uninitialized" },
    [NVP_REASON_GPU_LOST] = { "GPU is lost", "gpu_lost" },
    [NVP_REASON_RESET_REQUIRED] = { "GPU needs a reset", "reset_required" },
    [NVP_REASON_TIMED_OUT] = { "timed out", "timed_out" },
    [NVP_REASON_SENTINEL] = { "the driver does not know", "sentinel" },
    [NVP_REASON_NO_DATA] = { "no data", "no_data" },
    [NVP_REASON_BUSY] = { "busy", "busy" },
    [NVP_REASON_BAD_ARGUMENT] = { "argument refused", "bad_argument" },
    [NVP_REASON_NO_MEMORY] = { "out of memory", "no_memory" },
    [NVP_REASON_SHUTTING_DOWN] = { "process is ending", "shutting_down" },
    [NVP_REASON_FORKED] = { "forked in the middle of a query", "forked" },
    [NVP_REASON_ASLEEP] = { "asleep", "asleep" },
    [NVP_REASON_UNKNOWN] = { "unknown error", "unknown" },
};

static const struct status_row unknown_nvml = { 0, NVP_REASON_UNKNOWN, "NVML_ERROR_UNKNOWN_CODE", "Unknown Error",
                                                "The driver knows an error that this nvpulse does not; compare their versions." };
static const struct status_row unknown_own = { 0, NVP_REASON_UNKNOWN, "NVP_ERROR_UNKNOWN_CODE", "Unknown error", "" };

static const struct status_row *find(nvp_status status)
{
    if (status < 0) {
        for (size_t i = 0; i < NVP__COUNT_OF(own_rows); i++) {
            if (own_rows[i].status == status) {
                return &own_rows[i];
            }
        }
        return &unknown_own;
    }
    for (size_t i = 0; i < NVP__COUNT_OF(nvml_rows); i++) {
        if (nvml_rows[i].status == status) {
            return &nvml_rows[i];
        }
    }
    return &unknown_nvml;
}

const char *nvp_status_name(nvp_status status)
{
    return find(status)->name;
}

const char *nvp_status_text(nvp_status status)
{
    return find(status)->text;
}

const char *nvp_status_advice(nvp_status status)
{
    return find(status)->advice;
}

nvp_reason nvp_status_reason(nvp_status status)
{
    if (status >= 0) {
        return (size_t)status < NVP__COUNT_OF(nvml_reasons) ? (nvp_reason)nvml_reasons[status] : NVP_REASON_UNKNOWN;
    }
    size_t place = -(size_t)status;
    return place < NVP__COUNT_OF(own_reasons) ? (nvp_reason)own_reasons[place] : NVP_REASON_UNKNOWN;
}

const char *nvp_reason_text(nvp_reason reason)
{
    return (size_t)reason < NVP__COUNT_OF(reasons) ? reasons[reason].text : reasons[NVP_REASON_UNKNOWN].text;
}

const char *nvp_reason_word(nvp_reason reason)
{
    return (size_t)reason < NVP__COUNT_OF(reasons) ? reasons[reason].word : reasons[NVP_REASON_UNKNOWN].word;
}
