/*
 * The device nodes: which are there, and whether this user may use them. Looks at them and opens none: opening a GPU's node wakes it.
 * Names of users and groups come from the local files alone, because a directory service may hang.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor_system.h"

/** Shown where they exist. */
static const char *const optional_nodes[] = { "nvidia-uvm-tools", "nvidia-modeset", "nvidia-nvswitchctl", "dxg" };

static void write_user(uid_t uid, char *name, size_t size)
{
    snprintf(name, size, "%lu", (unsigned long)uid);
    FILE *file = fopen("/etc/passwd", "re");
    if (file == NULL) {
        return;
    }
    for (const struct passwd *entry; (entry = fgetpwent(file)) != NULL;) {
        if (entry->pw_uid == uid) {
            snprintf(name, size, "%s", entry->pw_name);
            break;
        }
    }
    fclose(file);
}

static void write_group(gid_t gid, char *name, size_t size)
{
    snprintf(name, size, "%lu", (unsigned long)gid);
    FILE *file = fopen("/etc/group", "re");
    if (file == NULL) {
        return;
    }
    for (const struct group *entry; (entry = fgetgrent(file)) != NULL;) {
        if (entry->gr_gid == gid) {
            snprintf(name, size, "%s", entry->gr_name);
            break;
        }
    }
    fclose(file);
}

static bool is_member(gid_t gid)
{
    gid_t groups[1024];
    int count = getgroups((int)(sizeof groups / sizeof *groups), groups);
    bool found = getegid() == gid;
    for (int i = 0; i < count && !found; i++) {
        found = groups[i] == gid;
    }
    return found;
}

void doctor_mode_text(mode_t mode, char text[11])
{
    static const char letters[] = "rwxrwxrwx";
    text[0] = S_ISCHR(mode) ? 'c' : S_ISDIR(mode) ? 'd' : S_ISREG(mode) ? '-' : '?';
    for (unsigned int i = 0; i < 9; i++) {
        text[1 + i] = letters[i];
        if ((mode & (0400u >> i)) == 0) {
            text[1 + i] = '-';
        }
    }
    text[10] = '\0';
}

static void look_at(const doctor_system *system, doctor_node *node)
{
    char path[PATH_MAX];
    struct stat about;
    if (!doctor_path(system, path, sizeof path, "%s", node->path)) {
        node->error = ENAMETOOLONG;
    } else if (stat(path, &about) != 0) {
        node->error = errno;
    } else {
        node->mode = about.st_mode;
        write_user(about.st_uid, node->owner, sizeof node->owner);
        write_group(about.st_gid, node->group, sizeof node->group);
        node->readable = faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0;
        node->writable = faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
        bool group_may = (about.st_mode & 0060) == 0060 && about.st_gid != 0; /* nobody should join root's */
        if (group_may && !(node->readable && node->writable) && !is_member(about.st_gid)) {
            snprintf(node->helpful_group, sizeof node->helpful_group, "%s", node->group);
        }
    }
}

static void add_node(doctor_system *system, doctor_node_kind kind, const char *format, ...) NVP_PRINTF(3, 4);

static void add_node(doctor_system *system, doctor_node_kind kind, const char *format, ...)
{
    doctor_node *list = doctor_grow(system->nodes, system->node_count, sizeof *list);
    if (list == NULL) {
        system->failed = true;
        return;
    }
    doctor_node *node = &list[system->node_count++];
    system->nodes = list;
    node->kind = kind;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(node->path, sizeof node->path, format, arguments);
    va_end(arguments);
    look_at(system, node);
}

/* How many of the nodes /dev/nvidia0, 1, ... must be there. A container sees every GPU of its host but has nodes for its own. */
static unsigned int count_expected(const doctor_system *system)
{
    unsigned int count = 0;
    for (size_t i = 0; i < system->pci_count && system->container_count == 0; i++) {
        count += strcmp(system->pci[i].driver, "nvidia") == 0;
    }
    return count;
}

/* The number in "nvidia12"; -1 for another name. */
static int number_of(const char *name)
{
    static const char stem[] = "nvidia";
    char *end = NULL;
    if (strncmp(name, stem, strlen(stem)) != 0 || name[strlen(stem)] < '0' || name[strlen(stem)] > '9') {
        return -1;
    }
    unsigned long number = strtoul(name + strlen(stem), &end, 10);
    return *end == '\0' && number <= INT_MAX ? (int)number : -1;
}

static void add_gpu_nodes(doctor_system *system)
{
    unsigned int expected = count_expected(system);
    for (unsigned int i = 0; i < expected; i++) {
        add_node(system, DOCTOR_NODE_GPU, "/dev/nvidia%u", i);
    }
    char path[PATH_MAX];
    struct dirent **entries = NULL;
    int count = doctor_path(system, path, sizeof path, "/dev") ? scandir(path, &entries, NULL, versionsort) : -1;
    for (int i = 0; i < count; i++) {
        int number = number_of(entries[i]->d_name);
        if (number >= 0 && (unsigned int)number >= expected) {
            add_node(system, DOCTOR_NODE_GPU, "/dev/nvidia%d", number);
        }
        free(entries[i]);
    }
    free(entries);
}

static bool exists(const doctor_system *system, const char *name)
{
    char path[PATH_MAX];
    return doctor_path(system, path, sizeof path, "/dev/%s", name) && access(path, F_OK) == 0;
}

/* The nodes by which rights on MIG are given. */
static void add_capabilities(doctor_system *system)
{
    char path[PATH_MAX];
    struct dirent **entries = NULL;
    int count = doctor_path(system, path, sizeof path, "/dev/nvidia-caps") ? scandir(path, &entries, NULL, versionsort) : -1;
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.') {
            add_node(system, DOCTOR_NODE_OTHER, "/dev/nvidia-caps/%.40s", entries[i]->d_name);
        }
        free(entries[i]);
    }
    free(entries);
}

void doctor_nodes_read(doctor_system *system)
{
    write_user(geteuid(), system->user, sizeof system->user);
    if (system->wsl_count == 0) {
        add_node(system, DOCTOR_NODE_CONTROL, "/dev/nvidiactl");
        add_gpu_nodes(system);
        add_node(system, DOCTOR_NODE_UVM, "/dev/nvidia-uvm");
    }
    for (size_t i = 0; i < sizeof optional_nodes / sizeof *optional_nodes; i++) {
        if (exists(system, optional_nodes[i])) {
            add_node(system, DOCTOR_NODE_OTHER, "/dev/%s", optional_nodes[i]);
        }
    }
    add_capabilities(system);
}
