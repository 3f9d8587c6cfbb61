/*
 * The simulator's time: nanoseconds since the scenario began, from the machine's clock or from a clock that a test steps.
 * Everything that the simulated driver says about time comes from here; only fault latencies use real time.
 */
#ifndef NVPSIM_BASE_CLOCK_H
#define NVPSIM_BASE_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define NVPSIM_NS_PER_MS UINT64_C(1000000)
#define NVPSIM_NS_PER_S UINT64_C(1000000000)

/** Written while the world is built, before a reader can see it; `stepped_ns` at any time (relaxed: it is only a number). */
typedef struct nvpsim_clock {
    bool stepped;
    uint64_t origin_ns;          /**< real: reading of CLOCK_MONOTONIC_COARSE at the start */
    uint64_t epoch_us;           /**< microseconds since 1970 at the start */
    _Atomic uint64_t stepped_ns; /**< stepped: the time */
} nvpsim_clock;

void nvpsim__clock_start(nvpsim_clock *clock, bool stepped);

static inline uint64_t nvpsim__clock_raw_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * NVPSIM_NS_PER_S + (uint64_t)now.tv_nsec;
}

/** Nanoseconds since the scenario began. The real clock moves in the kernel's ticks (1 to 4 ms): cheap, and fine enough. */
static inline uint64_t nvpsim__clock_ns(const nvpsim_clock *clock)
{
    if (clock->stepped) {
        return atomic_load_explicit(&clock->stepped_ns, memory_order_relaxed);
    }
    return nvpsim__clock_raw_ns() - clock->origin_ns;
}

/** The wall-clock time, in microseconds since 1970, that belongs to a simulated time. */
static inline uint64_t nvpsim__clock_wall_us(const nvpsim_clock *clock, uint64_t now_ns)
{
    return clock->epoch_us + now_ns / 1000;
}

#endif
