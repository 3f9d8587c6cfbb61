/*
 * Every allocation of the library made to fail in turn, while processes are read from the driver and from /proc: nothing breaks, what is told
 * is told truly, and the next look is whole again. The program is linked so that the library's allocations come here.
 */
#include "check.h"
#include "tree.h"
#include "usage_driver.h"

#include <stdlib.h>
#include <string.h>

#include <nvpulse/nvpulse.h>
#include <nvpulse/snapshot.h>

#include "model/processes.h"

enum { PROCESSES = 150 };

static long left = -1; /* allocations until one fails; negative: none does */

static bool fails(void)
{
    return left >= 0 && left-- == 0;
}

extern void *__real_malloc(size_t size);
extern void *__real_calloc(size_t count, size_t size);
extern void *__real_realloc(void *memory, size_t size);
extern void *__real_reallocarray(void *memory, size_t count, size_t size);
extern void *__wrap_malloc(size_t size);
extern void *__wrap_calloc(size_t count, size_t size);
extern void *__wrap_realloc(void *memory, size_t size);
extern void *__wrap_reallocarray(void *memory, size_t count, size_t size);

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return fails() ? NULL : __real_realloc(memory, size);
}

void *__wrap_reallocarray(void *memory, size_t count, size_t size)
{
    return fails() ? NULL : __real_reallocarray(memory, count, size);
}

static nvmlDevice_t device;

static void tell_driver(void)
{
    static struct usage_process list[PROCESSES];
    static struct usage_sample samples[PROCESSES];
    for (unsigned int i = 0; i < PROCESSES; i++) {
        list[i] = (struct usage_process){ 4200000 + i, NVP__NO_INSTANCE, NVP__NO_INSTANCE, i };
        samples[i] = (struct usage_sample){ 4200000 + i, 1, 7, 0, 0, 0, 0, 0 };
    }
    const struct usage usage = { .compute = list,
                                 .compute_count = PROCESSES,
                                 .graphics = list,
                                 .graphics_count = PROCESSES / 2,
                                 .samples = samples,
                                 .sample_count = PROCESSES };
    void *symbol = nvp_symbol("usage_set");
    usage_set_fn *set;
    assert_non_null(symbol);
    memcpy(&set, &symbol, sizeof set);
    set(&usage);
}

static void test_memory__driver_side(void **state)
{
    long tried = 0;
    (void)state;
    tell_driver();
    for (bool failed = true; failed; tried++) {
        struct nvp__gpu_processes processes = { 0 };
        left = tried;
        nvp_status status = nvp__gpu_processes_read(&processes, device);
        failed = left < 0;
        left = -1;
        assert_int_equal(processes.status, status);
        assert_true(status == NVP_SUCCESS || status == NVP_ERROR_NO_MEMORY);
        assert_true(processes.count == 0 || processes.count == PROCESSES || status != NVP_SUCCESS);
        for (size_t i = 0; i < processes.count; i++) {
            assert_int_equal(processes.list[i].pid, 4200000 + i);
            const nvp_reading *load = &processes.list[i].load[NVP__LOAD_SM];
            assert_true(load->kind == NVP_KIND_UINT ? load->as.uint_value == 7 : load->reason == NVP_REASON_NO_MEMORY);
        }
        assert_status(nvp__gpu_processes_read(&processes, device), NVP_SUCCESS);
        assert_int_equal(processes.count, PROCESSES);
        assert_int_equal(nvp_reading_uint(&processes.list[PROCESSES - 1].load[NVP__LOAD_SM], 0), 7);
        nvp__gpu_processes_free(&processes);
    }
    assert_in_range(tried, 6, 200); /* lists, rows, samples have been among them */
}

static void assert_fields(const nvp_reading *fields, bool whole)
{
    assert_true(fields[NVP_PROCESS_FOREIGN].as.uint_value == 0 || !whole);
    for (int i = NVP_PROCESS_NAME; i < NVP_PROCESS_RUNNING_TIME_S; i++) {
        const nvp_process_field_info *info = nvp_process_field_get((nvp_process_field)i);
        bool has = fields[i].kind == info->kind;
        assert_true(has || fields[i].kind == NVP_KIND_NA);
        assert_true(has || !whole || i == NVP_PROCESS_CPU_PERCENT);
    }
}

static void look(struct nvp__host *host, bool whole)
{
    static nvp_reading machine[NVP_HOST_FIELD_COUNT], fields[NVP_PROCESS_FIELD_COUNT];
    struct nvp__arena arena = { 0 };
    nvp__host_begin(host, false, &arena, machine);
    for (unsigned int pid = 1; pid <= PROCESSES; pid++) {
        nvp__host_process(host, pid, "named by the driver", &arena, fields);
        assert_fields(fields, whole);
    }
    nvp__host_end(host);
    nvp__arena_clear(&arena);
}

static void test_memory__host_side(void **state)
{
    long tried = 0;
    (void)state;
    for (bool failed = true; failed; tried++) {
        left = tried;
        struct nvp__host *host = nvp__host_new();
        assert_true(host != NULL || tried == 0);
        if (host != NULL) {
            look(host, false);
            failed = left < 0;
            left = -1;
            look(host, true);
        }
        left = -1;
        nvp__host_free(host);
    }
    assert_in_range(tried, 10, 5000);
}

static int begin(void **state)
{
    (void)state;
    tree_machine(1000, 1, 1);
    tree_namespace(true);
    for (unsigned int pid = 1; pid <= PROCESSES; pid++) {
        tree_process(&(struct tree_process){ .pid = pid, .uid = 4000000 + pid / 20, .program = "x", .command = "/bin/x" });
    }
    return nvp_nvmlDeviceGetHandleByIndex_v2(0, &device) != NVML_SUCCESS;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory__driver_side),
        cmocka_unit_test(test_memory__host_side),
    };
    if (!tree_begin()) {
        return 1;
    }
    return cmocka_run_group_tests(tests, begin, tree_end);
}
