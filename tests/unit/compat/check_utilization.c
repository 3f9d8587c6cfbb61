/*
 * How much processes and virtual GPUs use the engines: each list served by another one.
 */
#include "compare.h"

enum { MOST = 256, SINCE = 5000 };

/* How many entries there are: told by the sizing call, and the same when nothing is hidden. */
#define CHECK_SIZE(ours, whole, count)                                                                                           \
    do {                                                                                                                         \
        unsigned int size_ = 0;                                                                                                  \
        unsigned int other_ = 0;                                                                                                 \
        unsigned int *room = &size_;                                                                                             \
        nvmlReturn_t status_ = ours;                                                                                             \
        room = &other_;                                                                                                          \
        assert_int_equal(status_, whole);                                                                                        \
        assert_int_equal(status_, NVML_ERROR_INSUFFICIENT_SIZE);                                                                 \
        assert_int_equal(size_, other_);                                                                                         \
        assert_true(size_ > 0 && size_ < MOST);                                                                                  \
        count = size_;                                                                                                           \
    } while (0)

static void process_use_v1(void **state)
{
    nvmlProcessUtilizationSample_t samples[MOST];
    nvmlProcessUtilizationSample_t expected[MOST];
    unsigned int count;
    unsigned int least;
    (void)state;
    CHECK_SIZE(nvp_nvmlDeviceGetProcessUtilization(device_at(0), NULL, room, SINCE),
               WHOLE(nvmlDeviceGetProcessUtilization)(device_at(0), NULL, room, SINCE), least);
    memset(samples, FILL, sizeof(samples));
    count = least - 1;
    assert_int_equal(nvp_nvmlDeviceGetProcessUtilization(device_at(0), samples, &count, SINCE), NVML_ERROR_INSUFFICIENT_SIZE);
    ASSERT_UNTOUCHED(samples, sizeof(samples));
    count = least + 1;
    assert_int_equal(nvp_nvmlDeviceGetProcessUtilization(device_at(0), samples, &count, SINCE), NVML_SUCCESS);
    unsigned int whole = MOST;
    assert_int_equal(WHOLE(nvmlDeviceGetProcessUtilization)(device_at(0), expected, &whole, SINCE), NVML_SUCCESS);
    assert_int_equal(count, whole);
    for (unsigned int i = 0; i < count; i++) {
        assert_same_fields("nvmlProcessUtilizationSample_t", &samples[i], &expected[i]);
    }
    ASSERT_UNTOUCHED(&samples[count], sizeof(samples[0]));
    assert_int_equal(nvp_nvmlDeviceGetProcessUtilization(device_at(0), samples, NULL, SINCE), NVML_ERROR_INVALID_ARGUMENT);
}

static void process_use_info(void **state)
{
    nvmlProcessUtilizationInfo_v1_t entries[MOST];
    nvmlProcessUtilizationInfo_v1_t expected[MOST];
    nvmlProcessesUtilizationInfo_t info = { .version = nvmlProcessesUtilizationInfo_v1, .lastSeenTimeStamp = SINCE };
    nvmlProcessesUtilizationInfo_t whole = info;
    (void)state;
    assert_int_equal(nvp_nvmlDeviceGetProcessesUtilizationInfo(device_at(0), &info), NVML_ERROR_INSUFFICIENT_SIZE);
    assert_int_equal(WHOLE(nvmlDeviceGetProcessesUtilizationInfo)(device_at(0), &whole), NVML_ERROR_INSUFFICIENT_SIZE);
    assert_int_equal(info.processSamplesCount, whole.processSamplesCount);
    memset(entries, FILL, sizeof(entries));
    info.procUtilArray = entries;
    whole.procUtilArray = expected;
    assert_int_equal(nvp_nvmlDeviceGetProcessesUtilizationInfo(device_at(0), &info), NVML_SUCCESS);
    assert_int_equal(WHOLE(nvmlDeviceGetProcessesUtilizationInfo)(device_at(0), &whole), NVML_SUCCESS);
    assert_int_equal(info.processSamplesCount, whole.processSamplesCount);
    for (unsigned int i = 0; i < info.processSamplesCount; i++) {
        expected[i].jpgUtil = expected[i].ofaUtil = ~0u;
        assert_same_fields("nvmlProcessUtilizationInfo_v1_t", &entries[i], &expected[i]);
    }
    ASSERT_UNTOUCHED(&entries[info.processSamplesCount], sizeof(entries[0]));
    fail_all_calls(NVML_ERROR_NOT_FOUND);
    assert_int_equal(nvp_nvmlDeviceGetProcessesUtilizationInfo(device_at(0), &info), NVML_ERROR_NOT_FOUND);
    fail_all_calls(NVML_SUCCESS);
    assert_int_equal(info.processSamplesCount, whole.processSamplesCount);
    CHECK_WORD(nvmlDeviceGetProcessesUtilizationInfo, nvmlProcessesUtilizationInfo_t, OF_DEVICE);
    assert_int_equal(nvp_nvmlDeviceGetProcessesUtilizationInfo(device_at(0), NULL), NVML_ERROR_INVALID_ARGUMENT);
}

static void vgpu_process_use_v1(void **state)
{
    static nvmlVgpuProcessUtilizationSample_t samples[MOST];
    static nvmlVgpuProcessUtilizationSample_t expected[MOST];
    unsigned int least;
    (void)state;
    CHECK_SIZE(nvp_nvmlDeviceGetVgpuProcessUtilization(device_at(0), SINCE, room, NULL),
               WHOLE(nvmlDeviceGetVgpuProcessUtilization)(device_at(0), SINCE, room, NULL), least);
    unsigned int count = least;
    unsigned int whole = least;
    memset(samples, FILL, sizeof(samples));
    assert_int_equal(nvp_nvmlDeviceGetVgpuProcessUtilization(device_at(0), SINCE, &count, samples), NVML_SUCCESS);
    assert_int_equal(WHOLE(nvmlDeviceGetVgpuProcessUtilization)(device_at(0), SINCE, &whole, expected), NVML_SUCCESS);
    assert_int_equal(count, whole);
    for (unsigned int i = 0; i < count; i++) {
        assert_same_fields("nvmlVgpuProcessUtilizationSample_t", &samples[i], &expected[i]);
    }
    ASSERT_UNTOUCHED(&samples[count], sizeof(samples[0]));
    assert_int_equal(nvp_nvmlDeviceGetVgpuProcessUtilization(device_at(0), SINCE, NULL, samples), NVML_ERROR_INVALID_ARGUMENT);
}

static void vgpu_process_use_info(void **state)
{
    static nvmlVgpuProcessUtilizationInfo_v1_t entries[MOST];
    static nvmlVgpuProcessUtilizationInfo_v1_t expected[MOST];
    nvmlVgpuProcessesUtilizationInfo_t info = { .version = nvmlVgpuProcessesUtilizationInfo_v1, .lastSeenTimeStamp = SINCE };
    nvmlVgpuProcessesUtilizationInfo_t whole = info;
    (void)state;
    memset(entries, FILL, sizeof(entries));
    info.vgpuProcessCount = whole.vgpuProcessCount = MOST;
    info.vgpuProcUtilArray = entries;
    whole.vgpuProcUtilArray = expected;
    assert_int_equal(nvp_nvmlDeviceGetVgpuProcessesUtilizationInfo(device_at(0), &info), NVML_SUCCESS);
    assert_int_equal(WHOLE(nvmlDeviceGetVgpuProcessesUtilizationInfo)(device_at(0), &whole), NVML_SUCCESS);
    assert_int_equal(info.vgpuProcessCount, whole.vgpuProcessCount);
    for (unsigned int i = 0; i < info.vgpuProcessCount; i++) {
        expected[i].jpgUtil = expected[i].ofaUtil = ~0u;
        assert_same_fields("nvmlVgpuProcessUtilizationInfo_v1_t", &entries[i], &expected[i]);
    }
    info.vgpuProcessCount = 2;
    assert_int_equal(nvp_nvmlDeviceGetVgpuProcessesUtilizationInfo(device_at(0), &info), NVML_ERROR_INSUFFICIENT_SIZE);
    assert_int_equal(info.vgpuProcessCount, whole.vgpuProcessCount);
    CHECK_WORD(nvmlDeviceGetVgpuProcessesUtilizationInfo, nvmlVgpuProcessesUtilizationInfo_t, OF_DEVICE);
}

static void vgpu_use_v1(void **state)
{
    static nvmlVgpuInstanceUtilizationSample_t samples[MOST];
    static nvmlVgpuInstanceUtilizationSample_t expected[MOST];
    nvmlValueType_t type = NVML_VALUE_TYPE_DOUBLE;
    nvmlValueType_t other = NVML_VALUE_TYPE_DOUBLE;
    unsigned int least;
    (void)state;
    CHECK_SIZE(nvp_nvmlDeviceGetVgpuUtilization(device_at(0), SINCE, &type, room, NULL),
               WHOLE(nvmlDeviceGetVgpuUtilization)(device_at(0), SINCE, &other, room, NULL), least);
    assert_int_equal(type, NVML_VALUE_TYPE_DOUBLE);
    unsigned int count = least;
    unsigned int whole = least;
    assert_int_equal(nvp_nvmlDeviceGetVgpuUtilization(device_at(0), SINCE, &type, &count, samples), NVML_SUCCESS);
    assert_int_equal(WHOLE(nvmlDeviceGetVgpuUtilization)(device_at(0), SINCE, &other, &whole, expected), NVML_SUCCESS);
    assert_int_equal(type, other);
    assert_int_equal(count, whole);
    for (unsigned int i = 0; i < count; i++) {
        assert_same_fields("nvmlVgpuInstanceUtilizationSample_t", &samples[i], &expected[i]);
    }
    assert_int_equal(nvp_nvmlDeviceGetVgpuUtilization(device_at(0), SINCE, NULL, &count, samples), NVML_ERROR_INVALID_ARGUMENT);
}

static void vgpu_use_info(void **state)
{
    static nvmlVgpuInstanceUtilizationInfo_v1_t entries[MOST];
    static nvmlVgpuInstanceUtilizationInfo_v1_t expected[MOST];
    nvmlVgpuInstancesUtilizationInfo_t info = { .version = nvmlVgpuInstancesUtilizationInfo_v1, .lastSeenTimeStamp = SINCE };
    nvmlVgpuInstancesUtilizationInfo_t whole = info;
    (void)state;
    info.vgpuInstanceCount = whole.vgpuInstanceCount = MOST;
    info.vgpuUtilArray = entries;
    whole.vgpuUtilArray = expected;
    assert_int_equal(nvp_nvmlDeviceGetVgpuInstancesUtilizationInfo(device_at(0), &info), NVML_SUCCESS);
    assert_int_equal(WHOLE(nvmlDeviceGetVgpuInstancesUtilizationInfo)(device_at(0), &whole), NVML_SUCCESS);
    assert_int_equal(info.vgpuInstanceCount, whole.vgpuInstanceCount);
    assert_int_equal(info.sampleValType, whole.sampleValType);
    for (unsigned int i = 0; i < info.vgpuInstanceCount; i++) {
        expected[i].jpgUtil.ullVal = expected[i].ofaUtil.ullVal = ~0ull;
        assert_same_fields("nvmlVgpuInstanceUtilizationInfo_v1_t", &entries[i], &expected[i]);
    }
    CHECK_WORD(nvmlDeviceGetVgpuInstancesUtilizationInfo, nvmlVgpuInstancesUtilizationInfo_t, OF_DEVICE);
}

const struct check utilization_checks[] = {
    { "nvmlDeviceGetProcessUtilization", process_use_v1 },
    { "nvmlDeviceGetProcessesUtilizationInfo", process_use_info },
    { "nvmlDeviceGetVgpuProcessUtilization", vgpu_process_use_v1 },
    { "nvmlDeviceGetVgpuProcessesUtilizationInfo", vgpu_process_use_info },
    { "nvmlDeviceGetVgpuUtilization", vgpu_use_v1 },
    { "nvmlDeviceGetVgpuInstancesUtilizationInfo", vgpu_use_info },
    { NULL, NULL },
};
