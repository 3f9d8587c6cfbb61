/*
 * From a scenario to a machine: identities, addresses, tracks.
 * What a scenario leaves out is made up here, always the same for the same scenario.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/random.h"
#include "world/world.h"

enum { CORES_PER_NUMA = 16 };

static bool track_maybe(const nvpsim_movement *movement, nvpsim_track_place place, nvpsim_track **track)
{
    *track = movement->state == NVPSIM_GIVEN ? nvpsim__track_make(movement, place) : NULL;
    return movement->state != NVPSIM_GIVEN || *track != NULL;
}

/* The stated movement; else, when there is a load, the given line over it; "N/A" gives none. */
static bool track_or_line(const nvpsim_movement *movement, nvpsim_track_place place, const nvpsim_track *load, nvpsim_line line,
                          nvpsim_track **track)
{
    if (movement->state != NVPSIM_ABSENT) {
        return track_maybe(movement, place, track);
    }
    *track = load ? nvpsim__track_map(load, line) : NULL;
    return !load || *track != NULL;
}

void nvpsim__uuid_make(char *uuid, size_t size, const char *prefix, uint64_t seed, const char *text, unsigned number)
{
    uint64_t state = seed ^ (UINT64_C(0x6770752d75756964) + number);
    for (; *text; text++) {
        state = nvpsim__random_next(&state) ^ (unsigned char)*text;
    }
    uint64_t a = nvpsim__random_next(&state), b = nvpsim__random_next(&state);
    snprintf(uuid, size, "%s%08x-%04x-4%03x-%04x-%012llx", prefix, (unsigned)(a >> 32), (unsigned)(a >> 16) & 0xffffu,
             (unsigned)a & 0xfffu, 0x8000u | ((unsigned)(b >> 48) & 0x3fffu), (unsigned long long)(b & UINT64_C(0xffffffffffff)));
}

static void bus_make(nvpsim_device *device)
{
    const nvpsim_text *text = &device->spec->bus_id;
    nvpsim_bus_id *bus = &device->bus;
    if (text->state != NVPSIM_GIVEN || !nvpsim__bus_id_parse(text->bytes, bus)) {
        *bus = (nvpsim_bus_id){ device->index / 120, 0x10 + 2 * (device->index % 120), 0, 0 };
    }
    snprintf(device->bus_id, sizeof device->bus_id, "%08X:%02X:%02X.%X", bus->domain, bus->bus, bus->device, bus->function);
    snprintf(device->bus_id_legacy, sizeof device->bus_id_legacy, "%04X:%02X:%02X.%X", bus->domain & 0xffffu, bus->bus & 0xffu,
             bus->device & 0x1fu, bus->function & 7u);
}

static void cpus_add(nvpsim_device *device, unsigned first, unsigned last)
{
    const unsigned bits = 8 * sizeof device->cpus[0];
    for (unsigned cpu = first; cpu <= last && cpu < NVPSIM_CPU_WORDS * bits; cpu++) {
        device->cpus[cpu / bits] |= 1ul << (cpu % bits);
    }
}

/* "0-15,32-47"; what is no number ends the list. */
static void cpus_parse(nvpsim_device *device, const char *text)
{
    while (*text) {
        char *rest;
        unsigned long first = strtoul(text, &rest, 10), last = first;
        if (rest == text) {
            return;
        }
        if (*rest == '-') {
            last = strtoul(rest + 1, &rest, 10);
        }
        if (first <= last && last < 65536) {
            cpus_add(device, (unsigned)first, (unsigned)last);
        }
        text = *rest == ',' ? rest + 1 : rest;
    }
}

static const nvpsim_root_complex *root_of(const nvpsim_scenario *scenario, const nvpsim_device *device)
{
    for (size_t i = 0; i < scenario->root_complex_count; i++) {
        const nvpsim_root_complex *root = &scenario->root_complexes[i];
        for (size_t j = 0; j < root->bus_id_count; j++) {
            nvpsim_bus_id bus;
            if (nvpsim__bus_id_parse(root->bus_ids[j], &bus) && memcmp(&bus, &device->bus, sizeof bus) == 0) {
                return root;
            }
        }
    }
    return NULL;
}

static void place_make(const nvpsim_scenario *scenario, nvpsim_device *device)
{
    const nvpsim_root_complex *root = root_of(scenario, device);
    unsigned cores = scenario->cores_per_numa.state == NVPSIM_GIVEN ? (unsigned)scenario->cores_per_numa.value : CORES_PER_NUMA;
    if (device->spec->numa_node.state == NVPSIM_GIVEN) {
        device->numa_node = (unsigned)device->spec->numa_node.value;
    } else if (root && root->numa_node.state == NVPSIM_GIVEN) {
        device->numa_node = (unsigned)root->numa_node.value;
    }
    if (root && root->cpus.state == NVPSIM_GIVEN) {
        cpus_parse(device, root->cpus.bytes);
    } else {
        cpus_add(device, device->numa_node * cores, device->numa_node * cores + cores - 1);
    }
}

static bool engines_make(const nvpsim_world *world, nvpsim_device *device)
{
    const nvpsim_device_spec *spec = device->spec;
    const nvpsim_movement *stated[NVPSIM_ENGINES] = { &spec->gpu_percent,     &spec->memory_percent, &spec->encoder_percent,
                                                      &spec->decoder_percent, &spec->jpeg_percent,   &spec->ofa_percent };
    for (int i = 0; i < NVPSIM_ENGINES; i++) {
        nvpsim_track_place place = { world->seed, device->index, (unsigned)i };
        nvpsim_line half = { 0, 0.55, 0, 100 };
        const nvpsim_track *load = i == NVPSIM_ENGINE_MEMORY ? device->engines[NVPSIM_ENGINE_GPU] : NULL;
        if (!track_or_line(stated[i], place, load, half, &device->engines[i])) {
            return false;
        }
        if (!device->engines[i] && stated[i]->state == NVPSIM_ABSENT && i != NVPSIM_ENGINE_JPEG && i != NVPSIM_ENGINE_OFA &&
            !(device->engines[i] = nvpsim__track_constant(0))) {
            return false;
        }
    }
    return true;
}

static bool traffic_make(const nvpsim_world *world, nvpsim_device *device)
{
    const nvpsim_scenario *scenario = world->scenario;
    const nvpsim_device_spec *spec = device->spec;
    const nvpsim_track *load = device->engines[NVPSIM_ENGINE_GPU];
    nvpsim_track_place place = { world->seed, device->index, 20 };
    const nvpsim_line pcie_tx = { 240, 9200, 0, 6e7 }, pcie_rx = { 520, 15800, 0, 6e7 };
    if (!track_or_line(&spec->pcie_tx_kbps, place, load, pcie_tx, &device->pcie_kbps[NVPSIM_TX]) ||
        !track_or_line(&spec->pcie_rx_kbps, place, load, pcie_rx, &device->pcie_kbps[NVPSIM_RX])) {
        return false;
    }
    device->nvlinks = scenario->nvlink_links.state == NVPSIM_GIVEN ? (unsigned)scenario->nvlink_links.value : 0;
    if (device->nvlinks == 0) {
        return true;
    }
    double most_kbps = 1000 * (scenario->nvlink_mbps.state == NVPSIM_GIVEN ? (double)scenario->nvlink_mbps.value : 25000);
    const nvpsim_line link_tx = { 0, most_kbps * 0.0042, 0, most_kbps }, link_rx = { 0, most_kbps * 0.0039, 0, most_kbps };
    const nvpsim_movement *tx = spec->nvlink_tx_kbps.state == NVPSIM_ABSENT ? &scenario->nvlink_tx_kbps : &spec->nvlink_tx_kbps;
    const nvpsim_movement *rx = spec->nvlink_rx_kbps.state == NVPSIM_ABSENT ? &scenario->nvlink_rx_kbps : &spec->nvlink_rx_kbps;
    return track_or_line(tx, place, load, link_tx, &device->nvlink_kbps[NVPSIM_TX]) &&
           track_or_line(rx, place, load, link_rx, &device->nvlink_kbps[NVPSIM_RX]);
}

static bool tracks_make(const nvpsim_world *world, nvpsim_device *device)
{
    const nvpsim_device_spec *spec = device->spec;
    nvpsim_track_place place = { world->seed, device->index, 10 };
    return engines_make(world, device) && traffic_make(world, device) &&
           track_maybe(&spec->memory_used, place, &device->memory_used) &&
           track_maybe(&spec->presence, place, &device->presence) &&
           track_maybe(&spec->performance, place, &device->performance) &&
           track_maybe(&spec->byte_counters[0], place, &device->byte_counters[0]) &&
           track_maybe(&spec->byte_counters[1], place, &device->byte_counters[1]) &&
           track_maybe(&spec->byte_counters[2], place, &device->byte_counters[2]) &&
           track_maybe(&spec->byte_counters[3], place, &device->byte_counters[3]) &&
           track_maybe(&spec->clock_reasons, place, &device->clock_reasons) &&
           track_maybe(&spec->energy_counter_mj, place, &device->energy_counter_mj) &&
           track_maybe(&spec->bar1_used, place, &device->bar1_used) && track_maybe(&spec->memory_c, place, &device->memory_c) &&
           track_maybe(&spec->fan_percent, place, &device->fan_percent) &&
           track_maybe(&spec->fan_target_percent, place, &device->fan_target_percent) &&
           track_maybe(&spec->graphics_mhz, place, &device->clocks[NVPSIM_GRAPHICS]) &&
           track_maybe(&spec->sm_mhz, place, &device->clocks[NVPSIM_SM]) &&
           track_maybe(&spec->memory_mhz, place, &device->clocks[NVPSIM_MEMORY_CLOCK]) &&
           track_maybe(&spec->video_mhz, place, &device->clocks[NVPSIM_VIDEO]) && nvpsim__motion_start(device);
}

static unsigned number_or(nvpsim_number number, unsigned otherwise)
{
    return number.state == NVPSIM_GIVEN ? (unsigned)number.value : otherwise;
}

void nvpsim__settings_make(nvpsim_device *device)
{
    const nvpsim_device_spec *spec = device->spec;
    nvpsim_settings *settings = device->settings;
    atomic_store(&settings->persistence, number_or(spec->persistence_mode, 0));
    atomic_store(&settings->compute_mode, number_or(spec->compute_mode, 0));
    atomic_store(&settings->ecc_pending, number_or(spec->ecc_pending, number_or(spec->ecc_current, 0)));
    atomic_store(&settings->mig_pending, number_or(spec->mig_pending, 0));
    atomic_store(&settings->accounting, number_or(spec->accounting_mode, 0));
    atomic_store(&settings->operation_pending, number_or(spec->operation_pending, number_or(spec->operation_current, 0)));
    atomic_store(&settings->driver_model_pending, number_or(spec->driver_model_pending, number_or(spec->driver_model, 0)));
    atomic_store(&settings->graphics_app_mhz, number_or(spec->graphics_app_mhz, number_or(spec->graphics_app_default_mhz, 0)));
    atomic_store(&settings->memory_app_mhz, number_or(spec->memory_app_mhz, number_or(spec->memory_app_default_mhz, 0)));
}

static void setting_follow(_Atomic unsigned *setting, const nvpsim_number *after, const nvpsim_number *before)
{
    if (after->state == NVPSIM_GIVEN && (before->state != NVPSIM_GIVEN || before->value != after->value)) {
        atomic_store_explicit(setting, (unsigned)after->value, memory_order_relaxed);
    }
}

void nvpsim__settings_follow(nvpsim_device *device, const nvpsim_device *before)
{
    const nvpsim_device_spec *after = device->spec, *old = before->spec;
    nvpsim_settings *settings = device->settings;
    setting_follow(&settings->persistence, &after->persistence_mode, &old->persistence_mode);
    setting_follow(&settings->compute_mode, &after->compute_mode, &old->compute_mode);
    setting_follow(&settings->ecc_pending, &after->ecc_pending, &old->ecc_pending);
    setting_follow(&settings->mig_pending, &after->mig_pending, &old->mig_pending);
    setting_follow(&settings->accounting, &after->accounting_mode, &old->accounting_mode);
    setting_follow(&settings->operation_pending, &after->operation_pending, &old->operation_pending);
    setting_follow(&settings->driver_model_pending, &after->driver_model_pending, &old->driver_model_pending);
    setting_follow(&settings->graphics_app_mhz, &after->graphics_app_mhz, &old->graphics_app_mhz);
    setting_follow(&settings->memory_app_mhz, &after->memory_app_mhz, &old->memory_app_mhz);
}

static void identity_make(const nvpsim_world *world, nvpsim_device *device)
{
    const nvpsim_device_spec *spec = device->spec;
    if (spec->uuid.state == NVPSIM_GIVEN) {
        snprintf(device->uuid, sizeof device->uuid, "%s", spec->uuid.bytes);
    } else {
        nvpsim__uuid_make(device->uuid, sizeof device->uuid, "GPU-", world->seed,
                          spec->name.state == NVPSIM_GIVEN ? spec->name.bytes : "", device->index);
    }
    bus_make(device);
    place_make(world->scenario, device);
    device->minor = number_or(spec->minor, device->index);
    device->is_unsteady = nvpsim__spec_is_unsteady(spec);
    device->is_recorded = world->scenario->is_recording;
    device->memory_total = spec->memory_total.state == NVPSIM_GIVEN ? spec->memory_total.value : 0;
    device->memory_reserved = spec->memory_reserved.state == NVPSIM_GIVEN ? spec->memory_reserved.value : 0;
    if (device->memory_reserved > device->memory_total) {
        device->memory_reserved = device->memory_total;
    }
    device->fans = number_or(spec->fan_count, spec->fan_percent.state == NVPSIM_GIVEN ? 1 : 0);
    double limit_mw = number_or(spec->power_default_mw, number_or(spec->power_enforced_mw, 0));
    device->idle_mw = spec->power_idle_mw.state == NVPSIM_GIVEN ? (double)spec->power_idle_mw.value : limit_mw / 10;
}

nvpsim_device *nvpsim__device_make(nvpsim_world *world, unsigned index, const nvpsim_device_spec *spec, uint64_t since_ns,
                                   char *message)
{
    nvpsim_device *device = calloc(1, sizeof *device), *before = nvpsim__world_device(world, index);
    snprintf(message, NVPSIM_MESSAGE_SIZE, "%.400s: out of memory", world->scenario->source);
    if (!device) {
        return NULL;
    }
    device->index = index;
    device->seed = world->seed;
    device->spec = spec;
    device->since_ns = since_ns;
    device->settings = &world->slots[index].settings;
    identity_make(world, device);
    bool ok = tracks_make(world, device);
    if (before) { /* who holds a handle of a MIG device points to it */
        device->slices = before->slices;
        device->slice_count = before->slice_count;
    } else {
        ok = ok && nvpsim__slices_make(world, device);
    }
    if (!ok || !nvpsim__processes_make(world, device, message)) {
        nvpsim_slice *made = before ? NULL : device->slices;
        nvpsim__device_free(device);
        free(made);
        return NULL;
    }
    return device;
}

nvpsim_world *nvpsim__world_make(nvpsim_scenario *scenario, bool stepped_clock, char *message)
{
    nvpsim_world *world = calloc(1, sizeof *world);
    snprintf(message, NVPSIM_MESSAGE_SIZE, "%.400s: out of memory", scenario->source);
    if (!world) {
        return NULL;
    }
    world->seed = scenario->seed.state == NVPSIM_GIVEN ? scenario->seed.value : 1;
    world->scenario = scenario;
    world->slots = calloc(NVPSIM_DEVICES_MAX, sizeof *world->slots);
    bool ok = world->slots != NULL;
    for (unsigned i = 0; ok && i < scenario->devices_made; i++) {
        nvpsim_device *device = nvpsim__device_make(world, i, &scenario->devices[i], 0, message);
        ok = device != NULL;
        if (ok) {
            nvpsim__settings_make(device);
            atomic_init(&world->slots[i].device, device);
            atomic_init(&world->device_count, i + 1);
        }
    }
    if (!ok) {
        world->scenario = NULL; /* the caller still owns it */
        nvpsim__world_free(world);
        return NULL;
    }
    nvpsim__clock_start(&world->clock, stepped_clock);
    return world;
}

static void tracks_free(nvpsim_device *device)
{
    nvpsim_track *tracks[] = { device->memory_used,        device->bar1_used,    device->memory_c,     device->fan_percent,
                               device->fan_target_percent, device->pcie_kbps[0], device->pcie_kbps[1], device->nvlink_kbps[0],
                               device->nvlink_kbps[1],     device->presence,     device->performance,  device->clock_reasons,
                               device->energy_counter_mj };
    for (size_t i = 0; i < sizeof tracks / sizeof tracks[0]; i++) {
        nvpsim__track_free(tracks[i]);
    }
    for (int i = 0; i < NVPSIM_ENGINES; i++) {
        nvpsim__track_free(device->engines[i]);
    }
    for (int i = 0; i < 4; i++) {
        nvpsim__track_free(device->byte_counters[i]);
    }
    for (int i = 0; i < NVPSIM_CLOCK_DOMAINS; i++) {
        nvpsim__track_free(device->clocks[i]);
    }
    for (size_t i = 0; device->processes && i < device->process_count; i++) {
        nvpsim__track_free(device->processes[i].used_bytes);
        for (int j = 0; j < 4; j++) {
            nvpsim__track_free(device->processes[i].percent[j]);
        }
    }
    free(device->processes);
}

void nvpsim__device_free(nvpsim_device *device)
{
    if (device) {
        nvpsim__motion_free_all(device); /* one chain for all that it was */
    }
    while (device) {
        nvpsim_device *previous = device->previous;
        tracks_free(device);
        free(device->own_spec);
        free(device);
        device = previous;
    }
}

void nvpsim__world_free(nvpsim_world *world)
{
    if (!world) {
        return;
    }
    for (unsigned i = 0; world->slots && i < nvpsim__world_count(world); i++) {
        nvpsim_device *device = nvpsim__world_device(world, i);
        free(device->slices);
        nvpsim__device_free(device);
    }
    free(world->slots);
    nvpsim__scenario_free(world->scenario);
    free(world);
}
