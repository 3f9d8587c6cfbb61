/*
 * nvml-mock's `dynamic_metrics` as movements of ours: a walk for its random values, a square for its bursts, a sine for its ramps.
 */
#include "scenario/scenario.h"

enum { STEP_MS = 1000, BURST_S = 30, RAMP_S = 60 };

static double number_or(nvpsim_number number, double otherwise)
{
    return number.state == NVPSIM_GIVEN ? (double)number.value : otherwise;
}

static nvpsim_movement walk_between(double low, double high, uint64_t seed)
{
    return (nvpsim_movement){ .state = NVPSIM_GIVEN,
                              .kind = NVPSIM_WALK,
                              .low = low,
                              .high = high,
                              .period_ms = STEP_MS,
                              .step = (high - low) / 2,
                              .seed = seed };
}

static nvpsim_movement load_of(const nvpsim_dynamic_metrics *dynamic, double low, double high, uint64_t seed)
{
    double quarter = (high - low) / 4;
    switch (number_or(dynamic->pattern, NVPSIM_PATTERN_STEADY) > 0 ? (int)dynamic->pattern.value : NVPSIM_PATTERN_STEADY) {
    case NVPSIM_PATTERN_IDLE:
        return walk_between(low, low + quarter, seed);
    case NVPSIM_PATTERN_BUSY:
        return walk_between(high - quarter, high, seed);
    case NVPSIM_PATTERN_BURST:
        return (nvpsim_movement){ .state = NVPSIM_GIVEN,
                                  .kind = NVPSIM_SQUARE,
                                  .low = low,
                                  .high = high,
                                  .period_ms = (uint64_t)number_or(dynamic->burst_period_s, BURST_S) * 2000,
                                  .duty = 0.5 };
    default:
        return walk_between(low, high, seed);
    }
}

void nvpsim__dynamic_apply(nvpsim_device_spec *device)
{
    const nvpsim_dynamic_metrics *dynamic = &device->dynamic;
    uint64_t seed = (uint64_t)number_or(dynamic->seed, 0) + 1;
    if (dynamic->gpu_max.state == NVPSIM_GIVEN) {
        double low = number_or(dynamic->gpu_min, 0), high = (double)dynamic->gpu_max.value;
        device->gpu_percent = load_of(dynamic, low < high ? low : high, high, seed);
    }
    if (dynamic->memory_max.state == NVPSIM_GIVEN) {
        double low = number_or(dynamic->memory_min, 0), high = (double)dynamic->memory_max.value;
        device->memory_percent = load_of(dynamic, low < high ? low : high, high, seed + 1);
    }
    if (dynamic->base_mw.state == NVPSIM_GIVEN) {
        double base = (double)dynamic->base_mw.value, width = number_or(dynamic->variance_mw, 0);
        device->power_mw = walk_between(base > width ? base - width : 0, base + width, seed + 2);
    }
    if (dynamic->base_c.state == NVPSIM_GIVEN) {
        double base = (double)dynamic->base_c.value, ramp = number_or(dynamic->ramp_c, 0),
               width = number_or(dynamic->variance_c, 0);
        device->gpu_c = walk_between(base > width ? base - width : 0, base + width, seed + 3);
        if (ramp > 0) {
            device->gpu_c.kind = NVPSIM_SINE;
            device->gpu_c.low = base;
            device->gpu_c.high = base + ramp;
            device->gpu_c.period_ms = (uint64_t)number_or(dynamic->ramp_period_s, RAMP_S) * 1000;
        }
    }
}
