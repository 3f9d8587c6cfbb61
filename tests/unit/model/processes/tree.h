/*
 * A /proc of the test's own, below a folder that NVPULSE_ROOT names. Paths are below that folder, such as "proc/7/stat".
 */
#ifndef NVP_TESTS_TREE_H
#define NVP_TESTS_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include <nvpulse/base.h>

/** Makes the folder and sets NVPULSE_ROOT, which has to come before any look; false when that fails. */
bool tree_begin(void);
/** Removes it. The type is that of cmocka's teardown. */
int tree_end(void **state);

/** Replaces a file at once, as rename(2) does; folders are made as needed. */
void tree_write(const char *path, const char *format, ...) NVP_PRINTF(2, 3);
void tree_write_bytes(const char *path, const void *bytes, size_t size);
void tree_link(const char *path, const char *target);
void tree_pipe(const char *path);
/** Removes a file or a folder with all in it. */
void tree_remove(const char *path);
/** The path as the system knows it; good until the next call. */
const char *tree_path(const char *path);

/** A process as the files of its folder tell it. */
struct tree_process {
    unsigned int pid, parent, uid;
    char state;
    const char *program;
    unsigned long long user_ticks, system_ticks, start_ticks;
    unsigned long long pages; /* resident */
    const char *command;      /* "" for a kernel thread */
    size_t command_length;    /* of arguments with a NUL between two; 0: that of the text */
    const char *cgroup;
};

void tree_process(const struct tree_process *process);
/** Only /proc/PID/stat. */
void tree_stat(const struct tree_process *process);

/** The files of the machine: 4 processors, uptime in seconds, busy and idle ticks of all processors so far. */
void tree_machine(double uptime_s, unsigned long long busy_ticks, unsigned long long idle_ticks);
/** Which pid namespace this process is in: the first one, or another. */
void tree_namespace(bool first);

#endif
