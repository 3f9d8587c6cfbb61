/*
 * What a driver that talks nonsense makes of our answers: nothing false, nothing unbounded, no crash.
 */
#include "check.h"

#include <nvpulse/nvpulse.h>

#include <stdlib.h>
#include <string.h>

static nvmlDevice_t device;

static int open_device(void **state)
{
    (void)state;
    return nvmlDeviceGetHandleByIndex(0, &device) == NVML_SUCCESS ? 0 : -1;
}

static nvp_status ask(const char *function, nvp_value *value)
{
    return nvp_query(function, NVP_ARGS(nvp_arg_handle(device)), NULL, value);
}

static void test_query__bad_utf8_becomes_replacement_characters(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    assert_status(ask("nvmlDeviceGetName", &value), NVP_SUCCESS);
    assert_string_equal(nvp_value_text(&value), "G\xef\xbf\xbd\xef\xbf\xbd(\xf0\x9f\x98\x80\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    nvp_value_clear(&value);
}

static void test_query__text_without_an_end_is_ended(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    assert_status(ask("nvmlDeviceGetSerial", &value), NVP_SUCCESS);
    assert_int_equal(value.kind, NVP_KIND_TEXT);
    assert_int_equal(strlen(nvp_value_text(&value)), value.count);
    assert_int_equal(strspn(nvp_value_text(&value), "x"), value.count);
    nvp_value_clear(&value);
}

static void test_query__text_buffer_grows(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    assert_status(ask("nvmlDeviceGetVbiosVersion", &value), NVP_SUCCESS);
    assert_int_equal(value.count, 2000);
    nvp_value_clear(&value);
}

static void test_query__all_ones_is_not_available(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    assert_status(ask("nvmlDeviceGetPowerUsage", &value), NVP_SUCCESS);
    assert_int_equal(value.kind, NVP_KIND_NA);
    assert_reason(value, NVP_REASON_SENTINEL);
    assert_status(ask("nvmlDeviceGetTotalEnergyConsumption", &value), NVP_SUCCESS);
    assert_reason(value, NVP_REASON_SENTINEL);
    nvp_query_options keep = NVP_QUERY_OPTIONS_INIT;
    keep.flags = NVP_QUERY_KEEP_ERRORS;
    assert_status(nvp_query("nvmlDeviceGetPowerUsage", NVP_ARGS(nvp_arg_handle(device)), &keep, &value), NVP_ERROR_SENTINEL);
}

static void test_query__typed_macro_answers_the_default_for_a_sentinel(void **state)
{
    (void)state;
    assert_int_equal(NVP_QUERY_OR(17u, nvmlDeviceGetPowerUsage, device), 17);
    assert_int_equal(NVP_QUERY_OR(18ull, nvmlDeviceGetTotalEnergyConsumption, device), 18);
    assert_int_equal(NVP_QUERY_OR(19u, nvmlDeviceGetFanSpeed, device), 19);
}

static void test_query__all_bits_of_a_mask_are_a_number(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    assert_status(ask("nvmlDeviceGetSupportedEventTypes", &value), NVP_SUCCESS);
    assert_int_equal(value.kind, NVP_KIND_UINT);
    assert_true(value.as.uint_value == UINT64_MAX);
}

static void test_query__all_ones_inside_a_struct_is_not_available(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    assert_status(ask("nvmlDeviceGetMemoryInfo", &value), NVP_SUCCESS);
    assert_format(&value, "total: 1000, free: 0, used: N/A");
    assert_json(&value, "{\"total\":1000,\"free\":0,\"used\":null}");
    nvp_value_clear(&value);
}

static void test_query__unknown_enum_keeps_its_number(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    assert_status(ask("nvmlDeviceGetPerformanceState", &value), NVP_SUCCESS);
    assert_int_equal(value.as.uint_value, 77);
    assert_null(nvp_value_enum_name(&value));
    assert_format(&value, "unknown (77)");
    assert_json(&value, "77");
}

static void test_query__unknown_error_keeps_its_number(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    assert_status(ask("nvmlDeviceGetFanSpeed", &value), NVP_SUCCESS);
    assert_int_equal(value.status, 4242);
    assert_reason(value, NVP_REASON_UNKNOWN);
}

static void test_query__an_error_number_never_looks_like_one_of_ours(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    assert_status(ask("nvmlDeviceGetIndex", &value), NVP_SUCCESS);
    assert_true(value.status > 0);
    assert_reason(value, NVP_REASON_UNKNOWN);
}

static void test_query__a_count_beyond_the_room_is_cut(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    nvp_value item = NVP_VALUE_INIT;
    nvp_value field = NVP_VALUE_INIT;
    assert_status(ask("nvmlDeviceGetComputeRunningProcesses_v3", &value), NVP_SUCCESS);
    assert_true(value.count > 0 && value.count < 1000);
    assert_status(nvp_value_at(&value, value.count - 1, &item), NVP_SUCCESS);
    assert_status(nvp_value_field(&item, "pid", &field), NVP_SUCCESS);
    assert_int_equal(field.as.uint_value, value.count);
    assert_status(nvp_value_field(&item, "usedGpuMemory", &field), NVP_SUCCESS);
    assert_reason(field, NVP_REASON_SENTINEL);
    assert_status(nvp_value_at(&value, value.count, &item), NVP_ERROR_NO_SUCH_FIELD);
    nvp_value_clear(&value);
}

static void test_query__a_list_that_never_fits_ends(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    assert_status(ask("nvmlDeviceGetGraphicsRunningProcesses_v3", &value), NVP_SUCCESS);
    assert_int_equal(value.kind, NVP_KIND_NA);
    assert_int_equal(value.status, NVML_ERROR_INSUFFICIENT_SIZE);
}

static void test_query__a_list_grows_without_being_told_how_far(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    nvp_value item = NVP_VALUE_INIT;
    assert_status(ask("nvmlDeviceGetSupportedMemoryClocks", &value), NVP_SUCCESS);
    assert_int_equal(value.count, 500);
    assert_status(nvp_value_at(&value, 499, &item), NVP_SUCCESS);
    assert_int_equal(item.as.uint_value, 499);
    nvp_value_clear(&value);
}

static void test_query__a_cpu_set_has_no_sentinel_and_no_trailing_zeroes(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    assert_status(ask("nvmlDeviceGetCpuAffinity", &value), NVP_SUCCESS);
    assert_format(&value, "[18446744073709551615, 1]");
    nvp_value_clear(&value);
}

static void test_query__a_list_behind_a_struct_is_read_and_copied(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    nvp_value copy = NVP_VALUE_INIT;
    nvp_value list = NVP_VALUE_INIT;
    nvp_value item = NVP_VALUE_INIT;
    nvp_value field = NVP_VALUE_INIT;
    assert_status(ask("nvmlDeviceGetProcessesUtilizationInfo", &value), NVP_SUCCESS);
    assert_status(nvp_value_copy(&copy, &value), NVP_SUCCESS);
    nvp_value_clear(&value);
    assert_status(nvp_value_field(&copy, "procUtilArray", &list), NVP_SUCCESS);
    assert_int_equal(list.count, 100);
    assert_status(nvp_value_at(&list, 99, &item), NVP_SUCCESS);
    assert_status(nvp_value_field(&item, "smUtil", &field), NVP_SUCCESS);
    assert_int_equal(field.as.uint_value, 99);
    nvp_value_clear(&copy);
}

static void test_query__input_of_a_struct_reaches_the_driver(void **state)
{
    (void)state;
    nvmlProcessesUtilizationInfo_t input = { .lastSeenTimeStamp = 4711 };
    nvp_value value = NVP_VALUE_INIT;
    nvp_value list = NVP_VALUE_INIT;
    nvp_value item = NVP_VALUE_INIT;
    nvp_value field = NVP_VALUE_INIT;
    assert_status(nvp_query("nvmlDeviceGetProcessesUtilizationInfo",
                            NVP_ARGS(nvp_arg_handle(device), nvp_arg_data(&input, sizeof(input))), NULL, &value),
                  NVP_SUCCESS);
    nvp_value_field(&value, "procUtilArray", &list);
    nvp_value_at(&list, 0, &item);
    nvp_value_field(&item, "timeStamp", &field);
    assert_int_equal(field.as.uint_value, 4711);
    assert_int_equal(input.processSamplesCount, 0); /* the caller's struct is never written to */
    nvp_value_clear(&value);
}

static void test_query__missing_function_is_not_available(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    nvmlUtilization_t rates = { 1, 2 };
    assert_status(ask("nvmlDeviceGetUtilizationRates", &value), NVP_SUCCESS);
    assert_reason(value, NVP_REASON_FUNCTION_MISSING);
    assert_int_equal(nvmlDeviceGetUtilizationRates(device, &rates), NVML_ERROR_FUNCTION_NOT_FOUND);
    assert_true(rates.gpu == 1 && rates.memory == 2);
}

static void test_fields__each_value_by_its_type(void **state)
{
    (void)state;
    nvp_field fields[] = { NVP_FIELD_OF(1, 0), NVP_FIELD_OF(2, 0), NVP_FIELD_OF(3, 0), NVP_FIELD_OF(4, 0),   NVP_FIELD_OF(5, 321),
                           NVP_FIELD_OF(6, 0), NVP_FIELD_OF(7, 0), NVP_FIELD_OF(8, 0), NVP_FIELD_OF(500, 0), NVP_FIELD_OF(9, 0) };
    assert_status(nvp_query_fields(device, fields, sizeof(fields) / sizeof(fields[0])), NVP_SUCCESS);
    assert_true(fields[0].value.kind == NVP_KIND_REAL && fields[0].value.as.real_value == 1.5);
    assert_true(fields[0].timestamp_us == 123456 && fields[0].latency_us == 7);
    assert_reason(fields[1].value, NVP_REASON_SENTINEL);
    assert_reason(fields[2].value, NVP_REASON_SENTINEL);
    assert_true(fields[3].value.kind == NVP_KIND_INT && fields[3].value.as.int_value == -5);
    assert_int_equal(fields[4].value.as.uint_value, 321);
    assert_reason(fields[5].value, NVP_REASON_NOT_SUPPORTED);
    assert_reason(fields[6].value, NVP_REASON_UNKNOWN);
    assert_true(fields[7].value.kind == NVP_KIND_INT && fields[7].value.as.int_value == -1);
    assert_reason(fields[8].value, NVP_REASON_NO_DATA);
    assert_status(fields[9].value.status, NVML_ERROR_UNKNOWN);
}

static void test_fields__failing_whole_call_gives_not_available_with_the_present_time(void **state)
{
    (void)state;
    nvp_field fields[100];
    for (unsigned int i = 0; i < 100; i++) {
        fields[i] = (nvp_field)NVP_FIELD_OF(1000 + i, 0);
    }
    assert_status(nvp_query_fields(device, fields, 100), NVML_ERROR_GPU_IS_LOST);
    for (unsigned int i = 0; i < 100; i++) {
        assert_int_equal(fields[i].value.kind, NVP_KIND_NA);
        assert_reason(fields[i].value, NVP_REASON_GPU_LOST);
        assert_true(fields[i].timestamp_us > INT64_C(1600000000000000));
    }
}

static void test_fields__wrong_arguments_are_refused(void **state)
{
    (void)state;
    nvp_field field = NVP_FIELD_OF(1, 0);
    assert_status(nvp_query_fields(device, NULL, 1), NVP_ERROR_BAD_ARGUMENT);
    assert_status(nvp_query_fields(device, &field, 0), NVP_ERROR_BAD_ARGUMENT);
    assert_status(nvp_query_fields(device, &field, 65537), NVP_ERROR_BAD_ARGUMENT);
}

int main(void)
{
    nvp_log_set(NVP_LOG_OFF, NULL, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_query__bad_utf8_becomes_replacement_characters),
        cmocka_unit_test(test_query__text_without_an_end_is_ended),
        cmocka_unit_test(test_query__text_buffer_grows),
        cmocka_unit_test(test_query__all_ones_is_not_available),
        cmocka_unit_test(test_query__typed_macro_answers_the_default_for_a_sentinel),
        cmocka_unit_test(test_query__all_bits_of_a_mask_are_a_number),
        cmocka_unit_test(test_query__all_ones_inside_a_struct_is_not_available),
        cmocka_unit_test(test_query__unknown_enum_keeps_its_number),
        cmocka_unit_test(test_query__unknown_error_keeps_its_number),
        cmocka_unit_test(test_query__an_error_number_never_looks_like_one_of_ours),
        cmocka_unit_test(test_query__a_count_beyond_the_room_is_cut),
        cmocka_unit_test(test_query__a_list_that_never_fits_ends),
        cmocka_unit_test(test_query__a_list_grows_without_being_told_how_far),
        cmocka_unit_test(test_query__a_cpu_set_has_no_sentinel_and_no_trailing_zeroes),
        cmocka_unit_test(test_query__a_list_behind_a_struct_is_read_and_copied),
        cmocka_unit_test(test_query__input_of_a_struct_reaches_the_driver),
        cmocka_unit_test(test_query__missing_function_is_not_available),
        cmocka_unit_test(test_fields__each_value_by_its_type),
        cmocka_unit_test(test_fields__failing_whole_call_gives_not_available_with_the_present_time),
        cmocka_unit_test(test_fields__wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, open_device, NULL);
}
