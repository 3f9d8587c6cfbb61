/*
 * Processes of a GPU: what the driver says (read in the lane of the device), and what the host says (read once for all devices).
 */
#ifndef NVP_MODEL_PROCESSES_H
#define NVP_MODEL_PROCESSES_H

#include <stddef.h>
#include <stdint.h>

#include <nvpulse/nvml.h>
#include <nvpulse/process.h>

#include "base/arena.h"

/** A process on a device as the driver tells it. */
struct nvp__gpu_process {
    unsigned int pid;
    unsigned int gpu_instance, compute_instance; /* UINT32_MAX: none */
    unsigned int type;                           /* NVP_PROCESS_TYPE_... */
    nvp_reading memory;                          /* bytes */
    nvp_reading load[6];                         /* SM, memory, encoder, decoder, JPEG, OFA; in % */
    int64_t read_at_us;
};

/** What has to be remembered of a device between two looks. Zeroes are a good start. */
struct nvp__gpu_processes {
    uint64_t last_sample_us;  /* newest time stamp of a utilization sample that was taken */
    uint64_t generation;      /* of NVML, that the marks below belong to */
    unsigned int unsupported; /* calls that answered NOT_SUPPORTED or are missing: bits of the implementation */
    struct nvp__gpu_process *list;
    size_t count, capacity;
    nvp_status status; /* of the last look */
};

/**
 * Reads the processes of a device into `processes->list`, merged over the compute, graphics and MPS lists, sorted by GPU instance, compute
 * instance and pid. May block in the driver. On failure the list is empty and the status says why; what is not supported is an empty list with
 * NVML_ERROR_NOT_SUPPORTED. With MIG on, ask the parent alone: its lists name the instances of each process; `device` may be a MIG device, too.
 */
nvp_status nvp__gpu_processes_read(struct nvp__gpu_processes *processes, nvmlDevice_t device);

/** Frees the list. */
void nvp__gpu_processes_free(struct nvp__gpu_processes *processes);

/** What the host remembers of processes and of itself between two looks (CPU times, names of users); opaque. */
struct nvp__host;

/** NULL when memory ran out. */
struct nvp__host *nvp__host_new(void);
void nvp__host_free(struct nvp__host *host);

/** Begins a look: one time stamp for all that follows, and NVP_HOST_... of /proc (CPU, load, memory, swap, uptime, name). */
void nvp__host_begin(struct nvp__host *host, struct nvp__arena *arena, nvp_reading readings[]);

/**
 * Fills the host side of a process record: everything from NVP_PROCESS_START_TIME_US, NVP_PROCESS_FOREIGN and NVP_PROCESS_NAME on. Each pid is read
 * once in a look, however many devices it uses. Texts are copied to `arena`. What cannot be read is N/A with its reason. Never fails.
 */
void nvp__host_process(struct nvp__host *host, unsigned int pid, struct nvp__arena *arena, nvp_reading fields[]);

/** Ends a look: forgets processes that were not asked for in it. */
void nvp__host_end(struct nvp__host *host);

#endif
