/*
 * A session that has died under us: the driver was upgraded, reset or reloaded, or the machine slept. NVML is closed and opened
 * again, with a back-off, and queries go on in a new generation. A GPU that is lost is worth a re-open now and then, too: NVML
 * does not see it come back before.
 */
#include "lifecycle/lifecycle.h"

#include "base/clock.h"
#include "base/log.h"
#include "lifecycle/settings.h"

#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

#define LOST_DOUBLINGS 512 /* the longest wait between two attempts to see a lost GPU again, in first back-offs */

/* What an answer says about the session. */
enum verdict {
    FINE,
    DEAD,   /* nothing works any more */
    LOST,   /* a GPU is gone; the others work */
    UNCLEAR /* "unknown error": dead if nothing else succeeds for a while */
};

static enum verdict judge(nvp_status status)
{
    switch (status) {
    case NVML_ERROR_UNINITIALIZED:
    case NVML_ERROR_DRIVER_NOT_LOADED:
    case NVML_ERROR_LIB_RM_VERSION_MISMATCH:
        return DEAD;
    case NVML_ERROR_GPU_IS_LOST:
        return LOST;
    case NVML_ERROR_UNKNOWN:
        return UNCLEAR;
    default:
        return FINE;
    }
}

/* "Unknown error" counts only when it goes on for a back-off without any success: the next success takes the flag away. */
static bool fails_for_long(int64_t now_ns)
{
    bool watched = (atomic_load(&nvp__gate.word) & NVP__GATE_SUCCESS) != 0;
    if (nvp__lifecycle.failing_since_ns == 0 || !watched) {
        nvp__lifecycle.failing_since_ns = now_ns;
        nvp__gate_change(NVP__GATE_SUCCESS, NVP__GATE_SUCCESS);
    }
    return now_ns - nvp__lifecycle.failing_since_ns >= nvp__settings()->retry_ns;
}

/* True when the back-off allows a re-open now; the first lost GPU begins one. */
static bool may_reopen(enum verdict verdict, int64_t now_ns)
{
    if (verdict == UNCLEAR && !fails_for_long(now_ns)) {
        return false;
    }
    if (verdict == LOST && nvp__lifecycle.reopen_at_ns == 0) {
        nvp__lifecycle.reopen_at_ns = now_ns + nvp__settings()->retry_ns;
    }
    return now_ns >= nvp__lifecycle.reopen_at_ns;
}

static void back_off(enum verdict verdict, int64_t now_ns)
{
    const struct nvp__settings *settings = nvp__settings();
    int64_t longest_ns = verdict == LOST ? settings->retry_ns * LOST_DOUBLINGS : settings->retry_max_ns;
    int64_t wait_ns = nvp__lifecycle.reopen_ns > 0 ? nvp__lifecycle.reopen_ns : settings->retry_ns;
    nvp__lifecycle.reopen_at_ns = now_ns + wait_ns;
    nvp__lifecycle.reopen_ns = wait_ns * 2 < longest_ns ? wait_ns * 2 : longest_ns;
}

/* Closes and opens, with the flags on top. The count of users stays. False when a query does not return or NVML cannot be opened. */
static bool reopen(nvp_status status)
{
    unsigned int flags = nvp__flags_top(&nvp__lifecycle.flags);
    nvp__lifecycle_set_state(NVP_STATE_CLOSING);
    pthread_mutex_unlock(&nvp__lifecycle.lock);
    bool drained = nvp__guard_drain(nvp__settings()->fork_timeout_ns);
    pthread_mutex_lock(&nvp__lifecycle.lock);
    if (nvp__lifecycle_state() != NVP_STATE_CLOSING) {
        return false;
    }
    if (!drained) {
        nvp__lifecycle_set_state(NVP_STATE_OPEN);
        return false;
    }
    nvp__lifecycle_call_unlocked(nvp__session_end, nvp__lifecycle.driver_inits);
    nvp__lifecycle.driver_inits = 0;
    if (nvp__lifecycle_state() != NVP_STATE_CLOSING) {
        return false;
    }
    nvp_status opened = nvp__lifecycle_open(flags);
    nvp__lifecycle.reopened_at_ns = nvp__clock_ns();
    nvp__log(NVP_LOG_WARNING, "lifecycle", "NVML answered \"%s\" and was opened again: %s", nvp_status_text(status),
             nvp_status_text(opened));
    return opened == NVP_SUCCESS;
}

static bool suspect_locked(nvp_status status, enum verdict verdict)
{
    int64_t now_ns = nvp__clock_ns();
    if (nvp__lifecycle_settle(nvp__settings()->fork_timeout_ns) != NVP_SUCCESS || nvp__lifecycle_state() != NVP_STATE_OPEN ||
        nvp__lifecycle.flags.total == 0) {
        return false;
    }
    bool just_reopened = nvp__lifecycle.reopened_at_ns != 0 && now_ns - nvp__lifecycle.reopened_at_ns < nvp__settings()->retry_ns;
    if (just_reopened) { /* by another thread: the answer may be of the session before */
        return true;
    }
    if (!may_reopen(verdict, now_ns)) {
        return false;
    }
    back_off(verdict, now_ns);
    return reopen(status);
}

bool nvp__lifecycle_suspect(nvp_status status)
{
    enum verdict verdict = judge(status);
    if (verdict == FINE || nvp__guard_inside()) {
        return false;
    }
    pthread_mutex_lock(&nvp__lifecycle.lock);
    bool again = suspect_locked(status, verdict);
    pthread_mutex_unlock(&nvp__lifecycle.lock);
    return again;
}
