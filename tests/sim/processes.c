/*
 * Processes: lists of each kind and version, names, utilisation, life times.
 */
#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void test_processes__the_sizing_call_tells_the_number(void **state)
{
    (void)state;
    unsigned count = 0;
    nvmlProcessInfo_v1_t infos[16];
    sim_load_profile("h100x8");
    sim_init();
    ANSWERS(CALL(nvmlDeviceGetComputeRunningProcesses)(sim_device(0), &count, NULL), NVML_ERROR_INSUFFICIENT_SIZE);
    assert_int_equal(count, 2);
    count = 1;
    memset(infos, 0xa5, sizeof infos);
    ANSWERS(CALL(nvmlDeviceGetComputeRunningProcesses)(sim_device(0), &count, infos), NVML_ERROR_INSUFFICIENT_SIZE);
    assert_int_equal(count, 2);
    assert_int_equal(infos[0].pid, 0xa5a5a5a5u);
    SUCCEEDS(CALL(nvmlDeviceGetComputeRunningProcesses)(sim_device(0), &count, infos));
    assert_int_equal(count, 2);
    count = 0; /* no process: success at once */
    SUCCEEDS(CALL(nvmlDeviceGetComputeRunningProcesses)(sim_device(7), &count, NULL));
    assert_int_equal(count, 0);
    count = 3;
    ANSWERS(CALL(nvmlDeviceGetComputeRunningProcesses)(sim_device(0), &count, NULL), NVML_ERROR_INVALID_ARGUMENT);
    ANSWERS(CALL(nvmlDeviceGetComputeRunningProcesses)(sim_device(0), NULL, infos), NVML_ERROR_INVALID_ARGUMENT);
    SUCCEEDS(CALL(nvmlShutdown)());
}

/* The end of the records written into a room filled with a pattern. */
static size_t written_end(const unsigned char *room, size_t size)
{
    size_t end = 0;
    for (size_t i = 0; i < size; i++)
        end = room[i] != 0xa5 ? i + 1 : end;
    return end;
}

/* The third call wrote a longer record in a few releases. */
static size_t record_size(size_t version)
{
    if (version == 2 && sim_since(535, 43, 2) && !sim_since(535, 98, 0)) {
        return 32;
    }
    return version == 0 ? 16 : 24;
}

static void test_processes__records_have_the_size_of_their_version(void **state)
{
    (void)state;
    static const char *const kinds[] = { "Compute", "Graphics", "MPSCompute" };
    static const char *const versions[] = { "", "_v2", "_v3" };
    sim_load_scenario(
        "clock: stepped\n"
        "device_defaults: {memory: {total_bytes: 1GiB}, processes: [{type: C+G, count: 4}, {type: M, count: 4}]}\n");
    sim_init();
    for (size_t k = 0; k < 3; k++) {
        for (size_t v = 0; v < 3; v++) {
            char name[64];
            unsigned char room[16 * 32];
            unsigned count = 16;
            snprintf(name, sizeof name, "nvmlDeviceGet%sRunningProcesses%s", kinds[k], versions[v]);
            nvmlDeviceGetComputeRunningProcesses_v2_fn *call = (nvmlDeviceGetComputeRunningProcesses_v2_fn *)sim_find(name);
            if (!call)
                continue;
            memset(room, 0xa5, sizeof room);
            SUCCEEDS(call(sim_device(0), &count, (nvmlProcessInfo_v2_t *)room));
            assert_int_equal(count, 4);
            assert_int_equal(written_end(room, sizeof room), 4 * record_size(v));
        }
    }
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void name_of(unsigned pid, char *name, unsigned size)
{
    SUCCEEDS(CALL(nvmlSystemGetProcessName)(pid, name, size));
}

static void test_processes__types_choose_the_lists(void **state)
{
    (void)state;
    sim_load_profile("rtx4090x2");
    NEEDS("nvmlDeviceGetGraphicsRunningProcesses", "nvmlDeviceGetMPSComputeRunningProcesses");
    sim_init();
    nvmlProcessInfo_v1_t infos[16];
    char name[128];
    unsigned count = 16;
    SUCCEEDS(CALL(nvmlDeviceGetGraphicsRunningProcesses)(sim_device(0), &count, infos));
    assert_int_equal(count, 4);
    name_of(infos[0].pid, name, sizeof name);
    assert_string_equal(name, "/usr/lib/xorg/Xorg");
    assert_int_equal(infos[0].usedGpuMemory, 412ull << 20);
    count = 16;
    SUCCEEDS(CALL(nvmlDeviceGetComputeRunningProcesses)(sim_device(0), &count, infos));
    assert_int_equal(count, 1);
    name_of(infos[0].pid, name, sizeof name);
    assert_string_equal(name, "/opt/games/starship/starship.x86_64");
    name_of(infos[0].pid, name, 6);
    assert_string_equal(name, "/opt/");
    count = 16;
    SUCCEEDS(CALL(nvmlDeviceGetMPSComputeRunningProcesses)(sim_device(0), &count, infos));
    assert_int_equal(count, 0);
    assert_true(infos[0].pid > 4194304); /* no real process can have it */
    ANSWERS(CALL(nvmlSystemGetProcessName)(4294967295u, name, sizeof name), NVML_ERROR_NOT_FOUND);
    ANSWERS(CALL(nvmlSystemGetProcessName)(infos[0].pid, NULL, 8), NVML_ERROR_INVALID_ARGUMENT);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_processes__pids_and_odd_names(void **state)
{
    (void)state;
    sim_load_scenario("clock: stepped\n"
                      "device_defaults: {memory: {total_bytes: 1GiB}}\n"
                      "processes:\n"
                      "  - {pid: self, device: 0, used_memory_bytes: 1000}\n"
                      "  - {pid: 1234567, name: fixed, device: 0, used_memory_bytes: N/A}\n"
                      "  - {name_hex: '66 6f e9 6f', device: 0}\n");
    sim_init();
    nvmlProcessInfo_v1_t infos[8];
    unsigned count = 8;
    char name[256];
    SUCCEEDS(CALL(nvmlDeviceGetComputeRunningProcesses)(sim_device(0), &count, infos));
    assert_int_equal(count, 3);
    assert_int_equal(infos[0].pid, getpid());
    name_of(infos[0].pid, name, sizeof name);
    assert_non_null(strstr(name, "sim-"));
    assert_int_equal(infos[1].pid, 1234567);
    assert_true(infos[1].usedGpuMemory == (unsigned long long)NVML_VALUE_NOT_AVAILABLE);
    name_of(infos[2].pid, name, sizeof name);
    assert_string_equal(name, "fo\xe9o");
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_processes__come_and_go(void **state)
{
    (void)state;
    sim_load_scenario("clock: stepped\n"
                      "device_defaults: {memory: {total_bytes: 1GiB}, utilization: {gpu: 80}}\n"
                      "processes: [{device: 0, from_ms: 1000, until_ms: 2000, used_memory_mib: 100}]\n");
    sim_init();
    nvmlMemory_t memory;
    unsigned count = 0;
    SUCCEEDS(CALL(nvmlDeviceGetComputeRunningProcesses)(sim_device(0), &count, NULL));
    SUCCEEDS(CALL(nvmlDeviceGetMemoryInfo)(sim_device(0), &memory));
    assert_int_equal(memory.used, 0);
    sim_step_ms(1000);
    ANSWERS(CALL(nvmlDeviceGetComputeRunningProcesses)(sim_device(0), &count, NULL), NVML_ERROR_INSUFFICIENT_SIZE);
    SUCCEEDS(CALL(nvmlDeviceGetMemoryInfo)(sim_device(0), &memory));
    assert_int_equal(memory.used, 100ull << 20);
    sim_step_ms(1000);
    count = 0;
    SUCCEEDS(CALL(nvmlDeviceGetComputeRunningProcesses)(sim_device(0), &count, NULL));
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_processes__utilisation_adds_up_and_carries_times(void **state)
{
    (void)state;
    sim_load_scenario("clock: stepped\n"
                      "device_defaults:\n"
                      "  memory: {total_bytes: 1GiB}\n"
                      "  utilization: {gpu: 90, memory: 40}\n"
                      "  processes: [{count: 3}]\n");
    NEEDS("nvmlDeviceGetProcessUtilization");
    sim_init();
    nvmlDevice_t device = sim_device(0);
    nvmlProcessUtilizationSample_t samples[8];
    unsigned count = 0;
    sim_step_ms(2500);
    ANSWERS(CALL(nvmlDeviceGetProcessUtilization)(device, NULL, &count, 0), NVML_ERROR_INSUFFICIENT_SIZE);
    assert_int_equal(count, 3);
    count = 8;
    SUCCEEDS(CALL(nvmlDeviceGetProcessUtilization)(device, samples, &count, 0));
    assert_int_equal(count, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(samples[i].smUtil, 30);
        assert_int_equal(samples[i].memUtil, 13);
        assert_true(samples[i].timeStamp == 1735689602000000u);
    }
    count = 8;
    ANSWERS(CALL(nvmlDeviceGetProcessUtilization)(device, samples, &count, samples[0].timeStamp), NVML_ERROR_NOT_FOUND);
    assert_int_equal(count, 8);
    sim_step_ms(600);
    SUCCEEDS(CALL(nvmlDeviceGetProcessUtilization)(device, samples, &count, samples[0].timeStamp));
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_processes__ten_thousand_can_be_listed(void **state)
{
    (void)state;
    enum { MANY = 10000 };
    sim_load_scenario("clock: stepped\n"
                      "device_defaults: {memory: {total_bytes: 80GiB}, processes: [{count: 10000, used_memory_mib: 8}]}\n");
    sim_init();
    nvmlProcessInfo_v1_t *infos = test_malloc(MANY * sizeof *infos);
    unsigned count = MANY;
    SUCCEEDS(CALL(nvmlDeviceGetComputeRunningProcesses)(sim_device(0), &count, infos));
    assert_int_equal(count, MANY);
    assert_int_not_equal(infos[0].pid, infos[MANY - 1].pid);
    test_free(infos);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_processes__accounting_keeps_those_that_have_ended(void **state)
{
    (void)state;
    sim_load_scenario("clock: stepped\nprivileged: true\n"
                      "device_defaults:\n"
                      "  memory: {total_bytes: 1GiB}\n"
                      "  utilization: {gpu: 80}\n"
                      "  accounting: {mode: disabled, buffer_size: 100}\n"
                      "processes:\n"
                      "  - {pid: 1000, device: 0, used_memory_mib: 10, until_ms: 5000}\n"
                      "  - {pid: 2000, device: 0, used_memory_mib: 20, from_ms: 2000}\n");
    sim_init();
    nvmlDevice_t device = sim_device(0);
    nvmlAccountingStats_t stats;
    unsigned count = 0, pids[4] = { 0 };
    sim_step_ms(8000);
    SUCCEEDS(CALL(nvmlDeviceGetAccountingPids)(device, &count, NULL));
    ANSWERS(CALL(nvmlDeviceGetAccountingStats)(device, 1000, &stats), NVML_ERROR_NOT_SUPPORTED);
    SUCCEEDS(CALL(nvmlDeviceSetAccountingMode)(device, NVML_FEATURE_ENABLED));
    ANSWERS(CALL(nvmlDeviceGetAccountingPids)(device, &count, NULL), NVML_ERROR_INSUFFICIENT_SIZE);
    SUCCEEDS(CALL(nvmlDeviceGetAccountingPids)(device, &count, pids));
    assert_int_equal(count, 2);
    assert_int_equal(pids[0] + pids[1], 3000);
    SUCCEEDS(CALL(nvmlDeviceGetAccountingStats)(device, 1000, &stats));
    assert_int_equal(stats.time, 5000);
    assert_int_equal(stats.maxMemoryUsage, 10 << 20);
    SUCCEEDS(CALL(nvmlDeviceGetAccountingStats)(device, 2000, &stats));
    assert_int_equal(stats.time, 0);
    assert_int_equal(stats.isRunning, sim_since(375, 20, 0)); /* reserved before */
    ANSWERS(CALL(nvmlDeviceGetAccountingStats)(device, 3000, &stats), NVML_ERROR_NOT_FOUND);
    SUCCEEDS(CALL(nvmlDeviceClearAccountingPids)(device));
    SUCCEEDS(CALL(nvmlDeviceGetAccountingPids)(device, &count, pids));
    assert_int_equal(count, 1);
    assert_int_equal(pids[0], 2000);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_processes__the_detail_list_has_modes(void **state)
{
    (void)state;
    sim_load_profile("h100x8");
    if (!sim_find("nvmlDeviceGetRunningProcessDetailList"))
        return;
    sim_init();
    nvmlProcessDetail_v1_t details[8];
    nvmlProcessDetailList_t list = {
        .version = nvmlProcessDetailList_v1, .mode = 2, .numProcArrayEntries = 8, .procArray = details
    };
    SUCCEEDS(CALL(nvmlDeviceGetRunningProcessDetailList)(sim_device(5), &list));
    assert_int_equal(list.numProcArrayEntries, 2);
    assert_int_equal(details[0].usedGpuMemory, 980ull << 20);
    list.mode = 7;
    ANSWERS(CALL(nvmlDeviceGetRunningProcessDetailList)(sim_device(5), &list), NVML_ERROR_INVALID_ARGUMENT);
    list.version = 1;
    ANSWERS(CALL(nvmlDeviceGetRunningProcessDetailList)(sim_device(5), &list), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
    SUCCEEDS(CALL(nvmlShutdown)());
}

int main(int count, char **arguments)
{
#define CASE(name) cmocka_unit_test_teardown(test_processes__##name, sim_unload)
    const struct CMUnitTest tests[] = {
        CASE(the_sizing_call_tells_the_number),
        CASE(records_have_the_size_of_their_version),
        CASE(types_choose_the_lists),
        CASE(pids_and_odd_names),
        CASE(come_and_go),
        CASE(utilisation_adds_up_and_carries_times),
        CASE(ten_thousand_can_be_listed),
        CASE(accounting_keeps_those_that_have_ended),
        CASE(the_detail_list_has_modes),
    };
    int status = sim_arguments(count, arguments);
    return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
