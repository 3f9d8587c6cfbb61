/*
 * The start time of a process is read first and last: the same one means that all in between is of one process.
 */
#include "model/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nvpulse/nvml.h>

#include "base/root.h"

#define STAT_BYTES 1024
#define FILES_MAX 4096 /* open files of a process that are looked at */
/* The pid namespace that the kernel begins with has this number, PROC_PID_INIT_INO. */
#define FIRST_PID_NAMESPACE "pid:[4026531836]"

static nvp_status status_of(int error)
{
    switch (error) {
    case EACCES:
    case EPERM:
        return NVML_ERROR_NO_PERMISSION;
    case ENOMEM:
        return NVP_ERROR_NO_MEMORY;
    default:
        return NVP_ERROR_NO_DATA;
    }
}

/* One read gives the whole of such a file, as far as there is room. Returns the number of bytes, or -1 with errno set. Closes. */
static ssize_t read_once(int file, char *buffer, size_t size)
{
    ssize_t length = -1;
    if (file >= 0) {
        do {
            length = read(file, buffer, size - 1);
        } while (length < 0 && errno == EINTR);
        int error = errno;
        close(file);
        errno = error;
    }
    buffer[length < 0 ? 0 : length] = '\0';
    return length;
}

static ssize_t read_below(int folder, const char *name, char *buffer, size_t size)
{
    return read_once(openat(folder, name, O_RDONLY | O_CLOEXEC), buffer, size);
}

/* The numbers behind the program's name by their place in the line, from 1 on: proc(5). */
enum { STATE = 3, PARENT, USER_TICKS = 14, SYSTEM_TICKS, START_TICKS = 22, PAGES = 24 };

/* The program's name stands in brackets and can have brackets, spaces and newlines of its own. */
static nvp_status parse_stat(const char *text, struct nvp__proc *proc)
{
    const char *open = strchr(text, '('), *close = strrchr(text, ')');
    long long numbers[PAGES + 1] = { 0 };
    char state = '\0';
    if (open == NULL || close == NULL || close < open || sscanf(close + 1, " %c", &state) != 1) {
        return NVP_ERROR_BAD_DATA;
    }
    const char *at = strchr(close + 1, state) + 1;
    for (int place = PARENT; place <= PAGES; place++) {
        char *end;
        numbers[place] = place == START_TICKS || place == USER_TICKS || place == SYSTEM_TICKS ? (long long)strtoull(at, &end, 10)
                                                                                              : strtoll(at, &end, 10);
        if (end == at) {
            return NVP_ERROR_BAD_DATA;
        }
        at = end;
    }
    size_t length = (size_t)(close - open - 1);
    length = length < sizeof proc->program ? length : sizeof proc->program - 1;
    memcpy(proc->program, open + 1, length);
    proc->program[length] = '\0';
    proc->state = state;
    proc->parent_pid = numbers[PARENT] > 0 ? (unsigned int)numbers[PARENT] : 0;
    proc->cpu_ticks = (uint64_t)numbers[USER_TICKS] + (uint64_t)numbers[SYSTEM_TICKS];
    proc->start_ticks = (uint64_t)numbers[START_TICKS];
    proc->resident_bytes = numbers[PAGES] > 0 ? (uint64_t)numbers[PAGES] * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
    return NVP_SUCCESS;
}

bool nvp__proc_number(const char *text, const char *key, uint64_t *number)
{
    size_t length = strlen(key);
    for (const char *line = text; line != NULL && *line != '\0'; line = strchr(line, '\n'), line += line != NULL) {
        if (strncmp(line, key, length) == 0) {
            char *end;
            *number = strtoull(line + length, &end, 10);
            return end != line + length;
        }
    }
    return false;
}

/* The effective user: the second number. */
static void read_uid(int folder, struct nvp__proc *proc)
{
    char text[4096];
    if (read_below(folder, "status", text, sizeof text) < 0) {
        proc->uid_status = status_of(errno);
        return;
    }
    const char *line = strstr(text, "\nUid:");
    proc->uid_status = line != NULL && sscanf(line, "\nUid: %*u %u", &proc->uid) == 1 ? NVP_SUCCESS : NVP_ERROR_BAD_DATA;
}

static void read_command(int folder, struct nvp__proc *proc)
{
    ssize_t length = read_below(folder, "cmdline", proc->command, sizeof proc->command);
    proc->command_status = length < 0 ? status_of(errno) : NVP_SUCCESS;
    while (length > 0 && proc->command[length - 1] == '\0') {
        length--;
    }
    proc->command_length = length < 0 ? 0 : (size_t)length;
}

static void read_cgroup(int folder, struct nvp__proc *proc)
{
    char text[16384];
    ssize_t length = read_below(folder, "cgroup", text, sizeof text);
    proc->cgroup_status = length < 0 ? status_of(errno) : NVP_SUCCESS;
    nvp__cgroup_parse(text, &proc->cgroup);
}

/* All but what stat tells; last the start time again. */
static nvp_status read_rest(unsigned int pid, struct nvp__proc *proc)
{
    char text[STAT_BYTES];
    struct nvp__proc last = { 0 };
    int folder = nvp__root_open(O_PATH | O_DIRECTORY, "/proc/%u", pid);
    if (folder < 0) {
        return status_of(errno);
    }
    read_uid(folder, proc);
    read_command(folder, proc);
    read_cgroup(folder, proc);
    nvp_status status = read_below(folder, "stat", text, sizeof text) < 0 ? status_of(errno) : parse_stat(text, &last);
    close(folder);
    return status == NVP_SUCCESS && last.start_ticks != proc->start_ticks ? NVP_ERROR_NO_DATA : status;
}

nvp_status nvp__proc_read(unsigned int pid, const struct nvp__proc_known *known, struct nvp__proc *proc)
{
    char text[STAT_BYTES];
    int file = nvp__root_open(O_RDONLY, "/proc/%u/stat", pid);
    if (file < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        return NVML_ERROR_NOT_FOUND;
    }
    nvp_status status = read_once(file, text, sizeof text) < 0 ? status_of(errno) : parse_stat(text, proc);
    proc->is_whole = false;
    if (status == NVP_SUCCESS &&
        (known == NULL || known->start_ticks != proc->start_ticks || strcmp(known->program, proc->program) != 0)) {
        status = read_rest(pid, proc);
        proc->is_whole = true;
    }
    return status;
}

static bool is_gpu_file(int folder, const char *name)
{
    static const char *const files[] = { "/dev/nvidia", "/dev/nvhost", "/dev/nvmap", "/dev/dxg" };
    char target[32];
    ssize_t length = readlinkat(folder, name, target, sizeof target - 1);
    target[length < 0 ? 0 : length] = '\0';
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (strncmp(target, files[i], strlen(files[i])) == 0) {
            return true;
        }
    }
    return false;
}

nvp_status nvp__proc_uses_gpu(unsigned int pid)
{
    int folder = nvp__root_open(O_RDONLY | O_DIRECTORY, "/proc/%u/fd", pid);
    DIR *files = folder >= 0 ? fdopendir(folder) : NULL;
    if (files == NULL) {
        nvp_status status = status_of(errno);
        if (folder >= 0) {
            close(folder);
        }
        return status;
    }
    bool found = false;
    const struct dirent *file;
    for (int i = 0; i < FILES_MAX && !found && (file = readdir(files)) != NULL; i++) {
        found = is_gpu_file(folder, file->d_name);
    }
    closedir(files);
    return found ? NVP_SUCCESS : NVML_ERROR_NOT_FOUND;
}

bool nvp__proc_sees_all_pids(void)
{
    char name[64];
    nvp__root_link(name, sizeof name, "/proc/self/ns/pid");
    return strcmp(name, FIRST_PID_NAMESPACE) == 0;
}
