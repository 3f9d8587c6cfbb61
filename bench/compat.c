/*
 * Calls that the driver lacks and another one serves, lists of many processes, and the first query on every generation.
 */
#include "measure.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 25
#define CALLS 100000u
#define STARTS 11

typedef nvmlReturn_t memory_fn(nvmlDevice_t device, nvmlMemory_t *memory);
typedef nvmlReturn_t reasons_fn(nvmlDevice_t device, unsigned long long *reasons);

static memory_fn *raw_memory;
static reasons_fn *raw_reasons;

static void memory_raw(void *device, unsigned int calls)
{
    nvmlMemory_t memory;
    for (unsigned int i = 0; i < calls; i++) {
        raw_memory(device, &memory);
    }
}

static void memory_own(void *device, unsigned int calls)
{
    nvmlMemory_t memory;
    for (unsigned int i = 0; i < calls; i++) {
        nvmlDeviceGetMemoryInfo(device, &memory);
    }
}

static void memory_adapted(void *device, unsigned int calls)
{
    nvmlMemory_v2_t memory = { .version = nvmlMemory_v2 };
    for (unsigned int i = 0; i < calls; i++) {
        nvmlDeviceGetMemoryInfo_v2(device, &memory);
    }
}

static void reasons_raw(void *device, unsigned int calls)
{
    unsigned long long reasons;
    for (unsigned int i = 0; i < calls; i++) {
        raw_reasons(device, &reasons);
    }
}

static void reasons_alias(void *device, unsigned int calls)
{
    unsigned long long reasons;
    for (unsigned int i = 0; i < calls; i++) {
        nvmlDeviceGetCurrentClocksEventReasons(device, &reasons);
    }
}

/* Runs on the 470 simulation, which lacks MemoryInfo_v2 and ClocksEventReasons. */
static void served_calls(void *driver)
{
    static loop_fn *const subjects[] = { memory_raw, memory_own, memory_adapted, reasons_raw, reasons_alias };
    double ns[5];
    nvmlDevice_t device;
    setenv("NVPULSE_NVML_PATH", driver, 1);
    nvmlDeviceGetHandleByIndex(0, &device);
    raw_memory = (memory_fn *)bench_symbol("nvmlDeviceGetMemoryInfo");
    raw_reasons = (reasons_fn *)bench_symbol("nvmlDeviceGetCurrentClocksThrottleReasons");
    measure_in_turn(subjects, device, 5, ROUNDS, CALLS, ns);
    report_row("raw nvmlDeviceGetMemoryInfo", ns[0], "ns");
    report_limit("guarded, by the driver's own function, adds", ns[1] - ns[0], 3.0, "ns");
    report_limit("MemoryInfo_v2 by an adapter over it adds", ns[2] - ns[0], 13.0, "ns");
    report_row("raw nvmlDeviceGetCurrentClocksThrottleReasons", ns[3], "ns");
    report_limit("ClocksEventReasons by its alias adds", ns[4] - ns[3], 3.0, "ns");
}

static void write_scenario(const char *path, unsigned int processes)
{
    FILE *file = fopen(path, "w");
    if (file == NULL ||
        fprintf(file,
                "version: 1\ndevice_defaults: {name: bench}\ndevices: [{index: 0}]\n"
                "processes:\n  - {name: many, device: 0, count: %u}\n",
                processes) < 0 ||
        fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

static double *list_ns;

static void list_processes(void *path)
{
    nvmlDevice_t device;
    nvp_value value = NVP_VALUE_INIT;
    setenv("NVPULSE_SIM_SCENARIO", path, 1);
    nvmlDeviceGetHandleByIndex(0, &device);
    for (int i = 0; i < 30; i++) {
        int64_t begin_ns = now_ns();
        nvp_query("nvmlDeviceGetComputeRunningProcesses_v3", NVP_ARGS(nvp_arg_handle(device)), NULL, &value);
        double elapsed_ns = (double)(now_ns() - begin_ns);
        *list_ns = i == 0 || elapsed_ns / (double)value.count < *list_ns ? elapsed_ns / (double)value.count : *list_ns;
    }
    nvp_value_clear(&value);
}

static void long_lists(void)
{
    static const unsigned int counts[] = { 10, 100, 1000, 10000 };
    char path[] = "/tmp/nvpulse-bench-XXXXXX";
    double first_ns = 0;
    int file = mkstemp(path);
    if (file < 0) {
        perror(path);
        return;
    }
    close(file);
    list_ns = shared_memory(sizeof(*list_ns));
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        char text[64];
        *list_ns = 0;
        write_scenario(path, counts[i]);
        in_child(list_processes, path);
        snprintf(text, sizeof(text), "a list of %u processes, for each process", counts[i]);
        report_row(text, *list_ns, "ns");
        first_ns = i == 1 ? *list_ns : first_ns;
    }
    report_limit("for each of 10,000 as part of that for each of 100", *list_ns / first_ns, 1.5, "x");
    unlink(path);
}

static double *start_ms;

typedef nvmlReturn_t init_fn(void);
typedef nvmlReturn_t count_fn(unsigned int *count);

static void start_by_hand(void *driver)
{
    unsigned int count;
    int64_t begin_ns = now_ns();
    void *library = dlopen(driver, RTLD_NOW | RTLD_LOCAL);
    void *init = library != NULL ? dlsym(library, "nvmlInit_v2") : NULL;
    void *get_count = library != NULL ? dlsym(library, "nvmlDeviceGetCount_v2") : NULL;
    init_fn *init_function;
    count_fn *count_function;
    if (init == NULL || get_count == NULL) {
        exit(1);
    }
    memcpy(&init_function, &init, sizeof(init));
    memcpy(&count_function, &get_count, sizeof(get_count));
    init_function();
    count_function(&count);
    *start_ms = (double)(now_ns() - begin_ns) / 1e6;
}

static void start_through_nvpulse(void *driver)
{
    unsigned int count;
    setenv("NVPULSE_NVML_PATH", driver, 1);
    int64_t begin_ns = now_ns();
    nvmlDeviceGetCount(&count);
    *start_ms = (double)(now_ns() - begin_ns) / 1e6;
}

static void first_query(const char *version, char *driver)
{
    double by_hand_ms[STARTS];
    double ours_ms[STARTS];
    char text[300];
    for (int i = 0; i < STARTS; i++) {
        in_child(start_by_hand, driver);
        by_hand_ms[i] = *start_ms;
        in_child(start_through_nvpulse, driver);
        ours_ms[i] = *start_ms;
    }
    double by_hand = median(by_hand_ms, STARTS);
    snprintf(text, sizeof(text), "driver %s: above %.2f ms by hand", version, by_hand);
    report_limit(text, median(ours_ms, STARTS) - by_hand, 5.0, "ms");
}

void bench_compat(const char *simulators)
{
    char driver[PATH_MAX];
    struct dirent **entries;
    report_heading("Calls that another one serves (driver 470.256.02)");
    snprintf(driver, sizeof(driver), "%s/470.256.02/libnvidia-ml.so.1", simulators);
    in_child(served_calls, driver);
    report_heading("Lists of processes");
    long_lists();
    report_heading("The first query of a process, on each simulated driver");
    start_ms = shared_memory(sizeof(*start_ms));
    int count = scandir(simulators, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        int length = snprintf(driver, sizeof(driver), "%s/%s/libnvidia-ml.so.1", simulators, entries[i]->d_name);
        if (length > 0 && (size_t)length < sizeof(driver) && access(driver, R_OK) == 0) {
            first_query(entries[i]->d_name, driver);
        }
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
}
