/*
 * Opens NVML and explains a failure: what happened, where the library was looked for, what to do.
 */
#include <stddef.h>
#include <string.h>

#include <nvpulse/driver.h>
#include <nvpulse/lifecycle.h>
#include <nvpulse/nvml.h>

#include "driver.h"
#include "within.h"

/** Without persistence mode a driver wakes each GPU when it is opened, one after the other; one that takes longer than this hangs. */
#define OPEN_LIMIT_MS 15000
/** Closing wakes nothing. */
#define CLOSE_LIMIT_MS 2000

/** So few places are listed unasked. */
#define CANDIDATES_FEW 2

static nvp_status open_now(void *unused)
{
    (void)unused;
    return nvp_init();
}

static nvp_status close_now(void *unused)
{
    (void)unused;
    return nvp_shutdown();
}

nvp_status cli_driver_open(void)
{
    return cli_driver_open_within(OPEN_LIMIT_MS);
}

nvp_status cli_driver_open_within(uint64_t limit_ms)
{
    return cli_within(limit_ms < OPEN_LIMIT_MS ? limit_ms : OPEN_LIMIT_MS, open_now, NULL);
}

void cli_driver_close(void)
{
    cli_within(CLOSE_LIMIT_MS, close_now, NULL);
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
