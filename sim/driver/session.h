/*
 * Whether NVML is initialised, and the handles that are valid while it is.
 * The world is built at first need and stays until the library is unloaded: it is the machine, not the session.
 */
#ifndef NVPSIM_DRIVER_SESSION_H
#define NVPSIM_DRIVER_SESSION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

#include "world/world.h"

/** What an nvmlDevice_t points to. Only read after it was found to lie within the session's handles. */
struct nvmlDevice_st {
    nvpsim_device *device;
    const nvpsim_slice *slice; /* of a MIG device; NULL for the whole GPU */
};

/** What an nvmlGpuInstance_t points to: the GPU instance of a MIG device. Of those that share one only the first is used. */
struct nvmlGpuInstance_st {
    nvpsim_device *device;
    const nvpsim_slice *slice;
};

/** What an nvmlComputeInstance_t points to: a MIG device. */
struct nvmlComputeInstance_st {
    nvpsim_device *device;
    const nvpsim_slice *slice;
};

typedef struct nvpsim_session {
    struct nvmlDevice_st *handles; /* one for each device, then one for each MIG device */
    size_t handle_count;
    struct nvmlGpuInstance_st *gpu_instances; /* one for each MIG device, in the same order */
    struct nvmlComputeInstance_st *compute_instances;
    size_t slice_count;
} nvpsim_session;

/** NULL before init and after the last shutdown. Written with release under the session lock. */
extern _Atomic(const nvpsim_session *) nvpsim__session_live;

/** Set before the first session; never changes while the library is loaded. */
extern nvpsim_world *nvpsim__world;

/** The session's own handle that a caller's handle is, or NULL. Any bits are allowed. */
static inline struct nvmlDevice_st *nvpsim__session_find(const nvpsim_session *session, nvmlDevice_t handle)
{
    uintptr_t offset = (uintptr_t)handle - (uintptr_t)session->handles;
    if (offset >= session->handle_count * sizeof(struct nvmlDevice_st) || offset % sizeof(struct nvmlDevice_st) != 0) {
        return NULL;
    }
    return handle;
}

/** Init, after nvpsim__world_need(); UNKNOWN, with a line on stderr, when there is no world because the scenario is bad. */
nvmlReturn_t nvpsim__session_open(void);
nvmlReturn_t nvpsim__session_close(void);

/** Builds the world if it is not there yet; false when the scenario is bad. Quiet. */
bool nvpsim__world_need(void);

/** "nvpulse simulator, driver ..., profile ...". Static. */
const char *nvpsim__world_description(void);

/** The keys of the scenario that mean nothing here; "" when there is none. Static. */
const char *nvpsim__world_unused(void);

/** The lock under which the settings that replace curves change. */
void nvpsim__session_lock(void);
void nvpsim__session_unlock(void);

#endif
