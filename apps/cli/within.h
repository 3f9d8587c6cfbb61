/*
 * Work that may never come back, with a limit of time. Knows nothing of what is done.
 */
#ifndef CLI_WITHIN_H
#define CLI_WITHIN_H

#include <stdint.h>

#include <nvpulse/status.h>

/** No limit. */
#define CLI_NO_LIMIT UINT64_MAX

/**
 * Does the job in a thread of its own and waits for it. Returns what it returns, or NVP_ERROR_TIMED_OUT: then the thread is left behind and may
 * go on using `context`, which has to live as long as the process. Without a limit, or where no thread can be made, the job is done here.
 */
nvp_status cli_within(uint64_t limit_ms, nvp_status (*job)(void *context), void *context);

#endif
