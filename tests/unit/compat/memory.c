/*
 * Adapters without memory: what is longer than an adapter keeps on its stack needs some, and where there is none the call says so and
 * leaves the caller's memory alone. This program's malloc stands before the library's.
 */
#include "compare.h"

#include <stdlib.h>

enum { ENTRIES = 400 };

extern void *__libc_malloc(size_t size);
__attribute__((visibility("default"))) void *malloc(size_t size);

static bool there_is_none;

void *malloc(size_t size)
{
    return there_is_none ? NULL : __libc_malloc(size);
}

/* Twice: without memory, then with it. `call` uses `count`, which stays as it was where nothing was answered. */
#define CHECK_MEMORY(function, entries, call)                                                                                    \
    do {                                                                                                                         \
        unsigned int count = ENTRIES;                                                                                            \
        if (nvp_function_fallback(nvp_function_find(#function)) != NULL) {                                                       \
            memset(entries, FILL, sizeof(entries));                                                                              \
            device_at(0);                                                                                                        \
            there_is_none = true;                                                                                                \
            nvmlReturn_t status_ = call;                                                                                         \
            there_is_none = false;                                                                                               \
            assert_int_equal(status_, NVML_ERROR_MEMORY);                                                                        \
            assert_int_equal(count, ENTRIES);                                                                                    \
            ASSERT_UNTOUCHED(entries, sizeof(entries));                                                                          \
            assert_int_equal(call, NVML_SUCCESS);                                                                                \
            assert_in_range(count, 1, ENTRIES - 1);                                                                              \
            checked_++;                                                                                                          \
        }                                                                                                                        \
    } while (0)

static void test_memory__none_is_an_error_and_nothing_is_written(void **state)
{
    static nvmlProcessUtilizationSample_t samples[ENTRIES];
    static nvmlVgpuProcessUtilizationSample_t vgpu_processes[ENTRIES];
    static nvmlVgpuInstanceUtilizationSample_t vgpus[ENTRIES];
    static nvmlProcessInfo_t processes[ENTRIES];
    nvmlValueType_t type;
    int checked_ = 0;
    (void)state;
    CHECK_MEMORY(nvmlDeviceGetProcessUtilization, samples, nvp_nvmlDeviceGetProcessUtilization(device_at(0), samples, &count, 0));
    CHECK_MEMORY(nvmlDeviceGetVgpuProcessUtilization, vgpu_processes,
                 nvp_nvmlDeviceGetVgpuProcessUtilization(device_at(0), 0, &count, vgpu_processes));
    CHECK_MEMORY(nvmlDeviceGetVgpuUtilization, vgpus, nvp_nvmlDeviceGetVgpuUtilization(device_at(0), 0, &type, &count, vgpus));
    CHECK_MEMORY(nvmlDeviceGetComputeRunningProcesses_v3, processes,
                 nvp_nvmlDeviceGetComputeRunningProcesses_v3(device_at(0), &count, processes));
    assert_int_equal(checked_, strtol(getenv("TEST_CHECKS"), NULL, 10));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_memory__none_is_an_error_and_nothing_is_written) };
    return nvp_init() == NVP_SUCCESS ? cmocka_run_group_tests_name("memory", tests, NULL, NULL) : 1;
}
