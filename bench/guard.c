/*
 * What the in-flight guard costs: the same function raw, guarded, and in the company of other ways to count users. The driver does
 * nothing: on one that works, what stands between is done while the call before is not over yet, and costs less.
 */
#include "measure.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 25
#define CALLS 200000u

typedef nvmlReturn_t index_fn(nvmlDevice_t device, unsigned int *index);

static index_fn *raw_index;
static atomic_uint users;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void raw(void *device, unsigned int calls)
{
    for (unsigned int i = 0; i < calls; i++) {
        unsigned int index;
        raw_index(device, &index);
    }
}

static void guarded(void *device, unsigned int calls)
{
    for (unsigned int i = 0; i < calls; i++) {
        unsigned int index;
        nvmlDeviceGetIndex(device, &index);
    }
}

static void counted(void *device, unsigned int calls)
{
    for (unsigned int i = 0; i < calls; i++) {
        unsigned int index;
        atomic_fetch_add(&users, 1);
        raw_index(device, &index);
        atomic_fetch_sub(&users, 1);
    }
}

static void locked(void *device, unsigned int calls)
{
    for (unsigned int i = 0; i < calls; i++) {
        unsigned int index;
        pthread_mutex_lock(&lock);
        raw_index(device, &index);
        pthread_mutex_unlock(&lock);
    }
}

static loop_fn *const subjects[] = { raw, guarded, counted, locked };

static void report(const char *where, const double *ns, double guard_limit_ns)
{
    char text[96];
    report_row("raw call through the pointer of dlsym", ns[0], "ns");
    snprintf(text, sizeof(text), "guarded call adds, %s", where);
    report_limit(text, ns[1] - ns[0], guard_limit_ns, "ns");
    snprintf(text, sizeof(text), "an atomic add pair adds, %s", where);
    report_row(text, ns[2] - ns[0], "ns");
    snprintf(text, sizeof(text), "a mutex adds, %s", where);
    report_row(text, ns[3] - ns[0], "ns");
}

/* Any handle will do: the driver looks at none. */
static nvmlDevice_t set_up(const char *driver)
{
    static int something;
    nvmlDevice_t device = (nvmlDevice_t)(void *)&something;
    unsigned int index;
    setenv("NVPULSE_NVML_PATH", driver, 1);
    raw_index = (index_fn *)bench_symbol("nvmlDeviceGetIndex");
    if (nvmlDeviceGetIndex(device, &index) != NVML_SUCCESS) {
        fprintf(stderr, "nvpulse-bench: %s cannot be called\n", driver);
        exit(1);
    }
    return device;
}

static void fenced(void *driver)
{
    double ns[4];
    setenv("NVPULSE_GUARD", "fenced", 1);
    nvmlDevice_t device = set_up(driver);
    measure_in_turn(subjects, device, 2, ROUNDS, CALLS, ns);
    report_row("guarded call adds where membarrier is missing (fenced)", ns[1] - ns[0], "ns");
}

static void *wait_for_end(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

/* With another thread in the process, asleep: the C library leaves the atomics of a mutex out as long as there is one thread alone. */
static void measure_one_thread(nvmlDevice_t device, double *ns)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t sleeper;
    pthread_mutex_lock(&gate);
    if (pthread_create(&sleeper, NULL, wait_for_end, &gate) != 0) {
        abort();
    }
    measure_in_turn(subjects, device, 4, ROUNDS, CALLS, ns);
    pthread_mutex_unlock(&gate);
    pthread_join(sleeper, NULL);
}

static void expedited(void *driver)
{
    double one[4];
    double two[4];
    nvmlDevice_t device = set_up(driver);
    measure_one_thread(device, one);
    measure_on_threads(subjects, device, 4, 2, ROUNDS, CALLS, two);
    report("one thread", one, 3.0);
    report_limit("the same as part of an uncontended atomic add pair", (one[1] - one[0]) / (one[2] - one[0]), 1.0, "x");
    report("two threads", two, 3.0);
    report_row("guard on two threads as part of the guard on one", (two[1] - two[0]) / (one[1] - one[0]), "x");
}

void bench_guard(const char *drivers)
{
    char driver[PATH_MAX];
    report_heading("The in-flight guard (a driver that does nothing)");
    if (snprintf(driver, sizeof(driver), "%s/new/libnvidia-ml.so.1", drivers) >= (int)sizeof(driver) ||
        !in_child(fenced, driver) || !in_child(expedited, driver)) {
        printf("  not measured: %s cannot be used\n", driver);
    }
}
