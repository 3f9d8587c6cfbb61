/*
 * Where the fuzzers find the simulated driver: beside themselves, in ../sim.
 */
#ifndef NVP_FUZZ_SIMULATOR_H
#define NVP_FUZZ_SIMULATOR_H

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** Writes the path of the simulated 550 driver; ends the program when it is not there. */
static inline void simulator_path(char *path, size_t size)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash != NULL) {
        *slash = '\0';
    }
    int written = snprintf(path, size, "%s/../sim/550.163.01/libnvidia-ml.so.1", self);
    if (written < 0 || (size_t)written >= size || access(path, R_OK) != 0) {
        fprintf(stderr, "%s: no simulated driver there\n", path);
        exit(1);
    }
}

#endif
