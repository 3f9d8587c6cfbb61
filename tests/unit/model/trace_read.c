/*
 * Lines of a trace, read back: what is taken, what is passed over, and what is refused with a message and the call left alone.
 */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include <nvpulse/trace.h>

#define LINE                                                                                                                     \
    "{\"function\":\"nvmlDeviceGetPowerUsage\",\"arguments\":{\"device\":\"0x10\"},\"outputs\":{\"power\":1},\"result\":3,"      \
    "\"result_name\":\"NVML_ERROR_NOT_SUPPORTED\",\"time_us\":1796118216176763,\"duration_ns\":201,\"pid\":7,\"tid\":8}"

static nvp_status take(const char *line, nvp_trace_call *call, char *message, size_t size)
{
    return nvp_trace_call_from_json(line, strlen(line), call, message, size);
}

static void test_trace__a_line_is_a_call(void **state)
{
    (void)state;
    nvp_trace_call call = NVP_TRACE_CALL_INIT;
    assert_status(take(LINE, &call, NULL, 0), NVP_SUCCESS);
    assert_string_equal(call.function, "nvmlDeviceGetPowerUsage");
    assert_int_equal(call.result, 3);
    assert_int_equal(call.time_us, 1796118216176763);
    assert_int_equal(call.duration_ns, 201);
    assert_int_equal(call.pid, 7);
    assert_int_equal(call.tid, 8);
}

static void test_trace__an_unknown_code_is_no_status_of_ours(void **state)
{
    (void)state;
    nvp_trace_call call = NVP_TRACE_CALL_INIT;
    const char *line = "{\"function\":\"nvmlInit\",\"result\":4294967290,\"time_us\":0,\"duration_ns\":0,\"pid\":1,\"tid\":1}";
    assert_status(take(line, &call, NULL, 0), NVP_SUCCESS);
    assert_int_equal(call.result, 999);
}

static void test_trace__what_is_no_call_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *line, *message;
    } bad[] = {
        { "", "" },
        { "nonsense", "" },
        { "[]", "an object is expected" },
        { "{}", "'function' is missing" },
        { LINE "}", "" },
        { "{\"function\":\"\",\"result\":0,\"time_us\":0,\"duration_ns\":0,\"pid\":1,\"tid\":1}", "the name of a function" },
        { "{\"function\":7,\"result\":0,\"time_us\":0,\"duration_ns\":0,\"pid\":1,\"tid\":1}", "the name of a function" },
        { "{\"function\":\"f\",\"result\":-1,\"time_us\":0,\"duration_ns\":0,\"pid\":1,\"tid\":1}", "" },
        { "{\"function\":\"f\",\"result\":0,\"time_us\":-1,\"duration_ns\":0,\"pid\":1,\"tid\":1}", "not a time" },
        { "{\"function\":\"f\",\"result\":0,\"time_us\":9223372036854775807,\"duration_ns\":0,\"pid\":1,\"tid\":1}",
          "not a time" },
        { "{\"function\":\"f\",\"result\":0,\"time_us\":0,\"duration_ns\":-5,\"pid\":1,\"tid\":1}", "not negative" },
        { "{\"function\":\"f\",\"result\":0,\"time_us\":0,\"duration_ns\":1.5,\"pid\":1,\"tid\":1}", "" },
        { "{\"function\":\"f\",\"result\":0,\"time_us\":0,\"duration_ns\":0,\"pid\":1,\"pid\":1,\"tid\":1}", "second time" },
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char message[160] = "";
        nvp_trace_call call = NVP_TRACE_CALL_INIT;
        assert_status(take(bad[i].line, &call, message, sizeof(message)), NVP_ERROR_BAD_DATA);
        assert_true(message[0] != '\0');
        assert_non_null(strstr(message, bad[i].message));
        assert_string_equal(call.function, "");
    }
}

static void test_trace__a_name_that_is_too_long_is_refused(void **state)
{
    (void)state;
    char line[400], name[200];
    nvp_trace_call call = NVP_TRACE_CALL_INIT;
    memset(name, 'n', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    snprintf(line, sizeof(line), "{\"function\":\"%s\",\"result\":0,\"time_us\":0,\"duration_ns\":0,\"pid\":1,\"tid\":1}", name);
    assert_status(take(line, &call, NULL, 0), NVP_ERROR_BAD_DATA);
}

static void test_trace__wrong_arguments_are_told(void **state)
{
    (void)state;
    nvp_trace_call call = { 0 };
    assert_status(take(LINE, &call, NULL, 0), NVP_ERROR_BAD_ARGUMENT);
    assert_status(nvp_trace_call_from_json(NULL, 0, &call, NULL, 0), NVP_ERROR_BAD_ARGUMENT);
    assert_status(take(LINE, NULL, NULL, 0), NVP_ERROR_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace__a_line_is_a_call),
        cmocka_unit_test(test_trace__an_unknown_code_is_no_status_of_ours),
        cmocka_unit_test(test_trace__what_is_no_call_is_refused),
        cmocka_unit_test(test_trace__a_name_that_is_too_long_is_refused),
        cmocka_unit_test(test_trace__wrong_arguments_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
