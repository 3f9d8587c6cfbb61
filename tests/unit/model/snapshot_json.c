/*
 * The JSON of a snapshot, byte for byte, and that nothing is lost on the way there and back.
 */
#include "check.h"
#include "sample_snapshot.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/out.h"
#include "model/metrics.h"
#include "model/reading.h"
#include "model/snapshot.h"

#define NOW_US INT64_C(1796112000123456)

static char *json_of(const nvp_snapshot *snapshot)
{
    char *text = NULL;
    size_t length = 0;
    assert_status(nvp_snapshot_to_json(snapshot, &text, &length), NVP_SUCCESS);
    assert_int_equal(strlen(text), length);
    return text;
}

static nvp_snapshot *read_back(const char *text)
{
    nvp_snapshot *snapshot = NULL;
    char message[256];
    nvp_status status = nvp_snapshot_from_json(text, strlen(text), &snapshot, message, sizeof(message));
    if (status != NVP_SUCCESS) {
        fail_msg("%s: %s", nvp_status_name(status), message);
    }
    assert_string_equal(message, "");
    return snapshot;
}

static void test_json__is_what_the_schema_describes(void **state)
{
    (void)state;
    nvp_snapshot *snapshot = sample_snapshot();
    char *text = json_of(snapshot);
    assert_string_equal(
        text,
        "{\"schema\":\"nvpulse.snapshot/1\",\"sequence\":18446744073709551615,\"generation\":3,\"time_us\":1796112000123456,"
        "\"time\":\"2026-12-01T08:00:00.123456Z\",\"simulated\":true,"
        "\"host\":{\"name\":\"node17\",\"simulation\":\"profile h100x8\",\"cpu_count\":128,\"load_1m\":1.25,"
        "\"read_at_us\":1796112000123456,\"na\":{},\"ages_us\":{\"simulation\":null}},"
        "\"devices\":["
        "{\"index\":0,\"mig_index\":null,\"state\":\"ok\",\"status\":null,\"stalled_us\":0,"
        "\"sampled_at_us\":1796112000121756,\"read_at_us\":1796112000121456,"
        "\"metrics\":{\"clocks.performance_state\":\"p0\",\"fan.speed_percent\":null,\"fan.speeds_percent\":[30,null,31],"
        "\"identity.name\":\"NVIDIA \\\"H100\\\"\\u0009\xe2\x82\xac\",\"mode.compute\":77,\"mode.persistence\":null,"
        "\"nvlink.link_states\":[],\"pcie.rx_bytes_per_s\":0.1,\"pcie.tx_bytes_per_s\":5.0,\"power.draw_mw\":312000,"
        "\"power.energy_mj\":null,\"power.limit_mw\":18446744073709551615,\"temperature.gpu_c\":-3},"
        "\"na\":{\"fan.speed_percent\":{\"reason\":\"not_supported\",\"status\":3},"
        "\"fan.speeds_percent[1]\":{\"reason\":\"gpu_lost\",\"status\":15},"
        "\"mode.persistence\":{\"reason\":\"no_permission\",\"status\":4},"
        "\"power.energy_mj\":{\"reason\":\"no_data\",\"status\":-12}},"
        "\"ages_us\":{\"fan.speeds_percent[2]\":307,\"identity.name\":60000300,\"mode.persistence\":null,\"power.limit_mw\":"
        "1500300}},"
        "{\"index\":0,\"mig_index\":6,\"state\":\"stalled\",\"status\":{\"reason\":\"timed_out\",\"status\":-4},"
        "\"stalled_us\":12000000,\"sampled_at_us\":1796112000121456,\"read_at_us\":1796112000121456,"
        "\"metrics\":{\"memory.used_bytes\":1},\"na\":{}}],"
        "\"process_status\":{\"reason\":\"not_supported\",\"status\":3},"
        "\"processes\":["
        "{\"pid\":4242,\"foreign\":false,\"gpu_index\":0,\"type\":[\"compute\",\"mps\",8],\"gpu_memory_bytes\":1073741824,"
        "\"name\":\"train.py\",\"cpu_percent\":99.5,\"read_at_us\":1796112000121456,\"na\":{},"
        "\"ages_us\":{\"gpu_memory_bytes\":2005}},"
        "{\"pid\":4243,\"foreign\":true,\"gpu_index\":0,\"type\":[],\"gpu_memory_bytes\":null,\"name\":\"train.py\","
        "\"cpu_percent\":null,\"read_at_us\":1796112000121456,\"na\":{\"gpu_memory_bytes\":{\"reason\":\"sentinel\",\"status\":-"
        "10},"
        "\"cpu_percent\":{\"reason\":\"no_permission\",\"status\":4}}}]}");
    free(text);
    nvp_snapshot_free(snapshot);
}

static void test_json__comes_back_as_the_same_snapshot(void **state)
{
    (void)state;
    nvp_snapshot *snapshot = sample_snapshot();
    char *text = json_of(snapshot);
    nvp_snapshot *back = read_back(text);
    assert_same_snapshot(snapshot, back);
    char *again = json_of(back);
    assert_string_equal(text, again);
    free(again);
    free(text);
    nvp_snapshot_free(back);
    nvp_snapshot_free(snapshot);
}

static void test_json__an_empty_snapshot_comes_back(void **state)
{
    (void)state;
    nvp_snapshot *snapshot = nvp__snapshot_new();
    assert_non_null(snapshot);
    char *text = json_of(snapshot);
    assert_string_equal(text,
                        "{\"schema\":\"nvpulse.snapshot/1\",\"sequence\":0,\"generation\":0,\"time_us\":0,"
                        "\"time\":\"1970-01-01T00:00:00.000000Z\",\"simulated\":false,\"host\":{\"read_at_us\":0,\"na\":{}},"
                        "\"devices\":[],\"process_status\":null,\"processes\":[]}");
    nvp_snapshot *back = read_back(text);
    assert_same_snapshot(snapshot, back);
    free(text);
    nvp_snapshot_free(back);
    nvp_snapshot_free(snapshot);
}

/* One device whose metrics a test fills. */
static nvp_snapshot *one_device(nvp_reading **metrics)
{
    nvp_snapshot *snapshot = nvp__snapshot_new();
    assert_non_null(snapshot);
    snapshot->devices = nvp__arena_new(&snapshot->arena, 1, sizeof(*snapshot->devices));
    *metrics = nvp__snapshot_metrics(snapshot);
    assert_true(snapshot->devices != NULL && *metrics != NULL);
    snapshot->device_count = 1;
    snapshot->devices[0] = (nvp_device_sample){ .mig_index = -1, .metrics = *metrics };
    return snapshot;
}

static void test_json__numbers_that_are_none_are_na(void **state)
{
    (void)state;
    static const double strange[] = { NAN, INFINITY, -INFINITY };
    for (size_t i = 0; i < 3; i++) {
        nvp_reading *metrics;
        nvp_snapshot *snapshot = one_device(&metrics);
        metrics[NVP_METRIC_PCIE_RX_BYTES_PER_S] = nvp__reading_real(strange[i], NOW_US);
        char *text = json_of(snapshot);
        assert_non_null(strstr(
            text, "{\"pcie.rx_bytes_per_s\":null},\"na\":{\"pcie.rx_bytes_per_s\":{\"reason\":\"sentinel\",\"status\":-10}"));
        nvp_snapshot *back = read_back(text);
        const nvp_reading *reading = nvp_device_sample_get(nvp_snapshot_device(back, 0), NVP_METRIC_PCIE_RX_BYTES_PER_S);
        assert_int_equal(reading->kind, NVP_KIND_NA);
        assert_status(reading->status, NVP_ERROR_SENTINEL);
        char *again = json_of(back);
        assert_string_equal(text, again);
        free(again);
        free(text);
        nvp_snapshot_free(back);
        nvp_snapshot_free(snapshot);
    }
}

static void test_json__every_double_comes_back(void **state)
{
    (void)state;
    static const double numbers[] = {
        0.0,        -0.0, 1.0 / 3, 0.1,  1e300,   -1.7976931348623157e308, 4.9406564584124654e-324, 123456789012345678.0,
        1e15 + 0.3, 5.0,  1e21,    1e-7, 65536.0, 2.2250738585072014e-308
    };
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        nvp_reading *metrics;
        nvp_snapshot *snapshot = one_device(&metrics);
        metrics[NVP_METRIC_PCIE_RX_BYTES_PER_S] = nvp__reading_real(numbers[i], NOW_US);
        char *text = json_of(snapshot);
        nvp_snapshot *back = read_back(text);
        assert_same_snapshot(snapshot, back);
        free(text);
        nvp_snapshot_free(back);
        nvp_snapshot_free(snapshot);
    }
}

/* Each number of each state, with a word or without; and each kind of value in each metric. */
static void test_json__every_state_of_every_metric_comes_back(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < 40; number++) {
        nvp_reading *metrics;
        nvp_snapshot *snapshot = one_device(&metrics);
        for (int i = 0; i < NVP_METRIC_COUNT; i++) {
            nvp_reading reading = nvp__reading_uint(number, NOW_US);
            if (nvp_metric_get((nvp_metric)i)->is_list) {
                nvp_reading list = { .kind = NVP_KIND_LIST, .count = 1, .as.items = &reading, .read_at_us = NOW_US };
                metrics[i] = nvp__reading_copy(&snapshot->arena, &list);
            } else {
                metrics[i] = reading;
            }
        }
        char *text = json_of(snapshot);
        nvp_snapshot *back = read_back(text);
        assert_same_snapshot(snapshot, back);
        free(text);
        nvp_snapshot_free(back);
        nvp_snapshot_free(snapshot);
    }
}

/* An INT that is not negative is the same number as a UINT, and comes back as that. */
static void test_json__signed_numbers_come_back_as_the_same_number(void **state)
{
    (void)state;
    static const int64_t numbers[] = { INT64_MIN, -1, 0, 45, INT64_MAX };
    for (size_t i = 0; i < 5; i++) {
        nvp_reading *metrics;
        nvp_snapshot *snapshot = one_device(&metrics);
        metrics[NVP_METRIC_TEMPERATURE_GPU_C] = nvp__reading_int(numbers[i], NOW_US);
        char *text = json_of(snapshot);
        nvp_snapshot *back = read_back(text);
        const nvp_reading *reading = nvp_device_sample_get(nvp_snapshot_device(back, 0), NVP_METRIC_TEMPERATURE_GPU_C);
        assert_int_equal(reading->as.int_value, numbers[i]);
        assert_int_equal(reading->kind, numbers[i] < 0 ? NVP_KIND_INT : NVP_KIND_UINT);
        free(text);
        nvp_snapshot_free(back);
        nvp_snapshot_free(snapshot);
    }
}

static void test_json__texts_come_back(void **state)
{
    (void)state;
    static const char *const texts[] = { "", "\"\\/\b\f\n\r\t\x01\x1f\x7f", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
                                         "[0]{\"a\":1}, \xef\xbf\xbd" };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        nvp_reading *metrics;
        nvp_snapshot *snapshot = one_device(&metrics);
        metrics[NVP_METRIC_IDENTITY_NAME] = nvp__reading_text(texts[i], NOW_US);
        char *text = json_of(snapshot);
        nvp_snapshot *back = read_back(text);
        assert_same_snapshot(snapshot, back);
        free(text);
        nvp_snapshot_free(back);
        nvp_snapshot_free(snapshot);
    }
}

static void test_json__strange_times_do_no_harm(void **state)
{
    (void)state;
    static const struct {
        int64_t time_us;
        const char *time;
    } cases[] = { { -1, "\"1969-12-31T23:59:59.999999Z\"" },
                  { INT64_C(253402300799999999), "\"9999-12-31T23:59:59.999999Z\"" },
                  { INT64_C(253402300800000000), "null" },
                  { INT64_MIN, "null" },
                  { INT64_MAX, "null" } };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char wanted[80];
        nvp_reading *metrics;
        nvp_snapshot *snapshot = one_device(&metrics);
        snapshot->time_us = cases[i].time_us;
        snapshot->devices[0].sampled_at_us = cases[i].time_us;
        metrics[NVP_METRIC_POWER_DRAW_MW] = nvp__reading_uint(1, cases[i].time_us);
        metrics[NVP_METRIC_POWER_LIMIT_MW] = nvp__reading_uint(1, INT64_MIN / 2);
        metrics[NVP_METRIC_POWER_AVERAGE_MW] = nvp__reading_uint(1, INT64_MAX);
        char *text = json_of(snapshot);
        snprintf(wanted, sizeof(wanted), "\"time\":%s,", cases[i].time);
        assert_non_null(strstr(text, wanted));
        nvp_snapshot *back = read_back(text);
        assert_same_snapshot(snapshot, back);
        free(text);
        nvp_snapshot_free(back);
        nvp_snapshot_free(snapshot);
    }
}

static void test_json__no_argument_may_be_null(void **state)
{
    (void)state;
    char *text = NULL;
    size_t length = 0;
    nvp_snapshot *snapshot = sample_snapshot(), *back = NULL;
    assert_status(nvp_snapshot_to_json(NULL, &text, &length), NVP_ERROR_BAD_ARGUMENT);
    assert_status(nvp_snapshot_to_json(snapshot, NULL, &length), NVP_ERROR_BAD_ARGUMENT);
    assert_status(nvp_snapshot_to_json(snapshot, &text, NULL), NVP_ERROR_BAD_ARGUMENT);
    assert_status(nvp_snapshot_from_json(NULL, 0, &back, NULL, 0), NVP_ERROR_BAD_ARGUMENT);
    assert_status(nvp_snapshot_from_json("{}", 2, NULL, NULL, 0), NVP_ERROR_BAD_ARGUMENT);
    assert_status(nvp_snapshot_from_json("{", 1, &back, NULL, 0), NVP_ERROR_BAD_DATA);
    assert_true(text == NULL && back == NULL);
    nvp_snapshot_free(snapshot);
}

/* Beside the fields stand names of the form itself. */
static void test_form__no_field_has_a_reserved_name(void **state)
{
    (void)state;
    static const char *const reserved[] = { "na", "ages_us", "read_at_us" };
    for (size_t i = 0; i < 3; i++) {
        assert_null(nvp_process_field_find(reserved[i]));
        assert_null(nvp_metric_find(reserved[i]));
        for (int f = 0; f < NVP_HOST_FIELD_COUNT; f++) {
            assert_string_not_equal(nvp_host_field_name((nvp_host_field)f), reserved[i]);
        }
    }
}

static void test_out__grows_and_is_whole_or_nothing(void **state)
{
    (void)state;
    struct nvp__out out = nvp__out_growing(0);
    for (int i = 0; i < 1000; i++) {
        nvp__out_uint(&out, (uint64_t)i);
        nvp__out_text(&out, ",");
    }
    nvp__out_uint(&out, UINT64_MAX);
    size_t length = out.length;
    char *text = nvp__out_take(&out);
    assert_non_null(text);
    assert_int_equal(strlen(text), length);
    assert_true(strncmp(text, "0,1,2,", 6) == 0 && strcmp(text + length - 24, "999,18446744073709551615") == 0);
    free(text);
    out = nvp__out_over(NULL, 0); /* as it is when the first allocation failed */
    out.grows = true;
    nvp__out_text(&out, "lost");
    assert_int_equal(out.length, 4);
    assert_null(nvp__out_take(&out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json__is_what_the_schema_describes),
        cmocka_unit_test(test_json__comes_back_as_the_same_snapshot),
        cmocka_unit_test(test_json__an_empty_snapshot_comes_back),
        cmocka_unit_test(test_json__numbers_that_are_none_are_na),
        cmocka_unit_test(test_json__every_double_comes_back),
        cmocka_unit_test(test_json__every_state_of_every_metric_comes_back),
        cmocka_unit_test(test_json__signed_numbers_come_back_as_the_same_number),
        cmocka_unit_test(test_json__texts_come_back),
        cmocka_unit_test(test_json__strange_times_do_no_harm),
        cmocka_unit_test(test_json__no_argument_may_be_null),
        cmocka_unit_test(test_form__no_field_has_a_reserved_name),
        cmocka_unit_test(test_out__grows_and_is_whole_or_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
