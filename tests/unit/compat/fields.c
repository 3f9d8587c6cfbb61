/*
 * Field ids where a driver numbers them in another way, GPM metrics where its struct is small, CPU sets where its words are short.
 * Each is tried on a driver that shows the signs (TEST_SIGNS) and on one that does not.
 */
#include "compare.h"

#include <stdlib.h>

static const char *signs;

static bool shows(const char *what)
{
    return strcmp(signs, what) == 0;
}

/* Name, number in the newest header, number in 575.51 to 580.76. */
static const struct {
    unsigned int newest, in_575;
} renumbered[] = {
    { NVML_FI_PWR_SMOOTHING_ENABLED, 256 },
    { NVML_FI_PWR_SMOOTHING_PRIV_LVL, 257 },
    { NVML_FI_PWR_SMOOTHING_IMM_RAMP_DOWN_ENABLED, 258 },
    { NVML_FI_PWR_SMOOTHING_APPLIED_TMP_CEIL, 259 },
    { NVML_FI_PWR_SMOOTHING_APPLIED_TMP_FLOOR, 260 },
    { NVML_FI_PWR_SMOOTHING_MAX_PERCENT_TMP_FLOOR_SETTING, 261 },
    { NVML_FI_PWR_SMOOTHING_MIN_PERCENT_TMP_FLOOR_SETTING, 262 },
    { NVML_FI_PWR_SMOOTHING_HW_CIRCUITRY_PERCENT_LIFETIME_REMAINING, 263 },
    { NVML_FI_PWR_SMOOTHING_MAX_NUM_PRESET_PROFILES, 264 },
    { NVML_FI_PWR_SMOOTHING_PROFILE_PERCENT_TMP_FLOOR, 265 },
    { NVML_FI_PWR_SMOOTHING_PROFILE_RAMP_UP_RATE, 266 },
    { NVML_FI_PWR_SMOOTHING_PROFILE_RAMP_DOWN_RATE, 267 },
    { NVML_FI_PWR_SMOOTHING_PROFILE_RAMP_DOWN_HYST_VAL, 268 },
    { NVML_FI_PWR_SMOOTHING_ACTIVE_PRESET_PROFILE, 269 },
    { NVML_FI_PWR_SMOOTHING_ADMIN_OVERRIDE_PERCENT_TMP_FLOOR, 270 },
    { NVML_FI_PWR_SMOOTHING_ADMIN_OVERRIDE_RAMP_UP_RATE, 271 },
    { NVML_FI_PWR_SMOOTHING_ADMIN_OVERRIDE_RAMP_DOWN_RATE, 272 },
    { NVML_FI_PWR_SMOOTHING_ADMIN_OVERRIDE_RAMP_DOWN_HYST_VAL, 273 },
    { NVML_FI_DEV_CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN, 251 },
    { NVML_FI_DEV_CLOCKS_EVENT_REASON_HW_THERM_SLOWDOWN, 252 },
    { NVML_FI_DEV_CLOCKS_EVENT_REASON_HW_POWER_BRAKE_SLOWDOWN, 253 },
    { NVML_FI_DEV_POWER_SYNC_BALANCING_FREQ, 254 },
    { NVML_FI_DEV_POWER_SYNC_BALANCING_AF, 255 },
};

static unsigned int expected_id(unsigned int id)
{
    if (shows("fields of 555")) {
        return id == NVML_FI_DEV_IS_MIG_MODE_INDEPENDENT_MIG_QUERY_CAPABLE ? 200
               : id == NVML_FI_DEV_NVLINK_GET_POWER_THRESHOLD_MAX          ? 199
                                                                           : id;
    }
    for (size_t i = 0; shows("fields of 575") && i < sizeof(renumbered) / sizeof(renumbered[0]); i++) {
        if (renumbered[i].newest == id) {
            return renumbered[i].in_575;
        }
    }
    return id;
}

typedef nvmlReturn_t fields_fn(nvmlDevice_t device, int count, nvmlFieldValue_t *values);

/* The driver answers each field with the id that it was asked for. */
static void compare_ids(fields_fn *get)
{
    enum { COUNT = 400 };
    static nvmlFieldValue_t values[COUNT];
    for (unsigned int i = 0; i < COUNT; i++) {
        values[i] = (nvmlFieldValue_t){ .fieldId = i, .scopeId = i * 3 };
    }
    values[0].fieldId = ~0u;
    assert_int_equal(get(device_at(0), COUNT, values), NVML_SUCCESS);
    for (unsigned int i = 1; i < COUNT; i++) {
        assert_int_equal(values[i].fieldId, i);
        assert_int_equal(values[i].scopeId, i * 3);
        assert_int_equal(values[i].value.uiVal, expected_id(i));
    }
    assert_int_equal(values[0].fieldId, ~0u);
    assert_int_equal(values[0].value.uiVal, ~0u);
}

static void test_fields__ids_are_those_of_the_newest_header(void **state)
{
    (void)state;
    compare_ids(nvp_nvmlDeviceGetFieldValues);
    compare_ids(nvp_nvmlDeviceClearFieldValues);
    bool changed = shows("fields of 555") || shows("fields of 575");
    assert_int_equal(is_served_by("nvmlDeviceGetFieldValues", "nvmlDeviceGetFieldValues"), changed);
    assert_int_equal(is_served_by("nvmlDeviceClearFieldValues", "nvmlDeviceClearFieldValues"), changed);
}

static void test_fields__callers_ids_come_back_when_the_driver_fails(void **state)
{
    nvmlFieldValue_t values[2] = { { .fieldId = NVML_FI_PWR_SMOOTHING_ENABLED },
                                   { .fieldId = NVML_FI_DEV_NVLINK_GET_POWER_THRESHOLD_MAX } };
    (void)state;
    fail_all_calls(NVML_ERROR_NO_PERMISSION);
    assert_int_equal(nvp_nvmlDeviceGetFieldValues(device_at(0), 2, values), NVML_ERROR_NO_PERMISSION);
    fail_all_calls(NVML_SUCCESS);
    assert_int_equal(values[0].fieldId, NVML_FI_PWR_SMOOTHING_ENABLED);
    assert_int_equal(values[1].fieldId, NVML_FI_DEV_NVLINK_GET_POWER_THRESHOLD_MAX);
    assert_int_equal(nvp_nvmlDeviceGetFieldValues(device_at(0), 2, NULL), NVML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(nvp_nvmlDeviceGetFieldValues(device_at(0), 0, values), NVML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(nvp_nvmlDeviceGetFieldValues(device_at(0), -1, values), NVML_ERROR_INVALID_ARGUMENT);
}

static void test_fields__batch_of_the_library_is_translated(void **state)
{
    nvp_field fields[2] = { { .field_id = NVML_FI_PWR_SMOOTHING_PRIV_LVL }, { .field_id = NVML_FI_DEV_MEMORY_TEMP } };
    (void)state;
    assert_status(nvp_query_fields(device_at(0), fields, 2), NVP_SUCCESS);
    assert_int_equal(fields[0].value.as.uint_value, expected_id(NVML_FI_PWR_SMOOTHING_PRIV_LVL));
    assert_int_equal(fields[1].value.as.uint_value, NVML_FI_DEV_MEMORY_TEMP);
    nvp_value_clear(&fields[0].value);
    nvp_value_clear(&fields[1].value);
}

static void ask_metrics(nvmlGpmMetricsGet_t *request, unsigned int count)
{
    static char sample;
    memset(request, 0, sizeof(*request));
    request->version = NVML_GPM_METRICS_GET_VERSION;
    request->numMetrics = count;
    request->sample1 = request->sample2 = (nvmlGpmSample_t)(void *)&sample;
    for (unsigned int i = 0; i < count && i < NVML_GPM_METRIC_MAX; i++) {
        request->metrics[i].metricId = i + 1;
    }
}

static void test_gpm__more_metrics_than_an_old_struct_holds(void **state)
{
    static const unsigned int counts[] = { 1, 98, 99, 196, 197, NVML_GPM_METRIC_MAX };
    static nvmlGpmMetricsGet_t request;
    (void)state;
    for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
        ask_metrics(&request, counts[c]);
        assert_int_equal(nvp_nvmlGpmMetricsGet(&request), NVML_SUCCESS);
        assert_int_equal(request.numMetrics, counts[c]);
        for (unsigned int i = 0; i < counts[c]; i++) {
            assert_int_equal(request.metrics[i].metricId, i + 1);
            assert_true(request.metrics[i].value > i * 2 + 1.9 && request.metrics[i].value < i * 2 + 2.1);
            assert_int_equal(request.metrics[i].nvmlReturn, (i + 1) % 7 == 0 ? NVML_ERROR_NOT_SUPPORTED : NVML_SUCCESS);
        }
        assert_true(counts[c] == NVML_GPM_METRIC_MAX || request.metrics[counts[c]].metricId == 0);
    }
}

static void test_gpm__what_cannot_be_safe_is_refused(void **state)
{
    static nvmlGpmMetricsGet_t request, before;
    (void)state;
    ask_metrics(&request, NVML_GPM_METRIC_MAX + 1);
    memcpy(&before, &request, sizeof(before));
    assert_int_equal(nvp_nvmlGpmMetricsGet(&request), NVML_ERROR_INVALID_ARGUMENT);
    assert_memory_equal(&request, &before, sizeof(before));
    assert_int_equal(nvp_nvmlGpmMetricsGet(NULL), NVML_ERROR_INVALID_ARGUMENT);
    ask_metrics(&request, 3);
    request.version = 2;
    assert_int_equal(nvp_nvmlGpmMetricsGet(&request), NVML_ERROR_INVALID_ARGUMENT);
}

/* The 150th metric makes the driver fail: what the first call has answered is not given. */
static void test_gpm__failure_in_a_later_part_leaves_all_untouched(void **state)
{
    static nvmlGpmMetricsGet_t request, before;
    (void)state;
    ask_metrics(&request, 200);
    request.metrics[149].metricId = 1000;
    memcpy(&before, &request, sizeof(before));
    assert_int_equal(nvp_nvmlGpmMetricsGet(&request), NVML_ERROR_NO_DATA);
    assert_memory_equal(&request, &before, sizeof(before));
}

/* The driver with the signs of 340 takes the size as words of 32 bits, or not, which nobody has seen: both come out right. */
static void test_cpu_affinity__words_of_either_size(void **state)
{
    void (*use_short_words)(int) = (void (*)(int))whole_function("family_short_words");
    (void)state;
    for (int short_words = 0; short_words <= (shows("340") ? 1 : 0); short_words++) {
        for (unsigned int size = 1; size <= 300; size += 23) {
            unsigned long set[301];
            memset(set, FILL, sizeof(set));
            use_short_words(short_words);
            assert_int_equal(nvp_nvmlDeviceGetCpuAffinity(device_at(0), size, set), NVML_SUCCESS);
            assert_true(set[0] == 0xf000f000f000f000ul);
            assert_true(size < 2 || set[1] == 2);
            for (unsigned int i = 2; i < size; i++) {
                assert_true(set[i] == 0);
            }
            ASSERT_UNTOUCHED(&set[size], sizeof(set[0]));
        }
    }
    unsigned long set = 7;
    assert_int_equal(nvp_nvmlDeviceGetCpuAffinity(device_at(0), 0, &set), NVML_ERROR_INVALID_ARGUMENT);
    assert_int_equal(nvp_nvmlDeviceGetCpuAffinity(device_at(0), 1, NULL), NVML_ERROR_INVALID_ARGUMENT);
    assert_true(set == 7);
    assert_int_equal(is_served_by("nvmlDeviceGetCpuAffinity", "nvmlDeviceGetCpuAffinity"), shows("340"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields__ids_are_those_of_the_newest_header),
        cmocka_unit_test(test_fields__callers_ids_come_back_when_the_driver_fails),
        cmocka_unit_test(test_fields__batch_of_the_library_is_translated),
        cmocka_unit_test(test_gpm__more_metrics_than_an_old_struct_holds),
        cmocka_unit_test(test_gpm__what_cannot_be_safe_is_refused),
        cmocka_unit_test(test_gpm__failure_in_a_later_part_leaves_all_untouched),
        cmocka_unit_test(test_cpu_affinity__words_of_either_size),
    };
    signs = getenv("TEST_SIGNS");
    if (signs == NULL || nvp_init() != NVP_SUCCESS) {
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
