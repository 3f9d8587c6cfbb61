/*
 * NVPULSE_SIM_COUNTS=FILE: when the process ends, its calls are added to that file, one line for each function that was called:
 * pid, function, calls. So the calls of a program that knows nothing of the control API can be counted.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/function.h"
#include "driver/counter.h"

enum { LINE_SIZE = 128 };

static const char *path;                         /* NULL: nothing is written */
static uint64_t not_ours[NVPSIM_FUNCTION_COUNT]; /* calls of the process from which this one was forked */

static uint64_t calls_of(int function)
{
    uint64_t sum = nvpsim__counter_sum(function);
    return sum > not_ours[function] ? sum - not_ours[function] : 0; /* after a reset it may be less */
}

static void forked(void)
{
    for (int i = 0; path && i < NVPSIM_FUNCTION_COUNT; i++) {
        not_ours[i] = nvpsim__counter_sum(i);
    }
}

__attribute__((constructor)) static void counts_file_start(void)
{
    const char *value = getenv("NVPULSE_SIM_COUNTS");
    path = value && value[0] ? value : NULL;
    pthread_atfork(NULL, NULL, forked);
}

/* In one piece, as several processes may end at the same time. */
__attribute__((destructor)) static void counts_file_write(void)
{
    char *text = path ? malloc((size_t)NVPSIM_FUNCTION_COUNT * LINE_SIZE) : NULL;
    size_t size = 0;
    for (int i = 0; text && i < NVPSIM_FUNCTION_COUNT; i++) {
        uint64_t calls = calls_of(i);
        if (calls > 0) {
            size +=
                (size_t)snprintf(text + size, LINE_SIZE, "%d\t%s\t%" PRIu64 "\n", (int)getpid(), nvpsim__function_name(i), calls);
        }
    }
    int file = size > 0 ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : -1;
    if (file >= 0) {
        ssize_t written = write(file, text, size);
        (void)written; /* nobody is left to hear of it */
        close(file);
    }
    free(text);
}
