/*
 * The table of latencies. Looked at only when the attention word says so.
 */
#include "driver/latency.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#include "base/clock.h"
#include "base/function.h"
#include "driver/fault.h"

/* Below this a sleep would take longer than asked for. */
#define SHORTEST_SLEEP_NS 100000u

static const uint64_t of_function[NVPSIM_FUNCTION_COUNT] = {
#define LATENCY(function, us) [NVPSIM_FN_##function] = (uint64_t)((us)*1000),
#define FIELD_LATENCY(first, last, us)
#include "driver/latencies.def"
};

static const struct {
    unsigned first, last;
    uint64_t ns;
} of_fields[] = {
#define LATENCY(function, us)
#define FIELD_LATENCY(first, last, us) { first, last, (uint64_t)((us)*1000) },
#include "driver/latencies.def"
};

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NVPSIM_NS_PER_S + (uint64_t)now.tv_nsec;
}

void nvpsim__spend(uint64_t ns)
{
    if (ns >= SHORTEST_SLEEP_NS) {
        struct timespec left = { (time_t)(ns / NVPSIM_NS_PER_S), (long)(ns % NVPSIM_NS_PER_S) };
        while (nanosleep(&left, &left) != 0 && errno == EINTR) {
            ;
        }
        return;
    }
    for (uint64_t end = now_ns() + ns; now_ns() < end;) {
        ;
    }
}

void nvpsim__latency_of_function(int function)
{
    if (of_function[function] > 0) {
        nvpsim__spend(of_function[function]);
    }
}

uint64_t nvpsim__latency_of_field(unsigned field_id)
{
    if ((atomic_load_explicit(&nvpsim__attention, memory_order_relaxed) & NVPSIM_ATTEND_LATENCY) == 0) {
        return 0;
    }
    for (size_t i = 0; i < sizeof of_fields / sizeof of_fields[0]; i++) {
        if (field_id >= of_fields[i].first && field_id <= of_fields[i].last) {
            return of_fields[i].ns;
        }
    }
    return 0;
}
