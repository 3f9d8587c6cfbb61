/*
 * Values: they add up, stay within their limits, move, and are the same for the same clock.
 */
#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef nvmlReturn_t read_uint_fn(nvmlDevice_t device, unsigned *value);

static unsigned read_uint(const char *name, nvmlDevice_t device)
{
    unsigned value = 0;
    SUCCEEDS(((read_uint_fn *)sim_need(name))(device, &value));
    return value;
}

static unsigned long long energy_mj(nvmlDevice_t device)
{
    unsigned long long energy = 0;
    SUCCEEDS(CALL(nvmlDeviceGetTotalEnergyConsumption)(device, &energy));
    return energy;
}

static unsigned temperature_c(nvmlDevice_t device)
{
    unsigned temperature = 0;
    SUCCEEDS(CALL(nvmlDeviceGetTemperature)(device, NVML_TEMPERATURE_GPU, &temperature));
    return temperature;
}

static unsigned long long process_memory(nvmlDevice_t device)
{
    nvmlProcessInfo_v1_t processes[64];
    unsigned count = 64;
    unsigned long long sum = 0;
    SUCCEEDS(CALL(nvmlDeviceGetComputeRunningProcesses)(device, &count, processes));
    for (unsigned i = 0; i < count; i++)
        sum += processes[i].usedGpuMemory;
    return sum;
}

static void memory_check(nvmlDevice_t device)
{
    nvmlMemory_t v1;
    nvmlMemory_v2_t v2 = { .version = nvmlMemory_v2 };
    SUCCEEDS(CALL(nvmlDeviceGetMemoryInfo)(device, &v1));
    assert_true(v1.used + v1.free == v1.total);
    assert_true(v1.used % 65536 == 0);
    assert_true(process_memory(device) <= v1.used);
    if (!sim_find("nvmlDeviceGetMemoryInfo_v2"))
        return;
    SUCCEEDS(CALL(nvmlDeviceGetMemoryInfo_v2)(device, &v2));
    assert_true(v2.used + v2.free + v2.reserved == v2.total);
    assert_true(v1.total == v2.total && v1.used == v2.used + v2.reserved);
    assert_true(process_memory(device) <= v2.used);
}

static void power_check(nvmlDevice_t device)
{
    unsigned power = read_uint("nvmlDeviceGetPowerUsage", device), limit = read_uint("nvmlDeviceGetEnforcedPowerLimit", device);
    assert_true(power <= limit);
    assert_true(power >= 18000);
    assert_true(temperature_c(device) >= 20 && temperature_c(device) <= 95);
}

static void test_values__add_up_at_all_times(void **state)
{
    (void)state;
    static const char *const profiles[] = { "h100x8", "rtx4090x2" };
    for (size_t p = 0; p < 2; p++) {
        unsigned count = 0;
        sim_load_profile(profiles[p]);
        sim_init();
        SUCCEEDS(CALL(nvmlDeviceGetCount_v2)(&count));
        assert_int_equal(count, p == 0 ? 8 : 2);
        for (int step = 0; step < 200; step++) {
            for (unsigned i = 0; i < count; i++) {
                nvmlUtilization_t load;
                memory_check(sim_device(i));
                power_check(sim_device(i));
                SUCCEEDS(CALL(nvmlDeviceGetUtilizationRates)(sim_device(i), &load));
                assert_true(load.gpu <= 100 && load.memory <= 100);
            }
            sim_step_ms(777);
        }
        SUCCEEDS(CALL(nvmlShutdown)());
        sim_unload(NULL);
    }
}

static void test_values__memory_in_use_is_never_more_than_there_is(void **state)
{
    (void)state;
    nvmlMemory_t memory;
    sim_load_scenario("clock: stepped\n"
                      "device_defaults: {memory: {total_bytes: 1GiB, reserved_bytes: 256MiB}}\n"
                      "devices: [{memory: {used_bytes: 2GiB}}, {processes: [{used_memory_mib: 100}, {used_memory_mib: 28}]}]\n");
    sim_init();
    unsigned long long reserved = sim_major < 510 ? 0 : 256ull << 20;
    SUCCEEDS(CALL(nvmlDeviceGetMemoryInfo)(sim_device(0), &memory));
    assert_true(memory.free == 0 && memory.used == (768ull << 20) + reserved);
    SUCCEEDS(CALL(nvmlDeviceGetMemoryInfo)(sim_device(1), &memory));
    assert_true(memory.used == (128ull << 20) + reserved && memory.free == 640ull << 20);
    assert_true(memory.total == (768ull << 20) + reserved);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_values__energy_is_the_integral_of_power(void **state)
{
    (void)state;
    sim_load_profile("h100x8");
    NEEDS("nvmlDeviceGetTotalEnergyConsumption");
    sim_init();
    for (unsigned i = 0; i < 8; i++) {
        nvmlDevice_t device = sim_device(i);
        unsigned long long start = energy_mj(device), before = start;
        double sum_mj = 0;
        for (int step = 0; step < 3000; step++) {
            double power = read_uint("nvmlDeviceGetPowerUsage", device);
            sim_step_ms(50);
            power += read_uint("nvmlDeviceGetPowerUsage", device);
            sum_mj += power / 2 * 0.05;
            unsigned long long now = energy_mj(device);
            assert_true(now >= before);
            before = now;
        }
        double gained = (double)(before - start);
        assert_true(gained > sum_mj * 0.999 && gained < sum_mj * 1.001);
    }
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_values__temperature_follows_power_slowly(void **state)
{
    (void)state;
    sim_load_scenario("clock: stepped\n"
                      "device_defaults:\n"
                      "  power: {default_limit_mw: 400000, enforced_limit_mw: 400000, idle_draw_mw: 50000}\n"
                      "  thermal: {ambient_c: 30, full_load_c: 80, time_constant_ms: 20000}\n"
                      "  utilization: {gpu: {move: square, low: 0, high: 100, period_ms: 400000}}\n");
    sim_init();
    nvmlDevice_t device = sim_device(0);
    unsigned last = temperature_c(device), largest_jump = 0;
    for (int step = 0; step < 2000; step++) {
        sim_step_ms(1000);
        unsigned now = temperature_c(device), jump = now > last ? now - last : last - now;
        largest_jump = jump > largest_jump ? jump : largest_jump;
        last = now;
    }
    assert_true(largest_jump >= 1 && largest_jump <= 4);
    sim_step_ms(199000); /* to the end of a busy phase */
    assert_true(temperature_c(device) >= 76);
    sim_step_ms(200000); /* to the end of a quiet one */
    assert_true(temperature_c(device) <= 38);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_values__transmit_and_receive_differ(void **state)
{
    (void)state;
    sim_load_profile("h100x8");
    NEEDS("nvmlDeviceGetPcieThroughput", "nvmlDeviceGetFieldValues");
    sim_init();
    unsigned tx, rx;
    nvmlDevice_t device = sim_device(0);
    SUCCEEDS(CALL(nvmlDeviceGetPcieThroughput)(device, NVML_PCIE_UTIL_TX_BYTES, &tx));
    SUCCEEDS(CALL(nvmlDeviceGetPcieThroughput)(device, NVML_PCIE_UTIL_RX_BYTES, &rx));
    assert_true(tx > 0 && rx > 0 && tx != rx);
    if (!sim_since(450, 51, 0)) { /* no field for it yet */
        SUCCEEDS(CALL(nvmlShutdown)());
        return;
    }
    nvmlFieldValue_t values[2] = { { .fieldId = NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX, .scopeId = UINT32_MAX },
                                   { .fieldId = NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_RX, .scopeId = UINT32_MAX } };
    sim_step_ms(10000);
    SUCCEEDS(CALL(nvmlDeviceGetFieldValues)(device, 2, values));
    assert_int_equal(values[0].nvmlReturn, NVML_SUCCESS);
    assert_true(values[0].value.ullVal > 0 && values[0].value.ullVal != values[1].value.ullVal);
    unsigned long long before = values[0].value.ullVal;
    sim_step_ms(10000);
    SUCCEEDS(CALL(nvmlDeviceGetFieldValues)(device, 2, values));
    assert_true(values[0].value.ullVal > before);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static unsigned gpu_percent(unsigned index)
{
    nvmlUtilization_t load;
    SUCCEEDS(CALL(nvmlDeviceGetUtilizationRates)(sim_device(index), &load));
    return load.gpu;
}

static void test_values__each_kind_of_movement_moves_as_it_says(void **state)
{
    (void)state;
    sim_load_scenario("clock: stepped\n"
                      "device_defaults: {utilization: {memory: 7}}\n"
                      "devices:\n"
                      "  - utilization: {gpu: 42}\n"
                      "  - utilization: {gpu: {move: square, low: 10, high: 90, period_ms: 1000, duty_percent: 30}}\n"
                      "  - utilization: {gpu: {move: steps, values: [5, 50, 95], period_ms: 2000}}\n"
                      "  - utilization: {gpu: {move: sine, low: 20, high: 80, period_ms: 64000}}\n"
                      "  - utilization: {gpu: {move: walk, low: 30, high: 60, step: 5, period_ms: 1000, seed: 9}}\n"
                      "  - utilization: {gpu: {move: square, low: 0, high: 50, period_ms: 1000, phase_percent: 50}}\n");
    sim_init();
    unsigned seen[101] = { 0 }, last = gpu_percent(4);
    for (unsigned ms = 0; ms < 64000; ms += 100) {
        assert_int_equal(gpu_percent(0), 42);
        assert_int_equal(gpu_percent(1), ms % 1000 < 300 ? 90 : 10);
        assert_int_equal(gpu_percent(2), ms / 2000 % 3 == 0 ? 5 : (ms / 2000 % 3 == 1 ? 50 : 95));
        assert_true(gpu_percent(3) >= 20 && gpu_percent(3) <= 80);
        assert_int_equal(gpu_percent(5), ms % 1000 < 500 ? 0 : 50);
        unsigned walk = gpu_percent(4), change = walk > last ? walk - last : last - walk;
        assert_true(walk >= 30 && walk <= 60 && change <= 5);
        seen[walk]++;
        last = walk;
        if (ms == 16000)
            assert_int_equal(gpu_percent(3), 80);
        if (ms == 48000)
            assert_int_equal(gpu_percent(3), 20);
        sim_step_ms(100);
    }
    unsigned different = 0;
    for (unsigned i = 0; i <= 100; i++)
        different += seen[i] > 0;
    assert_true(different >= 8);
    SUCCEEDS(CALL(nvmlShutdown)());
}

/* All that moves, of all devices, as text. */
static void dump(char *text, size_t size)
{
    size_t used = 0;
    bool has_energy = sim_find("nvmlDeviceGetTotalEnergyConsumption") != NULL;
    for (int step = 0; step < 40; step++, sim_step_ms(731)) {
        for (unsigned i = 0; i < 8; i++) {
            nvmlDevice_t device = sim_device(i);
            char uuid[96];
            nvmlMemory_t memory;
            unsigned clock;
            SUCCEEDS(CALL(nvmlDeviceGetUUID)(device, uuid, sizeof uuid));
            SUCCEEDS(CALL(nvmlDeviceGetMemoryInfo)(device, &memory));
            SUCCEEDS(CALL(nvmlDeviceGetClockInfo)(device, NVML_CLOCK_SM, &clock));
            int added = snprintf(text + used, size - used, "%s %u %u %llu %llu %u %u\n", uuid, gpu_percent(i),
                                 read_uint("nvmlDeviceGetPowerUsage", device), has_energy ? energy_mj(device) : 0, memory.used,
                                 clock, temperature_c(device));
            used += (size_t)added;
            assert_true(used < size);
        }
    }
}

static void test_values__the_same_clock_gives_the_same_values(void **state)
{
    (void)state;
    enum { SIZE = 64 * 1024 };
    char *texts[3];
    for (int i = 0; i < 3; i++) {
        texts[i] = test_malloc(SIZE);
        if (i < 2)
            sim_load_profile("h100x8");
        else
            sim_load_scenario("base: h100x8\nclock: stepped\nseed: 2\n");
        sim_init();
        dump(texts[i], SIZE);
        SUCCEEDS(CALL(nvmlShutdown)());
        sim_unload(NULL);
    }
    assert_string_equal(texts[0], texts[1]);
    assert_string_not_equal(texts[0], texts[2]);
    for (int i = 0; i < 3; i++)
        test_free(texts[i]);
}

static void test_values__a_power_limit_bends_the_curves_without_a_jump(void **state)
{
    (void)state;
    sim_load_scenario("base: h100x8\nclock: stepped\nprivileged: true\n"
                      "devices: [{index: 0, utilization: {gpu: 100}}]\n");
    NEEDS("nvmlDeviceGetTotalEnergyConsumption");
    sim_init();
    nvmlDevice_t device = sim_device(0);
    sim_step_ms(100000);
    unsigned long long energy = energy_mj(device), reasons = 0;
    unsigned before_c = temperature_c(device), limit = 0;
    assert_true(read_uint("nvmlDeviceGetPowerUsage", device) > 600000);
    SUCCEEDS(CALL(nvmlDeviceSetPowerManagementLimit)(device, 300000));
    assert_true(energy_mj(device) >= energy && energy_mj(device) <= energy + 1);
    assert_int_equal(temperature_c(device), before_c);
    assert_int_equal(read_uint("nvmlDeviceGetPowerUsage", device), 300000);
    SUCCEEDS(CALL(nvmlDeviceGetPowerManagementLimit)(device, &limit));
    assert_int_equal(limit, 300000);
    SUCCEEDS(CALL(nvmlDeviceGetCurrentClocksThrottleReasons)(device, &reasons));
    assert_true(reasons & nvmlClocksThrottleReasonSwPowerCap);
    sim_step_ms(100000);
    assert_true(temperature_c(device) + 15 < before_c);
    unsigned long long gained = energy_mj(device) - energy;
    assert_true(gained > 29990000 && gained < 30010000);
    ANSWERS(CALL(nvmlDeviceSetPowerManagementLimit)(device, 100000), NVML_ERROR_INVALID_ARGUMENT);
    ANSWERS(CALL(nvmlDeviceSetPowerManagementLimit)(device, 700001), NVML_ERROR_INVALID_ARGUMENT);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_values__settings_change_or_are_refused_honestly(void **state)
{
    (void)state;
    nvmlEnableState_t mode;
    sim_load_scenario("base: h100x8\nclock: stepped\nprivileged: false\n");
    sim_init();
    ANSWERS(CALL(nvmlDeviceSetPersistenceMode)(sim_device(0), NVML_FEATURE_DISABLED), NVML_ERROR_NO_PERMISSION);
    ANSWERS(CALL(nvmlDeviceSetPowerManagementLimit)(sim_device(0), 300000), NVML_ERROR_NO_PERMISSION);
    SUCCEEDS(CALL(nvmlDeviceGetPersistenceMode)(sim_device(0), &mode));
    assert_int_equal(mode, NVML_FEATURE_ENABLED);
    SUCCEEDS(CALL(nvmlShutdown)());
    sim_unload(NULL);
    sim_load_scenario("base: h100x8\nclock: stepped\nprivileged: true\n");
    sim_init();
    nvmlDevice_t device = sim_device(0);
    SUCCEEDS(CALL(nvmlDeviceSetPersistenceMode)(device, NVML_FEATURE_DISABLED));
    SUCCEEDS(CALL(nvmlDeviceGetPersistenceMode)(device, &mode));
    assert_int_equal(mode, NVML_FEATURE_DISABLED);
    nvmlComputeMode_t compute;
    SUCCEEDS(CALL(nvmlDeviceSetComputeMode)(device, NVML_COMPUTEMODE_PROHIBITED));
    SUCCEEDS(CALL(nvmlDeviceGetComputeMode)(device, &compute));
    assert_int_equal(compute, NVML_COMPUTEMODE_PROHIBITED);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_values__locked_clocks_hold(void **state)
{
    (void)state;
    sim_load_scenario("base: h100x8\nclock: stepped\nprivileged: true\n");
    NEEDS("nvmlDeviceSetGpuLockedClocks");
    sim_init();
    nvmlDevice_t device = sim_device(0);
    unsigned clock = 0;
    SUCCEEDS(CALL(nvmlDeviceSetGpuLockedClocks)(device, 900, 990));
    SUCCEEDS(CALL(nvmlDeviceGetClockInfo)(device, NVML_CLOCK_GRAPHICS, &clock));
    assert_true(clock >= 900 && clock <= 990);
    SUCCEEDS(CALL(nvmlDeviceResetGpuLockedClocks)(device));
    SUCCEEDS(CALL(nvmlDeviceGetClockInfo)(device, NVML_CLOCK_GRAPHICS, &clock));
    assert_true(clock > 990);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_values__fields_have_results_of_their_own(void **state)
{
    (void)state;
    sim_load_profile("h100x8");
    NEEDS("nvmlDeviceGetFieldValues");
    sim_init();
    nvmlDevice_t device = sim_device(0);
    nvmlFieldValue_t values[] = {
        { .fieldId = NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION },
        { .fieldId = NVML_FI_DEV_MEMORY_TEMP },
        { .fieldId = NVML_FI_DEV_POWER_INSTANT },
        { .fieldId = 9999 },
        { .fieldId = NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON },
        { .fieldId = NVML_FI_DEV_ECC_SBE_AGG_TOTAL },
        { .fieldId = NVML_FI_DEV_NVLINK_LINK_COUNT },
        { .fieldId = NVML_FI_DEV_PCIE_COUNT_TX_BYTES },
    };
    int count = sizeof values / sizeof values[0];
    SUCCEEDS(CALL(nvmlDeviceGetFieldValues)(device, count, values));
    if (sim_find("nvmlDeviceGetTotalEnergyConsumption")) {
        assert_int_equal(values[0].nvmlReturn, NVML_SUCCESS);
        assert_int_equal(values[0].valueType, NVML_VALUE_TYPE_UNSIGNED_LONG_LONG);
        assert_true(values[0].value.ullVal == energy_mj(device));
    } else {
        assert_int_equal(values[0].nvmlReturn, NVML_ERROR_INVALID_ARGUMENT);
    }
    assert_true(values[0].timestamp == 1735689600000000);
    assert_int_equal(values[1].nvmlReturn, NVML_SUCCESS);
    assert_in_range(values[1].value.uiVal, 46, 71);
    assert_int_equal(values[2].nvmlReturn, sim_major < 525 ? NVML_ERROR_INVALID_ARGUMENT : NVML_SUCCESS);
    assert_int_equal(values[3].nvmlReturn, NVML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(values[5].value.ullVal, 0);
    if (sim_since(390, 157, 0)) {
        assert_int_equal(values[4].value.uiVal, 26562);
        assert_int_equal(values[6].value.uiVal, sim_nvlinks() < 18 ? sim_nvlinks() : 18);
    }
    nvmlReturn_t before_555 = sim_since(535, 183, 1) ? NVML_ERROR_NOT_SUPPORTED : NVML_ERROR_INVALID_ARGUMENT;
    assert_int_equal(values[7].nvmlReturn, sim_since(555, 42, 2) ? NVML_SUCCESS : before_555);
    SUCCEEDS(CALL(nvmlDeviceGetFieldValues)(sim_device(4), count, values));
    assert_int_equal(values[5].value.ullVal, 3);
    ANSWERS(CALL(nvmlDeviceGetFieldValues)(device, 0, values), NVML_ERROR_INVALID_ARGUMENT);
    ANSWERS(CALL(nvmlDeviceGetFieldValues)(device, -1, values), NVML_ERROR_INVALID_ARGUMENT);
    ANSWERS(CALL(nvmlDeviceGetFieldValues)(device, 1, NULL), NVML_ERROR_INVALID_ARGUMENT);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_values__samples_carry_times_and_only_newer_ones_come(void **state)
{
    (void)state;
    sim_load_profile("h100x8");
    sim_init();
    nvmlDevice_t device = sim_device(0);
    nvmlSample_t samples[200];
    nvmlValueType_t type;
    unsigned count = 0;
    sim_step_ms(5050);
    SUCCEEDS(CALL(nvmlDeviceGetSamples)(device, NVML_GPU_UTILIZATION_SAMPLES, 0, &type, &count, NULL));
    assert_true(count >= 100 && count <= 200);
    SUCCEEDS(CALL(nvmlDeviceGetSamples)(device, NVML_GPU_UTILIZATION_SAMPLES, 0, &type, &count, samples));
    assert_int_equal(count, 51);
    assert_int_equal(type, NVML_VALUE_TYPE_UNSIGNED_INT);
    for (unsigned i = 0; i < count; i++)
        assert_true(samples[i].timeStamp == 1735689600000000u + 100000u * i && samples[i].sampleValue.uiVal <= 100);
    unsigned long long last = samples[count - 1].timeStamp;
    count = 200;
    ANSWERS(CALL(nvmlDeviceGetSamples)(device, NVML_GPU_UTILIZATION_SAMPLES, last, &type, &count, samples), NVML_ERROR_NOT_FOUND);
    sim_step_ms(300);
    SUCCEEDS(CALL(nvmlDeviceGetSamples)(device, NVML_GPU_UTILIZATION_SAMPLES, last, &type, &count, samples));
    assert_int_equal(count, 3);
    assert_true(samples[0].timeStamp > last);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_values__what_hardware_lacks_is_not_supported(void **state)
{
    (void)state;
    sim_load_profile("rtx4090x2");
    sim_init();
    nvmlDevice_t device = sim_device(0);
    nvmlEnableState_t mode = (nvmlEnableState_t)9, pending;
    unsigned long long errors;
    unsigned value;
    char text[96];
    ANSWERS(CALL(nvmlDeviceGetEccMode)(device, &mode, &pending), NVML_ERROR_NOT_SUPPORTED);
    assert_int_equal(mode, 9);
    ANSWERS(CALL(nvmlDeviceGetTotalEccErrors)(device, NVML_MEMORY_ERROR_TYPE_CORRECTED, NVML_VOLATILE_ECC, &errors),
            NVML_ERROR_NOT_SUPPORTED);
    ANSWERS(CALL(nvmlDeviceGetSerial)(device, text, sizeof text), NVML_ERROR_NOT_SUPPORTED);
    if (sim_find("nvmlDeviceGetNvLinkState")) {
        ANSWERS(CALL(nvmlDeviceGetNvLinkState)(device, 0, &mode), NVML_ERROR_NOT_SUPPORTED);
    }
    if (sim_find("nvmlDeviceGetMigMode")) {
        ANSWERS(CALL(nvmlDeviceGetMigMode)(device, &value, &value), NVML_ERROR_NOT_SUPPORTED);
    }
    SUCCEEDS(CALL(nvmlDeviceGetFanSpeed)(device, &value));
    assert_in_range(value, 30, 100);
    if (sim_find("nvmlDeviceGetFanSpeed_v2")) {
        SUCCEEDS(CALL(nvmlDeviceGetFanSpeed_v2)(device, 1, &value));
        ANSWERS(CALL(nvmlDeviceGetFanSpeed_v2)(device, 2, &value), NVML_ERROR_INVALID_ARGUMENT);
    }
    SUCCEEDS(CALL(nvmlDeviceGetDisplayActive)(device, &mode));
    assert_int_equal(mode, NVML_FEATURE_ENABLED);
    SUCCEEDS(CALL(nvmlShutdown)());
    sim_unload(NULL);
    sim_load_profile("h100x8");
    sim_init();
    ANSWERS(CALL(nvmlDeviceGetFanSpeed)(sim_device(0), &value), NVML_ERROR_NOT_SUPPORTED);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_values__nvlink_leads_to_switches(void **state)
{
    (void)state;
    sim_load_profile("h100x8");
    NEEDS("nvmlDeviceGetNvLinkRemoteDeviceType");
    sim_init();
    nvmlDevice_t device = sim_device(0);
    nvmlEnableState_t active;
    nvmlPciInfo_t pci;
    nvmlIntNvLinkDeviceType_t type;
    unsigned version;
    for (unsigned link = 0; link < sim_nvlinks() && link < 18; link++) {
        SUCCEEDS(CALL(nvmlDeviceGetNvLinkState)(device, link, &active));
        assert_int_equal(active, NVML_FEATURE_ENABLED);
        SUCCEEDS(CALL(nvmlDeviceGetNvLinkRemotePciInfo_v2)(device, link, &pci));
        assert_int_equal(pci.bus, 5 + link % 4);
        SUCCEEDS(CALL(nvmlDeviceGetNvLinkRemoteDeviceType)(device, link, &type));
        assert_int_equal(type, NVML_NVLINK_DEVICE_TYPE_SWITCH);
    }
    SUCCEEDS(CALL(nvmlDeviceGetNvLinkVersion)(device, 0, &version));
    assert_int_equal(version, NVML_NVLINK_VERSION_4_0);
    ANSWERS(CALL(nvmlDeviceGetNvLinkState)(device, sim_nvlinks(), &active), NVML_ERROR_INVALID_ARGUMENT);
    nvmlGpuTopologyLevel_t level;
    SUCCEEDS(CALL(nvmlDeviceGetTopologyCommonAncestor)(device, sim_device(1), &level));
    assert_int_equal(level, NVML_TOPOLOGY_NODE);
    SUCCEEDS(CALL(nvmlDeviceGetTopologyCommonAncestor)(device, sim_device(7), &level));
    assert_int_equal(level, NVML_TOPOLOGY_SYSTEM);
    unsigned long cpus[4];
    SUCCEEDS(CALL(nvmlDeviceGetCpuAffinity)(device, 4, cpus));
    assert_true(cpus[0] == 0x00fffffffffffffful && cpus[1] == 0xffff000000000000ul);
    SUCCEEDS(CALL(nvmlShutdown)());
}

int main(int count, char **arguments)
{
#define CASE(name) cmocka_unit_test_teardown(test_values__##name, sim_unload)
    const struct CMUnitTest tests[] = {
        CASE(add_up_at_all_times),
        CASE(memory_in_use_is_never_more_than_there_is),
        CASE(energy_is_the_integral_of_power),
        CASE(temperature_follows_power_slowly),
        CASE(transmit_and_receive_differ),
        CASE(each_kind_of_movement_moves_as_it_says),
        CASE(the_same_clock_gives_the_same_values),
        CASE(a_power_limit_bends_the_curves_without_a_jump),
        CASE(settings_change_or_are_refused_honestly),
        CASE(locked_clocks_hold),
        CASE(fields_have_results_of_their_own),
        CASE(samples_carry_times_and_only_newer_ones_come),
        CASE(what_hardware_lacks_is_not_supported),
        CASE(nvlink_leads_to_switches),
    };
    int status = sim_arguments(count, arguments);
    return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
