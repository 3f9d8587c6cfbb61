/*
 * A part of a snapshot: the rows that were chosen, and it lives on when the whole is gone.
 */
#include "check.h"
#include "sample_snapshot.h"

#include "model/snapshot.h"

static void test_part__of_everything_is_the_same(void **state)
{
    (void)state;
    nvp_snapshot *whole = sample_snapshot(), *part = NULL;
    assert_status(nvp_snapshot_part(whole, NULL, NULL, &part), NVP_SUCCESS);
    assert_same_snapshot(part, whole);
    nvp_snapshot_free(whole);
    nvp_snapshot_free(part);
}

static void test_part__has_the_chosen_rows_and_outlives_the_whole(void **state)
{
    (void)state;
    const bool devices[] = { false, true }, processes[] = { true, false };
    nvp_snapshot *whole = sample_snapshot(), *part = NULL;
    int mig_index = nvp_snapshot_device(whole, 1)->mig_index;
    uint64_t pid = nvp_reading_uint(nvp_process_get(nvp_snapshot_process(whole, 0), NVP_PROCESS_PID), 0);
    assert_int_equal(nvp_snapshot_device_count(whole), 2);
    assert_int_equal(nvp_snapshot_process_count(whole), 2);
    assert_status(nvp_snapshot_part(whole, devices, processes, &part), NVP_SUCCESS);
    nvp_snapshot_free(whole);
    assert_int_equal(nvp_snapshot_device_count(part), 1);
    assert_int_equal(nvp_snapshot_device(part, 0)->mig_index, mig_index);
    assert_int_equal(nvp_snapshot_process_count(part), 1);
    assert_int_equal(nvp_reading_uint(nvp_process_get(nvp_snapshot_process(part, 0), NVP_PROCESS_PID), 1), pid);
    assert_string_equal(nvp_reading_text(nvp_snapshot_host(part, NVP_HOST_NAME), ""), "node17");
    nvp_snapshot_free(part);
}

static void test_part__of_a_part(void **state)
{
    (void)state;
    const bool nothing[] = { false, false };
    nvp_snapshot *whole = sample_snapshot(), *part = NULL, *rest = NULL;
    assert_status(nvp_snapshot_part(whole, NULL, nothing, &part), NVP_SUCCESS);
    assert_status(nvp_snapshot_part(part, nothing, NULL, &rest), NVP_SUCCESS);
    nvp_snapshot_free(whole);
    nvp_snapshot_free(part);
    assert_int_equal(nvp_snapshot_device_count(rest) + nvp_snapshot_process_count(rest), 0);
    nvp_snapshot_free(rest);
}

static void test_part__no_argument_may_be_null(void **state)
{
    (void)state;
    nvp_snapshot *whole = sample_snapshot(), *part = NULL;
    assert_status(nvp_snapshot_part(NULL, NULL, NULL, &part), NVP_ERROR_BAD_ARGUMENT);
    assert_status(nvp_snapshot_part(whole, NULL, NULL, NULL), NVP_ERROR_BAD_ARGUMENT);
    assert_null(part);
    nvp_snapshot_free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_part__of_everything_is_the_same),
        cmocka_unit_test(test_part__has_the_chosen_rows_and_outlives_the_whole),
        cmocka_unit_test(test_part__of_a_part),
        cmocka_unit_test(test_part__no_argument_may_be_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
