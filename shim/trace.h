/*
 * NVPULSE_TRACE=FILE: one line of JSON for each call, behind what the file has. Each line is one write(2) as soon as the call has ended, so
 * that nothing is lost however the process ends, and lines of several threads and processes do not mix.
 */
#ifndef NVP_SHIM_TRACE_H
#define NVP_SHIM_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/table.h"
#include "base/out.h"

#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

/** A line in the making; on the stack of its call. */
struct nvpshim__line {
    const struct nvp__function *function;
    const uint64_t *words;
    uint32_t counts[NVP__PARAMS_MAX]; /* counts and lengths as they were before the call: what there is room for */
    int64_t time_us, begin_ns;
    struct nvp__out out;
};

/** Reads NVPULSE_TRACE; false when nothing is to be traced. */
bool nvpshim__trace_begin(void);
bool nvpshim__trace_is_on(void);

/** Before the call: notes its arguments and takes the time. */
void nvpshim__line_begin(struct nvpshim__line *line, const struct nvp__function *function, const uint64_t *words);
/** After the call: takes the time, notes its outputs, and writes the line. */
void nvpshim__line_end(struct nvpshim__line *line, nvmlReturn_t result);
/** The same for the one function that answers a text. */
void nvpshim__line_end_text(struct nvpshim__line *line, const char *text);

/** trace_file.c: the file. */
bool nvpshim__trace_file_begin(const char *path);
void nvpshim__trace_file_write(const char *text, size_t length);

#endif
