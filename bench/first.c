/*
 * The first query after start: through nvpulse, and by hand with dlopen, dlsym and the driver's own init.
 */
#include "measure.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define RUNS 21

static int64_t *elapsed_ns;

typedef nvmlReturn_t init_fn(void);
typedef nvmlReturn_t count_fn(unsigned int *count);

static bench_fn *symbol_of(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    bench_fn *function;
    memcpy(&function, &symbol, sizeof(function));
    return function;
}

static void by_hand(void *argument)
{
    unsigned int count;
    (void)argument;
    int64_t begin_ns = now_ns();
    void *library = dlopen(getenv("NVPULSE_NVML_PATH"), RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        exit(1);
    }
    ((init_fn *)symbol_of(library, "nvmlInit_v2"))();
    ((count_fn *)symbol_of(library, "nvmlDeviceGetCount_v2"))(&count);
    *elapsed_ns = now_ns() - begin_ns;
}

static void through_nvpulse(void *argument)
{
    unsigned int count;
    (void)argument;
    int64_t begin_ns = now_ns();
    nvmlDeviceGetCount(&count);
    *elapsed_ns = now_ns() - begin_ns;
}

void bench_first(void)
{
    double raw_ms[RUNS];
    double ours_ms[RUNS];
    elapsed_ns = shared_memory(sizeof(*elapsed_ns));
    for (int i = 0; i < RUNS; i++) {
        in_child(by_hand, NULL);
        raw_ms[i] = (double)*elapsed_ns / 1e6;
        in_child(through_nvpulse, NULL);
        ours_ms[i] = (double)*elapsed_ns / 1e6;
    }
    double raw = median(raw_ms, RUNS);
    double ours = median(ours_ms, RUNS);
    report_heading("The first query of a process");
    report_row("by hand: dlopen, dlsym, nvmlInit_v2, one query", raw, "ms");
    report_limit("through nvpulse it takes longer by", ours - raw, 5.0, "ms");
}
