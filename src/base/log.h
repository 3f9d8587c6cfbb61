/*
 * Internal side of the log: one line a call, written with one write(2), no lock and no allocation.
 * Usable in a forked child. Not usable in a signal handler.
 */
#ifndef NVP_BASE_LOG_H
#define NVP_BASE_LOG_H

#include <stdbool.h>

#include <nvpulse/log.h>

/** True when a line of this level would go anywhere; guards costly preparation. */
bool nvp__log_wanted(nvp_log_level level);

/** Logs one line; `subject` names the layer, such as "driver". Newlines in the text are kept only for hints. */
void nvp__log(nvp_log_level level, const char *subject, const char *format, ...) NVP_PRINTF(3, 4);

/**
 * Logs a failure together with advice in a second line, coloured when stderr is a terminal and neither NO_COLOR nor TERM=dumb
 * forbids it.
 */
void nvp__log_hint(nvp_log_level level, const char *subject, const char *failure, const char *advice);

#endif
