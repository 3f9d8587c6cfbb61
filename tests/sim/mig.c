/*
 * MIG: devices with holes between them, what they are made of, and what is told of the whole while it is cut.
 */
#include "sim.h"

#include <string.h>

static nvmlDevice_t slice_of(nvmlDevice_t device, unsigned index)
{
    nvmlDevice_t slice = NULL;
    SUCCEEDS(CALL(nvmlDeviceGetMigDeviceHandleByIndex)(device, index, &slice));
    return slice;
}

static void test_mig__indexes_have_holes(void **state)
{
    (void)state;
    static const unsigned used[] = { 0, 2, 5 };
    sim_load_profile("a100-mig");
    NEEDS("nvmlDeviceGetMigDeviceHandleByIndex");
    sim_init();
    nvmlDevice_t device = sim_device(0), slice, same, whole;
    unsigned most = 0, found = 0, index, is_slice;
    SUCCEEDS(CALL(nvmlDeviceGetMaxMigDeviceCount)(device, &most));
    assert_int_equal(most, 7);
    for (unsigned i = 0; i < most; i++) {
        nvmlReturn_t result = CALL(nvmlDeviceGetMigDeviceHandleByIndex)(device, i, &slice);
        if (found < 3 && i == used[found]) {
            SUCCEEDS(result);
            char uuid[112];
            SUCCEEDS(CALL(nvmlDeviceGetIndex)(slice, &index));
            assert_int_equal(index, i);
            SUCCEEDS(CALL(nvmlDeviceIsMigDeviceHandle)(slice, &is_slice));
            assert_int_equal(is_slice, 1);
            SUCCEEDS(CALL(nvmlDeviceGetDeviceHandleFromMigDeviceHandle)(slice, &whole));
            assert_ptr_equal(whole, device);
            SUCCEEDS(CALL(nvmlDeviceGetUUID)(slice, uuid, sizeof uuid));
            assert_int_equal(strncmp(uuid, sim_since(470, 42, 1) ? "MIG-" : "MIG-GPU-", sim_since(470, 42, 1) ? 4 : 8), 0);
            assert_true((strchr(uuid, '/') != NULL) == !sim_since(470, 42, 1));
            SUCCEEDS(CALL(nvmlDeviceGetHandleByUUID)(uuid, &same));
            assert_ptr_equal(same, slice);
            found++;
        } else {
            ANSWERS(result, NVML_ERROR_NOT_FOUND);
        }
    }
    assert_int_equal(found, 3);
    ANSWERS(CALL(nvmlDeviceGetMigDeviceHandleByIndex)(device, most, &slice), NVML_ERROR_INVALID_ARGUMENT);
    ANSWERS(CALL(nvmlDeviceGetMigDeviceHandleByIndex)(sim_device(2), 0, &slice), NVML_ERROR_NOT_FOUND);
    SUCCEEDS(CALL(nvmlDeviceIsMigDeviceHandle)(device, &is_slice));
    assert_int_equal(is_slice, 0);
    ANSWERS(CALL(nvmlDeviceGetDeviceHandleFromMigDeviceHandle)(device, &whole), NVML_ERROR_INVALID_ARGUMENT);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_mig__a_slice_tells_its_size_and_name(void **state)
{
    (void)state;
    sim_load_profile("a100-mig");
    NEEDS("nvmlDeviceGetAttributes_v2");
    sim_init();
    nvmlDeviceAttributes_t attributes;
    unsigned id;
    char name[96];
    nvmlDevice_t slice = slice_of(sim_device(0), 0);
    SUCCEEDS(CALL(nvmlDeviceGetAttributes_v2)(slice, &attributes));
    assert_int_equal(attributes.multiprocessorCount, 42);
    assert_int_equal(attributes.gpuInstanceSliceCount, 3);
    assert_int_equal(attributes.computeInstanceSliceCount, 3);
    assert_int_equal(attributes.memorySizeMB, 19968);
    SUCCEEDS(CALL(nvmlDeviceGetName)(slice, name, sizeof name));
    assert_string_equal(name, "NVIDIA A100-SXM4-40GB MIG 3g.20gb");
    SUCCEEDS(CALL(nvmlDeviceGetGpuInstanceId)(slice, &id));
    assert_int_equal(id, 2);
    slice = slice_of(sim_device(1), 1);
    SUCCEEDS(CALL(nvmlDeviceGetAttributes_v2)(slice, &attributes));
    assert_int_equal(attributes.multiprocessorCount, 56);
    assert_int_equal(attributes.computeInstanceSliceCount, 4);
    SUCCEEDS(CALL(nvmlDeviceGetName)(slice, name, sizeof name));
    assert_string_equal(name, "NVIDIA A100-SXM4-40GB MIG 4c.7g.40gb");
    SUCCEEDS(CALL(nvmlDeviceGetComputeInstanceId)(slice, &id));
    assert_int_equal(id, 1);
    ANSWERS(CALL(nvmlDeviceGetAttributes_v2)(sim_device(0), &attributes), NVML_ERROR_NOT_SUPPORTED);
    ANSWERS(CALL(nvmlDeviceGetGpuInstanceId)(sim_device(0), &id), NVML_ERROR_NOT_SUPPORTED);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static unsigned long long used_by(nvmlDevice_t device, unsigned *count, nvmlProcessInfo_v2_t *processes)
{
    unsigned long long sum = 0;
    SUCCEEDS(CALL(nvmlDeviceGetComputeRunningProcesses_v2)(device, count, processes));
    for (unsigned i = 0; i < *count; i++) {
        sum += processes[i].usedGpuMemory;
    }
    return sum;
}

static void test_mig__memory_and_processes_are_those_of_the_slice(void **state)
{
    (void)state;
    sim_load_profile("a100-mig");
    NEEDS("nvmlDeviceGetMigDeviceHandleByIndex", "nvmlDeviceGetComputeRunningProcesses_v2");
    sim_init();
    nvmlDevice_t device = sim_device(0);
    nvmlProcessInfo_v2_t processes[8];
    nvmlMemory_t memory;
    unsigned count;
    for (int step = 0; step < 50; step++, sim_step_ms(700)) {
        unsigned long long sum = 0;
        unsigned total = 0;
        for (unsigned i = 0; i < 7; i++) {
            nvmlDevice_t slice = NULL;
            if (CALL(nvmlDeviceGetMigDeviceHandleByIndex)(device, i, &slice) != NVML_SUCCESS) {
                continue;
            }
            unsigned id = 0;
            count = 8;
            unsigned long long used = used_by(slice, &count, processes);
            SUCCEEDS(CALL(nvmlDeviceGetMemoryInfo)(slice, &memory));
            assert_int_equal(memory.used, used);
            assert_int_equal(memory.used + memory.free, memory.total);
            SUCCEEDS(CALL(nvmlDeviceGetGpuInstanceId)(slice, &id));
            for (unsigned j = 0; j < count; j++) {
                assert_int_equal(processes[j].gpuInstanceId, id);
                assert_int_equal(processes[j].computeInstanceId, 0);
            }
            sum += used;
            total += count;
        }
        count = 8;
        assert_int_equal(used_by(device, &count, processes), sum);
        assert_int_equal(count, total);
        assert_int_equal(count, 3);
    }
    count = 8; /* two compute instances share the memory of one GPU instance */
    SUCCEEDS(CALL(nvmlDeviceGetMemoryInfo)(slice_of(sim_device(1), 0), &memory));
    assert_int_equal(memory.used, (14010ull + 18660ull) << 20);
    used_by(slice_of(sim_device(1), 0), &count, processes);
    assert_int_equal(count, 1);
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_mig__the_whole_tells_no_load_while_it_is_cut(void **state)
{
    (void)state;
    sim_load_profile("a100-mig");
    NEEDS("nvmlDeviceGetMigMode");
    sim_init();
    nvmlUtilization_t load;
    unsigned value, pending;
    ANSWERS(CALL(nvmlDeviceGetUtilizationRates)(sim_device(0), &load), NVML_ERROR_NOT_SUPPORTED);
    ANSWERS(CALL(nvmlDeviceGetEncoderUtilization)(sim_device(0), &value, &pending), NVML_ERROR_NOT_SUPPORTED);
    SUCCEEDS(CALL(nvmlDeviceGetUtilizationRates)(sim_device(3), &load));
    SUCCEEDS(CALL(nvmlDeviceGetPowerUsage)(sim_device(0), &value));
    ANSWERS(CALL(nvmlDeviceGetPowerUsage)(slice_of(sim_device(0), 0), &value), NVML_ERROR_NOT_SUPPORTED);
    SUCCEEDS(CALL(nvmlDeviceGetMigMode)(sim_device(0), &value, &pending));
    assert_int_equal(value, NVML_DEVICE_MIG_ENABLE);
    SUCCEEDS(CALL(nvmlDeviceGetMigMode)(sim_device(3), &value, &pending));
    assert_int_equal(value, NVML_DEVICE_MIG_DISABLE);
    SUCCEEDS(CALL(nvmlShutdown)());
}

/* As in a container that sees its MIG device only. */
static void test_mig__the_whole_can_be_hidden(void **state)
{
    (void)state;
    sim_load_scenario("base: a100-mig\ndevice_defaults: {mig: {parent_readable: false}}\n");
    NEEDS("nvmlDeviceGetMigMode");
    sim_init();
    nvmlMemory_t memory = { .total = 5 };
    unsigned count = 0;
    ANSWERS(CALL(nvmlDeviceGetMemoryInfo)(sim_device(0), &memory), NVML_ERROR_NO_PERMISSION);
    ANSWERS(CALL(nvmlDeviceGetComputeRunningProcesses)(sim_device(0), &count, NULL), NVML_ERROR_NO_PERMISSION);
    assert_int_equal(memory.total, 5);
    SUCCEEDS(CALL(nvmlDeviceGetMemoryInfo)(slice_of(sim_device(0), 0), &memory));
    SUCCEEDS(CALL(nvmlDeviceGetMemoryInfo)(sim_device(3), &memory));
    SUCCEEDS(CALL(nvmlShutdown)());
}

static void test_mig__instances_lead_to_each_other(void **state)
{
    (void)state;
    sim_load_profile("a100-mig");
    NEEDS("nvmlDeviceGetGpuInstances", "nvmlComputeInstanceGetInfo");
    sim_init();
    nvmlDevice_t device = sim_device(1);
    nvmlGpuInstance_t instances[8], same;
    nvmlComputeInstance_t computes[8];
    nvmlGpuInstanceInfo_t info;
    nvmlGpuInstanceProfileInfo_t profile;
    unsigned count = 0, compute_count = 0;
    SUCCEEDS(CALL(nvmlDeviceGetGpuInstanceProfileInfo)(device, NVML_GPU_INSTANCE_PROFILE_7_SLICE, &profile));
    assert_int_equal(profile.sliceCount, 7);
    assert_int_equal(profile.memorySizeMB, 40192);
    SUCCEEDS(CALL(nvmlDeviceGetGpuInstances)(device, profile.id, instances, &count));
    assert_int_equal(count, 1);
    SUCCEEDS(CALL(nvmlGpuInstanceGetInfo)(instances[0], &info));
    assert_ptr_equal(info.device, device);
    assert_int_equal(info.id, 0);
    assert_int_equal(info.placement.size, 8);
    SUCCEEDS(CALL(nvmlDeviceGetGpuInstanceById)(device, 0, &same));
    assert_ptr_equal(same, instances[0]);
    ANSWERS(CALL(nvmlDeviceGetGpuInstanceById)(device, 5, &same), NVML_ERROR_NOT_FOUND);
    SUCCEEDS(
        CALL(nvmlGpuInstanceGetComputeInstances)(instances[0], NVML_COMPUTE_INSTANCE_PROFILE_3_SLICE, computes, &compute_count));
    assert_int_equal(compute_count, 1);
    nvmlComputeInstanceInfo_t compute;
    SUCCEEDS(CALL(nvmlComputeInstanceGetInfo)(computes[0], &compute));
    assert_ptr_equal(compute.gpuInstance, instances[0]);
    assert_int_equal(compute.id, 0);
    ANSWERS(CALL(nvmlGpuInstanceGetInfo)((nvmlGpuInstance_t)(void *)device, &info), NVML_ERROR_INVALID_ARGUMENT);
    ANSWERS(CALL(nvmlComputeInstanceGetInfo)((nvmlComputeInstance_t)(void *)instances, &compute), NVML_ERROR_INVALID_ARGUMENT);
    ANSWERS(CALL(nvmlDeviceGetGpuInstances)(sim_device(3), profile.id, instances, &count), NVML_ERROR_NOT_SUPPORTED);
    SUCCEEDS(CALL(nvmlShutdown)());
}

/* Drivers before 450 have no MIG: the GPU is whole to them. */
static void test_mig__an_old_driver_knows_nothing_of_it(void **state)
{
    (void)state;
    sim_load_profile("a100-mig");
    if (sim_since(450, 51, 0)) {
        skip();
    }
    sim_init();
    nvmlUtilization_t load;
    nvmlProcessInfo_v1_t processes[8];
    unsigned count = 8;
    SUCCEEDS(CALL(nvmlDeviceGetUtilizationRates)(sim_device(0), &load));
    SUCCEEDS(CALL(nvmlDeviceGetComputeRunningProcesses)(sim_device(0), &count, processes));
    assert_int_equal(count, 3);
    SUCCEEDS(CALL(nvmlShutdown)());
}

int main(int count, char **arguments)
{
#define CASE(name) cmocka_unit_test_teardown(test_mig__##name, sim_unload)
    const struct CMUnitTest tests[] = {
        CASE(indexes_have_holes),
        CASE(a_slice_tells_its_size_and_name),
        CASE(memory_and_processes_are_those_of_the_slice),
        CASE(the_whole_tells_no_load_while_it_is_cut),
        CASE(the_whole_can_be_hidden),
        CASE(instances_lead_to_each_other),
        CASE(an_old_driver_knows_nothing_of_it),
    };
    int status = sim_arguments(count, arguments);
    return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
