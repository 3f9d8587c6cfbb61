/*
 * Cases that need a cold library: `program CASE` runs one of them in this process, `program` alone lists them.
 * Not for anything that a unit test can show.
 */
#ifndef NVP_TESTS_PROCESS_CASES_H
#define NVP_TESTS_PROCESS_CASES_H

#include "control.h"

#include <nvpulse/sampler.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SKIPPED 77

struct test_case {
    const char *name;
    void (*run)(void);
};

/** Ends the process with code 1, at once, when the condition does not hold. */
#define CHECK(condition)                                                                                                         \
    do {                                                                                                                         \
        if (!(condition)) {                                                                                                      \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                            \
            _exit(1);                                                                                                            \
        }                                                                                                                        \
    } while (0)

/** As CHECK, for two statuses; prints both. */
#define CHECK_STATUS(answer, expected)                                                                                           \
    do {                                                                                                                         \
        int answer_ = (int)(answer);                                                                                             \
        int expected_ = (expected);                                                                                              \
        if (answer_ != expected_) {                                                                                              \
            fprintf(stderr, "%s:%d: %s is %s, not %s\n", __FILE__, __LINE__, #answer, nvp_status_name(answer_),                  \
                    nvp_status_name(expected_));                                                                                 \
            _exit(1);                                                                                                            \
        }                                                                                                                        \
    } while (0)

/** The table of cases of a program. */
extern const struct test_case test_cases[];
extern const size_t test_case_count;

/** A device of the simulator; opens NVML lazily. */
nvmlDevice_t first_device(void);
/** One query of device 0 that must succeed. */
void query_ok(nvmlDevice_t device);
/** Starts a thread that runs `body`; the test ends if that cannot be done. */
pthread_t start(void *(*body)(void *), void *argument);
/** A sample that must succeed; the caller frees it. */
nvp_snapshot *sample(nvp_sampler *sampler);
/** Waits for a child: its exit code, or 128 and the signal. */
int await_child(pid_t child);
/** Counts log lines that contain `text` from now on, instead of printing them. */
void watch_log(const char *text);
unsigned int watched_lines(void);

#endif
