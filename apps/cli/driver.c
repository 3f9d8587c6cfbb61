/*
 * Opens NVML and explains a failure: what happened, where the library was looked for, what to do.
 */
#include <nvpulse/driver.h>
#include <nvpulse/lifecycle.h>
#include <nvpulse/nvml.h>

#include "driver.h"

/** So few places are listed unasked. */
#define CANDIDATES_FEW 2

nvp_status cli_driver_open(void)
{
    return nvp_init();
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
    } else if (no_library) {
        cli_fail(CLI_NO_DRIVER, command, "--verbose lists the places that were tried");
    }
    cli_fail(CLI_NO_DRIVER, command, "'" CLI_NAME " doctor' looks for the cause");
    if (no_library || reason == NVP_REASON_NO_DRIVER) {
        cli_fail(CLI_NO_DRIVER, command, "without a GPU, a simulated driver can be used: " CLI_NAME " sim -- COMMAND");
    }
    return CLI_NO_DRIVER;
}
