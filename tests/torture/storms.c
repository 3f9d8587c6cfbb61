/*
 * Many threads and many processes at once: exits under load, forks under load.
 * Proves that nothing crashes, hangs, deadlocks or shuts down under a live query.
 */
#include "cases.h"

#include <sched.h>
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
/* gcc 12's AddressSanitizer has an allocator that stays locked in a child when another thread was in it at the fork. */
#if defined(__SANITIZE_ADDRESS__)
#define FORK_IS_SAFE false
#else
#define FORK_IS_SAFE true
#endif
#define CHILD_LIMIT_S 60

static nvmlDevice_t devices[8];
static atomic_bool stop;
static atomic_uint running;

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

/* Queries of several shapes, each of which must succeed. */
static void query_all(nvmlDevice_t device)
{
    nvp_value value = NVP_VALUE_INIT;
    query_ok(device);
    CHECK_STATUS(nvp_query("nvmlDeviceGetComputeRunningProcesses_v3", NVP_ARGS(nvp_arg_handle(device)), NULL, &value),
                 NVP_SUCCESS);
    CHECK(value.kind == NVP_KIND_LIST);
    nvp_value_clear(&value);
}

static void *query_until_stopped(void *argument)
{
    query_ok(argument);
    atomic_fetch_add(&running, 1);
    while (!atomic_load(&stop)) {
        if (FORK_IS_SAFE) {
            query_all(argument);
        } else {
            query_ok(argument);
        }
    }
    return NULL;
}

static void fork_and_query(unsigned int number)
{
    pid_t child = fork();
    if (child == 0) {
        alarm(CHILD_LIMIT_S);
        query_all(devices[number % 8]); /* a handle of the parent's */
        query_all(first_device());
        CHECK(nvp_get_state() == NVP_STATE_OPEN);
        exit(0);
    }
    CHECK(await_child(child) == 0);
}

static void *fork_for_a_while(void *argument)
{
    (void)argument;
    for (unsigned int i = 0; i < times(FORKS) / 2; i++) {
        fork_and_query(i);
    }
    return NULL;
}

/* Half of the forks are made by another thread, so that two can meet. */
static void fork_storm(void)
{
    pthread_t threads[8];
    take_devices();
    for (int i = 0; i < 8; i++) {
        threads[i] = start(query_until_stopped, devices[i]);
    }
    while (atomic_load(&running) < 8) { /* a thread that starts allocates, too */
        sched_yield();
    }
    pthread_t other;
    if (FORK_IS_SAFE) {
        other = start(fork_for_a_while, NULL);
        fork_for_a_while(NULL);
        pthread_join(other, NULL);
    } else {
        fork_for_a_while(NULL);
        fork_for_a_while(NULL);
    }
    atomic_store(&stop, true);
    for (int i = 0; i < 8; i++) {
        pthread_join(threads[i], NULL);
    }
    CHECK(nvp_generation() == 1);
}

const struct test_case test_cases[] = {
    { "exit_storm", exit_storm },
    { "fork_storm", fork_storm },
};
const size_t test_case_count = sizeof(test_cases) / sizeof(test_cases[0]);
