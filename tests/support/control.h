/*
 * Control of the simulated driver from a test that uses nvpulse: each function looks its symbol up with nvp_symbol().
 * A missing symbol ends the test: it does not run on the simulator.
 */
#ifndef NVP_TESTS_SUPPORT_CONTROL_H
#define NVP_TESTS_SUPPORT_CONTROL_H

#include <nvpulse/nvpulse.h>
#include <nvpulse/sim.h>

#include <stdbool.h>

/** Calls of one NVML function so far; of all functions for NULL. */
uint64_t control_calls(const char *function);
/** Successful or not, the calls of all three init functions. */
uint64_t control_init_calls(void);
void control_reset_calls(void);
unsigned int control_in_flight(void);
/** Waits until `count` calls are inside the driver. */
void control_await_in_flight(unsigned int count);
void control_add_fault(const nvpsim_fault *fault);
/** A fault of one function: an error code. */
void control_fail(const char *function, int error);
/** A fault of one function: it does not return until faults are cleared. */
void control_hang(const char *function);
/** The same on one device only, or of all functions of it (NULL). */
void control_hang_device(int device, const char *function);
/** A fault of one function: it takes that long. */
void control_slow(const char *function, uint64_t latency_ms);
void control_clear_faults(void);

#endif
