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
    return written > 0 && (size_t)written < size && access(path, R_OK) == 0;
}

int main(int argc, char **argv)
{
    char driver[PATH_MAX];
    char nvpulse[PATH_MAX];
    char shim[PATH_MAX];
    char simulators[PATH_MAX] = "";
    char drivers[PATH_MAX] = "";
    bool adapters = argc == 2 && strcmp(argv[1], "adapters") == 0;
    if (argc > 1 && !adapters) {
        fputs("usage: nvpulse-bench [adapters]\nAll benchmarks; or what each adapter costs.\n", stderr);
        return 2;
    }
    beside_this_program("../bench/drivers", drivers, sizeof(drivers));
    if (adapters) {
        bench_adapters(drivers, true);
        return 0;
    }
    if (!beside_this_program("../sim/550.163.01/libnvidia-ml.so.1", driver, sizeof(driver))) {
        fputs("nvpulse-bench: no simulated driver beside this program; build with -DNVP_SIM=ON\n", stderr);
        return 1;
    }
    beside_this_program("../sim", simulators, sizeof(simulators));
    setenv("NVPULSE_NVML_PATH", driver, 1);
    setenv("NVPULSE_SIM_PROFILE", "h100x8", 1);
    printf("nvpulse %s, simulated driver 550.163.01, %ld processors\n", nvp_version(), sysconf(_SC_NPROCESSORS_ONLN));
    bench_sim(driver); /* in children, before this process opens anything, as is the next */
    bench_ending();
    bench_compat(simulators);
    bench_adapters(drivers, false);
    bench_model();
    bench_guard();
    bench_by_name();
    if (beside_this_program("../shim/libnvidia-ml.so.1", shim, sizeof(shim))) {
        bench_shim(shim, driver);
    }
    if (beside_this_program("nvpulse", nvpulse, sizeof(nvpulse))) {
        bench_status(nvpulse);
    }
    return 0;
}
