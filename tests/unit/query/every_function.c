/*
 * Every function of the table, by name, on a simulated driver: with the arguments that its row asks for, and with handles and
 * numbers that mean nothing. A value or an N/A with a reason must come back, readable in both text forms.
 */
#include "check.h"

#include <nvpulse/nvpulse.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static nvmlDevice_t device;

static int open_device(void **state)
{
    (void)state;
    return nvmlDeviceGetHandleByIndex(0, &device) == NVML_SUCCESS ? 0 : -1;
}

/* An argument of the kind that the parameter takes; `sound`: a device handle where one is asked for. */
static nvp_arg argument_for(const nvp_parameter *parameter, bool sound)
{
    static nvmlFieldValue_t field = { .fieldId = NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION };
    if (parameter->is_handle) {
        bool is_device = strcmp(parameter->ctype, "nvmlDevice_t") == 0;
        return nvp_arg_handle(sound && is_device ? device : NULL);
    }
    if (parameter->is_text) {
        return nvp_arg_text(sound ? "GPU-00000000" : "");
    }
    if (strncmp(parameter->ctype, "nvmlFieldValue_t", 16) == 0) {
        return nvp_arg_data(&field, sizeof(field));
    }
    return parameter->is_struct ? nvp_arg_default() : nvp_arg_uint(sound ? 0 : 0x7fffffff);
}

static void read_whole(const nvp_value *value)
{
    size_t length = nvp_value_json(value, NULL, 0);
    char *text = malloc(length + 1);
    assert_non_null(text);
    assert_int_equal(nvp_value_json(value, text, length + 1), length);
    assert_int_equal(strlen(text), length);
    assert_true(nvp_value_format(value, text, length + 1) > 0);
    free(text);
}

static void call(const nvp_function *function, bool sound)
{
    nvp_arg arguments[8];
    size_t count = 0;
    for (size_t i = 0; i < function->parameter_count; i++) {
        nvp_parameter parameter;
        assert_status(nvp_function_parameter(function, i, &parameter), NVP_SUCCESS);
        if (parameter.supplied) {
            arguments[count++] = argument_for(&parameter, sound);
        }
    }
    nvp_value value = NVP_VALUE_INIT;
    nvp_status status = nvp_query(function->name, arguments, count, NULL, &value);
    if (status != NVP_SUCCESS) {
        fprintf(stderr, "%s: %s\n", function->name, nvp_status_name(status));
    }
    assert_status(status, function->by_name ? NVP_SUCCESS : (nvp_status)NVP_ERROR_NOT_BY_NAME);
    assert_true(value.kind != NVP_KIND_NA || value.reason != NVP_REASON_NONE);
    if (!nvp_function_available(function) && nvp_function_fallback(function) == NULL) {
        assert_int_equal(value.kind, NVP_KIND_NA);
    }
    read_whole(&value);
    nvp_value_clear(&value);
}

static void call_all(bool sound)
{
    for (size_t i = 0; i < nvp_function_count(); i++) {
        const nvp_function *function = nvp_function_at(i);
        if (strcmp(function->name, "nvmlShutdown") != 0) {
            call(function, sound);
        }
    }
    assert_int_equal(nvp_get_state(), NVP_STATE_OPEN);
}

static void test_query__every_function_with_sound_arguments(void **state)
{
    (void)state;
    call_all(true);
}

static void test_query__every_function_with_wild_arguments(void **state)
{
    (void)state;
    call_all(false);
}

int main(void)
{
    nvp_log_set(NVP_LOG_OFF, NULL, NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_query__every_function_with_sound_arguments),
        cmocka_unit_test(test_query__every_function_with_wild_arguments),
    };
    return cmocka_run_group_tests(tests, open_device, NULL);
}
