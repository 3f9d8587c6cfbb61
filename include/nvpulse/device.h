/*
 * Devices, live: find them, and read single metrics at once in the calling thread.
 * A device knows its UUID, so it stays the same one when NVML is opened anew. Every read may block in the driver; where that
 * must not happen, use snapshots. A device can be used by one thread at a time; different devices are independent. A forked child can go
 * on to use the devices of its parent; it opens NVML by itself.
 */
#ifndef NVPULSE_DEVICE_H
#define NVPULSE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include <nvpulse/metric.h>
#include <nvpulse/nvml.h>
#include <nvpulse/value.h>

NVP_BEGIN_DECLS

/** A GPU or a MIG device; opaque. */
typedef struct nvp_device nvp_device;

/** A list of devices: GPUs in the order of their index, each followed by its MIG devices. */
typedef struct nvp_device_list {
    size_t count;
    nvp_device **devices; /**< owned by the list */
} nvp_device_list;

/**
 * Lists all devices, those that cannot be used included (see nvp_device_status()). Free with nvp_device_list_free().
 * Returns NVP_SUCCESS; what kept NVML from being opened; NVP_ERROR_NO_MEMORY; NVP_ERROR_BAD_ARGUMENT.
 * NVML: nvmlDeviceGetCount, nvmlDeviceGetHandleByIndex, nvmlDeviceGetMigDeviceHandleByIndex, nvmlDeviceGetUUID.
 */
NVP_API nvp_status nvp_device_list_get(nvp_device_list *list);

/** Frees a list and its devices, and empties it. NULL is allowed. */
NVP_API void nvp_device_list_free(nvp_device_list *list);

/**
 * Finds one device: by index ("0"), MIG index ("0:1"), UUID or a beginning of it that only one device has, or PCI bus id. Free with
 * nvp_device_free(). Returns as nvp_device_list_get(), or NVML_ERROR_NOT_FOUND; NVP_ERROR_BAD_ARGUMENT also for a beginning that several share.
 */
NVP_API nvp_status nvp_device_find(const char *which, nvp_device **device);

/** Frees a device from nvp_device_find(). NULL is allowed. */
NVP_API void nvp_device_free(nvp_device *device);

/** NVML's index of the GPU; of the parent for a MIG device. */
NVP_API unsigned int nvp_device_index(const nvp_device *device);
/** The index of a MIG device below its GPU; -1 for a GPU. */
NVP_API int nvp_device_mig_index(const nvp_device *device);
/** Its UUID; "" when the driver would not tell. Lives as long as the device. */
NVP_API const char *nvp_device_uuid(const nvp_device *device);
/** NVP_SUCCESS, or why the device could not be had when it was listed. */
NVP_API nvp_status nvp_device_status(const nvp_device *device);
/** Its handle for NVML's own names; NULL when there is none. It stays good across generations (see nvp_generation()). */
NVP_API nvmlDevice_t nvp_device_handle(const nvp_device *device);

/**
 * Reads metrics with the fewest driver calls: one nvmlDeviceGetFieldValues for all that are field values, one call for all that share it.
 * What the device answered NOT_SUPPORTED for is not asked again in this generation.
 *
 * @param metrics  `count` metrics
 * @param values   `count` values, each initialised by the caller, cleared and written here; N/A with the reason where there is none
 * Returns NVP_SUCCESS, NVP_ERROR_BAD_ARGUMENT or NVP_ERROR_NO_MEMORY.
 */
NVP_API nvp_status nvp_device_read(nvp_device *device, const nvp_metric *metrics, size_t count, nvp_value *values);

/** One metric as a number in the unit of its row; `otherwise` when it is N/A or no number. One driver call. */
NVP_API double nvp_device_read_number(nvp_device *device, nvp_metric metric, double otherwise);

NVP_END_DECLS

#endif
