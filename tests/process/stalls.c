/*
 * Samples while several devices hang at the same time: each is asked, and each one that answers has its row.
 */
#include "cases.h"

#define DEVICES 8

static nvp_sampler *make(void)
{
    nvp_snapshot_options options = NVP_SNAPSHOT_OPTIONS_INIT;
    nvp_sampler *sampler = NULL;
    options.timeout_ms = 3000;
    CHECK_STATUS(nvp_sampler_new(&options, &sampler), NVP_SUCCESS);
    return sampler;
}

/* Each one is asked, though one thread after the other gets stuck; what comes back late is taken. */
static void devices_that_all_hang_are_all_asked(void)
{
    nvp_sampler *sampler = make();
    nvp_snapshot_free(sample(sampler));
    control_hang("nvmlDeviceGetTemperature");
    nvp_snapshot *snapshot = sample(sampler);
    for (unsigned int d = 0; d < DEVICES; d++) {
        CHECK(nvp_snapshot_device(snapshot, d)->state == NVP_DEVICE_STALLED);
    }
    CHECK(control_in_flight() == DEVICES);
    nvp_snapshot_free(snapshot);
    control_clear_faults();
    while (control_in_flight() > 0) {
        usleep(1000);
    }
    size_t back = 0;
    for (int left = 1000; left > 0 && back < DEVICES; left--) { /* the jobs come back within a moment */
        snapshot = sample(sampler);
        back = 0;
        for (unsigned int d = 0; d < DEVICES; d++) {
            back += nvp_snapshot_device(snapshot, d)->state == NVP_DEVICE_OK;
        }
        nvp_snapshot_free(snapshot);
        usleep(1000);
    }
    CHECK(back == DEVICES);
    nvp_sampler_free(sampler);
}

/* Half of the devices hang: the others have new values all the same, in the sample in which it begins. */
static void devices_that_hang_are_passed_over(void)
{
    nvp_sampler *sampler = make();
    nvp_snapshot *before = sample(sampler);
    for (int d = 0; d < DEVICES; d += 2) {
        control_hang_device(d, "nvmlDeviceGetTemperature");
    }
    nvp_snapshot *snapshot = sample(sampler);
    for (unsigned int d = 0; d < DEVICES; d++) {
        const nvp_device_sample *now = nvp_snapshot_device(snapshot, d);
        CHECK(now->state == (d % 2 == 0 ? NVP_DEVICE_STALLED : NVP_DEVICE_OK));
        CHECK((now->sampled_at_us > nvp_snapshot_device(before, d)->sampled_at_us) == (d % 2 != 0));
    }
    CHECK(control_in_flight() == DEVICES / 2);
    nvp_snapshot_free(before);
    nvp_snapshot_free(snapshot);
    nvp_sampler_free(sampler);
    control_clear_faults();
    while (control_in_flight() > 0) {
        usleep(1000);
    }
}

const struct test_case test_cases[] = {
    { "devices_that_all_hang_are_all_asked", devices_that_all_hang_are_all_asked },
    { "devices_that_hang_are_passed_over", devices_that_hang_are_passed_over },
};
const size_t test_case_count = sizeof test_cases / sizeof *test_cases;
