/*
 * Asking for something whose newest call an older driver may lack.
 */
#ifndef CLI_STATUS_QUERY_H
#define CLI_STATUS_QUERY_H

#include <nvpulse/query.h>

/**
 * Asks each of `calls` (ended by NULL) in turn until the driver has one and accepts its struct. The last answer stays in `result`.
 * Returns the place of the call that gave it.
 */
size_t status_query_first(const char *const *calls, const nvp_arg *args, size_t count, nvp_value *result);

#endif
