/*
 * The kernel module and the GPUs on the bus, from /proc and /sys. Of what the driver keeps in /proc only the version is read: other
 * files there wait for locks of a driver that may be stuck.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "doctor_system.h"

#define NVIDIA_VENDOR "0x10de"
#define DISPLAY_CLASS "0x03"

bool doctor_path(const doctor_system *system, char *path, size_t size, const char *format, ...)
{
    char below[PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(below, sizeof below, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof below) {
        return false;
    }
    length = snprintf(path, size, "%s%s", system->root, below);
    return length >= 0 && (size_t)length < size;
}

bool doctor_read_file(const doctor_system *system, const char *path, char *text, size_t size)
{
    char full[PATH_MAX];
    text[0] = '\0';
    int file = doctor_path(system, full, sizeof full, "%s", path) ? open(full, O_RDONLY | O_CLOEXEC | O_NOCTTY) : -1;
    if (file < 0) {
        return false;
    }
    size_t used = 0;
    ssize_t length = 0;
    while (used + 1 < size && (length = read(file, text + used, size - 1 - used)) > 0) {
        used += (size_t)length;
    }
    text[used] = '\0';
    close(file);
    return length >= 0;
}

bool doctor_read_line(const doctor_system *system, const char *path, char *line, size_t size)
{
    bool done = doctor_read_file(system, path, line, size);
    line[strcspn(line, "\n")] = '\0';
    return done;
}

void *doctor_grow(void *items, size_t count, size_t size)
{
    char *grown = reallocarray(items, count + 1, size);
    if (grown != NULL) {
        memset(grown + count * size, 0, size);
    }
    return grown;
}

static bool is_version(const char *word)
{
    return word[0] >= '0' && word[0] <= '9' && strchr(word, '.') != NULL && word[strspn(word, "0123456789.")] == '\0';
}

/* The line is "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.163.01  Tue Apr ..."; its words differ, the number does not. */
static void read_module(doctor_system *system)
{
    doctor_module *module = &system->module;
    char line[256];
    char *rest = line;
    doctor_read_line(system, "/proc/driver/nvidia/version", line, sizeof line);
    for (char *word; (word = strsep(&rest, " \t")) != NULL;) {
        if (is_version(word)) {
            snprintf(module->proc_version, sizeof module->proc_version, "%.63s", word);
            break;
        }
    }
    doctor_read_line(system, "/sys/module/nvidia/version", module->sys_version, sizeof module->sys_version);
}

static bool is_nvidia_gpu(const doctor_system *system, const char *bus_id)
{
    char path[PATH_MAX];
    char vendor[16];
    char class[16];
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/vendor", bus_id);
    doctor_read_line(system, path, vendor, sizeof vendor);
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/class", bus_id);
    return strcmp(vendor, NVIDIA_VENDOR) == 0 && doctor_read_line(system, path, class, sizeof class) &&
           strncmp(class, DISPLAY_CLASS, strlen(DISPLAY_CLASS)) == 0;
}

/* The last part of where the link "driver" leads. */
static void read_driver_name(const doctor_system *system, doctor_pci *pci)
{
    char path[PATH_MAX];
    char target[PATH_MAX];
    ssize_t length = doctor_path(system, path, sizeof path, "/sys/bus/pci/devices/%s/driver", pci->bus_id)
                         ? readlink(path, target, sizeof target - 1)
                         : -1;
    if (length > 0) {
        target[length] = '\0';
        const char *slash = strrchr(target, '/');
        snprintf(pci->driver, sizeof pci->driver, "%.31s", slash != NULL ? slash + 1 : target);
    }
}

static void add_pci(doctor_system *system, const char *bus_id)
{
    doctor_pci *list = doctor_grow(system->pci, system->pci_count, sizeof *list);
    if (list == NULL) {
        system->failed = true;
        return;
    }
    doctor_pci *pci = &list[system->pci_count++];
    system->pci = list;
    char path[PATH_MAX];
    snprintf(pci->bus_id, sizeof pci->bus_id, "%.31s", bus_id);
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/power/runtime_status", bus_id);
    doctor_read_line(system, path, pci->runtime_state, sizeof pci->runtime_state);
    read_driver_name(system, pci);
}

static void read_bus(doctor_system *system)
{
    char path[PATH_MAX];
    struct dirent **entries = NULL;
    int count = doctor_path(system, path, sizeof path, "/sys/bus/pci/devices") ? scandir(path, &entries, NULL, alphasort) : -1;
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.' && is_nvidia_gpu(system, entries[i]->d_name)) {
            add_pci(system, entries[i]->d_name);
        }
        free(entries[i]);
    }
    free(entries);
}

bool doctor_pci_is_asleep(const doctor_pci *pci)
{
    return strcmp(pci->runtime_state, "suspended") == 0 || strcmp(pci->runtime_state, "suspending") == 0;
}

const doctor_pci *doctor_pci_find(const doctor_system *system, const char *bus_id)
{
    unsigned int wanted[4];
    if (sscanf(bus_id, "%8x:%2x:%2x.%1x", &wanted[0], &wanted[1], &wanted[2], &wanted[3]) != 4) {
        return NULL;
    }
    for (size_t i = 0; i < system->pci_count; i++) {
        unsigned int seen[4];
        if (sscanf(system->pci[i].bus_id, "%8x:%2x:%2x.%1x", &seen[0], &seen[1], &seen[2], &seen[3]) == 4 &&
            memcmp(wanted, seen, sizeof seen) == 0) {
            return &system->pci[i];
        }
    }
    return NULL;
}

void doctor_system_read(doctor_system *system)
{
    const char *root = getenv("NVPULSE_DOCTOR_ROOT");
    *system = (doctor_system){ .root = root != NULL ? root : "" };
    struct utsname kernel;
    if (uname(&kernel) == 0) {
        snprintf(system->kernel, sizeof system->kernel, "%s %s %s", kernel.sysname, kernel.release, kernel.machine);
    }
    read_module(system);
    read_bus(system);
    doctor_environment_read(system);
    doctor_nodes_read(system);
}

void doctor_system_free(doctor_system *system)
{
    free(system->pci);
    free(system->nodes);
    free(system->container);
    free(system->wsl);
    free(system->variables);
    *system = (doctor_system){ .root = "" };
}
