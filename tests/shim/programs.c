/*
 * Programs that are built in ways of their own: `programs CASE` runs one case.
 */
#include "client.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <nvpulse/sim.h>

/* A program may have names like these for itself: it is not asked in the library's place. */
static unsigned int own_calls;

#define PUBLIC __attribute__((visibility("default")))

PUBLIC nvmlReturn_t nvmlInit(void);
PUBLIC nvmlReturn_t nvmlInit_v2(void);
PUBLIC nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *count);

nvmlReturn_t nvmlInit(void)
{
    own_calls++;
    return NVML_ERROR_UNKNOWN;
}

nvmlReturn_t nvmlInit_v2(void)
{
    own_calls++;
    return NVML_ERROR_UNKNOWN;
}

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *count)
{
    *count = 4711;
    own_calls++;
    return NVML_SUCCESS;
}

static void names_of_the_program_are_its_own(void)
{
    unsigned int count = 0;
    CHECK(dlsym(RTLD_DEFAULT, "nvmlInit") == (void *)(uintptr_t)nvmlInit); /* they can be found by everybody */
    CHECK(call("nvmlInit", 0, 0) == NVML_SUCCESS);
    init();
    CHECK(call("nvmlDeviceGetCount_v2", POINTER(&count), 0) == NVML_SUCCESS && count == 8);
    CHECK(call("nvmlDeviceGetCount", POINTER(&count), 0) == NVML_SUCCESS && count == 8);
    CHECK(own_calls == 0);
}

static char folder[] = "shim-XXXXXX";
static char path[PATH_MAX];

static void remove_folder(void)
{
    unlink(path);
    rmdir(folder);
}

/* Another file under the same name, as a package manager does it. */
static void install(const char *from)
{
    char fresh[PATH_MAX + 8];
    snprintf(fresh, sizeof fresh, "%s.new", path);
    CHECK(link(from, fresh) == 0 && rename(fresh, path) == 0);
}

static void check_driver(const char *version)
{
    char text[80] = "";
    CHECK(call("nvmlSystemGetDriverVersion", POINTER(text), sizeof text) == NVML_SUCCESS);
    if (strcmp(text, version) != 0) {
        fprintf(stderr, "driver %s, not %s\n", text, version);
        _exit(1);
    }
}

static void driver_that_is_upgraded_is_loaded_and_handles_go_on(void)
{
    char uuid[80] = "", again[80] = "";
    setenv("NVPULSE_RETRY_MS", "1", 1);
    CHECK(mkdtemp(folder) != NULL && realpath(folder, path) != NULL);
    strncat(path, "/libnvidia-ml.so.1", sizeof path - strlen(path) - 1);
    atexit(remove_folder);
    install(getenv("TEST_SIM_470"));
    setenv("NVPULSE_NVML_PATH", path, 1);
    init();
    check_driver("470.256.02");
    uint64_t device = device_of(library, 3);
    any_fn *uuid_of = find(library, "nvmlDeviceGetUUID");
    CHECK(uuid_of(device, POINTER(uuid), sizeof uuid, 0, 0, 0) == NVML_SUCCESS);
    void *loaded = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    nvpsim_add_fault_fn *add;
    void *symbol = loaded != NULL ? dlsym(loaded, "nvpsim_add_fault") : NULL;
    CHECK(symbol != NULL);
    memcpy(&add, &symbol, sizeof symbol);
    install(getenv("TEST_SIM_550"));
    const nvpsim_fault fault = { .struct_size = sizeof fault, .device = -1, .error = NVML_ERROR_LIB_RM_VERSION_MISMATCH };
    CHECK(add(&fault) == 0); /* what the old library answers when the new module is in */
    CHECK(uuid_of(device, POINTER(again), sizeof again, 0, 0, 0) == NVML_SUCCESS && strcmp(uuid, again) == 0);
    check_driver("550.163.01");
    CHECK(device_of(library, 3) == device);
    CHECK(call("nvmlShutdown", 0, 0) == NVML_SUCCESS);
    CHECK(uuid_of(device, POINTER(again), sizeof again, 0, 0, 0) == NVML_ERROR_UNINITIALIZED);
}

static const struct client_case cases[] = {
    { "names_of_the_program_are_its_own", names_of_the_program_are_its_own },
    { "driver_that_is_upgraded_is_loaded_and_handles_go_on", driver_that_is_upgraded_is_loaded_and_handles_go_on },
};

int main(int argc, char **argv)
{
    return client_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
