/*
 * What every part of the command shares: its commands, its options, its exit codes and its messages.
 * The front end uses nvpulse's public headers alone; it names no symbol loader and no versioned NVML struct.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <nvpulse/base.h>

/** Exit codes; nvpulse(1) documents each. */
enum {
    CLI_OK = 0,
    CLI_FAILED = 1,           /**< what was asked for failed */
    CLI_USAGE = 2,            /**< the command line is wrong */
    CLI_NO_DRIVER = 3,        /**< NVML cannot be used on this machine */
    CLI_NO_OUTPUT = 4,        /**< the output could not be written */
    CLI_UNMET = 5,            /**< `select`: there are not enough devices */
    CLI_NO_ANSWER = 6,        /**< `call`: the driver did not answer in time */
    CLI_NOT_EXECUTABLE = 126, /**< `sim`, `select`, `record`: the command exists but cannot be run */
    CLI_NOT_FOUND = 127       /**< `sim`, `select`, `record`: there is no such command */
};

/** One option; a table of them, ended by an entry without a name, serves parsing and `--help`. */
typedef struct cli_option {
    int key;              /**< its letter, or a number above UCHAR_MAX when it has none */
    const char *name;     /**< its long name, without the dashes */
    const char *argument; /**< the name of its argument, or NULL */
    const char *help;     /**< what it does, in one line */
} cli_option;

#define CLI_OPTIONS_END                                                                                                          \
    {                                                                                                                            \
        0, NULL, NULL, NULL                                                                                                      \
    }

/** One subcommand. */
typedef struct cli_command {
    const char *name;
    const char *operands; /**< what follows the options, for the usage line; "" for nothing */
    const char *summary;  /**< its purpose in one line */
    const char *details;  /**< what `--help` says after the options */
    const cli_option *options;
    bool is_hidden;            /**< not in the overview */
    bool operands_end_options; /**< the first operand ends the options: the rest is another program's command line */
    int (*run)(int argc, char **argv, FILE *out);
} cli_command;

extern const cli_command cli_call_command;
extern const cli_command cli_completion_command;
extern const cli_command cli_doctor_command;
extern const cli_command cli_help_command;
extern const cli_command cli_processes_command;
extern const cli_command cli_query_command;
extern const cli_command cli_record_command;
extern const cli_command cli_report_command;
extern const cli_command cli_select_command;
extern const cli_command cli_shim_command;
extern const cli_command cli_sim_command;
extern const cli_command cli_status_command;
extern const cli_command cli_top_command;
extern const cli_command cli_trace_command;

/** All commands, in the order of the overview. */
extern const cli_command *const cli_commands[];
extern const size_t cli_command_count;

/** The program's name, as messages begin with it. */
#define CLI_NAME "nvpulse"

/** Prints "nvpulse: COMMAND: message" and a newline to stderr; without the command's name for NULL. Returns `code`. */
int cli_fail(int code, const cli_command *command, const char *format, ...) NVP_PRINTF(3, 4);

/** As cli_fail() with CLI_USAGE, followed by where to find help. */
int cli_misuse(const cli_command *command, const char *format, ...) NVP_PRINTF(2, 3);

/** Says that memory ran out; returns CLI_FAILED. */
int cli_no_memory(const cli_command *command);

#endif
