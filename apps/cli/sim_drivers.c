/*
 * Looks for simulated drivers: where NVPULSE_SIM_DIR says, beside a build, in an installation. Loads nothing.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "sim_drivers.h"

/* From the folder of the program to the installed drivers; CMake knows better. */
#ifndef SIM_INSTALLED
#define SIM_INSTALLED "../lib/nvpulse/sim"
#endif

char *sim_own_path(void)
{
    return realpath("/proc/self/exe", NULL);
}

static bool is_folder(const char *path)
{
    DIR *folder = opendir(path);
    if (folder == NULL) {
        return false;
    }
    closedir(folder);
    return true;
}

char *sim_folder_beside(const char *own_path, const char *relative)
{
    const char *slash = strrchr(own_path, '/');
    char *path;
    if (slash == NULL || asprintf(&path, "%.*s/%s", (int)(slash - own_path), own_path, relative) < 0) {
        return NULL;
    }
    char *resolved = realpath(path, NULL);
    free(path);
    if (resolved != NULL && !is_folder(resolved)) {
        free(resolved);
        resolved = NULL;
    }
    return resolved;
}

/* The folder of the drivers; NULL after a message. */
static char *find_folder(void)
{
    const char *named = getenv("NVPULSE_SIM_DIR");
    if (named != NULL && named[0] != '\0') {
        char *folder = realpath(named, NULL);
        if (folder == NULL || !is_folder(folder)) {
            cli_fail(0, &cli_sim_command, "NVPULSE_SIM_DIR: '%s' is no folder that can be read", named);
            free(folder);
            return NULL;
        }
        return folder;
    }
    char *own = sim_own_path();
    char *folder = own != NULL ? sim_folder_beside(own, "../sim") : NULL;
    if (folder == NULL && own != NULL) {
        folder = sim_folder_beside(own, SIM_INSTALLED);
    }
    if (folder == NULL) {
        cli_fail(0, &cli_sim_command,
                 "no simulated driver is installed beside %s (../sim or " SIM_INSTALLED
                 "); NVPULSE_SIM_DIR can name their folder",
                 own != NULL ? own : CLI_NAME);
    }
    free(own);
    return folder;
}

static bool has_library(const char *folder, const char *version)
{
    char *path;
    if (asprintf(&path, "%s/%s/" SIM_LIBRARY, folder, version) < 0) {
        return false;
    }
    bool found = access(path, R_OK) == 0;
    free(path);
    return found;
}

static int looks_like_version(const struct dirent *entry)
{
    return entry->d_name[0] >= '0' && entry->d_name[0] <= '9';
}

bool sim_drivers_find(sim_drivers *drivers)
{
    drivers->folder = find_folder();
    if (drivers->folder == NULL) {
        return false;
    }
    struct dirent **entries = NULL;
    int count = scandir(drivers->folder, &entries, looks_like_version, versionsort);
    drivers->versions = count > 0 ? calloc((size_t)count, sizeof *drivers->versions) : NULL;
    for (int i = 0; i < count; i++) {
        if (drivers->versions != NULL && has_library(drivers->folder, entries[i]->d_name)) {
            char *version = strdup(entries[i]->d_name);
            if (version != NULL) {
                drivers->versions[drivers->count++] = version;
            }
        }
        free(entries[i]);
    }
    free(entries);
    if (drivers->count == 0) {
        cli_fail(0, &cli_sim_command, "%s has no simulated driver in it (VERSION/" SIM_LIBRARY ")", drivers->folder);
    }
    return drivers->count > 0;
}

/* True when `wanted` is the version or its first numbers, as 470 and 470.256 are of 470.256.02. */
static bool means(const char *wanted, const char *version)
{
    size_t length = strlen(wanted);
    return strncmp(wanted, version, length) == 0 && (version[length] == '\0' || version[length] == '.');
}

static void list_versions(const sim_drivers *drivers, const char *wanted, char *text, size_t size)
{
    text[0] = '\0';
    size_t used = 0;
    for (size_t i = 0; i < drivers->count && used < size; i++) {
        if (wanted != NULL && !means(wanted, drivers->versions[i])) {
            continue;
        }
        int length = snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", drivers->versions[i]);
        used += length > 0 ? (size_t)length : 0;
    }
}

const char *sim_drivers_choose(const sim_drivers *drivers, const char *wanted)
{
    if (wanted == NULL) {
        return drivers->versions[drivers->count - 1];
    }
    const char *chosen = NULL;
    size_t matches = 0;
    char list[512];
    for (size_t i = 0; i < drivers->count; i++) {
        if (strcmp(wanted, drivers->versions[i]) == 0) {
            return drivers->versions[i];
        }
        if (means(wanted, drivers->versions[i])) {
            chosen = drivers->versions[i];
            matches++;
        }
    }
    list_versions(drivers, matches > 1 ? wanted : NULL, list, sizeof list);
    if (matches > 1) {
        cli_misuse(&cli_sim_command, "'%s' can mean several drivers: %s", wanted, list);
    } else if (matches == 0) {
        cli_misuse(&cli_sim_command, "there is no simulated driver '%s'; there are %s", wanted, list);
    }
    return matches == 1 ? chosen : NULL;
}

char *sim_drivers_path(const sim_drivers *drivers, const char *version, bool library)
{
    char *path;
    return asprintf(&path, "%s/%s%s", drivers->folder, version, library ? "/" SIM_LIBRARY : "") < 0 ? NULL : path;
}

void sim_drivers_free(sim_drivers *drivers)
{
    for (size_t i = 0; i < drivers->count; i++) {
        free(drivers->versions[i]);
    }
    free(drivers->versions);
    free(drivers->folder);
    *drivers = (sim_drivers)SIM_DRIVERS_INIT;
}
