/*
 * A crew: threads that do jobs side by side. Whoever asks for the jobs waits with a time limit, so that a job which hangs in the driver stops
 * nobody else, and is never asked for again before it has come back. One thread does all jobs in turn while they are quick; jobs that
 * are slow are shared out among more, and a thread that is stuck is replaced within moments. Knows nothing of devices.
 */
#ifndef NVP_BASE_CREW_H
#define NVP_BASE_CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nvp__crew;

/** Makes a crew without jobs or threads; the threads begin when there is something to do. NULL when memory ran out. */
struct nvp__crew *nvp__crew_new(void);

/**
 * Adds a job, whose number is the count of those before it. `work` is called in one of the threads with `context`, which the crew owns: `destroy` is
 * called once no thread uses it any more. Both are called without a lock. False when memory ran out (then `context` is still the caller's).
 */
bool nvp__crew_add(struct nvp__crew *crew, void (*work)(void *context), void (*destroy)(void *context), void *context);

/**
 * Lets a caller in: only one can be. False while another one is, unless that one is in a job with its own hands: it hangs there as far as
 * anyone can tell, and is shut out. What jobs tell can be read until the caller leaves.
 */
bool nvp__crew_enter(struct nvp__crew *crew);

/** The caller leaves. Not to be called by one that was shut out. */
void nvp__crew_leave(struct nvp__crew *crew);

/**
 * Has each of `count` jobs from `first` on done once, but those that are not back from before, and waits for them: no longer than until `deadline_ns` of the
 * monotonic clock. For the caller that is in.
 *
 * @param own_hands  the caller does jobs itself as long as none hangs, which spares waking a thread. It can get stuck in one.
 * Returns false for a caller that was shut out meanwhile: it must not touch the crew any more, which may be gone, nor what the jobs tell.
 */
bool nvp__crew_run(struct nvp__crew *crew, size_t first, size_t count, int64_t deadline_ns, bool own_hands);

/** True when the last run had this job done. Then its context can be read by the caller until the next run. */
bool nvp__crew_has_done(struct nvp__crew *crew, size_t job);

/** Since when the job has been asked for and is not back, in ns of the monotonic clock; 0 when it is not. */
int64_t nvp__crew_busy_since(struct nvp__crew *crew, size_t job);

/** Since when the caller that is in has been in one job with its own hands, in ns of the monotonic clock; 0 when it is not. For any thread. */
int64_t nvp__crew_own_since(struct nvp__crew *crew);

/** Ends the crew. A thread that is stuck in its job is left behind; the last user frees. In a forked child only memory is freed. NULL is allowed. */
void nvp__crew_free(struct nvp__crew *crew);

#endif
