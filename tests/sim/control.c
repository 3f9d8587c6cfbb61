/*
 * Live control: changes of a running simulation, from within the process. Through a control file: control_file.c.
 */
#include "sim.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static char problem[1024];

/* CTL("set", "name=x"): 0 or -1, the message in `problem`. */
#define CTL(...) control((const char *const[]){ __VA_ARGS__, NULL })

static int control(const char *const *words)
{
    size_t count = 0;
    while (words[count]) {
        count++;
    }
    problem[0] = '\0';
    return CALL(nvpsim_control)(NULL, count, words, problem, sizeof problem);
}

#define WORKS(...)                                                                                                               \
    do {                                                                                                                         \
        if (CTL(__VA_ARGS__) != 0)                                                                                               \
            fail_msg("%s", problem);                                                                                             \
        assert_string_equal(problem, "");                                                                                        \
    } while (0)

#define REFUSED(text, ...)                                                                                                       \
    do {                                                                                                                         \
        assert_int_equal(CTL(__VA_ARGS__), -1);                                                                                  \
        if (!strstr(problem, text))                                                                                              \
            fail_msg("'%s' is not in '%s'", text, problem);                                                                      \
    } while (0)

static unsigned celsius_of(unsigned index)
{
    unsigned celsius = 999;
    SUCCEEDS(CALL(nvmlDeviceGetTemperature)(sim_device(index), NVML_TEMPERATURE_GPU, &celsius));
    return celsius;
}

static unsigned load_of(unsigned index)
{
    nvmlUtilization_t utilization;
    SUCCEEDS(CALL(nvmlDeviceGetUtilizationRates)(sim_device(index), &utilization));
    return utilization.gpu;
}

static void start(const char *profile)
{
    sim_load_profile(profile);
    sim_init();
}

static void test_control__a_value_is_there_at_the_next_call(void **state)
{
    (void)state;
    start("h100x8");
    unsigned other = celsius_of(0);
    assert_int_not_equal(celsius_of(1), 97);
    WORKS("set", "devices[1].thermal.temperature_gpu_c=97", "devices[1].utilization.gpu=3");
    assert_int_equal(celsius_of(1), 97);
    assert_int_equal(load_of(1), 3);
    assert_int_equal(celsius_of(0), other);
    WORKS("set", "utilization.gpu={move: steps, values: [11, 22], period_ms: 1000}", "name=a \"new\" {name}, really");
    for (unsigned i = 0; i < 8; i++) {
        char name[NVML_DEVICE_NAME_V2_BUFFER_SIZE];
        assert_int_equal(load_of(i), 11);
        SUCCEEDS(CALL(nvmlDeviceGetName)(sim_device(i), name, sizeof name));
        assert_string_equal(name, "a \"new\" {name}, really");
    }
    sim_step_ms(1000);
    assert_int_equal(load_of(7), 22);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_control__a_reset_brings_back_the_scenario(void **state)
{
    (void)state;
    start("h100x8");
    unsigned load = load_of(2), celsius = celsius_of(2);
    WORKS("set", "devices[2].utilization.gpu=1", "devices[2].thermal.temperature_gpu_c=N/A");
    assert_int_equal(load_of(2), 1);
    ANSWERS(CALL(nvmlDeviceGetTemperature)(sim_device(2), NVML_TEMPERATURE_GPU, &(unsigned){ 0 }), NVML_ERROR_NOT_SUPPORTED);
    WORKS("reset", "devices[2].utilization", "devices[2].thermal.temperature_gpu_c");
    assert_int_equal(load_of(2), load);
    assert_int_equal(celsius_of(2), celsius);
    REFUSED("key 'devices[2].utilisation': cannot be reset", "reset", "devices[2].utilisation");
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_control__mistakes_are_told_in_the_words_of_the_scenario(void **state)
{
    (void)state;
    start("h100x8");
    unsigned celsius = celsius_of(1);
    REFUSED("key 'devices[1].thermal.temperature_gpu': unknown key, did you mean 'temperature_gpu_c'? allowed: ambient_c, ",
            "set", "devices[1].thermal.temperature_gpu=5");
    REFUSED("key 'devices[1].thermal.temperature_gpu_c': '300' is not allowed; allowed: a number from 0 to 200 °C", "set",
            "devices[1].thermal.temperature_gpu_c=300");
    REFUSED("device 1: power.min_limit_mw exceeds power.max_limit_mw", "set", "devices[1].thermal.temperature_gpu_c=50",
            "devices[1].power.min_limit_mw=9000000");
    REFUSED("there is no device 8; allowed: 0 to 7", "set", "devices[8].utilization.gpu=1");
    REFUSED("uuid and pci.bus_id cannot change", "set", "devices[1].uuid=GPU-1");
    REFUSED("mig.devices, mig.profiles and mig.mode_current cannot change", "set", "devices[1].mig.mode_current=enabled");
    REFUSED("there is no command 'sett', did you mean 'set'? allowed: clock, device, ", "sett");
    REFUSED("a key is missing", "set");
    REFUSED("not understood: 'power'; allowed: KEY=VALUE", "set", "power");
    REFUSED("not understood: 'devices[1]=3'", "set", "devices[1]=3");
    REFUSED("not valid YAML", "set", "name={x");
    REFUSED("a control character", "set", "name=a\nb");
    REFUSED("no NVML function, did you mean 'nvmlDeviceGetPowerUsage'?", "fault", "add", "function=nvmlDeviceGetPowerUsag",
            "error=1");
    REFUSED("a fault needs 'error'", "fault", "add", "device=1");
    REFUSED("there is no device 9", "fault", "add", "device=9", "error=1");
    REFUSED("a process needs 'device'", "process", "add", "name=x");
    REFUSED("no process 77 runs", "process", "end", "77");
    REFUSED("'xidd' is not allowed, did you mean 'xid'?", "event", "xidd", "1", "79");
    REFUSED("an event is a kind, a device and its data", "event", "xid");
    REFUSED("not understood: clock", "clock", "step", "5 parsecs");
    assert_int_equal(celsius_of(1), celsius);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static uint64_t counter_of(unsigned field)
{
    nvmlFieldValue_t value = { .fieldId = field };
    SUCCEEDS(CALL(nvmlDeviceGetFieldValues)(sim_device(1), 1, &value));
    SUCCEEDS(value.nvmlReturn);
    return value.valueType == NVML_VALUE_TYPE_UNSIGNED_LONG_LONG ? value.value.ullVal : value.value.uiVal;
}

static void test_control__sums_never_fall_and_go_on_from_where_they_were(void **state)
{
    (void)state;
    unsigned long long before, after;
    start("h100x8");
    NEEDS("nvmlDeviceGetTotalEnergyConsumption");
    sim_step_ms(100000);
    SUCCEEDS(CALL(nvmlDeviceGetTotalEnergyConsumption)(sim_device(1), &before));
    WORKS("set", "devices[1].power.current_draw_mw=100000", "devices[1].pcie.tx_throughput_kbps=1000");
    SUCCEEDS(CALL(nvmlDeviceGetTotalEnergyConsumption)(sim_device(1), &after));
    assert_int_equal(before, after);
    sim_step_ms(10000);
    SUCCEEDS(CALL(nvmlDeviceGetTotalEnergyConsumption)(sim_device(1), &after));
    assert_in_range(after - before, 999999, 1000001);
    if (sim_since(555, 42, 2)) {
        uint64_t bytes = counter_of(NVML_FI_DEV_PCIE_COUNT_TX_BYTES);
        assert_true(bytes > 100000); /* what was moved before the change is still in it */
        WORKS("set", "devices[1].pcie.tx_throughput_kbps=0");
        assert_int_equal(counter_of(NVML_FI_DEV_PCIE_COUNT_TX_BYTES), bytes);
        sim_step_ms(10000);
        assert_int_equal(counter_of(NVML_FI_DEV_PCIE_COUNT_TX_BYTES), bytes);
    }
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_control__the_past_stays_what_it_was(void **state)
{
    (void)state;
    nvmlSample_t samples[120];
    unsigned count = 120;
    nvmlValueType_t type;
    start("h100x8");
    WORKS("set", "devices[1].utilization.gpu=80");
    sim_step_ms(5000);
    WORKS("set", "devices[1].utilization.gpu=20");
    sim_step_ms(2000);
    SUCCEEDS(CALL(nvmlDeviceGetSamples)(sim_device(1), NVML_GPU_UTILIZATION_SAMPLES, 0, &type, &count, samples));
    assert_int_equal(count, 71);
    assert_int_equal(samples[20].sampleValue.uiVal, 80);
    assert_int_equal(samples[49].sampleValue.uiVal, 80);
    assert_int_equal(samples[50].sampleValue.uiVal, 20);
    assert_int_equal(samples[70].sampleValue.uiVal, 20);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_control__a_stated_temperature_is_left_slowly(void **state)
{
    (void)state;
    start("h100x8");
    WORKS("set", "devices[1].thermal.temperature_gpu_c=97", "devices[1].thermal.time_constant_ms=10000");
    WORKS("reset", "devices[1].thermal.temperature_gpu_c");
    assert_int_equal(celsius_of(1), 97);
    sim_step_ms(10000);
    unsigned later = celsius_of(1);
    sim_step_ms(200000);
    assert_true(later < 90 && later > celsius_of(1));
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_control__what_the_program_has_set_holds_on(void **state)
{
    (void)state;
    unsigned limit_mw;
    nvmlEnableState_t mode;
    sim_load_scenario("base: h100x8\nclock: stepped\nprivileged: true\n");
    sim_init();
    SUCCEEDS(CALL(nvmlDeviceSetPowerManagementLimit)(sim_device(1), 300000));
    SUCCEEDS(CALL(nvmlDeviceSetPersistenceMode)(sim_device(1), NVML_FEATURE_DISABLED));
    WORKS("set", "devices[1].utilization.gpu=100");
    SUCCEEDS(CALL(nvmlDeviceGetEnforcedPowerLimit)(sim_device(1), &limit_mw));
    SUCCEEDS(CALL(nvmlDeviceGetPersistenceMode)(sim_device(1), &mode));
    assert_int_equal(limit_mw, 300000);
    assert_int_equal(mode, NVML_FEATURE_DISABLED);
    WORKS("set", "devices[1].power.enforced_limit_mw=400000", "devices[1].persistence_mode=enabled");
    SUCCEEDS(CALL(nvmlDeviceGetEnforcedPowerLimit)(sim_device(1), &limit_mw));
    assert_int_equal(limit_mw, 400000);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static unsigned processes_of(unsigned index, unsigned *pid)
{
    nvmlProcessInfo_v1_t infos[64];
    unsigned count = 64;
    SUCCEEDS(CALL(nvmlDeviceGetComputeRunningProcesses)(sim_device(index), &count, infos));
    *pid = count > 0 ? infos[count - 1].pid : 0;
    return count;
}

static void test_control__processes_come_and_go(void **state)
{
    (void)state;
    unsigned pid, other, before;
    char name[64];
    sim_load_scenario("base: h100x8\nclock: stepped\nprocesses: [{name: first, device: 0, used_memory_mib: 50000}]\n");
    sim_init();
    assert_int_equal(processes_of(0, &before), 1);
    WORKS("process", "add", "device=0", "name=second", "used_memory_mib=20000");
    assert_int_equal(processes_of(0, &pid), 2);
    assert_int_equal(processes_of(1, &other), 0);
    SUCCEEDS(CALL(nvmlSystemGetProcessName)(pid, name, sizeof name));
    assert_string_equal(name, "second");
    REFUSED("more than the", "process", "add", "device=0", "name=third", "used_memory_mib=20000");
    WORKS("process", "end", "first");
    assert_int_equal(processes_of(0, &other), 1);
    assert_int_equal(other, pid);
    WORKS("process", "add", "device=0", "name=third", "used_memory_mib=20000", "count=3", "type=C");
    REFUSED("more than the", "process", "add", "devices=[0, 1]", "used_memory_mib=20000");
    assert_int_equal(processes_of(0, &other), 4);
    WORKS("set", "devices[0].utilization.gpu=4"); /* no other change wakes the dead */
    assert_int_equal(processes_of(0, &other), 4);
    snprintf(name, sizeof name, "%u", pid);
    WORKS("process", "end", name);
    WORKS("process", "end", "third");
    assert_int_equal(processes_of(0, &other), 0);
    WORKS("process", "add", "devices=all", "name=everywhere");
    assert_int_equal(processes_of(0, &pid), 1);
    assert_int_equal(processes_of(7, &other), 1);
    assert_int_equal(pid, other);
    assert_true(pid > 4194304 && pid != before);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_control__faults_are_added_and_cleared(void **state)
{
    (void)state;
    unsigned power;
    start("h100x8");
    WORKS("fault", "add", "function=nvmlDeviceGetPowerUsage", "device=1", "error=GPU_IS_LOST", "times=2");
    ANSWERS(CALL(nvmlDeviceGetPowerUsage)(sim_device(1), &power), NVML_ERROR_GPU_IS_LOST);
    SUCCEEDS(CALL(nvmlDeviceGetPowerUsage)(sim_device(2), &power));
    WORKS("fault", "clear");
    SUCCEEDS(CALL(nvmlDeviceGetPowerUsage)(sim_device(1), &power));
    SUCCEEDS(CALL(nvmlShutdown)());
}

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

static void test_control__devices_are_lost_and_return(void **state)
{
    (void)state;
    unsigned celsius;
    start("h100x8");
    nvmlDevice_t device = sim_device(3);
    WORKS("device", "lose", "3");
    ANSWERS(CALL(nvmlDeviceGetTemperature)(device, NVML_TEMPERATURE_GPU, &celsius), NVML_ERROR_GPU_IS_LOST);
    celsius_of(4);
    WORKS("device", "return", "3");
    ANSWERS(CALL(nvmlDeviceGetTemperature)(device, NVML_TEMPERATURE_GPU, &celsius), NVML_ERROR_GPU_IS_LOST);
    assert_int_equal(count_of(), 8);
    init_again();
    celsius_of(3);
    WORKS("set", "devices[3].utilization.gpu=9"); /* no longer gone */
    assert_int_equal(load_of(3), 9);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_control__devices_are_taken_out_and_plugged_in(void **state)
{
    (void)state;
    char name[NVML_DEVICE_NAME_BUFFER_SIZE];
    start("h100x8");
    WORKS("device", "remove", "0");
    assert_int_equal(count_of(), 8);
    init_again();
    assert_int_equal(count_of(), 7);
    WORKS("device", "add", "name=the ninth", "memory.total_bytes=16GiB");
    WORKS("device", "add", "0");
    assert_int_equal(count_of(), 7);
    init_again();
    assert_int_equal(count_of(), 9);
    SUCCEEDS(CALL(nvmlDeviceGetName)(sim_device(8), name, sizeof name));
    assert_string_equal(name, "the ninth");
    WORKS("set", "devices[8].utilization.gpu=44");
    assert_int_equal(load_of(8), 44);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_control__a_stepped_clock_is_stepped(void **state)
{
    (void)state;
    start("h100x8");
    WORKS("clock", "step", "1.5s");
    WORKS("clock", "step", "20");
    assert_int_equal(CALL(nvpsim_clock_ns)(), 1520000000);
    SUCCEEDS(CALL(nvmlShutdown)());
    sim_unload(NULL);
    sim_load_scenario("clock: real\n");
    sim_init();
    REFUSED("the clock is not stepped", "clock", "step", "1s");
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_control__many_changes(void **state)
{
    (void)state;
    char item[64];
    start("h100x8");
    for (unsigned i = 0; i < 3000; i++) {
        snprintf(item, sizeof item, "devices[1].utilization.gpu=%u", i % 100);
        WORKS("set", item);
        assert_int_equal(load_of(1), i % 100);
    }
    SUCCEEDS(CALL(nvmlShutdown)());
}

typedef struct reader {
    nvmlDevice_t device;
    nvmlDeviceGetUtilizationRates_fn *load;
    nvmlDeviceGetTemperature_fn *temperature;
    nvmlDeviceGetComputeRunningProcesses_fn *processes;
    nvmlDeviceGetMemoryInfo_fn *memory;
    atomic_bool *is_over;
    unsigned mistakes;
} reader;

/* Whatever changes, an answer is whole. */
static void *read_on(void *argument)
{
    reader *own = argument;
    while (!atomic_load(own->is_over)) {
        nvmlUtilization_t utilization = { 999, 999 };
        nvmlMemory_t memory = { 0 };
        nvmlProcessInfo_v1_t infos[64];
        unsigned celsius = 999, count = 64;
        own->mistakes += own->load(own->device, &utilization) != NVML_SUCCESS || utilization.gpu > 100;
        own->mistakes += own->temperature(own->device, NVML_TEMPERATURE_GPU, &celsius) != NVML_SUCCESS || celsius > 110;
        own->mistakes += own->processes(own->device, &count, infos) != NVML_SUCCESS || count > 5;
        own->mistakes += own->memory(own->device, &memory) != NVML_SUCCESS || memory.used + memory.free != memory.total;
    }
    return NULL;
}

static void test_control__readers_go_on_while_it_changes(void **state)
{
    (void)state;
    enum { READERS = 3 };
    pthread_t threads[READERS];
    reader readers[READERS];
    atomic_bool is_over = false;
    char item[64];
    start("h100x8");
    for (int i = 0; i < READERS; i++) {
        readers[i] = (reader){ .device = sim_device(1),
                               .load = CALL(nvmlDeviceGetUtilizationRates),
                               .temperature = CALL(nvmlDeviceGetTemperature),
                               .processes = CALL(nvmlDeviceGetComputeRunningProcesses),
                               .memory = CALL(nvmlDeviceGetMemoryInfo),
                               .is_over = &is_over };
        assert_int_equal(pthread_create(&threads[i], NULL, read_on, &readers[i]), 0);
    }
    for (unsigned i = 0; i < 300; i++) {
        snprintf(item, sizeof item, "devices[1].utilization.gpu=%u", i % 100);
        WORKS("set", item, "devices[1].thermal.temperature_gpu_c={move: sine, low: 30, high: 90}");
        WORKS("reset", "devices[1].thermal");
        WORKS("process", "add", "device=1", "name=x");
        WORKS("process", "end", "x");
        WORKS("clock", "step", "10ms");
    }
    WORKS("device", "add", "name=one more");
    atomic_store(&is_over, true);
    for (int i = 0; i < READERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(readers[i].mistakes, 0);
    }
    SUCCEEDS(CALL(nvmlShutdown)());
}

int main(int count, char **arguments)
{
#define CASE(name) cmocka_unit_test_teardown(test_control__##name, sim_unload)
    const struct CMUnitTest tests[] = {
        CASE(a_value_is_there_at_the_next_call),
        CASE(a_reset_brings_back_the_scenario),
        CASE(mistakes_are_told_in_the_words_of_the_scenario),
        CASE(sums_never_fall_and_go_on_from_where_they_were),
        CASE(the_past_stays_what_it_was),
        CASE(a_stated_temperature_is_left_slowly),
        CASE(what_the_program_has_set_holds_on),
        CASE(processes_come_and_go),
        CASE(faults_are_added_and_cleared),
        CASE(devices_are_lost_and_return),
        CASE(devices_are_taken_out_and_plugged_in),
        CASE(a_stepped_clock_is_stepped),
        CASE(many_changes),
        CASE(readers_go_on_while_it_changes),
    };
    int status = sim_arguments(count, arguments);
    return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
