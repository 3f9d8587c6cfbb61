/*
 * Who a process runs for, read from the names of its control groups. Plain text work: opens no file.
 */
#ifndef NVP_MODEL_CGROUP_H
#define NVP_MODEL_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What the groups tell; "" and false for nothing. Texts are valid UTF-8 without control characters. */
struct nvp__cgroup {
    char container[128]; /* 64 hexadecimal digits, or a name (LXC, systemd-nspawn) */
    char pod[40];        /* UID of the Kubernetes pod, with dashes */
    uint64_t slurm_job;
    bool has_slurm_job;
};

/**
 * Reads the text of /proc/PID/cgroup, NUL-terminated: one line for each hierarchy of version 1, one for version 2. Where containers stand in
 * containers the innermost counts.
 */
void nvp__cgroup_parse(const char *text, struct nvp__cgroup *cgroup);

#endif
