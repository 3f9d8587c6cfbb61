/*
 * Calls by name on the simulated 550 driver: the same answers as under the function's own name, for results of every shape.
 */
#include "check.h"
#include "control.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static nvmlDevice_t device;

static int open_device(void **state)
{
    (void)state;
    return nvmlDeviceGetHandleByIndex(0, &device) == NVML_SUCCESS ? 0 : -1;
}

static int clear_faults(void **state)
{
    (void)state;
    control_clear_faults();
    return 0;
}

static nvp_status ask(const char *function, nvp_value *value)
{
    return nvp_query(function, NVP_ARGS(nvp_arg_handle(device)), NULL, value);
}

static void test_query__number(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    unsigned int power_mw = 0;
    assert_int_equal(nvmlDeviceGetPowerUsage(device, &power_mw), NVML_SUCCESS);
    assert_status(ask("nvmlDeviceGetPowerUsage", &value), NVP_SUCCESS);
    assert_int_equal(value.kind, NVP_KIND_UINT);
    assert_int_equal(value.as.uint_value, power_mw);
    assert_int_equal(NVP_QUERY_OR(0u, nvmlDeviceGetPowerUsage, device), power_mw);
    assert_int_equal(NVP_QUERY_OR(0u, nvmlDeviceGetCount), 8);
    assert_true(NVP_QUERY_OR(0u, nvmlDeviceGetTemperature, device, NVML_TEMPERATURE_GPU) > 0);
}

static void test_query__text(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    char name[96];
    assert_int_equal(nvmlDeviceGetName(device, name, sizeof(name)), NVML_SUCCESS);
    assert_status(ask("nvmlDeviceGetName", &value), NVP_SUCCESS);
    assert_int_equal(value.kind, NVP_KIND_TEXT);
    assert_string_equal(nvp_value_text(&value), name);
}

static void test_query__enum_has_a_name(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    assert_status(ask("nvmlDeviceGetPerformanceState", &value), NVP_SUCCESS);
    assert_non_null(strstr(nvp_value_enum_name(&value), "NVML_PSTATE_"));
}

static void test_query__inputs_by_number_and_text(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    nvp_value uuid = NVP_VALUE_INIT;
    nvp_value handle = NVP_VALUE_INIT;
    unsigned int temperature_c = 0;
    assert_int_equal(nvmlDeviceGetTemperature(device, NVML_TEMPERATURE_GPU, &temperature_c), NVML_SUCCESS);
    assert_status(
        nvp_query("nvmlDeviceGetTemperature", NVP_ARGS(nvp_arg_handle(device), nvp_arg_uint(NVML_TEMPERATURE_GPU)), NULL, &value),
        NVP_SUCCESS);
    assert_int_equal(value.as.uint_value, temperature_c);
    assert_status(ask("nvmlDeviceGetUUID", &uuid), NVP_SUCCESS);
    assert_status(nvp_query("nvmlDeviceGetHandleByUUID", NVP_ARGS(nvp_arg_text(nvp_value_text(&uuid))), NULL, &handle),
                  NVP_SUCCESS);
    assert_int_equal(handle.kind, NVP_KIND_HANDLE);
    assert_ptr_equal(handle.as.handle, device);
}

static void test_query__struct_has_named_fields(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    nvp_value field = NVP_VALUE_INIT;
    nvmlMemory_v2_t memory = { .version = nvmlMemory_v2 };
    assert_int_equal(nvmlDeviceGetMemoryInfo_v2(device, &memory), NVML_SUCCESS);
    assert_status(ask("nvmlDeviceGetMemoryInfo_v2", &value), NVP_SUCCESS);
    assert_int_equal(value.kind, NVP_KIND_STRUCT);
    assert_string_equal(nvp_value_field_name(&value, 1), "total");
    assert_status(nvp_value_field(&value, "total", &field), NVP_SUCCESS);
    assert_true(field.as.uint_value == memory.total);
    assert_status(nvp_value_field(&value, "no such field", &field), NVP_ERROR_NO_SUCH_FIELD);
    size_t size;
    assert_non_null(nvp_value_data(&value, &size));
    assert_int_equal(size, sizeof(memory));
}

static void test_query__struct_that_is_input_and_output(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    nvmlMemory_v2_t wrong = { .version = 77 };
    assert_status(nvp_query("nvmlDeviceGetMemoryInfo_v2", NVP_ARGS(nvp_arg_handle(device), nvp_arg_default()), NULL, &value),
                  NVP_SUCCESS);
    assert_int_equal(value.kind, NVP_KIND_STRUCT);
    assert_status(nvp_query("nvmlDeviceGetMemoryInfo_v2", NVP_ARGS(nvp_arg_handle(device), nvp_arg_data(&wrong, sizeof(wrong))),
                            NULL, &value),
                  NVP_SUCCESS);
    assert_reason(value, NVP_REASON_VERSION_MISMATCH);
    assert_status(
        nvp_query("nvmlDeviceGetMemoryInfo_v2", NVP_ARGS(nvp_arg_handle(device), nvp_arg_data(&wrong, 3)), NULL, &value),
        NVP_ERROR_BAD_ARGUMENT);
}

static void test_query__several_outputs_are_a_struct(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    nvp_value field = NVP_VALUE_INIT;
    int major = 0;
    int minor = 0;
    assert_int_equal(nvmlDeviceGetCudaComputeCapability(device, &major, &minor), NVML_SUCCESS);
    assert_status(ask("nvmlDeviceGetCudaComputeCapability", &value), NVP_SUCCESS);
    assert_int_equal(value.count, 2);
    assert_status(nvp_value_field(&value, "major", &field), NVP_SUCCESS);
    assert_true(field.kind == NVP_KIND_INT && field.as.int_value == major);
    assert_status(nvp_value_field(&value, "minor", &field), NVP_SUCCESS);
    assert_int_equal(field.as.int_value, minor);
    assert_null(nvp_value_field_name(&value, 2));
}

static void test_query__list_of_structs(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    nvmlProcessInfo_t infos[128];
    unsigned int count = 128;
    assert_int_equal(nvmlDeviceGetComputeRunningProcesses(device, &count, infos), NVML_SUCCESS);
    assert_true(count > 0);
    assert_status(ask("nvmlDeviceGetComputeRunningProcesses_v3", &value), NVP_SUCCESS);
    assert_int_equal(value.count, count);
    for (unsigned int i = 0; i < count; i++) {
        nvp_value item = NVP_VALUE_INIT;
        nvp_value pid = NVP_VALUE_INIT;
        assert_status(nvp_value_at(&value, i, &item), NVP_SUCCESS);
        assert_status(nvp_value_field(&item, "pid", &pid), NVP_SUCCESS);
        assert_int_equal(pid.as.uint_value, infos[i].pid);
    }
    nvp_value_clear(&value);
}

static void test_query__list_of_numbers_with_an_input(void **state)
{
    (void)state;
    nvp_value memory = NVP_VALUE_INIT;
    nvp_value first = NVP_VALUE_INIT;
    nvp_value graphics = NVP_VALUE_INIT;
    assert_status(ask("nvmlDeviceGetSupportedMemoryClocks", &memory), NVP_SUCCESS);
    assert_status(nvp_value_at(&memory, 0, &first), NVP_SUCCESS);
    assert_status(nvp_query("nvmlDeviceGetSupportedGraphicsClocks",
                            NVP_ARGS(nvp_arg_handle(device), nvp_arg_uint(first.as.uint_value)), NULL, &graphics),
                  NVP_SUCCESS);
    assert_true(graphics.count > 1);
    nvp_value_clear(&memory);
    nvp_value_clear(&graphics);
}

static void test_query__values_are_completed_by_the_driver(void **state)
{
    (void)state;
    nvmlFieldValue_t fields[2] = { { .fieldId = NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION }, { .fieldId = 9999 } };
    nvp_value value = NVP_VALUE_INIT;
    nvp_value item = NVP_VALUE_INIT;
    nvp_value number = NVP_VALUE_INIT;
    assert_status(nvp_query("nvmlDeviceGetFieldValues", NVP_ARGS(nvp_arg_handle(device), nvp_arg_data(fields, sizeof(fields))),
                            NULL, &value),
                  NVP_SUCCESS);
    assert_int_equal(value.count, 2);
    nvp_value_at(&value, 0, &item);
    assert_status(nvp_value_field(&item, "value", &number), NVP_SUCCESS);
    assert_true(nvp_check(&number, NVP_KIND_NUMBER));
    nvp_value_at(&value, 1, &item);
    assert_status(nvp_value_field(&item, "value", &number), NVP_SUCCESS);
    assert_int_equal(number.kind, NVP_KIND_NA);
    nvp_value_clear(&value);
}

static void test_query__call_without_a_result(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    assert_status(nvp_query("nvmlDeviceSetPersistenceMode", NVP_ARGS(nvp_arg_handle(device), nvp_arg_uint(NVML_FEATURE_ENABLED)),
                            NULL, &value),
                  NVP_SUCCESS);
    assert_int_equal(value.kind, NVP_KIND_NOTHING);
    assert_format(&value, "done");
}

static void test_query__init_and_shutdown_are_counted(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    unsigned int count = nvp_init_count();
    assert_status(nvp_query("nvmlInit_v2", NULL, 0, NULL, &value), NVP_SUCCESS);
    assert_int_equal(nvp_init_count(), count + 1);
    assert_status(nvp_query("nvmlInitWithFlags", NVP_ARGS(nvp_arg_uint(0)), NULL, &value), NVP_SUCCESS);
    assert_status(nvp_query("nvmlShutdown", NULL, 0, NULL, &value), NVP_SUCCESS);
    assert_status(nvp_query("nvmlShutdown", NULL, 0, NULL, &value), NVP_SUCCESS);
    assert_int_equal(nvp_init_count(), count);
    assert_status(nvp_query("nvmlErrorString", NVP_ARGS(nvp_arg_uint(15)), NULL, &value), NVP_SUCCESS);
    assert_string_equal(nvp_value_text(&value), "GPU is lost");
}

static void test_query__error_becomes_not_available_with_its_reason(void **state)
{
    (void)state;
    static const struct {
        int error;
        nvp_reason reason;
    } rows[] = {
        { NVML_ERROR_NOT_SUPPORTED, NVP_REASON_NOT_SUPPORTED },
        { NVML_ERROR_NO_PERMISSION, NVP_REASON_NO_PERMISSION },
        { NVML_ERROR_GPU_IS_LOST, NVP_REASON_GPU_LOST },
        { NVML_ERROR_RESET_REQUIRED, NVP_REASON_RESET_REQUIRED },
        { NVML_ERROR_TIMEOUT, NVP_REASON_TIMED_OUT },
        { NVML_ERROR_UNKNOWN, NVP_REASON_UNKNOWN },
        { NVML_ERROR_NO_DATA, NVP_REASON_NO_DATA },
        { NVML_ERROR_UNINITIALIZED, NVP_REASON_UNINITIALIZED },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        nvp_value value = NVP_VALUE_INIT;
        control_fail("nvmlDeviceGetPowerUsage", rows[i].error);
        assert_status(ask("nvmlDeviceGetPowerUsage", &value), NVP_SUCCESS);
        assert_int_equal(value.kind, NVP_KIND_NA);
        assert_int_equal(value.status, rows[i].error);
        assert_reason(value, rows[i].reason);
        control_clear_faults();
    }
}

static void test_query__errors_are_kept_when_asked(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    nvp_query_options options = NVP_QUERY_OPTIONS_INIT;
    options.flags = NVP_QUERY_KEEP_ERRORS;
    control_fail("nvmlDeviceGetPowerUsage", NVML_ERROR_GPU_IS_LOST);
    assert_status(nvp_query("nvmlDeviceGetPowerUsage", NVP_ARGS(nvp_arg_handle(device)), &options, &value),
                  NVML_ERROR_GPU_IS_LOST);
    assert_int_equal(value.kind, NVP_KIND_NA);
}

static void test_query__default_is_given_instead_of_not_available(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    nvp_value otherwise = NVP_VALUE_INIT;
    nvp_query_options options = NVP_QUERY_OPTIONS_INIT;
    nvp_value_set_text(&otherwise, "none");
    options.otherwise = &otherwise;
    control_fail("nvmlDeviceGetPowerUsage", NVML_ERROR_GPU_IS_LOST);
    assert_status(nvp_query("nvmlDeviceGetPowerUsage", NVP_ARGS(nvp_arg_handle(device)), &options, &value), NVP_SUCCESS);
    assert_string_equal(nvp_value_text(&value), "none");
    assert_reason(value, NVP_REASON_GPU_LOST);
    assert_int_equal(value.status, NVML_ERROR_GPU_IS_LOST);
    assert_int_equal(NVP_QUERY_OR(123u, nvmlDeviceGetPowerUsage, device), 123);
}

static void test_query__mistakes_of_the_caller_are_always_errors(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    nvp_query_options broken = { 3, 0, NULL };
    assert_status(nvp_query("nvmlDeviceGetPowerUsage", NULL, 0, NULL, &value), NVP_ERROR_BAD_ARGUMENT);
    assert_status(nvp_query("nvmlDeviceGetPowerUsage", NULL, 1, NULL, &value), NVP_ERROR_BAD_ARGUMENT);
    assert_status(nvp_query("nvmlDeviceGetPowerUsage", NVP_ARGS(nvp_arg_uint(1)), NULL, &value), NVP_ERROR_BAD_ARGUMENT);
    assert_status(nvp_query("nvmlDeviceGetPowerUsage", NVP_ARGS(nvp_arg_handle(device), nvp_arg_uint(1)), NULL, &value),
                  NVP_ERROR_BAD_ARGUMENT);
    assert_status(
        nvp_query("nvmlDeviceGetClockInfo", NVP_ARGS(nvp_arg_handle(device), nvp_arg_uint(UINT64_C(1) << 32)), NULL, &value),
        NVP_ERROR_BAD_ARGUMENT);
    assert_status(nvp_query("nvmlDeviceGetClockInfo", NVP_ARGS(nvp_arg_handle(device), nvp_arg_int(-1)), NULL, &value),
                  NVP_ERROR_BAD_ARGUMENT);
    assert_status(nvp_query("nvmlDeviceGetPowerUsage", NVP_ARGS(nvp_arg_handle(device)), &broken, &value),
                  NVP_ERROR_BAD_ARGUMENT);
    assert_status(nvp_query(NULL, NULL, 0, NULL, &value), NVP_ERROR_BAD_ARGUMENT);
    assert_status(nvp_query("nvmlInit_v2", NULL, 0, NULL, NULL), NVP_ERROR_BAD_ARGUMENT);
}

static unsigned int log_lines;

static void count_lines(nvp_log_level level, const char *message, void *context)
{
    (void)level;
    (void)message;
    (void)context;
    log_lines++;
}

static void test_unknown__is_logged_once_and_remembered(void **state)
{
    (void)state;
    nvp_value value = NVP_VALUE_INIT;
    nvp_query_options silent = NVP_QUERY_OPTIONS_INIT;
    silent.flags = NVP_QUERY_SILENT;
    nvp_log_set(NVP_LOG_WARNING, count_lines, NULL);
    assert_int_equal(nvp_unknown_function_count(), 0);
    assert_status(nvp_query("nvmlFirstUnknown", NULL, 0, &silent, &value), NVP_ERROR_UNKNOWN_FUNCTION);
    assert_int_equal(nvp_unknown_function_count(), 0);
    for (int i = 0; i < 3; i++) {
        assert_status(nvp_query("nvmlFirstUnknown", NULL, 0, NULL, &value), NVP_ERROR_UNKNOWN_FUNCTION);
        assert_reason(value, NVP_REASON_FUNCTION_MISSING);
        assert_status(ask("nvmlDeviceGetMarginTemperature", &value), NVP_SUCCESS); /* first in 570 */
        assert_reason(value, NVP_REASON_FUNCTION_MISSING);
    }
    assert_int_equal(log_lines, 2);
    assert_int_equal(nvp_unknown_function_count(), 2);
    assert_string_equal(nvp_unknown_function_name(0), "nvmlFirstUnknown");
    assert_string_equal(nvp_unknown_function_name(1), "nvmlDeviceGetMarginTemperature");
    assert_null(nvp_unknown_function_name(2));
    nvp_log_set(NVP_LOG_OFF, NULL, NULL);
}

static void *ask_for_unknown_names(void *argument)
{
    (void)argument;
    for (int i = 0; i < 1500; i++) {
        char name[32];
        nvp_value value = NVP_VALUE_INIT;
        snprintf(name, sizeof(name), "nvmlUnknown%d", i);
        nvp_query(name, NULL, 0, NULL, &value);
    }
    return NULL;
}

static void test_unknown__table_is_bounded(void **state)
{
    (void)state;
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        pthread_create(&threads[i], NULL, ask_for_unknown_names, NULL);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_int_equal(nvp_unknown_function_count(), NVP_UNKNOWN_FUNCTIONS_MAX);
    for (size_t i = 0; i < NVP_UNKNOWN_FUNCTIONS_MAX; i++) {
        for (size_t j = i + 1; j < NVP_UNKNOWN_FUNCTIONS_MAX; j++) {
            assert_true(nvp_unknown_function_name(i) != nvp_unknown_function_name(j));
        }
    }
    assert_null(nvp_unknown_function_name(NVP_UNKNOWN_FUNCTIONS_MAX));
}

static void test_fields__batch_is_one_driver_call(void **state)
{
    (void)state;
    nvp_field fields[] = { NVP_FIELD_OF(NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION, 0), NVP_FIELD_OF(9999, 0),
                           NVP_FIELD_OF(NVML_FI_DEV_MEMORY_TEMP, 0) };
    control_reset_calls();
    assert_status(nvp_query_fields(device, fields, 3), NVP_SUCCESS);
    assert_int_equal(control_calls(NULL), 1);
    assert_true(nvp_check(&fields[0].value, NVP_KIND_NUMBER));
    assert_false(nvp_check(&fields[1].value, 0));
    assert_true(nvp_check(&fields[2].value, NVP_KIND_NUMBER));
    assert_true(fields[0].timestamp_us > 0);
}

int main(void)
{
    nvp_log_set(NVP_LOG_OFF, NULL, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_query__number),
        cmocka_unit_test(test_query__text),
        cmocka_unit_test(test_query__enum_has_a_name),
        cmocka_unit_test(test_query__inputs_by_number_and_text),
        cmocka_unit_test(test_query__struct_has_named_fields),
        cmocka_unit_test(test_query__struct_that_is_input_and_output),
        cmocka_unit_test(test_query__several_outputs_are_a_struct),
        cmocka_unit_test(test_query__list_of_structs),
        cmocka_unit_test(test_query__list_of_numbers_with_an_input),
        cmocka_unit_test(test_query__values_are_completed_by_the_driver),
        cmocka_unit_test(test_query__call_without_a_result),
        cmocka_unit_test(test_query__init_and_shutdown_are_counted),
        cmocka_unit_test_teardown(test_query__error_becomes_not_available_with_its_reason, clear_faults),
        cmocka_unit_test_teardown(test_query__errors_are_kept_when_asked, clear_faults),
        cmocka_unit_test_teardown(test_query__default_is_given_instead_of_not_available, clear_faults),
        cmocka_unit_test(test_query__mistakes_of_the_caller_are_always_errors),
        cmocka_unit_test(test_unknown__is_logged_once_and_remembered),
        cmocka_unit_test(test_unknown__table_is_bounded),
        cmocka_unit_test(test_fields__batch_is_one_driver_call),
    };
    return cmocka_run_group_tests(tests, open_device, NULL);
}
