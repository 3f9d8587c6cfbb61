/*
 * Device handles that outlive a session: the program keeps the value that it was given first, and each later session of the driver
 * gets its own. Keyed by UUID. All functions are called inside the in-flight guard.
 */
#ifndef NVP_QUERY_DEVICES_H
#define NVP_QUERY_DEVICES_H

#include "query/facade.h"

/**
 * A handle that the driver has answered: remembers it with its UUID, asked for once a session. Gives the value that the program
 * is to see, which is the driver's own in the first session.
 */
nvmlDevice_t nvp__devices_visible(nvmlDevice_t raw);

/**
 * The handle of this session for one that the program holds. NVML_SUCCESS; NVML_ERROR_GPU_IS_LOST when no such GPU is there any
 * more; NVML_ERROR_INVALID_ARGUMENT for a value that was never given out.
 */
nvmlReturn_t nvp__devices_current(nvmlDevice_t visible, nvmlDevice_t *raw);

/** Remembers any other handle (event set, instance, sample) as one of this session. */
void nvp__handles_note(const void *handle);

/** True when that handle was noted in this session. */
bool nvp__handles_known(const void *handle);

#endif
