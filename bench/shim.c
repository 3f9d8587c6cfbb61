/*
 * What the shim adds to a call: the same getter of the simulated driver, called directly and through the shim.
 */
#include "measure.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS 15
#define CALLS 200000u

typedef nvmlReturn_t temperature_fn(nvmlDevice_t device, nvmlTemperatureSensors_t sensor, unsigned int *celsius);
typedef nvmlReturn_t init_fn(void);
typedef nvmlReturn_t handle_fn(unsigned int index, nvmlDevice_t *device);

struct way {
    temperature_fn *get;
    nvmlDevice_t device;
};
static struct way ways[2];

static void call(const struct way *way, unsigned int calls)
{
    unsigned int celsius;
    for (unsigned int i = 0; i < calls; i++) {
        way->get(way->device, NVML_TEMPERATURE_GPU, &celsius);
    }
}

static void call_driver(void *argument, unsigned int calls)
{
    (void)argument;
    call(&ways[0], calls);
}

static void call_shim(void *argument, unsigned int calls)
{
    (void)argument;
    call(&ways[1], calls);
}

static void *symbol(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);
    memcpy(function, &address, sizeof(address));
    return address;
}

static bool open_way(struct way *way, const char *path)
{
    init_fn *init;
    handle_fn *handle;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return library != NULL && symbol(library, "nvmlInit_v2", &init) != NULL &&
           symbol(library, "nvmlDeviceGetHandleByIndex_v2", &handle) != NULL &&
           symbol(library, "nvmlDeviceGetTemperature", &way->get) != NULL && init() == NVML_SUCCESS &&
           handle(0, &way->device) == NVML_SUCCESS;
}

void bench_shim(const char *shim, const char *driver)
{
    static loop_fn *const subjects[] = { call_driver, call_shim };
    double ns[2];
    report_heading("A call through the shim");
    if (!open_way(&ways[0], driver) || !open_way(&ways[1], shim)) {
        printf("  cannot be opened: %s\n", shim);
        return;
    }
    measure_in_turn(subjects, NULL, 2, ROUNDS, CALLS, ns);
    report_row("nvmlDeviceGetTemperature of the simulated driver", ns[0], "ns");
    report_row("the same through the shim", ns[1], "ns");
    report_limit("the shim adds", ns[1] - ns[0], 3.0, "ns");
}
