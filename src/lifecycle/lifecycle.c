/*
 * The state machine: set-up, opening with back-off, counted init and shutdown.
 * Exit and fork have files of their own; what a query pays is in guard.h.
 */
#include "lifecycle/lifecycle.h"

#include "base/clock.h"
#include "base/log.h"
#include "driver/library.h"
#include "lifecycle/settings.h"

#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

#include <errno.h>
#include <sched.h>
#include <unistd.h>

struct nvp__lifecycle nvp__lifecycle;

static _Atomic(uint64_t) generation; /* written under the lock */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_lock(void)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&nvp__lifecycle.lock, NULL);
    pthread_cond_init(&nvp__lifecycle.changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

static void set_up_once(void)
{
    make_lock();
    nvp__guard_set_up();
    nvp__fork_arm();
    atomic_store(&nvp__gate.owner, getpid());
}

nvp_status nvp__lifecycle_set_up(void)
{
    pthread_once(&once, set_up_once);
    if (NVP__UNLIKELY(atomic_load(&nvp__gate.owner) <= 0)) {
        nvp__fork_noticed();
    }
    return NVP_SUCCESS;
}

void nvp__lifecycle_forget(void)
{
    make_lock();
    nvp__flags_clear(&nvp__lifecycle.flags);
    nvp__lifecycle.driver_inits = 0;
    nvp__lifecycle.driver_flags = 0;
    nvp__lifecycle.failure = NVP_SUCCESS;
    nvp__lifecycle.retry_at_ns = 0;
    nvp__lifecycle.retry_ns = 0;
    nvp__lifecycle.reopen_at_ns = 0;
    nvp__lifecycle.reopen_ns = 0;
    nvp__lifecycle.reopened_at_ns = 0;
    nvp__lifecycle.failing_since_ns = 0;
}

void nvp__lifecycle_set_state(nvp_state state)
{
    nvp__gate_change(NVP__GATE_STATE, state);
    pthread_cond_broadcast(&nvp__lifecycle.changed);
}

bool nvp__lifecycle_wait(int64_t deadline_ns)
{
    struct timespec deadline = nvp__timespec_of(deadline_ns);
    return pthread_cond_timedwait(&nvp__lifecycle.changed, &nvp__lifecycle.lock, &deadline) != ETIMEDOUT;
}

nvp_status nvp__lifecycle_settle(int64_t timeout_ns)
{
    int64_t deadline_ns = nvp__clock_ns() + timeout_ns;
    for (;;) {
        nvp_state state = nvp__lifecycle_state();
        if (nvp__lifecycle.exiting || state == NVP_STATE_FINAL) {
            return NVP_ERROR_SHUTTING_DOWN;
        }
        if (state == NVP_STATE_FORKED) {
            return NVP_ERROR_FORKED;
        }
        if (state == NVP_STATE_COLD || state == NVP_STATE_OPEN) {
            return NVP_SUCCESS;
        }
        if (nvp__guard_inside()) {
            return NVP_ERROR_BUSY;
        }
        if (!nvp__lifecycle_wait(deadline_ns)) {
            return NVP_ERROR_TIMED_OUT;
        }
    }
}

static void report_failure(nvp_status status)
{
    static atomic_bool reported_once;
    if (atomic_exchange(&reported_once, true)) {
        nvp__log(NVP_LOG_INFO, "lifecycle", "NVML cannot be opened: %s", nvp_status_text(status));
        return;
    }
    if (status == NVML_ERROR_LIBRARY_NOT_FOUND) {
        nvp__log_hint(NVP_LOG_ERROR, "driver", "the NVIDIA Management Library (libnvidia-ml.so.1) was not found",
                      "it comes with the NVIDIA display driver; install that, or name the file in NVPULSE_NVML_PATH.");
    } else if (status == NVP_ERROR_LIBRARY_BROKEN) {
        nvp__log(NVP_LOG_ERROR, "driver", "%s", nvp__driver_failure());
        nvp__log_hint(NVP_LOG_ERROR, "driver", "the NVIDIA Management Library cannot be used", nvp_status_advice(status));
    } else {
        nvp__log(NVP_LOG_WARNING, "lifecycle", "NVML cannot be opened: %s. %s", nvp_status_text(status),
                 nvp_status_advice(status));
    }
}

static void remember_failure(nvp_status status)
{
    const struct nvp__settings *settings = nvp__settings();
    int64_t wait_ns = nvp__lifecycle.retry_ns > 0 ? nvp__lifecycle.retry_ns : settings->retry_ns;
    nvp__lifecycle.failure = status;
    nvp__lifecycle.retry_at_ns = nvp__clock_ns() + wait_ns;
    nvp__lifecycle.retry_ns = wait_ns * 2 < settings->retry_max_ns ? wait_ns * 2 : settings->retry_max_ns;
}

static void remember_success(unsigned int flags)
{
    nvp__lifecycle.failure = NVP_SUCCESS;
    nvp__lifecycle.retry_ns = 0;
    nvp__lifecycle.driver_inits = 1;
    nvp__lifecycle.driver_flags = flags;
    nvp__lifecycle.failing_since_ns = 0;
    bool again = atomic_fetch_add(&generation, 1) > 0;
    nvp__gate_change(NVP__GATE_HANDLES | NVP__GATE_SUCCESS, again ? NVP__GATE_HANDLES : 0);
}

nvp_status nvp__lifecycle_call_unlocked(nvp_status (*call)(unsigned int), unsigned int argument)
{
    struct nvp__slot *slot = nvp__guard_slot();
    if (slot == NULL) {
        return NVP_ERROR_NO_MEMORY;
    }
    slot->in_session_call = true;
    pthread_mutex_unlock(&nvp__lifecycle.lock);
    nvp_status status = call(argument);
    pthread_mutex_lock(&nvp__lifecycle.lock);
    slot->in_session_call = false;
    return status;
}

static nvp_status load_and_begin(unsigned int flags)
{
    nvp_status status = nvp__driver_load();
    status = status == NVP_SUCCESS ? nvp__session_begin(flags) : status;
    if (status == NVP_SUCCESS) {
        nvp__fork_arm_after_load();
    }
    return status;
}

nvp_status nvp__lifecycle_open(unsigned int flags)
{
    nvp__lifecycle_set_state(NVP_STATE_OPENING);
    nvp_status status = nvp__lifecycle_call_unlocked(load_and_begin, flags);
    if (nvp__lifecycle_state() !=
        NVP_STATE_OPENING) { /* exit did not wait any longer, or the driver itself forked and this is the child */
        return nvp__lifecycle_state() == NVP_STATE_FORKED ? NVP_ERROR_FORKED : NVP_ERROR_SHUTTING_DOWN;
    }
    if (status == NVP_SUCCESS) {
        remember_success(flags);
        nvp__exit_arm();
        nvp__lifecycle_set_state(NVP_STATE_OPEN);
    } else {
        remember_failure(status);
        report_failure(status);
        nvp__lifecycle_set_state(NVP_STATE_COLD);
    }
    return status;
}

static nvp_status open_lazily_locked(void)
{
    nvp_status status = nvp__lifecycle_settle(nvp__settings()->exit_timeout_ns);
    if (status != NVP_SUCCESS || nvp__lifecycle_state() == NVP_STATE_OPEN) {
        return status;
    }
    if (nvp__lifecycle.failure != NVP_SUCCESS && nvp__clock_ns() < nvp__lifecycle.retry_at_ns) {
        return nvp__lifecycle.failure;
    }
    if (!nvp__flags_reserve(&nvp__lifecycle.flags)) {
        return NVP_ERROR_NO_MEMORY;
    }
    status = nvp__lifecycle_open(0);
    if (status == NVP_SUCCESS) {
        nvp__flags_push(&nvp__lifecycle.flags, 0);
    }
    return status;
}

nvp_status nvp__lifecycle_open_lazily(void)
{
    pthread_mutex_lock(&nvp__lifecycle.lock);
    nvp_status status = open_lazily_locked();
    pthread_mutex_unlock(&nvp__lifecycle.lock);
    return status;
}

/* The flags on top change while NVML is open: the driver's init is called again, and counted. */
static nvp_status change_flags(unsigned int flags)
{
    nvp__lifecycle_set_state(NVP_STATE_OPENING);
    nvp_status status = nvp__lifecycle_call_unlocked(nvp__session_begin, flags);
    if (status == NVP_SUCCESS) {
        nvp__lifecycle.driver_inits++;
        nvp__lifecycle.driver_flags = flags;
    }
    if (nvp__lifecycle_state() == NVP_STATE_OPENING) {
        nvp__lifecycle_set_state(NVP_STATE_OPEN);
    }
    return status;
}

static nvp_status init_locked(unsigned int flags)
{
    nvp_status status = nvp__lifecycle_settle(nvp__settings()->exit_timeout_ns);
    if (status != NVP_SUCCESS) {
        return status;
    }
    if (!nvp__flags_reserve(&nvp__lifecycle.flags)) {
        return NVP_ERROR_NO_MEMORY;
    }
    if (nvp__lifecycle_state() == NVP_STATE_COLD) {
        status = nvp__lifecycle_open(flags);
    } else if (flags != nvp__lifecycle.driver_flags) {
        status = nvp__guard_inside() ? (nvp_status)NVP_ERROR_BUSY : change_flags(flags);
    }
    if (status == NVP_SUCCESS) {
        nvp__flags_push(&nvp__lifecycle.flags, flags);
    }
    return status;
}

nvp_status nvp_init_with_flags(unsigned int flags)
{
    nvp_status status = nvp__lifecycle_set_up();
    if (status == NVP_SUCCESS) {
        pthread_mutex_lock(&nvp__lifecycle.lock);
        status = init_locked(flags);
        pthread_mutex_unlock(&nvp__lifecycle.lock);
    }
    return status;
}

nvp_status nvp_init(void)
{
    return nvp_init_with_flags(0);
}

/* The last count is gone: waits for the queries under way and shuts the driver down. */
static nvp_status close_session(void)
{
    nvp__lifecycle_set_state(NVP_STATE_CLOSING);
    pthread_mutex_unlock(&nvp__lifecycle.lock);
    bool drained = nvp__guard_drain(nvp__settings()->exit_timeout_ns);
    pthread_mutex_lock(&nvp__lifecycle.lock);
    if (nvp__lifecycle_state() != NVP_STATE_CLOSING) {
        return NVP_ERROR_SHUTTING_DOWN;
    }
    if (!drained) {
        nvp__lifecycle_set_state(NVP_STATE_OPEN);
        return NVP_ERROR_TIMED_OUT;
    }
    nvp_status status = nvp__lifecycle_call_unlocked(nvp__session_end, nvp__lifecycle.driver_inits);
    nvp__lifecycle.driver_inits = 0;
    if (nvp__lifecycle_state() == NVP_STATE_CLOSING) {
        nvp__lifecycle_set_state(NVP_STATE_COLD);
    }
    return status;
}

static nvp_status shutdown_locked(void)
{
    nvp_status status = nvp__lifecycle_settle(nvp__settings()->exit_timeout_ns);
    struct nvp__flags *flags = &nvp__lifecycle.flags;
    if (status != NVP_SUCCESS) {
        return status;
    }
    if (flags->total == 0) {
        return NVML_ERROR_UNINITIALIZED;
    }
    if (nvp__guard_inside()) {
        return NVP_ERROR_BUSY;
    }
    if (flags->total == 1) {
        status = close_session();
        if (status == NVP_ERROR_TIMED_OUT || status == NVP_ERROR_SHUTTING_DOWN) {
            return status;
        }
        nvp__flags_pop(flags);
        return status;
    }
    nvp__flags_pop(flags);
    if (nvp__flags_top(flags) != nvp__lifecycle.driver_flags) {
        return change_flags(nvp__flags_top(flags));
    }
    return NVP_SUCCESS;
}

nvp_status nvp_shutdown(void)
{
    nvp_status status = nvp__lifecycle_set_up();
    if (status == NVP_SUCCESS) {
        pthread_mutex_lock(&nvp__lifecycle.lock);
        status = shutdown_locked();
        pthread_mutex_unlock(&nvp__lifecycle.lock);
    }
    return status;
}

unsigned int nvp_init_count(void)
{
    nvp__lifecycle_set_up();
    pthread_mutex_lock(&nvp__lifecycle.lock);
    unsigned int count = nvp__lifecycle.flags.total;
    pthread_mutex_unlock(&nvp__lifecycle.lock);
    return count;
}

nvp_state nvp_get_state(void)
{
    nvp__lifecycle_set_up();
    return nvp__lifecycle_state();
}

const char *nvp_state_name(nvp_state state)
{
    static const char *const names[] = { "cold", "opening", "open", "quiescing", "closing", "final", "forked" };
    return (size_t)state < NVP__COUNT_OF(names) ? names[state] : "unknown";
}

uint64_t nvp_generation(void)
{
    return atomic_load(&generation);
}

nvp_scope nvp_scope_begin(void)
{
    return (nvp_scope){ .status = nvp_init() };
}

void nvp_scope_end(nvp_scope *scope)
{
    if (scope != NULL && scope->status == NVP_SUCCESS) {
        nvp_shutdown();
        scope->status = NVML_ERROR_UNINITIALIZED;
    }
}
