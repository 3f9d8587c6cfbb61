/*
 * Calls that take as long as they do on real machines, when the scenario asks for it (`latency: measured`).
 */
#ifndef NVPSIM_DRIVER_LATENCY_H
#define NVPSIM_DRIVER_LATENCY_H

#include <stdbool.h>
#include <stdint.h>

/** Spends real time: short times by looking at the clock, longer ones asleep. */
void nvpsim__spend(uint64_t ns);

/** Spends the time that this function takes. */
void nvpsim__latency_of_function(int function);

/** What a field value takes, in ns; 0 when no latencies are wanted. */
uint64_t nvpsim__latency_of_field(unsigned field_id);

#endif
