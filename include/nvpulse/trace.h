/*
 * Traces: what a program called on the shim, one line of JSON for each call (NVPULSE_TRACE=FILE). This reads them back.
 */
#ifndef NVPULSE_TRACE_H
#define NVPULSE_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include <nvpulse/status.h>

NVP_BEGIN_DECLS

/** One call of a trace. Start with NVP_TRACE_CALL_INIT. */
typedef struct nvp_trace_call {
    size_t struct_size;   /**< sizeof(nvp_trace_call) */
    char function[96];    /**< NVML's name of it */
    nvp_status result;    /**< NVML's code, which it answered */
    int64_t time_us;      /**< when it began, in microseconds since 1970 */
    uint64_t duration_ns; /**< how long it took */
    uint64_t pid, tid;    /**< the process and the thread that made it */
} nvp_trace_call;

#define NVP_TRACE_CALL_INIT { sizeof(nvp_trace_call), { 0 }, 0, 0, 0, 0, 0 }

/**
 * Reads one line of a trace. Members that are not known are passed over, arguments and outputs with them.
 *
 * @param line     the text, without its newline; `length` bytes of any origin
 * @param message  gets one line that says what is wrong, and at which byte; NULL allowed
 * Returns NVP_SUCCESS; NVP_ERROR_BAD_DATA for text that is no such line; NVP_ERROR_NOT_BUILT when the library was built without a JSON
 * reader; NVP_ERROR_BAD_ARGUMENT for NULL or an unknown struct_size; NVP_ERROR_NO_MEMORY. `call` is written on success alone. Calls no
 * driver; safe from any thread and after fork.
 */
NVP_API nvp_status nvp_trace_call_from_json(const char *line, size_t length, nvp_trace_call *call, char *message, size_t size);

NVP_END_DECLS

#endif
