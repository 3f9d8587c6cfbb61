/*
 * The driver's side of processes on simulated machines. The argument names the profile, which the environment sets, too.
 */
#include "check.h"
#include "control.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "model/processes.h"

#define NONE NVP__NO_INSTANCE
#define MIB (UINT64_C(1) << 20)
enum { C = NVP_PROCESS_TYPE_COMPUTE, G = NVP_PROCESS_TYPE_GRAPHICS, M = NVP_PROCESS_TYPE_MPS };

static struct nvp__gpu_processes processes;

static int end(void **state)
{
    (void)state;
    control_clear_faults();
    nvp__gpu_processes_free(&processes);
    nvp_shutdown(); /* the next test finds another generation */
    return 0;
}

static nvmlDevice_t device_at(unsigned int index)
{
    nvmlDevice_t device = NULL;
    assert_int_equal(nvp_nvmlDeviceGetHandleByIndex_v2(index, &device), NVML_SUCCESS);
    return device;
}

static bool has(const char *function)
{
    return nvp_function_available(nvp_function_find(function));
}

static bool has_list(const char *kind)
{
    char plain[96], second[96], third[96];
    snprintf(plain, sizeof plain, "nvmlDeviceGet%sRunningProcesses", kind);
    snprintf(second, sizeof second, "nvmlDeviceGet%sRunningProcesses_v2", kind);
    snprintf(third, sizeof third, "nvmlDeviceGet%sRunningProcesses_v3", kind);
    return has(plain) || has(second) || has(third);
}

static unsigned int lists_that_exist(void)
{
    return (unsigned int)has_list("Compute") + has_list("Graphics") + has_list("MPSCompute");
}

static void step_clock(uint64_t ns)
{
    nvpsim_step_clock_fn *step;
    void *symbol = nvp_symbol("nvpsim_step_clock");
    assert_non_null(symbol);
    memcpy(&step, &symbol, sizeof step);
    assert_int_equal(step(ns), 0);
}

/* What a device must show; types that this driver has no list for are left out. */
struct expected {
    unsigned int gpu_instance, compute_instance, type;
    const char *name;
};

static void assert_processes(unsigned int device, const struct expected *expected, size_t count)
{
    unsigned int known = (has_list("Compute") ? C : 0) | (has_list("Graphics") ? G : 0) | (has_list("MPSCompute") ? M : 0);
    bool knows_instances = !has("nvmlDeviceGetComputeRunningProcesses") || has("nvmlDeviceGetComputeRunningProcesses_v2");
    size_t at = 0;
    assert_status(nvp__gpu_processes_read(&processes, device_at(device)), NVP_SUCCESS);
    for (size_t i = 0; i < count; i++) {
        if ((expected[i].type & known) == 0) {
            continue;
        }
        assert_true(at < processes.count);
        const struct nvp__gpu_process *process = &processes.list[at++];
        assert_string_equal(process->name, expected[i].name);
        assert_int_equal(process->type, expected[i].type & known);
        assert_int_equal(process->gpu_instance, knows_instances ? expected[i].gpu_instance : NONE);
        assert_int_equal(process->compute_instance, knows_instances ? expected[i].compute_instance : NONE);
        assert_true(at < 2 || process->pid > process[-1].pid || process->gpu_instance != process[-1].gpu_instance ||
                    process->compute_instance != process[-1].compute_instance);
    }
    assert_int_equal(processes.count, at);
}

static void test_gpu__h100_with_mps(void **state)
{
    static const struct expected expected[] = { { NONE, NONE, C, "/opt/vllm/bin/vllm serve" },
                                                { NONE, NONE, C, "nvidia-cuda-mps-server" },
                                                { NONE, NONE, C | M, "/srv/mps/score-a" },
                                                { NONE, NONE, C | M, "/srv/mps/score-b" } };
    (void)state;
    assert_processes(5, expected, 4);
    assert_int_equal(nvp_reading_uint(&processes.list[0].memory, 0), 73880 * MIB);
    assert_int_equal(nvp_reading_uint(&processes.list[3].memory, 0), 1012 * MIB); /* not twice that */
    assert_int_equal(nvp_unknown_function_count(), 0);                            /* what a driver lacks is no complaint */
}

static void test_gpu__loads_as_the_driver_tells_them(void **state)
{
    nvmlProcessUtilizationSample_t samples[8];
    unsigned int count = 8;
    (void)state;
    nvmlDevice_t device = device_at(5);
    assert_status(nvp__gpu_processes_read(&processes, device), NVP_SUCCESS);
    if (!has("nvmlDeviceGetProcessUtilization")) {
        for (size_t i = 0; i < NVP__LOAD_COUNT; i++) {
            assert_reason(processes.list[0].load[i], NVP_REASON_FUNCTION_MISSING);
        }
        return;
    }
    assert_int_equal(nvp_nvmlDeviceGetProcessUtilization(device, samples, &count, 0), NVML_SUCCESS);
    assert_int_equal(count, 4);
    assert_int_equal(processes.count, 4);
    for (size_t i = 0; i < 4; i++) {
        const nvp_reading *load = processes.list[i].load;
        assert_int_equal(samples[i].pid, processes.list[i].pid);
        assert_int_equal(nvp_reading_uint(&load[NVP__LOAD_SM], 777), samples[i].smUtil);
        assert_int_equal(nvp_reading_uint(&load[NVP__LOAD_MEMORY], 777), samples[i].memUtil);
        assert_int_equal(nvp_reading_uint(&load[NVP__LOAD_ENCODER], 777), samples[i].encUtil);
        assert_int_equal(nvp_reading_uint(&load[NVP__LOAD_DECODER], 777), samples[i].decUtil);
        bool has_media = has("nvmlDeviceGetProcessesUtilizationInfo");
        assert_reason(load[NVP__LOAD_JPEG], has_media ? NVP_REASON_NONE : NVP_REASON_FUNCTION_MISSING);
        assert_reason(load[NVP__LOAD_OFA], has_media ? NVP_REASON_NONE : NVP_REASON_FUNCTION_MISSING);
    }
    assert_true(nvp_reading_uint(&processes.list[0].load[NVP__LOAD_SM], 0) > 0);
}

static void test_gpu__loads_follow_the_clock(void **state)
{
    (void)state;
    if (!has("nvmlDeviceGetProcessUtilization")) {
        skip();
    }
    nvmlDevice_t device = device_at(0);
    nvp__gpu_processes_read(&processes, device);
    uint64_t first_us = processes.last_sample_us;
    nvp_reading load = processes.list[0].load[NVP__LOAD_SM];
    assert_true(first_us > 0);
    nvp__gpu_processes_read(&processes, device); /* the driver has nothing newer */
    assert_memory_equal(&processes.list[0].load[NVP__LOAD_SM], &load, sizeof load);
    step_clock(1000000000);
    nvp__gpu_processes_read(&processes, device);
    assert_int_equal(processes.last_sample_us, first_us + 1000000);
    assert_true(processes.list[0].load[NVP__LOAD_SM].read_at_us > load.read_at_us);
    processes.news_at_ns -= 3 * NVP__NS_PER_S; /* as if time had passed here, and none there */
    nvp__gpu_processes_read(&processes, device);
    assert_int_equal(nvp_reading_uint(&processes.list[0].load[NVP__LOAD_SM], 777), 0);
    step_clock(1000000000);
    nvp__gpu_processes_read(&processes, device);
    assert_true(nvp_reading_uint(&processes.list[0].load[NVP__LOAD_SM], 0) > 0);
}

static void test_gpu__calls_in_a_look(void **state)
{
    unsigned int lists = lists_that_exist();
    unsigned int loads = has("nvmlDeviceGetProcessUtilization");
    (void)state;
    nvmlDevice_t busy = device_at(5), idle = device_at(7);
    control_reset_calls();
    nvp__gpu_processes_read(&processes, busy);
    size_t count = processes.count;
    assert_true(count > 0);
    assert_int_equal(control_calls("nvmlSystemGetProcessName"), count);
    control_reset_calls();
    for (unsigned int i = 1; i < 4; i++) {
        nvp__gpu_processes_read(&processes, busy);
        assert_int_equal(control_calls(NULL), i * (lists + loads));
    }
    nvp__gpu_processes_free(&processes);
    control_reset_calls();
    nvp__gpu_processes_read(&processes, idle);
    assert_int_equal(control_calls(NULL), lists);
}

static void test_gpu__what_is_not_supported_is_asked_once_in_a_generation(void **state)
{
    unsigned int lists = lists_that_exist();
    (void)state;
    control_fail("nvmlDeviceGetMPSComputeRunningProcesses_v3", NVML_ERROR_NOT_SUPPORTED);
    control_fail("nvmlDeviceGetProcessesUtilizationInfo", NVML_ERROR_NOT_SUPPORTED);
    control_fail("nvmlDeviceGetProcessUtilization", NVML_ERROR_NOT_SUPPORTED);
    assert_status(nvp__gpu_processes_read(&processes, device_at(5)), NVP_SUCCESS);
    assert_int_equal(processes.count, 4);
    assert_reason(processes.list[0].load[NVP__LOAD_SM], NVP_REASON_NOT_SUPPORTED);
    control_reset_calls();
    for (unsigned int i = 1; i < 3; i++) {
        nvp__gpu_processes_read(&processes, device_at(5));
        assert_int_equal(control_calls("nvmlDeviceGetMPSComputeRunningProcesses_v3"), 0);
        assert_int_equal(control_calls("nvmlDeviceGetProcessesUtilizationInfo"), 0);
        assert_int_equal(control_calls("nvmlDeviceGetProcessUtilization"), 0);
    }
    control_clear_faults();
    assert_status(nvp_shutdown(), NVP_SUCCESS); /* another generation */
    nvmlDevice_t device = device_at(5);
    control_reset_calls();
    nvp__gpu_processes_read(&processes, device);
    assert_int_equal(control_calls(NULL), lists + 1);
    assert_int_equal(processes.list[3].type, C | M);
}

static void test_gpu__device_without_lists(void **state)
{
    static const char *const lists[] = { "nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v3",
                                         "nvmlDeviceGetMPSComputeRunningProcesses_v3" };
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        control_fail(lists[i], NVML_ERROR_NOT_SUPPORTED);
    }
    nvmlDevice_t device = device_at(5);
    for (int i = 0; i < 2; i++) {
        assert_status(nvp__gpu_processes_read(&processes, device), NVML_ERROR_NOT_SUPPORTED);
        assert_int_equal(processes.count, 0);
        control_reset_calls();
    }
    nvp__gpu_processes_read(&processes, device);
    assert_int_equal(control_calls(NULL), 0);
}

static void test_gpu__refused_list_leaves_the_others(void **state)
{
    (void)state;
    nvmlDevice_t device = device_at(5);
    control_fail("nvmlDeviceGetComputeRunningProcesses_v3", NVML_ERROR_NO_PERMISSION);
    assert_status(nvp__gpu_processes_read(&processes, device), NVML_ERROR_NO_PERMISSION);
    assert_int_equal(processes.count, 2);
    assert_int_equal(processes.list[0].type, M);
    control_clear_faults();
    assert_status(nvp__gpu_processes_read(&processes, device), NVP_SUCCESS);
    assert_int_equal(processes.count, 4);
    control_fail("nvmlDeviceGetComputeRunningProcesses_v3", NVML_ERROR_TIMEOUT);
    control_reset_calls();
    assert_status(nvp__gpu_processes_read(&processes, device), NVML_ERROR_TIMEOUT);
    assert_int_equal(processes.count, 0);
    assert_int_equal(control_calls(NULL), 1); /* a device that does not answer is not asked three times */
}

static void test_gpu__mig(void **state)
{
    static const struct expected first[] = { { 2, 0, C, "/usr/bin/python3 notebook-a.py" },
                                             { 2, 0, C, "/usr/bin/python3 worker.py" },
                                             { 3, 0, C, "/opt/infer/server" } };
    static const struct expected second[] = { { 0, 0, C, "/usr/bin/python3 half-a.py" },
                                              { 0, 1, C, "/usr/bin/python3 half-b.py" } };
    static const struct expected whole[] = { { NONE, NONE, C, "/usr/bin/python3 whole.py" } };
    (void)state;
    assert_processes(0, first, 3);
    assert_reason(processes.list[0].load[NVP__LOAD_SM], has("nvmlDeviceGetMigMode") ? NVP_REASON_NOT_SUPPORTED : NVP_REASON_NONE);
    nvp__gpu_processes_free(&processes);
    assert_processes(1, second, 2);
    nvp__gpu_processes_free(&processes);
    assert_processes(3, whole, 1);
}

static void test_gpu__one_mig_device(void **state)
{
    nvmlDevice_t mig = NULL;
    (void)state;
    if (!has("nvmlDeviceGetMigDeviceHandleByIndex")) {
        skip();
    }
    assert_int_equal(nvp_nvmlDeviceGetMigDeviceHandleByIndex(device_at(1), 1, &mig), NVML_SUCCESS);
    assert_status(nvp__gpu_processes_read(&processes, mig), NVP_SUCCESS);
    assert_int_equal(processes.count, 1);
    assert_string_equal(processes.list[0].name, "/usr/bin/python3 half-b.py");
    assert_int_equal(processes.list[0].compute_instance, 1);
}

static void test_gpu__wddm_tells_no_memory(void **state)
{
    static const struct expected expected[] = { { NONE, NONE, C | G, "C:\\Windows\\System32\\dwm.exe" },
                                                { NONE, NONE, C | G, "C:\\Windows\\explorer.exe" },
                                                { NONE, NONE, C | G,
                                                  "C:\\Program Files\\Blender Foundation\\Blender\\blender.exe" } };
    (void)state;
    assert_processes(0, expected, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_reason(processes.list[i].memory, NVP_REASON_SENTINEL);
    }
}

static void test_gpu__desktop(void **state)
{
    static const struct expected expected[] = { { NONE, NONE, G, "/usr/lib/xorg/Xorg" },
                                                { NONE, NONE, G, "/usr/bin/gnome-shell" },
                                                { NONE, NONE, G, "/usr/lib/firefox/firefox" },
                                                { NONE, NONE, C | G, "/opt/games/starship/starship.x86_64" } };
    (void)state;
    assert_processes(0, expected, 4);
    assert_int_equal(nvp_reading_uint(&processes.list[0].memory, 0), 412 * MIB);
    assert_int_equal(nvp_reading_uint(&processes.list[0].load[NVP__LOAD_SM], 777), 3);
}

static void test_gpu__unified_memory_has_processes(void **state)
{
    static const struct expected expected[] = { { NONE, NONE, G, "/usr/lib/xorg/Xorg" },
                                                { NONE, NONE, G, "/usr/bin/gnome-shell" },
                                                { NONE, NONE, C, "/usr/local/bin/ollama runner" } };
    (void)state;
    assert_processes(0, expected, 3);
    assert_int_equal(nvp_reading_uint(&processes.list[2].memory, 0), 21400 * MIB);
}

#define TEST(name) cmocka_unit_test_teardown(test_gpu__##name, end)
#define RUN(tests) cmocka_run_group_tests_name(#tests, tests, NULL, NULL)

int main(int argument_count, char **arguments)
{
    const struct CMUnitTest h100x8[] = { TEST(h100_with_mps), TEST(loads_as_the_driver_tells_them), TEST(loads_follow_the_clock),
                                         TEST(calls_in_a_look) };
    const struct CMUnitTest faults[] = { TEST(what_is_not_supported_is_asked_once_in_a_generation), TEST(device_without_lists),
                                         TEST(refused_list_leaves_the_others) };
    const struct CMUnitTest mig[] = { TEST(mig), TEST(one_mig_device) };
    const struct CMUnitTest wddm[] = { TEST(wddm_tells_no_memory) };
    const struct CMUnitTest desktop[] = { TEST(desktop) };
    const struct CMUnitTest unified[] = { TEST(unified_memory_has_processes) };
    const char *which = argument_count == 2 ? arguments[1] : "";
    if (nvp_init() != NVP_SUCCESS || nvp_shutdown() != NVP_SUCCESS) {
        return 1;
    }
    return strcmp(which, "h100x8") == 0      ? RUN(h100x8)
           : strcmp(which, "faults") == 0    ? RUN(faults)
           : strcmp(which, "a100-mig") == 0  ? RUN(mig)
           : strcmp(which, "wddm") == 0      ? RUN(wddm)
           : strcmp(which, "rtx4090x2") == 0 ? RUN(desktop)
           : strcmp(which, "gb10") == 0      ? RUN(unified)
                                             : 1;
}
