/*
 * One process as /proc tells it, read without races: what was read belongs to one process, or the answer is that it has gone.
 * Remembers nothing.
 */
#ifndef NVP_MODEL_PROC_H
#define NVP_MODEL_PROC_H

#include <nvpulse/status.h>

#include <stdbool.h>
#include <stdint.h>

#include "model/cgroup.h"

#define NVP__COMMAND_BYTES 4096

struct nvp__proc {
    char state; /* 'R', 'S', ..., 'Z' for a zombie */
    unsigned int parent_pid;
    uint64_t start_ticks;    /* since the machine was started */
    uint64_t cpu_ticks;      /* user and system time */
    uint64_t resident_bytes; /* memory */
    char program[64];        /* the kernel's short name; raw */
    bool is_whole;           /* the rest was read, too */
    nvp_status uid_status;   /* of the next member */
    unsigned int uid;
    nvp_status command_status;        /* of the next members */
    size_t command_length;            /* 0 for a kernel thread and for a zombie */
    char command[NVP__COMMAND_BYTES]; /* arguments, a NUL between two; cut when longer; raw */
    nvp_status cgroup_status;         /* of the next member */
    struct nvp__cgroup cgroup;
};

/** How a process was known before. */
struct nvp__proc_known {
    uint64_t start_ticks;
    const char *program;
};

/**
 * Reads a process. Returns NVP_SUCCESS; NVML_ERROR_NOT_FOUND when /proc does not know the pid; NVP_ERROR_NO_DATA when it ended in the
 * meantime, or another process took its pid; NVML_ERROR_NO_PERMISSION; NVP_ERROR_BAD_DATA for text that is not what the kernel writes.
 *
 * @param known  what need not be read in whole, because it was before; NULL for nothing
 */
nvp_status nvp__proc_read(unsigned int pid, const struct nvp__proc_known *known, struct nvp__proc *proc);

/**
 * Whether a process has a device file of NVIDIA's driver open. Returns NVP_SUCCESS when it has, NVML_ERROR_NOT_FOUND when it has not,
 * NVML_ERROR_NO_PERMISSION when that cannot be seen.
 */
nvp_status nvp__proc_uses_gpu(unsigned int pid);

/** True when this process sees all pids of the machine: it is in the pid namespace that the kernel began with. */
bool nvp__proc_sees_all_pids(void);

/** The number behind `key` (such as "MemTotal:") at the beginning of a line; false when there is none. */
bool nvp__proc_number(const char *text, const char *key, uint64_t *number);

#endif
