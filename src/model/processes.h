/*
 * Processes of a GPU: what the driver says (read in the job of the device), and what the host says (read once for all devices).
 */
#ifndef NVP_MODEL_PROCESSES_H
#define NVP_MODEL_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nvpulse/nvml.h>
#include <nvpulse/process.h>

#include "base/arena.h"

/** What a process makes of the engines, in the order of NVP_PROCESS_SM_PERCENT and those behind it. */
enum nvp__load {
    NVP__LOAD_SM,
    NVP__LOAD_MEMORY,
    NVP__LOAD_ENCODER,
    NVP__LOAD_DECODER,
    NVP__LOAD_JPEG,
    NVP__LOAD_OFA,
    NVP__LOAD_COUNT
};

#define NVP__NO_INSTANCE UINT32_MAX
#define NVP__PROCESS_NAME_BYTES 128

/** A process on a device as the driver tells it. No member points anywhere: it can be copied as it is. */
struct nvp__gpu_process {
    unsigned int pid;
    unsigned int gpu_instance, compute_instance; /* NVP__NO_INSTANCE: none */
    unsigned int type;                           /* NVP_PROCESS_TYPE_... */
    nvp_reading memory;                          /* bytes */
    nvp_reading load[NVP__LOAD_COUNT];           /* in % */
    int64_t read_at_us;
    char name[NVP__PROCESS_NAME_BYTES]; /* the driver's, asked where /proc does not know the pid; "" for none. Valid UTF-8 */
};

/** What has to be remembered of a device between two looks. Zeroes are a good start. */
struct nvp__gpu_processes {
    struct nvp__gpu_process *list;
    size_t count;
    nvp_status status; /* of the last look */

    /* The rest is private. */
    uint64_t generation;             /* of NVML, that the marks below belong to */
    unsigned int unsupported;        /* calls that answered NOT_SUPPORTED or are missing: bits of the implementation */
    nvp_status loads_refused;        /* why there are no loads in this generation */
    uint64_t last_sample_us;         /* newest time stamp of a utilization sample that was taken, by the driver's clock */
    int64_t news_at_ns;              /* monotonic: when the last sample was taken, or first asked for; 0 for never */
    int64_t looked_back_ns;          /* monotonic: when all samples were asked for, whatever their age */
    struct nvp__gpu_process *before; /* the list of the last look, while a new one is made; memory for the next one otherwise */
    size_t before_count, capacity, before_capacity;
    struct nvp__gpu_row *rows; /* the lists of one look, one behind the other */
    size_t row_count, row_capacity;
    void *answer; /* of the driver */
    size_t answer_size;
    unsigned int rooms[3];    /* entries for which the next look has room, of each list; 0: not known */
    unsigned int grown;       /* lists that were longer than their room once: bits of the implementation */
    unsigned int sample_room; /* entries that the last look needed */
};

/**
 * Reads the processes of a device into `processes->list`, merged over the compute, graphics and MPS lists, sorted by GPU instance, compute
 * instance and pid. May block in the driver. Where one of the lists is refused the list has what the others told, and the status says why it
 * is not complete; when the driver has none of them it is empty, with NVML_ERROR_NOT_SUPPORTED. Loads are N/A with the reason of their own.
 * With MIG on, ask the parent alone: its lists name the instances of each process; `device` may be a MIG device, too.
 *
 * Driver calls: one for each of the three lists and one for the loads (that one only when there is a process), less those that this driver
 * does not support; in the first look one more where a list is longer than expected, and nvmlSystemGetProcessName once for each new process
 * that /proc does not know.
 */
nvp_status nvp__gpu_processes_read(struct nvp__gpu_processes *processes, nvmlDevice_t device);

/** Frees the list, and starts over. */
void nvp__gpu_processes_free(struct nvp__gpu_processes *processes);

/** What the host remembers of processes and of itself between two looks (CPU times, names of users); opaque. */
struct nvp__host;

/** NULL when memory ran out. */
struct nvp__host *nvp__host_new(void);
void nvp__host_free(struct nvp__host *host);

/**
 * Begins a look: one time stamp for all that follows, and NVP_HOST_... of /proc (CPU, load, memory, swap, uptime, name).
 *
 * @param paced  files that were read a moment ago are not read again: each has its own interval, of some seconds; that of a process has one second
 */
void nvp__host_begin(struct nvp__host *host, bool paced, struct nvp__arena *arena, nvp_reading readings[]);

/**
 * Fills the host side of a process record: NVP_PROCESS_START_TIME_US, NVP_PROCESS_FOREIGN, and everything from NVP_PROCESS_NAME on. Each pid
 * is read once in a look, however many devices it uses. Texts live in `arena`, which is that of the whole look. What cannot be read is N/A
 * with its reason. Never fails.
 *
 * @param name  what the driver calls a process that /proc does not know; "" or NULL for nothing
 */
void nvp__host_process(struct nvp__host *host, unsigned int pid, const char *name, struct nvp__arena *arena,
                       nvp_reading fields[]);

/** Ends a look: forgets processes that were not asked for in it. */
void nvp__host_end(struct nvp__host *host);

#endif
