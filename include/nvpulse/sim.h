/*
 * Control of the simulated driver from inside the process that uses it: clock, faults, call counts.
 * The simulator exports these as plain symbols; look them up with nvp_symbol() (or dlsym) and cast to the types below.
 * A real driver has none of them. All are safe from any thread and work before nvmlInit and after nvmlShutdown.
 */
#ifndef NVPULSE_SIM_H
#define NVPULSE_SIM_H

#include <stddef.h>
#include <stdint.h>

#include <nvpulse/base.h>

NVP_BEGIN_DECLS

/**
 * The marker by which a simulated driver is known: `const char *nvpsim_description(void)` gives one line such as
 * "nvpulse simulator, driver 550.163.01, profile h100x8". Static memory.
 */
#define NVPSIM_MARKER_SYMBOL "nvpsim_description"
typedef const char *nvpsim_description_fn(void);

/** `nvpsim_call_count`: calls of one NVML function since the start or the last reset; of all functions for NULL. */
typedef uint64_t nvpsim_call_count_fn(const char *function);
/** `nvpsim_reset_call_counts`: sets all counts to zero. */
typedef void nvpsim_reset_call_counts_fn(void);
/** `nvpsim_in_flight`: calls that are inside the simulated driver at this moment, hanging ones included. */
typedef unsigned int nvpsim_in_flight_fn(void);
/** `nvpsim_step_clock`: moves a stepped clock forward by `step_ns`; 0, or -1 when the scenario's clock is real. */
typedef int nvpsim_step_clock_fn(uint64_t step_ns);
/** `nvpsim_clock_ns`: the simulator's time in nanoseconds since the scenario began. */
typedef uint64_t nvpsim_clock_ns_fn(void);

/** A fault to inject. Start from zeroes with `struct_size` set; fields left zero mean "any" or "none". */
typedef struct nvpsim_fault {
    size_t struct_size;   /**< sizeof(nvpsim_fault) */
    const char *function; /**< exported name, or NULL for every function but nvmlErrorString */
    int device;           /**< index of the device, or -1 for any call whatever its device */
    int error;            /**< nvmlReturn_t to answer; 0: the call itself goes on as usual */
    uint64_t latency_ns;  /**< real time to spend in the call first */
    int hang;             /**< not 0: the call does not return until the fault is cleared; then it goes on */
    uint64_t after_calls; /**< matching calls that are let through first */
    uint64_t times;       /**< matching calls that are hit then; 0: all */
} nvpsim_fault;

/** `nvpsim_add_fault`: adds a fault (copied); 0, or -1 for an unknown function, a bad struct_size or no room (at most 64). */
typedef int nvpsim_add_fault_fn(const nvpsim_fault *fault);
/** `nvpsim_clear_faults`: removes all faults, those of the scenario too, and lets hanging calls go on. */
typedef void nvpsim_clear_faults_fn(void);

/**
 * `nvpsim_post_event`: an event of a device (by index): one nvmlEventType bit and its data (an Xid number for
 * nvmlEventTypeXidCriticalError). The number of event sets that get it, those that registered for it; -1 for a wrong argument.
 */
typedef int nvpsim_post_event_fn(unsigned int device, uint64_t type, uint64_t data);

/**
 * `nvpsim_check_scenario`: reads a scenario file without using it. 0 when it is good; -1 when not, with one line in
 * `message` (at most `size` bytes, NULL allowed): FILE:LINE:COLUMN: key 'NAME': what is wrong; allowed: what is right.
 * A good file may have keys that are known and not used; then the line is FILE: known, not used: NAME, NAME, each once.
 */
typedef int nvpsim_check_scenario_fn(const char *path, char *message, size_t size);

/** `nvpsim_check_recording`: the same for a recording (docs/snapshot.schema.json, one a line) that is to be replayed. */
typedef int nvpsim_check_recording_fn(const char *path, char *message, size_t size);

/**
 * `nvpsim_control_create`: makes a control file for the simulation that the environment of this process names; `path` must not exist,
 * or be left over from a process that has ended. 0, or -1 with one line in `message` (at most `size` bytes, NULL allowed).
 */
typedef int nvpsim_control_create_fn(const char *path, char *message, size_t size);

/**
 * `nvpsim_control`: changes a simulation that runs. `words` are those of `nvpulse sim ctl`, such as "set", "utilization.gpu=5". `path`:
 * the control file of the simulation; every process under it follows at its next call. NULL: the simulation of this process
 * itself, and of all others under its control file, if it has one. 0, or -1 with one line in `message` that says what is wrong
 * (at most `size` bytes, NULL allowed). Then nothing has changed, but in this process what stood before the mistake, where one
 * command is about several devices.
 */
typedef int nvpsim_control_fn(const char *path, size_t count, const char *const *words, char *message, size_t size);

/** `nvpsim_unused_keys`: the keys of the scenario in use that are known and not used, joined by ", "; "" when none. Static. */
typedef const char *nvpsim_unused_keys_fn(void);

/** `nvpsim_profile_name`: the name of a built-in profile; NULL past the last. Static memory. */
typedef const char *nvpsim_profile_name_fn(size_t index);
/** `nvpsim_profile_summary`: what that profile simulates, in one line. Static memory. */
typedef const char *nvpsim_profile_summary_fn(size_t index);
/** `nvpsim_profile_text`: the scenario file that the profile is, as YAML text of `*size` bytes. Static memory. */
typedef const char *nvpsim_profile_text_fn(size_t index, size_t *size);

NVP_END_DECLS

#endif
