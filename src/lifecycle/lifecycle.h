/*
 * Internal side of the lifecycle: the one mutex and what it protects, shared by opening, closing, exit and fork.
 * The gate's state changes only under this mutex. It is never held across a driver call.
 */
#ifndef NVP_LIFECYCLE_LIFECYCLE_H
#define NVP_LIFECYCLE_LIFECYCLE_H

#include "lifecycle/flags.h"

#include <nvpulse/lifecycle.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct nvp__lifecycle {
    pthread_mutex_t lock;
    pthread_cond_t changed;    /* broadcast after each change of the state; CLOCK_MONOTONIC */
    struct nvp__flags flags;   /* the inits without their shutdown */
    unsigned int driver_inits; /* successful init calls of the driver, to be paired with as many shutdowns */
    unsigned int driver_flags; /* flags of the last of them */
    nvp_status failure;        /* of the last open that failed; lazy opening repeats it until retry_at_ns */
    int64_t retry_at_ns;
    int64_t retry_ns;         /* the next back-off */
    int64_t reopen_at_ns;     /* when a session that fails may be opened again; 0: at once */
    int64_t reopen_ns;        /* the next wait before another re-open */
    int64_t reopened_at_ns;   /* when that was last done */
    int64_t failing_since_ns; /* the first answer "unknown error" without a success since; 0: none */
    bool exiting;             /* the exit handler has begun */
    bool exit_armed;          /* the exit handler is registered with atexit */
};

extern struct nvp__lifecycle nvp__lifecycle;

/** Sets everything up in a new process or in an unnoticed child; cheap after the first time. */
nvp_status nvp__lifecycle_set_up(void);

/** What a query does when the gate is not open: opens, waits or refuses. NVP_SUCCESS means: look at the gate again. */
nvp_status nvp__lifecycle_open_lazily(void);

/**
 * reopen.c: a call answered `status` although NVML is open. True when NVML has been opened again because of it, and the call is
 * worth another try. To be called outside of the guard; may block in the driver.
 */
bool nvp__lifecycle_suspect(nvp_status status);

/** The rest is called with the lock held. */

static inline nvp_state nvp__lifecycle_state(void);
/** Changes the gate and wakes all who wait. */
void nvp__lifecycle_set_state(nvp_state state);
/** Waits for a change of the state; false when `deadline_ns` (monotonic) has passed. Releases the lock meanwhile. */
bool nvp__lifecycle_wait(int64_t deadline_ns);
/**
 * Waits until nobody opens, closes or forks. NVP_SUCCESS in the states COLD and OPEN; NVP_ERROR_TIMED_OUT,
 * NVP_ERROR_SHUTTING_DOWN, NVP_ERROR_FORKED, or NVP_ERROR_BUSY when the calling thread itself is inside the driver.
 */
nvp_status nvp__lifecycle_settle(int64_t timeout_ns);
/** Opens NVML with `flags` from COLD; releases the lock during driver calls. On success the state is OPEN. */
nvp_status nvp__lifecycle_open(unsigned int flags);
/** Makes one driver call without the lock, in a state that keeps everybody else waiting. */
nvp_status nvp__lifecycle_call_unlocked(nvp_status (*call)(unsigned int), unsigned int argument);
/** Forgets counts and failures: a child begins anew. */
void nvp__lifecycle_forget(void);

/** exit.c: registers the exit handler once. */
void nvp__exit_arm(void);
/** fork.c: registers the fork handlers; called once, and once more when the driver has been initialised. */
void nvp__fork_arm(void);
void nvp__fork_arm_after_load(void);
/** fork.c: a child that no fork handler has seen. */
void nvp__fork_noticed(void);

/** session.c: the driver's own init and shutdown. Called without the lock; not inside the guard. */
nvp_status nvp__session_begin(unsigned int flags);
nvp_status nvp__session_end(unsigned int inits);

#include "lifecycle/guard.h"

static inline nvp_state nvp__lifecycle_state(void)
{
    return (nvp_state)(atomic_load_explicit(&nvp__gate.word, memory_order_relaxed) & NVP__GATE_STATE);
}

#endif
