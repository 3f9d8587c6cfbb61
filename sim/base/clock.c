/*
 * Start of the simulator's clock.
 * A stepped clock begins at a fixed date, so that two runs give the same time stamps.
 */
#include "base/clock.h"

/* 2025-01-01 00:00:00 UTC */
#define STEPPED_EPOCH_US UINT64_C(1735689600000000)

void nvpsim__clock_start(nvpsim_clock *clock, bool stepped)
{
    clock->stepped = stepped;
    clock->origin_ns = nvpsim__clock_raw_ns();
    atomic_store_explicit(&clock->stepped_ns, 0, memory_order_relaxed);
    clock->epoch_us = STEPPED_EPOCH_US;
    if (!stepped) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        clock->epoch_us = (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
    }
}
