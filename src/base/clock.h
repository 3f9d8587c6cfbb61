/*
 * Time as the library sees it: monotonic for waiting, wall clock for stamps.
 * Never used to decide about a driver's version or a value.
 */
#ifndef NVP_BASE_CLOCK_H
#define NVP_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NVP__NS_PER_MS INT64_C(1000000)
#define NVP__NS_PER_S INT64_C(1000000000)

static inline int64_t nvp__timespec_ns(const struct timespec *time)
{
    return (int64_t)time->tv_sec * NVP__NS_PER_S + time->tv_nsec;
}

/** Nanoseconds of the monotonic clock. */
static inline int64_t nvp__clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return nvp__timespec_ns(&now);
}

/** Nanoseconds since the machine was started, as /proc/uptime tells them: it goes on while the machine sleeps. */
static inline int64_t nvp__clock_boot_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return nvp__timespec_ns(&now);
}

/** Microseconds since 1970. */
static inline int64_t nvp__wall_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return nvp__timespec_ns(&now) / 1000;
}

static inline struct timespec nvp__timespec_of(int64_t ns)
{
    struct timespec time = { .tv_sec = (time_t)(ns / NVP__NS_PER_S), .tv_nsec = (long)(ns % NVP__NS_PER_S) };
    return time;
}

#endif
