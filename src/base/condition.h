/*
 * Conditions with a time limit.
 */
#ifndef NVP_BASE_CONDITION_H
#define NVP_BASE_CONDITION_H

#include <pthread.h>
#include <stdbool.h>

/** Makes a condition whose time limits are on the monotonic clock, as nvp__clock_ns() tells it. False when that cannot be had. */
bool nvp__condition_make(pthread_cond_t *condition);

#endif
