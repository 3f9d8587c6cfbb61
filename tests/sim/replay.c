/*
 * Replay: a recording drives the simulation. Round trips through `nvpulse record` are tested with the command.
 */
#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD                                                                                                                     \
    "{\"schema\":\"nvpulse.snapshot/1\",\"time_us\":%d,\"devices\":[{\"index\":0,\"metrics\":{\"identity.uuid\":\"GPU-1\""

static char text[64 * 1024];

/* Adds a snapshot `ms` after the first, with the metrics and whatever else of the only device. */
static void add(int ms, const char *metrics, const char *processes)
{
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, HEAD "%s%s}}],\"processes\":[%s]}\n", 7000000 + ms * 1000, metrics[0] ? "," : "",
             metrics, processes);
}

static void load(const char *end)
{
    setenv("NVPULSE_SIM_REPLAY", sim_write_file(text), 1);
    setenv("NVPULSE_SIM_REPLAY_END", end, 1);
    sim_load_profile("t4"); /* the recording comes first */
    sim_init();
}

static int unload(void **state)
{
    sim_unload(state);
    unsetenv("NVPULSE_SIM_REPLAY");
    unsetenv("NVPULSE_SIM_REPLAY_END");
    text[0] = '\0';
    return 0;
}

static unsigned long long energy_mj(void)
{
    unsigned long long energy = 0;
    SUCCEEDS(CALL(nvmlDeviceGetTotalEnergyConsumption)(sim_device(0), &energy));
    return energy;
}

static void test_replay__a_sum_grows_between_snapshots_and_on(void **state)
{
    (void)state;
    add(0, "\"power.energy_mj\":1000", "");
    add(1000, "\"power.energy_mj\":1500", "");
    add(2000, "\"power.energy_mj\":3500", "");
    load("loop");
    NEEDS("nvmlDeviceGetTotalEnergyConsumption");
    const unsigned long long expected[] = { 1000, 1250, 1500, 2500, 3500, 3500, 3500, 3750, 4000 };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++, sim_step_ms(500))
        assert_int_equal(energy_mj(), expected[i]);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_replay__past_and_future_of_a_load(void **state)
{
    (void)state;
    nvmlSample_t samples[120];
    unsigned count = 120;
    nvmlValueType_t type;
    add(0, "\"utilization.gpu_percent\":10", "");
    add(1000, "\"utilization.gpu_percent\":90", "");
    load("hold");
    sim_step_ms(5000);
    SUCCEEDS(CALL(nvmlDeviceGetSamples)(sim_device(0), NVML_GPU_UTILIZATION_SAMPLES, 0, &type, &count, samples));
    assert_int_equal(count, 51);
    assert_int_equal(samples[9].sampleValue.uiVal, 10);
    assert_int_equal(samples[10].sampleValue.uiVal, 90);
    assert_int_equal(samples[50].sampleValue.uiVal, 90);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_replay__what_is_missing_is_not_supported(void **state)
{
    (void)state;
    unsigned number;
    nvmlMemory_t memory;
    nvmlPstates_t pstate;
    nvmlUtilization_t utilization;
    add(0, "", "");
    load("hold");
    nvmlDevice_t device = sim_device(0);
    ANSWERS(CALL(nvmlDeviceGetTemperature)(device, NVML_TEMPERATURE_GPU, &number), NVML_ERROR_NOT_SUPPORTED);
    ANSWERS(CALL(nvmlDeviceGetPowerUsage)(device, &number), NVML_ERROR_NOT_SUPPORTED);
    ANSWERS(CALL(nvmlDeviceGetEnforcedPowerLimit)(device, &number), NVML_ERROR_NOT_SUPPORTED);
    ANSWERS(CALL(nvmlDeviceGetClockInfo)(device, NVML_CLOCK_SM, &number), NVML_ERROR_NOT_SUPPORTED);
    ANSWERS(CALL(nvmlDeviceGetMemoryInfo)(device, &memory), NVML_ERROR_NOT_SUPPORTED);
    ANSWERS(CALL(nvmlDeviceGetPerformanceState)(device, &pstate), NVML_ERROR_NOT_SUPPORTED);
    ANSWERS(CALL(nvmlDeviceGetUtilizationRates)(device, &utilization), NVML_ERROR_NOT_SUPPORTED);
    ANSWERS(CALL(nvmlDeviceGetFanSpeed)(device, &number), NVML_ERROR_NOT_SUPPORTED);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_replay__texts_are_those_of_json(void **state)
{
    (void)state;
    char name[NVML_DEVICE_NAME_V2_BUFFER_SIZE];
    add(0,
        "\"identity.name\":\"a\\u00e9\\ud83d\\ude00\\ud83d \\\\ \\\"q\\\"\\/\", \"unknown\": [1, {\"a\": [true, false, null, "
        "-1.5e3]}, \"\"]",
        "");
    load("hold");
    SUCCEEDS(CALL(nvmlDeviceGetName)(sim_device(0), name, sizeof name));
    assert_string_equal(name, "a\xc3\xa9\xf0\x9f\x98\x80\xef\xbf\xbd \\ \"q\"/");
    SUCCEEDS(CALL(nvmlShutdown)());
}

static unsigned processes_count(void)
{
    nvmlProcessInfo_v1_t infos[8];
    unsigned count = 8;
    SUCCEEDS(CALL(nvmlDeviceGetComputeRunningProcesses)(sim_device(0), &count, infos));
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(infos[i].pid, 5000007);
    return count;
}

static void test_replay__processes_begin_anew_with_it(void **state)
{
    (void)state;
    static const char process[] = "{\"pid\":7,\"gpu_index\":0,\"gpu_memory_bytes\":4096,\"type\":[\"compute\"],\"name\":\"x\"}";
    add(0, "", "");
    add(1000, "", process);
    add(2000, "", "");
    load("loop");
    for (int cycle = 0; cycle < 3; cycle++) {
        assert_int_equal(processes_count(), 0);
        sim_step_ms(1000);
        assert_int_equal(processes_count(), 1);
        sim_step_ms(1000);
        assert_int_equal(processes_count(), 0);
        sim_step_ms(1000);
    }
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_replay__live_control_has_the_last_word(void **state)
{
    (void)state;
    unsigned celsius;
    char message[256];
    static const char *const set[] = { "set", "thermal.temperature_gpu_c=99" }, *const reset[] = { "reset", "thermal" };
    add(0, "\"temperature.gpu_c\":40", "");
    add(1000, "\"temperature.gpu_c\":50", "");
    load("hold");
    assert_int_equal(CALL(nvpsim_control)(NULL, 2, set, message, sizeof message), 0);
    sim_step_ms(1000);
    SUCCEEDS(CALL(nvmlDeviceGetTemperature)(sim_device(0), NVML_TEMPERATURE_GPU, &celsius));
    assert_int_equal(celsius, 99);
    assert_int_equal(CALL(nvpsim_control)(NULL, 2, reset, message, sizeof message), 0);
    SUCCEEDS(CALL(nvmlDeviceGetTemperature)(sim_device(0), NVML_TEMPERATURE_GPU, &celsius));
    assert_int_equal(celsius, 50);
    SUCCEEDS(CALL(nvmlShutdown)());
}

/* Each beginning of a good recording is refused or read, and nothing else happens. */
static void test_replay__every_cut_is_noticed(void **state)
{
    (void)state;
    char message[1024];
    add(0, "\"power.draw_mw\":1,\"identity.name\":\"\\u00e9\"", "{\"pid\":7,\"gpu_index\":0,\"type\":[\"compute\"]}");
    sim_load_profile("t4");
    size_t size = strlen(text);
    int good = 0;
    for (size_t cut = size; cut-- > 0;) {
        text[cut] = '\0';
        const char *path = sim_write_file(text);
        good += CALL(nvpsim_check_recording)(path, message, sizeof message) == 0;
        remove(path);
    }
    assert_int_equal(good, 1); /* only the end of the line was missing */
}

int main(int count, char **arguments)
{
#define CASE(name) cmocka_unit_test_teardown(test_replay__##name, unload)
    const struct CMUnitTest tests[] = {
        CASE(a_sum_grows_between_snapshots_and_on),
        CASE(past_and_future_of_a_load),
        CASE(what_is_missing_is_not_supported),
        CASE(texts_are_those_of_json),
        CASE(processes_begin_anew_with_it),
        CASE(live_control_has_the_last_word),
        CASE(every_cut_is_noticed),
    };
    int status = sim_arguments(count, arguments);
    return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
