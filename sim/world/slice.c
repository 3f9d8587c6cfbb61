/*
 * MIG devices: made from the scenario, and the memory of their GPU instances.
 */
#include <stdio.h>
#include <stdlib.h>

#include "world/world.h"

static unsigned number_or(nvpsim_number number, unsigned otherwise)
{
    return number.state == NVPSIM_GIVEN ? (unsigned)number.value : otherwise;
}

static void slice_fill(const nvpsim_world *world, const nvpsim_device *device, const nvpsim_mig_device_spec *spec,
                       nvpsim_slice *slice)
{
    slice->spec = spec;
    slice->profile = nvpsim__mig_profile_find(device->spec, spec->profile.bytes);
    slice->index = (unsigned)spec->index.value;
    slice->gpu_instance = (unsigned)spec->gpu_instance.value;
    slice->compute_instance = number_or(spec->compute_instance, 0);
    slice->compute_slices = number_or(spec->compute_slices, number_or(slice->profile->slices, 1));
    slice->start = number_or(spec->start, 0);
    if (spec->uuid.state == NVPSIM_GIVEN) {
        snprintf(slice->uuid, sizeof slice->uuid, "%s", spec->uuid.bytes);
    } else {
        nvpsim__uuid_make(slice->uuid, sizeof slice->uuid, "MIG-", world->seed, device->uuid,
                          slice->gpu_instance << 8 | slice->compute_instance);
    }
}

static int by_index(const void *a, const void *b)
{
    const nvpsim_slice *first = a, *second = b;
    return first->index < second->index ? -1 : first->index > second->index;
}

bool nvpsim__slices_make(const nvpsim_world *world, nvpsim_device *device)
{
    const nvpsim_device_spec *spec = device->spec;
    bool is_on = spec->mig_current.state == NVPSIM_GIVEN && spec->mig_current.value;
    if (!is_on || spec->mig_device_count == 0) {
        return true;
    }
    device->slices = calloc(spec->mig_device_count, sizeof *device->slices);
    if (!device->slices) {
        return false;
    }
    device->slice_count = spec->mig_device_count;
    for (size_t i = 0; i < device->slice_count; i++) {
        slice_fill(world, device, &spec->mig_devices[i], &device->slices[i]);
    }
    qsort(device->slices, device->slice_count, sizeof *device->slices, by_index);
    return true;
}

const nvpsim_slice *nvpsim__slice_find(const nvpsim_device *device, uint64_t gpu_instance, uint64_t compute_instance)
{
    for (size_t i = 0; i < device->slice_count; i++) {
        const nvpsim_slice *slice = &device->slices[i];
        if (slice->gpu_instance == gpu_instance && slice->compute_instance == compute_instance) {
            return slice;
        }
    }
    return NULL;
}

nvpsim_memory nvpsim__slice_memory(const nvpsim_device *device, const nvpsim_slice *slice, uint64_t now_ns)
{
    uint64_t total = slice->profile->memory_bytes.value, used = 0, one;
    for (size_t i = 0; i < device->process_count; i++) {
        const nvpsim_process *process = &device->processes[i];
        if (process->slice && process->slice->gpu_instance == slice->gpu_instance &&
            nvpsim__process_is_running(process, now_ns) && nvpsim__process_memory(process, now_ns, &one)) {
            used += one;
        }
    }
    used = used > total ? total : used;
    return (nvpsim_memory){ total, 0, used, total - used };
}
