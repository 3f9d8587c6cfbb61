/*
 * Opening and closing: lazy, once, counted, with back-off. Each case begins in a cold process.
 */
#include "cases.h"

#include <malloc.h>
#include <stdatomic.h>
#include <string.h>

#define OPENERS 32
#define SHORT_THREADS 10000

static void lazy_first_query_opens(void)
{
    CHECK(nvp_get_state() == NVP_STATE_COLD);
    CHECK(nvp_driver_find() == NVP_SUCCESS);
    CHECK(control_init_calls() == 0);
    query_ok(first_device());
    CHECK(nvp_get_state() == NVP_STATE_OPEN);
    CHECK(control_init_calls() == 1);
    query_ok(first_device());
    CHECK(control_init_calls() == 1);
    CHECK(nvp_init_count() == 1);
}

static void *query_once(void *argument)
{
    pthread_barrier_wait(argument);
    query_ok(first_device());
    return NULL;
}

static void first_queries_of_many_threads_open_once(void)
{
    pthread_barrier_t barrier;
    pthread_t threads[OPENERS];
    pthread_barrier_init(&barrier, NULL, OPENERS);
    for (int i = 0; i < OPENERS; i++) {
        threads[i] = start(query_once, &barrier);
    }
    for (int i = 0; i < OPENERS; i++) {
        pthread_join(threads[i], NULL);
    }
    CHECK(control_init_calls() == 1);
    CHECK(nvp_generation() == 1);
}

static void *query_in_thread(void *argument)
{
    (void)argument;
    query_ok(first_device());
    return NULL;
}

static void query_waits_for_the_opening_thread(void)
{
    CHECK(nvp_driver_find() == NVP_SUCCESS);
    control_slow("nvmlInitWithFlags", 100);
    pthread_t opener = start(query_in_thread, NULL);
    control_await_in_flight(1);
    CHECK(nvp_get_state() == NVP_STATE_OPENING);
    query_ok(first_device());
    pthread_join(opener, NULL);
    CHECK(control_init_calls() == 1);
}

static void failed_init_leaves_no_count(void)
{
    CHECK(nvp_driver_find() == NVP_SUCCESS);
    control_fail("nvmlInitWithFlags", NVML_ERROR_DRIVER_NOT_LOADED);
    CHECK_STATUS(nvp_init(), NVML_ERROR_DRIVER_NOT_LOADED);
    CHECK(nvp_init_count() == 0);
    CHECK(nvp_get_state() == NVP_STATE_COLD);
    CHECK_STATUS(nvp_shutdown(), NVML_ERROR_UNINITIALIZED);
    control_clear_faults();
    CHECK_STATUS(nvp_init(), NVP_SUCCESS);
    CHECK(nvp_init_count() == 1);
}

static void only_the_last_shutdown_closes(void)
{
    CHECK_STATUS(nvp_init(), NVP_SUCCESS);
    CHECK_STATUS(nvp_init(), NVP_SUCCESS);
    CHECK_STATUS(nvp_init(), NVP_SUCCESS);
    CHECK(control_init_calls() == 1);
    CHECK_STATUS(nvp_shutdown(), NVP_SUCCESS);
    CHECK_STATUS(nvp_shutdown(), NVP_SUCCESS);
    CHECK(nvp_get_state() == NVP_STATE_OPEN);
    CHECK(control_calls("nvmlShutdown") == 0);
    CHECK_STATUS(nvp_shutdown(), NVP_SUCCESS);
    CHECK(nvp_get_state() == NVP_STATE_COLD);
    CHECK(control_calls("nvmlShutdown") == 1);
    CHECK_STATUS(nvp_shutdown(), NVML_ERROR_UNINITIALIZED);
}

static void shutdown_without_init_is_uninitialized(void)
{
    CHECK_STATUS(nvp_shutdown(), NVML_ERROR_UNINITIALIZED);
    CHECK_STATUS(nvmlShutdown(), NVML_ERROR_UNINITIALIZED);
}

static void same_names_count_too(void)
{
    CHECK_STATUS(nvmlInit(), NVML_SUCCESS);
    CHECK_STATUS(nvmlInitWithFlags(0), NVML_SUCCESS);
    CHECK(nvp_init_count() == 2);
    CHECK_STATUS(nvmlShutdown(), NVML_SUCCESS);
    query_ok(first_device());
    CHECK_STATUS(nvmlShutdown(), NVML_SUCCESS);
    CHECK(nvp_get_state() == NVP_STATE_COLD);
}

static void lazy_opening_counts_once(void)
{
    query_ok(first_device());
    CHECK_STATUS(nvp_init(), NVP_SUCCESS);
    CHECK_STATUS(nvp_shutdown(), NVP_SUCCESS);
    CHECK(nvp_get_state() == NVP_STATE_OPEN);
    CHECK_STATUS(nvp_shutdown(), NVP_SUCCESS);
    CHECK(nvp_get_state() == NVP_STATE_COLD);
}

static void driver_init_follows_the_flags_on_top(void)
{
    CHECK_STATUS(nvp_init(), NVP_SUCCESS);
    CHECK_STATUS(nvp_init_with_flags(NVML_INIT_FLAG_NO_GPUS), NVP_SUCCESS);
    CHECK(control_init_calls() == 2);
    CHECK_STATUS(nvp_init_with_flags(NVML_INIT_FLAG_NO_GPUS), NVP_SUCCESS);
    CHECK(control_init_calls() == 2);
    CHECK_STATUS(nvp_shutdown(), NVP_SUCCESS);
    CHECK(control_init_calls() == 2);
    CHECK_STATUS(nvp_shutdown(), NVP_SUCCESS); /* flags 0 are on top again */
    CHECK(control_init_calls() == 3);
    CHECK(control_calls("nvmlShutdown") == 0);
    CHECK_STATUS(nvp_shutdown(), NVP_SUCCESS);
    CHECK(control_calls("nvmlShutdown") == 3); /* as many as the driver counts inits */
}

static void failed_change_of_flags_leaves_no_count(void)
{
    CHECK_STATUS(nvp_init(), NVP_SUCCESS);
    control_fail("nvmlInitWithFlags", NVML_ERROR_INVALID_ARGUMENT);
    CHECK_STATUS(nvp_init_with_flags(NVML_INIT_FLAG_NO_ATTACH), NVML_ERROR_INVALID_ARGUMENT);
    CHECK(nvp_init_count() == 1);
    CHECK(nvp_get_state() == NVP_STATE_OPEN);
}

static void a_million_inits_do_not_grow(void)
{
    CHECK_STATUS(nvp_init(), NVP_SUCCESS);
    size_t before = mallinfo2().uordblks;
    for (int i = 0; i < 1000000; i++) {
        CHECK_STATUS(nvp_init(), NVP_SUCCESS);
    }
    CHECK(nvp_init_count() == 1000001);
    CHECK(mallinfo2().uordblks <= before + 4096);
}

static void scope_closes_at_the_end_of_the_block(void)
{
    {
        NVP_SCOPED(session);
        CHECK_STATUS(session.status, NVP_SUCCESS);
        CHECK(nvp_get_state() == NVP_STATE_OPEN);
    }
    CHECK(nvp_get_state() == NVP_STATE_COLD);
    {
        NVP_SCOPED(session);
        CHECK_STATUS(session.status, NVP_SUCCESS);
        control_fail("nvmlShutdown", NVML_ERROR_UNKNOWN); /* ignored */
    }
    CHECK(nvp_get_state() == NVP_STATE_COLD);
}

static void scope_of_a_failed_init_closes_nothing(void)
{
    query_ok(first_device());
    control_fail("nvmlInitWithFlags", NVML_ERROR_UNKNOWN);
    {
        nvp_scope scope = { .status = nvp_init_with_flags(NVML_INIT_FLAG_NO_GPUS) };
        CHECK_STATUS(scope.status, NVML_ERROR_UNKNOWN);
        nvp_scope_end(&scope);
        nvp_scope_end(NULL);
    }
    CHECK(nvp_get_state() == NVP_STATE_OPEN);
}

static void generation_grows_with_every_open(void)
{
    CHECK(nvp_generation() == 0);
    for (uint64_t i = 1; i <= 3; i++) {
        CHECK_STATUS(nvp_init(), NVP_SUCCESS);
        CHECK(nvp_generation() == i);
        CHECK_STATUS(nvp_shutdown(), NVP_SUCCESS);
    }
}

static void failed_open_is_remembered(void)
{
    setenv("NVPULSE_RETRY_MS", "3600000", 1);
    unsigned int count = 0;
    CHECK(nvp_driver_find() == NVP_SUCCESS);
    control_fail("nvmlInitWithFlags", NVML_ERROR_DRIVER_NOT_LOADED);
    for (int i = 0; i < 100000; i++) {
        CHECK_STATUS(nvmlDeviceGetCount(&count), NVML_ERROR_DRIVER_NOT_LOADED);
    }
    CHECK(control_init_calls() == 1);
    CHECK_STATUS(nvp_init(), NVML_ERROR_DRIVER_NOT_LOADED); /* asked for by name: tried anew */
    CHECK(control_init_calls() == 2);
}

static void failed_open_is_retried_after_the_back_off(void)
{
    setenv("NVPULSE_RETRY_MS", "1", 1);
    unsigned int count = 0;
    CHECK(nvp_driver_find() == NVP_SUCCESS);
    control_add_fault(&(nvpsim_fault){ .struct_size = sizeof(nvpsim_fault),
                                       .function = "nvmlInitWithFlags",
                                       .device = -1,
                                       .error = NVML_ERROR_DRIVER_NOT_LOADED,
                                       .times = 3 });
    while (nvmlDeviceGetCount(&count) != NVML_SUCCESS) {
        usleep(500);
    }
    CHECK(count > 0);
    CHECK(control_init_calls() == 4);
}

static void *hang_in_init(void *argument)
{
    (void)argument;
    nvp_init();
    return NULL;
}

static void waiting_for_a_hanging_init_is_bounded(void)
{
    setenv("NVPULSE_EXIT_TIMEOUT_MS", "100", 1);
    unsigned int count;
    CHECK(nvp_driver_find() == NVP_SUCCESS);
    control_hang("nvmlInitWithFlags");
    start(hang_in_init, NULL);
    control_await_in_flight(1);
    CHECK_STATUS(nvp_init(), NVP_ERROR_TIMED_OUT);
    CHECK_STATUS(nvmlDeviceGetCount(&count), NVML_ERROR_TIMEOUT);
    control_clear_faults();
    _exit(0);
}

static void *hang_in_query(void *device)
{
    unsigned int power_mw;
    nvmlDeviceGetPowerUsage(device, &power_mw);
    return NULL;
}

static void shutdown_under_a_hanging_query_times_out_and_stays_open(void)
{
    setenv("NVPULSE_EXIT_TIMEOUT_MS", "100", 1);
    CHECK_STATUS(nvp_init(), NVP_SUCCESS);
    nvmlDevice_t device = first_device();
    unsigned int temperature_c;
    control_hang("nvmlDeviceGetPowerUsage");
    pthread_t thread = start(hang_in_query, device);
    control_await_in_flight(1);
    CHECK_STATUS(nvp_shutdown(), NVP_ERROR_TIMED_OUT);
    CHECK(nvp_init_count() == 1);
    CHECK_STATUS(nvmlDeviceGetTemperature(device, NVML_TEMPERATURE_GPU, &temperature_c), NVML_SUCCESS);
    control_clear_faults();
    pthread_join(thread, NULL);
    CHECK_STATUS(nvp_shutdown(), NVP_SUCCESS);
    CHECK(control_calls("nvmlShutdown") == 1);
}

static void shutdown_waits_for_a_query_under_way(void)
{
    CHECK_STATUS(nvp_init(), NVP_SUCCESS);
    nvmlDevice_t device = first_device();
    control_slow("nvmlDeviceGetPowerUsage", 100);
    pthread_t thread = start(hang_in_query, device);
    control_await_in_flight(1);
    CHECK_STATUS(nvp_shutdown(), NVP_SUCCESS);
    CHECK(control_in_flight() == 0);
    pthread_join(thread, NULL);
}

static void threads_that_come_and_go_leave_no_growth(void)
{
    for (int i = 0; i < 100; i++) { /* so that the allocator has seen a thread */
        pthread_join(start(query_in_thread, NULL), NULL);
    }
    size_t before = mallinfo2().uordblks;
    for (int i = 0; i < SHORT_THREADS; i++) {
        pthread_join(start(query_in_thread, NULL), NULL);
    }
    CHECK(mallinfo2().uordblks <= before + 4096);
}

static void exit_handler_is_registered_once(void)
{
    watch_log("exit handler registered");
    for (int i = 0; i < 5; i++) {
        CHECK_STATUS(nvp_init(), NVP_SUCCESS);
        CHECK_STATUS(nvp_shutdown(), NVP_SUCCESS);
    }
    query_ok(first_device());
    CHECK(watched_lines() == 1);
}

const struct test_case test_cases[] = {
    { "lazy_first_query_opens", lazy_first_query_opens },
    { "first_queries_of_many_threads_open_once", first_queries_of_many_threads_open_once },
    { "query_waits_for_the_opening_thread", query_waits_for_the_opening_thread },
    { "failed_init_leaves_no_count", failed_init_leaves_no_count },
    { "only_the_last_shutdown_closes", only_the_last_shutdown_closes },
    { "shutdown_without_init_is_uninitialized", shutdown_without_init_is_uninitialized },
    { "same_names_count_too", same_names_count_too },
    { "lazy_opening_counts_once", lazy_opening_counts_once },
    { "driver_init_follows_the_flags_on_top", driver_init_follows_the_flags_on_top },
    { "failed_change_of_flags_leaves_no_count", failed_change_of_flags_leaves_no_count },
    { "a_million_inits_do_not_grow", a_million_inits_do_not_grow },
    { "scope_closes_at_the_end_of_the_block", scope_closes_at_the_end_of_the_block },
    { "scope_of_a_failed_init_closes_nothing", scope_of_a_failed_init_closes_nothing },
    { "generation_grows_with_every_open", generation_grows_with_every_open },
    { "failed_open_is_remembered", failed_open_is_remembered },
    { "failed_open_is_retried_after_the_back_off", failed_open_is_retried_after_the_back_off },
    { "waiting_for_a_hanging_init_is_bounded", waiting_for_a_hanging_init_is_bounded },
    { "shutdown_under_a_hanging_query_times_out_and_stays_open", shutdown_under_a_hanging_query_times_out_and_stays_open },
    { "shutdown_waits_for_a_query_under_way", shutdown_waits_for_a_query_under_way },
    { "threads_that_come_and_go_leave_no_growth", threads_that_come_and_go_leave_no_growth },
    { "exit_handler_is_registered_once", exit_handler_is_registered_once },
};
const size_t test_case_count = sizeof(test_cases) / sizeof(test_cases[0]);
