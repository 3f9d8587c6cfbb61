/*
 * A snapshot: what all devices, their processes and the host were like at one moment. It never changes once it is made.
 * Counted references: nvp_snapshot_free() takes one back. Everything that is read from a snapshot lives as long as the snapshot.
 * Apart from nvp_snapshot_take() nothing here calls NVML; everything is safe from any thread and after fork.
 */
#ifndef NVPULSE_SNAPSHOT_H
#define NVPULSE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nvpulse/metric.h>
#include <nvpulse/process.h>

NVP_BEGIN_DECLS

/** How a device stands. */
typedef enum nvp_device_state {
    NVP_DEVICE_OK = 0,
    NVP_DEVICE_STALLED, /**< a call to it has not returned; values are those from before */
    NVP_DEVICE_LOST,    /**< it fell off the bus, was removed, or needs a reset */
    NVP_DEVICE_ASLEEP,  /**< suspended by the kernel; it was not asked so as not to wake it */
    NVP_DEVICE_FAILED   /**< it cannot be asked: no permission, unknown error, ... */
} nvp_device_state;

/** The name of a state in lower case, such as "stalled". Static memory; "unknown" for any other number. */
NVP_API const char *nvp_device_state_name(nvp_device_state state);

/** A device in a snapshot. GPUs are in the order of their index; the MIG devices of a GPU follow it. */
typedef struct nvp_device_sample {
    unsigned int index; /**< NVML's index of the GPU; of the parent for a MIG device */
    int mig_index;      /**< index of the MIG device below its GPU; -1 for a GPU */
    nvp_device_state state;
    nvp_status status;          /**< why the state is not OK; NVP_SUCCESS otherwise */
    int64_t stalled_us;         /**< STALLED: for how long the call has not returned, in microseconds; 0 otherwise */
    int64_t sampled_at_us;      /**< when its sample ended, in microseconds since 1970; 0 when there never was one */
    const nvp_reading *metrics; /**< private; see nvp_device_sample_get() */
    const uint16_t *places;     /**< private, likewise */
} nvp_device_sample;

/** A metric of a device. NULL when `metric` is unknown to the library or `device` is NULL. */
NVP_API const nvp_reading *nvp_device_sample_get(const nvp_device_sample *device, nvp_metric metric);

/** What is known of the machine and its driver. */
typedef enum nvp_host_field {
    NVP_HOST_NAME = 0,               /**< TEXT */
    NVP_HOST_DRIVER_VERSION,         /**< TEXT */
    NVP_HOST_NVML_VERSION,           /**< TEXT */
    NVP_HOST_CUDA_VERSION,           /**< TEXT, the newest CUDA that the driver supports, such as "12.4" */
    NVP_HOST_SIMULATION,             /**< TEXT, what is simulated; N/A (no data) on a real driver */
    NVP_HOST_GPU_COUNT,              /**< UINT, of the machine, those that were not asked included */
    NVP_HOST_CPU_COUNT,              /**< UINT, logical CPUs that are online */
    NVP_HOST_CPU_PERCENT,            /**< REAL, % of all cores since the last snapshot of the same sampler; N/A in the first */
    NVP_HOST_LOAD_1M,                /**< REAL, load average: tasks that run or wait, over one minute */
    NVP_HOST_LOAD_5M,                /**< REAL, over five minutes */
    NVP_HOST_LOAD_15M,               /**< REAL, over fifteen minutes */
    NVP_HOST_MEMORY_TOTAL_BYTES,     /**< UINT, bytes */
    NVP_HOST_MEMORY_AVAILABLE_BYTES, /**< UINT, bytes that programs can have without swapping */
    NVP_HOST_SWAP_TOTAL_BYTES,       /**< UINT, bytes */
    NVP_HOST_SWAP_FREE_BYTES,        /**< UINT, bytes */
    NVP_HOST_UPTIME_S,               /**< REAL, seconds */
    NVP_HOST_FIELD_COUNT
} nvp_host_field;

/** The name of a host field, such as "driver_version"; NULL when there is none. Static memory. */
NVP_API const char *nvp_host_field_name(nvp_host_field field);

/** A snapshot; opaque. */
typedef struct nvp_snapshot nvp_snapshot;

enum {
    NVP_SNAPSHOT_NO_PROCESSES = 1 << 0, /**< leave the processes out */
    NVP_SNAPSHOT_WAKE = 1 << 1,         /**< ask suspended devices, too, which wakes them */
    /** A sampler reads metrics that are named as often as their tier says, and what it tells of the host every few seconds, not each time. */
    NVP_SNAPSHOT_PACED = 1 << 2,
    NVP_SNAPSHOT_OWN_THREAD = 1 << 3 /**< for a sampler alone: see nvp_sampler_sample() */
};

/** What to take. NULL, or all zero but struct_size: every metric but the costly ones, and the processes, of all GPUs. */
typedef struct nvp_snapshot_options {
    size_t struct_size;        /**< sizeof(nvp_snapshot_options) */
    const nvp_metric *metrics; /**< `metric_count` metrics; NULL: all but the costly ones */
    size_t metric_count;
    unsigned int flags; /**< NVP_SNAPSHOT_... or-ed */
    /** How long to wait for a device before it counts as stalled, in milliseconds; 0: 2000. Opening NVML may take 15 s whatever this says. */
    unsigned int timeout_ms;
    /**
     * Indices of `gpu_count` GPUs: only these and their MIG devices are asked and have rows, whatever the others do; NULL: all. An index
     * that no GPU has is no error and has no row. A sampler stays with the GPUs that had the indices when it first saw them.
     */
    const unsigned int *gpus;
    size_t gpu_count;
} nvp_snapshot_options;

#define NVP_SNAPSHOT_OPTIONS_INIT                                                                                                \
    {                                                                                                                            \
        sizeof(nvp_snapshot_options), NULL, 0, 0, 0, NULL, 0                                                                              \
    }

/**
 * Takes one snapshot; a program that takes them again and again uses a sampler instead (<nvpulse/sampler.h>), which knows rates.
 *
 * Returns NVP_SUCCESS, also when single devices are lost, stalled or refuse; whatever kept NVML from being opened;
 * NVP_ERROR_BAD_ARGUMENT; NVP_ERROR_NO_MEMORY. Opens NVML; waits no longer than the time-out for the devices.
 */
NVP_API nvp_status nvp_snapshot_take(const nvp_snapshot_options *options, nvp_snapshot **snapshot);

/** Adds a reference and returns the snapshot. NULL is allowed. */
NVP_API nvp_snapshot *nvp_snapshot_retain(nvp_snapshot *snapshot);

/** Takes a reference back; the last one frees the snapshot. NULL is allowed. */
NVP_API void nvp_snapshot_free(nvp_snapshot *snapshot);

/**
 * Makes a snapshot of some of the devices and processes of another one, which it keeps a reference to; all else is the same in both.
 *
 * @param devices    for each device of `snapshot`, whether the part has it; NULL: all
 * @param processes  the same for each process
 * Returns NVP_SUCCESS, NVP_ERROR_BAD_ARGUMENT or NVP_ERROR_NO_MEMORY. Free the part with nvp_snapshot_free().
 */
NVP_API nvp_status nvp_snapshot_part(nvp_snapshot *snapshot, const bool *devices, const bool *processes, nvp_snapshot **part);

/** When it was made, in microseconds since 1970. */
NVP_API int64_t nvp_snapshot_time_us(const nvp_snapshot *snapshot);
/** 1 for the first snapshot of a sampler, and one more for each that follows. */
NVP_API uint64_t nvp_snapshot_sequence(const nvp_snapshot *snapshot);
/** The generation of NVML (nvp_generation()) that it was made in. */
NVP_API uint64_t nvp_snapshot_generation(const nvp_snapshot *snapshot);
/** A field of the host; NULL when unknown. */
NVP_API const nvp_reading *nvp_snapshot_host(const nvp_snapshot *snapshot, nvp_host_field field);
/** The number of devices, MIG devices included. */
NVP_API size_t nvp_snapshot_device_count(const nvp_snapshot *snapshot);
/** Device `place` from 0; NULL past the end. */
NVP_API const nvp_device_sample *nvp_snapshot_device(const nvp_snapshot *snapshot, size_t place);
/** The number of processes. */
NVP_API size_t nvp_snapshot_process_count(const nvp_snapshot *snapshot);
/** Process `place` from 0, in the order of GPU index, MIG index and pid; NULL past the end. */
NVP_API const nvp_process *nvp_snapshot_process(const nvp_snapshot *snapshot, size_t place);
/** NVP_SUCCESS, or why the list of processes is not complete: it was left out (NVP_ERROR_NO_DATA), or a device refused it. */
NVP_API nvp_status nvp_snapshot_process_status(const nvp_snapshot *snapshot);

/**
 * Writes a snapshot as JSON, one object in one line without a newline (docs/snapshot.schema.json describes it): N/A is null and its
 * reason stands beside it. `*text` is NUL-terminated, `*length` bytes long, and freed by the caller with free().
 * Returns NVP_SUCCESS, NVP_ERROR_BAD_ARGUMENT or NVP_ERROR_NO_MEMORY.
 */
NVP_API nvp_status nvp_snapshot_to_json(const nvp_snapshot *snapshot, char **text, size_t *length);

/**
 * Reads a snapshot back from the JSON that nvp_snapshot_to_json() writes. Metrics and fields that this version does not know are
 * left out; those that the text lacks are N/A (no data). Written again, it is the same text; a whole number that is not negative comes back as
 * UINT, whatever it was.
 *
 * @param message  gets one line that says what is wrong, and at which byte; NULL allowed
 * Returns NVP_SUCCESS; NVP_ERROR_BAD_DATA for text that is not such a snapshot; NVP_ERROR_NOT_BUILT when the library was built without
 * a JSON reader; NVP_ERROR_BAD_ARGUMENT; NVP_ERROR_NO_MEMORY.
 */
NVP_API nvp_status nvp_snapshot_from_json(const char *text, size_t length, nvp_snapshot **snapshot, char *message, size_t size);

NVP_END_DECLS

#endif
