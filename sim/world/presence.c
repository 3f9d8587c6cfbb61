/*
 * Whether a device is there: pure functions of its spec and the time. That a program does not see a device come back before it
 * initialises anew is the business of driver/session.c.
 */
#include "world/world.h"

static uint64_t ns_or(nvpsim_number ms, uint64_t otherwise)
{
    return ms.state == NVPSIM_GIVEN ? ms.value * NVPSIM_NS_PER_MS : otherwise;
}

static bool is_set(nvpsim_number flag)
{
    return flag.state == NVPSIM_GIVEN && flag.value != 0;
}

bool nvpsim__spec_is_lost(const nvpsim_device_spec *spec)
{
    bool has_failed = spec->failure_mode.state == NVPSIM_GIVEN && spec->failure_mode.value == NVPSIM_FAILURE_LOST &&
                      spec->failure_after_calls.state != NVPSIM_GIVEN;
    return is_set(spec->lost) || has_failed;
}

bool nvpsim__spec_is_unsteady(const nvpsim_device_spec *spec)
{
    bool is_unplugged = spec->plug_present.state == NVPSIM_GIVEN && !spec->plug_present.value;
    return nvpsim__spec_is_lost(spec) || is_unplugged || spec->presence.state == NVPSIM_GIVEN ||
           spec->plug_from_ms.state == NVPSIM_GIVEN || spec->plug_until_ms.state == NVPSIM_GIVEN ||
           spec->flap_period_ms.state == NVPSIM_GIVEN;
}

/* A device that flaps is lost at the end of each period. How many periods have passed by a time. */
static uint64_t flaps_by(const nvpsim_device_spec *spec, uint64_t now_ns)
{
    uint64_t period_ns = ns_or(spec->flap_period_ms, 0), from_ns = ns_or(spec->flap_from_ms, 0);
    return period_ns == 0 || now_ns < from_ns ? 0 : (now_ns - from_ns) / period_ns;
}

static bool is_flapped(const nvpsim_device_spec *spec, uint64_t now_ns)
{
    uint64_t period_ns = ns_or(spec->flap_period_ms, 0), from_ns = ns_or(spec->flap_from_ms, 0);
    return period_ns > 0 && now_ns >= from_ns && (now_ns - from_ns) % period_ns >= period_ns - ns_or(spec->flap_lost_ms, 0);
}

nvpsim_presence nvpsim__device_presence(const nvpsim_device *device, uint64_t now_ns)
{
    const nvpsim_device_spec *spec = device->spec;
    bool is_unplugged = spec->plug_present.state == NVPSIM_GIVEN && !spec->plug_present.value;
    if (device->presence && !is_unplugged && !nvpsim__spec_is_lost(spec)) {
        return (nvpsim_presence)nvpsim__track_value(device->presence, now_ns);
    }
    if (is_unplugged || now_ns < ns_or(spec->plug_from_ms, 0) || now_ns >= ns_or(spec->plug_until_ms, UINT64_MAX)) {
        return NVPSIM_AWAY;
    }
    return nvpsim__spec_is_lost(spec) || is_flapped(spec, now_ns) ? NVPSIM_LOST : NVPSIM_HERE;
}

bool nvpsim__device_was_gone(const nvpsim_device *device, uint64_t from_ns, uint64_t to_ns)
{
    if (nvpsim__device_presence(device, from_ns) != NVPSIM_HERE || nvpsim__device_presence(device, to_ns) != NVPSIM_HERE) {
        return true;
    }
    if (device->presence) {
        return nvpsim__track_most(device->presence, from_ns, to_ns) > NVPSIM_HERE;
    }
    return flaps_by(device->spec, to_ns) > flaps_by(device->spec, from_ns);
}

uint64_t nvpsim__device_next_loss(const nvpsim_device *device, uint64_t after_ns)
{
    const nvpsim_device_spec *spec = device->spec;
    if (device->presence) {
        return nvpsim__track_next_rise(device->presence, after_ns);
    }
    if (nvpsim__spec_is_lost(spec)) {
        return UINT64_MAX;
    }
    uint64_t period_ns = ns_or(spec->flap_period_ms, 0), from_ns = ns_or(spec->flap_from_ms, 0);
    uint64_t flap_ns = UINT64_MAX, out_ns = ns_or(spec->plug_until_ms, UINT64_MAX);
    if (period_ns > 0) {
        uint64_t first_ns = from_ns + period_ns - ns_or(spec->flap_lost_ms, 0);
        flap_ns = first_ns > after_ns ? first_ns : first_ns + ((after_ns - first_ns) / period_ns + 1) * period_ns;
    }
    if (flap_ns < out_ns) {
        return flap_ns;
    }
    return out_ns > after_ns ? out_ns : UINT64_MAX;
}
