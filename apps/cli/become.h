/*
 * Becoming another program, whose command line the user gave.
 */
#ifndef CLI_BECOME_H
#define CLI_BECOME_H

#include "cli.h"

/**
 * Becomes the program of a NULL-terminated command line, with the environment as it is. Returns only when that fails: CLI_NOT_FOUND or
 * CLI_NOT_EXECUTABLE after a message.
 */
int cli_become(const cli_command *command, char **words);

#endif
