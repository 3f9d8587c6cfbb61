/*
 * Runs the command of `nvpulse COMMAND ... -- WORDS`: in place of this program, so that signals and the exit status are its own, or
 * beside it.
 */
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "become.h"
#include "exit_limit.h"
#include "sim_drivers.h"

static int explain(const cli_command *command, const char *word, int error)
{
    bool is_path = strchr(word, '/') != NULL;
    if (error == ENOENT && is_path && access(word, F_OK) == 0) {
        return cli_fail(CLI_NOT_EXECUTABLE, command, "%s: its interpreter is missing", word);
    }
    if (error == ENOENT || error == ENOTDIR) {
        return cli_fail(CLI_NOT_FOUND, command, "%s: %s", word, is_path ? strerror(error) : "command not found");
    }
    return cli_fail(CLI_NOT_EXECUTABLE, command, "%s: %s", word, strerror(error));
}

/* This program need not be in PATH to run itself: its own file, to be freed; NULL for every other word. */
static char *own_path(const char *word, int error)
{
    return error == ENOENT && strcmp(word, CLI_NAME) == 0 ? sim_own_path() : NULL;
}

int cli_become(const cli_command *command, char **words)
{
    cli_exit_limit_forget();
    execvp(words[0], words);
    int error = errno;
    char *own = own_path(words[0], error);
    if (own != NULL) {
        execv(own, words);
    }
    free(own);
    return explain(command, words[0], error);
}

int cli_spawn(const cli_command *command, char **words, const sigset_t *defaults, pid_t *pid)
{
    posix_spawnattr_t attributes;
    int error = posix_spawnattr_init(&attributes);
    if (error != 0) {
        return cli_no_memory(command);
    }
    cli_exit_limit_forget();
    posix_spawnattr_setsigdefault(&attributes, defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    error = posix_spawnp(pid, words[0], NULL, &attributes, words, environ);
    char *own = own_path(words[0], error);
    if (own != NULL) {
        error = posix_spawn(pid, own, NULL, &attributes, words, environ);
    }
    free(own);
    posix_spawnattr_destroy(&attributes);
    return error == 0 ? CLI_OK : explain(command, words[0], error);
}

bool cli_prepend_library_path(const char *folder)
{
    const char *old = getenv("LD_LIBRARY_PATH");
    bool has_old = old != NULL && old[0] != '\0';
    char *path;
    if (asprintf(&path, "%s%s%s", folder, has_old ? ":" : "", has_old ? old : "") < 0) {
        return false;
    }
    bool done = setenv("LD_LIBRARY_PATH", path, 1) == 0;
    free(path);
    return done;
}
