/*
 * Runs the command of `nvpulse COMMAND ... -- WORDS` in place of this program, so that signals and the exit status are its own.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "become.h"
#include "exit_limit.h"
#include "sim_drivers.h"

int cli_become(const cli_command *command, char **words)
{
    cli_exit_limit_forget();
    execvp(words[0], words);
    int error = errno;
    if (error == ENOENT && strcmp(words[0], CLI_NAME) == 0) { /* this program need not be in PATH to run itself */
        char *own = sim_own_path();
        if (own != NULL) {
            execv(own, words);
        }
        free(own);
    }
    bool is_path = strchr(words[0], '/') != NULL;
    if (error == ENOENT && is_path && access(words[0], F_OK) == 0) {
        return cli_fail(CLI_NOT_EXECUTABLE, command, "%s: its interpreter is missing", words[0]);
    }
    if (error == ENOENT || error == ENOTDIR) {
        return cli_fail(CLI_NOT_FOUND, command, "%s: %s", words[0], is_path ? strerror(error) : "command not found");
    }
    return cli_fail(CLI_NOT_EXECUTABLE, command, "%s: %s", words[0], strerror(error));
}
