/*
 * A lane: one thread that does one job when it is told to. Whoever tells it waits with a time limit, so that a job which hangs in the driver
 * stops nobody else; it is never told again before it has come back. Knows nothing of devices.
 */
#ifndef NVP_BASE_LANE_H
#define NVP_BASE_LANE_H

#include <stdbool.h>
#include <stdint.h>

#include <nvpulse/status.h>

struct nvp__lane;

/**
 * Makes a lane; its thread begins with the first request. `job` is called in the thread with `context`, which the lane owns: `destroy` is called once
 * no thread uses it any more. Both are called without a lock. NULL when memory ran out (then `context` is still the caller's).
 */
struct nvp__lane *nvp__lane_new(void (*job)(void *context), void (*destroy)(void *context), void *context);

/** Tells the lane to do its job once. False while it is still busy. NVP_ERROR... see nvp__lane_status(). */
bool nvp__lane_request(struct nvp__lane *lane);

/** Waits until the job that was requested has ended, or until `deadline_ns` of the monotonic clock; true when it has ended. */
bool nvp__lane_wait(struct nvp__lane *lane, int64_t deadline_ns);

/** Since when the lane has been busy, in ns of the monotonic clock; 0 when it is not. While it is not, its context can be read by the caller. */
int64_t nvp__lane_busy_since(struct nvp__lane *lane);

/** Ends the lane. A thread that is stuck in its job is left behind; the last user frees. In a forked child only memory is freed. NULL is allowed. */
void nvp__lane_free(struct nvp__lane *lane);

#endif
