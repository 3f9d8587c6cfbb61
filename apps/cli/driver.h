/*
 * Opening NVML for a command, and what to say when it cannot be opened.
 */
#ifndef CLI_DRIVER_H
#define CLI_DRIVER_H

#include <stdint.h>

#include <nvpulse/status.h>

#include "cli.h"

/**
 * Opens NVML; the end of the process closes it. Returns NVP_SUCCESS or why not, NVP_ERROR_TIMED_OUT for a driver that hangs; says nothing.
 * Once in a process.
 */
nvp_status cli_driver_open(void);

/** The same, waiting no longer than so many milliseconds. */
nvp_status cli_driver_open_within(uint64_t limit_ms);

/** Closes NVML before another program takes this process over; a driver that hangs is left as it is. */
void cli_driver_close(void);

/**
 * Explains on stderr why NVML cannot be used and what to do; with `verbose` also each place that was looked at.
 * Returns CLI_NO_DRIVER.
 */
int cli_driver_explain(const cli_command *command, nvp_status status, bool verbose);

#endif
