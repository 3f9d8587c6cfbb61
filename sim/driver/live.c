/*
 * What live changes do to the world. A change that is wrong is refused as a whole, with the scenario checker's own words.
 */
#include "driver/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

#include "driver/counter.h"
#include "driver/events.h"
#include "driver/fault.h"
#include "driver/session.h"
#include "scenario/change.h"

/* Pids of processes that were added: above all that the scenario can have, the same in each process that reads the file. */
enum { ADDED_PID_BASE = 4300000, XID_OFF_THE_BUS = 79, ADDED_MAX = 1024 };
#define PAST_KEPT_NS (60 * NVPSIM_NS_PER_S) /* of processes, for samples and accounting */

static uint32_t added_count; /* under the session lock */

/** Devices that are to take the place of others: all of them or none. */
typedef struct batch {
    nvpsim_device *devices[NVPSIM_DEVICES_MAX];
    nvpsim_device_spec *specs[NVPSIM_DEVICES_MAX]; /* that were made for it and belong to nobody yet */
    unsigned first, end;
    uint64_t now_ns;
} batch;

static bool no_memory(char *message)
{
    snprintf(message, NVPSIM_MESSAGE_SIZE, "out of memory");
    return false;
}

static nvpsim_device_spec *spec_copy(const nvpsim_device_spec *spec)
{
    nvpsim_device_spec *copy = malloc(sizeof *copy);
    if (copy) {
        *copy = *spec;
    }
    return copy;
}

static bool same_text(const nvpsim_text *a, const nvpsim_text *b)
{
    return a->state == b->state && (a->state != NVPSIM_GIVEN || strcmp(a->bytes, b->bytes) == 0);
}

/* What a program holds on to cannot change under it. */
static const char *fixed_problem(const nvpsim_device_spec *after, const nvpsim_device_spec *before)
{
    if (!same_text(&after->uuid, &before->uuid) || !same_text(&after->bus_id, &before->bus_id)) {
        return "uuid and pci.bus_id cannot change while the simulation runs";
    }
    if (after->mig_devices != before->mig_devices || after->mig_profiles != before->mig_profiles ||
        after->mig_current.value != before->mig_current.value) {
        return "mig.devices, mig.profiles and mig.mode_current cannot change while the simulation runs";
    }
    return NULL;
}

/* The checks of a scenario, on the devices as they would be. */
static bool batch_check(const batch *all, char *message)
{
    nvpsim_world *world = nvpsim__world;
    unsigned count = nvpsim__world_count(world);
    count = all->end > count ? all->end : count;
    nvpsim_scenario scenario = *world->scenario;
    scenario.source = "control";
    scenario.devices = calloc(count > 0 ? count : 1, sizeof *scenario.devices);
    scenario.devices_made = count;
    if (!scenario.devices) {
        return no_memory(message);
    }
    bool ok = true;
    for (unsigned i = 0; ok && i < count; i++) {
        const nvpsim_device *before = nvpsim__world_device(world, i); /* NULL: this one is added */
        const nvpsim_device_spec *spec = all->specs[i] || !before ? all->specs[i] : before->spec;
        const char *problem = before ? fixed_problem(spec, before->spec) : NULL;
        ok = spec && problem == NULL;
        if (ok) {
            scenario.devices[i] = *spec;
        } else {
            snprintf(message, NVPSIM_MESSAGE_SIZE, "device %u: %s", i, problem ? problem : "is not there");
        }
    }
    ok = ok && nvpsim__scenario_check(&scenario, message);
    free(scenario.devices);
    return ok;
}

static bool is_here(const nvpsim_device *device, uint64_t now_ns)
{
    return nvpsim__device_presence(device, now_ns) == NVPSIM_HERE;
}

/* Who goes or comes back is lost for the session that is open, and its going is reported. */
static void presence_note(const nvpsim_device *before, const nvpsim_device *after, uint64_t now_ns)
{
    const nvpsim_session *live = atomic_load_explicit(&nvpsim__session_live, memory_order_acquire);
    bool was_here = is_here(before, now_ns), is_now_here = is_here(after, now_ns);
    if (live && !(was_here && is_now_here)) {
        nvpsim__session_gone(live, after->index);
    }
    if (was_here && !is_now_here) {
        nvpsim__event_post(after, nvmlEventTypeXidCriticalError, XID_OFF_THE_BUS);
    }
}

static bool batch_publish(batch *all, char *message)
{
    bool may_forget = nvpsim__counter_in_flight() <= 1; /* the call that has brought us here */
    for (unsigned i = all->first; i < all->end; i++) {
        nvpsim_device *after = all->devices[i], *before = after ? nvpsim__world_device(nvpsim__world, i) : NULL;
        if (!after) {
            continue;
        }
        if (!nvpsim__device_publish(nvpsim__world, after, may_forget)) {
            return no_memory(message);
        }
        all->devices[i] = NULL;
        all->specs[i] = NULL;
        if (before) {
            presence_note(before, after, all->now_ns);
        }
    }
    return true;
}

static void batch_free(batch *all)
{
    for (unsigned i = all->first; i < all->end; i++) {
        nvpsim__device_discard(all->devices[i]);
        free(all->specs[i]);
    }
    free(all);
}

/* The devices that a change is about, each with a copy of its spec. */
static batch *batch_start(int device, char *message)
{
    unsigned count = nvpsim__world_count(nvpsim__world);
    if (device >= (int)count) {
        snprintf(message, NVPSIM_MESSAGE_SIZE, "there is no device %d; allowed: 0 to %d", device, (int)count - 1);
        return NULL;
    }
    batch *all = calloc(1, sizeof *all);
    if (!all) {
        no_memory(message);
        return NULL;
    }
    all->first = device >= 0 ? (unsigned)device : 0;
    all->end = device >= 0 ? (unsigned)device + 1 : count;
    all->now_ns = nvpsim__clock_ns(&nvpsim__world->clock);
    for (unsigned i = all->first; i < all->end; i++) {
        all->specs[i] = spec_copy(nvpsim__world_device(nvpsim__world, i)->spec);
        if (!all->specs[i]) {
            no_memory(message);
            batch_free(all);
            return NULL;
        }
    }
    return all;
}

/* From specs to devices; not seen by anyone yet. */
static bool batch_make(batch *all, char *message)
{
    if (!batch_check(all, message)) {
        return false;
    }
    for (unsigned i = all->first; i < all->end; i++) {
        if (all->specs[i]) {
            all->devices[i] = nvpsim__device_succeed(nvpsim__world, i, all->specs[i], all->now_ns, message);
            if (!all->devices[i]) {
                return false;
            }
        }
    }
    return true;
}

static bool devices_change(nvpsim_change *change, char *message)
{
    batch *all = batch_start(change->device, message);
    bool ok = all != NULL;
    for (unsigned i = all ? all->first : 0; ok && i < all->end; i++) {
        const nvpsim_scenario *scenario = nvpsim__world->scenario;
        const nvpsim_device_spec *from = i < scenario->devices_made ? &scenario->devices[i] : &scenario->defaults;
        ok = change->kind == NVPSIM_CHANGE_SET ? nvpsim__change_device(change, i, all->specs[i])
                                               : nvpsim__change_reset(change, i, all->specs[i], from);
    }
    ok = ok && batch_make(all, message) && batch_publish(all, message);
    if (all) {
        batch_free(all);
    }
    return ok;
}

static bool device_add(nvpsim_change *change, char *message)
{
    unsigned index = nvpsim__world_count(nvpsim__world);
    batch *all = index < NVPSIM_DEVICES_MAX ? calloc(1, sizeof *all) : NULL;
    if (index >= NVPSIM_DEVICES_MAX) {
        snprintf(message, NVPSIM_MESSAGE_SIZE, "too many devices; allowed: %d", NVPSIM_DEVICES_MAX);
        return false;
    }
    if (!all) {
        return no_memory(message);
    }
    all->first = index;
    all->end = index + 1;
    all->now_ns = nvpsim__clock_ns(&nvpsim__world->clock);
    all->specs[index] = spec_copy(&nvpsim__world->scenario->defaults);
    bool ok = all->specs[index] ? nvpsim__change_device(change, index, all->specs[index]) : no_memory(message);
    ok = ok && batch_make(all, message) && batch_publish(all, message);
    batch_free(all);
    return ok;
}

/* A process that was added and has ended so long ago that nothing needs it any more. */
static bool is_past(const nvpsim_device *device, const nvpsim_process_spec *spec, uint64_t now_ns)
{
    for (size_t i = 0; i < device->process_count; i++) {
        const nvpsim_process *process = &device->processes[i];
        if (process->is_ended && spec->pid_kind == NVPSIM_PID_FIXED && process->pid == spec->pid) {
            return process->until_ns + PAST_KEPT_NS < now_ns;
        }
    }
    return false;
}

/* Room for `count` more processes, in the scenario's memory; what is past makes way when the list has to move. */
static nvpsim_process_spec *list_extend(nvpsim_process_list *list, size_t count, const nvpsim_device *device, uint64_t now_ns)
{
    const nvpsim_scenario *scenario = nvpsim__world->scenario;
    size_t fixed = device->index < scenario->devices_made ? scenario->devices[device->index].processes.count : 0;
    if (list->count + count > list->capacity) {
        size_t capacity = (list->count + count) * 2, kept = 0;
        nvpsim_process_spec *items = nvpsim__arena_take(&nvpsim__world->scenario->arena, capacity, sizeof *items);
        if (!items) {
            return NULL;
        }
        for (size_t i = 0; i < list->count; i++) {
            if (i < fixed || !is_past(device, &list->items[i], now_ns)) {
                items[kept++] = list->items[i];
            }
        }
        *list = (nvpsim_process_list){ items, kept, true, capacity };
    }
    nvpsim_process_spec *added = (nvpsim_process_spec *)list->items + list->count;
    list->count += count;
    return added;
}

static bool is_on(const nvpsim_process_spec *process, unsigned index)
{
    for (size_t i = 0; i < process->devices.count; i++) {
        if (process->devices.values[i] == index) {
            return true;
        }
    }
    return process->on_all_devices;
}

/* An added process begins now, unless it says otherwise; one process of `count` has one pid on all its devices. */
static bool process_put(batch *all, const nvpsim_process_spec *process, char *message)
{
    size_t count = process->count.state == NVPSIM_GIVEN ? (size_t)process->count.value : 1;
    if (count > ADDED_MAX) {
        snprintf(message, NVPSIM_MESSAGE_SIZE, "key 'process.count': too many at a time; allowed: at most %d", ADDED_MAX);
        return false;
    }
    for (unsigned i = all->first; i < all->end; i++) {
        if (!is_on(process, i)) {
            free(all->specs[i]);
            all->specs[i] = NULL;
            continue;
        }
        nvpsim_process_spec *added =
            list_extend(&all->specs[i]->processes, count, nvpsim__world_device(nvpsim__world, i), all->now_ns);
        for (size_t j = 0; added && j < count; j++) {
            added[j] = *process;
            added[j].count.state = NVPSIM_ABSENT;
            added[j].on_all_devices = false;
            added[j].devices = (nvpsim_numbers){ 0 };
            if (process->pid_kind == NVPSIM_PID_SIMULATED) {
                added[j].pid_kind = NVPSIM_PID_FIXED;
                added[j].pid = ADDED_PID_BASE + added_count + (uint32_t)j;
            }
            if (process->from_ms.state != NVPSIM_GIVEN) {
                added[j].from_ms = (nvpsim_number){ NVPSIM_GIVEN, all->now_ns / NVPSIM_NS_PER_MS };
            }
        }
        if (!added) {
            return no_memory(message);
        }
    }
    added_count += (uint32_t)count;
    return true;
}

static bool process_add(nvpsim_change *change, char *message)
{
    nvpsim_process_spec process;
    unsigned count = nvpsim__world_count(nvpsim__world);
    if (!nvpsim__change_process(change, &process)) {
        return false;
    }
    for (size_t i = 0; i < process.devices.count; i++) {
        if (process.devices.values[i] >= count) {
            snprintf(message, NVPSIM_MESSAGE_SIZE, "there is no device %d; allowed: 0 to %d", (int)process.devices.values[i],
                     (int)count - 1);
            return false;
        }
    }
    batch *all = batch_start(-1, message);
    bool ok = all && process_put(all, &process, message) && batch_make(all, message) && batch_publish(all, message);
    if (all) {
        batch_free(all);
    }
    return ok;
}

static bool process_end(nvpsim_change *change, char *message)
{
    uint32_t pid;
    const char *name = nvpsim__change_end(change, &pid);
    batch *all = batch_start(-1, message);
    bool ok = all && batch_make(all, message), found = false;
    for (unsigned i = all ? all->first : 0; ok && i < all->end; i++) {
        bool is_here = nvpsim__process_end(all->devices[i], name, pid, all->now_ns);
        found = found || is_here;
        if (!is_here) { /* this device stays as it is */
            nvpsim__device_discard(all->devices[i]);
            all->devices[i] = NULL;
        }
    }
    if (ok && !found) {
        if (name) {
            snprintf(message, NVPSIM_MESSAGE_SIZE, "no process '%.200s' runs on a device", name);
        } else {
            snprintf(message, NVPSIM_MESSAGE_SIZE, "no process %u runs on a device", pid);
        }
    }
    ok = ok && found && batch_publish(all, message);
    if (all) {
        batch_free(all);
    }
    return ok;
}

static bool device_exists(int device, char *message)
{
    int count = (int)nvpsim__world_count(nvpsim__world);
    if (device >= count) {
        snprintf(message, NVPSIM_MESSAGE_SIZE, "there is no device %d; allowed: 0 to %d", device, count - 1);
    }
    return device < count;
}

static bool fault_add(nvpsim_change *change, char *message)
{
    nvpsim_fault_spec fault;
    if (!nvpsim__change_fault(change, &fault) || !device_exists(fault.device, message)) {
        return false;
    }
    if (!nvpsim__fault_add_spec(&fault)) {
        snprintf(message, NVPSIM_MESSAGE_SIZE, "too many faults; allowed: at most %d", NVPSIM_FAULTS_MAX);
        return false;
    }
    return true;
}

static bool event_post(nvpsim_change *change, char *message)
{
    nvpsim_event_spec event;
    if (!nvpsim__change_event(change, &event) || !device_exists((int)event.device.value, message)) {
        return false;
    }
    uint64_t type = event.type.state == NVPSIM_GIVEN ? event.type.value : nvmlEventTypeXidCriticalError;
    nvpsim__event_post(nvpsim__world_device(nvpsim__world, (unsigned)event.device.value), type, event.data.value);
    return true;
}

static bool clock_step(nvpsim_change *change, char *message)
{
    uint64_t step_ns;
    if (!nvpsim__change_step(change, &step_ns)) {
        return false;
    }
    if (!nvpsim__world->clock.stepped) {
        snprintf(message, NVPSIM_MESSAGE_SIZE, "the clock is not stepped");
        return false;
    }
    atomic_fetch_add_explicit(&nvpsim__world->clock.stepped_ns, step_ns, memory_order_relaxed);
    nvpsim__event_sets_wake();
    return true;
}

static bool change_apply(nvpsim_change *change, char *message)
{
    switch (change->kind) {
    case NVPSIM_CHANGE_HEADER:
        return true;
    case NVPSIM_CHANGE_SET:
    case NVPSIM_CHANGE_RESET:
        return devices_change(change, message);
    case NVPSIM_CHANGE_ADD:
        return device_add(change, message);
    case NVPSIM_CHANGE_PROCESS:
        return process_add(change, message);
    case NVPSIM_CHANGE_END:
        return process_end(change, message);
    case NVPSIM_CHANGE_FAULT:
        return fault_add(change, message);
    case NVPSIM_CHANGE_CLEAR_FAULTS:
        nvpsim__fault_clear();
        return true;
    case NVPSIM_CHANGE_EVENT:
        return event_post(change, message);
    case NVPSIM_CHANGE_STEP:
        return clock_step(change, message);
    }
    return false;
}

bool nvpsim__live_apply(const char *line, size_t size, char *message)
{
    nvpsim_change change;
    if (!nvpsim__change_read(&change, nvpsim__world->scenario, line, size, message)) {
        return false;
    }
    bool ok = change_apply(&change, message);
    nvpsim__change_free(&change);
    return ok;
}
