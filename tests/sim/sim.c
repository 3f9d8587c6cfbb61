/*
 * Loading and unloading of the simulated driver under test.
 */
#include "sim.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *sim_path;
unsigned sim_major;

static void *library;
static char scenario_path[64];

int sim_arguments(int count, char **arguments)
{
    if (count != 2) {
        fprintf(stderr, "usage: %s LIBRARY\n", arguments[0]);
        return 2;
    }
    sim_path = arguments[1];
    const char *driver = strstr(sim_path, "/sim/");
    sim_major = driver ? (unsigned)strtoul(driver + 5, NULL, 10) : 0;
    return sim_major > 0 ? 0 : 2;
}

static void load(void)
{
    assert_null(library);
    library = dlopen(sim_path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail_msg("%s", dlerror());
}

void sim_load_profile(const char *profile)
{
    unsetenv("NVPULSE_SIM_SCENARIO");
    setenv("NVPULSE_SIM_PROFILE", profile, 1);
    setenv("NVPULSE_SIM_CLOCK", "stepped", 1);
    load();
}

void sim_load_file(const char *path)
{
    setenv("NVPULSE_SIM_SCENARIO", path, 1);
    unsetenv("NVPULSE_SIM_CLOCK");
    load();
}

const char *sim_write_file(const char *text)
{
    snprintf(scenario_path, sizeof scenario_path, "/tmp/nvpsim-test-XXXXXX");
    int file = mkstemp(scenario_path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    return scenario_path;
}

void sim_load_scenario(const char *yaml)
{
    sim_load_file(sim_write_file(yaml));
}

int sim_unload(void **state)
{
    (void)state;
    if (library && dlclose(library) != 0)
        fail_msg("%s", dlerror());
    library = NULL;
    if (scenario_path[0])
        unlink(scenario_path);
    scenario_path[0] = '\0';
    return 0;
}

void *sim_find(const char *name)
{
    return dlsym(library, name);
}

void *sim_need(const char *name)
{
    void *symbol = sim_find(name);
    if (!symbol)
        fail_msg("%s is not exported", name);
    return symbol;
}

void sim_init(void)
{
    SUCCEEDS(CALL(nvmlInit_v2)());
}

nvmlDevice_t sim_device(unsigned index)
{
    nvmlDevice_t device = NULL;
    SUCCEEDS(CALL(nvmlDeviceGetHandleByIndex_v2)(index, &device));
    return device;
}

void sim_step_ms(uint64_t step_ms)
{
    assert_int_equal(CALL(nvpsim_step_clock)(step_ms * 1000000), 0);
}
