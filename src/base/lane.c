/*
 * The thread of a lane sleeps on a condition until it is told; nothing wakes it in between.
 */
#include "base/lane.h"

#include "base/clock.h"
#include "base/thread.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct nvp__lane {
    pthread_mutex_t lock; /* of everything below */
    pthread_cond_t changed;
    bool started, requested, ending;
    int64_t busy_since_ns; /* from the request to the end of the job; 0: idle */
    unsigned int users;    /* the owner and the thread */
    pthread_t thread;
    pid_t process;
    void (*job)(void *context);
    void (*destroy)(void *context);
    void *context;
};

struct nvp__lane *nvp__lane_new(void (*job)(void *context), void (*destroy)(void *context), void *context)
{
    struct nvp__lane *lane = calloc(1, sizeof *lane);
    if (lane == NULL) {
        return NULL;
    }
    if (!nvp__condition_make(&lane->changed)) {
        free(lane);
        return NULL;
    }
    pthread_mutex_init(&lane->lock, NULL); /* cannot fail on Linux without attributes */
    lane->users = 1;
    lane->process = getpid();
    lane->job = job;
    lane->destroy = destroy;
    lane->context = context;
    return lane;
}

/* Called with the lock held, which is given back; the last user frees. */
static void leave(struct nvp__lane *lane)
{
    bool last = --lane->users == 0;
    pthread_mutex_unlock(&lane->lock);
    if (last) {
        pthread_cond_destroy(&lane->changed);
        pthread_mutex_destroy(&lane->lock);
        lane->destroy(lane->context);
        free(lane);
    }
}

static void *run(void *argument)
{
    struct nvp__lane *lane = argument;
    pthread_mutex_lock(&lane->lock);
    while (!lane->ending) {
        if (!lane->requested) {
            pthread_cond_wait(&lane->changed, &lane->lock);
            continue;
        }
        lane->requested = false;
        pthread_mutex_unlock(&lane->lock);
        lane->job(lane->context);
        pthread_mutex_lock(&lane->lock);
        lane->busy_since_ns = 0;
        pthread_cond_broadcast(&lane->changed);
    }
    leave(lane);
    return NULL;
}

bool nvp__lane_request(struct nvp__lane *lane)
{
    pthread_mutex_lock(&lane->lock);
    bool idle = lane->busy_since_ns == 0;
    if (idle && !lane->started) {
        lane->started = nvp__thread_start(&lane->thread, run, lane);
        lane->users += lane->started;
    }
    idle = idle && lane->started;
    if (idle) {
        lane->busy_since_ns = nvp__clock_ns();
        lane->requested = true;
        pthread_cond_broadcast(&lane->changed);
    }
    pthread_mutex_unlock(&lane->lock);
    return idle;
}

bool nvp__lane_wait(struct nvp__lane *lane, int64_t deadline_ns)
{
    struct timespec deadline = nvp__timespec_of(deadline_ns);
    pthread_mutex_lock(&lane->lock);
    int failed = 0;
    while (lane->busy_since_ns != 0 && failed == 0) {
        failed = pthread_cond_timedwait(&lane->changed, &lane->lock, &deadline);
    }
    bool ended = lane->busy_since_ns == 0;
    pthread_mutex_unlock(&lane->lock);
    return ended;
}

int64_t nvp__lane_busy_since(struct nvp__lane *lane)
{
    pthread_mutex_lock(&lane->lock);
    int64_t since_ns = lane->busy_since_ns;
    pthread_mutex_unlock(&lane->lock);
    return since_ns;
}

void nvp__lane_free(struct nvp__lane *lane)
{
    if (lane == NULL) {
        return;
    }
    if (lane->process != getpid()) { /* the thread and what it held are the parent's */
        if (lane->busy_since_ns == 0) {
            lane->destroy(lane->context);
            free(lane);
        }
        return;
    }
    pthread_mutex_lock(&lane->lock);
    lane->ending = true;
    pthread_cond_broadcast(&lane->changed);
    if (lane->started && lane->busy_since_ns != 0) {
        pthread_detach(lane->thread);
    } else if (lane->started) {
        pthread_mutex_unlock(&lane->lock);
        pthread_join(lane->thread, NULL);
        pthread_mutex_lock(&lane->lock);
    }
    leave(lane);
}
