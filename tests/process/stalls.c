/*
 * Samples while several devices hang at the same time: each is asked, and each one that answers has its row.
 */
#include "cases.h"

#define DEVICES 8

static nvp_sampler *make_with(unsigned int flags, unsigned int timeout_ms)
{
    nvp_snapshot_options options = NVP_SNAPSHOT_OPTIONS_INIT;
    nvp_sampler *sampler = NULL;
    options.timeout_ms = timeout_ms;
    options.flags = flags;
    CHECK_STATUS(nvp_sampler_new(&options, &sampler), NVP_SUCCESS);
    return sampler;
}

static nvp_sampler *make(void)
{
    return make_with(0, 3000);
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

static void *sample_once(void *argument)
{
    nvp_snapshot *snapshot = NULL;
    nvp_status status = nvp_sampler_sample(argument, &snapshot);
    nvp_snapshot_free(snapshot);
    return (void *)(intptr_t)status;
}

static nvp_status end_of(pthread_t thread)
{
    void *status;
    CHECK(pthread_join(thread, &status) == 0);
    return (nvp_status)(intptr_t)status;
}

/* A thread that hangs by its own hands. Where the machine is slow others help, and one of them may be the one that hangs: then once more. */
static pthread_t start_hanging(nvp_sampler *sampler, int device)
{
    for (;;) {
        nvp_snapshot_free(sample(sampler));
        CHECK(nvp_sampler_hanging_ms(sampler) == 0);
        control_hang_device(device, "nvmlDeviceGetTemperature");
        pthread_t thread = start(sample_once, sampler);
        control_await_in_flight(1);
        bool has_ended = false;
        while (nvp_sampler_hanging_ms(sampler) < 20 && !has_ended) {
            usleep(1000);
            has_ended = pthread_tryjoin_np(thread, NULL) == 0;
        }
        if (!has_ended) {
            return thread;
        }
        control_clear_faults();
        while (control_in_flight() > 0) {
            usleep(1000);
        }
    }
}

/* Whoever takes over has the devices that the first thread had come to, and those that it had not. */
static void own_thread_that_hangs_is_replaced(void)
{
    nvp_sampler *sampler = make_with(NVP_SNAPSHOT_OWN_THREAD, 2000);
    pthread_t first = start_hanging(sampler, 3);
    for (int round = 0; round < 2; round++) {
        nvp_snapshot *snapshot = sample(sampler);
        for (unsigned int d = 0; d < DEVICES; d++) {
            CHECK(nvp_snapshot_device(snapshot, d)->state == (d == 3 ? NVP_DEVICE_STALLED : NVP_DEVICE_OK));
        }
        CHECK(nvp_snapshot_device(snapshot, 3)->stalled_us > 0);
        CHECK(nvp_sampler_hanging_ms(sampler) == 0);
        CHECK(control_in_flight() == 1);
        nvp_snapshot_free(snapshot);
    }
    control_clear_faults();
    CHECK_STATUS(end_of(first), NVP_ERROR_TIMED_OUT);
    nvp_snapshot *snapshot = sample(sampler);
    for (unsigned int d = 0; d < DEVICES; d++) {
        CHECK(nvp_snapshot_device(snapshot, d)->state == NVP_DEVICE_OK);
    }
    nvp_snapshot_free(snapshot);
    nvp_sampler_free(sampler);
}

/* The thread that hangs comes back to a sampler that is gone. */
static void own_thread_that_hangs_outlives_the_sampler(void)
{
    for (int with_other = 0; with_other < 2; with_other++) {
        nvp_sampler *sampler = make_with(NVP_SNAPSHOT_OWN_THREAD, 2000);
        pthread_t first = start_hanging(sampler, 0);
        if (with_other) {
            nvp_snapshot_free(sample(sampler));
        }
        nvp_sampler_free(sampler);
        control_clear_faults();
        CHECK_STATUS(end_of(first), NVP_ERROR_TIMED_OUT);
    }
}

/* A thread that does not wait for the driver with its own hands is not to be replaced: it comes back in time. */
static void second_thread_is_turned_away(void)
{
    nvp_sampler *sampler = make();
    nvp_snapshot *snapshot = NULL;
    nvp_snapshot_free(sample(sampler));
    control_hang_device(3, "nvmlDeviceGetTemperature");
    pthread_t first = start(sample_once, sampler);
    control_await_in_flight(1);
    CHECK_STATUS(nvp_sampler_sample(sampler, &snapshot), NVP_ERROR_TIMED_OUT);
    CHECK(nvp_sampler_hanging_ms(sampler) == 0);
    CHECK_STATUS(end_of(first), NVP_SUCCESS);
    control_clear_faults();
    nvp_sampler_free(sampler);
}

/* Where nobody could take over, the flag is no promise to hang. */
static void own_thread_is_for_samplers_alone(void)
{
    nvp_snapshot_options options = NVP_SNAPSHOT_OPTIONS_INIT;
    nvp_collector_options collecting = NVP_COLLECTOR_OPTIONS_INIT;
    nvp_collector *collector = NULL;
    nvp_snapshot *snapshot = NULL;
    options.flags = NVP_SNAPSHOT_OWN_THREAD;
    options.timeout_ms = 200;
    collecting.snapshot = &options;
    CHECK_STATUS(nvp_collector_new(&collecting, &collector), NVP_ERROR_BAD_ARGUMENT);
    control_hang_device(3, "nvmlDeviceGetTemperature");
    CHECK_STATUS(nvp_snapshot_take(&options, &snapshot), NVP_SUCCESS);
    CHECK(nvp_snapshot_device(snapshot, 3)->state == NVP_DEVICE_STALLED);
    nvp_snapshot_free(snapshot);
    control_clear_faults();
}

const struct test_case test_cases[] = {
    { "devices_that_all_hang_are_all_asked", devices_that_all_hang_are_all_asked },
    { "devices_that_hang_are_passed_over", devices_that_hang_are_passed_over },
    { "own_thread_that_hangs_is_replaced", own_thread_that_hangs_is_replaced },
    { "own_thread_that_hangs_outlives_the_sampler", own_thread_that_hangs_outlives_the_sampler },
    { "second_thread_is_turned_away", second_thread_is_turned_away },
    { "own_thread_is_for_samplers_alone", own_thread_is_for_samplers_alone },
};
const size_t test_case_count = sizeof test_cases / sizeof *test_cases;
