/*
 * Files as the kernel writes them.
 */
#include "tree.h"

#include "check.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/nvpulse-proc-XXXXXX";

bool tree_begin(void)
{
    return mkdtemp(folder) != NULL && setenv("NVPULSE_ROOT", folder, 1) == 0;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status;
    (void)kind;
    (void)place;
    return remove(path);
}

int tree_end(void **state)
{
    (void)state;
    return nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *tree_path(const char *path)
{
    static char whole[512];
    snprintf(whole, sizeof whole, "%s/%s", folder, path);
    return whole;
}

static void make_folders(const char *path)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s", path);
    for (char *slash = whole + sizeof folder; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        assert_true(mkdir(whole, 0755) == 0 || errno == EEXIST);
        *slash = '/';
    }
}

void tree_write_bytes(const char *path, const void *bytes, size_t size)
{
    char whole[512], next[sizeof whole + 4];
    snprintf(whole, sizeof whole, "%s", tree_path(path));
    snprintf(next, sizeof next, "%s.new", whole);
    make_folders(whole);
    FILE *file = fopen(next, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(rename(next, whole), 0);
}

void tree_write(const char *path, const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    assert_true(length >= 0);
    tree_write_bytes(path, text, (size_t)length);
    free(text);
}

void tree_link(const char *path, const char *target)
{
    make_folders(tree_path(path));
    unlink(tree_path(path));
    assert_int_equal(symlink(target, tree_path(path)), 0);
}

void tree_pipe(const char *path)
{
    unlink(tree_path(path));
    assert_int_equal(mkfifo(tree_path(path), 0600), 0);
}

void tree_remove(const char *path)
{
    assert_int_equal(nftw(tree_path(path), remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

void tree_stat(const struct tree_process *process)
{
    char path[64];
    snprintf(path, sizeof path, "proc/%u/stat", process->pid);
    tree_write(path,
               "%u (%s) %c %u 1 1 0 -1 4194304 900 0 3 0 %llu %llu 5 6 20 0 12 0 %llu 5000000000 %llu 18446744073709551615 1 1 0 "
               "0 0 0 0 "
               "16781312 1088 0 0 0 17 3 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
               process->pid, process->program, process->state == '\0' ? 'S' : process->state, process->parent,
               process->user_ticks, process->system_ticks, process->start_ticks, process->pages);
}

void tree_process(const struct tree_process *process)
{
    char path[64];
    size_t length = process->command_length != 0 ? process->command_length : strlen(process->command);
    tree_stat(process);
    snprintf(path, sizeof path, "proc/%u/status", process->pid);
    tree_write(path, "Name:\t%s\nUmask:\t0022\nUid:\t77\t%u\t78\t79\nGid:\t5\t5\t5\t5\nVmRSS:\t    4 kB\n", process->program,
               process->uid);
    snprintf(path, sizeof path, "proc/%u/cmdline", process->pid);
    tree_write_bytes(path, process->command, length + (length > 0)); /* the last argument ends with a NUL, too */
    snprintf(path, sizeof path, "proc/%u/cgroup", process->pid);
    tree_write(path, "%s", process->cgroup != NULL ? process->cgroup : "0::/\n");
}

void tree_machine(double uptime_s, unsigned long long busy_ticks, unsigned long long idle_ticks)
{
    tree_write("proc/uptime", "%.2f %.2f\n", uptime_s, uptime_s * 3);
    tree_write(
        "proc/stat",
        "cpu  %llu 0 7 %llu %llu 0 0 0 999999 0\ncpu0 1 0 0 1 0 0 0 0 0 0\ncpu1 1 0 0 1 0 0 0 0 0 0\ncpu2 1 0 0 1 0 0 0 0 0 0\n"
        "cpu3 1 0 0 1 0 0 0 0 0 0\nintr %01000d 0 0\nctxt 12\nbtime 1700000000\nprocesses 5\n",
        busy_ticks, idle_ticks - idle_ticks / 4, idle_ticks / 4, 5);
    tree_write("proc/loadavg", "0.52 1.25 7.00 3/812 4711\n");
    tree_write("proc/meminfo",
               "MemTotal:       16000000 kB\nMemFree:         1000000 kB\nMemAvailable:    9000000 kB\nSwapCached:   4 kB\n"
               "SwapTotal:       2000000 kB\nSwapFree:        1500000 kB\n");
    tree_write("proc/sys/kernel/hostname", "node-17\n");
}

void tree_namespace(bool first)
{
    tree_link("proc/self/ns/pid", first ? "pid:[4026531836]" : "pid:[4026532999]");
}
