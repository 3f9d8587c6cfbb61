/*
 * Faults: rules that make matching calls fail, wait or hang. Kept under one lock, which is taken only while rules exist.
 */
#ifndef NVPSIM_DRIVER_FAULT_H
#define NVPSIM_DRIVER_FAULT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "scenario/scenario.h"

/** Reasons for a call to leave the short path; relaxed: a rule takes effect when the thread that added it says so. */
enum { NVPSIM_ATTEND_FAULTS = 1, NVPSIM_ATTEND_LOCK = 2, NVPSIM_ATTEND_LATENCY = 4, NVPSIM_ATTEND_CONTROL = 8 };
extern __attribute__((visibility("hidden"))) _Atomic unsigned nvpsim__attention;

typedef struct nvpsim_rule {
    int function; /* or -1 for all but nvmlErrorString */
    int device;   /* or -1 */
    int error;
    uint64_t latency_ns;
    bool hang;
    uint64_t from_ns, until_ns; /* simulated time in which calls match; until 0: for ever */
    uint64_t after_calls, times;
    uint64_t seen; /* matching calls so far */
} nvpsim_rule;

/** False when there is no room. */
bool nvpsim__fault_add(const nvpsim_rule *rule);
/** The same for a fault as it was written. */
bool nvpsim__fault_add_spec(const nvpsim_fault_spec *spec);
void nvpsim__fault_clear(void);

/** Lets the rules act on a call: waits, hangs, and gives the nvmlReturn_t to answer, 0 to go on. */
int nvpsim__fault_act(int function, int device);

/** In a forked child: the lock is free and nobody hangs. */
void nvpsim__fault_forked(void);

#endif
