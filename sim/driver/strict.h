/*
 * NVPULSE_SIM_STRICT: mistakes of the program that a real driver only answers with an error are told on stderr as well.
 */
#ifndef NVPSIM_DRIVER_STRICT_H
#define NVPSIM_DRIVER_STRICT_H

#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

typedef enum nvpsim_strictness { NVPSIM_STRICT_OFF, NVPSIM_STRICT_REPORT, NVPSIM_STRICT_ABORT } nvpsim_strictness;

/** Set when the library is loaded; then constant. */
extern nvpsim_strictness nvpsim__strict;

/** Nothing while it is off; else a line with the function's name, and the end of the process where that was asked for. */
void nvpsim__strict_report(int function, const char *mistake);

/** A call without a session, and a call with a handle that the session does not know. */
void nvpsim__strict_no_session(int function);
void nvpsim__strict_handle(int function, nvmlDevice_t handle);

#endif
