/*
 * What the clients of the shim share. They know nothing of nvpulse: they open libnvidia-ml.so.1 as others do, and find the shim.
 */
#ifndef NVP_TESTS_SHIM_CLIENT_H
#define NVP_TESTS_SHIM_CLIENT_H

#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

#define CHECK(condition)                                                                                                         \
    do {                                                                                                                         \
        if (!(condition)) {                                                                                                      \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                            \
            _exit(1);                                                                                                            \
        }                                                                                                                        \
    } while (0)

/** Any function: whole registers, of which it takes as many as it has parameters. */
typedef nvmlReturn_t any_fn(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

#define POINTER(p) (uint64_t)(uintptr_t)(p)

/** The library as programs find it, and the simulated driver behind it (TEST_SIM). */
extern void *library, *behind;

struct client_case {
    const char *name;
    void (*run)(void);
};

/** Opens both libraries and runs the case that the command line names; the exit status of the program. */
int client_main(int argc, char **argv, const struct client_case cases[], size_t count);

any_fn *find(void *where, const char *name);
/** Calls a function of the shim by name. */
nvmlReturn_t call(const char *name, uint64_t first, uint64_t second);
/** Initialises through the shim; a device of either library. */
void init(void);
uint64_t device_of(void *where, unsigned int index);
/** Waits for a child; its exit code, or 128 and the signal. */
int await_child(pid_t child);

#endif
