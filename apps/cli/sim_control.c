/*
 * The folder of the control files: $XDG_RUNTIME_DIR/nvpulse-sim, or /tmp/nvpulse-sim-UID where there is none. Whoever can write there
 * decides what simulated programs see, so it must be a folder of the user's own that nobody else can write to.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim_control.h"

static const char ending[] = ".ctl";

/* The folder's name; NULL after a message. */
static char *folder_name(const cli_command *command)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    char *name = NULL;
    int length = runtime != NULL && runtime[0] == '/' ? asprintf(&name, "%s/nvpulse-sim", runtime)
                                                      : asprintf(&name, "/tmp/nvpulse-sim-%lu", (unsigned long)geteuid());
    if (length < 0) {
        cli_no_memory(command);
        return NULL;
    }
    return name;
}

/* Whether it is there and can be trusted; false after a message. */
static bool folder_check(const cli_command *command, const char *name)
{
    struct stat about;
    const char *problem = NULL;
    if (lstat(name, &about) != 0) {
        problem = strerror(errno);
    } else if (!S_ISDIR(about.st_mode)) {
        problem = "is no folder";
    } else if (about.st_uid != geteuid()) {
        problem = "belongs to another user";
    } else if ((about.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        problem = "can be written by others";
    }
    if (problem != NULL) {
        cli_fail(CLI_FAILED, command, "folder of control files %s: %s", name, problem);
    }
    return problem == NULL;
}

char *sim_control_path(const cli_command *command, long pid)
{
    char *folder = folder_name(command), *path = NULL;
    if (folder == NULL) {
        return NULL;
    }
    mkdir(folder, S_IRWXU); /* it is looked at next, whoever made it */
    if (folder_check(command, folder) && asprintf(&path, "%s/%ld%s", folder, pid, ending) < 0) {
        cli_no_memory(command);
        path = NULL;
    }
    free(folder);
    return path;
}

/* The process id that a file is named for; 0 when it is named otherwise. */
static long pid_of(const char *name)
{
    char *rest;
    long pid = strtol(name, &rest, 10);
    return rest != name && pid > 0 && strcmp(rest, ending) == 0 ? pid : 0;
}

static bool is_running(long pid)
{
    return kill((pid_t)pid, 0) == 0 || errno != ESRCH;
}

void sim_control_tidy(const cli_command *command)
{
    char *folder = folder_name(command);
    DIR *files = folder != NULL && folder_check(command, folder) ? opendir(folder) : NULL;
    for (struct dirent *file; files != NULL && (file = readdir(files)) != NULL;) {
        long pid = pid_of(file->d_name);
        if (pid > 0 && !is_running(pid)) {
            unlinkat(dirfd(files), file->d_name, 0);
        }
    }
    if (files != NULL) {
        closedir(files);
    }
    free(folder);
}

char *sim_control_only(const cli_command *command)
{
    char pids[256] = "", *folder = folder_name(command);
    long only = 0;
    int count = 0;
    DIR *files = folder != NULL ? opendir(folder) : NULL;
    for (struct dirent *file; files != NULL && (file = readdir(files)) != NULL;) {
        long pid = pid_of(file->d_name);
        if (pid > 0 && is_running(pid)) {
            size_t used = strlen(pids);
            snprintf(pids + used, sizeof pids - used, "%s%ld", count > 0 ? ", " : "", pid);
            only = pid;
            count++;
        }
    }
    if (files != NULL) {
        closedir(files);
    }
    free(folder);
    if (count == 1) {
        return sim_control_path(command, only);
    }
    if (count == 0) {
        cli_fail(CLI_FAILED, command, "no simulation that was started with '" CLI_NAME " sim --control' runs");
    } else {
        cli_misuse(command, "several simulations run; choose one with --pid: %s", pids);
    }
    return NULL;
}
