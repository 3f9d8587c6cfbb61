/*
 * Many threads and many processes at once: exits under load, forks under load, a device that hangs and comes back.
 * Proves that nothing crashes, hangs, deadlocks or shuts down under a live query.
 */
#include "cases.h"

#include <stdatomic.h>
#include <string.h>

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__) /* each thread costs much more then */
#define THREADS 16
#define EXITS 3
#define FORKS 20
#else
#define THREADS 64
#define EXITS 20
#define FORKS 100
#endif
#define CHILD_LIMIT_S 60

static nvmlDevice_t devices[8];
static atomic_bool stop;

static unsigned int times(unsigned int base)
{
    const char *factor = getenv("NVP_TORTURE");
    unsigned long times_as_large = factor != NULL ? strtoul(factor, NULL, 10) : 0;
    return times_as_large > 0 && times_as_large <= 1000 ? base * (unsigned int)times_as_large : base;
}

static void take_devices(void)
{
    for (unsigned int i = 0; i < 8; i++) {
        CHECK_STATUS(nvmlDeviceGetHandleByIndex(i, &devices[i]), NVML_SUCCESS);
    }
}

/* Queries of several shapes until the answer is a refusal. */
static void *query_until_refused(void *argument)
{
    nvmlDevice_t device = argument;
    for (;;) {
        nvp_value value = NVP_VALUE_INIT;
        nvmlProcessInfo_t infos[32];
        unsigned int count = 32;
        unsigned int power_mw;
        nvmlReturn_t status = nvmlDeviceGetPowerUsage(device, &power_mw);
        CHECK(status == NVML_SUCCESS || status == NVML_ERROR_UNINITIALIZED);
        nvmlDeviceGetComputeRunningProcesses(device, &count, infos);
        nvp_query("nvmlDeviceGetName", NVP_ARGS(nvp_arg_handle(device)), NULL, &value);
        nvp_value_clear(&value);
        if (status != NVML_SUCCESS) {
            return NULL;
        }
    }
}

static void check_shut_down_once(void)
{
    CHECK(control_calls("nvmlShutdown") == 1);
}

static void return_under_load(void)
{
    alarm(CHILD_LIMIT_S);
    atexit(check_shut_down_once);
    take_devices();
    for (int i = 0; i < THREADS; i++) {
        pthread_detach(start(query_until_refused, devices[i % 8]));
    }
    exit(0);
}

static void exit_storm(void)
{
    for (unsigned int i = 0; i < times(EXITS); i++) {
        pid_t child = fork();
        if (child == 0) {
            return_under_load();
        }
        CHECK(await_child(child) == 0);
    }
}

static void *query_until_stopped(void *argument)
{
    while (!atomic_load(&stop)) {
        query_ok(argument);
    }
    return NULL;
}

static void fork_storm(void)
{
    pthread_t threads[8];
    take_devices();
    for (int i = 0; i < 8; i++) {
        threads[i] = start(query_until_stopped, devices[i]);
    }
    for (unsigned int i = 0; i < times(FORKS); i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(CHILD_LIMIT_S);
            query_ok(devices[i % 8]); /* a handle of the parent's */
            query_ok(first_device());
            exit(0);
        }
        CHECK(await_child(child) == 0);
    }
    atomic_store(&stop, true);
    for (int i = 0; i < 8; i++) {
        pthread_join(threads[i], NULL);
    }
}

static void *query_once(void *argument)
{
    query_ok(argument);
    return NULL;
}

static void hang_and_recovery(void)
{
    take_devices();
    for (unsigned int i = 0; i < times(20); i++) {
        control_add_fault(&(nvpsim_fault){
            .struct_size = sizeof(nvpsim_fault), .function = "nvmlDeviceGetPowerUsage", .device = 3, .hang = 1 });
        pthread_t stuck = start(query_once, devices[3]);
        control_await_in_flight(1);
        for (int j = 0; j < 8; j++) {
            if (j != 3) {
                query_ok(devices[j]);
            }
        }
        control_clear_faults();
        pthread_join(stuck, NULL);
        query_ok(devices[3]);
    }
    CHECK(nvp_generation() == 1);
}

const struct test_case test_cases[] = {
    { "exit_storm", exit_storm },
    { "fork_storm", fork_storm },
    { "hang_and_recovery", hang_and_recovery },
};
const size_t test_case_count = sizeof(test_cases) / sizeof(test_cases[0]);
