/*
 * Processes of a device: made from the scenario's lists, read at a time.
 * A process that is only simulated has a pid above the kernel's limit, so that nobody can signal it by mistake.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "world/world.h"

/* Linux gives pids up to 2^22 = 4194304. */
enum { SIMULATED_PID_BASE = 4200000 };

/** The walk over all entries that concern a device: one call for each process. */
typedef struct maker {
    const nvpsim_world *world;
    nvpsim_device *device;
    size_t capacity;
    unsigned serial; /* of the entry in the whole scenario: one pid on all its devices */
} maker;

static uint64_t number_or(nvpsim_number number, uint64_t otherwise)
{
    return number.state == NVPSIM_GIVEN ? number.value : otherwise;
}

static uint64_t ms_to_ns(uint64_t ms)
{
    return ms > UINT64_MAX / NVPSIM_NS_PER_MS ? UINT64_MAX : ms * NVPSIM_NS_PER_MS;
}

static bool track_maybe(const nvpsim_movement *movement, nvpsim_track_place place, nvpsim_track **track)
{
    *track = movement->state == NVPSIM_GIVEN ? nvpsim__track_make(movement, place) : NULL;
    return movement->state != NVPSIM_GIVEN || *track != NULL;
}

static double movement_high(const nvpsim_movement *movement)
{
    double high = movement->high;
    for (size_t i = 0; movement->kind >= NVPSIM_STEPS && movement->values && i < movement->count; i++) {
        high = i == 0 || movement->values[i] > high ? movement->values[i] : high;
    }
    return movement->state == NVPSIM_GIVEN ? high : 0;
}

static bool process_fill(const maker *make, const nvpsim_process_spec *spec, nvpsim_process *process)
{
    const nvpsim_movement *loads[4] = { &spec->sm_percent, &spec->memory_percent, &spec->encoder_percent,
                                        &spec->decoder_percent };
    nvpsim_track_place place = { make->world->seed, make->device->index, make->serial + 1 };
    *process = (nvpsim_process){
        .pid_kind = spec->pid_kind,
        .pid = spec->pid_kind == NVPSIM_PID_FIXED ? spec->pid : SIMULATED_PID_BASE + make->serial,
        .types = (unsigned)number_or(spec->types, NVPSIM_PROCESS_COMPUTE),
        .name = spec->name.state == NVPSIM_GIVEN ? spec->name.bytes : NULL,
        .from_ns = ms_to_ns(number_or(spec->from_ms, 0)),
        .until_ns = ms_to_ns(number_or(spec->until_ms, UINT64_MAX)),
        .cycle_ns = spec->cycle_ns,
        .high_bytes = movement_high(&spec->used_bytes),
    };
    if (spec->gpu_instance.state == NVPSIM_GIVEN) {
        process->slice = nvpsim__slice_find(make->device, spec->gpu_instance.value, number_or(spec->compute_instance, 0));
    }
    bool ok = track_maybe(&spec->used_bytes, place, &process->used_bytes);
    if (ok && spec->used_bytes.state == NVPSIM_ABSENT) {
        ok = (process->used_bytes = nvpsim__track_constant(0)) != NULL;
    }
    for (int i = 0; i < 4; i++) {
        ok = track_maybe(loads[i], place, &process->percent[i]) && ok;
    }
    return ok;
}

static bool is_on(const nvpsim_process_spec *spec, unsigned index, bool at_top)
{
    if (!at_top || spec->on_all_devices) {
        return true;
    }
    for (size_t i = 0; i < spec->devices.count; i++) {
        if (spec->devices.values[i] == index) {
            return true;
        }
    }
    return false;
}

/* Counts when there is no room yet, else fills. The serial moves on for entries of other devices too. */
static bool list_make(maker *make, const nvpsim_process_list *list, bool at_top)
{
    nvpsim_device *device = make->device;
    for (size_t i = 0; i < list->count; i++) {
        const nvpsim_process_spec *spec = &list->items[i];
        uint64_t count = number_or(spec->count, 1);
        for (uint64_t j = 0; j < count; j++, make->serial++) {
            if (!is_on(spec, device->index, at_top)) {
                continue;
            }
            size_t place = device->process_count++;
            if (device->processes && place < make->capacity && !process_fill(make, spec, &device->processes[place])) {
                return false;
            }
        }
    }
    return true;
}

static bool lists_make(maker *make)
{
    make->serial = 0;
    make->device->process_count = 0;
    if (!list_make(make, &make->world->scenario->processes, true)) {
        return false;
    }
    size_t before =
        make->device->index < make->world->scenario->devices_made ? make->device->index : make->world->scenario->devices_made;
    for (size_t i = 0; i < before; i++) { /* pids of the devices before this one */
        const nvpsim_process_list *list = &make->world->scenario->devices[i].processes;
        for (size_t j = 0; j < list->count; j++) {
            make->serial += (unsigned)number_or(list->items[j].count, 1);
        }
    }
    return list_make(make, &make->device->spec->processes, false);
}

/* The most that the processes of a device can use; of one GPU instance only, when that is named. What has ended uses nothing. */
static double processes_high(const nvpsim_device *device, const nvpsim_slice *slice)
{
    double sum = 0;
    for (size_t i = 0; i < device->process_count; i++) {
        const nvpsim_process *process = &device->processes[i];
        bool counts = !slice || (process->slice && process->slice->gpu_instance == slice->gpu_instance);
        if (counts && process->until_ns > device->since_ns) {
            sum += process->high_bytes;
        }
    }
    return sum;
}

static bool memory_fail(const nvpsim_scenario *scenario, char *message, const nvpsim_device *device, const char *what,
                        double most, uint64_t room)
{
    snprintf(message, NVPSIM_MESSAGE_SIZE, "%.400s: device %u: %s can use %.0f bytes, more than the %llu bytes it has for them",
             scenario->source, device->index, what, most, (unsigned long long)room);
    return false;
}

/* A process that was ended stays so, whatever else changes. */
static void ends_keep(nvpsim_device *after, const nvpsim_device *before)
{
    for (size_t i = 0; i < before->process_count; i++) {
        const nvpsim_process *old = &before->processes[i];
        for (size_t j = 0; old->is_ended && j < after->process_count; j++) {
            nvpsim_process *process = &after->processes[j];
            if (process->pid_kind == old->pid_kind && process->pid == old->pid && process->from_ns == old->from_ns) {
                process->until_ns = old->until_ns;
                process->is_ended = true;
            }
        }
    }
}

static bool memory_check(const nvpsim_scenario *scenario, const nvpsim_device *device, char *message)
{
    double most = processes_high(device, NULL);
    if (most > (double)(device->memory_total - device->memory_reserved) && device->memory_total > 0) {
        return memory_fail(scenario, message, device, "its processes", most, device->memory_total - device->memory_reserved);
    }
    for (size_t i = 0; i < device->slice_count; i++) {
        const nvpsim_slice *slice = &device->slices[i];
        most = processes_high(device, slice);
        if (most > (double)slice->profile->memory_bytes.value) {
            return memory_fail(scenario, message, device, "the processes of a GPU instance", most,
                               slice->profile->memory_bytes.value);
        }
    }
    return true;
}

bool nvpsim__processes_make(nvpsim_world *world, nvpsim_device *device, char *message)
{
    maker make = { .world = world, .device = device };
    const nvpsim_scenario *scenario = world->scenario;
    lists_make(&make);
    make.capacity = device->process_count;
    if (make.capacity == 0) {
        return true;
    }
    device->processes = calloc(make.capacity, sizeof *device->processes);
    if (!device->processes || !lists_make(&make)) {
        snprintf(message, NVPSIM_MESSAGE_SIZE, "%.400s: out of memory", scenario->source);
        return false;
    }
    for (size_t i = 0; i < device->process_count; i++) {
        device->processes[i].share = 1.0 / (double)device->process_count;
    }
    if (nvpsim__world_device(world, device->index)) {
        ends_keep(device, nvpsim__world_device(world, device->index));
    }
    return scenario->is_recording || memory_check(scenario, device, message);
}

bool nvpsim__process_is_running(const nvpsim_process *process, uint64_t now_ns)
{
    if (process->cycle_ns > 0 && !process->is_ended) {
        now_ns %= process->cycle_ns;
    }
    return now_ns >= process->from_ns && now_ns < process->until_ns;
}

uint32_t nvpsim__process_pid(const nvpsim_process *process)
{
    return process->pid_kind == NVPSIM_PID_SELF ? (uint32_t)getpid() : process->pid;
}

bool nvpsim__process_memory(const nvpsim_process *process, uint64_t now_ns, uint64_t *used_bytes)
{
    if (!process->used_bytes) {
        return false;
    }
    if (isnan(nvpsim__track_value(process->used_bytes, now_ns))) {
        return false;
    }
    *used_bytes = nvpsim__memory_bytes(process->used_bytes, now_ns);
    return true;
}

double nvpsim__process_load(const nvpsim_device *device, const nvpsim_process *process, nvpsim_engine engine, uint64_t now_ns)
{
    double load = 0;
    if (process->percent[engine]) {
        load = nvpsim__track_value(process->percent[engine], now_ns);
        return isnan(load) ? 0 : load;
    }
    nvpsim__device_load(device, engine, now_ns, &load);
    return load * process->share;
}
