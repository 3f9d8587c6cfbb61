/*
 * One device hangs in the driver. The others go on, fork, exit, shutdown and a re-open wait as long as they are told and no longer,
 * and when the device comes back everything is as before.
 */
#include "cases.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define DEVICES 8
#define STUCK 3 /* the device that hangs */
#define TIMEOUT_MS 300
#define TIMEOUT "300"
#define LONG "20000"
#define LIMIT_MS 20000 /* far above the above: this machine may be busy */
#define LIMIT_S 60

static nvmlDevice_t devices[DEVICES];
static atomic_bool stop;
static pthread_t threads[DEVICES];

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void *query_until_stopped(void *argument)
{
    while (!atomic_load(&stop)) {
        nvp_value value = NVP_VALUE_INIT;
        query_ok(argument);
        CHECK_STATUS(nvp_query("nvmlDeviceGetName", NVP_ARGS(nvp_arg_handle(argument)), NULL, &value), NVP_SUCCESS);
        CHECK(value.kind == NVP_KIND_TEXT);
        nvp_value_clear(&value);
    }
    return NULL;
}

static void *query_once(void *argument)
{
    query_ok(argument);
    return NULL;
}

static void hang(void)
{
    control_add_fault(&(nvpsim_fault){
        .struct_size = sizeof(nvpsim_fault), .function = "nvmlDeviceGetPowerUsage", .device = STUCK, .hang = 1 });
    threads[STUCK] = start(query_once, devices[STUCK]);
    while (control_calls("nvmlDeviceGetPowerUsage") == 0) {
        nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
    }
}

static void open_and_hang(const char *exit_timeout)
{
    setenv("NVPULSE_FORK_TIMEOUT_MS", TIMEOUT, 1);
    setenv("NVPULSE_EXIT_TIMEOUT_MS", exit_timeout, 1);
    setenv("NVPULSE_RETRY_MS", "0", 1);
    nvp_log_set(NVP_LOG_OFF, NULL, NULL);
    alarm(LIMIT_S);
    for (unsigned int i = 0; i < DEVICES; i++) {
        CHECK_STATUS(nvmlDeviceGetHandleByIndex(i, &devices[i]), NVML_SUCCESS);
    }
    hang();
}

static void query_others_meanwhile(void)
{
    for (int i = 0; i < DEVICES; i++) {
        if (i != STUCK) {
            threads[i] = start(query_until_stopped, devices[i]);
        }
    }
}

static void recover(void)
{
    control_clear_faults();
    pthread_join(threads[STUCK], NULL);
    query_ok(devices[STUCK]);
}

static void join_others(void)
{
    atomic_store(&stop, true);
    for (int i = 0; i < DEVICES; i++) {
        if (i != STUCK) {
            pthread_join(threads[i], NULL);
        }
    }
}

static void others_go_on_and_it_recovers(void)
{
    open_and_hang(LONG);
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < DEVICES; i++) {
            if (i != STUCK) {
                query_ok(devices[i]);
            }
        }
        recover();
        control_reset_calls();
        hang();
    }
    recover();
    CHECK(nvp_generation() == 1);
}

static void answer_that_it_is_forked(void)
{
    alarm(LIMIT_S);
    unsigned int power_mw = 0;
    nvp_value value = NVP_VALUE_INIT;
    CHECK(nvp_get_state() == NVP_STATE_FORKED);
    for (int i = 0; i < DEVICES; i++) {
        CHECK_STATUS(nvmlDeviceGetPowerUsage(devices[i], &power_mw), NVML_ERROR_UNINITIALIZED);
        nvp_query("nvmlDeviceGetName", NVP_ARGS(nvp_arg_handle(devices[i])), NULL, &value);
        CHECK(value.kind == NVP_KIND_NA && value.reason == NVP_REASON_FORKED);
    }
    CHECK_STATUS(nvp_init(), NVP_ERROR_FORKED);
    exit(0);
}

static void fork_waits_no_longer_than_told(void)
{
    open_and_hang(LONG);
    query_others_meanwhile();
    for (int i = 0; i < 5; i++) {
        int64_t begin_ms = now_ms();
        pid_t child = fork();
        if (child == 0) {
            answer_that_it_is_forked();
        }
        CHECK(now_ms() - begin_ms >= TIMEOUT_MS - 1 && now_ms() - begin_ms < LIMIT_MS);
        CHECK(await_child(child) == 0);
    }
    recover();
    pid_t child = fork();
    if (child == 0) {
        query_ok(devices[STUCK]);
        exit(0);
    }
    CHECK(await_child(child) == 0);
    join_others();
    CHECK(nvp_generation() == 1);
}

static int64_t exit_begin_ms;
static uint64_t shutdowns_expected;

/* Registered before the library's own handler, so that it runs after it. */
static void check_exit(void)
{
    CHECK(now_ms() - exit_begin_ms < LIMIT_MS);
    CHECK(control_calls("nvmlShutdown") == shutdowns_expected);
    if (shutdowns_expected == 0) {
        CHECK(now_ms() - exit_begin_ms >= TIMEOUT_MS - 1);
    }
}

/* The threads are ended by the process: from its end on a query is refused. */
static void *query_until_refused(void *argument)
{
    unsigned int power_mw;
    while (nvmlDeviceGetPowerUsage(argument, &power_mw) == NVML_SUCCESS) {
        ;
    }
    return NULL;
}

static void exit_under_load(void)
{
    for (int i = 0; i < DEVICES; i++) {
        if (i != STUCK) {
            pthread_detach(start(query_until_refused, devices[i]));
        }
    }
    exit_begin_ms = now_ms();
    exit(0);
}

static void exit_waits_no_longer_than_told(void)
{
    atexit(check_exit);
    open_and_hang(TIMEOUT);
    pthread_detach(threads[STUCK]);
    shutdowns_expected = 0;
    exit_under_load();
}

static void *recover_when_the_process_ends(void *argument)
{
    while (nvp_get_state() != NVP_STATE_FINAL) {
        nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
    }
    ((nvpsim_clear_faults_fn *)argument)();
    return NULL;
}

static void exit_shuts_down_when_it_recovers_in_time(void)
{
    atexit(check_exit);
    open_and_hang(LONG);
    pthread_detach(threads[STUCK]);
    pthread_detach(start(recover_when_the_process_ends, nvp_symbol("nvpsim_clear_faults")));
    shutdowns_expected = 1;
    exit_under_load();
}

static void shutdown_waits_no_longer_than_told(void)
{
    open_and_hang(TIMEOUT);
    int64_t begin_ms = now_ms();
    CHECK_STATUS(nvp_shutdown(), NVP_ERROR_TIMED_OUT);
    CHECK(now_ms() - begin_ms >= TIMEOUT_MS - 1 && now_ms() - begin_ms < LIMIT_MS);
    query_ok(devices[0]);
    recover();
    CHECK_STATUS(nvp_shutdown(), NVP_SUCCESS);
    CHECK(nvp_get_state() == NVP_STATE_COLD);
}

/* The session dies while the device hangs: it cannot be opened anew, which others are told in time; afterwards it is. */
static void reopen_waits_no_longer_than_told(void)
{
    unsigned int celsius = 0;
    nvpsim_fault dies = { .struct_size = sizeof(dies),
                          .function = "nvmlDeviceGetTemperature",
                          .device = -1,
                          .error = NVML_ERROR_UNINITIALIZED,
                          .times = 1 };
    open_and_hang(LONG);
    query_others_meanwhile();
    control_add_fault(&dies);
    int64_t begin_ms = now_ms();
    CHECK_STATUS(nvmlDeviceGetTemperature(devices[0], NVML_TEMPERATURE_GPU, &celsius), NVML_ERROR_UNINITIALIZED);
    CHECK(now_ms() - begin_ms >= TIMEOUT_MS - 1 && now_ms() - begin_ms < LIMIT_MS);
    CHECK(nvp_generation() == 1 && nvp_get_state() == NVP_STATE_OPEN);
    recover();
    control_add_fault(&dies);
    CHECK_STATUS(nvmlDeviceGetTemperature(devices[0], NVML_TEMPERATURE_GPU, &celsius), NVML_SUCCESS);
    CHECK(nvp_generation() == 2);
    query_ok(devices[STUCK]);
    join_others();
}

const struct test_case test_cases[] = {
    { "others_go_on_and_it_recovers", others_go_on_and_it_recovers },
    { "fork_waits_no_longer_than_told", fork_waits_no_longer_than_told },
    { "exit_waits_no_longer_than_told", exit_waits_no_longer_than_told },
    { "exit_shuts_down_when_it_recovers_in_time", exit_shuts_down_when_it_recovers_in_time },
    { "shutdown_waits_no_longer_than_told", shutdown_waits_no_longer_than_told },
    { "reopen_waits_no_longer_than_told", reopen_waits_no_longer_than_told },
};
const size_t test_case_count = sizeof(test_cases) / sizeof(test_cases[0]);
