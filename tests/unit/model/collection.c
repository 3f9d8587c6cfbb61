/*
 * What a span adds up, from snapshots made by hand: means and extremes, what is counted and what is not, growth of counters.
 */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include <nvpulse/nvml.h>

#include "model/collection.h"
#include "model/reading.h"
#include "model/snapshot.h"
#include "model/spans.h"

/* A snapshot of GPUs that a test fills; `time_us` is when everything was read. */
static nvp_snapshot *gpus(size_t count, nvp_reading *metrics[])
{
    nvp_snapshot *snapshot = nvp__snapshot_new();
    assert_non_null(snapshot);
    snapshot->device_count = count;
    snapshot->devices = nvp__arena_new(&snapshot->arena, count, sizeof(*snapshot->devices));
    assert_non_null(snapshot->devices);
    for (size_t i = 0; i < count; i++) {
        metrics[i] = nvp__snapshot_metrics(snapshot);
        assert_non_null(metrics[i]);
        snapshot->devices[i] = (nvp_device_sample){ .index = (unsigned int)i, .mig_index = -1, .metrics = metrics[i] };
    }
    return snapshot;
}

static void add(nvp_collection *span, nvp_snapshot *snapshot)
{
    nvp__collection_add(span, NVP_SUCCESS, snapshot, getpid());
    nvp_snapshot_free(snapshot);
}

static void add_one(nvp_collection *span, nvp_metric metric, nvp_reading reading)
{
    nvp_reading *metrics[1];
    nvp_snapshot *snapshot = gpus(1, metrics);
    metrics[0][metric] = reading;
    add(span, snapshot);
}

static void assert_statistic(const nvp_statistic *statistic, uint64_t count, double mean, double min, double max, double last,
                             double delta)
{
    assert_non_null(statistic);
    assert_int_equal(statistic->count, count);
    assert_true(fabs(statistic->mean - mean) < 1e-9);
    assert_true(statistic->min == min && statistic->max == max && statistic->last == last);
    assert_true(statistic->delta == delta);
}

static void test_collection__gauges_have_a_mean_and_extremes(void **state)
{
    (void)state;
    nvp_collection *span = nvp__collection_new("train", 0);
    add_one(span, NVP_METRIC_POWER_DRAW_MW, nvp__reading_uint(300, 1000));
    add_one(span, NVP_METRIC_POWER_DRAW_MW, nvp__reading_uint(100, 2000));
    add_one(span, NVP_METRIC_POWER_DRAW_MW, nvp__reading_real(250.5, 3000));
    const nvp_statistic *power = nvp_collection_metric(span, 0, NVP_METRIC_POWER_DRAW_MW);
    assert_statistic(power, 3, 650.5 / 3, 100, 300, 250.5, -49.5);
    assert_true(power->first == 300 && power->first_at_us == 1000 && power->last_at_us == 3000);
    assert_int_equal(nvp_collection_sample_count(span), 3);
    assert_int_equal(nvp_collection_metric(span, 0, NVP_METRIC_POWER_LIMIT_MW)->count, 0);
    nvp_collection_free(span);
}

static void test_collection__counters_grow_over_a_reset(void **state)
{
    (void)state;
    static const uint64_t values[] = { 1000, 1500, 1500, 40, 100 };
    nvp_collection *span = nvp__collection_new("train", 0);
    for (int i = 0; i < 5; i++) {
        add_one(span, NVP_METRIC_POWER_ENERGY_MJ, nvp__reading_uint(values[i], i + 1));
    }
    assert_statistic(nvp_collection_metric(span, 0, NVP_METRIC_POWER_ENERGY_MJ), 5, 828, 40, 1500, 100, 600);
    nvp_collection_free(span);
}

static void test_collection__na_and_old_readings_are_not_counted(void **state)
{
    (void)state;
    nvp_collection *span = nvp__collection_new("train", 0);
    add_one(span, NVP_METRIC_TEMPERATURE_GPU_C, nvp__reading_na(NVP_ERROR_NO_DATA));
    add_one(span, NVP_METRIC_TEMPERATURE_GPU_C, nvp__reading_int(40, 1000));
    add_one(span, NVP_METRIC_TEMPERATURE_GPU_C, nvp__reading_int(40, 1000)); /* the same reading, shown again */
    add_one(span, NVP_METRIC_TEMPERATURE_GPU_C, nvp__reading_real(NAN, 1500));
    add_one(span, NVP_METRIC_TEMPERATURE_GPU_C, nvp__reading_int(-60, 2000));
    assert_statistic(nvp_collection_metric(span, 0, NVP_METRIC_TEMPERATURE_GPU_C), 2, -10, -60, 40, -60, -100);
    nvp_collection_free(span);
}

static void test_collection__states_have_a_share_and_labels_nothing(void **state)
{
    (void)state;
    nvp_collection *span = nvp__collection_new("train", 0);
    add_one(span, NVP_METRIC_CLOCKS_EVENT_SW_POWER_CAP, nvp__reading_uint(1, 1));
    add_one(span, NVP_METRIC_CLOCKS_EVENT_SW_POWER_CAP, nvp__reading_uint(0, 2));
    assert_statistic(nvp_collection_metric(span, 0, NVP_METRIC_CLOCKS_EVENT_SW_POWER_CAP), 2, 0.5, 0, 1, 0, -1);
    assert_null(nvp_collection_metric(span, 0, NVP_METRIC_IDENTITY_NAME));
    assert_null(nvp_collection_metric(span, 0, NVP_METRIC_FAN_SPEEDS_PERCENT));
    assert_null(nvp_collection_metric(span, 0, NVP_METRIC_COUNT));
    assert_null(nvp_collection_metric(span, 1, NVP_METRIC_POWER_DRAW_MW));
    assert_null(nvp_collection_process(span, 0, NVP_PROCESS_PID));
    assert_null(nvp_collection_host(span, NVP_HOST_NAME));
    nvp_collection_free(span);
}

static void test_collection__a_device_keeps_its_row_by_its_uuid(void **state)
{
    (void)state;
    static const char *const uuids[] = { "GPU-a", "GPU-b" };
    nvp_collection *span = nvp__collection_new("train", 0);
    for (int round = 0; round < 2; round++) { /* in the second one the devices have changed places */
        nvp_reading *metrics[2];
        nvp_snapshot *snapshot = gpus(2, metrics);
        for (int i = 0; i < 2; i++) {
            metrics[i][NVP_METRIC_IDENTITY_UUID] = nvp__reading_text(uuids[i ^ round], 1);
            metrics[i][NVP_METRIC_POWER_DRAW_MW] = nvp__reading_uint((i ^ round) == 0 ? 10 : 20, round + 1);
        }
        add(span, snapshot);
    }
    assert_int_equal(nvp_collection_device_count(span), 2);
    assert_string_equal(nvp_collection_device(span, 0)->uuid, "GPU-a");
    assert_int_equal(nvp_collection_device(span, 0)->index, 1);
    assert_statistic(nvp_collection_metric(span, 0, NVP_METRIC_POWER_DRAW_MW), 2, 10, 10, 10, 10, 0);
    assert_statistic(nvp_collection_metric(span, 1, NVP_METRIC_POWER_DRAW_MW), 2, 20, 20, 20, 20, 0);
    nvp_collection_free(span);
}

static void test_collection__a_device_that_is_not_well_is_not_counted(void **state)
{
    (void)state;
    nvp_collection *span = nvp__collection_new("train", 0);
    add_one(span, NVP_METRIC_POWER_DRAW_MW, nvp__reading_uint(100, 1));
    for (int i = NVP_DEVICE_STALLED; i <= NVP_DEVICE_FAILED; i++) {
        nvp_reading *metrics[1];
        nvp_snapshot *snapshot = gpus(1, metrics);
        metrics[0][NVP_METRIC_POWER_DRAW_MW] = nvp__reading_uint(999, i + 1);
        snapshot->devices[0].state = (nvp_device_state)i;
        add(span, snapshot);
        assert_int_equal(nvp_collection_device(span, 0)->state, i);
    }
    nvp_reading *metrics[1];
    add(span, gpus(0, metrics)); /* it has gone */
    assert_statistic(nvp_collection_metric(span, 0, NVP_METRIC_POWER_DRAW_MW), 1, 100, 100, 100, 100, 0);
    assert_int_equal(nvp_collection_device_count(span), 1);
    nvp__collection_add(span, NVML_ERROR_DRIVER_NOT_LOADED, NULL, getpid());
    assert_status(nvp_collection_status(span), NVML_ERROR_DRIVER_NOT_LOADED);
    nvp_collection_free(span);
}

static void set_process(nvp_process *process, pid_t pid, uint64_t gpu, uint64_t memory, uint64_t foreign)
{
    for (int i = 0; i < NVP_PROCESS_FIELD_COUNT; i++) {
        process->fields[i] = nvp__reading_na(NVP_ERROR_NO_DATA);
    }
    process->fields[NVP_PROCESS_PID] = nvp__reading_uint((uint64_t)pid, 1);
    process->fields[NVP_PROCESS_FOREIGN] = nvp__reading_uint(foreign, 1);
    process->fields[NVP_PROCESS_GPU_INDEX] = nvp__reading_uint(gpu, 1);
    process->fields[NVP_PROCESS_GPU_MEMORY_BYTES] = nvp__reading_uint(memory, 1);
}

static void test_collection__only_the_process_itself_is_counted(void **state)
{
    (void)state;
    nvp_reading *metrics[2];
    nvp_collection *span = nvp__collection_new("train", 0);
    nvp_snapshot *snapshot = gpus(2, metrics);
    snapshot->process_count = 4;
    snapshot->processes = nvp__arena_new(&snapshot->arena, 4, sizeof(*snapshot->processes));
    assert_non_null(snapshot->processes);
    set_process(&snapshot->processes[0], getpid() + 1, 0, 1, 0);
    set_process(&snapshot->processes[1], getpid(), 0, 2, 1); /* of another pid namespace */
    set_process(&snapshot->processes[2], getpid(), 1, 4, 0);
    set_process(&snapshot->processes[3], getpid(), 7, 8, 0); /* on a device that is not there */
    add(span, snapshot);
    assert_int_equal(nvp_collection_process(span, 0, NVP_PROCESS_GPU_MEMORY_BYTES)->count, 0);
    assert_statistic(nvp_collection_process(span, 1, NVP_PROCESS_GPU_MEMORY_BYTES), 1, 4, 4, 4, 4, 0);
    nvp_collection_free(span);
}

static void test_collection__a_copy_is_independent(void **state)
{
    (void)state;
    nvp_collection *span = nvp__collection_new("train", 0);
    add_one(span, NVP_METRIC_POWER_DRAW_MW, nvp__reading_uint(100, 1));
    nvp_collection *copy = nvp__collection_copy(span, INT64_C(2500000000));
    add_one(span, NVP_METRIC_POWER_DRAW_MW, nvp__reading_uint(300, 2));
    nvp_collection_free(span);
    assert_statistic(nvp_collection_metric(copy, 0, NVP_METRIC_POWER_DRAW_MW), 1, 100, 100, 100, 100, 0);
    assert_string_equal(nvp_collection_tag(copy), "train");
    assert_string_equal(nvp_collection_device(copy, 0)->uuid, "");
    assert_true(nvp_collection_duration_s(copy) == 2.5);
    nvp_collection_free(copy);
}

static void test_spans__are_found_by_their_names(void **state)
{
    (void)state;
    struct nvp__spans spans = { { 0 }, 0, { 0 }, 0 };
    bool is_active;
    assert_null(nvp__spans_find(&spans, NULL, &is_active));
    assert_false(nvp__spans_end(&spans, NULL));
    assert_status(nvp__spans_begin(&spans, "train"), NVP_SUCCESS);
    assert_status(nvp__spans_begin(&spans, "epoch"), NVP_SUCCESS);
    assert_status(nvp__spans_begin(&spans, "step"), NVP_SUCCESS);
    assert_string_equal(nvp_collection_tag(nvp__spans_find(&spans, "epoch", &is_active)), "train/epoch");
    assert_string_equal(nvp_collection_tag(nvp__spans_find(&spans, NULL, &is_active)), "train/epoch/step");
    assert_null(nvp__spans_find(&spans, "poch", &is_active));
    assert_true(nvp__spans_end(&spans, "epoch")); /* and with it the step */
    assert_int_equal(spans.active_count, 1);
    assert_string_equal(nvp_collection_tag(nvp__spans_find(&spans, "step", &is_active)), "train/epoch/step");
    assert_false(is_active);
    assert_status(nvp__spans_begin(&spans, "epoch"), NVP_SUCCESS); /* anew, not beside the old one */
    assert_int_equal(spans.stopped_count, 1);
    nvp__spans_begin_anew(&spans);
    assert_null(nvp__spans_find(&spans, "step", &is_active));
    assert_int_equal(spans.active_count, 2);
    nvp__spans_clear(&spans);
}

static void test_spans__are_bounded(void **state)
{
    (void)state;
    struct nvp__spans spans = { { 0 }, 0, { 0 }, 0 };
    bool is_active;
    for (unsigned int i = 0; i < NVP__SPANS_ACTIVE_MAX; i++) {
        assert_status(nvp__spans_begin(&spans, "0123456789012345678901234567890123456789012345678901234567890123"), NVP_SUCCESS);
    }
    assert_status(nvp__spans_begin(&spans, "more"), NVP_ERROR_BAD_ARGUMENT);
    nvp__spans_clear(&spans);
    for (int i = 0; i < 100; i++) {
        char tag[16];
        snprintf(tag, sizeof(tag), "step-%d", i);
        assert_status(nvp__spans_begin(&spans, tag), NVP_SUCCESS);
        assert_true(nvp__spans_end(&spans, tag));
    }
    assert_null(nvp__spans_find(&spans, "step-35", &is_active));
    assert_non_null(nvp__spans_find(&spans, "step-36", &is_active));
    nvp__spans_clear(&spans);
}

static void test_spans__tags_are_checked(void **state)
{
    (void)state;
    assert_true(nvp__tag_fits("epoch") && nvp__tag_fits("\xc3\xa9poque 1"));
    assert_false(nvp__tag_fits(NULL) || nvp__tag_fits("") || nvp__tag_fits("a/b") || nvp__tag_fits("\xc3"));
    assert_false(nvp__tag_fits("01234567890123456789012345678901234567890123456789012345678901234"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_collection__gauges_have_a_mean_and_extremes),
        cmocka_unit_test(test_collection__counters_grow_over_a_reset),
        cmocka_unit_test(test_collection__na_and_old_readings_are_not_counted),
        cmocka_unit_test(test_collection__states_have_a_share_and_labels_nothing),
        cmocka_unit_test(test_collection__a_device_keeps_its_row_by_its_uuid),
        cmocka_unit_test(test_collection__a_device_that_is_not_well_is_not_counted),
        cmocka_unit_test(test_collection__only_the_process_itself_is_counted),
        cmocka_unit_test(test_collection__a_copy_is_independent),
        cmocka_unit_test(test_spans__are_found_by_their_names),
        cmocka_unit_test(test_spans__are_bounded),
        cmocka_unit_test(test_spans__tags_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
