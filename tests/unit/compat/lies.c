/*
 * Counts that are lies (tests/support/lying_driver.c): no call that one of ours serves tells a caller of entries beyond its memory, and
 * what is behind that memory stays as it is.
 */
#include "compare.h"

enum { ENTRIES = 3, ROOM = 4, UNBOUNDED_ROOM = 256 };

static bool is_served(const char *function)
{
    return nvp_function_fallback(nvp_function_find(function)) != NULL;
}

/* For output-only counts the memory is as large as the sizing call says. */
static void test_lies__places_are_as_many_as_were_written(void **state)
{
    nvmlGpuInstancePlacement_t places[2 * ROOM];
    unsigned int count = 0;
    (void)state;
    if (!is_served(
            "nvmlDeviceGetGpuInstancePossiblePlacements_v2")) { /* the driver has it: the lie is between it and its caller */
        assert_true(nvp_function_available(nvp_function_find("nvmlDeviceGetGpuInstancePossiblePlacements_v2")));
        return;
    }
    memset(places, FILL, sizeof(places));
    assert_int_equal(nvp_nvmlDeviceGetGpuInstancePossiblePlacements_v2(device_at(0), 0, NULL, &count), NVML_SUCCESS);
    assert_int_equal(count, ENTRIES);
    assert_int_equal(nvp_nvmlDeviceGetGpuInstancePossiblePlacements_v2(device_at(0), 0, places, &count), NVML_SUCCESS);
    assert_int_equal(count, ENTRIES);
    assert_int_equal(places[ENTRIES - 1].start, ENTRIES);
    ASSERT_UNTOUCHED(&places[ENTRIES], sizeof(places[0]));
}

static void check_by_name(const char *function, const void *handle)
{
    nvp_value value = NVP_VALUE_INIT;
    assert_status(nvp_query(function, NVP_ARGS(nvp_arg_handle(handle), nvp_arg_uint(0)), NULL, &value), NVP_SUCCESS);
    assert_int_equal(value.kind, NVP_KIND_LIST);
    assert_in_range(value.count, ENTRIES, UNBOUNDED_ROOM);
    nvp_value_clear(&value);
}

static void test_lies__lists_by_name_end_with_their_memory(void **state)
{
    (void)state;
    check_by_name("nvmlDeviceGetGpuInstancePossiblePlacements_v2", device_at(0));
    check_by_name("nvmlDeviceGetGpuInstances", device_at(0));
    check_by_name("nvmlGpuInstanceGetComputeInstances", device_at(0));
    check_by_name("nvmlGpuInstanceGetComputeInstancePossiblePlacements", device_at(0));
}

#define CHECK_FEATURES(function, layout, has_name)                                                                               \
    do {                                                                                                                         \
        ROOMY(layout) features_;                                                                                                 \
        memset(&features_, FILL, sizeof(features_));                                                                             \
        if (is_served(#function)) {                                                                                              \
            served_++;                                                                                                           \
            assert_int_equal(nvp_##function(device_at(0), (void *)&features_.value), NVML_SUCCESS);                              \
            assert_int_equal(features_.value.licensableFeaturesCount, NVML_GRID_LICENSE_FEATURE_MAX_COUNT);                      \
            for (int i_ = 0; i_ < NVML_GRID_LICENSE_FEATURE_MAX_COUNT; i_++) {                                                   \
                assert_int_equal(strlen(features_.value.gridLicensableFeatures[i_].licenseInfo), 127);                           \
                has_name(features_.value.gridLicensableFeatures[i_]);                                                            \
            }                                                                                                                    \
            ASSERT_UNTOUCHED(features_.beyond, sizeof(features_.beyond));                                                        \
        }                                                                                                                        \
    } while (0)
#define NO_NAME(feature) (void)0
#define NAME(feature) assert_true(strlen((feature).productName) < sizeof((feature).productName))

static void test_lies__features_are_three_at_most_and_their_texts_end(void **state)
{
    int served_ = 0;
    (void)state;
    CHECK_FEATURES(nvmlDeviceGetGridLicensableFeatures, nvp_GridLicensableFeatures_v2_t, NO_NAME);
    CHECK_FEATURES(nvmlDeviceGetGridLicensableFeatures_v2, nvp_GridLicensableFeatures_v3_t, NAME);
    CHECK_FEATURES(nvmlDeviceGetGridLicensableFeatures_v3, nvp_GridLicensableFeatures_v4_t, NAME);
    CHECK_FEATURES(nvmlDeviceGetGridLicensableFeatures_v4, nvmlGridLicensableFeatures_t, NAME);
    assert_int_equal(served_, 3);
}

static void test_lies__retired_pages(void **state)
{
    unsigned long long addresses[2 * ROOM];
    unsigned long long times_us[2 * ROOM];
    unsigned int count = ROOM;
    (void)state;
    memset(addresses, FILL, sizeof(addresses));
    memset(times_us, FILL, sizeof(times_us));
    if (is_served("nvmlDeviceGetRetiredPages_v2")) {
        assert_int_equal(nvp_nvmlDeviceGetRetiredPages_v2(device_at(0), 0, &count, addresses, times_us), NVML_SUCCESS);
    } else {
        assert_true(is_served("nvmlDeviceGetRetiredPages"));
        assert_int_equal(nvp_nvmlDeviceGetRetiredPages(device_at(0), 0, &count, addresses), NVML_SUCCESS);
    }
    assert_int_equal(count, ROOM);
    ASSERT_UNTOUCHED(&addresses[ROOM], sizeof(addresses) / 2);
    ASSERT_UNTOUCHED(&times_us[ROOM], sizeof(times_us) / 2);
}

static void test_lies__use_of_processes(void **state)
{
    nvmlProcessUtilizationSample_t samples[2 * ROOM];
    nvmlProcessUtilizationInfo_v1_t entries[2 * ROOM];
    nvmlProcessesUtilizationInfo_t info = { .version = nvmlProcessesUtilizationInfo_v1,
                                            .processSamplesCount = ROOM,
                                            .procUtilArray = entries };
    unsigned int count = ROOM;
    (void)state;
    memset(samples, FILL, sizeof(samples));
    memset(entries, FILL, sizeof(entries));
    if (is_served("nvmlDeviceGetProcessesUtilizationInfo")) {
        assert_int_equal(nvp_nvmlDeviceGetProcessesUtilizationInfo(device_at(0), &info), NVML_SUCCESS);
        assert_int_equal(info.processSamplesCount, ROOM);
    } else {
        assert_true(is_served("nvmlDeviceGetProcessUtilization"));
        assert_int_equal(nvp_nvmlDeviceGetProcessUtilization(device_at(0), samples, &count, 0), NVML_SUCCESS);
        assert_int_equal(count, ROOM);
    }
    ASSERT_UNTOUCHED(&samples[ROOM], sizeof(samples) / 2);
    ASSERT_UNTOUCHED(&entries[ROOM], sizeof(entries) / 2);
}

/* What nobody wrote is no process: three are left of four. */
static void test_lies__processes(void **state)
{
    nvmlProcessInfo_t infos[2 * ROOM];
    unsigned int count = ROOM;
    (void)state;
    memset(infos, FILL, sizeof(infos));
    assert_true(is_served("nvmlDeviceGetComputeRunningProcesses_v3"));
    assert_int_equal(nvp_nvmlDeviceGetComputeRunningProcesses_v3(device_at(0), &count, infos), NVML_SUCCESS);
    assert_in_range(count, ENTRIES, ROOM);
    assert_int_equal(infos[ENTRIES - 1].pid, ENTRIES);
    ASSERT_UNTOUCHED(&infos[ROOM], sizeof(infos) / 2);
}

static void test_lies__active_vgpus(void **state)
{
    nvmlVgpuInstance_t instances[2 * ROOM];
    nvmlActiveVgpuInstanceInfo_t info = { .version = nvmlActiveVgpuInstanceInfo_v1,
                                          .vgpuCount = ROOM,
                                          .vgpuInstances = instances };
    (void)state;
    memset(instances, FILL, sizeof(instances));
    assert_true(is_served("nvmlGpuInstanceGetActiveVgpus"));
    assert_int_equal(nvp_nvmlGpuInstanceGetActiveVgpus((nvmlGpuInstance_t)(void *)device_at(0), &info), NVML_SUCCESS);
    assert_int_equal(info.vgpuCount, 1); /* one of the three belongs to this GPU instance */
    assert_int_equal(instances[0], 1);
    ASSERT_UNTOUCHED(&instances[1], sizeof(instances) - sizeof(instances[0]));
}

static void test_lies__places_of_vgpus(void **state)
{
    unsigned int ids[2 * ROOM];
    nvmlVgpuPlacementList_v2_t list = {
        .version = nvmlVgpuPlacementList_v2, .count = ROOM, .placementIds = ids, .mode = NVML_VGPU_PGPU_HETEROGENEOUS_MODE
    };
    (void)state;
    memset(ids, FILL, sizeof(ids));
    assert_int_equal(nvp_nvmlDeviceGetVgpuTypeSupportedPlacements(device_at(0), 1, &list), NVML_SUCCESS);
    assert_int_equal(list.count, ROOM);
    ASSERT_UNTOUCHED(&ids[ROOM], sizeof(ids) / 2);
}

static int open_nvml(void **state)
{
    (void)state;
    return nvp_init() == NVP_SUCCESS ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lies__places_are_as_many_as_were_written),
        cmocka_unit_test(test_lies__lists_by_name_end_with_their_memory),
        cmocka_unit_test(test_lies__features_are_three_at_most_and_their_texts_end),
        cmocka_unit_test(test_lies__retired_pages),
        cmocka_unit_test(test_lies__use_of_processes),
        cmocka_unit_test(test_lies__processes),
        cmocka_unit_test(test_lies__active_vgpus),
        cmocka_unit_test(test_lies__places_of_vgpus),
    };
    return cmocka_run_group_tests_name("lies", tests, open_nvml, NULL);
}
