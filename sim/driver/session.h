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

/**
 * What an nvmlDevice_t points to. Only read after it was found to lie within the session's handles. The atomics are relaxed: a
 * session that is opened again writes into the handles that stale callers may still hold.
 */
struct nvmlDevice_st {
    _Atomic(nvpsim_slot *) slot; /* NULL: the session does not have this device */
    const nvpsim_slice *slice;   /* of a MIG device; NULL for the whole GPU */
    _Atomic unsigned place;      /* NVML's index: the number among the devices that were plugged in when the session began */
    atomic_bool is_gone;         /* it was lost or taken away since: only the next session may see it again */
    uint64_t unused;             /* so that the size is a power of two: each call divides by it */
};

/** What an nvmlGpuInstance_t points to: the GPU instance of a MIG device. Of those that share one only the first is used. */
struct nvmlGpuInstance_st {
    unsigned index; /* of the device in the scenario */
    const nvpsim_slice *slice;
};

/** What an nvmlComputeInstance_t points to: a MIG device. */
struct nvmlComputeInstance_st {
    unsigned index;
    const nvpsim_slice *slice;
};

typedef struct nvpsim_session {
    struct nvmlDevice_st *handles; /* NVPSIM_DEVICES_MAX by the device's index in the scenario, then one for each MIG device */
    size_t handle_count;
    _Atomic unsigned *order; /* by NVML's index: that of the scenario */
    _Atomic unsigned device_count;
    _Atomic uint64_t opened_ns;
    struct nvmlGpuInstance_st *gpu_instances; /* one for each MIG device, in the same order */
    struct nvmlComputeInstance_st *compute_instances;
    size_t slice_count;
} nvpsim_session;

/** NULL before init and after the last shutdown. Written with release under the session lock. */
extern __attribute__((visibility("hidden"))) _Atomic(const nvpsim_session *) nvpsim__session_live;

/** Set before the first session; never changes while the library is loaded. What is in it may: see world/world.h. */
extern __attribute__((visibility("hidden"))) nvpsim_world *nvpsim__world;

/** The session's own handle that a caller's handle is, or NULL. Any bits are allowed. */
static inline struct nvmlDevice_st *nvpsim__session_find(const nvpsim_session *session, nvmlDevice_t handle)
{
    uintptr_t offset = (uintptr_t)handle - (uintptr_t)session->handles;
    if (offset >= session->handle_count * sizeof(struct nvmlDevice_st) || offset % sizeof(struct nvmlDevice_st) != 0) {
        return NULL;
    }
    return atomic_load_explicit(&handle->slot, memory_order_relaxed) ? handle : NULL;
}

/** The handle of a device of the scenario; NULL when the session does not have it. */
static inline struct nvmlDevice_st *nvpsim__session_handle(const nvpsim_session *session, unsigned index)
{
    struct nvmlDevice_st *handle = &session->handles[index];
    return atomic_load_explicit(&handle->slot, memory_order_relaxed) ? handle : NULL;
}

/** The device behind a handle of the session. */
static inline nvpsim_device *nvpsim__handle_device(const struct nvmlDevice_st *handle)
{
    return nvpsim__slot_device(atomic_load_explicit(&handle->slot, memory_order_relaxed));
}

/** Whether the device behind a handle can be reached: it has been there ever since the session began. */
bool nvpsim__handle_is_sound(const nvpsim_session *session, const struct nvmlDevice_st *handle);

/** Whether NVML has ever been initialised in this process. Relaxed. */
extern atomic_bool nvpsim__session_was;

/** A device was lost or taken away, or has come back, while the session is open: the session does not see it any more. */
void nvpsim__session_gone(const nvpsim_session *session, unsigned index);

/** Whether a handle is or was one of the last sessions. Under no lock: for messages only. */
bool nvpsim__session_had_handle(nvmlDevice_t handle);

/** Init, after nvpsim__world_need(); UNKNOWN, with a line on stderr, when there is no world because the scenario is bad. */
nvmlReturn_t nvpsim__session_open(void);
nvmlReturn_t nvpsim__session_close(void);

/** Builds the world if it is not there yet; false when the scenario is bad. Quiet. */
bool nvpsim__world_need(void);

/** Why there is no world. Static. */
const char *nvpsim__world_problem(void);

/** "nvpulse simulator, driver ..., profile ...". Static. */
const char *nvpsim__world_description(void);

/** The keys of the scenario that mean nothing here; "" when there is none. Static. */
const char *nvpsim__world_unused(void);

/** The lock under which the settings that replace curves change. */
void nvpsim__session_lock(void);
void nvpsim__session_unlock(void);

#endif
