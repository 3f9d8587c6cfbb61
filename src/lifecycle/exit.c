/*
 * The end of the process: refuse new queries, wait for those under way, shut the driver down.
 * Where that cannot be done in time nothing is shut down: a leak at exit is better than a use after free.
 */
#include "lifecycle/lifecycle.h"

#include "base/clock.h"
#include "base/log.h"
#include "lifecycle/settings.h"

#include <stdlib.h>

/* Waits for an open, close or fork that another thread has begun. False when the time ran out. */
static bool await_transition(int64_t deadline_ns)
{
    for (;;) {
        nvp_state state = nvp__lifecycle_state();
        if (state != NVP_STATE_OPENING && state != NVP_STATE_CLOSING && state != NVP_STATE_QUIESCING) {
            return true;
        }
        if (!nvp__lifecycle_wait(deadline_ns)) {
            return false;
        }
    }
}

/* Makes the state FINAL. Gives the number of driver inits to take back when the driver may be shut down after a drain. */
static unsigned int refuse_new_queries(int64_t deadline_ns)
{
    pthread_mutex_lock(&nvp__lifecycle.lock);
    nvp__lifecycle.exiting = true;
    bool inside = nvp__guard_inside();
    bool settled = inside || await_transition(deadline_ns);
    bool was_open = nvp__lifecycle_state() == NVP_STATE_OPEN;
    unsigned int inits = was_open && !inside && settled ? nvp__lifecycle.driver_inits : 0;
    nvp__lifecycle_set_state(NVP_STATE_FINAL);
    pthread_mutex_unlock(&nvp__lifecycle.lock);
    if (inside) {
        nvp__log(NVP_LOG_WARNING, "lifecycle", "exit from inside a query: NVML is not shut down");
    } else if (!settled) {
        nvp__log(NVP_LOG_WARNING, "lifecycle", "another thread is still opening or closing NVML at exit: it is not shut down");
    }
    return inits;
}

static void at_exit(void)
{
    nvp__lifecycle_set_up();
    int64_t timeout_ns = nvp__settings()->exit_timeout_ns;
    int64_t deadline_ns = nvp__clock_ns() + timeout_ns;
    unsigned int inits = refuse_new_queries(deadline_ns);
    if (inits == 0) {
        return;
    }
    if (!nvp__guard_drain(deadline_ns - nvp__clock_ns())) {
        nvp__log(NVP_LOG_WARNING, "lifecycle", "%u queries have not returned within %lld ms at exit: NVML is not shut down",
                 nvp__guard_others_inside(), (long long)(timeout_ns / NVP__NS_PER_MS));
        return;
    }
    nvp__session_end(inits);
}

void nvp__exit_arm(void)
{
    if (!nvp__lifecycle.exit_armed) {
        nvp__lifecycle.exit_armed = true;
        if (atexit(at_exit) != 0) {
            nvp__log(NVP_LOG_WARNING, "lifecycle", "atexit refused the handler: NVML will not be shut down at exit");
        } else {
            nvp__log(NVP_LOG_DEBUG, "lifecycle", "exit handler registered");
        }
    }
}
