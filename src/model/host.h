/*
 * What the host remembers between two looks, shared by the files that read it.
 */
#ifndef NVP_MODEL_HOST_H
#define NVP_MODEL_HOST_H

#include <stdbool.h>

#include <nvpulse/snapshot.h>

#include "base/arena.h"
#include "model/processes.h"

/** The fields of a process that the host fills: the start time, whether it is foreign, and all from the name on. */
#define NVP__HOST_SIDE_COUNT (2 + NVP_PROCESS_FIELD_COUNT - NVP_PROCESS_NAME)

/** What seldom changes while a process lives; the fields of which it is made are in host_identity.c. */
#define NVP__IDENTITY_COUNT 7

struct nvp__identity {
    char program[64]; /* the kernel's short name at that time */
    double read_at_s; /* uptime */
    nvp_reading readings[NVP__IDENTITY_COUNT];
    char *texts; /* that the readings point into; NULL: nothing is known */
};

/** A process that was asked for in this look or in the one before. */
struct nvp__host_process {
    unsigned int pid;
    uint64_t look;        /* the number of the last look in which it was asked for */
    bool is_known;        /* the rest tells of it */
    bool uses_gpu;        /* proved */
    uint64_t start_ticks; /* since the machine was started */
    uint64_t cpu_ticks;   /* at the time below */
    double cpu_at_s;      /* uptime */
    double read_at_s;     /* uptime when all of this was last read */
    bool has_cpu_percent;
    double cpu_percent;
    struct nvp__identity identity;
    nvp_reading fields[NVP__HOST_SIDE_COUNT]; /* of the last look; texts live in its arena */
};

/** Names of users, sorted by number. */
struct nvp__users {
    struct nvp__user *list;
    size_t count, capacity;
};

/** Files of /proc of which NVP_HOST_... are made, /proc/uptime aside. */
#define NVP__HOST_FILES 4

struct nvp__host {
    uint64_t look;
    int64_t now_us; /* wall clock, of this look */
    double ticks_per_s;
    bool is_paced;    /* this look does not read again what was read a moment ago */
    bool trusts_pids; /* the driver's pids are those of /proc */
    bool has_uptime, has_memory, has_boot_time;
    double uptime_s;
    double uptime_at_s; /* what the file said at the time below, which the boot clock tells */
    int64_t uptime_read_ns;
    uint64_t memory_bytes;
    uint64_t boot_time_s;                       /* since 1970; kept, so that start times do not move with the clock */
    uint64_t cpu_total, cpu_idle;               /* ticks of all processors in the look before; 0 for none */
    int64_t due_ns[NVP__HOST_FILES];            /* when each file is to be read again, in a look that is paced */
    nvp_reading readings[NVP_HOST_FIELD_COUNT]; /* of the last look at each file */
    char name[256];
    char *text; /* for files of any length */
    size_t text_size;
    struct nvp__users users;
    struct nvp__host_process *processes;
    size_t process_count, process_capacity;
    uint32_t *slots; /* places in `processes` plus 1, by a hash of the pid; a power of two, at least twice as many */
    size_t slot_count;
};

/** The place of a field of the host side in nvp__host_process.fields. */
static inline size_t nvp__host_place(nvp_process_field field)
{
    return field == NVP_PROCESS_START_TIME_US ? 0 : field == NVP_PROCESS_FOREIGN ? 1 : 2 + (size_t)field - NVP_PROCESS_NAME;
}

/** What stands behind the last slash of a path. */
const char *nvp__without_folder(const char *path);

struct nvp__proc;

/** True when what is known of the process is new enough not to be read again. */
bool nvp__identity_is_fresh(const struct nvp__host *host, const struct nvp__host_process *process);

/** Remembers what was read in whole; without memory it is forgotten, and the readings below say so. */
void nvp__identity_take(struct nvp__host *host, struct nvp__host_process *process, const struct nvp__proc *proc);

/** Writes the fields, with texts in `arena`. */
void nvp__identity_put(struct nvp__host_process *process, struct nvp__arena *arena);

/** The entry of a pid, a new one when there is none yet; NULL when memory ran out. Good until the next call. */
struct nvp__host_process *nvp__host_table_get(struct nvp__host *host, unsigned int pid);

/** Forgets the entries that were not asked for in this look. */
void nvp__host_table_sweep(struct nvp__host *host);

void nvp__host_table_free(struct nvp__host *host);

/** The name of a user, its number where it has none; written to `buffer`, valid UTF-8. May ask the system's user directory, once for each. */
void nvp__users_name(struct nvp__users *users, unsigned int uid, char *buffer, size_t size);

void nvp__users_free(struct nvp__users *users);

#endif
