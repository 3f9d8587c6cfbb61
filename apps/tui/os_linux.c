/*
 * Linux: /proc, and descriptors of processes, which stay with a process whatever happens to its pid.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os.h"

#define SECOND_US 1000000

/** More of an environment is not shown. */
#define ENVIRONMENT_MAX (1u << 20)

const char *tui_os_text(tui_os_result result)
{
    static const char *const texts[] = {
        [TUI_OS_DONE] = "done",
        [TUI_OS_GONE] = "has ended",
        [TUI_OS_DENIED] = "is not yours: permission denied",
        [TUI_OS_FAILED] = "could not be reached",
    };
    return texts[result];
}

static tui_os_result result_of_errno(void)
{
    return errno == ESRCH || errno == ENOENT                     ? TUI_OS_GONE
           : errno == EPERM || errno == EACCES || errno == EROFS ? TUI_OS_DENIED
                                                                 : TUI_OS_FAILED;
}

/* Reads a file of /proc from its beginning; the length, or -1. */
static ssize_t read_file(const char *path, char *text, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    size_t used = 0;
    ssize_t got = file < 0 ? -1 : 1;
    while (got > 0 && used + 1 < size) {
        got = read(file, text + used, size - 1 - used);
        used += got > 0 ? (size_t)got : 0;
    }
    int error = errno;
    if (file >= 0) {
        close(file);
    }
    text[used] = '\0';
    errno = error;
    return got < 0 ? -1 : (ssize_t)used;
}

/* When the system was started, in seconds since 1970; 0 when unknown. */
static uint64_t boot_time_s(void)
{
    static uint64_t known;
    char *text = known == 0 ? malloc(ENVIRONMENT_MAX) : NULL;
    if (text != NULL && read_file("/proc/stat", text, ENVIRONMENT_MAX) > 0) {
        const char *line = strstr(text, "\nbtime ");
        known = line != NULL ? strtoull(line + 7, NULL, 10) : 0;
    }
    free(text);
    return known;
}

/* Field `wanted` of /proc/PID/stat, counted from 1 as its manual does: a number behind the name. */
static bool read_stat(uint64_t pid, int wanted, uint64_t *number)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%llu/stat", (unsigned long long)pid);
    if (read_file(path, text, sizeof text) <= 0) {
        return false;
    }
    const char *next = strrchr(text, ')'); /* a name may hold anything, blanks and brackets too */
    for (int field = 3; next != NULL && field <= wanted; field++) {
        next = strchr(next + 1, ' ');
    }
    if (next == NULL) {
        return false;
    }
    *number = strtoull(next + 1, NULL, 10);
    return true;
}

/*
 * Whether it started then. The time of the boot, to which the kernel counts, moves by a second when the clock is set; the part
 * below a second does not.
 */
static bool is_same_process(uint64_t pid, uint64_t start_time_us)
{
    uint64_t ticks, boot_s = boot_time_s();
    long ticks_per_s = sysconf(_SC_CLK_TCK);
    if (start_time_us == 0 || boot_s == 0 || ticks_per_s <= 0 || !read_stat(pid, 22, &ticks)) {
        return false;
    }
    double start_us = (double)ticks * SECOND_US / (double)ticks_per_s;
    int64_t apart = (int64_t)(boot_s * SECOND_US + (uint64_t)start_us) - (int64_t)start_time_us;
    int64_t below = llabs(apart) % SECOND_US;
    return llabs(apart) < 3 * SECOND_US && (below < 2 || below > SECOND_US - 2);
}

static bool is_pid(uint64_t pid)
{
    return pid > 1 && pid <= INT_MAX;
}

uint64_t tui_os_parent_pid(uint64_t pid)
{
    uint64_t parent = 0;
    return is_pid(pid) && read_stat(pid, 4, &parent) ? parent : 0;
}

tui_os_result tui_os_signal(uint64_t pid, uint64_t start_time_us, int number)
{
    if (!is_pid(pid)) {
        return TUI_OS_FAILED;
    }
    int process = (int)syscall(SYS_pidfd_open, (int)pid, 0);
    bool has_descriptor = process >= 0;
    if (!has_descriptor && errno != ENOSYS) {
        return result_of_errno();
    }
    /* The descriptor is held: from here on a process that starts anew with this pid is another one. */
    bool is_same = is_same_process(pid, start_time_us);
    long sent = -1;
    if (is_same && has_descriptor) {
        sent = syscall(SYS_pidfd_send_signal, process, number, NULL, 0);
    } else if (is_same) {
        sent = kill((int)pid, number);
    }
    tui_os_result result = !is_same ? TUI_OS_GONE : sent == 0 ? TUI_OS_DONE : result_of_errno();
    if (has_descriptor) {
        close(process);
    }
    return result;
}

tui_os_result tui_os_environment(uint64_t pid, uint64_t start_time_us, char **text, size_t *length)
{
    char path[64], *read = malloc(ENVIRONMENT_MAX);
    if (read == NULL) {
        return TUI_OS_FAILED;
    }
    snprintf(path, sizeof path, "/proc/%llu/environ", (unsigned long long)pid);
    ssize_t got = is_pid(pid) ? read_file(path, read, ENVIRONMENT_MAX) : -1;
    tui_os_result result = got < 0 ? result_of_errno() : is_same_process(pid, start_time_us) ? TUI_OS_DONE : TUI_OS_GONE;
    if (result != TUI_OS_DONE) {
        free(read);
        return result;
    }
    *text = read; /* pages that nothing was written to take no memory */
    *length = (size_t)got;
    return TUI_OS_DONE;
}

static void read_command(uint64_t pid, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%llu/cmdline", (unsigned long long)pid);
    ssize_t length = read_file(path, text, size);
    if (length <= 0) { /* threads of the kernel have none */
        snprintf(path, sizeof path, "/proc/%llu/comm", (unsigned long long)pid);
        length = read_file(path, text, size);
    }
    while (length > 0 && (text[length - 1] == '\0' || text[length - 1] == '\n')) {
        text[--length] = '\0';
    }
    for (ssize_t i = 0; i < length; i++) {
        text[i] = text[i] == '\0' ? ' ' : text[i];
    }
}

size_t tui_os_parents(uint64_t pid, uint64_t start_time_us, tui_os_parent *parents, size_t max)
{
    size_t count = 0;
    uint64_t parent;
    if (!is_pid(pid) || !is_same_process(pid, start_time_us)) {
        return 0;
    }
    while (count < max && read_stat(pid, 4, &parent) && parent > 0) {
        parents[count].pid = parent;
        read_command(parent, parents[count].command, sizeof parents[count].command);
        count++;
        pid = parent;
    }
    return count;
}
