/*
 * Reports of use before init, after shutdown and of stale handles: one line each, in one piece.
 */
#include "driver/strict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/function.h"
#include "driver/session.h"

nvpsim_strictness nvpsim__strict;

__attribute__((constructor)) static void strict_start(void)
{
    const char *word = getenv("NVPULSE_SIM_STRICT");
    if (word && strcmp(word, "abort") == 0) {
        nvpsim__strict = NVPSIM_STRICT_ABORT;
    } else if (word && word[0] && strcmp(word, "0") != 0) {
        nvpsim__strict = NVPSIM_STRICT_REPORT;
    }
}

void nvpsim__strict_report(int function, const char *mistake)
{
    char line[256];
    if (nvpsim__strict == NVPSIM_STRICT_OFF) {
        return;
    }
    int length = snprintf(line, sizeof line, "nvpulse simulator: %s: %s\n", nvpsim__function_name(function), mistake);
    ssize_t written = write(STDERR_FILENO, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
    (void)written; /* nobody is left to hear of it */
    if (nvpsim__strict == NVPSIM_STRICT_ABORT) {
        abort();
    }
}

void nvpsim__strict_no_session(int function)
{
    bool was = atomic_load_explicit(&nvpsim__session_was, memory_order_relaxed);
    nvpsim__strict_report(function, was ? "called after nvmlShutdown" : "called before nvmlInit");
}

void nvpsim__strict_handle(int function, nvmlDevice_t handle)
{
    if (handle) { /* NULL is a wrong argument like any other */
        nvpsim__strict_report(function, nvpsim__session_had_handle(handle) ? "a device handle of an earlier session"
                                                                           : "a device handle that was never given out");
    }
}
