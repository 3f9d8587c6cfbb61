/*
 * What every entry point does first and last: count, initialised check, handle check, faults.
 * The short path takes no lock and makes no shared write.
 */
#ifndef NVPSIM_DRIVER_CALL_H
#define NVPSIM_DRIVER_CALL_H

#include "driver/counter.h"
#include "driver/fault.h"
#include "driver/session.h"
#include "driver/strict.h"

typedef struct nvpsim_call {
    nvpsim_counter *counter;
    unsigned depth;
    bool holds_driver_lock;
} nvpsim_call;

/** Which functions take the handle of a MIG device; the others answer that they do not support it. */
extern const bool nvpsim__serves_slices[NVPSIM_FUNCTION_COUNT];

/** Before the checks, which must see what has changed: the control file. */
void nvpsim__call_look(void);

/** The long path: the driver lock, then the faults. */
nvmlReturn_t nvpsim__call_attend(nvpsim_call *call, int function, int device, nvmlReturn_t so_far);
void nvpsim__call_unlock(nvpsim_call *call);

/** Real libraries look at the session before they look at any argument. */
static inline __attribute__((always_inline)) nvmlReturn_t nvpsim__call_check(int function, bool needs_session, bool has_device,
                                                                             nvmlDevice_t handle, int *device)
{
    const nvpsim_session *session = atomic_load_explicit(&nvpsim__session_live, memory_order_acquire);
    if (!needs_session) {
        return NVML_SUCCESS;
    }
    if (__builtin_expect(!session, 0)) {
        nvpsim__strict_no_session(function);
        return NVML_ERROR_UNINITIALIZED;
    }
    if (!has_device) {
        return NVML_SUCCESS;
    }
    const struct nvmlDevice_st *found = nvpsim__session_find(session, handle);
    if (__builtin_expect(!found, 0)) {
        nvpsim__strict_handle(function, handle);
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    const nvpsim_device *own = nvpsim__handle_device(found);
    *device = (int)own->index;
    if (__builtin_expect(found->slice != NULL, 0) && !nvpsim__serves_slices[function]) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    bool is_sound = __builtin_expect(!own->is_unsteady, 1) || nvpsim__handle_is_sound(session, found);
    return is_sound ? NVML_SUCCESS : NVML_ERROR_GPU_IS_LOST;
}

static inline __attribute__((always_inline)) nvmlReturn_t nvpsim__call_begin(nvpsim_call *call, int function, bool needs_session,
                                                                             bool has_device, nvmlDevice_t handle)
{
    int device = -1;
    call->counter = nvpsim__counter_enter(function, &call->depth);
    call->holds_driver_lock = false;
    unsigned attention = atomic_load_explicit(&nvpsim__attention, memory_order_relaxed);
    if (__builtin_expect(attention & NVPSIM_ATTEND_CONTROL, 0)) {
        nvpsim__call_look();
    }
    nvmlReturn_t result = nvpsim__call_check(function, needs_session, has_device, handle, &device);
    if (__builtin_expect(attention != 0, 0)) {
        result = nvpsim__call_attend(call, function, device, result);
    }
    return result;
}

static inline void nvpsim__call_end(nvpsim_call *call)
{
    if (__builtin_expect(call->holds_driver_lock, 0)) {
        nvpsim__call_unlock(call);
    }
    nvpsim__counter_leave(call->counter, call->depth);
}

#endif
