/*
 * Faults, call counts and calls in flight, from the scenario and from the control API.
 */
#include "sim.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static nvmlReturn_t power_of(unsigned index)
{
    unsigned power;
    return CALL(nvmlDeviceGetPowerUsage)(sim_device(index), &power);
}

static void add(nvpsim_fault fault)
{
    fault.struct_size = sizeof fault;
    assert_int_equal(CALL(nvpsim_add_fault)(&fault), 0);
}

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void test_faults__an_error_hits_its_function_and_device(void **state)
{
    (void)state;
    unsigned temperature;
    sim_load_profile("h100x8");
    sim_init();
    add((nvpsim_fault){ .function = "nvmlDeviceGetPowerUsage", .device = 2, .error = NVML_ERROR_GPU_IS_LOST });
    ANSWERS(power_of(2), NVML_ERROR_GPU_IS_LOST);
    SUCCEEDS(power_of(1));
    SUCCEEDS(CALL(nvmlDeviceGetTemperature)(sim_device(2), NVML_TEMPERATURE_GPU, &temperature));
    CALL(nvpsim_clear_faults)();
    SUCCEEDS(power_of(2));
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_faults__any_function_of_a_device(void **state)
{
    (void)state;
    unsigned count;
    sim_load_profile("h100x8");
    sim_init();
    add((nvpsim_fault){ .device = 4, .error = 999 });
    ANSWERS(power_of(4), 999);
    SUCCEEDS(CALL(nvmlDeviceGetCount_v2)(&count));
    SUCCEEDS(power_of(3));
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_faults__count_the_calls_before_and_the_hits(void **state)
{
    (void)state;
    sim_load_profile("h100x8");
    sim_init();
    add((nvpsim_fault){ .function = "nvmlDeviceGetPowerUsage", .device = -1, .error = 15, .after_calls = 2, .times = 3 });
    const nvmlReturn_t expected[] = { 0, 0, 15, 15, 15, 0, 0 };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        ANSWERS(power_of((unsigned)i), expected[i]);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_faults__hold_for_a_time(void **state)
{
    (void)state;
    sim_load_scenario("base: h100x8\nclock: stepped\n"
                      "faults: [{function: any, device: 2, error: GPU_IS_LOST, from_ms: 1000, until_ms: 3000}]\n");
    sim_init();
    const nvmlReturn_t expected[] = { 0, 15, 15, 0 };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++, sim_step_ms(1000)) {
        ANSWERS(power_of(2), expected[i]);
        SUCCEEDS(power_of(1));
    }
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_faults__bad_ones_are_refused(void **state)
{
    (void)state;
    sim_load_profile("h100x8");
    nvpsim_fault fault = { .struct_size = sizeof fault, .function = "nvmlDeviceGetNothing", .device = -1 };
    assert_int_equal(CALL(nvpsim_add_fault)(&fault), -1);
    fault.function = NULL;
    fault.struct_size = 8;
    assert_int_equal(CALL(nvpsim_add_fault)(&fault), -1);
    assert_int_equal(CALL(nvpsim_add_fault)(NULL), -1);
    fault.struct_size = sizeof fault;
    for (int i = 0; i < 64; i++)
        assert_int_equal(CALL(nvpsim_add_fault)(&fault), 0);
    assert_int_equal(CALL(nvpsim_add_fault)(&fault), -1);
    CALL(nvpsim_clear_faults)();
    assert_int_equal(CALL(nvpsim_add_fault)(&fault), 0);
}

static void test_faults__wrong_calls_are_answered_before_any_fault(void **state)
{
    (void)state;
    unsigned power;
    sim_load_profile("h100x8");
    add((nvpsim_fault){ .device = -1, .error = 15 });
    ANSWERS(CALL(nvmlDeviceGetCount_v2)(&power), NVML_ERROR_UNINITIALIZED);
    ANSWERS(CALL(nvmlInit_v2)(), 15);
    assert_string_equal(CALL(nvmlErrorString)(NVML_ERROR_GPU_IS_LOST), "GPU is lost");
    CALL(nvpsim_clear_faults)();
    sim_init();
    add((nvpsim_fault){ .device = -1, .error = 15 });
    ANSWERS(CALL(nvmlDeviceGetPowerUsage)((nvmlDevice_t)8, &power), NVML_ERROR_INVALID_ARGUMENT);
    CALL(nvpsim_clear_faults)();
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_faults__latency_takes_real_time(void **state)
{
    (void)state;
    sim_load_profile("h100x8");
    sim_init();
    add((nvpsim_fault){ .function = "nvmlDeviceGetPowerUsage", .device = -1, .latency_ns = 30000000 });
    uint64_t start = clock_ns(CLOCK_MONOTONIC), simulated = CALL(nvpsim_clock_ns)();
    SUCCEEDS(power_of(0));
    assert_true(clock_ns(CLOCK_MONOTONIC) - start >= 30000000);
    assert_true(CALL(nvpsim_clock_ns)() == simulated);
    SUCCEEDS(CALL(nvmlShutdown)());
}

typedef struct hanging {
    nvmlDevice_t device;
    nvmlDeviceGetPowerUsage_fn *call;
    nvmlReturn_t result;
    unsigned power;
} hanging;

static void *hang(void *argument)
{
    hanging *own = argument;
    own->result = own->call(own->device, &own->power);
    return NULL;
}

static void wait_in_flight(unsigned wanted)
{
    while (CALL(nvpsim_in_flight)() != wanted)
        sched_yield();
}

static void test_faults__a_hang_lasts_until_it_is_cleared_and_sleeps(void **state)
{
    (void)state;
    pthread_t threads[2];
    hanging calls[2];
    sim_load_profile("h100x8");
    sim_init();
    add((nvpsim_fault){ .function = "nvmlDeviceGetPowerUsage", .device = 1, .hang = 1, .error = 0 });
    for (int i = 0; i < 2; i++) {
        calls[i] = (hanging){ .device = sim_device(1), .call = CALL(nvmlDeviceGetPowerUsage), .result = (nvmlReturn_t)-1 };
        assert_int_equal(pthread_create(&threads[i], NULL, hang, &calls[i]), 0);
    }
    wait_in_flight(2);
    SUCCEEDS(power_of(0)); /* others go on */
    uint64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
    assert_true(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu < 50000000);
    assert_int_equal(CALL(nvpsim_in_flight)(), 2);
    CALL(nvpsim_clear_faults)();
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(calls[i].result, NVML_SUCCESS);
        assert_true(calls[i].power > 0);
    }
    assert_int_equal(CALL(nvpsim_in_flight)(), 0);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_faults__those_of_the_scenario_hit_the_first_init_too(void **state)
{
    (void)state;
    sim_load_scenario("base: h100x8\n"
                      "faults:\n"
                      "  - {function: nvmlInit_v2, error: DRIVER_NOT_LOADED, times: 2}\n"
                      "  - {function: any, device: 3, error: NVML_ERROR_GPU_IS_LOST, after_calls: 1}\n"
                      "  - {function: nvmlDeviceGetTemperature, error: 4}\n");
    ANSWERS(CALL(nvmlInit_v2)(), NVML_ERROR_DRIVER_NOT_LOADED);
    ANSWERS(CALL(nvmlInit_v2)(), NVML_ERROR_DRIVER_NOT_LOADED);
    sim_init();
    SUCCEEDS(power_of(3));
    ANSWERS(power_of(3), NVML_ERROR_GPU_IS_LOST);
    unsigned temperature = 1;
    ANSWERS(CALL(nvmlDeviceGetTemperature)(sim_device(0), NVML_TEMPERATURE_GPU, &temperature), NVML_ERROR_NO_PERMISSION);
    assert_int_equal(temperature, 1);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_faults__clearing_before_the_first_init_clears_the_scenarios_own(void **state)
{
    (void)state;
    sim_load_scenario("faults: [{function: nvmlInit_v2, error: DRIVER_NOT_LOADED}]\n");
    CALL(nvpsim_clear_faults)();
    sim_init();
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_faults__calls_are_counted_by_function(void **state)
{
    (void)state;
    unsigned count;
    sim_load_profile("h100x8");
    assert_int_equal(CALL(nvpsim_call_count)("nvmlInit_v2"), 0);
    sim_init();
    for (int i = 0; i < 5; i++)
        CALL(nvmlDeviceGetCount_v2)(&count);
    CALL(nvmlDeviceGetCount_v2)(NULL);
    assert_int_equal(CALL(nvpsim_call_count)("nvmlInit_v2"), 1);
    assert_int_equal(CALL(nvpsim_call_count)("nvmlDeviceGetCount_v2"), 6);
    assert_int_equal(CALL(nvpsim_call_count)("nvmlDeviceGetCount"), 0);
    assert_int_equal(CALL(nvpsim_call_count)(NULL), 7);
    assert_int_equal(CALL(nvpsim_call_count)("nvmlNoSuchFunction"), 0);
    CALL(nvpsim_reset_call_counts)();
    assert_int_equal(CALL(nvpsim_call_count)(NULL), 0);
    CALL(nvmlDeviceGetCount_v2)(&count);
    assert_int_equal(CALL(nvpsim_call_count)(NULL), 1);
    SUCCEEDS(CALL(nvmlShutdown)());
}

enum { CALLS_EACH = 1000 };

static void *count_calls(void *argument)
{
    nvmlDeviceGetCount_v2_fn *call = (nvmlDeviceGetCount_v2_fn *)argument;
    unsigned count;
    for (int i = 0; i < CALLS_EACH; i++)
        call(&count);
    return NULL;
}

/* More threads at once than there are places to count in, and many more one after another. */
static void test_faults__counts_survive_many_threads(void **state)
{
    (void)state;
    enum { THREADS = 200, ROUNDS = 5 };
    pthread_t threads[THREADS];
    sim_load_profile("h100x8");
    sim_init();
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, count_calls, sim_need("nvmlDeviceGetCount_v2")), 0);
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    assert_int_equal(CALL(nvpsim_call_count)("nvmlDeviceGetCount_v2"), THREADS * ROUNDS * CALLS_EACH);
    assert_int_equal(CALL(nvpsim_in_flight)(), 0);
    SUCCEEDS(CALL(nvmlShutdown)());
}

int main(int count, char **arguments)
{
#define CASE(name) cmocka_unit_test_teardown(test_faults__##name, sim_unload)
    const struct CMUnitTest tests[] = {
        CASE(an_error_hits_its_function_and_device),
        CASE(any_function_of_a_device),
        CASE(count_the_calls_before_and_the_hits),
        CASE(hold_for_a_time),
        CASE(bad_ones_are_refused),
        CASE(wrong_calls_are_answered_before_any_fault),
        CASE(latency_takes_real_time),
        CASE(a_hang_lasts_until_it_is_cleared_and_sleeps),
        CASE(those_of_the_scenario_hit_the_first_init_too),
        CASE(clearing_before_the_first_init_clears_the_scenarios_own),
        CASE(calls_are_counted_by_function),
        CASE(counts_survive_many_threads),
    };
    int status = sim_arguments(count, arguments);
    return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
