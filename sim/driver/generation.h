/*
 * Which driver this library simulates, and what follows from its release alone. The only part of the library that is
 * compiled once for each driver.
 */
#ifndef NVPSIM_DRIVER_GENERATION_H
#define NVPSIM_DRIVER_GENERATION_H

#include <stdbool.h>
#include <stddef.h>

/** A release as a number that can be compared: 580.65.06 is 580065006. */
#define NVPSIM_RELEASE(major, minor, patch) ((major)*1000000u + (minor)*1000u + (patch))

typedef struct nvpsim_generation {
    const char *version; /* "550.163.01" */
    unsigned release;    /* the same as NVPSIM_RELEASE */
    unsigned cuda;       /* highest CUDA version: 1000 * major + 10 * minor */
} nvpsim_generation;

extern const nvpsim_generation nvpsim__generation;

/** Whether the driver is of this release or a newer one. */
static inline bool nvpsim__driver_since(unsigned major, unsigned minor, unsigned patch)
{
    return nvpsim__generation.release >= NVPSIM_RELEASE(major, minor, patch);
}

/** Things of which a driver knows a number that grew: the valid ones are smaller than it. */
typedef enum nvpsim_known {
    NVPSIM_KNOWN_CLOCK_TYPES,
    NVPSIM_KNOWN_INFOROM_OBJECTS,
    NVPSIM_KNOWN_MEMORY_LOCATIONS,
    NVPSIM_KNOWN_SAMPLING_TYPES,
    NVPSIM_KNOWN_PERF_POLICIES,
    NVPSIM_KNOWN_THRESHOLDS,
    NVPSIM_KNOWN_NVLINKS,
    NVPSIM_KNOWN_NVLINK_ERRORS,
    NVPSIM_KNOWN_GPM_METRICS,
    NVPSIM_KNOWN_GPU_INSTANCE_PROFILES,
    NVPSIM_KNOWN_COMPUTE_INSTANCE_PROFILES,
    NVPSIM_KNOWN_THINGS
} nvpsim_known;

/** By nvpsim_known; filled when the library is loaded. */
extern unsigned nvpsim__driver_known[NVPSIM_KNOWN_THINGS];

/** Whether it has a text for this nvmlReturn_t, other than "Unknown Error". */
bool nvpsim__driver_knows_error(int code);

#endif
