/*
 * Checks that may hang or crash, each in a child process of its own, with a limit on the time of every step.
 * Knows nothing of what is checked.
 */
#ifndef CLI_DOCTOR_PROBE_H
#define CLI_DOCTOR_PROBE_H

#include <stdbool.h>
#include <stddef.h>

/** What a child tells of itself while it runs. */
typedef struct doctor_trace doctor_trace;

/** Called in the child before every call that may not return: the time for it begins now. */
void doctor_trace_call(doctor_trace *trace, const char *call);

/** How a check ended. */
typedef enum doctor_outcome {
    DOCTOR_NOT_TRIED = 0,
    DOCTOR_ANSWERED,
    DOCTOR_NO_ANSWER, /**< a call did not return in time */
    DOCTOR_CRASHED    /**< the process ended in the middle */
} doctor_outcome;

typedef struct doctor_end {
    doctor_outcome outcome;
    int signal; /**< that ended it when it crashed; 0: it ended by itself, with `exit_code` */
    int exit_code;
    char call[96]; /**< what it was doing then */
} doctor_end;

/** One check. */
typedef struct doctor_probe {
    /** Runs in the child on a copy of `result`. What it has written by the time it ends, however it ends, comes back. */
    void (*check)(doctor_trace *trace, void *result);
    void *result;
    size_t size; /**< of `result`, which holds no pointers */
    doctor_end end;
} doctor_probe;

/**
 * Runs checks side by side, and returns when each has ended or has spent `timeout_s` seconds in one call. What they write to stdout or
 * stderr goes to stderr afterwards, line by line. False when the system lacks memory or processes, after a message.
 */
bool doctor_probe_run(doctor_probe *probes, size_t count, unsigned int timeout_s);

#endif
