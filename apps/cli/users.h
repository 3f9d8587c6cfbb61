/*
 * Names of users on the command line: one that does not exist is a mistake, and not a user without processes.
 */
#ifndef CLI_USERS_H
#define CLI_USERS_H

#include <stdbool.h>

#include "cli.h"

/** Whether the name is known here, or is a number. True as well when the list of users cannot be asked: then nobody knows. */
bool cli_user_exists(const char *name);

/** Checks names or numbers with commas between them; false after a message that names the first one which is not known. */
bool cli_users_check(const cli_command *command, const char *option, const char *names);

#endif
