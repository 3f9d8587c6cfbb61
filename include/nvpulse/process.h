/*
 * Processes that use a GPU: what the driver says of them and what /proc says of them.
 * A record belongs to its snapshot and never changes. Nothing here calls NVML; everything is safe from any thread.
 */
#ifndef NVPULSE_PROCESS_H
#define NVPULSE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nvpulse/metric.h>

NVP_BEGIN_DECLS

/** What is known of a process. A field that cannot be read is N/A with its reason; a process that ends meanwhile is no error. */
typedef enum nvp_process_field {
    NVP_PROCESS_PID = 0,             /**< UINT, as the driver says it */
    NVP_PROCESS_START_TIME_US,       /**< UINT, microseconds since 1970; tells a process from a later one with its pid */
    NVP_PROCESS_FOREIGN,             /**< UINT 0 or 1: of another pid namespace, or unknown here; never to be signalled */
    NVP_PROCESS_GPU_INDEX,           /**< UINT, index of the GPU */
    NVP_PROCESS_GPU_UUID,            /**< TEXT, of the GPU or of the MIG device */
    NVP_PROCESS_MIG_INDEX,           /**< UINT, index of the MIG device below its GPU; N/A on a whole GPU */
    NVP_PROCESS_GPU_INSTANCE,        /**< UINT, GPU instance id; N/A on a whole GPU */
    NVP_PROCESS_COMPUTE_INSTANCE,    /**< UINT, compute instance id; N/A on a whole GPU */
    NVP_PROCESS_TYPE,                /**< UINT, NVP_PROCESS_TYPE_... or-ed */
    NVP_PROCESS_GPU_MEMORY_BYTES,    /**< UINT, bytes */
    NVP_PROCESS_SM_PERCENT,          /**< UINT, % of the GPU's time, from the driver's samples since the last look */
    NVP_PROCESS_MEMORY_PERCENT,      /**< UINT, % of the time in which its memory was accessed */
    NVP_PROCESS_ENCODER_PERCENT,     /**< UINT, % */
    NVP_PROCESS_DECODER_PERCENT,     /**< UINT, % */
    NVP_PROCESS_JPEG_PERCENT,        /**< UINT, % */
    NVP_PROCESS_OFA_PERCENT,         /**< UINT, % */
    NVP_PROCESS_NAME,                /**< TEXT, name of the program, without its folder */
    NVP_PROCESS_COMMAND,             /**< TEXT, command line, arguments joined by a space */
    NVP_PROCESS_USER,                /**< TEXT, name of its user, or the number where there is no name */
    NVP_PROCESS_UID,                 /**< UINT */
    NVP_PROCESS_PARENT_PID,          /**< UINT */
    NVP_PROCESS_CPU_PERCENT,         /**< REAL, % of one core since the last look; N/A at the first */
    NVP_PROCESS_HOST_MEMORY_BYTES,   /**< UINT, resident memory, bytes */
    NVP_PROCESS_HOST_MEMORY_PERCENT, /**< REAL, % of the memory of the machine */
    NVP_PROCESS_RUNNING_TIME_S,      /**< REAL, seconds since its start */
    NVP_PROCESS_CONTAINER_ID,        /**< TEXT, from its cgroup */
    NVP_PROCESS_POD_UID,             /**< TEXT, Kubernetes pod, from its cgroup */
    NVP_PROCESS_SLURM_JOB,           /**< UINT, from its cgroup */
    NVP_PROCESS_FIELD_COUNT
} nvp_process_field;

/** What a process does on the GPU. */
enum {
    NVP_PROCESS_TYPE_COMPUTE = 1 << 0,
    NVP_PROCESS_TYPE_GRAPHICS = 1 << 1,
    NVP_PROCESS_TYPE_MPS = 1 << 2 /**< computes through MPS */
};

/** One field of a process. */
typedef struct nvp_process_field_info {
    nvp_process_field field;
    const char *name; /**< stable, with its unit, such as "gpu_memory_bytes" */
    const char *unit; /**< as in nvp_metric_info */
    nvp_kind kind;    /**< of its value when it is not N/A */
    const char *help; /**< one sentence, without a full stop */
} nvp_process_field_info;

/** The field with this number; NULL when there is none. Static memory. */
NVP_API const nvp_process_field_info *nvp_process_field_get(nvp_process_field field);

/** The field with this name; NULL when there is none. Static memory. */
NVP_API const nvp_process_field_info *nvp_process_field_find(const char *name);

/** A process on a device, as a snapshot has it. The same process on two devices is two records. */
typedef struct nvp_process nvp_process;

/** A field of a process. NULL when `field` is unknown to the library or `process` is NULL. Lives as long as the snapshot. */
NVP_API const nvp_reading *nvp_process_get(const nvp_process *process, nvp_process_field field);

/** Types as letters, such as "C", "G", "C+G", "M+C"; "" for none. Static memory. */
NVP_API const char *nvp_process_type_text(uint64_t type);

NVP_END_DECLS

#endif
