/*
 * Process lists of drivers whose records are not what the name of the call says. TEST_RECORDS: "VERSION SIZE MANNER": what is called,
 * and how it writes. One program for each, since what was proved is remembered.
 */
#include "compare.h"

#include "records_driver.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { IDLE, ONE, THREE, MANY, IMPOSSIBLE, GROWING, PROCESSES = 10000 };

typedef nvmlReturn_t list_fn(nvmlDevice_t device, unsigned int *count, void *infos);

static unsigned int version; /* of the call */
static unsigned int size;    /* of a record */
static int manner;
static bool expected_by_header; /* that size is what the driver's header says */

static list_fn *called(void)
{
    return (list_fn *)(version == 2 ? (any_fn *)nvp_nvmlDeviceGetComputeRunningProcesses_v2
                                    : (any_fn *)nvp_nvmlDeviceGetComputeRunningProcesses_v3);
}

static const char *called_name(void)
{
    return version == 2 ? "nvmlDeviceGetComputeRunningProcesses_v2" : "nvmlDeviceGetComputeRunningProcesses_v3";
}

static bool is_direct(void)
{
    nvmlProcessInfo_t infos[4];
    unsigned int count = 4;
    assert_int_equal(called()(device_at(IDLE), &count, infos), NVML_SUCCESS);
    return ((const void *(*)(void))whole_function("records_last_buffer"))() == (const void *)infos;
}

static bool is_different(void)
{
    return is_served_by(called_name(), called_name());
}

/* What process `index` of a device has to look like in 24 bytes, if its record has `from` bytes. */
static void assert_process(const nvmlProcessInfo_t *info, unsigned int index, size_t from)
{
    bool has_instances = index % 2 != 0 && from >= 24 && !(from == 24 && manner == RECORDS_WITHOUT_TAIL);
    assert_int_equal(info->pid, 100 + index);
    assert_true(info->usedGpuMemory == (index == 1 ? ~0ull : (index + 1) * (5ull << 30)));
    assert_int_equal(info->gpuInstanceId, has_instances ? index : 0xffffffffu);
    assert_int_equal(info->computeInstanceId, has_instances ? 0 : 0xffffffffu);
}

static void assert_list(unsigned int device, unsigned int processes)
{
    static nvmlProcessInfo_t infos[PROCESSES + 2];
    unsigned int count = 0;
    memset(infos, FILL, sizeof(infos));
    assert_int_equal(called()(device_at(device), &count, NULL), NVML_ERROR_INSUFFICIENT_SIZE);
    assert_int_equal(count, processes);
    count = processes - 1;
    assert_int_equal(called()(device_at(device), &count, infos), NVML_ERROR_INSUFFICIENT_SIZE);
    assert_int_equal(count, processes);
    for (unsigned int room = processes; room <= processes + 1; room++) {
        count = room;
        assert_int_equal(called()(device_at(device), &count, infos), NVML_SUCCESS);
        assert_int_equal(count, processes);
        for (unsigned int i = 0; i < count; i++) {
            assert_process(&infos[i], i, size);
        }
        if (manner != RECORDS_CLEARED_FIRST) { /* the driver's own way, once it is called directly */
            ASSERT_UNTOUCHED(&infos[processes], sizeof(infos[0]));
        }
    }
}

static void test_processes__idle_device_proves_nothing(void **state)
{
    unsigned int count = 8;
    nvmlProcessInfo_t infos[8];
    (void)state;
    assert_int_equal(called()(device_at(IDLE), &count, infos), NVML_SUCCESS);
    assert_int_equal(count, 0);
    count = 0;
    assert_int_equal(called()(device_at(IDLE), &count, NULL), NVML_SUCCESS);
    assert_false(is_direct());
    assert_false(is_different());
}

static void test_processes__impossible_rows_are_dropped(void **state)
{
    nvmlProcessInfo_t infos[8];
    unsigned int count = 8;
    (void)state;
    memset(infos, FILL, sizeof(infos));
    assert_int_equal(called()(device_at(IMPOSSIBLE), &count, infos), NVML_SUCCESS);
    assert_int_equal(count, 3);
    assert_true(infos[0].pid == 100 && infos[1].pid == 101 && infos[2].pid == 102);
    assert_true(infos[1].usedGpuMemory == 4 * (5ull << 30));
    ASSERT_UNTOUCHED(&infos[3], sizeof(infos[0]));
    assert_false(is_direct());
}

static void test_processes__one_process(void **state)
{
    (void)state;
    assert_list(ONE, 1);
    bool proved = expected_by_header && manner != RECORDS_WITHOUT_TAIL;
    assert_int_equal(is_direct(), proved && size == sizeof(nvmlProcessInfo_t));
    assert_int_equal(is_different(), proved && size != sizeof(nvmlProcessInfo_t));
}

static void test_processes__several_processes_prove_the_size(void **state)
{
    bool proved = manner != RECORDS_WITHOUT_TAIL;
    (void)state;
    assert_list(THREE, 3);
    assert_int_equal(is_direct(), proved && size == sizeof(nvmlProcessInfo_t));
    assert_int_equal(is_different(), proved && size != sizeof(nvmlProcessInfo_t));
    assert_list(ONE, 1);
}

static void test_processes__ten_thousand(void **state)
{
    (void)state;
    assert_list(MANY, PROCESSES);
}

static void test_processes__announced_room_is_not_taken_at_its_word(void **state)
{
    static nvmlProcessInfo_t infos[PROCESSES];
    unsigned int count = 0xffffffffu;
    (void)state;
    if (is_direct()) {
        skip(); /* the driver's affair */
    }
    assert_int_equal(called()(device_at(MANY), &count, infos), NVML_SUCCESS);
    assert_int_equal(count, PROCESSES);
    assert_process(&infos[PROCESSES - 1], PROCESSES - 1, size);
}

static void test_processes__by_name_with_a_list_that_grows(void **state)
{
    nvp_value value = NVP_VALUE_INIT;
    (void)state;
    for (int i = 0; i < 20; i++) {
        nvp_arg device = nvp_arg_handle(device_at(GROWING));
        assert_status(nvp_query(called_name(), &device, 1, NULL, &value), NVP_SUCCESS);
        assert_int_equal(value.kind, NVP_KIND_LIST);
        assert_in_range(value.count, 2, 20);
        nvp_value_clear(&value);
    }
}

static void test_processes__callers_mistakes(void **state)
{
    nvmlProcessInfo_t info;
    unsigned int count = 1;
    (void)state;
    assert_int_equal(called()(device_at(ONE), NULL, &info), NVML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(called()(device_at(ONE), &count, NULL), NVML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(count, 1);
}

static void *read_lists(void *unused)
{
    for (int i = 0; i < 200; i++) {
        nvmlProcessInfo_t infos[8];
        unsigned int count = 8;
        unsigned int device = i % 2 == 0 ? ONE : THREE;
        if (called()(device_at(device), &count, infos) != NVML_SUCCESS || count != (device == ONE ? 1 : 3) ||
            infos[count - 1].pid != 100 + count - 1) {
            return &version; /* anything but NULL */
        }
    }
    return unused;
}

/* Many threads prove it at once. */
static void test_processes__many_threads(void **state)
{
    pthread_t threads[8];
    (void)state;
    device_at(ONE);
    device_at(THREE);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, read_lists, NULL), 0);
    }
    for (size_t i = 0; i < 8; i++) {
        void *failed;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
}

/* The other calls whose answers come from the same records. */
static void test_processes__other_versions_are_made_of_them(void **state)
{
    nvmlProcessInfo_v1_t older[3];
    nvmlProcessDetail_v1_t details[3];
    nvmlProcessDetailList_t list = { .version = nvmlProcessDetailList_v1, .numProcArrayEntries = 3, .procArray = details };
    unsigned int count = 3;
    (void)state;
    if (!nvp_function_available(nvp_function_find("nvmlDeviceGetComputeRunningProcesses"))) {
        assert_int_equal(nvp_nvmlDeviceGetComputeRunningProcesses(device_at(THREE), &count, older), NVML_SUCCESS);
        assert_true(count == 3 && older[2].pid == 102 && older[1].usedGpuMemory == ~0ull);
    }
    if (!nvp_function_available(nvp_function_find("nvmlDeviceGetRunningProcessDetailList"))) {
        assert_int_equal(nvp_nvmlDeviceGetRunningProcessDetailList(device_at(THREE), &list), NVML_SUCCESS);
        assert_true(list.numProcArrayEntries == 3 && details[2].pid == 102);
        assert_true(details[2].usedGpuCcProtectedMemory == (size == 32 && manner != RECORDS_WITHOUT_TAIL ? 8192 : ~0ull) ||
                    manner == RECORDS_WITHOUT_TAIL);
    }
}

static int read_arguments(void)
{
    const char *text = getenv("TEST_RECORDS");
    if (text == NULL || sscanf(text, "%u %u %d", &version, &size, &manner) != 3 || nvp_init() != NVP_SUCCESS) {
        return -1;
    }
    bool longer = version == 3 && nvp_function_available(nvp_function_find("nvmlDeviceGetConfComputeMemSizeInfo"));
    expected_by_header = size == (longer ? 32 : 24);
    ((void (*)(unsigned int, size_t))whole_function("records_set"))(version, size);
    ((void (*)(int))whole_function("records_write"))(manner);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_processes__idle_device_proves_nothing),
        cmocka_unit_test(test_processes__impossible_rows_are_dropped),
        cmocka_unit_test(test_processes__one_process),
        cmocka_unit_test(test_processes__several_processes_prove_the_size),
        cmocka_unit_test(test_processes__ten_thousand),
        cmocka_unit_test(test_processes__announced_room_is_not_taken_at_its_word),
        cmocka_unit_test(test_processes__by_name_with_a_list_that_grows),
        cmocka_unit_test(test_processes__callers_mistakes),
        cmocka_unit_test(test_processes__other_versions_are_made_of_them),
    };
    const struct CMUnitTest at_once[] = { cmocka_unit_test(test_processes__many_threads) };
    if (read_arguments() != 0) {
        return 1;
    }
    return getenv("TEST_AT_ONCE") != NULL ? cmocka_run_group_tests(at_once, NULL, NULL)
                                          : cmocka_run_group_tests(tests, NULL, NULL);
}
