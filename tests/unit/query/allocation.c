/*
 * A scalar or short-text query allocates nothing: this program's malloc counts.
 */
#include "check.h"

#include <nvpulse/nvpulse.h>

#include <stdatomic.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
EXPORT void *malloc(size_t size);
EXPORT void *calloc(size_t count, size_t size);
EXPORT void *realloc(void *memory, size_t size);

static atomic_size_t allocations;

void *malloc(size_t size)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_realloc(memory, size);
}

static nvmlDevice_t device;

static size_t allocations_of(const char *function)
{
    nvp_value value = NVP_VALUE_INIT;
    size_t before = atomic_load(&allocations);
    nvp_query(function, NVP_ARGS(nvp_arg_handle(device)), NULL, &value);
    size_t made = atomic_load(&allocations) - before;
    assert_true(nvp_check(&value, 0));
    nvp_value_clear(&value);
    return made;
}

static void test_query__scalars_texts_and_small_structs_allocate_nothing(void **state)
{
    (void)state;
    static const char *const functions[] = { "nvmlDeviceGetPowerUsage",
                                             "nvmlDeviceGetName",
                                             "nvmlDeviceGetUUID",
                                             "nvmlDeviceGetPerformanceState",
                                             "nvmlDeviceGetUtilizationRates",
                                             "nvmlDeviceGetMemoryInfo",
                                             "nvmlDeviceGetCudaComputeCapability" };
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        assert_int_equal(allocations_of(functions[i]), 0);
    }
    assert_true(allocations_of("nvmlDeviceGetComputeRunningProcesses_v3") > 0); /* the counter counts */
}

static void test_fields__a_batch_allocates_nothing(void **state)
{
    (void)state;
    nvp_field fields[] = { NVP_FIELD_OF(NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION, 0), NVP_FIELD_OF(NVML_FI_DEV_MEMORY_TEMP, 0) };
    size_t before = atomic_load(&allocations);
    nvp_query_fields(device, fields, 2);
    assert_int_equal(atomic_load(&allocations), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_query__scalars_texts_and_small_structs_allocate_nothing),
        cmocka_unit_test(test_fields__a_batch_allocates_nothing),
    };
    if (nvmlDeviceGetHandleByIndex(0, &device) != NVML_SUCCESS) {
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
