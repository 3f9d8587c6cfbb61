/*
 * A simulated driver loaded by a test: typed access to its functions, its control, and scenarios written on the fly.
 * Each load is a new world; the library is unloaded at the end of the test.
 */
#ifndef NVP_TESTS_SIM_H
#define NVP_TESTS_SIM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>
#include <nvpulse/sim.h>

#define NVP_FUNCTION(name, group, version, first_driver, first_release, flags, shape, parameters, arguments)                     \
    typedef nvmlReturn_t name##_fn parameters;
#include "abi/functions.def"
typedef const char *nvmlErrorString_fn(nvmlReturn_t result);

/** The path of the library under test, its driver version and the major number of that, from the command line. */
extern const char *sim_path;
extern char sim_driver[32];
extern unsigned sim_major;

/** Sets them from argv[1], a path such as .../sim/550.163.01/libnvidia-ml.so.1; the exit status to end with, or 0. */
int sim_arguments(int count, char **arguments);

/** Loads the library with a profile and a stepped clock, not initialised. One at a time. */
void sim_load_profile(const char *profile);
/** Loads it with a scenario that is written to a file first. */
void sim_load_scenario(const char *yaml);
/** Loads it with an existing file. */
void sim_load_file(const char *path);
/** Unloads it; also a teardown function of cmocka. */
int sim_unload(void **state);

/** A symbol of the library; NULL when absent. */
void *sim_find(const char *name);
/** A symbol that must be there. */
void *sim_need(const char *name);

/** Whether the driver under test is of this release or a newer one. */
bool sim_since(unsigned major, unsigned minor, unsigned patch);

/** How many NVLink links of a device the driver under test counts. */
unsigned sim_nvlinks(void);

/** Skips the test, visibly, when the driver under test lacks one of these functions. */
#define NEEDS(...) sim_needs((const char *const[]){ __VA_ARGS__, NULL })
void sim_needs(const char *const *names);

/** Calls: CALL(nvmlDeviceGetCount_v2)(&count). */
#define CALL(name) ((name##_fn *)sim_need(#name))
#define SUCCEEDS(expression) assert_int_equal((expression), NVML_SUCCESS)
#define ANSWERS(expression, code) assert_int_equal((expression), (code))

/** Initialises, and gives the handle of a device. */
void sim_init(void);
nvmlDevice_t sim_device(unsigned index);

void sim_step_ms(uint64_t step_ms);

/** A temporary file with this text; the name is static memory. */
const char *sim_write_file(const char *text);

#endif
