/*
 * Snapshots one after the other: one thread asks quick devices in turn, slow ones are asked side by side, and one that hangs stops
 * nobody else.
 * The caller says when; between samples no thread runs. A sampler is for one thread at a time; different samplers are independent.
 * After fork() a sampler of the parent can only be freed in the child.
 */
#ifndef NVPULSE_SAMPLER_H
#define NVPULSE_SAMPLER_H

#include <stddef.h>
#include <stdint.h>

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
 * With NVP_SNAPSHOT_OWN_THREAD the calling thread asks quick devices itself, which spares waking another one. In return the call hangs as long as a device does, until another thread calls for the same sampler: that one finds the device
 * stalled and goes on with the others. The first one gets NVP_ERROR_TIMED_OUT once the driver lets it go, and must not use the sampler then.
 *
 * Returns NVP_SUCCESS; what kept NVML from being opened (the next call tries again, with the library's back-off); NVP_ERROR_NO_MEMORY;
 * NVP_ERROR_TIMED_OUT, also for a second thread while a first one is in this sampler and does not wait for a driver on its own.
 */
NVP_API nvp_status nvp_sampler_sample(nvp_sampler *sampler, nvp_snapshot **snapshot);

/**
 * For how long nvp_sampler_sample() has been waiting for one device in the thread that called it (NVP_SNAPSHOT_OWN_THREAD), in milliseconds; 0 when
 * it is not. So another thread can tell when to call in its place. For any thread, as long as the sampler is not freed. Never blocks.
 */
NVP_API int64_t nvp_sampler_hanging_ms(nvp_sampler *sampler);

/** Ends the threads and frees. A thread that is stuck in the driver is left behind and frees itself when its call returns. NULL is allowed. */
NVP_API void nvp_sampler_free(nvp_sampler *sampler);

NVP_END_DECLS

#endif
