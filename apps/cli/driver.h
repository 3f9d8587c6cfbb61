/*
 * Opening NVML for a command, and what to say when it cannot be opened.
 */
#ifndef CLI_DRIVER_H
#define CLI_DRIVER_H

#include <nvpulse/status.h>

#include "cli.h"

/** Opens NVML; the end of the process closes it. Returns NVP_SUCCESS or why not; says nothing. */
nvp_status cli_driver_open(void);

/**
 * Explains on stderr why NVML cannot be used and what to do; with `verbose` also each place that was looked at.
 * Returns CLI_NO_DRIVER.
 */
int cli_driver_explain(const cli_command *command, nvp_status status, bool verbose);

#endif
