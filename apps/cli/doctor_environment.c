/*
 * Signs of a container or of WSL, and the variables that change what NVML sees. Judges nothing, and touches no file that a
 * variable names: it may be on a file system that hangs.
 */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor_system.h"

/** Variables that matter, beside those that begin with NVPULSE_. */
static const char *const names[] = {
    "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "LD_PRELOAD", "NVIDIA_DRIVER_CAPABILITIES", "NVIDIA_VISIBLE_DEVICES",
};

/** Parts of a control group's path that container engines write. */
static const char *const engines[] = { "docker", "kubepods", "containerd", "libpod", "crio", "lxc", "machine.slice" };

static void add_sign(doctor_system *system, doctor_sign **list, size_t *count, const char *format, ...) NVP_PRINTF(4, 5);

static void add_sign(doctor_system *system, doctor_sign **list, size_t *count, const char *format, ...)
{
    doctor_sign *grown = doctor_grow(*list, *count, sizeof *grown);
    if (grown == NULL) {
        system->failed = true;
        return;
    }
    *list = grown;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(grown[*count].text, sizeof grown[*count].text, format, arguments);
    va_end(arguments);
    ++*count;
}

static bool exists(const doctor_system *system, const char *path)
{
    char full[PATH_MAX];
    return doctor_path(system, full, sizeof full, "%s", path) && access(full, F_OK) == 0;
}

static void look_for_container(doctor_system *system)
{
    static const char *const files[] = { "/.dockerenv", "/run/.containerenv" };
    doctor_sign **list = &system->container;
    size_t *count = &system->container_count;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (exists(system, files[i])) {
            add_sign(system, list, count, "%s", files[i]);
        }
    }
    char groups[4096];
    doctor_read_file(system, "/proc/self/cgroup", groups, sizeof groups);
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        if (strstr(groups, engines[i]) != NULL) {
            add_sign(system, list, count, "/proc/self/cgroup: %s", engines[i]);
            break;
        }
    }
    const char *engine = getenv("container"); /* set by podman, LXC and systemd-nspawn */
    if (engine != NULL && engine[0] != '\0') {
        add_sign(system, list, count, "container=%s", engine);
    }
    if (getenv("KUBERNETES_SERVICE_HOST") != NULL) {
        add_sign(system, list, count, "KUBERNETES_SERVICE_HOST");
    }
}

static void look_for_wsl(doctor_system *system)
{
    char version[512];
    doctor_read_line(system, "/proc/version", version, sizeof version);
    if (strcasestr(version, "microsoft") != NULL) {
        add_sign(system, &system->wsl, &system->wsl_count, "/proc/version: Microsoft");
    }
    if (exists(system, "/dev/dxg")) {
        add_sign(system, &system->wsl, &system->wsl_count, "/dev/dxg");
    }
}

static bool matters(const char *name)
{
    bool found = strncmp(name, "NVPULSE_", strlen("NVPULSE_")) == 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        found = found || strcmp(name, names[i]) == 0;
    }
    return found;
}

static int by_name(const void *one, const void *other)
{
    return strcmp(((const doctor_variable *)one)->name, ((const doctor_variable *)other)->name);
}

static void read_variables(doctor_system *system)
{
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        doctor_variable variable = { "", NULL };
        size_t length = strcspn(*entry, "=");
        if ((*entry)[length] == '\0' || length >= sizeof variable.name) {
            continue;
        }
        memcpy(variable.name, *entry, length);
        variable.value = *entry + length + 1;
        if (!matters(variable.name)) {
            continue;
        }
        doctor_variable *list = doctor_grow(system->variables, system->variable_count, sizeof *list);
        if (list == NULL) {
            system->failed = true;
            return;
        }
        list[system->variable_count++] = variable;
        system->variables = list;
    }
    if (system->variable_count > 0) {
        qsort(system->variables, system->variable_count, sizeof *system->variables, by_name);
    }
}

const char *doctor_variable_of(const doctor_system *system, const char *name)
{
    for (size_t i = 0; i < system->variable_count; i++) {
        if (strcmp(system->variables[i].name, name) == 0) {
            return system->variables[i].value;
        }
    }
    return NULL;
}

void doctor_environment_read(doctor_system *system)
{
    look_for_container(system);
    look_for_wsl(system);
    read_variables(system);
}
