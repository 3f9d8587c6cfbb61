/*
 * Snapshots one after the other: one thread asks quick devices in turn, slow ones are asked side by side, and one that hangs stops
 * nobody else.
 * The caller says when; between samples no thread runs. A sampler can be used by one thread at a time; different samplers are independent.
 * After fork() a sampler of the parent can only be freed in the child.
 */
#ifndef NVPULSE_SAMPLER_H
#define NVPULSE_SAMPLER_H

#include <stddef.h>

#include <nvpulse/snapshot.h>

NVP_BEGIN_DECLS

/** A sampler; opaque. */
typedef struct nvp_sampler nvp_sampler;

/**
 * Makes a sampler; threads begin with the first sample. Options are copied; NULL means the defaults of nvp_snapshot_options.
 * Returns NVP_SUCCESS, NVP_ERROR_BAD_ARGUMENT or NVP_ERROR_NO_MEMORY. Does not open NVML.
 */
NVP_API nvp_status nvp_sampler_new(const nvp_snapshot_options *options, nvp_sampler **sampler);

/**
 * Takes the next snapshot. Metrics of slower tiers are asked as often as their tier says and keep their age in between; what a device
 * does not support is not asked again in the same generation of NVML.
 *
 * A device whose call does not return within the time-out is STALLED in the snapshot, with its last values; it is asked again once the call
 * has returned. Never is more than one thread inside the driver for a device. When NVML was opened anew meanwhile (an upgrade, a reset) the
 * devices are found anew; one that has gone keeps its row as LOST.
 *
 * Returns NVP_SUCCESS; what kept NVML from being opened (the next call tries again, with the library's back-off); NVP_ERROR_NO_MEMORY.
 */
NVP_API nvp_status nvp_sampler_sample(nvp_sampler *sampler, nvp_snapshot **snapshot);

/** Ends the threads and frees. A thread that is stuck in the driver is left behind and frees itself when its call returns. NULL is allowed. */
NVP_API void nvp_sampler_free(nvp_sampler *sampler);

NVP_END_DECLS

#endif
