/*
 * The files of a process are opened below its folder, which stays the folder of that very process: when the process ends, so does all
 * below it. Its start time is read first and last all the same, because a root of another kind need not behave like that.
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

/* As nvp__root_read(), below the folder of a process. */
static ssize_t read_below(int folder, const char *name, char *buffer, size_t size)
{
    int file = openat(folder, name, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        buffer[0] = '\0';
        return -1;
    }
    ssize_t length = nvp__read_file(file, buffer, size);
    int error = errno;
    close(file);
    errno = error;
    return length;
}

/* The program's name stands in brackets and can have brackets, spaces and newlines of its own. */
static nvp_status parse_stat(const char *text, struct nvp__proc *proc)
{
    const char *open = strchr(text, '('), *close = strrchr(text, ')');
    unsigned long long user, system, start;
    long long pages;
    int parent;
    if (open == NULL || close == NULL || close < open ||
        sscanf(close + 1, " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %*d %*d %*d %*d %*d %*d %llu %*u %lld",
               &proc->state, &parent, &user, &system, &start, &pages) != 6) {
        return NVP_ERROR_BAD_DATA;
    }
    size_t length = (size_t)(close - open - 1);
    length = length < sizeof proc->program ? length : sizeof proc->program - 1;
    memcpy(proc->program, open + 1, length);
    proc->program[length] = '\0';
    proc->parent_pid = parent > 0 ? (unsigned int)parent : 0;
    proc->cpu_ticks = user + system;
    proc->start_ticks = start;
    proc->resident_bytes = pages > 0 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
    return NVP_SUCCESS;
}

static nvp_status read_stat(int folder, struct nvp__proc *proc)
{
    char text[1024];
    return read_below(folder, "stat", text, sizeof text) < 0 ? status_of(errno) : parse_stat(text, proc);
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

nvp_status nvp__proc_read(unsigned int pid, struct nvp__proc *proc)
{
    struct nvp__proc last = { 0 };
    *proc = (struct nvp__proc){ 0 };
    int folder = nvp__root_open(O_PATH | O_DIRECTORY, "/proc/%u", pid);
    if (folder < 0) {
        return errno == ENOENT || errno == ENOTDIR ? NVML_ERROR_NOT_FOUND : status_of(errno);
    }
    nvp_status status = read_stat(folder, proc);
    if (status == NVP_SUCCESS) {
        read_uid(folder, proc);
        read_command(folder, proc);
        read_cgroup(folder, proc);
        status = read_stat(folder, &last);
    }
    close(folder);
    return status == NVP_SUCCESS && last.start_ticks != proc->start_ticks ? NVP_ERROR_NO_DATA : status;
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
