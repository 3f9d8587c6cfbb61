/*
 * A job and its answer outlive a time-out: the thread that is left behind still has them.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "within.h"

struct task {
    nvp_status (*job)(void *context);
    void *context;
    nvp_status answer; /**< read when the thread has ended */
};

static void *run(void *argument)
{
    struct task *task = argument;
    task->answer = task->job(task->context);
    return NULL;
}

nvp_status cli_within(uint64_t limit_ms, nvp_status (*job)(void *context), void *context)
{
    pthread_t thread;
    struct timespec deadline;
    struct task *task = limit_ms == CLI_NO_LIMIT ? NULL : malloc(sizeof *task);
    if (task == NULL) {
        return job(context);
    }
    *task = (struct task){ job, context, NVP_ERROR_TIMED_OUT };
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec += (time_t)(limit_ms / 1000);
    deadline.tv_nsec += (long)(limit_ms % 1000) * 1000000;
    deadline.tv_sec += deadline.tv_nsec / 1000000000;
    deadline.tv_nsec %= 1000000000;
    if (pthread_create(&thread, NULL, run, task) != 0) {
        free(task);
        return job(context);
    }
    if (pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &deadline) != 0) {
        pthread_detach(thread);
        return NVP_ERROR_TIMED_OUT;
    }
    nvp_status answer = task->answer;
    free(task);
    return answer;
}
