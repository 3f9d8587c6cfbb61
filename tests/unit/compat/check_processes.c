/*
 * Lists of running processes on the simulator: each version served by another one, on every device.
 */
#include "compare.h"

enum { MOST = 256 };

typedef nvmlReturn_t list_fn(nvmlDevice_t device, unsigned int *count, void *infos);

struct list {
    const char *function;
    list_fn *ours;
    const char *type;
    size_t size; /* of a record */
};

#define V1(name) { #name, (list_fn *)nvp_##name, "nvmlProcessInfo_v1_t", sizeof(nvmlProcessInfo_v1_t) }
#define V2(name) { #name, (list_fn *)nvp_##name, "nvmlProcessInfo_v2_t", sizeof(nvmlProcessInfo_v2_t) }
static const struct list lists[] = {
    V1(nvmlDeviceGetComputeRunningProcesses),       V2(nvmlDeviceGetComputeRunningProcesses_v2),
    V2(nvmlDeviceGetComputeRunningProcesses_v3),    V1(nvmlDeviceGetGraphicsRunningProcesses),
    V2(nvmlDeviceGetGraphicsRunningProcesses_v2),   V2(nvmlDeviceGetGraphicsRunningProcesses_v3),
    V1(nvmlDeviceGetMPSComputeRunningProcesses),    V2(nvmlDeviceGetMPSComputeRunningProcesses_v2),
    V2(nvmlDeviceGetMPSComputeRunningProcesses_v3),
};

/* With the room that the sizing call asks for, with one less, and with far more. */
static void compare_list(const struct list *list, nvmlDevice_t device)
{
    static unsigned char answer[MOST * sizeof(nvmlProcessInfo_v2_t)];
    static unsigned char expected[sizeof(answer)];
    list_fn *whole = (list_fn *)whole_function(list->function);
    unsigned int needed = 0;
    unsigned int count = 0;
    nvmlReturn_t status = list->ours(device, &needed, NULL);
    assert_int_equal(status, whole(device, &count, NULL));
    assert_int_equal(needed, count);
    assert_int_equal(status, needed > 0 ? NVML_ERROR_INSUFFICIENT_SIZE : NVML_SUCCESS);
    memset(answer, FILL, sizeof(answer));
    count = needed > 0 ? needed - 1 : 0;
    assert_int_equal(list->ours(device, &count, answer), status);
    assert_int_equal(count, needed);
    ASSERT_UNTOUCHED(answer, sizeof(answer));
    for (unsigned int room = needed; room <= needed + 100; room += 100) {
        unsigned int found = room;
        count = room;
        memset(answer, FILL, sizeof(answer));
        assert_int_equal(list->ours(device, &count, answer), NVML_SUCCESS);
        assert_int_equal(whole(device, &found, expected), NVML_SUCCESS);
        assert_int_equal(count, found);
        for (unsigned int i = 0; i < count; i++) {
            assert_same_fields(list->type, answer + i * list->size, expected + i * list->size);
        }
        ASSERT_UNTOUCHED(answer + count * list->size, list->size);
    }
}

static void compare_lists(const char *function)
{
    unsigned int devices;
    assert_int_equal(nvp_nvmlDeviceGetCount_v2(&devices), NVML_SUCCESS);
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        if (strcmp(lists[i].function, function) == 0) {
            for (unsigned int device = 0; device < devices; device++) {
                compare_list(&lists[i], device_at(device));
            }
            unsigned int count = 1;
            assert_int_equal(lists[i].ours(device_at(0), NULL, &count), NVML_ERROR_INVALID_ARGUMENT);
            assert_int_equal(lists[i].ours(device_at(0), &count, NULL), NVML_ERROR_INVALID_ARGUMENT);
            assert_int_equal(count, 1);
            return;
        }
    }
    fail_msg("no list %s", function);
}

#define CHECK(name)                                                                                                              \
    static void check_##name(void **state)                                                                                       \
    {                                                                                                                            \
        (void)state;                                                                                                             \
        compare_lists(#name);                                                                                                    \
    }
CHECK(nvmlDeviceGetComputeRunningProcesses)
CHECK(nvmlDeviceGetComputeRunningProcesses_v2)
CHECK(nvmlDeviceGetComputeRunningProcesses_v3)
CHECK(nvmlDeviceGetGraphicsRunningProcesses)
CHECK(nvmlDeviceGetGraphicsRunningProcesses_v2)
CHECK(nvmlDeviceGetGraphicsRunningProcesses_v3)
CHECK(nvmlDeviceGetMPSComputeRunningProcesses)
CHECK(nvmlDeviceGetMPSComputeRunningProcesses_v2)
CHECK(nvmlDeviceGetMPSComputeRunningProcesses_v3)

static void compare_details(unsigned int mode, nvmlDevice_t device)
{
    nvmlProcessDetail_v1_t processes[MOST];
    nvmlProcessDetail_v1_t expected[MOST];
    nvmlProcessDetailList_t list = { .version = nvmlProcessDetailList_v1, .mode = mode };
    nvmlProcessDetailList_t whole = list;
    nvmlReturn_t status = nvp_nvmlDeviceGetRunningProcessDetailList(device, &list);
    assert_int_equal(status, WHOLE(nvmlDeviceGetRunningProcessDetailList)(device, &whole));
    assert_int_equal(list.numProcArrayEntries, whole.numProcArrayEntries);
    list.numProcArrayEntries = whole.numProcArrayEntries = MOST;
    list.procArray = processes;
    whole.procArray = expected;
    assert_int_equal(nvp_nvmlDeviceGetRunningProcessDetailList(device, &list), NVML_SUCCESS);
    assert_int_equal(WHOLE(nvmlDeviceGetRunningProcessDetailList)(device, &whole), NVML_SUCCESS);
    assert_int_equal(list.numProcArrayEntries, whole.numProcArrayEntries);
    for (unsigned int i = 0; i < list.numProcArrayEntries; i++) {
        expected[i].usedGpuCcProtectedMemory = ~0ull;
        assert_same_fields("nvmlProcessDetail_v1_t", &processes[i], &expected[i]);
    }
}

static void check_details(void **state)
{
    unsigned int devices;
    nvmlProcessDetailList_t list = { .version = nvmlProcessDetailList_v1, .mode = NVML_PROCESS_MODE_ALL };
    (void)state;
    assert_int_equal(nvp_nvmlDeviceGetCount_v2(&devices), NVML_SUCCESS);
    for (unsigned int i = 0; i < devices * 3; i++) {
        compare_details(i % 3, device_at(i / 3));
    }
    assert_int_equal(nvp_nvmlDeviceGetRunningProcessDetailList(device_at(0), &list), NVML_ERROR_NOT_SUPPORTED);
    list.mode = NVML_PROCESS_MODE_MAX;
    assert_int_equal(nvp_nvmlDeviceGetRunningProcessDetailList(device_at(0), &list), NVML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(nvp_nvmlDeviceGetRunningProcessDetailList(device_at(0), NULL), NVML_ERROR_INVALID_ARGUMENT);
    CHECK_WORD(nvmlDeviceGetRunningProcessDetailList, nvmlProcessDetailList_t, OF_DEVICE);
}

#define ROW(name) { #name, check_##name }
const struct check process_checks[] = {
    ROW(nvmlDeviceGetComputeRunningProcesses),
    ROW(nvmlDeviceGetComputeRunningProcesses_v2),
    ROW(nvmlDeviceGetComputeRunningProcesses_v3),
    ROW(nvmlDeviceGetGraphicsRunningProcesses),
    ROW(nvmlDeviceGetGraphicsRunningProcesses_v2),
    ROW(nvmlDeviceGetGraphicsRunningProcesses_v3),
    ROW(nvmlDeviceGetMPSComputeRunningProcesses),
    ROW(nvmlDeviceGetMPSComputeRunningProcesses_v2),
    ROW(nvmlDeviceGetMPSComputeRunningProcesses_v3),
    { "nvmlDeviceGetRunningProcessDetailList", check_details },
    { NULL, NULL },
};
