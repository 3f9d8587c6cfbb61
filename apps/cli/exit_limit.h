/*
 * How long the end of a command waits for a driver that does not return.
 */
#ifndef CLI_EXIT_LIMIT_H
#define CLI_EXIT_LIMIT_H

/** Sets a short limit, unless the user has set one (NVPULSE_EXIT_TIMEOUT_MS): a command that has said everything ends. */
void cli_exit_limit_set(void);

/**
 * From now on the process ends with `code`, whatever the driver does when it is closed: soon after the limit at the latest. A limit that
 * the viewer has set for its own end stays.
 * For the end of main, when all output is written.
 */
void cli_exit_limit_begin(int code);

/** Takes the variable out of the environment again when it is ours: another program that is started has the library's own limit. */
void cli_exit_limit_forget(void);

/** The limit that the user has set, in milliseconds; `otherwise_ms` when there is none. */
unsigned int cli_exit_limit_chosen(unsigned int otherwise_ms);

#endif
