/*
 * Live changes: a device that takes the place of another in its slot, and one that is added. What a reader holds stays valid: the
 * old device is kept as the past of the new one, and freed only long after, when no call is under way.
 * Changes are made by one thread at a time; the caller sees to that.
 */
#include <stdlib.h>
#include <string.h>

#include "world/world.h"

/* As many earlier states of a device are kept for readings of the past, and each at least this long for late readers. */
enum { PAST_MAX = 64 };
#define PAST_KEPT_NS (5 * NVPSIM_NS_PER_S)

static void bytes_keep(nvpsim_device *after, const nvpsim_device *before)
{
    for (int i = 0; i < 2; i++) {
        nvpsim__device_pcie_bytes(before, (nvpsim_direction)i, after->since_ns, &after->bytes_before[i]);
        nvpsim__device_nvlink_bytes(before, (nvpsim_direction)i, after->since_ns, &after->bytes_before[2 + i]);
    }
}

nvpsim_device *nvpsim__device_succeed(nvpsim_world *world, unsigned index, nvpsim_device_spec *spec, uint64_t now_ns,
                                      char *message)
{
    nvpsim_device *before = nvpsim__world_device(world, index);
    uint64_t since_ns = before && now_ns < before->since_ns ? before->since_ns : now_ns;
    nvpsim_device *after = nvpsim__device_make(world, index, spec, before ? since_ns : 0, message);
    if (!after) {
        return NULL;
    }
    after->own_spec = spec;
    after->made_ns = nvpsim__clock_raw_ns();
    if (before) {
        after->is_unsteady = after->is_unsteady || before->is_unsteady;
        bytes_keep(after, before);
    }
    return after;
}

void nvpsim__device_discard(nvpsim_device *device)
{
    if (device) {
        device->own_spec = NULL;
        nvpsim__device_free(device);
    }
}

/* Frees what lies too far in the past. */
static void past_forget(nvpsim_device *device)
{
    nvpsim_device *last = device;
    for (int i = 0; i < PAST_MAX && last; i++) {
        last = last->previous;
    }
    if (last && last->previous && last->made_ns + PAST_KEPT_NS < nvpsim__clock_raw_ns()) {
        nvpsim_device *past = last->previous;
        last->previous = NULL;
        nvpsim__motion_forget(device, last->since_ns);
        atomic_store_explicit(&past->motion, NULL, memory_order_relaxed); /* part of the chain that goes on */
        nvpsim__device_free(past);
    }
}

bool nvpsim__device_publish(nvpsim_world *world, nvpsim_device *device, bool may_forget)
{
    nvpsim_slot *slot = &world->slots[device->index];
    nvpsim_device *before = nvpsim__slot_device(slot);
    if (before) {
        if (!nvpsim__motion_continue(device, before)) {
            return false;
        }
        nvpsim__settings_follow(device, before);
        device->previous = before;
        atomic_store_explicit(&slot->device, device, memory_order_release);
        if (may_forget) {
            past_forget(device);
        }
    } else {
        nvpsim__settings_make(device);
        atomic_store_explicit(&slot->device, device, memory_order_release);
        atomic_store_explicit(&world->device_count, device->index + 1, memory_order_release);
    }
    return true;
}

bool nvpsim__process_end(nvpsim_device *device, const char *name, uint32_t pid, uint64_t now_ns)
{
    bool found = false;
    for (size_t i = 0; i < device->process_count; i++) {
        nvpsim_process *process = &device->processes[i];
        bool is_meant = name ? process->name && strcmp(process->name, name) == 0 : nvpsim__process_pid(process) == pid;
        if (is_meant && nvpsim__process_is_running(process, now_ns)) {
            process->until_ns = now_ns;
            process->is_ended = true;
            found = true;
        }
    }
    return found;
}
