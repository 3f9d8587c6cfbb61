/*
 * Every allocation, every symbol look-up and every driver call made to fail in turn, through opening, queries and shutdown.
 * This program's malloc and dlsym stand before the library's. Each round is a process of its own.
 */
#include "cases.h"
#include "life.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define ROUND_LIMIT_S 30
#define HIT 10 /* the exit code that says so */

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
static atomic_bool was_hit;               /* the failure of this round has happened */
static const char *missing_symbol;
static uintptr_t ours_first, ours_end; /* the code of libnvpulse; when set, only its own allocations fail */

/* `caller`: where the allocation is asked for. */
static bool fails_now(const void *caller)
{
    bool is_ours = ours_end == 0 || ((uintptr_t)caller >= ours_first && (uintptr_t)caller < ours_end);
    if (!is_ours || atomic_load(&allocations_left) < 0 || atomic_fetch_sub(&allocations_left, 1) > 0) {
        return false;
    }
    atomic_store(&was_hit, true);
    return true;
}

void *malloc(size_t size)
{
    return fails_now(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails_now(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return fails_now(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails_now(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
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

static uint64_t calls_allowed = UINT64_MAX; /* of the driver, before one fails */

static uint64_t calls_made(void)
{
    return nvp_symbol("nvpsim_call_count") != NULL ? control_calls(NULL) : 0;
}

static void check_recovered(void)
{
    unsigned int power_mw = 0;
    nvmlReturn_t status = nvmlDeviceGetPowerUsage(first_device(), &power_mw);
    CHECK(status == NVML_ERROR_FUNCTION_NOT_FOUND || (status == NVML_SUCCESS && power_mw > 0)); /* not all drivers tell it */
}

/* A child lives with the failure, then without: it must have recovered. True when the failure has happened in it. */
static bool round_of(void (*prepare)(size_t), size_t number)
{
    pid_t child = fork();
    if (child == 0) {
        alarm(ROUND_LIMIT_S);
        setenv("NVPULSE_RETRY_MS", "0", 1);
        nvp_log_set(NVP_LOG_OFF, NULL, NULL);
        prepare(number);
        life_live();
        bool hit = atomic_load(&was_hit) || calls_made() > calls_allowed;
        atomic_store(&allocations_left, -1);
        if (missing_symbol == NULL) {
            if (nvp_symbol("nvpsim_clear_faults") != NULL) {
                control_clear_faults();
            }
            check_recovered();
        }
        exit(hit ? HIT : 0);
    }
    int code = await_child(child);
    if (code != 0 && code != HIT) {
        fprintf(stderr, "round %zu ended with %d\n", number, code);
        _exit(1);
    }
    return code == HIT;
}

static void fail_allocation(size_t number)
{
    atomic_store(&allocations_left, (long)number);
}

static size_t fail_allocations(void)
{
    size_t number = 0;
    while (round_of(fail_allocation, number)) {
        number++;
    }
    return number; /* so many were made and have failed, each in a round of its own */
}

static void every_allocation_fails_in_turn(void)
{
    size_t failed = fail_allocations();
    printf("%zu allocations\n", failed);
    CHECK(failed > 10);
}

static int find_ours(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    for (size_t i = 0; strstr(info->dlpi_name, "libnvpulse.so") != NULL && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X) != 0) {
            ours_first = info->dlpi_addr + segment->p_vaddr;
            ours_end = ours_first + segment->p_memsz;
        }
    }
    return 0;
}

/* On any driver, which may allocate as it likes. */
static void every_allocation_of_ours_fails_in_turn(void)
{
    dl_iterate_phdr(find_ours, NULL);
    CHECK(ours_end > ours_first);
    size_t failed = fail_allocations();
    printf("%zu allocations\n", failed);
    CHECK(failed > 100);
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

static void fail_call_with(size_t number, int error)
{
    CHECK(nvp_driver_find() == NVP_SUCCESS);
    calls_allowed = number;
    control_add_fault(
        &(nvpsim_fault){ .struct_size = sizeof(nvpsim_fault), .device = -1, .error = error, .after_calls = number, .times = 1 });
}

static void fail_call(size_t number)
{
    fail_call_with(number, NVML_ERROR_NO_PERMISSION);
}

static void fail_session(size_t number)
{
    fail_call_with(number, NVML_ERROR_UNINITIALIZED);
}

static void fail_calls(void (*prepare)(size_t))
{
    size_t number = 0;
    while (round_of(prepare, number)) {
        number++;
    }
    printf("%zu calls of the driver\n", number);
    CHECK(number > 100);
}

static void every_driver_call_fails_in_turn(void)
{
    fail_calls(fail_call);
}

static void every_driver_call_ends_the_session_in_turn(void)
{
    fail_calls(fail_session);
}

const struct test_case test_cases[] = {
    { "every_allocation_fails_in_turn", every_allocation_fails_in_turn },
    { "every_allocation_of_ours_fails_in_turn", every_allocation_of_ours_fails_in_turn },
    { "every_symbol_is_missing_in_turn", every_symbol_is_missing_in_turn },
    { "every_driver_call_fails_in_turn", every_driver_call_fails_in_turn },
    { "every_driver_call_ends_the_session_in_turn", every_driver_call_ends_the_session_in_turn },
};
const size_t test_case_count = sizeof(test_cases) / sizeof(test_cases[0]);
