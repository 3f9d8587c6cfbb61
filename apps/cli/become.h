/*
 * Becoming, or starting, another program, whose command line the user gave.
 */
#ifndef CLI_BECOME_H
#define CLI_BECOME_H

#include <signal.h>
#include <sys/types.h>

#include "cli.h"

/**
 * Becomes the program of a NULL-terminated command line, with the environment as it is. Returns only when that fails: CLI_NOT_FOUND or
 * CLI_NOT_EXECUTABLE after a message.
 */
int cli_become(const cli_command *command, char **words);

/**
 * Starts such a program beside this one.
 *
 * @param defaults  signals that this program ignores or catches and that the other one is to have as usual
 * Returns CLI_OK and the process id, else as cli_become().
 */
int cli_spawn(const cli_command *command, char **words, const sigset_t *defaults, pid_t *pid);

/** Makes the dynamic loader of the next program look into this folder first; false when memory ran out. */
bool cli_prepend_library_path(const char *folder);

#endif
