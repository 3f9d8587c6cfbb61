/*
 * What can be read from a device at a time: loads, memory, clocks, fans, traffic.
 * Pure functions of the device and the time, but for the settings that a caller has made.
 */
#include <math.h>

#include "world/world.h"

static double number_or(nvpsim_number number, double otherwise)
{
    return number.state == NVPSIM_GIVEN ? (double)number.value : otherwise;
}

static bool track_read(const nvpsim_track *track, uint64_t now_ns, double *value)
{
    if (!track) {
        return false;
    }
    double read = nvpsim__track_value(track, now_ns);
    if (isnan(read)) { /* of a recording, at a time when it had none */
        return false;
    }
    *value = read;
    return true;
}

/* False when there is a curve that has no value now; what would follow from others is not told then either. */
static bool is_readable(const nvpsim_track *track, uint64_t now_ns)
{
    return !track || !isnan(nvpsim__track_value(track, now_ns));
}

bool nvpsim__device_load(const nvpsim_device *device, nvpsim_engine engine, uint64_t now_ns, double *percent)
{
    return track_read(nvpsim__device_at(device, now_ns)->engines[engine], now_ns, percent);
}

bool nvpsim__device_memory_temperature(const nvpsim_device *device, uint64_t now_ns, double *memory_c)
{
    return track_read(device->memory_c, now_ns, memory_c);
}

/* Memory comes in pages of 64 KiB; a number that was stated is told as it is. */
uint64_t nvpsim__memory_bytes(const nvpsim_track *track, uint64_t now_ns)
{
    double value = 0;
    track_read(track, now_ns, &value);
    uint64_t bytes = (uint64_t)value;
    return nvpsim__track_is_exact(track) ? bytes : bytes & ~UINT64_C(0xffff);
}

static uint64_t processes_memory(const nvpsim_device *device, uint64_t now_ns)
{
    uint64_t sum = 0, one;
    for (size_t i = 0; i < device->process_count; i++) {
        if (nvpsim__process_is_running(&device->processes[i], now_ns) &&
            nvpsim__process_memory(&device->processes[i], now_ns, &one)) {
            sum += one;
        }
    }
    return sum;
}

bool nvpsim__device_memory(const nvpsim_device *device, uint64_t now_ns, nvpsim_memory *memory)
{
    if (device->memory_total == 0 || !is_readable(device->memory_used, now_ns)) {
        return false;
    }
    uint64_t most = device->memory_total - device->memory_reserved;
    uint64_t used = device->memory_used ? nvpsim__memory_bytes(device->memory_used, now_ns) : 0;
    if (!device->memory_used || !device->is_recorded) {
        uint64_t processes = processes_memory(device, now_ns);
        used = processes > used ? processes : used;
    }
    used = used > most ? most : used;
    *memory = (nvpsim_memory){ device->memory_total, device->memory_reserved, used, most - used };
    return true;
}

bool nvpsim__device_fan(const nvpsim_device *device, unsigned fan, uint64_t now_ns, double *percent)
{
    double gpu_c;
    if (fan >= device->fans || device->spec->fan_percent.state == NVPSIM_NOT_AVAILABLE ||
        !is_readable(device->fan_percent, now_ns)) {
        return false;
    }
    unsigned by_hand = atomic_load_explicit(&device->settings->fan_percent[fan], memory_order_relaxed);
    if (by_hand > 0) {
        *percent = by_hand;
        return true;
    }
    if (track_read(device->fan_percent, now_ns, percent)) {
        return true;
    }
    if (!nvpsim__device_temperature(device, now_ns, &gpu_c)) {
        return false;
    }
    double low = number_or(device->spec->fan_min_percent, 30);
    double wanted = low + (gpu_c - 45) * 1.6;
    *percent = wanted < low ? low : (wanted > 100 ? 100 : wanted);
    return true;
}

bool nvpsim__device_fan_target(const nvpsim_device *device, unsigned fan, uint64_t now_ns, double *percent)
{
    if (fan >= device->fans || device->spec->fan_target_percent.state == NVPSIM_NOT_AVAILABLE) {
        return false;
    }
    unsigned by_hand = atomic_load_explicit(&device->settings->fan_percent[fan], memory_order_relaxed);
    if (by_hand == 0 && track_read(device->fan_target_percent, now_ns, percent)) {
        return true;
    }
    return nvpsim__device_fan(device, fan, now_ns, percent);
}

bool nvpsim__device_clock_max(const nvpsim_device *device, nvpsim_clock_domain domain, unsigned *mhz)
{
    const nvpsim_device_spec *spec = device->spec;
    const nvpsim_number *limits[NVPSIM_CLOCK_DOMAINS] = { &spec->graphics_max_mhz, &spec->sm_max_mhz, &spec->memory_max_mhz,
                                                          &spec->video_max_mhz };
    const nvpsim_number *limit = limits[domain];
    if (domain == NVPSIM_SM && limit->state == NVPSIM_ABSENT) {
        limit = &spec->graphics_max_mhz;
    }
    if (limit->state != NVPSIM_GIVEN) {
        return false;
    }
    *mhz = (unsigned)limit->value;
    return true;
}

static unsigned locked(unsigned mhz, unsigned low, unsigned high)
{
    if (low > 0 && mhz < low) {
        mhz = low;
    }
    return high > 0 && mhz > high ? high : mhz;
}

static unsigned clock_lock(const nvpsim_device *device, nvpsim_clock_domain domain, unsigned mhz)
{
    const nvpsim_settings *settings = device->settings;
    if (domain == NVPSIM_MEMORY_CLOCK) {
        return locked(mhz, atomic_load_explicit(&settings->memory_low_mhz, memory_order_relaxed),
                      atomic_load_explicit(&settings->memory_high_mhz, memory_order_relaxed));
    }
    if (domain == NVPSIM_VIDEO) {
        return mhz;
    }
    return locked(mhz, atomic_load_explicit(&settings->graphics_low_mhz, memory_order_relaxed),
                  atomic_load_explicit(&settings->graphics_high_mhz, memory_order_relaxed));
}

/* Steps of 15 MHz, as GPUs have them. */
static unsigned clock_follow(const nvpsim_device *device, nvpsim_clock_domain domain, unsigned max_mhz, uint64_t now_ns)
{
    double load = 0;
    nvpsim__device_load(device, NVPSIM_ENGINE_GPU, now_ns, &load);
    if (load < 1) {
        double otherwise = domain == NVPSIM_MEMORY_CLOCK ? max_mhz : max_mhz / 6.0;
        nvpsim_number idle = domain == NVPSIM_MEMORY_CLOCK ? device->spec->memory_idle_mhz : device->spec->graphics_idle_mhz;
        return (unsigned)number_or(idle, otherwise);
    }
    if (domain == NVPSIM_MEMORY_CLOCK) {
        return max_mhz;
    }
    double part = 1 - 0.0008 * load;
    if (nvpsim__device_is_power_capped(device, now_ns)) {
        part *= 0.8;
    }
    return (unsigned)(max_mhz * part) / 15 * 15;
}

bool nvpsim__device_clock(const nvpsim_device *device, nvpsim_clock_domain domain, uint64_t now_ns, unsigned *mhz)
{
    const nvpsim_device_spec *spec = device->spec;
    const nvpsim_movement *stated[NVPSIM_CLOCK_DOMAINS] = { &spec->graphics_mhz, &spec->sm_mhz, &spec->memory_mhz,
                                                            &spec->video_mhz };
    double value;
    unsigned max_mhz;
    if (now_ns < device->since_ns && device->previous) {
        return nvpsim__device_clock(nvpsim__device_at(device, now_ns), domain, now_ns, mhz);
    }
    if (domain == NVPSIM_SM && stated[domain]->state == NVPSIM_ABSENT) {
        domain = NVPSIM_GRAPHICS;
    }
    if (stated[domain]->state == NVPSIM_NOT_AVAILABLE || !is_readable(device->clocks[domain], now_ns)) {
        return false;
    }
    if (track_read(device->clocks[domain], now_ns, &value)) {
        *mhz = clock_lock(device, domain, (unsigned)value);
    } else if (nvpsim__device_clock_max(device, domain, &max_mhz)) {
        *mhz = clock_lock(device, domain, clock_follow(device, domain, max_mhz, now_ns));
    } else {
        return false;
    }
    return true;
}

bool nvpsim__device_pcie(const nvpsim_device *device, nvpsim_direction direction, uint64_t now_ns, double *kbps)
{
    return track_read(device->pcie_kbps[direction], now_ns, kbps);
}

double nvpsim__device_integral(const nvpsim_device *device, size_t member, uint64_t from_ns, uint64_t to_ns)
{
    double sum = 0;
    for (; device && from_ns < to_ns; device = device->previous) {
        const nvpsim_track *track = *(nvpsim_track *const *)((const char *)device + member);
        uint64_t since_ns = device->previous && device->since_ns > from_ns ? device->since_ns : from_ns;
        if (track && since_ns < to_ns) {
            sum += nvpsim__track_integral(track, to_ns) - nvpsim__track_integral(track, since_ns);
        }
        to_ns = since_ns < to_ns ? since_ns : to_ns;
    }
    return sum;
}

/* What was moved up to a time that is not before the device's own: a sum that never falls. */
static bool bytes_read(const nvpsim_device *device, const nvpsim_track *track, int which, uint64_t now_ns, double *bytes)
{
    if (device->byte_counters[which]) {
        return track_read(device->byte_counters[which], now_ns, bytes);
    }
    if (!track) {
        return false;
    }
    double since = device->since_ns > 0 ? nvpsim__track_integral(track, device->since_ns) : 0;
    *bytes = device->bytes_before[which] + (nvpsim__track_integral(track, now_ns) - since) * 1000;
    return true;
}

bool nvpsim__device_pcie_bytes(const nvpsim_device *device, nvpsim_direction direction, uint64_t now_ns, double *bytes)
{
    return bytes_read(device, device->pcie_kbps[direction], (int)direction, now_ns, bytes);
}

bool nvpsim__device_nvlink_bytes(const nvpsim_device *device, nvpsim_direction direction, uint64_t now_ns, double *bytes)
{
    return bytes_read(device, device->nvlink_kbps[direction], 2 + (int)direction, now_ns, bytes);
}

bool nvpsim__device_clock_reasons(const nvpsim_device *device, uint64_t now_ns, uint64_t *mask)
{
    double value;
    if (!track_read(device->clock_reasons, now_ns, &value)) {
        return false;
    }
    *mask = (uint64_t)value;
    return true;
}

unsigned nvpsim__device_performance_state(const nvpsim_device *device, uint64_t now_ns)
{
    double load = 0;
    if (track_read(device->performance, now_ns, &load)) {
        return (unsigned)load;
    }
    if (device->spec->performance_state.state == NVPSIM_GIVEN) {
        return (unsigned)device->spec->performance_state.value;
    }
    nvpsim__device_load(device, NVPSIM_ENGINE_GPU, now_ns, &load);
    return load < 1 ? 8 : 0;
}
