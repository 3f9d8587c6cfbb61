/*
 * A library that was built without jsmn.h says so, and is not taken for one that finds fault with the text.
 */
#include "check.h"

#include <string.h>

#include <nvpulse/snapshot.h>

static void test_read__says_that_it_is_not_built_in(void **state)
{
    (void)state;
    char message[128];
    nvp_snapshot *snapshot = NULL;
    assert_status(nvp_snapshot_from_json("{}", 2, &snapshot, message, sizeof(message)), NVP_ERROR_NOT_BUILT);
    assert_non_null(strstr(message, "jsmn.h"));
    assert_status(nvp_snapshot_from_json("{}", 2, &snapshot, NULL, 0), NVP_ERROR_NOT_BUILT);
    assert_status(nvp_snapshot_from_json(NULL, 0, &snapshot, message, sizeof(message)), NVP_ERROR_BAD_ARGUMENT);
    assert_null(snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_read__says_that_it_is_not_built_in) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
