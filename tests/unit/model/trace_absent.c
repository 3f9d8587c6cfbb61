/*
 * A library that was built without jsmn.h says so, and is not taken for one that finds fault with the trace.
 */
#include "check.h"

#include <string.h>

#include <nvpulse/trace.h>

static void test_trace__says_that_it_is_not_built_in(void **state)
{
    (void)state;
    char message[128];
    nvp_trace_call call = NVP_TRACE_CALL_INIT;
    assert_status(nvp_trace_call_from_json("{}", 2, &call, message, sizeof(message)), NVP_ERROR_NOT_BUILT);
    assert_non_null(strstr(message, "jsmn.h"));
    assert_status(nvp_trace_call_from_json("{}", 2, &call, NULL, 0), NVP_ERROR_NOT_BUILT);
    assert_status(nvp_trace_call_from_json(NULL, 0, &call, message, sizeof(message)), NVP_ERROR_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_trace__says_that_it_is_not_built_in) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
