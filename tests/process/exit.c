/*
 * The end of the process: drained, bounded, never a shutdown under a live query.
 * A case registers its own exit handler before nvpulse registers one: it runs after it and sees what it did.
 */
#include "cases.h"

#include <signal.h>
#include <stdatomic.h>

static nvmlDevice_t device;
static atomic_int thread_status = -1;
static uint64_t expected_shutdowns;

/* Runs after nvpulse's own exit handler. */
static void after_exit_handler(void)
{
    CHECK(control_calls("nvmlShutdown") == expected_shutdowns);
    CHECK(nvp_get_state() == NVP_STATE_FINAL);
}

static void expect_shutdowns(uint64_t count)
{
    expected_shutdowns = count;
    atexit(after_exit_handler);
}

static void *query_power(void *argument)
{
    (void)argument;
    unsigned int power_mw;
    atomic_store(&thread_status, (int)nvmlDeviceGetPowerUsage(device, &power_mw));
    return NULL;
}

static void exit_shuts_the_driver_down(void)
{
    expect_shutdowns(1);
    query_ok(first_device());
    CHECK_STATUS(nvp_init(), NVP_SUCCESS);
}

static void exit_takes_back_every_init_of_the_driver(void)
{
    expect_shutdowns(2);
    query_ok(first_device());
    CHECK_STATUS(nvp_init_with_flags(NVML_INIT_FLAG_NO_GPUS), NVP_SUCCESS);
}

static void exit_after_a_shutdown_does_not_shut_down_again(void)
{
    expect_shutdowns(1);
    CHECK_STATUS(nvp_init(), NVP_SUCCESS);
    CHECK_STATUS(nvp_shutdown(), NVP_SUCCESS);
}

static void check_thread_succeeded(void)
{
    CHECK_STATUS(atomic_load(&thread_status), NVML_SUCCESS);
}

static void exit_waits_for_queries_under_way(void)
{
    atexit(check_thread_succeeded);
    expect_shutdowns(1);
    device = first_device();
    control_slow("nvmlDeviceGetPowerUsage", 200);
    pthread_detach(start(query_power, NULL));
    control_await_in_flight(1);
}

static void check_warned(void)
{
    CHECK(watched_lines() == 1);
    CHECK(control_in_flight() == 1);
}

static void exit_that_times_out_skips_the_shutdown(void)
{
    setenv("NVPULSE_EXIT_TIMEOUT_MS", "100", 1);
    atexit(check_warned);
    expect_shutdowns(0);
    watch_log("not returned within 100 ms at exit: NVML is not shut down");
    device = first_device();
    control_hang("nvmlDeviceGetPowerUsage");
    pthread_detach(start(query_power, NULL));
    control_await_in_flight(1);
}

static void exit_in_handler(int number)
{
    (void)number;
    exit(0);
}

static void *signal_main(void *main_thread)
{
    control_await_in_flight(1);
    pthread_kill(*(pthread_t *)main_thread, SIGUSR1);
    return NULL;
}

/* The exiting thread is inside a query: a signal handler that calls exit() has interrupted it. */
static void exit_from_inside_a_query_skips_the_shutdown(void)
{
    static pthread_t self;
    self = pthread_self();
    atexit(check_warned);
    expect_shutdowns(0);
    watch_log("exit from inside a query: NVML is not shut down");
    signal(SIGUSR1, exit_in_handler);
    device = first_device();
    control_hang("nvmlDeviceGetPowerUsage");
    start(signal_main, &self);
    query_power(NULL);
    CHECK(false && "the query returned");
}

static void *hang_in_init(void *argument)
{
    (void)argument;
    nvp_init();
    return NULL;
}

static void check_opening_was_left_alone(void)
{
    CHECK(nvp_get_state() == NVP_STATE_FINAL);
    CHECK(control_calls("nvmlShutdown") == 0);
}

/* NVML is reopened while the process ends: the handler of the first open finds another thread inside the driver's init. */
static void exit_does_not_wait_for_ever_for_a_hanging_init(void)
{
    setenv("NVPULSE_EXIT_TIMEOUT_MS", "100", 1);
    atexit(check_opening_was_left_alone);
    CHECK_STATUS(nvp_init(), NVP_SUCCESS);
    CHECK_STATUS(nvp_shutdown(), NVP_SUCCESS);
    control_reset_calls();
    control_hang("nvmlInitWithFlags");
    pthread_detach(start(hang_in_init, NULL));
    control_await_in_flight(1);
}

static void check_refused(void)
{
    nvp_value value = NVP_VALUE_INIT;
    unsigned int count = 7;
    control_reset_calls();
    CHECK_STATUS(nvmlDeviceGetCount(&count), NVML_ERROR_UNINITIALIZED);
    CHECK(count == 7);
    CHECK_STATUS(nvp_query("nvmlDeviceGetCount_v2", NULL, 0, NULL, &value), NVP_SUCCESS);
    CHECK(value.kind == NVP_KIND_NA && value.reason == NVP_REASON_SHUTTING_DOWN && value.status == NVP_ERROR_SHUTTING_DOWN);
    CHECK_STATUS(nvp_init(), NVP_ERROR_SHUTTING_DOWN);
    CHECK_STATUS(nvp_shutdown(), NVP_ERROR_SHUTTING_DOWN);
    CHECK(control_calls(NULL) == 0);
}

static void queries_after_exit_has_begun_are_refused(void)
{
    atexit(check_refused);
    query_ok(first_device());
}

static atomic_bool refused;

static void *query_until_refused(void *argument)
{
    (void)argument;
    nvmlReturn_t status = NVML_SUCCESS;
    while (status == NVML_SUCCESS) {
        unsigned int power_mw;
        status = nvmlDeviceGetPowerUsage(device, &power_mw);
    }
    atomic_store(&refused, status == NVML_ERROR_UNINITIALIZED);
    return NULL;
}

static pthread_t querying[8];

static void check_all_refused(void)
{
    for (size_t i = 0; i < sizeof(querying) / sizeof(querying[0]); i++) {
        pthread_join(querying[i], NULL);
    }
    CHECK(atomic_load(&refused));
    CHECK(control_calls("nvmlShutdown") == 1);
}

static void threads_that_query_while_main_returns_are_refused_not_crashed(void)
{
    atexit(check_all_refused);
    device = first_device();
    for (size_t i = 0; i < sizeof(querying) / sizeof(querying[0]); i++) {
        querying[i] = start(query_until_refused, NULL);
    }
    usleep(2000);
}

static void *wait_for_ever(void *set)
{
    nvmlEventData_t event;
    nvmlEventSetWait_v2(set, &event, UINT32_MAX);
    return NULL;
}

/* A wait for an event that does not come is no query under way. */
static void exit_does_not_wait_for_an_event(void)
{
    setenv("NVPULSE_EXIT_TIMEOUT_MS", "60000", 1);
    expect_shutdowns(1);
    nvmlEventSet_t set = NULL;
    CHECK_STATUS(nvmlEventSetCreate(&set), NVML_SUCCESS);
    CHECK_STATUS(nvmlDeviceRegisterEvents(first_device(), nvmlEventTypeXidCriticalError, set), NVML_SUCCESS);
    pthread_detach(start(wait_for_ever, set));
    control_await_in_flight(1);
}

const struct test_case test_cases[] = {
    { "exit_shuts_the_driver_down", exit_shuts_the_driver_down },
    { "exit_takes_back_every_init_of_the_driver", exit_takes_back_every_init_of_the_driver },
    { "exit_after_a_shutdown_does_not_shut_down_again", exit_after_a_shutdown_does_not_shut_down_again },
    { "exit_waits_for_queries_under_way", exit_waits_for_queries_under_way },
    { "exit_that_times_out_skips_the_shutdown", exit_that_times_out_skips_the_shutdown },
    { "exit_from_inside_a_query_skips_the_shutdown", exit_from_inside_a_query_skips_the_shutdown },
    { "exit_does_not_wait_for_ever_for_a_hanging_init", exit_does_not_wait_for_ever_for_a_hanging_init },
    { "exit_does_not_wait_for_an_event", exit_does_not_wait_for_an_event },
    { "queries_after_exit_has_begun_are_refused", queries_after_exit_has_begun_are_refused },
    { "threads_that_query_while_main_returns_are_refused_not_crashed",
      threads_that_query_while_main_returns_are_refused_not_crashed },
};
const size_t test_case_count = sizeof(test_cases) / sizeof(test_cases[0]);
