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
char sim_driver[32];
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
    if (!driver || sscanf(driver, "/sim/%31[0-9.]", sim_driver) != 1) {
        return 2;
    }
    sim_major = (unsigned)strtoul(sim_driver, NULL, 10);
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

bool sim_since(unsigned major, unsigned minor, unsigned patch)
{
    const unsigned wanted[3] = { major, minor, patch };
    unsigned own[3] = { 0 };
    sscanf(sim_driver, "%u.%u.%u", &own[0], &own[1], &own[2]);
    for (int i = 0; i < 3; i++) {
        if (own[i] != wanted[i]) {
            return own[i] > wanted[i];
        }
    }
    return true;
}

unsigned sim_nvlinks(void)
{
    if (sim_since(610, 43, 2)) {
        return 36;
    }
    return sim_since(520, 56, 6) ? 18 : (sim_since(450, 51, 0) ? 12 : 6);
}

void sim_needs(const char *const *names)
{
    for (; *names; names++) {
        if (!sim_find(*names)) {
            CALL(nvmlShutdown)(); /* a case may have begun; shutting down without an init succeeds */
            sim_unload(NULL);
            print_message("driver %s has no %s\n", sim_driver, *names);
            skip();
        }
    }
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
