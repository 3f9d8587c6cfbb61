/*
 * Threads of the library's own, and the conditions that they wait for.
 */
#ifndef NVP_BASE_THREAD_H
#define NVP_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/** Makes a condition whose time limits are on the monotonic clock, as nvp__clock_ns() tells it. False when that cannot be had. */
bool nvp__condition_make(pthread_cond_t *condition);

/** Starts a thread with a small stack. It gets no signals: they are for the threads of the program. */
bool nvp__thread_start(pthread_t *thread, void *(*run)(void *argument), void *argument);

#endif
