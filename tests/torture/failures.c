/*
 * Every allocation, every symbol look-up and every driver call made to fail in turn, through opening, queries and shutdown.
 * This program's malloc and dlsym stand before the library's. Each round is a process of its own.
 */
#include "cases.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define ROUND_LIMIT_S 30

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
EXPORT void *malloc(size_t size);
EXPORT void *calloc(size_t count, size_t size);
EXPORT void *realloc(void *memory, size_t size);
EXPORT void *aligned_alloc(size_t alignment, size_t size);
EXPORT void *dlsym(void *restrict library, const char *restrict name);

static atomic_long allocations_left = -1; /* until one fails; negative: none does */
static atomic_bool allocation_failed;
static const char *missing_symbol;

static bool fails_now(void)
{
    if (atomic_load(&allocations_left) < 0 || atomic_fetch_sub(&allocations_left, 1) > 0) {
        return false;
    }
    atomic_store(&allocation_failed, true);
    return true;
}

void *malloc(size_t size)
{
    return fails_now() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails_now() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return fails_now() ? NULL : __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails_now() ? NULL : __libc_memalign(alignment, size);
}

void *dlsym(void *restrict library, const char *restrict name)
{
    typedef void *dlsym_fn(void *library, const char *name);
    static dlsym_fn *real;
    if (real == NULL) {
        void *symbol = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
        memcpy(&real, &symbol, sizeof(real));
    }
    return missing_symbol != NULL && strcmp(name, missing_symbol) == 0 ? NULL : real(library, name);
}

/* A life: open, query in every shape, shut down. Answers may be errors and N/A, never a crash, a hang or garbage. */
static void live(void)
{
    nvmlDevice_t device = NULL;
    nvp_value value = NVP_VALUE_INIT;
    nvp_value item = NVP_VALUE_INIT;
    nvp_field fields[2] = { NVP_FIELD_OF(NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION, 0), NVP_FIELD_OF(NVML_FI_DEV_MEMORY_TEMP, 0) };
    unsigned int power_mw = 0;
    static const char *const functions[] = { "nvmlDeviceGetName",
                                             "nvmlDeviceGetMemoryInfo_v2",
                                             "nvmlDeviceGetComputeRunningProcesses_v3",
                                             "nvmlDeviceGetSupportedMemoryClocks",
                                             "nvmlDeviceGetCpuAffinity",
                                             "nvmlDeviceGetRunningProcessDetailList" };
    nvp_init();
    nvmlDeviceGetHandleByIndex(0, &device);
    if (nvmlDeviceGetPowerUsage(device, &power_mw) == NVML_SUCCESS) {
        CHECK(power_mw > 0);
    }
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        nvp_query(functions[i], NVP_ARGS(nvp_arg_handle(device)), NULL, &value);
        CHECK(value.kind != NVP_KIND_NA || value.reason != NVP_REASON_NONE);
        nvp_value_at(&value, 0, &item);
        nvp_value_clear(&item);
        nvp_value_clear(&value);
    }
    nvp_query_fields(device, fields, 2);
    nvp_query("nvmlNoSuchFunction", NULL, 0, NULL, &value);
    nvp_shutdown();
}

/* A child lives with the failure, then without: it must have recovered. True when an allocation has failed in it. */
static bool round_of(void (*prepare)(size_t), size_t number)
{
    pid_t child = fork();
    if (child == 0) {
        alarm(ROUND_LIMIT_S);
        setenv("NVPULSE_RETRY_MS", "0", 1);
        nvp_log_set(NVP_LOG_OFF, NULL, NULL);
        prepare(number);
        live();
        bool failed = atomic_load(&allocation_failed);
        atomic_store(&allocations_left, -1);
        if (missing_symbol == NULL) {
            if (nvp_symbol("nvpsim_clear_faults") != NULL) {
                control_clear_faults();
            }
            query_ok(first_device());
        }
        exit(failed ? 10 : 0);
    }
    int code = await_child(child);
    if (code != 0 && code != 10) {
        fprintf(stderr, "round %zu ended with %d\n", number, code);
        _exit(1);
    }
    return code == 10;
}

static void fail_allocation(size_t number)
{
    atomic_store(&allocations_left, (long)number);
}

static void every_allocation_fails_in_turn(void)
{
    size_t number = 0;
    while (round_of(fail_allocation, number)) {
        number++;
    }
    CHECK(number > 10); /* so many were made and have failed, each in a round of its own */
}

static void lose_symbol(size_t number)
{
    missing_symbol = nvp_function_at(number)->name;
}

static void every_symbol_is_missing_in_turn(void)
{
    for (size_t i = 0; i < nvp_function_count(); i++) {
        round_of(lose_symbol, i);
    }
}

static void fail_call(size_t number)
{
    CHECK(nvp_driver_find() == NVP_SUCCESS);
    control_add_fault(&(nvpsim_fault){
        .struct_size = sizeof(nvpsim_fault), .device = -1, .error = NVML_ERROR_UNKNOWN, .after_calls = number, .times = 1 });
}

static void every_driver_call_fails_in_turn(void)
{
    for (size_t i = 0; i < 40; i++) {
        round_of(fail_call, i);
    }
}

const struct test_case test_cases[] = {
    { "every_allocation_fails_in_turn", every_allocation_fails_in_turn },
    { "every_symbol_is_missing_in_turn", every_symbol_is_missing_in_turn },
    { "every_driver_call_fails_in_turn", every_driver_call_fails_in_turn },
};
const size_t test_case_count = sizeof(test_cases) / sizeof(test_cases[0]);
