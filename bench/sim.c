/*
 * The simulated driver itself: what a simple getter costs, and how long a scenario of 64 GPUs takes to start.
 */
#include "measure.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 15
#define CALLS 200000u
#define STARTS 15

typedef nvmlReturn_t init_fn(void);
typedef nvmlReturn_t handle_fn(unsigned int index, nvmlDevice_t *device);
typedef nvmlReturn_t number_fn(nvmlDevice_t device, unsigned int *number);
typedef nvmlReturn_t temperature_fn(nvmlDevice_t device, nvmlTemperatureSensors_t sensor, unsigned int *celsius);
typedef nvmlReturn_t utilization_fn(nvmlDevice_t device, nvmlUtilization_t *utilization);

static nvmlDevice_t device;
static temperature_fn *temperature;
static number_fn *power, *minor;
static utilization_fn *utilization;

static void call_minor(void *argument, unsigned int calls)
{
    unsigned int number;
    (void)argument;
    for (unsigned int i = 0; i < calls; i++) {
        minor(device, &number);
    }
}

static void call_temperature(void *argument, unsigned int calls)
{
    unsigned int number;
    (void)argument;
    for (unsigned int i = 0; i < calls; i++) {
        temperature(device, NVML_TEMPERATURE_GPU, &number);
    }
}

static void call_power(void *argument, unsigned int calls)
{
    unsigned int number;
    (void)argument;
    for (unsigned int i = 0; i < calls; i++) {
        power(device, &number);
    }
}

static void call_utilization(void *argument, unsigned int calls)
{
    nvmlUtilization_t of;
    (void)argument;
    for (unsigned int i = 0; i < calls; i++) {
        utilization(device, &of);
    }
}

static void need(void *library, const char *name, void *function)
{
    void *address = library != NULL ? dlsym(library, name) : NULL;
    if (address == NULL) {
        fprintf(stderr, "nvpulse-bench: the simulated driver has no %s\n", name);
        exit(1);
    }
    memcpy(function, &address, sizeof(address));
}

static void getters(void *argument)
{
    static loop_fn *const subjects[] = { call_minor, call_temperature, call_power, call_utilization };
    double ns[4];
    init_fn *init;
    handle_fn *handle;
    void *library = dlopen(argument, RTLD_NOW | RTLD_LOCAL);
    need(library, "nvmlInit_v2", &init);
    need(library, "nvmlDeviceGetHandleByIndex_v2", &handle);
    need(library, "nvmlDeviceGetMinorNumber", &minor);
    need(library, "nvmlDeviceGetTemperature", &temperature);
    need(library, "nvmlDeviceGetPowerUsage", &power);
    need(library, "nvmlDeviceGetUtilizationRates", &utilization);
    if (init() != NVML_SUCCESS || handle(1, &device) != NVML_SUCCESS) {
        exit(1);
    }
    measure_in_turn(subjects, NULL, 4, ROUNDS, CALLS, ns);
    report_limit("nvmlDeviceGetMinorNumber", ns[0], 20.0, "ns");
    report_limit("nvmlDeviceGetTemperature, which moves", ns[1], 20.0, "ns");
    report_row("nvmlDeviceGetPowerUsage, which moves", ns[2], "ns");
    report_row("nvmlDeviceGetUtilizationRates, which moves", ns[3], "ns");
}

/** What a child measures, in shared memory, and where the driver is. */
struct start {
    double ms;
    char driver[];
};

static void start_once(void *argument)
{
    struct start *start = argument;
    init_fn *init;
    int64_t begin_ns = now_ns();
    void *library = dlopen(start->driver, RTLD_NOW | RTLD_LOCAL);
    need(library, "nvmlInit_v2", &init);
    if (init() != NVML_SUCCESS) {
        exit(1);
    }
    start->ms = (double)(now_ns() - begin_ns) / 1e6;
}

static double start_ms(const char *driver, const char *scenario)
{
    double times_ms[STARTS];
    char path[] = "/tmp/nvpulse-bench-XXXXXX";
    int file = mkstemp(path);
    struct start *start = shared_memory(sizeof(*start) + strlen(driver) + 1);
    memcpy(start->driver, driver, strlen(driver) + 1);
    if (file < 0 || write(file, scenario, strlen(scenario)) != (ssize_t)strlen(scenario)) {
        perror("nvpulse-bench: scenario");
        exit(1);
    }
    close(file);
    setenv("NVPULSE_SIM_SCENARIO", path, 1);
    for (int i = 0; i < STARTS; i++) {
        if (!in_child(start_once, start)) {
            fputs("nvpulse-bench: the simulated driver cannot be started\n", stderr);
            exit(1);
        }
        times_ms[i] = start->ms;
    }
    unsetenv("NVPULSE_SIM_SCENARIO");
    unlink(path);
    return median(times_ms, STARTS);
}

void bench_sim(const char *driver)
{
    report_heading("The simulated driver");
    fflush(stdout);
    if (!in_child(getters, (void *)driver)) {
        exit(1);
    }
    report_row("load and first init, h100x8", start_ms(driver, "base: h100x8\n"), "ms");
    report_limit("load and first init, 64 GPUs, median", start_ms(driver, "base: h100x8\nsystem: {num_devices: 64}\n"), 20.0,
                 "ms");
}
