/*
 * fork(): the child must not inherit a driver lock that is held by a thread which it does not have.
 * The parent holds new queries back and waits for those under way; the child begins anew and never runs the parent's shutdown.
 */
#include "lifecycle/lifecycle.h"

#include "base/clock.h"
#include "base/intern.h"
#include "base/log.h"
#include "lifecycle/settings.h"

#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

/* Written by prepare() under the lifecycle's lock, read by the handlers that run before that lock is given back. */
static bool child_is_safe;

/*
 * The handlers are registered twice, before and after the driver's library is loaded, and act in the outer pair only. Handlers
 * of fork run in the reverse order of registration, and a driver may have some that take its own locks: queries must be held back
 * before that, or they would wait inside the driver for a lock that the forking thread holds.
 */
static __thread unsigned int nesting;
static atomic_bool armed_after_load;

/* Waits until the driver is quiet. False when a call did not return in time, or when this thread itself is inside one. */
static bool quiesce(void)
{
    if (nvp__guard_inside()) { /* the driver itself forks, as nvmlInit does to run a helper */
        return false;
    }
    int64_t deadline_ns = nvp__clock_ns() + nvp__settings()->fork_timeout_ns;
    while (nvp__lifecycle_state() == NVP_STATE_OPENING || nvp__lifecycle_state() == NVP_STATE_CLOSING) {
        if (!nvp__lifecycle_wait(deadline_ns)) {
            return false;
        }
    }
    if (nvp__lifecycle_state() != NVP_STATE_OPEN) {
        return nvp__lifecycle_state() != NVP_STATE_FORKED;
    }
    nvp__lifecycle_set_state(NVP_STATE_QUIESCING);
    return nvp__guard_drain(deadline_ns - nvp__clock_ns());
}

static void prepare(void)
{
    if (nesting++ > 0) {
        return;
    }
    nvp__lifecycle_set_up(); /* a child of a raw clone() has to know itself first */
    pthread_mutex_lock(&nvp__lifecycle.lock);
    child_is_safe = quiesce();
    nvp__guard_fork_prepare();
    nvp__intern_fork_prepare();
}

static void in_parent(void)
{
    if (--nesting > 0) {
        return;
    }
    bool warn = !child_is_safe && !nvp__guard_inside();
    nvp__intern_fork_parent();
    nvp__guard_fork_parent();
    if (nvp__lifecycle_state() == NVP_STATE_QUIESCING) {
        nvp__lifecycle_set_state(NVP_STATE_OPEN);
    }
    pthread_mutex_unlock(&nvp__lifecycle.lock);
    if (warn) {
        nvp__log(NVP_LOG_WARNING, "lifecycle", "forked while a query was inside the driver: NVML is unusable in the child");
    }
}

static void begin_anew(bool safe)
{
    nvp__intern_fork_child();
    nvp__guard_fork_child();
    nvp__lifecycle_forget();
    nvp__guard_set_up();
    nvp_state state = nvp__lifecycle.exiting ? NVP_STATE_FINAL : safe ? NVP_STATE_COLD : NVP_STATE_FORKED;
    nvp__gate_change(NVP__GATE_STATE, state);
    atomic_store(&nvp__gate.owner, getpid());
}

static void in_child(void)
{
    if (--nesting > 0) {
        return;
    }
    begin_anew(child_is_safe);
}

void nvp__fork_noticed(void)
{
    int nobody = 0;
    if (atomic_compare_exchange_strong(&nvp__gate.owner, &nobody, -1)) {
        begin_anew(nvp__guard_fork_was_quiet());
        return;
    }
    while (atomic_load(&nvp__gate.owner) < 0) { /* another thread of this child is at it */
        sched_yield();
    }
}

void nvp__fork_arm_after_load(void)
{
    if (!atomic_exchange(&armed_after_load, true)) {
        nvp__fork_arm();
    }
}

void nvp__fork_arm(void)
{
    if (pthread_atfork(prepare, in_parent, in_child) != 0) {
        nvp__log(NVP_LOG_WARNING, "lifecycle", "pthread_atfork refused the handlers: do not use NVML in a forked child");
    }
}
