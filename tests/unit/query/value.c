/*
 * Values that a program makes itself: kinds, text, copies, formats. No driver.
 */
#include "check.h"

#include <nvpulse/nvpulse.h>

#include <math.h>
#include <string.h>

static void test_check__tells_a_value_from_not_available(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    assert_false(nvp_check(NULL, 0));
    assert_false(nvp_check(&value, 0));
    nvp_value_set_uint(&value, 0);
    assert_true(nvp_check(&value, 0));
    assert_true(nvp_check(&value, NVP_KIND_NUMBER));
    assert_true(nvp_check(&value, NVP_KIND_UINT | NVP_KIND_TEXT));
    assert_false(nvp_check(&value, NVP_KIND_TEXT));
    nvp_value_set_na(&value, NVML_ERROR_NOT_SUPPORTED);
    assert_false(nvp_check(&value, NVP_KIND_ANY));
    assert_reason(value, NVP_REASON_NOT_SUPPORTED);
}

static void test_value__numbers(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    nvp_value_set_uint(&value, UINT64_MAX);
    assert_format(&value, "18446744073709551615");
    assert_json(&value, "18446744073709551615");
    nvp_value_set_int(&value, -7);
    assert_format(&value, "-7");
    assert_true(nvp_value_uint(&value, 5) == 5);
    assert_true(nvp_value_number(&value, 0) == -7.0);
    nvp_value_set_real(&value, 0.1);
    assert_format(&value, "0.1");
    nvp_value_set_na(&value, NVML_ERROR_NO_PERMISSION);
    assert_format(&value, "N/A");
    assert_json(&value, "null");
    assert_true(isnan(nvp_value_number(&value, NAN)));
    assert_true(nvp_value_number(NULL, 3) == 3.0);
}

static void test_value__real_numbers_that_json_cannot_hold_are_null(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    nvp_value_set_real(&value, INFINITY);
    assert_json(&value, "null");
    nvp_value_set_real(&value, 1e300);
    assert_json(&value, "1e+300");
    nvp_value_set_real(&value, 2.0 / 3.0);
    assert_json(&value, "0.6666666666666666");
}

static void test_value__text_is_repaired_and_escaped(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    assert_status(nvp_value_set_text(&value, "a\"b\\c\n\x01 \xc3\xa9 \xff"), NVP_SUCCESS);
    assert_json(&value, "\"a\\\"b\\\\c\\u000a\\u0001 \xc3\xa9 \xef\xbf\xbd\"");
    assert_int_equal(value.count, strlen(nvp_value_text(&value)));
    assert_status(nvp_value_set_text(&value, NULL), NVP_ERROR_BAD_ARGUMENT);
    assert_int_equal(value.kind, NVP_KIND_NA);
    assert_string_equal(nvp_value_text(&value), "");
    assert_string_equal(nvp_value_text(NULL), "");
}

static const char *repaired(nvp_value *value, const char *text)
{
    nvp_value_set_text(value, text);
    return nvp_value_text(value);
}

static void test_value__bad_utf8_of_every_kind(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    assert_string_equal(repaired(&value, "\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd");                 /* overlong */
    assert_string_equal(repaired(&value, "\xe0\x80\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); /* overlong */
    assert_string_equal(repaired(&value, "\xf4\x90\x80\x80"),
                        "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");                               /* above U+10FFFF */
    assert_string_equal(repaired(&value, "\xe2\x82"), "\xef\xbf\xbd\xef\xbf\xbd");                         /* cut off */
    assert_string_equal(repaired(&value, "\x80x"), "\xef\xbf\xbdx");                                       /* lone continuation */
    assert_string_equal(repaired(&value, "\xe2\x82\xac\xf0\x9f\x98\x80"), "\xe2\x82\xac\xf0\x9f\x98\x80"); /* good */
    nvp_value_clear(&value);
}

static void test_value__long_text_is_held_and_copied(void **state)
{
    (void)state;
    char text[1000];
    memset(text, 'x', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    nvp_value value = NVP_VALUE_INIT;
    nvp_value copy = NVP_VALUE_INIT;
    assert_status(nvp_value_set_text(&value, text), NVP_SUCCESS);
    assert_status(nvp_value_copy(&copy, &value), NVP_SUCCESS);
    nvp_value_clear(&value);
    assert_string_equal(nvp_value_text(&copy), text);
    assert_status(nvp_value_copy(&copy, &copy), NVP_SUCCESS);
    assert_string_equal(nvp_value_text(&copy), text);
    nvp_value_clear(&copy);
    nvp_value_clear(&copy);
    nvp_value_clear(NULL);
}

static void test_value__the_last_text_that_needs_no_memory(void **state)
{
    (void)state;
    char text[NVP_VALUE_INLINE_BYTES + 1];
    memset(text, 'x', sizeof(text));
    nvp_value value = NVP_VALUE_INIT;
    text[NVP_VALUE_INLINE_BYTES - 1] = '\0';
    nvp_value_set_text(&value, text);
    nvp_value moved = value; /* a value without memory of its own can be moved by assignment */
    assert_string_equal(nvp_value_text(&moved), text);
}

static void test_format__never_overruns_and_tells_the_whole_length(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    char buffer[8];
    nvp_value_set_text(&value, "0123456789");
    for (size_t size = 0; size <= sizeof(buffer); size++) {
        memset(buffer, '#', sizeof(buffer));
        assert_int_equal(nvp_value_format(&value, buffer, size), 10);
        assert_int_equal(nvp_value_json(&value, NULL, 0), 12);
        for (size_t i = size; i < sizeof(buffer); i++) {
            assert_int_equal(buffer[i], '#');
        }
        assert_true(size == 0 || memchr(buffer, '\0', size) != NULL);
    }
}

static void test_value__readers_of_other_kinds_give_nothing(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    nvp_value item = NVP_VALUE_INIT;
    size_t size = 9;
    nvp_value_set_uint(&value, 3);
    assert_null(nvp_value_data(&value, &size));
    assert_int_equal(size, 0);
    assert_null(nvp_value_field_name(&value, 0));
    assert_null(nvp_value_enum_name(&value));
    assert_status(nvp_value_at(&value, 0, &item), NVP_ERROR_NO_SUCH_FIELD);
    assert_status(nvp_value_field(&value, "x", &item), NVP_ERROR_NO_SUCH_FIELD);
    assert_status(nvp_value_field(&value, NULL, &item), NVP_ERROR_NO_SUCH_FIELD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check__tells_a_value_from_not_available),
        cmocka_unit_test(test_value__numbers),
        cmocka_unit_test(test_value__real_numbers_that_json_cannot_hold_are_null),
        cmocka_unit_test(test_value__text_is_repaired_and_escaped),
        cmocka_unit_test(test_value__bad_utf8_of_every_kind),
        cmocka_unit_test(test_value__long_text_is_held_and_copied),
        cmocka_unit_test(test_value__the_last_text_that_needs_no_memory),
        cmocka_unit_test(test_format__never_overruns_and_tells_the_whole_length),
        cmocka_unit_test(test_value__readers_of_other_kinds_give_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
