/*
 * The library's log: the only way in which the library ever writes to stderr.
 * The level comes from the environment variable LOGLEVEL (DEBUG, INFO, WARNING, ERROR, CRITICAL; default
 * WARNING) or from nvp_log_set(). At DEBUG the lines also go to the file nvpulse.log in the working directory.
 */
#ifndef NVPULSE_LOG_H
#define NVPULSE_LOG_H

#include <nvpulse/base.h>

NVP_BEGIN_DECLS

typedef enum nvp_log_level {
    NVP_LOG_DEBUG = 10,
    NVP_LOG_INFO = 20,
    NVP_LOG_WARNING = 30,
    NVP_LOG_ERROR = 40,
    NVP_LOG_CRITICAL = 50,
    NVP_LOG_OFF = 100
} nvp_log_level;

/**
 * Receives one log line.
 *
 * @param level   its level
 * @param message UTF-8 without a newline; valid during the call only
 * @param context what was given to nvp_log_set()
 *
 * Called on the thread that logs, possibly on several threads at once. Must not call into nvpulse.
 */
typedef void (*nvp_log_sink)(nvp_log_level level, const char *message, void *context);

/**
 * Sets the least level that is logged, and where lines go.
 *
 * @param level   NVP_LOG_OFF silences everything
 * @param sink    NULL: stderr (and nvpulse.log at DEBUG)
 * @param context passed to `sink`; the caller keeps it alive until another sink is set
 *
 * Safe from any thread. A line that is being written may still reach the previous sink. Survives fork.
 */
NVP_API void nvp_log_set(nvp_log_level level, nvp_log_sink sink, void *context);

/** The least level that is logged now. Safe from any thread. */
NVP_API nvp_log_level nvp_log_get_level(void);

NVP_END_DECLS

#endif
