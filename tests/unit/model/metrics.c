/*
 * The table of metrics: order, uniqueness, names that carry their units, words, and that every name leads back to its row.
 */
#include "check.h"

#include <nvpulse/metric.h>

#include <stdio.h>
#include <string.h>

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static void test_metrics__are_sorted_and_found_by_name(void **state)
{
    (void)state;
    assert_int_equal(nvp_metric_count(), NVP_METRIC_COUNT);
    for (unsigned int i = 0; i < NVP_METRIC_COUNT; i++) {
        const nvp_metric_info *info = nvp_metric_get((nvp_metric)i);
        assert_int_equal(info->metric, i);
        assert_ptr_equal(nvp_metric_find(info->name), info);
        if (i > 0) {
            assert_true(strcmp(nvp_metric_get((nvp_metric)(i - 1))->name, info->name) < 0);
        }
        size_t group = strlen(info->group);
        assert_true(strncmp(info->name, info->group, group) == 0 && info->name[group] == '.');
        assert_true(info->help[0] != '\0' && !ends_with(info->help, "."));
    }
    assert_null(nvp_metric_find("power"));
    assert_null(nvp_metric_find(""));
    assert_null(nvp_metric_find(NULL));
    assert_null(nvp_metric_get(NVP_METRIC_COUNT));
}

static void test_metrics__names_carry_their_units(void **state)
{
    static const struct {
        const char *unit, *ending;
    } endings[] = { { "bytes", "_bytes" }, { "%", "_percent" }, { "mW", "_mw" },           { "MHz", "_mhz" },
                    { "C", "_c" },         { "ns", "_ns" },     { "us", "_us" },           { "bytes/s", "_bytes_per_s" },
                    { "mJ", "_mj" },       { "MB/s", "_mbps" }, { "MiB/s", "_mib_per_s" }, { "rpm", "_rpm" },
                    { "bits", "_bits" } };
    (void)state;
    for (unsigned int i = 0; i < NVP_METRIC_COUNT; i++) {
        const nvp_metric_info *info = nvp_metric_get((nvp_metric)i);
        for (size_t e = 0; e < sizeof endings / sizeof *endings; e++) {
            if ((strcmp(info->unit, endings[e].unit) == 0) != ends_with(info->name, endings[e].ending)) {
                fail_msg("%s is in '%s'", info->name, info->unit);
            }
        }
    }
}

static void test_metrics__names_of_nvidia_smi_are_unique_and_lead_back(void **state)
{
    (void)state;
    for (unsigned int i = 0; i < NVP_METRIC_COUNT; i++) {
        const nvp_metric_info *info = nvp_metric_get((nvp_metric)i);
        char names[256];
        assert_true(snprintf(names, sizeof names, "%s", info->smi_name) < (int)sizeof names);
        char *rest = names;
        for (char *name; (name = strtok_r(rest, "|", &rest)) != NULL;) {
            assert_ptr_equal(nvp_metric_find_smi(name), info);
        }
        assert_true(info->smi_divisor > 0);
    }
    assert_ptr_equal(nvp_metric_find_smi("power.draw"), nvp_metric_get(NVP_METRIC_POWER_DRAW_MW));
    assert_ptr_equal(nvp_metric_find_smi("gpu_uuid"), nvp_metric_get(NVP_METRIC_IDENTITY_UUID));
    assert_null(nvp_metric_find_smi("power.draw|"));
    assert_null(nvp_metric_find_smi("power"));
    assert_null(nvp_metric_find_smi(""));
    assert_null(nvp_metric_find_smi(NULL));
}

static void check_prometheus(const nvp_metric_info *info)
{
    const char *name = info->prometheus_name;
    if (info->kind == NVP_METRIC_COUNTER && !ends_with(name, "_total")) {
        fail_msg("counter %s ends in _total", name);
    }
    if (info->kind != NVP_METRIC_COUNTER && ends_with(name, "_total")) {
        fail_msg("%s is no counter", name);
    }
    assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_"), strlen(name));
    for (unsigned int other = 0; other < NVP_METRIC_COUNT; other++) {
        const nvp_metric_info *second = nvp_metric_get((nvp_metric)other);
        assert_true(second == info || strcmp(second->prometheus_name, name) != 0);
    }
}

static void test_metrics__prometheus_names_are_unique_and_in_form(void **state)
{
    (void)state;
    for (unsigned int i = 0; i < NVP_METRIC_COUNT; i++) {
        const nvp_metric_info *info = nvp_metric_get((nvp_metric)i);
        if (info->prometheus_name[0] != '\0') {
            assert_true(strncmp(info->prometheus_name, "nvpulse_", 8) == 0);
            check_prometheus(info);
        }
    }
}

static void test_metrics__words_lead_back_to_their_numbers(void **state)
{
    (void)state;
    size_t with_words = 0;
    for (unsigned int i = 0; i < NVP_METRIC_COUNT; i++) {
        for (uint64_t number = 0; number < 40; number++) {
            const char *word = nvp_metric_word((nvp_metric)i, number);
            uint64_t back = 99;
            assert_true((word == NULL) == (nvp_metric_smi_word((nvp_metric)i, number) == NULL));
            if (word != NULL) {
                assert_true(nvp_metric_word_number((nvp_metric)i, word, &back));
                assert_int_equal(back, number);
                with_words++;
            }
        }
    }
    assert_true(with_words > 50);
    uint64_t number;
    assert_false(nvp_metric_word_number(NVP_METRIC_MODE_COMPUTE, "never", &number));
    assert_false(nvp_metric_word_number(NVP_METRIC_MODE_COMPUTE, NULL, &number));
    assert_false(nvp_metric_word_number(NVP_METRIC_POWER_DRAW_MW, "default", &number));
    assert_null(nvp_metric_word(NVP_METRIC_COUNT, 0));
}

static void check_format(nvp_metric metric, nvp_reading reading, const char *expected)
{
    char text[80];
    size_t length = nvp_metric_format(metric, &reading, text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

static void test_format__shows_people_units_and_words(void **state)
{
    (void)state;
    const nvp_reading items[] = { { .kind = NVP_KIND_UINT, .as.uint_value = 30 }, { .kind = NVP_KIND_NA } };
    check_format(NVP_METRIC_POWER_DRAW_MW, (nvp_reading){ .kind = NVP_KIND_UINT, .as.uint_value = 312504 }, "312.50 W");
    check_format(NVP_METRIC_MEMORY_USED_BYTES, (nvp_reading){ .kind = NVP_KIND_UINT, .as.uint_value = 3145728 }, "3 MiB");
    check_format(NVP_METRIC_MODE_COMPUTE, (nvp_reading){ .kind = NVP_KIND_UINT, .as.uint_value = 3 }, "Exclusive_Process");
    check_format(NVP_METRIC_MODE_COMPUTE, (nvp_reading){ .kind = NVP_KIND_UINT, .as.uint_value = 77 }, "unknown (77)");
    check_format(NVP_METRIC_UTILIZATION_GPU_PERCENT, (nvp_reading){ .kind = NVP_KIND_UINT }, "0 %");
    check_format(NVP_METRIC_UTILIZATION_GPU_PERCENT, (nvp_reading){ .kind = NVP_KIND_NA }, "N/A");
    check_format(NVP_METRIC_TEMPERATURE_MEMORY_MAX_LIMIT_C, (nvp_reading){ .kind = NVP_KIND_INT, .as.int_value = -8 }, "-8 C");
    check_format(NVP_METRIC_IDENTITY_NAME, (nvp_reading){ .kind = NVP_KIND_TEXT, .as.text = "H100" }, "H100");
    check_format(NVP_METRIC_FAN_SPEEDS_PERCENT, (nvp_reading){ .kind = NVP_KIND_LIST, .count = 2, .as.items = items },
                 "30 %, N/A");
    char small[4];
    const nvp_reading name = { .kind = NVP_KIND_TEXT, .as.text = "H100 PCIe" };
    assert_int_equal(nvp_metric_format(NVP_METRIC_IDENTITY_NAME, &name, small, sizeof small), 9);
    assert_string_equal(small, "H10");
    assert_int_equal(nvp_metric_format(NVP_METRIC_IDENTITY_NAME, NULL, NULL, 0), 3);
}

static void test_reading__gives_numbers_and_texts_or_the_default(void **state)
{
    (void)state;
    const nvp_reading negative = { .kind = NVP_KIND_INT, .as.int_value = -5 },
                      real = { .kind = NVP_KIND_REAL, .as.real_value = 2.5 };
    const nvp_reading text = { .kind = NVP_KIND_TEXT, .as.text = "x" };
    assert_true(nvp_reading_number(&negative, 1) == -5 && nvp_reading_number(&real, 1) == 2.5 &&
                nvp_reading_number(&text, 1) == 1);
    assert_true(nvp_reading_number(NULL, 7) == 7);
    assert_int_equal(nvp_reading_uint(&negative, 9), 9);
    assert_int_equal(nvp_reading_uint(&real, 9), 9);
    assert_string_equal(nvp_reading_text(&text, "-"), "x");
    assert_string_equal(nvp_reading_text(&real, "-"), "-");
    assert_false(nvp_reading_has(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_metrics__are_sorted_and_found_by_name),
        cmocka_unit_test(test_metrics__names_carry_their_units),
        cmocka_unit_test(test_metrics__names_of_nvidia_smi_are_unique_and_lead_back),
        cmocka_unit_test(test_metrics__prometheus_names_are_unique_and_in_form),
        cmocka_unit_test(test_metrics__words_lead_back_to_their_numbers),
        cmocka_unit_test(test_format__shows_people_units_and_words),
        cmocka_unit_test(test_reading__gives_numbers_and_texts_or_the_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
