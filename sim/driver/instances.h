/*
 * What the answers about GPU instances and about compute instances share: handles, and the sizes of a profile.
 */
#ifndef NVPSIM_DRIVER_INSTANCES_H
#define NVPSIM_DRIVER_INSTANCES_H

#include "driver/serve.h"

static inline const nvpsim_session *nvpsim__session(void)
{
    return atomic_load_explicit(&nvpsim__session_live, memory_order_acquire);
}

/** The instance that a caller's handle is, or NULL. Any bits are allowed. */
static inline const struct nvmlGpuInstance_st *nvpsim__gpu_instance_find(nvmlGpuInstance_t handle)
{
    const nvpsim_session *live = nvpsim__session();
    uintptr_t offset = live ? (uintptr_t)handle - (uintptr_t)live->gpu_instances : 0;
    bool is_own = live && offset < live->slice_count * sizeof *handle && offset % sizeof *handle == 0;
    return is_own ? handle : NULL;
}

static inline unsigned nvpsim__mig_or(nvpsim_number number, unsigned otherwise)
{
    return number.state == NVPSIM_GIVEN ? (unsigned)number.value : otherwise;
}

static inline unsigned nvpsim__mig_slices(const nvpsim_mig_profile_spec *profile)
{
    return nvpsim__mig_or(profile->slices, 1);
}

static inline unsigned nvpsim__mig_multiprocessors(const nvpsim_mig_profile_spec *profile)
{
    return nvpsim__mig_or(profile->multiprocessors, 14 * nvpsim__mig_slices(profile));
}

#endif
