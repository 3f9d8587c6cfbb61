/*
 * A number is taken as it is: processes of a container may belong to a user that has no name here.
 */
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "users.h"

/** A record of a user is never longer. */
#define RECORD_MAX (1u << 20)

bool cli_user_exists(const char *name)
{
    struct passwd user, *found = NULL;
    int error = ERANGE;
    if (name[0] != '\0' && name[strspn(name, "0123456789")] == '\0') {
        return true;
    }
    for (size_t size = 1024; error == ERANGE && size <= RECORD_MAX; size *= 4) {
        char *record = malloc(size);
        error = record == NULL ? ENOMEM : getpwnam_r(name, &user, record, size, &found);
        free(record);
    }
    bool is_unknown =
        error != 0 && error != ENOENT && error != ESRCH && error != EBADF && error != EPERM; /* as its manual has it */
    return found != NULL || is_unknown;
}

bool cli_users_check(const cli_command *command, const char *option, const char *names)
{
    for (const char *at = names; at != NULL;) {
        char name[256];
        const char *comma = strchrnul(at, ',');
        int length = snprintf(name, sizeof name, "%.*s", (int)(comma - at), at);
        if (length >= (int)sizeof name || !cli_user_exists(name)) {
            cli_misuse(command, "--%s: there is no user '%s'", option, name);
            return false;
        }
        at = *comma == ',' ? comma + 1 : NULL;
    }
    return true;
}
