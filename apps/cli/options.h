/*
 * One table of options for each subcommand: parsed by getopt_long, printed by --help, compared with the manual by a test.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <getopt.h>

#include "cli.h"

/** The most options that one subcommand has. */
#define CLI_OPTIONS_MAX 32

/** What cli_options_next() answers beside an option's key. */
enum { CLI_OPTIONS_DONE = -1, CLI_OPTIONS_BAD = -2 };

/** The walk over a command line. */
typedef struct cli_options {
    const cli_command *command;
    int argc;
    char **argv;          /**< argv[0] is the subcommand; operands move behind the options, as getopt does */
    const char *argument; /**< of the option that was just returned, or NULL */
    char letters[2 * CLI_OPTIONS_MAX + 3];
    struct option names[CLI_OPTIONS_MAX + 1];
} cli_options;

/** Begins a walk; only one can be under way in the process. */
void cli_options_begin(cli_options *options, const cli_command *command, int argc, char **argv);

/** The key of the next option; CLI_OPTIONS_DONE; or CLI_OPTIONS_BAD after a message (exit with CLI_USAGE). */
int cli_options_next(cli_options *options);

/** The long name of an option of the command; "" for CLI_OPTIONS_BAD. */
const char *cli_options_name(const cli_options *options, int key);

/** Takes the option that was just returned; false after a message. */
typedef bool cli_options_take(void *request, const cli_options *options, int key);

/** Walks over a whole command line and gives each option to `take`. False as soon as one is refused. */
bool cli_options_read(cli_options *options, const cli_command *command, int argc, char **argv, cli_options_take *take,
                      void *request);

/** The operands left after CLI_OPTIONS_DONE; their number goes to `count`. */
char **cli_options_operands(const cli_options *options, int *count);

/** True when there are at most `most` operands; false after a message that names the first that is too much. */
bool cli_options_no_more(const cli_options *options, int most);

/** The place of the option's argument in `choices` (ended by NULL), or -1 after a message. */
int cli_options_choice(const cli_options *options, const char *name, const char *const *choices);

/** Reads a whole number from 0 to `largest`; false after a message. */
bool cli_options_number(const cli_options *options, const char *name, unsigned long largest, unsigned long *number);

/** Prints the help of a subcommand; returns CLI_OK. */
int cli_options_help(const cli_command *command, FILE *out);

#endif
