/*
 * Devices that come, go, fall off the bus and come back; mistakes of a program that are reported on request; many devices.
 */
#include "sim.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned count_of(void)
{
    unsigned count = 999;
    SUCCEEDS(CALL(nvmlDeviceGetCount_v2)(&count));
    return count;
}

static void init_again(void)
{
    SUCCEEDS(CALL(nvmlShutdown)());
    sim_init();
}

static nvmlReturn_t temperature_of(nvmlDevice_t device)
{
    unsigned celsius;
    return CALL(nvmlDeviceGetTemperature)(device, NVML_TEMPERATURE_GPU, &celsius);
}

static void name_of(unsigned index, char name[NVML_DEVICE_NAME_BUFFER_SIZE])
{
    SUCCEEDS(CALL(nvmlDeviceGetName)(sim_device(index), name, NVML_DEVICE_NAME_BUFFER_SIZE));
}

static const char three[] = "base: h100x8\nclock: stepped\nsystem: {num_devices: 3}\ndevices:\n"
                            "  - {index: 0, name: first}\n"
                            "  - {index: 1, name: second, hotplug: {from_ms: 1000, until_ms: 3000}}\n"
                            "  - {index: 2, name: third}\n";

static void test_presence__a_device_is_seen_by_the_next_init_only(void **state)
{
    (void)state;
    char name[NVML_DEVICE_NAME_BUFFER_SIZE];
    sim_load_scenario(three);
    sim_init();
    assert_int_equal(count_of(), 2);
    name_of(1, name);
    assert_string_equal(name, "third");
    sim_step_ms(1000);
    assert_int_equal(count_of(), 2);
    init_again();
    assert_int_equal(count_of(), 3);
    name_of(1, name);
    assert_string_equal(name, "second");
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_presence__index_is_the_place_among_what_is_there(void **state)
{
    (void)state;
    unsigned index = 9;
    nvmlDevice_t device, other = NULL;
    char uuid[NVML_DEVICE_UUID_V2_BUFFER_SIZE];
    sim_load_scenario(three);
    sim_init();
    device = sim_device(1);
    SUCCEEDS(CALL(nvmlDeviceGetIndex)(device, &index));
    assert_int_equal(index, 1);
    SUCCEEDS(CALL(nvmlDeviceGetUUID)(device, uuid, sizeof uuid));
    sim_step_ms(1000);
    init_again();
    assert_true(sim_device(2) == device); /* the handle stays, the index moves */
    SUCCEEDS(CALL(nvmlDeviceGetIndex)(device, &index));
    assert_int_equal(index, 2);
    SUCCEEDS(CALL(nvmlDeviceGetHandleByUUID)(uuid, &other));
    assert_true(other == device);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_presence__what_is_taken_out_is_lost_until_the_next_init(void **state)
{
    (void)state;
    sim_load_scenario(three);
    sim_init();
    sim_step_ms(1500);
    init_again();
    nvmlDevice_t device = sim_device(1), again = NULL;
    char uuid[NVML_DEVICE_UUID_V2_BUFFER_SIZE];
    SUCCEEDS(temperature_of(device));
    SUCCEEDS(CALL(nvmlDeviceGetUUID)(device, uuid, sizeof uuid));
    sim_step_ms(1500);
    ANSWERS(temperature_of(device), NVML_ERROR_GPU_IS_LOST);
    ANSWERS(CALL(nvmlDeviceGetHandleByUUID)(uuid, &again), NVML_ERROR_GPU_IS_LOST);
    assert_int_equal(count_of(), 3);
    SUCCEEDS(temperature_of(sim_device(2)));
    init_again();
    assert_int_equal(count_of(), 2);
    ANSWERS(temperature_of(device), NVML_ERROR_INVALID_ARGUMENT); /* a stale handle */
    ANSWERS(CALL(nvmlDeviceGetHandleByUUID)(uuid, &again), NVML_ERROR_NOT_FOUND);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static const char flapping[] = "base: h100x8\nclock: stepped\nsystem: {num_devices: 2}\ndevices:\n"
                               "  - {index: 1, flapping: {from_ms: 500, period_ms: 1000, lost_ms: 300}}\n";

static void test_presence__a_device_flaps(void **state)
{
    (void)state;
    sim_load_scenario(flapping);
    sim_init();
    for (int cycle = 0; cycle < 3; cycle++) {
        nvmlDevice_t device = sim_device(1);
        SUCCEEDS(temperature_of(device));
        sim_step_ms(cycle == 0 ? 1199 : 699);
        SUCCEEDS(temperature_of(device));
        sim_step_ms(1);
        ANSWERS(temperature_of(device), NVML_ERROR_GPU_IS_LOST);
        ANSWERS(CALL(nvmlDeviceGetHandleByIndex_v2)(1, &device), NVML_ERROR_GPU_IS_LOST);
        SUCCEEDS(temperature_of(sim_device(0)));
        sim_step_ms(300);
        ANSWERS(temperature_of(device), NVML_ERROR_GPU_IS_LOST); /* it is back, but not for this session */
        init_again();
    }
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_presence__a_whole_flap_between_two_calls_counts(void **state)
{
    (void)state;
    sim_load_scenario(flapping);
    sim_init();
    nvmlDevice_t device = sim_device(1);
    sim_step_ms(1600);
    ANSWERS(temperature_of(device), NVML_ERROR_GPU_IS_LOST);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_presence__a_loss_is_an_xid(void **state)
{
    (void)state;
    nvmlEventSet_t set;
    nvmlEventData_t event = { 0 };
    sim_load_scenario(flapping);
    NEEDS("nvmlEventSetWait_v2");
    sim_init();
    nvmlDevice_t device = sim_device(1);
    SUCCEEDS(CALL(nvmlEventSetCreate)(&set));
    SUCCEEDS(CALL(nvmlDeviceRegisterEvents)(device, nvmlEventTypeXidCriticalError, set));
    ANSWERS(CALL(nvmlEventSetWait_v2)(set, &event, 0), NVML_ERROR_TIMEOUT);
    sim_step_ms(2300); /* lost at 1200 and at 2200 */
    for (int i = 0; i < 2; i++) {
        event.eventData = 0;
        SUCCEEDS(CALL(nvmlEventSetWait_v2)(set, &event, 0));
        assert_true(event.device == device);
        assert_int_equal(event.eventType, nvmlEventTypeXidCriticalError);
        assert_int_equal(event.eventData, 79);
    }
    ANSWERS(CALL(nvmlEventSetWait_v2)(set, &event, 0), NVML_ERROR_TIMEOUT);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_presence__256_devices(void **state)
{
    (void)state;
    unsigned index, found = 0;
    char name[NVML_DEVICE_NAME_BUFFER_SIZE], first[NVML_DEVICE_UUID_V2_BUFFER_SIZE], uuid[NVML_DEVICE_UUID_V2_BUFFER_SIZE];
    sim_load_scenario("base: h200\nclock: stepped\nsystem: {num_devices: 256}\ndevices: [{index: 255, name: last}]\n");
    sim_init();
    assert_int_equal(count_of(), 256);
    SUCCEEDS(CALL(nvmlDeviceGetUUID)(sim_device(0), first, sizeof first));
    for (unsigned i = 0; i < 256; i++) {
        SUCCEEDS(CALL(nvmlDeviceGetIndex)(sim_device(i), &index));
        assert_int_equal(index, i);
        SUCCEEDS(CALL(nvmlDeviceGetUUID)(sim_device(i), uuid, sizeof uuid));
        found += strcmp(first, uuid) == 0;
    }
    assert_int_equal(found, 1);
    name_of(255, name);
    assert_string_equal(name, "last");
    ANSWERS(CALL(nvmlDeviceGetHandleByIndex_v2)(256, &(nvmlDevice_t){ NULL }), NVML_ERROR_INVALID_ARGUMENT);
    SUCCEEDS(CALL(nvmlShutdown)());
}

/* The loads of two devices over half a minute. */
static void loads_of(const char *scenario, unsigned loads[2][30])
{
    nvmlUtilization_t utilization;
    sim_load_scenario(scenario);
    sim_init();
    for (int second = 0; second < 30; second++, sim_step_ms(1000)) {
        for (unsigned i = 0; i < 2; i++) {
            SUCCEEDS(CALL(nvmlDeviceGetUtilizationRates)(sim_device(i), &utilization));
            loads[i][second] = utilization.gpu;
        }
    }
    SUCCEEDS(CALL(nvmlShutdown)());
    sim_unload(NULL);
}

static void test_presence__a_random_walk_is_repeatable(void **state)
{
    (void)state;
    static const char form[] = "seed: %d\nclock: stepped\nsystem: {num_devices: 2}\n"
                               "device_defaults: {utilization: {gpu: {move: walk, low: 0, high: 100, step: 20}}}\n";
    unsigned loads[3][2][30], distinct = 0;
    char scenario[sizeof form + 16];
    for (int i = 0; i < 3; i++) {
        snprintf(scenario, sizeof scenario, form, i == 2 ? 8 : 7);
        loads_of(scenario, loads[i]);
    }
    assert_memory_equal(loads[0], loads[1], sizeof loads[0]);
    assert_memory_not_equal(loads[0], loads[2], sizeof loads[0]);
    assert_memory_not_equal(loads[0][0], loads[0][1], sizeof loads[0][0]);
    for (int second = 1; second < 30; second++)
        distinct += loads[0][0][second] != loads[0][0][second - 1];
    assert_true(distinct > 15);
}

/* What a child writes to stderr while it makes its mistakes, and how it ends. */
static int stderr_of(const char *strictness, void (*mistakes)(void), char *text, size_t size)
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL); /* cmocka's handler would go on */
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        setenv("NVPULSE_SIM_STRICT", strictness, 1);
        sim_load_profile("h100x8");
        mistakes();
        _exit(0);
    }
    close(ends[1]);
    size_t used = 0;
    for (ssize_t got; used + 1 < size && (got = read(ends[0], text + used, size - 1 - used)) > 0;)
        used += (size_t)got;
    text[used] = '\0';
    close(ends[0]);
    assert_true(waitpid(child, &status, 0) == child);
    return status;
}

static void make_mistakes(void)
{
    unsigned count;
    CALL(nvmlDeviceGetCount_v2)(&count);
    CALL(nvmlInit_v2)();
    nvmlDevice_t device = sim_device(3);
    temperature_of(NULL);
    temperature_of((nvmlDevice_t)&count);
    temperature_of(device);
    CALL(nvmlShutdown)();
    temperature_of(device);
    CALL(nvmlInit_v2)();
    temperature_of(device);
    CALL(nvmlShutdown)();
    CALL(nvmlShutdown)();
}

static void test_presence__mistakes_are_told_on_request(void **state)
{
    (void)state;
    char text[2000];
    int status = stderr_of("1", make_mistakes, text, sizeof text);
    assert_string_equal(text, "nvpulse simulator: nvmlDeviceGetCount_v2: called before nvmlInit\n"
                              "nvpulse simulator: nvmlDeviceGetTemperature: a device handle that was never given out\n"
                              "nvpulse simulator: nvmlDeviceGetTemperature: called after nvmlShutdown\n"
                              "nvpulse simulator: nvmlDeviceGetTemperature: a device handle of an earlier session\n"
                              "nvpulse simulator: nvmlShutdown: called without nvmlInit\n");
    assert_int_equal(status, 0);
}

static void test_presence__mistakes_are_quiet_else(void **state)
{
    (void)state;
    char text[2000];
    assert_int_equal(stderr_of("0", make_mistakes, text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_int_equal(stderr_of("", make_mistakes, text, sizeof text), 0);
    assert_string_equal(text, "");
}

static void test_presence__the_first_mistake_can_end_the_program(void **state)
{
    (void)state;
    char text[2000];
    int status = stderr_of("abort", make_mistakes, text, sizeof text);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_string_equal(text, "nvpulse simulator: nvmlDeviceGetCount_v2: called before nvmlInit\n");
}

int main(int count, char **arguments)
{
#define CASE(name) cmocka_unit_test_teardown(test_presence__##name, sim_unload)
    const struct CMUnitTest tests[] = {
        CASE(a_device_is_seen_by_the_next_init_only),
        CASE(index_is_the_place_among_what_is_there),
        CASE(what_is_taken_out_is_lost_until_the_next_init),
        CASE(a_device_flaps),
        CASE(a_whole_flap_between_two_calls_counts),
        CASE(a_loss_is_an_xid),
        CASE(256_devices),
        CASE(a_random_walk_is_repeatable),
        CASE(mistakes_are_told_on_request),
        CASE(mistakes_are_quiet_else),
        CASE(the_first_mistake_can_end_the_program),
    };
    int status = sim_arguments(count, arguments);
    return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
