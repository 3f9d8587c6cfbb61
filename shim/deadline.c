/*
 * One track for each device and one for calls without a device. A track has at most one call under way; others wait for it, no longer
 * than their own time. When the call under way is late the track is stuck until it returns, and all calls for it are refused at once, as are
 * calls on other tracks that use a handle which the stuck call may still touch.
 */
#include "deadline.h"

#include "base/clock.h"
#include "base/lane.h"
#include "base/log.h"
#include "copy.h"
#include "lifecycle/settings.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRACKS 257 /* the first is for calls without a device */
#define MS_MAX 86400000

struct track {
    uint64_t device; /* the handle; 0 for the first and for those not in use */
    struct nvp__lane *lane;
    bool is_taken, is_stuck, is_done;
    const struct nvp__function *function; /* of the call under way */
    nvp__any_function call;
    struct nvpshim__copy *copy;
    nvmlReturn_t result;
};

static int64_t deadline_ns; /* 0: none; written once, before any call */
static atomic_int owner;    /* the process whose tracks these are; -1: a child is beginning anew */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;      /* a track is free again, or stuck */
static struct track tracks[TRACKS]; /* under the lock; what the lane's thread works with is its own while the track is taken */

static void make_condition(void)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

bool nvpshim__deadline_begin(void)
{
    const char *text = secure_getenv("NVPULSE_DEADLINE_MS");
    if (text == NULL || text[0] == '\0') {
        return false;
    }
    char *end;
    errno = 0;
    long ms = strtol(text, &end, 10);
    if (errno != 0 || *end != '\0' || ms < 1 || ms > MS_MAX) {
        nvp__log(NVP_LOG_WARNING, "shim",
                 "NVPULSE_DEADLINE_MS=%s is not a number of milliseconds from 1 to %d; there is no deadline", text, MS_MAX);
        return false;
    }
    deadline_ns = ms * NVP__NS_PER_MS;
    make_condition();
    atomic_store(&owner, getpid());
    nvp__settings_limit(deadline_ns);
    return true;
}

bool nvpshim__deadline_is_set(void)
{
    return deadline_ns != 0;
}

static void keep(void *context)
{
    (void)context; /* tracks are never freed */
}

/* A forked child has none of the threads, and perhaps a lock that nobody will give back. */
static void begin_anew(int before)
{
    if (!atomic_compare_exchange_strong(&owner, &before, -1)) {
        while (atomic_load(&owner) < 0) { /* another thread of this child is at it */
            sched_yield();
        }
        return;
    }
    pthread_mutex_init(&lock, NULL);
    make_condition();
    for (size_t i = 0; i < TRACKS; i++) {
        nvp__lane_free(tracks[i].lane);
        if (tracks[i].is_stuck) { /* the thread that would free it is the parent's */
            nvpshim__copy_free(tracks[i].copy);
        }
    }
    memset(tracks, 0, sizeof(tracks));
    atomic_store(&owner, getpid());
}

static bool is_device(const struct nvp__param *param)
{
    return param->kind == NVP_TYPE_HANDLE && param->role == NVP_ROLE_IN && param->type == NVP_HANDLE_nvmlDevice_t;
}

/* The track of the first device that a call names; the common one where there is none, or no room for another. */
static struct track *track_of(const struct nvp__function *function, const uint64_t *words)
{
    const struct nvp__param *params = nvp__function_params(function);
    uint64_t device = 0;
    for (size_t i = 0; i < function->public.parameter_count && device == 0; i++) {
        device = is_device(&params[i]) ? words[i] : 0;
    }
    for (size_t i = 0; i < TRACKS - 1 && device != 0; i++) {
        struct track *track = &tracks[1 + (device / 16 + i) % (TRACKS - 1)];
        if (track->device == 0 || track->device == device) {
            track->device = device;
            return track;
        }
    }
    return &tracks[0];
}

static bool has_handle(const struct nvp__function *function, const uint64_t *words, uint64_t handle)
{
    const struct nvp__param *params = nvp__function_params(function);
    for (size_t i = 0; i < function->public.parameter_count; i++) {
        if (params[i].kind == NVP_TYPE_HANDLE && params[i].role == NVP_ROLE_IN && words[i] == handle) {
            return true;
        }
    }
    return false;
}

/* True when a stuck call works with a handle of this one. */
static bool is_in_use(const struct nvp__function *function, const uint64_t *words)
{
    const struct nvp__param *params = nvp__function_params(function);
    for (size_t i = 0; i < TRACKS; i++) {
        for (size_t j = 0; tracks[i].is_stuck && j < function->public.parameter_count; j++) {
            bool is_handle = params[j].kind == NVP_TYPE_HANDLE && params[j].role == NVP_ROLE_IN && words[j] != 0;
            if (is_handle && has_handle(tracks[i].function, nvpshim__copy_words(tracks[i].copy), words[j])) {
                return true;
            }
        }
    }
    return false;
}

static void release(struct track *track)
{
    track->is_taken = track->is_stuck = track->is_done = false;
    track->copy = NULL;
    pthread_cond_broadcast(&changed);
}

static bool is_init(const struct nvp__function *function)
{
    int index = nvp__function_index(function);
    return index == NVP_FN_nvmlInit || index == NVP_FN_nvmlInit_v2 || index == NVP_FN_nvmlInitWithFlags;
}

nvmlReturn_t nvp_nvmlShutdown(void);

/* In the thread of the track. Nobody waits any more for a call that was late: what it did is taken back where it counts. */
static void work(void *context)
{
    struct track *track = context;
    nvmlReturn_t result = nvp__call_as(track->function, track->call, nvpshim__copy_words(track->copy));
    pthread_mutex_lock(&lock);
    track->result = result;
    track->is_done = true;
    if (!track->is_stuck) {
        pthread_mutex_unlock(&lock);
        return;
    }
    pthread_mutex_unlock(&lock);
    if (result == NVML_SUCCESS && is_init(track->function)) {
        nvp_nvmlShutdown();
    }
    pthread_mutex_lock(&lock);
    nvpshim__copy_free(track->copy);
    release(track);
    pthread_mutex_unlock(&lock);
}

/* With the lock: waits until the track is free and takes it. NULL when it is stuck, or when the time is over. */
static struct track *take(const struct nvp__function *function, const uint64_t *words, int64_t until_ns)
{
    struct track *track = track_of(function, words);
    struct timespec until = nvp__timespec_of(until_ns);
    int failed = 0;
    while (track->is_taken && !track->is_stuck && failed == 0) {
        failed = pthread_cond_timedwait(&changed, &lock, &until);
    }
    if (track->is_taken || is_in_use(function, words)) {
        return NULL;
    }
    track->is_taken = true;
    return track;
}

/* Tells the thread of the track to go; false when there can be none. It may not have lain down yet after a call that was late. */
static bool start(struct track *track, int64_t until_ns)
{
    if (track->lane == NULL) {
        track->lane = nvp__lane_new(work, keep, track);
    }
    return track->lane != NULL &&
           (nvp__lane_request(track->lane) ||
            (nvp__lane_busy_since(track->lane) != 0 && nvp__lane_wait(track->lane, until_ns) && nvp__lane_request(track->lane)));
}

/* Waits for the answer and gives the track back; one that is late keeps it. */
static nvmlReturn_t await(struct track *track, struct nvpshim__copy *copy, int64_t until_ns)
{
    nvp__lane_wait(track->lane, until_ns);
    pthread_mutex_lock(&lock);
    if (!track->is_done) {
        track->is_stuck = true;
        nvp__log(NVP_LOG_WARNING, "shim", "%s has not returned within %lld ms", track->function->public.name,
                 (long long)(deadline_ns / NVP__NS_PER_MS));
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
        return NVML_ERROR_TIMEOUT;
    }
    nvmlReturn_t result = track->result;
    release(track);
    pthread_mutex_unlock(&lock);
    nvpshim__copy_back(copy, result);
    nvpshim__copy_free(copy);
    return result;
}

nvmlReturn_t nvpshim__in_time(const struct nvp__function *function, nvp__any_function call, const uint64_t *words)
{
    int process = atomic_load(&owner);
    if (process != getpid()) {
        begin_anew(process);
    }
    int64_t until_ns = nvp__clock_ns() + deadline_ns;
    struct nvpshim__copy *copy = nvpshim__copy_new(function, words);
    if (copy == NULL) {
        return nvp__call_as(function, call, words);
    }
    pthread_mutex_lock(&lock);
    struct track *track = take(function, words, until_ns);
    if (track != NULL) {
        track->function = function;
        track->call = call;
        track->copy = copy;
    }
    pthread_mutex_unlock(&lock);
    if (track != NULL && start(track, until_ns)) {
        return await(track, copy, until_ns);
    }
    if (track != NULL) {
        pthread_mutex_lock(&lock);
        release(track);
        pthread_mutex_unlock(&lock);
    }
    nvpshim__copy_free(copy);
    return track != NULL ? nvp__call_as(function, call, words) : NVML_ERROR_TIMEOUT;
}
