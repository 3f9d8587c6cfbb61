/*
 * Opens NVML and explains a failure: what happened, where the library was looked for, what to do.
 */
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include <nvpulse/driver.h>
#include <nvpulse/lifecycle.h>
#include <nvpulse/nvml.h>

#include "driver.h"

/** Without persistence mode a driver wakes each GPU when it is opened, one after the other; one that takes longer than this hangs. */
#define OPEN_LIMIT_S 15
/** Closing wakes nothing. */
#define CLOSE_LIMIT_S 2

/** So few places are listed unasked. */
#define CANDIDATES_FEW 2

/** What the thread has been answered; read when it has ended. */
static nvp_status answer;

static void *open_now(void *unused)
{
    (void)unused;
    answer = nvp_init();
    return NULL;
}

static void *close_now(void *unused)
{
    (void)unused;
    answer = nvp_shutdown();
    return NULL;
}

/* Calls in a thread of its own, which is left behind when it does not end in time. */
static nvp_status call_within(void *(*call)(void *), int limit_s)
{
    pthread_t thread;
    struct timespec deadline;
    if (clock_gettime(CLOCK_REALTIME, &deadline) != 0 || pthread_create(&thread, NULL, call, NULL) != 0) {
        call(NULL);
        return answer;
    }
    deadline.tv_sec += limit_s;
    if (pthread_timedjoin_np(thread, NULL, &deadline) != 0) {
        pthread_detach(thread);
        return NVP_ERROR_TIMED_OUT;
    }
    return answer;
}

nvp_status cli_driver_open(void)
{
    return call_within(open_now, OPEN_LIMIT_S);
}

void cli_driver_close(void)
{
    call_within(close_now, CLOSE_LIMIT_S);
}

static void list_candidates(const cli_command *command)
{
    for (size_t i = 0; i < nvp_driver_candidate_count(); i++) {
        nvp_candidate candidate;
        if (nvp_driver_get_candidate(i, &candidate) != NVP_SUCCESS) {
            continue;
        }
        cli_fail(0, command, "  tried %s (%s): %s", candidate.path, candidate.origin,
                 candidate.reason != NULL ? candidate.reason : "in use");
    }
}

static bool offers_verbose(const cli_command *command)
{
    const cli_option *option = command->options;
    while (option->name != NULL && strcmp(option->name, "verbose") != 0) {
        option++;
    }
    return option->name != NULL;
}

int cli_driver_explain(const cli_command *command, nvp_status status, bool verbose)
{
    cli_fail(CLI_NO_DRIVER, command, "NVML cannot be used: %s (%s)", nvp_status_text(status), nvp_status_name(status));
    const char *advice = nvp_status_advice(status);
    if (advice[0] != '\0') {
        cli_fail(CLI_NO_DRIVER, command, "%s", advice);
    }
    nvp_reason reason = nvp_status_reason(status);
    bool no_library = reason == NVP_REASON_NO_LIBRARY || reason == NVP_REASON_BROKEN_LIBRARY;
    if (verbose || (no_library && nvp_driver_candidate_count() <= CANDIDATES_FEW)) {
        list_candidates(command);
    } else if (no_library && offers_verbose(command)) {
        cli_fail(CLI_NO_DRIVER, command, "--verbose lists the places that were tried");
    }
    cli_fail(CLI_NO_DRIVER, command, "'" CLI_NAME " doctor' looks for the cause");
    if (no_library || reason == NVP_REASON_NO_DRIVER) {
        cli_fail(CLI_NO_DRIVER, command, "without a GPU, a simulated driver can be used: " CLI_NAME " sim -- COMMAND");
    }
    return CLI_NO_DRIVER;
}
