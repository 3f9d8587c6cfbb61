/*
 * Power, energy and temperature of a device: curves that follow from the load and the power limit.
 * A new limit makes new curves that begin where the old ones stand: energy never falls and temperature never jumps.
 */
#include <math.h>
#include <stdlib.h>

#include "world/world.h"

static double number_or(nvpsim_number number, double otherwise)
{
    return number.state == NVPSIM_GIVEN ? (double)number.value : otherwise;
}

static double time_constant_ns(const nvpsim_device *device)
{
    return number_or(device->spec->thermal_time_ms, 20000) * (double)NVPSIM_NS_PER_MS;
}

static double default_limit_mw(const nvpsim_device *device)
{
    const nvpsim_device_spec *spec = device->spec;
    return number_or(spec->power_default_mw, number_or(spec->power_enforced_mw, number_or(spec->power_max_mw, 0)));
}

/* What the load would draw if nothing limited it. */
static nvpsim_line demand_line(const nvpsim_device *device)
{
    double span_mw = default_limit_mw(device) * 0.97 - device->idle_mw;
    return (nvpsim_line){ device->idle_mw, span_mw > 0 ? span_mw / 100 : 0, 0, INFINITY };
}

static bool power_make(const nvpsim_device *device, unsigned limit_mw, nvpsim_track **track)
{
    const nvpsim_movement *drawn = &device->spec->power_mw;
    double high_mw = limit_mw > 0 ? (double)limit_mw : INFINITY;
    double low_mw = number_or(device->spec->power_idle_mw, 0);
    nvpsim_line line = { 0, 1, low_mw < high_mw ? low_mw : high_mw, high_mw };
    *track = NULL;
    if (drawn->state == NVPSIM_NOT_AVAILABLE || (drawn->state == NVPSIM_ABSENT && default_limit_mw(device) <= 0)) {
        return true;
    }
    if (drawn->state == NVPSIM_GIVEN && drawn->kind == NVPSIM_RECORDED) { /* the truth, even when it is above the limit */
        *track = nvpsim__track_make(drawn, (nvpsim_track_place){ 0 });
    } else if (drawn->state == NVPSIM_GIVEN) {
        nvpsim_track_place place = { device->seed, device->index, 30 };
        nvpsim_track *raw = nvpsim__track_make(drawn, place);
        *track = raw ? nvpsim__track_map(raw, line) : NULL;
        nvpsim__track_free(raw);
    } else if (device->engines[NVPSIM_ENGINE_GPU]) {
        line.offset = demand_line(device).offset;
        line.factor = demand_line(device).factor;
        *track = nvpsim__track_map(device->engines[NVPSIM_ENGINE_GPU], line);
    } else {
        *track = nvpsim__track_constant(device->idle_mw);
    }
    return *track != NULL;
}

static bool temperature_make(const nvpsim_device *device, const nvpsim_track *power_mw, nvpsim_track **track)
{
    const nvpsim_device_spec *spec = device->spec;
    double ambient_c = number_or(spec->ambient_c, 30), full_c = number_or(spec->full_load_c, 68);
    *track = NULL;
    if (spec->gpu_c.state == NVPSIM_NOT_AVAILABLE) {
        return true;
    }
    if (spec->gpu_c.state == NVPSIM_GIVEN) {
        *track = nvpsim__track_make(&spec->gpu_c, (nvpsim_track_place){ device->seed, device->index, 31 });
    } else if (!power_mw || default_limit_mw(device) <= 0) {
        *track = nvpsim__track_constant(ambient_c);
    } else {
        nvpsim_line line = { ambient_c, (full_c - ambient_c) / default_limit_mw(device), 0, 200 };
        nvpsim_track *slow = nvpsim__track_follow(power_mw, time_constant_ns(device));
        *track = slow ? nvpsim__track_map(slow, line) : NULL;
        nvpsim__track_free(slow);
    }
    return *track != NULL;
}

static void motion_free(nvpsim_motion *motion)
{
    if (!motion) {
        return;
    }
    nvpsim__track_free(motion->power_mw);
    nvpsim__track_free(motion->gpu_c);
    free(motion);
}

static nvpsim_motion *motion_make(const nvpsim_device *device, unsigned limit_mw)
{
    nvpsim_motion *motion = calloc(1, sizeof *motion);
    if (!motion) {
        return NULL;
    }
    motion->limit_mw = limit_mw;
    if (!power_make(device, limit_mw, &motion->power_mw) || !temperature_make(device, motion->power_mw, &motion->gpu_c)) {
        motion_free(motion);
        return NULL;
    }
    return motion;
}

bool nvpsim__motion_start(nvpsim_device *device)
{
    double limit_mw = number_or(device->spec->power_enforced_mw, default_limit_mw(device));
    nvpsim_motion *motion = motion_make(device, (unsigned)limit_mw);
    if (!motion) {
        return false;
    }
    motion->energy_before_mj = number_or(device->spec->energy_mj, 0);
    atomic_store_explicit(&device->motion, motion, memory_order_release);
    return true;
}

void nvpsim__motion_free_all(nvpsim_device *device)
{
    nvpsim_motion *motion = atomic_load_explicit(&device->motion, memory_order_acquire);
    while (motion) {
        nvpsim_motion *previous = (nvpsim_motion *)motion->previous;
        motion_free(motion);
        motion = previous;
    }
    atomic_store_explicit(&device->motion, NULL, memory_order_relaxed);
}

/* The motion that is in force at a time. */
static const nvpsim_motion *motion_at(const nvpsim_device *device, uint64_t now_ns)
{
    const nvpsim_motion *motion = atomic_load_explicit(&device->motion, memory_order_acquire);
    while (motion->previous && now_ns < motion->since_ns) {
        motion = motion->previous;
    }
    return motion;
}

bool nvpsim__device_power(const nvpsim_device *device, uint64_t now_ns, double *power_mw)
{
    const nvpsim_motion *motion = motion_at(device, now_ns);
    if (!motion->power_mw) {
        return false;
    }
    *power_mw = nvpsim__track_value(motion->power_mw, now_ns);
    return !isnan(*power_mw);
}

bool nvpsim__device_energy(const nvpsim_device *device, uint64_t now_ns, double *energy_mj)
{
    const nvpsim_motion *motion = motion_at(device, now_ns);
    if (device->energy_counter_mj) {
        *energy_mj = nvpsim__track_value(device->energy_counter_mj, now_ns);
        return !isnan(*energy_mj);
    }
    if (!motion->power_mw || device->spec->energy_mj.state == NVPSIM_NOT_AVAILABLE) {
        return false;
    }
    *energy_mj = motion->energy_before_mj + nvpsim__track_integral(motion->power_mw, now_ns) - motion->integral_before_mws;
    return true;
}

bool nvpsim__device_temperature(const nvpsim_device *device, uint64_t now_ns, double *gpu_c)
{
    const nvpsim_motion *motion = motion_at(device, now_ns);
    if (!motion->gpu_c) {
        return false;
    }
    *gpu_c = nvpsim__track_value(motion->gpu_c, now_ns);
    if (motion->gap_c != 0) {
        *gpu_c += motion->gap_c * exp(-(double)(now_ns - motion->since_ns) / time_constant_ns(device));
    }
    return !isnan(*gpu_c);
}

unsigned nvpsim__device_limit_mw(const nvpsim_device *device)
{
    return atomic_load_explicit(&device->motion, memory_order_acquire)->limit_mw;
}

bool nvpsim__device_is_power_capped(const nvpsim_device *device, uint64_t now_ns)
{
    double load;
    unsigned limit_mw = nvpsim__device_limit_mw(device);
    if (limit_mw == 0 || device->spec->power_mw.state != NVPSIM_ABSENT ||
        !nvpsim__device_load(device, NVPSIM_ENGINE_GPU, now_ns, &load)) {
        return false;
    }
    nvpsim_line line = demand_line(device);
    return line.offset + line.factor * load > (double)limit_mw;
}

/* Makes one motion follow another on the same device: energy never falls, and the temperature does not jump by itself. */
static void motion_join(const nvpsim_device *before, nvpsim_motion *after, uint64_t now_ns)
{
    nvpsim_motion *last = atomic_load_explicit(&before->motion, memory_order_acquire);
    double energy_mj, gpu_c;
    after->previous = last;
    after->since_ns = now_ns > last->since_ns ? now_ns : last->since_ns;
    if (nvpsim__device_energy(before, after->since_ns, &energy_mj)) {
        after->energy_before_mj = energy_mj;
    }
    if (after->power_mw) {
        after->integral_before_mws = nvpsim__track_integral(after->power_mw, after->since_ns);
    }
    if (after->gpu_c && nvpsim__device_temperature(before, after->since_ns, &gpu_c)) {
        after->gap_c = gpu_c - nvpsim__track_value(after->gpu_c, after->since_ns);
    }
}

bool nvpsim__device_set_limit(nvpsim_device *device, uint64_t now_ns, unsigned limit_mw)
{
    nvpsim_motion *after = motion_make(device, limit_mw);
    if (!after) {
        return false;
    }
    motion_join(device, after, now_ns);
    atomic_store_explicit(&device->motion, after, memory_order_release);
    return true;
}

static bool is_same(nvpsim_number a, nvpsim_number b)
{
    return a.state == b.state && (a.state != NVPSIM_GIVEN || a.value == b.value);
}

/* A limit that the program has set holds on, unless this change is about the limit. A stated temperature is there at once. */
bool nvpsim__motion_continue(nvpsim_device *device, const nvpsim_device *before)
{
    const nvpsim_device_spec *spec = device->spec, *old = before->spec;
    nvpsim_motion *motion = atomic_load_explicit(&device->motion, memory_order_relaxed);
    unsigned limit_mw = nvpsim__device_limit_mw(before);
    bool keeps_limit =
        is_same(spec->power_enforced_mw, old->power_enforced_mw) && is_same(spec->power_default_mw, old->power_default_mw);
    if (keeps_limit && motion->limit_mw != limit_mw) {
        motion_free(motion);
        motion = motion_make(device, limit_mw);
        atomic_store_explicit(&device->motion, motion, memory_order_relaxed);
    }
    if (!motion) {
        return false;
    }
    motion_join(before, motion, device->since_ns);
    if (spec->gpu_c.state == NVPSIM_GIVEN) {
        motion->gap_c = 0;
    }
    if (!is_same(spec->energy_mj, old->energy_mj)) {
        motion->energy_before_mj = number_or(spec->energy_mj, 0);
    }
    return true;
}

void nvpsim__motion_forget(nvpsim_device *device, uint64_t before_ns)
{
    nvpsim_motion *motion = atomic_load_explicit(&device->motion, memory_order_acquire);
    while (motion && motion->since_ns > before_ns) {
        motion = (nvpsim_motion *)motion->previous;
    }
    nvpsim_motion *past = motion ? (nvpsim_motion *)motion->previous : NULL;
    if (past) {
        motion->previous = NULL;
    }
    while (past) {
        nvpsim_motion *previous = (nvpsim_motion *)past->previous;
        motion_free(past);
        past = previous;
    }
}
