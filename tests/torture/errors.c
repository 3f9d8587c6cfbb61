/*
 * Every function against every error code: by name the result is N/A with that status, and nothing else changes.
 */
#include "cases.h"

#include <string.h>

static nvp_arg argument_for(const nvp_parameter *parameter, nvmlDevice_t device)
{
    static nvmlFieldValue_t field = { .fieldId = NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION };
    if (parameter->is_handle) {
        return nvp_arg_handle(strcmp(parameter->ctype, "nvmlDevice_t") == 0 ? device : NULL);
    }
    if (parameter->is_text) {
        return nvp_arg_text("GPU-00000000");
    }
    if (strncmp(parameter->ctype, "nvmlFieldValue_t", 16) == 0) {
        return nvp_arg_data(&field, sizeof(field));
    }
    return parameter->is_struct ? nvp_arg_default() : nvp_arg_uint(0);
}

static void call_with_every_error(const nvp_function *function, nvmlDevice_t device)
{
    nvp_arg arguments[8];
    size_t count = 0;
    for (size_t i = 0; i < function->parameter_count; i++) {
        nvp_parameter parameter;
        CHECK_STATUS(nvp_function_parameter(function, i, &parameter), NVP_SUCCESS);
        if (parameter.supplied) {
            arguments[count++] = argument_for(&parameter, device);
        }
    }
    for (int error = 1; error <= 31; error++) {
        nvp_value value = NVP_VALUE_INIT;
        int code = error == 31 ? NVML_ERROR_UNKNOWN : error;
        control_fail(function->name, code);
        CHECK_STATUS(nvp_query(function->name, arguments, count, NULL, &value), NVP_SUCCESS);
        CHECK(value.kind == NVP_KIND_NA);
        CHECK_STATUS(value.status, code);
        CHECK(value.reason == nvp_status_reason(code));
        nvp_value_clear(&value);
        control_clear_faults();
    }
}

static bool is_tried(const nvp_function *function)
{
    bool own = strncmp(function->name, "nvmlInit", 8) == 0 || strcmp(function->name, "nvmlShutdown") == 0 ||
               strcmp(function->name, "nvmlErrorString") == 0;
    return !own && function->by_name && nvp_function_available(function);
}

/* Calls that die of the session's death are made once more after a re-open; a back-off of an hour allows one of those only. */
static void every_error_of_every_function(void)
{
    setenv("NVPULSE_RETRY_MS", "3600000", 1);
    nvp_log_set(NVP_LOG_OFF, NULL, NULL);
    nvmlDevice_t device = first_device();
    unsigned int tried = 0;
    for (size_t i = 0; i < nvp_function_count(); i++) {
        if (is_tried(nvp_function_at(i))) {
            call_with_every_error(nvp_function_at(i), device);
            tried++;
        }
    }
    CHECK(tried > 150);
    CHECK(nvp_generation() <= 2);
    query_ok(device);
}

const struct test_case test_cases[] = {
    { "every_error_of_every_function", every_error_of_every_function },
};
const size_t test_case_count = sizeof(test_cases) / sizeof(test_cases[0]);
