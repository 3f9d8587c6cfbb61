/*
 * nvpulse-bench: all benchmarks in one run on the simulated driver beside this program. Figures are of this machine and this
 * moment; what counts are the comparisons within one run.
 */
#include "measure.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The path of a file that is built with this program; "" and false when it is not there. */
static bool beside_this_program(const char *relative, char *path, size_t size)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (length <= 0) {
        return false;
    }
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    int written = snprintf(path, size, "%s/%s", self, relative);
    if (written > 0 && (size_t)written < size && access(path, R_OK) == 0) {
        return true;
    }
    path[0] = '\0';
    return false;
}

static char driver[PATH_MAX];
static char nvpulse[PATH_MAX];
static char shim[PATH_MAX];
static char simulators[PATH_MAX];
static char drivers[PATH_MAX];

static void part_sim(void)
{
    bench_sim(driver);
}

static void part_compat(void)
{
    bench_compat(simulators);
}

static void part_slowest(void)
{
    bench_adapters(drivers, false);
}

static void part_adapters(void)
{
    bench_adapters(drivers, true);
}

static void part_guard(void)
{
    bench_guard(drivers);
}

static void part_shim(void)
{
    if (shim[0] != '\0') {
        bench_shim(shim, driver);
    }
}

static void part_status(void)
{
    if (nvpulse[0] != '\0') {
        bench_status(nvpulse);
    }
}

/* In the order in which they run: the first ones in children, before this process opens anything. */
static const struct part {
    const char *name;
    void (*run)(void);
    bool only_when_named;
} parts[] = {
    { "sim", part_sim, false },         { "ending", bench_ending, false },   { "compat", part_compat, false },
    { "slowest", part_slowest, false }, { "adapters", part_adapters, true }, { "model", bench_model, false },
    { "guard", part_guard, false },     { "by-name", bench_by_name, false }, { "shim", part_shim, false },
    { "status", part_status, false },
};

#define PART_COUNT (sizeof(parts) / sizeof(parts[0]))

static bool is_part(const char *name)
{
    for (size_t i = 0; i < PART_COUNT; i++) {
        if (strcmp(name, parts[i].name) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_wanted(const struct part *part, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], part->name) == 0) {
            return true;
        }
    }
    return argc == 1 && !part->only_when_named;
}

static void explain(const char *argument)
{
    fprintf(stderr, "nvpulse-bench: '%s' is no part\nusage: nvpulse-bench [PART...]\nparts:", argument);
    for (size_t i = 0; i < PART_COUNT; i++) {
        fprintf(stderr, " %s", parts[i].name);
    }
    fputs("; without one all but adapters, which prints each adapter and not the slowest alone\n", stderr);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (!is_part(argv[i])) {
            explain(argv[i]);
            return 2;
        }
    }
    if (!beside_this_program("../sim/550.163.01/libnvidia-ml.so.1", driver, sizeof(driver))) {
        fputs("nvpulse-bench: no simulated driver beside this program; build with -DNVP_SIM=ON\n", stderr);
        return 1;
    }
    beside_this_program("../bench/drivers", drivers, sizeof(drivers));
    beside_this_program("../sim", simulators, sizeof(simulators));
    beside_this_program("../shim/libnvidia-ml.so.1", shim, sizeof(shim));
    beside_this_program("nvpulse", nvpulse, sizeof(nvpulse));
    setenv("NVPULSE_NVML_PATH", driver, 1);
    setenv("NVPULSE_SIM_PROFILE", "h100x8", 1);
    printf("nvpulse %s, simulated driver 550.163.01, %ld processors\n", nvp_version(), sysconf(_SC_NPROCESSORS_ONLN));
    for (size_t i = 0; i < PART_COUNT; i++) {
        if (is_wanted(&parts[i], argc, argv)) {
            parts[i].run();
        }
    }
    return 0;
}
