/*
 * Statuses and reasons: complete, distinct, and right for numbers that nobody knows.
 */
#include "check.h"

#include <nvpulse/nvpulse.h>

#include <string.h>

static void test_status__every_code_has_name_text_advice_and_reason(void **state)
{
    (void)state;
    for (nvp_status status = NVP_ERROR_ASLEEP; status <= 30; status++) {
        assert_non_null(strchr(nvp_status_name(status), '_'));
        assert_null(strstr(nvp_status_name(status), "UNKNOWN_CODE"));
        assert_true(strlen(nvp_status_text(status)) > 3);
        assert_true(status == 0 || strlen(nvp_status_advice(status)) > 10);
        assert_int_equal(nvp_status_reason(status) == NVP_REASON_NONE, status == 0);
    }
    assert_string_equal(nvp_status_name(999), "NVML_ERROR_UNKNOWN");
}

static void test_status__names_are_distinct(void **state)
{
    (void)state;
    for (nvp_status one = NVP_ERROR_ASLEEP; one <= 30; one++) {
        for (nvp_status other = one + 1; other <= 30; other++) {
            assert_string_not_equal(nvp_status_name(one), nvp_status_name(other));
        }
    }
}

static void test_status__unknown_numbers_are_named_as_unknown(void **state)
{
    (void)state;
    assert_string_equal(nvp_status_name(4242), "NVML_ERROR_UNKNOWN_CODE");
    assert_string_equal(nvp_status_text(4242), "Unknown Error");
    assert_string_equal(nvp_status_name(-4242), "NVP_ERROR_UNKNOWN_CODE");
    assert_int_equal(nvp_status_reason(4242), NVP_REASON_UNKNOWN);
    assert_int_equal(nvp_status_reason(-4242), NVP_REASON_UNKNOWN);
}

static void test_status__texts_are_those_of_nvml(void **state)
{
    (void)state;
    assert_string_equal(nvp_status_text(NVML_ERROR_NOT_SUPPORTED), "Not Supported");
    assert_string_equal(nvmlErrorString(NVML_ERROR_GPU_IS_LOST), "GPU is lost");
    assert_string_equal(nvmlErrorString(NVML_SUCCESS), "Success");
}

static void test_reason__words_are_distinct(void **state)
{
    (void)state;
    for (int one = NVP_REASON_NONE; one <= NVP_REASON_UNKNOWN; one++) {
        for (int other = one + 1; other <= NVP_REASON_UNKNOWN; other++) {
            assert_string_not_equal(nvp_reason_word((nvp_reason)one), nvp_reason_word((nvp_reason)other));
            assert_string_not_equal(nvp_reason_text((nvp_reason)one), nvp_reason_text((nvp_reason)other));
        }
    }
    assert_string_equal(nvp_reason_word((nvp_reason)1000), "unknown");
}

static void test_state__every_state_has_a_name(void **state)
{
    (void)state;
    assert_string_equal(nvp_state_name(NVP_STATE_COLD), "cold");
    assert_string_equal(nvp_state_name(NVP_STATE_FORKED), "forked");
    assert_string_equal(nvp_state_name((nvp_state)1000), "unknown");
}

static void test_version__header_and_library_agree(void **state)
{
    (void)state;
    assert_string_equal(nvp_version(), NVP_VERSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_status__every_code_has_name_text_advice_and_reason),
        cmocka_unit_test(test_status__names_are_distinct),
        cmocka_unit_test(test_status__unknown_numbers_are_named_as_unknown),
        cmocka_unit_test(test_status__texts_are_those_of_nvml),
        cmocka_unit_test(test_reason__words_are_distinct),
        cmocka_unit_test(test_state__every_state_has_a_name),
        cmocka_unit_test(test_version__header_and_library_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
