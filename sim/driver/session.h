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
};

typedef struct nvpsim_session {
    struct nvmlDevice_st *handles; /* one for each device */
    size_t handle_count;
} nvpsim_session;

/** NULL before init and after the last shutdown. Written with release under the session lock. */
extern _Atomic(const nvpsim_session *) nvpsim__session_live;

/** Set before the first session; never changes while the library is loaded. */
extern nvpsim_world *nvpsim__world;

/** The session's own handle that a caller's handle is, or NULL. Any bits are allowed. */
static inline struct nvmlDevice_st *nvpsim__session_find(const nvpsim_session *session, nvmlDevice_t handle)
{
    uintptr_t offset = (uintptr_t)handle - (uintptr_t)session->handles;
    if (offset >= session->handle_count * sizeof(struct nvmlDevice_st) || offset % sizeof(struct nvmlDevice_st) != 0)
        return NULL;
    return handle;
}

/** Init, after nvpsim__world_need(); UNKNOWN, with a line on stderr, when there is no world because the scenario is bad. */
nvmlReturn_t nvpsim__session_open(void);
nvmlReturn_t nvpsim__session_close(void);

/** Builds the world if it is not there yet; false when the scenario is bad. Quiet. */
bool nvpsim__world_need(void);

/** "nvpulse simulator, driver ..., profile ...". Static. */
const char *nvpsim__world_description(void);

/** The lock under which the settings that replace curves change. */
void nvpsim__session_lock(void);
void nvpsim__session_unlock(void);

#endif
