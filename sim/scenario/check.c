/*
 * Checks of a scenario that no single key can make: limits in order, indexes that exist, addresses and UUIDs told apart.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "scenario/scenario.h"

static bool fail(const nvpsim_scenario *scenario, char *message, size_t index, const char *problem)
{
    snprintf(message, NVPSIM_MESSAGE_SIZE, "%.400s: device %zu: %s", scenario->source, index, problem);
    return false;
}

/* Both given, and the first larger than the second. */
static bool exceeds(nvpsim_number first, nvpsim_number second)
{
    return first.state == NVPSIM_GIVEN && second.state == NVPSIM_GIVEN && first.value > second.value;
}

static const char *limits_problem(const nvpsim_device_spec *device)
{
    if (exceeds(device->memory_reserved, device->memory_total)) {
        return "memory.reserved_bytes exceeds memory.total_bytes";
    }
    if (exceeds(device->power_min_mw, device->power_max_mw)) {
        return "power.min_limit_mw exceeds power.max_limit_mw";
    }
    if (exceeds(device->power_enforced_mw, device->power_max_mw)) {
        return "power.enforced_limit_mw exceeds power.max_limit_mw";
    }
    if (exceeds(device->power_default_mw, device->power_max_mw)) {
        return "power.default_limit_mw exceeds power.max_limit_mw";
    }
    if (exceeds(device->power_idle_mw, device->power_enforced_mw)) {
        return "power.idle_draw_mw exceeds power.enforced_limit_mw";
    }
    if (exceeds(device->pcie_gen, device->pcie_max_gen)) {
        return "pcie.current_link_gen exceeds pcie.max_link_gen";
    }
    if (exceeds(device->pcie_width, device->pcie_max_width)) {
        return "pcie.current_link_width exceeds pcie.max_link_width";
    }
    if (device->flap_period_ms.state != device->flap_lost_ms.state) {
        return "flapping needs both period_ms and lost_ms";
    }
    if (device->flap_period_ms.state == NVPSIM_GIVEN && device->flap_lost_ms.value >= device->flap_period_ms.value) {
        return "flapping.lost_ms is not below flapping.period_ms";
    }
    if (exceeds(device->plug_from_ms, device->plug_until_ms)) {
        return "hotplug.from_ms exceeds hotplug.until_ms";
    }
    if (exceeds(device->fan_min_percent, device->fan_max_percent)) {
        return "fan.min_percent exceeds fan.max_percent";
    }
    return NULL;
}

bool nvpsim__bus_id_parse(const char *text, nvpsim_bus_id *id)
{
    unsigned domain, bus, device, function;
    int end = 0;
    if (strspn(text, "0123456789abcdefABCDEF:.") != strlen(text)) {
        return false;
    }
    if (sscanf(text, "%8x:%2x:%2x.%1x%n", &domain, &bus, &device, &function, &end) != 4 || text[end] != '\0') {
        domain = 0;
        if (sscanf(text, "%2x:%2x.%1x%n", &bus, &device, &function, &end) != 3 || text[end] != '\0') {
            return false;
        }
    }
    *id = (nvpsim_bus_id){ domain, bus, device, function };
    return device < 32 && function < 8;
}

static bool same_text(nvpsim_text a, nvpsim_text b)
{
    return a.state == NVPSIM_GIVEN && b.state == NVPSIM_GIVEN && strcasecmp(a.bytes, b.bytes) == 0;
}

const nvpsim_mig_profile_spec *nvpsim__mig_profile_find(const nvpsim_device_spec *device, const char *name)
{
    for (size_t i = 0; i < device->mig_profile_count; i++) {
        if (strcmp(device->mig_profiles[i].name.bytes, name) == 0) {
            return &device->mig_profiles[i];
        }
    }
    return NULL;
}

/* What two MIG devices of a GPU cannot have in common, or must; NULL when all is well. */
static const char *pair_problem(const nvpsim_mig_device_spec *one, const nvpsim_mig_device_spec *other)
{
    if (one->index.value == other->index.value) {
        return "mig.devices: two have the same index";
    }
    if (one->gpu_instance.value != other->gpu_instance.value) {
        return NULL;
    }
    if (one->compute_instance.value == other->compute_instance.value) {
        return "mig.devices: two have the same gpu_instance and compute_instance";
    }
    return strcmp(one->profile.bytes, other->profile.bytes) != 0 ? "mig.devices: one gpu_instance has two profiles" : NULL;
}

static const char *mig_problem(const nvpsim_device_spec *device)
{
    uint64_t memory = 0;
    for (size_t i = 0; i < device->mig_device_count; i++) {
        const nvpsim_mig_device_spec *slice = &device->mig_devices[i];
        const nvpsim_mig_profile_spec *profile = nvpsim__mig_profile_find(device, slice->profile.bytes);
        bool shares = false;
        if (!profile) {
            return "mig.devices: profile is not one of mig.profiles";
        }
        if (slice->index.value >= device->mig_max_instances.value) {
            return "mig.devices: index is not below mig.max_gpu_instances";
        }
        for (size_t j = 0; j < i; j++) {
            const char *problem = pair_problem(slice, &device->mig_devices[j]);
            if (problem) {
                return problem;
            }
            shares = shares || slice->gpu_instance.value == device->mig_devices[j].gpu_instance.value;
        }
        memory += shares ? 0 : profile->memory_bytes.value;
    }
    return memory > device->memory_total.value ? "mig.devices: their memory exceeds memory.total_bytes" : NULL;
}

static bool device_check(const nvpsim_scenario *scenario, size_t index, char *message)
{
    const nvpsim_device_spec *device = &scenario->devices[index];
    const char *problem = scenario->is_recording ? NULL : limits_problem(device);
    nvpsim_bus_id id;
    if (!problem) {
        problem = mig_problem(device);
    }
    if (problem) {
        return fail(scenario, message, index, problem);
    }
    if (device->bus_id.state == NVPSIM_GIVEN && !nvpsim__bus_id_parse(device->bus_id.bytes, &id)) {
        return fail(scenario, message, index, "pci.bus_id is no PCI address; allowed: such as 0000:1b:00.0");
    }
    for (size_t other = 0; other < index; other++) {
        if (same_text(device->uuid, scenario->devices[other].uuid)) {
            return fail(scenario, message, index, "uuid is that of another device too");
        }
        if (same_text(device->bus_id, scenario->devices[other].bus_id)) {
            return fail(scenario, message, index, "pci.bus_id is that of another device too");
        }
    }
    return true;
}

static uint64_t processes_of(const nvpsim_process_list *list, size_t device_count)
{
    uint64_t total = 0;
    for (size_t i = 0; i < list->count; i++) {
        uint64_t count = list->items[i].count.state == NVPSIM_GIVEN ? list->items[i].count.value : 1;
        uint64_t places = list->items[i].on_all_devices ? device_count : list->items[i].devices.count;
        total += count * (places > 0 ? places : 1);
    }
    return total;
}

static bool processes_check(const nvpsim_scenario *scenario, char *message)
{
    uint64_t total = processes_of(&scenario->processes, scenario->devices_made);
    for (size_t i = 0; i < scenario->devices_made; i++) {
        total += processes_of(&scenario->devices[i].processes, 1);
    }
    if (total > NVPSIM_PROCESSES_MAX) {
        snprintf(message, NVPSIM_MESSAGE_SIZE, "%.400s: too many processes; allowed: %d in all", scenario->source,
                 NVPSIM_PROCESSES_MAX);
        return false;
    }
    if (scenario->processes.items == scenario->base_processes) {
        return true; /* fewer devices than the profile has: the processes of the others are left out */
    }
    for (size_t i = 0; i < scenario->processes.count; i++) {
        const nvpsim_numbers *devices = &scenario->processes.items[i].devices;
        for (size_t j = 0; j < devices->count; j++) {
            if (devices->values[j] >= scenario->devices_made) {
                return fail(scenario, message, (size_t)devices->values[j], "a process is on this device, which does not exist");
            }
        }
    }
    return true;
}

static bool is_placed(const nvpsim_device_spec *device, const nvpsim_process_spec *process)
{
    uint64_t compute_instance = process->compute_instance.state == NVPSIM_GIVEN ? process->compute_instance.value : 0;
    for (size_t i = 0; i < device->mig_device_count; i++) {
        const nvpsim_mig_device_spec *slice = &device->mig_devices[i];
        uint64_t own = slice->compute_instance.state == NVPSIM_GIVEN ? slice->compute_instance.value : 0;
        if (slice->gpu_instance.value == process->gpu_instance.value && own == compute_instance) {
            return true;
        }
    }
    return process->gpu_instance.state != NVPSIM_GIVEN;
}

/* Processes of MIG devices that exist. */
static bool places_check(const nvpsim_scenario *scenario, char *message)
{
    static const char problem[] = "a process is in a gpu_instance and compute_instance that mig.devices does not have";
    for (size_t i = 0; i < scenario->devices_made; i++) {
        const nvpsim_process_list *own = &scenario->devices[i].processes;
        for (size_t j = 0; j < own->count; j++) {
            if (!is_placed(&scenario->devices[i], &own->items[j])) {
                return fail(scenario, message, i, problem);
            }
        }
    }
    for (size_t i = 0; i < scenario->processes.count; i++) {
        const nvpsim_process_spec *process = &scenario->processes.items[i];
        for (size_t j = 0; j < process->devices.count; j++) {
            size_t index = (size_t)process->devices.values[j];
            if (index < scenario->devices_made && !is_placed(&scenario->devices[index], process)) {
                return fail(scenario, message, index, problem);
            }
        }
    }
    return true;
}

bool nvpsim__scenario_check(const nvpsim_scenario *scenario, char *message)
{
    for (size_t i = 0; i < scenario->devices_made; i++) {
        if (!device_check(scenario, i, message)) {
            return false;
        }
    }
    for (size_t i = 0; i < scenario->fault_count; i++) {
        if (scenario->faults[i].device >= (int)scenario->devices_made) {
            return fail(scenario, message, (size_t)scenario->faults[i].device, "a fault names this device, which does not exist");
        }
    }
    for (size_t i = 0; i < scenario->event_count; i++) {
        if (scenario->events[i].device.value >= scenario->devices_made) {
            return fail(scenario, message, (size_t)scenario->events[i].device.value,
                        "an event names this device, which does not exist");
        }
    }
    return processes_check(scenario, message) && places_check(scenario, message);
}
