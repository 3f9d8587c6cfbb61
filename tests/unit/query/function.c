/*
 * What is known of functions and constants. Runs on the 470 simulation, which lacks newer functions.
 */
#include "check.h"

#include <nvpulse/nvpulse.h>

#include <string.h>

static void test_function__rows_are_sorted_and_found_by_name(void **state)
{
    (void)state;
    assert_int_equal(nvp_function_count(), 422);
    for (size_t i = 0; i < nvp_function_count(); i++) {
        const nvp_function *function = nvp_function_at(i);
        assert_ptr_equal(nvp_function_find(function->name), function);
        assert_true(i == 0 || strcmp(nvp_function_at(i - 1)->name, function->name) < 0);
    }
    assert_null(nvp_function_at(422));
    assert_null(nvp_function_find("nvmlNoSuchFunction"));
    assert_null(nvp_function_find(""));
    assert_null(nvp_function_find(NULL));
}

static void test_function__parameters_say_what_to_supply(void **state)
{
    (void)state;
    nvp_parameter parameter;
    const nvp_function *function = nvp_function_find("nvmlDeviceGetTemperature");
    assert_int_equal(function->parameter_count, 3);
    assert_status(nvp_function_parameter(function, 0, &parameter), NVP_SUCCESS);
    assert_true(parameter.supplied && parameter.is_handle && !parameter.is_output);
    assert_string_equal(parameter.ctype, "nvmlDevice_t");
    assert_status(nvp_function_parameter(function, 1, &parameter), NVP_SUCCESS);
    assert_true(parameter.supplied && !parameter.optional);
    assert_string_equal(parameter.enum_name, "nvmlTemperatureSensors_t");
    assert_status(nvp_function_parameter(function, 2, &parameter), NVP_SUCCESS);
    assert_true(!parameter.supplied && parameter.is_output);
    assert_status(nvp_function_parameter(function, 3, &parameter), NVP_ERROR_NO_SUCH_FIELD);
    function = nvp_function_find("nvmlDeviceGetMemoryInfo_v2");
    assert_status(nvp_function_parameter(function, 1, &parameter), NVP_SUCCESS);
    assert_true(parameter.supplied && parameter.optional && parameter.is_output && parameter.is_struct);
}

static void test_function__writers_are_marked(void **state)
{
    (void)state;
    assert_true(nvp_function_find("nvmlDeviceSetPowerManagementLimit")->writes);
    assert_true(nvp_function_find("nvmlDeviceClearEccErrorCounts")->writes);
    assert_false(nvp_function_find("nvmlDeviceGetPowerUsage")->writes);
    for (size_t i = 0; i < nvp_function_count(); i++) {
        const nvp_function *function = nvp_function_at(i);
        if (strncmp(function->name, "nvmlDeviceSet", 13) == 0 || strstr(function->name, "Reset") != NULL) {
            assert_true(function->writes);
        }
    }
}

static void test_function__availability_is_that_of_the_library_in_use(void **state)
{
    (void)state;
    assert_false(nvp_function_available(nvp_function_find("nvmlDeviceGetName")));
    assert_status(nvp_driver_find(), NVP_SUCCESS);
    assert_true(nvp_function_available(nvp_function_find("nvmlDeviceGetName")));
    assert_false(nvp_function_available(nvp_function_find("nvmlDeviceGetMemoryInfo_v2"))); /* first in 510 */
    assert_false(nvp_function_available(NULL));
}

static void test_function__near_names_are_suggested(void **state)
{
    (void)state;
    const nvp_function *nearest[3];
    assert_true(nvp_function_suggest("nvmlDeviceGetTemprature", nearest, 3) >= 1);
    assert_string_equal(nearest[0]->name, "nvmlDeviceGetTemperature");
    assert_true(nvp_function_suggest("nvmldevicegetname", nearest, 3) >= 1);
    assert_string_equal(nearest[0]->name, "nvmlDeviceGetName");
    assert_true(nvp_function_suggest("GetPowerUsage", nearest, 3) >= 1);
    assert_string_equal(nearest[0]->name, "nvmlDeviceGetPowerUsage");
    assert_int_equal(nvp_function_suggest("completely different words", nearest, 3), 0);
    assert_int_equal(nvp_function_suggest("", nearest, 3), 0);
    assert_int_equal(nvp_function_suggest(NULL, nearest, 3), 0);
}

static void test_constant__names_and_values(void **state)
{
    (void)state;
    int64_t value = 0;
    assert_status(nvp_constant_find("NVML_CLOCK_MEM", &value), NVP_SUCCESS);
    assert_int_equal(value, NVML_CLOCK_MEM);
    assert_status(nvp_constant_find("NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION", &value), NVP_SUCCESS);
    assert_int_equal(value, NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION);
    assert_status(nvp_constant_find("NVML_NO_SUCH_CONSTANT", &value), NVP_ERROR_NO_SUCH_FIELD);
    assert_string_equal(nvp_enum_value_name("nvmlPstates_t", 8), "NVML_PSTATE_8");
    assert_null(nvp_enum_value_name("nvmlPstates_t", 77));
    assert_null(nvp_enum_value_name("nvmlNoSuchEnum_t", 0));
    assert_string_equal(nvp_field_id_name(NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION), "NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION");
    assert_string_equal(nvp_field_id_name(NVML_FI_DEV_MEMORY_TEMP), "NVML_FI_DEV_MEMORY_TEMP");
    assert_null(nvp_field_id_name(60000));
    size_t count = 0;
    while (nvp_enum_value_at("nvmlComputeMode_t", count, &value) != NULL) {
        assert_string_equal(nvp_enum_value_name("nvmlComputeMode_t", value), nvp_enum_value_at("nvmlComputeMode_t", count, NULL));
        count++;
    }
    assert_int_equal(count, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_function__rows_are_sorted_and_found_by_name),
        cmocka_unit_test(test_function__parameters_say_what_to_supply),
        cmocka_unit_test(test_function__writers_are_marked),
        cmocka_unit_test(test_function__availability_is_that_of_the_library_in_use),
        cmocka_unit_test(test_function__near_names_are_suggested),
        cmocka_unit_test(test_constant__names_and_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
