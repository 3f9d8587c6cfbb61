/*
 * Exit with a query under way, fork with a query under way, and queries on a machine without a driver.
 */
#include "measure.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RUNS 15
#define EXIT_LATENCY_NS UINT64_C(30000000)
#define FORK_LATENCY_NS UINT64_C(20000000)
#define QUERIES 100000

/* Shared with children. */
static struct times {
    int64_t query_end_ns;
    int64_t after_drain_ns;
    int64_t fork_return_ns;
    int64_t plain_fork_ns; /* what fork() takes without a query */
} * times;

static nvmlDevice_t device;

static void *slow_query(void *argument)
{
    unsigned int power_mw;
    (void)argument;
    nvmlDeviceGetPowerUsage(device, &power_mw);
    times->query_end_ns = now_ns();
    return NULL;
}

/* Starts a slow query in a thread and waits until it is inside the driver. */
static pthread_t begin_slow_query(uint64_t latency_ns)
{
    pthread_t thread;
    nvpsim_in_flight_fn *in_flight = (nvpsim_in_flight_fn *)bench_symbol("nvpsim_in_flight");
    nvmlDeviceGetHandleByIndex(0, &device);
    bench_fault("nvmlDeviceGetPowerUsage", 0, latency_ns);
    pthread_create(&thread, NULL, slow_query, NULL);
    while (in_flight() == 0) {
        struct timespec pause = { .tv_nsec = 100000 };
        nanosleep(&pause, NULL);
    }
    return thread;
}

static void stamp_after_drain(void)
{
    times->after_drain_ns = now_ns();
}

static void exit_under_way(void *argument)
{
    (void)argument;
    atexit(stamp_after_drain);                          /* before nvpulse's own handler is registered: runs after it */
    bench_fault("nvmlShutdown", NVML_ERROR_UNKNOWN, 0); /* answers at once: the driver's own work is not the drain's */
    pthread_detach(begin_slow_query(EXIT_LATENCY_NS));
}

/* When fork() has returned. */
static int64_t fork_once(void)
{
    pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    int64_t returned_ns = now_ns();
    waitpid(child, NULL, 0);
    return returned_ns;
}

static void fork_under_way(void *argument)
{
    (void)argument;
    pthread_t thread = begin_slow_query(FORK_LATENCY_NS);
    times->fork_return_ns = fork_once();
    pthread_join(thread, NULL);
    int64_t begin_ns = now_ns();
    times->plain_fork_ns = fork_once() - begin_ns;
}

static void query_without_driver(void *argument)
{
    nvpsim_call_count_fn *calls = (nvpsim_call_count_fn *)bench_symbol("nvpsim_call_count");
    unsigned int count;
    (void)argument;
    nvp_log_set(NVP_LOG_OFF, NULL, NULL);
    bench_fault("nvmlInitWithFlags", NVML_ERROR_DRIVER_NOT_LOADED, 0);
    int64_t begin_ns = now_ns();
    for (int i = 0; i < QUERIES; i++) {
        nvmlDeviceGetCount(&count);
    }
    double total_ms = (double)(now_ns() - begin_ns) / 1e6;
    report_row("100,000 queries take", total_ms, "ms");
    report_limit("driver inits in that time (back-off windows 1 s, 2 s, ...)", (double)calls("nvmlInitWithFlags"),
                 1.0 + total_ms / 1000.0, "calls");
}

void bench_ending(void)
{
    double exit_ms[RUNS];
    double fork_ms[RUNS];
    double plain_ms[RUNS];
    times = shared_memory(sizeof(*times));
    for (int i = 0; i < RUNS; i++) {
        in_child(exit_under_way, NULL);
        exit_ms[i] = (double)(times->after_drain_ns - times->query_end_ns) / 1e6;
        in_child(fork_under_way, NULL);
        fork_ms[i] = (double)(times->fork_return_ns - times->query_end_ns) / 1e6;
        plain_ms[i] = (double)times->plain_fork_ns / 1e6;
    }
    report_heading("Exit and fork with a query under way (30 and 20 ms long)");
    report_limit("exit drain ends after the last query, most of 15", largest(exit_ms, RUNS), 2.0, "ms");
    report_row("exit drain ends after the last query, median", median(exit_ms, RUNS), "ms");
    double plain = median(plain_ms, RUNS);
    report_row("fork without a query under way, median", plain, "ms");
    report_limit("fork ends after the query and a plain fork, median", median(fork_ms, RUNS) - plain, 2.0, "ms");
    report_heading("A machine without a driver");
    in_child(query_without_driver, NULL);
}
