/*
 * The driver's side of processes on a driver that tells junk, old samples, too many of them, or none.
 */
#include "check.h"
#include "usage_driver.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <nvpulse/nvpulse.h>

#include "base/clock.h"
#include "model/processes.h"

#define NONE NVP__NO_INSTANCE
#define NA UINT32_MAX
#define SECOND UINT64_C(1000000)

static struct nvp__gpu_processes processes;
static nvmlDevice_t device;
static struct usage usage;

static void tell(void)
{
    usage_set_fn *set;
    void *symbol = nvp_symbol("usage_set");
    assert_non_null(symbol);
    memcpy(&set, &symbol, sizeof set);
    set(&usage);
}

static struct usage_calls take_calls(void)
{
    usage_take_calls_fn *take;
    void *symbol = nvp_symbol("usage_take_calls");
    assert_non_null(symbol);
    memcpy(&take, &symbol, sizeof take);
    return take();
}

static int begin(void **state)
{
    static const struct usage_process two[] = { { 20, NONE, NONE, 5 << 20 }, { 10, NONE, NONE, 3 << 20 } };
    (void)state;
    usage = (struct usage){ .compute = two, .compute_count = 2 };
    tell();
    take_calls();
    return nvp_nvmlDeviceGetHandleByIndex_v2(0, &device) != NVML_SUCCESS;
}

/* The next test finds another generation, so that nothing counts as unsupported. */
static int end(void **state)
{
    (void)state;
    nvp__gpu_processes_free(&processes);
    return nvp_shutdown() != NVP_SUCCESS;
}

static nvp_status look(void)
{
    tell();
    return nvp__gpu_processes_read(&processes, device);
}

static void look_with(const struct usage_sample *samples, unsigned int count)
{
    usage.samples = samples;
    usage.sample_count = count;
    assert_status(look(), NVP_SUCCESS);
    assert_int_equal(processes.count, usage.compute_count);
}

static void assert_load(size_t place, enum nvp__load load, uint64_t expected)
{
    const nvp_reading *reading = &processes.list[place].load[load];
    assert_int_equal(reading->kind, NVP_KIND_UINT);
    assert_int_equal(reading->as.uint_value, expected);
}

static void assert_no_loads(size_t place, nvp_status why)
{
    for (size_t i = 0; i < NVP__LOAD_COUNT; i++) {
        assert_int_equal(processes.list[place].load[i].kind, NVP_KIND_NA);
        assert_status(processes.list[place].load[i].status, why);
    }
}

/* As if so much time had passed since the last look. */
static void let_pass(int64_t ns)
{
    processes.news_at_ns -= ns;
    processes.looked_back_ns -= processes.looked_back_ns != 0 ? ns : 0;
}

static void test_gpu__impossible_pids_are_dropped(void **state)
{
    static const struct usage_process rows[] = {
        { 0, NONE, NONE, 1 },           { 30, NONE, NONE, 1 },          { UINT32_MAX, NONE, NONE, 1 },
        { 0x80000000u, NONE, NONE, 1 }, { 20, NONE, NONE, UINT64_MAX },
    };
    (void)state;
    assert_status(look(), NVP_SUCCESS); /* proves the size of the records: from now on they come as the driver writes them */
    usage.compute = rows;
    usage.compute_count = 5;
    assert_status(look(), NVP_SUCCESS);
    assert_int_equal(processes.count, 2);
    assert_int_equal(processes.list[0].pid, 20);
    assert_reason(processes.list[0].memory, NVP_REASON_SENTINEL);
    assert_int_equal(processes.list[1].pid, 30);
}

static void test_gpu__merged_by_pid_and_instances(void **state)
{
    static const struct usage_process compute[] = {
        { 7, 2, 1, 100 }, { 7, 2, 0, 50 }, { 9, 1, 0, 10 }, { 5, NONE, NONE, UINT64_MAX }, { 7, 1, 0, 1 }, { 9, 1, 0, 30 },
    };
    static const struct usage_process graphics[] = { { 5, NONE, NONE, 40 }, { 7, 2, 1, 90 }, { 6, NONE, NONE, UINT64_MAX } };
    static const struct {
        unsigned int pid, gpu_instance, compute_instance, type;
        uint64_t memory; /* 0: N/A */
    } expected[] = {
        { 7, 1, 0, NVP_PROCESS_TYPE_COMPUTE, 1 },
        { 9, 1, 0, NVP_PROCESS_TYPE_COMPUTE, 30 },
        { 7, 2, 0, NVP_PROCESS_TYPE_COMPUTE, 50 },
        { 7, 2, 1, NVP_PROCESS_TYPE_COMPUTE | NVP_PROCESS_TYPE_GRAPHICS, 100 },
        { 5, NONE, NONE, NVP_PROCESS_TYPE_COMPUTE | NVP_PROCESS_TYPE_GRAPHICS, 40 },
        { 6, NONE, NONE, NVP_PROCESS_TYPE_GRAPHICS, 0 },
    };
    (void)state;
    usage.compute = compute;
    usage.compute_count = 6;
    usage.graphics = graphics;
    usage.graphics_count = 3;
    assert_status(look(), NVP_SUCCESS);
    assert_int_equal(processes.count, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(processes.list[i].pid, expected[i].pid);
        assert_int_equal(processes.list[i].gpu_instance, expected[i].gpu_instance);
        assert_int_equal(processes.list[i].compute_instance, expected[i].compute_instance);
        assert_int_equal(processes.list[i].type, expected[i].type);
        assert_int_equal(nvp_reading_uint(&processes.list[i].memory, 0), expected[i].memory);
    }
}

static void test_gpu__junk_samples_are_dropped(void **state)
{
    static const struct usage_sample samples[] = {
        { 99, 9 * SECOND, 50, 0, 0, 0, 0, 0 },     /* nobody's */
        { 10, 8 * SECOND, 37100, 0, 0, 0, 0, 0 },  /* the newest one of that process, and impossible */
        { 10, 7 * SECOND, 0, 0, 0, 101, 0, 0 },    /* likewise */
        { 10, 6 * SECOND, 60, 30, 5, NA, 1, 100 }, /* the one that counts */
        { 10, 5 * SECOND, 20, 10, 0, 0, 0, 0 },    /* older */
        { 20, 4 * SECOND, 0, 0, 0, 0, 255, 0 },
    };
    (void)state;
    look_with(samples, 6);
    assert_load(0, NVP__LOAD_SM, 60);
    assert_load(0, NVP__LOAD_MEMORY, 30);
    assert_load(0, NVP__LOAD_ENCODER, 5);
    assert_reason(processes.list[0].load[NVP__LOAD_DECODER], NVP_REASON_SENTINEL);
    assert_load(0, NVP__LOAD_JPEG, 1);
    assert_load(0, NVP__LOAD_OFA, 100);
    assert_load(1, NVP__LOAD_SM, 0); /* no sample of its own that counts: it was idle */
    assert_load(1, NVP__LOAD_JPEG, 0);
    assert_int_equal(processes.last_sample_us, 6 * SECOND); /* what was dropped does not hide what comes */
}

static void test_gpu__only_newer_samples_count(void **state)
{
    static const struct usage_sample first[] = { { 10, 5 * SECOND, 40, 0, 0, 0, 0, 0 }, { 20, 5 * SECOND, 41, 0, 0, 0, 0, 0 } };
    static const struct usage_sample second[] = { { 10, 5 * SECOND, 77, 0, 0, 0, 0, 0 }, { 20, 6 * SECOND, 50, 0, 0, 0, 0, 0 } };
    (void)state;
    look_with(first, 2);
    assert_int_equal(take_calls().since_us, 0);
    look_with(second, 2); /* this driver tells older ones all the same */
    assert_int_equal(take_calls().since_us, 5 * SECOND);
    assert_load(0, NVP__LOAD_SM, 0);
    assert_load(1, NVP__LOAD_SM, 50);
    look_with(second, 2);
    assert_int_equal(take_calls().since_us, 6 * SECOND);
}

static void test_gpu__without_news_the_last_load_stays_for_a_while(void **state)
{
    static const struct usage_sample first[] = { { 10, 5 * SECOND, 40, 0, 0, 0, 0, 0 } };
    (void)state;
    look_with(first, 1);
    int64_t read_at_us = processes.list[0].load[NVP__LOAD_SM].read_at_us;
    assert_true(read_at_us > 0);
    look_with(first, 1);
    assert_load(0, NVP__LOAD_SM, 40);
    usage.info_answer = NVML_ERROR_NOT_FOUND;
    look_with(NULL, 0);
    assert_load(0, NVP__LOAD_SM, 40);
    assert_int_equal(processes.list[0].load[NVP__LOAD_SM].read_at_us, read_at_us); /* its age can be seen */
    let_pass(3 * NVP__NS_PER_S);
    look_with(NULL, 0);
    assert_load(0, NVP__LOAD_SM, 0); /* a process that is busy would have been told by now */
}

static void test_gpu__no_sample_at_first_is_not_idle(void **state)
{
    (void)state;
    usage.info_answer = NVML_ERROR_NOT_FOUND;
    look_with(NULL, 0);
    assert_no_loads(0, NVP_ERROR_NO_DATA);
    look_with(NULL, 0);
    assert_no_loads(1, NVP_ERROR_NO_DATA);
    let_pass(3 * NVP__NS_PER_S);
    look_with(NULL, 0);
    assert_load(0, NVP__LOAD_SM, 0);
}

static void test_gpu__process_that_came_between_samples_has_no_load_yet(void **state)
{
    static const struct usage_sample first[] = { { 10, 5 * SECOND, 40, 0, 0, 0, 0, 0 } };
    static const struct usage_process more[] = { { 10, NONE, NONE, 1 }, { 15, NONE, NONE, 1 }, { 20, NONE, NONE, 1 } };
    (void)state;
    look_with(first, 1);
    usage.compute = more;
    usage.compute_count = 3;
    look_with(first, 1);
    assert_load(0, NVP__LOAD_SM, 40);
    assert_no_loads(1, NVP_ERROR_NO_DATA);
    assert_load(2, NVP__LOAD_SM, 0);
}

static void test_gpu__clock_that_was_set_back_is_noticed(void **state)
{
    static const struct usage_sample first[] = { { 10, 5000 * SECOND, 40, 0, 0, 0, 0, 0 } };
    static const struct usage_sample back[] = { { 10, 100 * SECOND, 50, 0, 0, 0, 0, 0 } };
    static const struct usage_sample later[] = { { 10, 101 * SECOND, 60, 0, 0, 0, 0, 0 } };
    (void)state;
    look_with(first, 1);
    look_with(back, 1);
    assert_load(0, NVP__LOAD_SM, 40);
    let_pass(11 * NVP__NS_PER_S);
    take_calls();
    look_with(back, 1); /* may be old: it only tells what time it is there */
    assert_int_equal(take_calls().since_us, 0);
    assert_load(0, NVP__LOAD_SM, 0);
    look_with(later, 1);
    assert_int_equal(take_calls().since_us, 100 * SECOND);
    assert_load(0, NVP__LOAD_SM, 60);
}

static void test_gpu__idle_device_is_not_looked_back_at_all_the_time(void **state)
{
    static const struct usage_sample first[] = { { 10, 5 * SECOND, 40, 0, 0, 0, 0, 0 } };
    (void)state;
    look_with(first, 1);
    let_pass(11 * NVP__NS_PER_S);
    look_with(first, 1);
    assert_load(0, NVP__LOAD_SM, 0); /* what was told before is no news */
    take_calls();
    look_with(first, 1);
    assert_int_equal(take_calls().since_us, 5 * SECOND);
    let_pass(11 * NVP__NS_PER_S);
    look_with(first, 1);
    assert_int_equal(take_calls().since_us, 0);
}

static void test_gpu__lists_and_samples_that_grow(void **state)
{
    static struct usage_process many[5000];
    static struct usage_sample samples[5000];
    (void)state;
    for (unsigned int i = 0; i < 5000; i++) {
        many[i] = (struct usage_process){ 5000 - i, NONE, NONE, i };
        samples[i] = (struct usage_sample){ 1 + i, 5 * SECOND, i % 101, 0, 0, 0, 0, 0 };
    }
    usage.compute = many;
    usage.compute_count = 5000;
    for (int silently = 0; silently < 2; silently++) {
        usage.counts_silently = silently != 0;
        nvp__gpu_processes_free(&processes);
        look_with(samples, 5000);
        for (unsigned int i = 0; i < 5000; i++) {
            assert_int_equal(processes.list[i].pid, 1 + i);
            assert_load(i, NVP__LOAD_SM, i % 101);
        }
        take_calls();
        look_with(samples, 5000); /* the room is remembered */
        struct usage_calls calls = take_calls();
        assert_int_equal(calls.lists, 2);
        assert_int_equal(calls.info, 1);
    }
}

/* A short list is asked for with little room: one that grows is whole all the same, and asks once more only once. */
static void test_gpu__short_list_that_grows(void **state)
{
    static struct usage_process many[40];
    (void)state;
    assert_status(look(), NVP_SUCCESS);
    assert_status(look(), NVP_SUCCESS);
    for (unsigned int i = 0; i < 40; i++) {
        many[i] = (struct usage_process){ 100 + i, NONE, NONE, i };
    }
    usage.compute = many;
    usage.compute_count = 40;
    take_calls();
    assert_status(look(), NVP_SUCCESS);
    assert_int_equal(processes.count, 40);
    assert_int_equal(processes.list[39].pid, 139);
    assert_int_equal(take_calls().lists, 3);
    usage.compute_count = 2;
    assert_status(look(), NVP_SUCCESS);
    usage.compute_count = 40;
    take_calls();
    assert_status(look(), NVP_SUCCESS);
    assert_int_equal(processes.count, 40);
    assert_int_equal(take_calls().lists, 2);
}

static void test_gpu__endless_growth_ends_with_an_error(void **state)
{
    (void)state;
    usage.ever_larger = true;
    assert_status(look(), NVML_ERROR_INSUFFICIENT_SIZE);
    assert_int_equal(processes.count, 0);
    assert_true(take_calls().lists < 40);
    usage.ever_larger = false;
    assert_status(look(), NVP_SUCCESS);
    assert_int_equal(processes.count, 2);
}

static void test_gpu__counts_beyond_the_room_are_not_believed(void **state)
{
    static const struct usage_sample first[] = { { 10, 5 * SECOND, 40, 0, 0, 0, 0, 0 }, { 20, 5 * SECOND, 40, 0, 0, 0, 0, 0 } };
    (void)state;
    usage.surplus = 100000;
    usage.samples = first;
    usage.sample_count = 2;
    look(); /* behind the two is nothing, not what an earlier list has left there */
    assert_int_equal(processes.count, 2);
}

static void test_gpu__refused_loads_are_asked_for_otherwise_then_no_more(void **state)
{
    static const struct usage_sample first[] = { { 10, 5 * SECOND, 40, 3, 2, 1, 9, 9 }, { 20, 5 * SECOND, 41, 0, 0, 0, 9, 9 } };
    (void)state;
    usage.info_answer = NVML_ERROR_NOT_SUPPORTED;
    look_with(first, 2);
    assert_load(0, NVP__LOAD_SM, 40);
    assert_load(0, NVP__LOAD_DECODER, 1);
    assert_load(1, NVP__LOAD_SM, 41);
    assert_status(processes.list[0].load[NVP__LOAD_JPEG].status, NVML_ERROR_FUNCTION_NOT_FOUND);
    look_with(first, 2);
    struct usage_calls calls = take_calls();
    assert_int_equal(calls.info, 1);
    assert_int_equal(calls.plain, 2);
    usage.plain_answer = NVML_ERROR_NOT_SUPPORTED;
    for (int i = 0; i < 2; i++) {
        look_with(first, 2);
        assert_no_loads(0, NVML_ERROR_NOT_SUPPORTED);
        assert_no_loads(1, NVML_ERROR_NOT_SUPPORTED);
    }
    calls = take_calls();
    assert_int_equal(calls.info, 0);
    assert_int_equal(calls.plain, 1);
}

static void test_gpu__failing_loads_are_na_and_come_back(void **state)
{
    static const struct usage_sample first[] = { { 10, 5 * SECOND, 40, 0, 0, 0, 0, 0 } };
    (void)state;
    look_with(first, 1);
    usage.info_answer = NVML_ERROR_NO_PERMISSION;
    look_with(first, 1);
    assert_no_loads(0, NVML_ERROR_NO_PERMISSION);
    assert_no_loads(1, NVML_ERROR_NO_PERMISSION);
    static const struct usage_sample second[] = { { 10, 6 * SECOND, 50, 0, 0, 0, 0, 0 } };
    usage.info_answer = 0;
    look_with(second, 1);
    assert_load(0, NVP__LOAD_SM, 50);
}

static void test_gpu__without_processes_no_loads_are_asked_for(void **state)
{
    (void)state;
    usage.compute_count = 0;
    look_with(NULL, 0);
    struct usage_calls calls = take_calls();
    assert_int_equal(calls.lists, 2);
    assert_int_equal(calls.info + calls.plain, 0);
}

static int64_t best_of_looks(unsigned int count)
{
    int64_t best = INT64_MAX;
    usage.compute_count = usage.graphics_count = usage.sample_count = count;
    for (int i = 0; i < 7; i++) {
        struct timespec from, to;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
        assert_status(look(), NVP_SUCCESS);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
        int64_t ns = nvp__timespec_ns(&to) - nvp__timespec_ns(&from);
        best = i > 1 && ns < best ? ns : best; /* the first ones make room */
    }
    assert_int_equal(processes.count, count);
    return best;
}

/* Ten times as many take some twelve times as long; a hundred times as long would be quadratic. */
static void test_gpu__grows_linearly_with_processes(void **state)
{
    enum { FEW = 2000, MANY = 20000 };
    static struct usage_process many[MANY];
    static struct usage_sample samples[MANY];
    (void)state;
    for (unsigned int i = 0; i < MANY; i++) {
        unsigned int pid = 1 + i * 7919u % MANY; /* a prime: each once, in no order */
        many[i] = (struct usage_process){ pid, NONE, NONE, i };
        samples[i] = (struct usage_sample){ pid, 5 * SECOND, 1, 0, 0, 0, 0, 0 };
    }
    usage.compute = usage.graphics = many;
    usage.samples = samples;
    for (unsigned int i = 0; i < FEW; i++) {
        many[i].pid = samples[i].pid = 1 + i;
    }
    int64_t few = best_of_looks(FEW);
    for (unsigned int i = 0; i < FEW; i++) {
        many[i].pid = samples[i].pid = 1 + i * 7919u % MANY;
    }
    int64_t much = best_of_looks(MANY);
    assert_true(much < few * 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_gpu__impossible_pids_are_dropped, begin, end),
        cmocka_unit_test_setup_teardown(test_gpu__merged_by_pid_and_instances, begin, end),
        cmocka_unit_test_setup_teardown(test_gpu__junk_samples_are_dropped, begin, end),
        cmocka_unit_test_setup_teardown(test_gpu__only_newer_samples_count, begin, end),
        cmocka_unit_test_setup_teardown(test_gpu__without_news_the_last_load_stays_for_a_while, begin, end),
        cmocka_unit_test_setup_teardown(test_gpu__no_sample_at_first_is_not_idle, begin, end),
        cmocka_unit_test_setup_teardown(test_gpu__process_that_came_between_samples_has_no_load_yet, begin, end),
        cmocka_unit_test_setup_teardown(test_gpu__clock_that_was_set_back_is_noticed, begin, end),
        cmocka_unit_test_setup_teardown(test_gpu__idle_device_is_not_looked_back_at_all_the_time, begin, end),
        cmocka_unit_test_setup_teardown(test_gpu__lists_and_samples_that_grow, begin, end),
        cmocka_unit_test_setup_teardown(test_gpu__short_list_that_grows, begin, end),
        cmocka_unit_test_setup_teardown(test_gpu__endless_growth_ends_with_an_error, begin, end),
        cmocka_unit_test_setup_teardown(test_gpu__counts_beyond_the_room_are_not_believed, begin, end),
        cmocka_unit_test_setup_teardown(test_gpu__refused_loads_are_asked_for_otherwise_then_no_more, begin, end),
        cmocka_unit_test_setup_teardown(test_gpu__failing_loads_are_na_and_come_back, begin, end),
        cmocka_unit_test_setup_teardown(test_gpu__without_processes_no_loads_are_asked_for, begin, end),
        cmocka_unit_test_setup_teardown(test_gpu__grows_linearly_with_processes, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
