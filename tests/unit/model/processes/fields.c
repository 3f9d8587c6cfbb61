/*
 * The table of the fields of a process: complete, distinct, found by name.
 */
#include "check.h"

#include <nvpulse/nvpulse.h>
#include <nvpulse/process.h>

#include <string.h>

static void test_process_fields__every_one_has_a_row(void **state)
{
    (void)state;
    for (int i = 0; i < NVP_PROCESS_FIELD_COUNT; i++) {
        const nvp_process_field_info *info = nvp_process_field_get((nvp_process_field)i);
        assert_non_null(info);
        assert_int_equal(info->field, i);
        assert_true(strspn(info->name, "abcdefghijklmnopqrstuvwxyz_") == strlen(info->name) && strlen(info->name) > 2);
        assert_true(info->kind == NVP_KIND_UINT || info->kind == NVP_KIND_REAL || info->kind == NVP_KIND_TEXT);
        assert_true(strlen(info->help) > 8 && info->help[strlen(info->help) - 1] != '.');
        assert_non_null(info->unit);
        assert_ptr_equal(nvp_process_field_find(info->name), info);
        bool in_percent = strstr(info->name, "_percent") != NULL, in_bytes = strstr(info->name, "_bytes") != NULL;
        assert_int_equal(in_percent, strcmp(info->unit, "%") == 0);
        assert_int_equal(in_bytes, strcmp(info->unit, "bytes") == 0);
    }
}

static void test_process_fields__unknown_ones_are_null(void **state)
{
    (void)state;
    assert_null(nvp_process_field_get(NVP_PROCESS_FIELD_COUNT));
    assert_null(nvp_process_field_get((nvp_process_field)-1));
    assert_null(nvp_process_field_find("pidd"));
    assert_null(nvp_process_field_find(""));
    assert_null(nvp_process_field_find(NULL));
    assert_null(nvp_process_get(NULL, NVP_PROCESS_PID));
}

static void test_process_fields__types_are_written_as_nvidia_smi_does(void **state)
{
    (void)state;
    assert_string_equal(nvp_process_type_text(0), "");
    assert_string_equal(nvp_process_type_text(NVP_PROCESS_TYPE_COMPUTE), "C");
    assert_string_equal(nvp_process_type_text(NVP_PROCESS_TYPE_GRAPHICS), "G");
    assert_string_equal(nvp_process_type_text(NVP_PROCESS_TYPE_COMPUTE | NVP_PROCESS_TYPE_GRAPHICS), "C+G");
    assert_string_equal(nvp_process_type_text(NVP_PROCESS_TYPE_MPS), "M+C");
    assert_string_equal(nvp_process_type_text(NVP_PROCESS_TYPE_MPS | NVP_PROCESS_TYPE_COMPUTE), "M+C");
    assert_string_equal(nvp_process_type_text(7), "M+C+G");
    assert_string_equal(nvp_process_type_text(UINT64_C(1) << 40 | 1), "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_process_fields__every_one_has_a_row),
        cmocka_unit_test(test_process_fields__unknown_ones_are_null),
        cmocka_unit_test(test_process_fields__types_are_written_as_nvidia_smi_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
