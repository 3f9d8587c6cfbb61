/*
 * Every built-in profile on every driver: what it tells adds up, and each has what it is there for.
 */
#include "sim.h"

#include <stdio.h>
#include <string.h>

/* A reading that this hardware may not have: true when it has. */
static bool reads(nvmlReturn_t result)
{
    if (result != NVML_SUCCESS && result != NVML_ERROR_NOT_SUPPORTED) {
        fail_msg("answers %d", result);
    }
    return result == NVML_SUCCESS;
}

static void memory_check(nvmlDevice_t device)
{
    nvmlMemory_t memory;
    nvmlProcessInfo_v1_t processes[64];
    unsigned count = 64;
    unsigned long long sum = 0;
    SUCCEEDS(CALL(nvmlDeviceGetComputeRunningProcesses)(device, &count, processes));
    for (unsigned i = 0; i < count; i++) {
        bool is_known = processes[i].usedGpuMemory != (unsigned long long)NVML_VALUE_NOT_AVAILABLE;
        sum += is_known ? processes[i].usedGpuMemory : 0;
        assert_true(processes[i].pid != 0);
    }
    if (!reads(CALL(nvmlDeviceGetMemoryInfo)(device, &memory))) {
        return;
    }
    assert_int_equal(memory.used + memory.free, memory.total);
    assert_true(sum <= memory.used);
    nvmlMemory_v2_t second = { .version = nvmlMemory_v2 };
    if (sim_find("nvmlDeviceGetMemoryInfo_v2")) {
        SUCCEEDS(CALL(nvmlDeviceGetMemoryInfo_v2)(device, &second));
        assert_int_equal(second.used + second.free + second.reserved, second.total);
    }
}

static void limits_check(nvmlDevice_t device)
{
    unsigned power, limit, clock, most, temperature;
    nvmlUtilization_t load;
    if (reads(CALL(nvmlDeviceGetUtilizationRates)(device, &load))) {
        assert_true(load.gpu <= 100 && load.memory <= 100);
    }
    if (reads(CALL(nvmlDeviceGetPowerUsage)(device, &power)) && reads(CALL(nvmlDeviceGetEnforcedPowerLimit)(device, &limit))) {
        assert_true(power <= limit);
    }
    if (reads(CALL(nvmlDeviceGetClockInfo)(device, NVML_CLOCK_SM, &clock)) &&
        reads(CALL(nvmlDeviceGetMaxClockInfo)(device, NVML_CLOCK_SM, &most))) {
        assert_true(clock <= most);
    }
    if (reads(CALL(nvmlDeviceGetTemperature)(device, NVML_TEMPERATURE_GPU, &temperature))) {
        assert_in_range(temperature, 20, 100);
    }
}

static void test_profiles__all_add_up_at_all_times(void **state)
{
    (void)state;
    char profile[64] = "h100x8";
    for (size_t p = 0; profile[0] != '\0'; p++) {
        unsigned count = 0;
        sim_load_profile(profile);
        const char *next = CALL(nvpsim_profile_name)(p);
        sim_init();
        SUCCEEDS(CALL(nvmlDeviceGetCount_v2)(&count));
        assert_true(count > 0);
        for (int step = 0; step < 40; step++, sim_step_ms(1777)) {
            for (unsigned i = 0; i < count; i++) {
                memory_check(sim_device(i));
                limits_check(sim_device(i));
            }
        }
        assert_string_equal(CALL(nvpsim_unused_keys)(), "");
        snprintf(profile, sizeof profile, "%s", next ? next : "");
        SUCCEEDS(CALL(nvmlShutdown)());
        sim_unload(NULL);
    }
}

static void test_profiles__unified_memory_has_no_total(void **state)
{
    (void)state;
    nvmlMemory_t memory;
    nvmlProcessInfo_v1_t processes[8];
    unsigned count = 8, limit;
    sim_load_profile("gb10");
    sim_init();
    ANSWERS(CALL(nvmlDeviceGetMemoryInfo)(sim_device(0), &memory), NVML_ERROR_NOT_SUPPORTED);
    SUCCEEDS(CALL(nvmlDeviceGetComputeRunningProcesses)(sim_device(0), &count, processes));
    assert_int_equal(count, 1);
    assert_int_equal(processes[0].usedGpuMemory, 21400ull << 20);
    ANSWERS(CALL(nvmlDeviceGetEnforcedPowerLimit)(sim_device(0), &limit), NVML_ERROR_NOT_SUPPORTED);
    SUCCEEDS(CALL(nvmlDeviceGetPowerUsage)(sim_device(0), &limit));
    if (sim_find("nvmlDeviceGetAddressingMode")) {
        nvmlDeviceAddressingMode_t mode = { .version = nvmlDeviceAddressingMode_v1 };
        SUCCEEDS(CALL(nvmlDeviceGetAddressingMode)(sim_device(0), &mode));
        assert_int_equal(mode.value, NVML_DEVICE_ADDRESSING_MODE_ATS);
    }
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_profiles__under_wddm_a_process_has_no_memory(void **state)
{
    (void)state;
    nvmlDriverModel_t current, pending;
    nvmlProcessInfo_v1_t processes[8];
    unsigned count = 8;
    sim_load_profile("wddm");
    sim_init();
    SUCCEEDS(CALL(nvmlDeviceGetComputeRunningProcesses)(sim_device(0), &count, processes));
    assert_int_equal(count, 3);
    assert_int_equal(processes[0].usedGpuMemory, UINT64_MAX);
    SUCCEEDS(CALL(nvmlDeviceGetDriverModel)(sim_device(0), &current, &pending));
    assert_int_equal(current, NVML_DRIVER_WDDM);
    SUCCEEDS(CALL(nvmlDeviceGetDriverModel)(sim_device(1), &current, &pending));
    assert_int_equal(current, NVML_DRIVER_WDM);
    SUCCEEDS(CALL(nvmlDeviceGetDriverModel)(sim_device(0), &current, NULL)); /* nvidia-smi asks for one at a time */
    SUCCEEDS(CALL(nvmlDeviceGetDriverModel)(sim_device(0), NULL, &pending));
    assert_int_equal(current, NVML_DRIVER_WDDM);
    ANSWERS(CALL(nvmlDeviceGetDriverModel)(sim_device(0), NULL, NULL), NVML_ERROR_INVALID_ARGUMENT);
    count = 8;
    SUCCEEDS(CALL(nvmlDeviceGetComputeRunningProcesses)(sim_device(1), &count, processes));
    assert_int_equal(processes[0].usedGpuMemory, 18240ull << 20);
    SUCCEEDS(CALL(nvmlShutdown)());
    sim_unload(NULL);
    sim_load_scenario("device_defaults: {driver_model: {current: MCDM}}\n");
    sim_init();
    SUCCEEDS(CALL(nvmlDeviceGetDriverModel)(sim_device(0), &current, &pending));
    assert_int_equal(current, NVML_DRIVER_WDDM);
    if (sim_find("nvmlDeviceGetDriverModel_v2")) {
        SUCCEEDS(CALL(nvmlDeviceGetDriverModel_v2)(sim_device(0), &current, &pending));
        assert_int_equal(current, NVML_DRIVER_MCDM);
        assert_int_equal(pending, NVML_DRIVER_MCDM);
    }
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_profiles__a_guest_is_told_little(void **state)
{
    (void)state;
    unsigned value;
    nvmlMemory_t memory;
    sim_load_profile("vgpu");
    sim_init();
    nvmlDevice_t device = sim_device(0);
    ANSWERS(CALL(nvmlDeviceGetPowerUsage)(device, &value), NVML_ERROR_NOT_SUPPORTED);
    ANSWERS(CALL(nvmlDeviceGetTemperature)(device, NVML_TEMPERATURE_GPU, &value), NVML_ERROR_NOT_SUPPORTED);
    ANSWERS(CALL(nvmlDeviceGetFanSpeed)(device, &value), NVML_ERROR_NOT_SUPPORTED);
    SUCCEEDS(CALL(nvmlDeviceGetMemoryInfo)(device, &memory));
    if (sim_find("nvmlDeviceGetFieldValues")) {
        nvmlFieldValue_t costly[] = { { .fieldId = NVML_FI_DEV_MEMORY_TEMP }, { .fieldId = NVML_FI_DEV_ECC_SBE_VOL_TOTAL } };
        SUCCEEDS(CALL(nvmlDeviceGetFieldValues)(device, 2, costly));
        assert_int_equal(costly[0].nvmlReturn, NVML_ERROR_NOT_SUPPORTED);
        assert_int_equal(costly[1].nvmlReturn, NVML_ERROR_NOT_SUPPORTED);
    }
    if (sim_find("nvmlDeviceGetGridLicensableFeatures_v4")) {
        nvmlGridLicensableFeatures_t features;
        SUCCEEDS(CALL(nvmlDeviceGetGridLicensableFeatures_v4)(device, &features));
        assert_int_equal(features.isGridLicenseSupported, 1);
        assert_int_equal(features.licensableFeaturesCount, 1);
        assert_string_equal(features.gridLicensableFeatures[0].productName, "NVIDIA RTX Virtual Workstation");
    }
    SUCCEEDS(CALL(nvmlShutdown)());
}

/* Calls that newer drivers added, with the values that they share with older ones. */
static void test_profiles__newer_calls_agree_with_older_ones(void **state)
{
    (void)state;
    sim_load_profile("rtx4090x2");
    NEEDS("nvmlDeviceGetTemperatureV", "nvmlDeviceGetHandleByUUIDV", "nvmlDeviceGetFanSpeedRPM");
    sim_init();
    nvmlDevice_t device = sim_device(0), found = NULL;
    unsigned gpu_c, percent;
    nvmlTemperature_t temperature = { .version = nvmlTemperature_v1, .sensorType = NVML_TEMPERATURE_GPU };
    nvmlMarginTemperature_t margin = { .version = nvmlMarginTemperature_v1 };
    SUCCEEDS(CALL(nvmlDeviceGetTemperature)(device, NVML_TEMPERATURE_GPU, &gpu_c));
    SUCCEEDS(CALL(nvmlDeviceGetTemperatureV)(device, &temperature));
    assert_int_equal(temperature.temperature, gpu_c);
    SUCCEEDS(CALL(nvmlDeviceGetMarginTemperature)(device, &margin));
    assert_int_equal(margin.marginTemperature, 90 - (int)gpu_c);
    nvmlFanSpeedInfo_t fan = { .version = nvmlFanSpeedInfo_v1, .fan = 1 };
    SUCCEEDS(CALL(nvmlDeviceGetFanSpeedRPM)(device, &fan));
    SUCCEEDS(CALL(nvmlDeviceGetFanSpeed_v2)(device, 1, &percent));
    assert_true(fan.speed >= percent * 33 && fan.speed <= (percent + 1) * 33);
    fan.fan = 2;
    ANSWERS(CALL(nvmlDeviceGetFanSpeedRPM)(device, &fan), NVML_ERROR_INVALID_ARGUMENT);
    nvmlUUID_t uuid = { .version = nvmlUUID_v1, .type = NVML_UUID_TYPE_ASCII };
    SUCCEEDS(CALL(nvmlDeviceGetUUID)(sim_device(1), uuid.value.str, sizeof uuid.value.str));
    unsigned bytes[16];
    sscanf(uuid.value.str, "GPU-%2x%2x%2x%2x-%2x%2x-%2x%2x-%2x%2x-%2x%2x%2x%2x%2x%2x", &bytes[0], &bytes[1], &bytes[2], &bytes[3],
           &bytes[4], &bytes[5], &bytes[6], &bytes[7], &bytes[8], &bytes[9], &bytes[10], &bytes[11], &bytes[12], &bytes[13],
           &bytes[14], &bytes[15]);
    SUCCEEDS(CALL(nvmlDeviceGetHandleByUUIDV)(&uuid, &found));
    assert_ptr_equal(found, sim_device(1));
    uuid.type = NVML_UUID_TYPE_BINARY;
    for (int i = 0; i < 16; i++) {
        uuid.value.bytes[i] = (unsigned char)bytes[i];
    }
    found = NULL;
    SUCCEEDS(CALL(nvmlDeviceGetHandleByUUIDV)(&uuid, &found));
    assert_ptr_equal(found, sim_device(1));
    uuid.value.bytes[3] ^= 1;
    ANSWERS(CALL(nvmlDeviceGetHandleByUUIDV)(&uuid, &found), NVML_ERROR_NOT_FOUND);
    nvmlSystemDriverBranchInfo_t branch = { .version = nvmlSystemDriverBranchInfo_v1 };
    SUCCEEDS(CALL(nvmlSystemGetDriverBranch)(&branch, sizeof branch.branch));
    assert_string_equal(branch.branch, sim_major == 610 ? "r610_00" : "r580_00");
    SUCCEEDS(CALL(nvmlShutdown)());
}

int main(int count, char **arguments)
{
#define CASE(name) cmocka_unit_test_teardown(test_profiles__##name, sim_unload)
    const struct CMUnitTest tests[] = {
        CASE(all_add_up_at_all_times), CASE(unified_memory_has_no_total),       CASE(under_wddm_a_process_has_no_memory),
        CASE(a_guest_is_told_little),  CASE(newer_calls_agree_with_older_ones),
    };
    int status = sim_arguments(count, arguments);
    return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
