/*
 * Collecting in the background: spans, their samples, and a thread that is in nobody's way, at the end and in a fork as well.
 */
#include "cases.h"

#include <string.h>

#include <nvpulse/collector.h>

#define DEVICES 8
#define PATIENCE 20000 /* looks of a millisecond each */

static nvp_collector *make(unsigned int interval_ms)
{
    nvp_collector_options options = NVP_COLLECTOR_OPTIONS_INIT;
    nvp_collector *collector = NULL;
    options.interval_ms = interval_ms;
    CHECK_STATUS(nvp_collector_new(&options, &collector), NVP_SUCCESS);
    return collector;
}

static nvp_collection *collect(nvp_collector *collector, const char *tag)
{
    nvp_collection *collection = NULL;
    CHECK_STATUS(nvp_collector_collect(collector, tag, &collection), NVP_SUCCESS);
    return collection;
}

/* What a span has collected once it has that many samples. */
static nvp_collection *collect_samples(nvp_collector *collector, const char *tag, uint64_t samples)
{
    for (int left = PATIENCE; left > 0; left--) {
        nvp_collection *collection = collect(collector, tag);
        if (nvp_collection_sample_count(collection) >= samples) {
            return collection;
        }
        nvp_collection_free(collection);
        usleep(1000);
    }
    CHECK(!"the samples come");
    return NULL;
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void nothing_happens_before_the_first_span(void)
{
    nvp_collection *collection = NULL;
    nvp_collector *collector = make(1);
    usleep(20000);
    CHECK(nvp_get_state() == NVP_STATE_COLD);
    CHECK_STATUS(nvp_collector_collect(collector, NULL, &collection), NVP_ERROR_NO_SUCH_FIELD);
    CHECK_STATUS(nvp_collector_stop(collector, NULL), NVP_ERROR_NO_SUCH_FIELD);
    nvp_collector_free(collector);
    nvp_collector_free(NULL);
    CHECK(nvp_get_state() == NVP_STATE_COLD);
}

static void arguments_are_checked(void)
{
    nvp_collection *collection = NULL;
    nvp_collector *collector = NULL;
    nvp_metric bad = NVP_METRIC_COUNT;
    nvp_snapshot_options snapshot = NVP_SNAPSHOT_OPTIONS_INIT;
    nvp_collector_options options = NVP_COLLECTOR_OPTIONS_INIT;
    CHECK_STATUS(nvp_collector_new(NULL, NULL), NVP_ERROR_BAD_ARGUMENT);
    options.snapshot = &snapshot;
    snapshot.metrics = &bad;
    snapshot.metric_count = 1;
    CHECK_STATUS(nvp_collector_new(&options, &collector), NVP_ERROR_BAD_ARGUMENT);
    options.struct_size = 1;
    CHECK_STATUS(nvp_collector_new(&options, &collector), NVP_ERROR_BAD_ARGUMENT);
    CHECK(collector == NULL);
    CHECK_STATUS(nvp_collector_new(NULL, &collector), NVP_SUCCESS);
    CHECK_STATUS(nvp_collector_start(collector, ""), NVP_ERROR_BAD_ARGUMENT);
    CHECK_STATUS(nvp_collector_start(collector, "a/b"), NVP_ERROR_BAD_ARGUMENT);
    CHECK_STATUS(nvp_collector_start(NULL, "a"), NVP_ERROR_BAD_ARGUMENT);
    CHECK_STATUS(nvp_collector_collect(collector, NULL, NULL), NVP_ERROR_BAD_ARGUMENT);
    CHECK_STATUS(nvp_collector_collect(NULL, NULL, &collection), NVP_ERROR_BAD_ARGUMENT);
    CHECK_STATUS(nvp_collector_stop(NULL, NULL), NVP_ERROR_BAD_ARGUMENT);
    CHECK_STATUS(nvp_collector_reset(NULL), NVP_ERROR_BAD_ARGUMENT);
    nvp_collector_free(collector);
}

/* Outer spans see the samples of inner ones, not the other way round. */
static void spans_nest(void)
{
    nvp_collector *collector = make(1);
    CHECK_STATUS(nvp_collector_start(collector, "train"), NVP_SUCCESS);
    nvp_collection_free(collect_samples(collector, NULL, 3));
    CHECK_STATUS(nvp_collector_start(collector, "epoch"), NVP_SUCCESS);
    nvp_collection_free(collect_samples(collector, "epoch", 2));
    CHECK_STATUS(nvp_collector_stop(collector, "epoch"), NVP_SUCCESS);
    nvp_collection *epoch = collect(collector, "train/epoch"), *train = collect(collector, "train");
    CHECK(strcmp(nvp_collection_tag(epoch), "train/epoch") == 0 && strcmp(nvp_collection_tag(train), "train") == 0);
    CHECK(nvp_collection_sample_count(epoch) >= 2);
    CHECK(nvp_collection_sample_count(train) >= nvp_collection_sample_count(epoch) + 3);
    CHECK(nvp_collection_started_at_us(epoch) > nvp_collection_started_at_us(train));
    CHECK(nvp_collection_duration_s(epoch) > 0 && nvp_collection_duration_s(epoch) < nvp_collection_duration_s(train));
    nvp_collection *later = collect(collector, "epoch");
    CHECK(nvp_collection_duration_s(later) == nvp_collection_duration_s(epoch)); /* it has ended */
    nvp_collection_free(later);
    nvp_collection_free(epoch);
    nvp_collection_free(train);
    nvp_collector_free(collector);
}

static void every_device_has_its_numbers(void)
{
    nvp_collector *collector = make(1);
    CHECK_STATUS(nvp_collector_start(collector, "train"), NVP_SUCCESS);
    nvp_collection *collection = collect_samples(collector, "train", 3);
    nvp_collector_free(collector); /* what it gave stands by itself */
    CHECK(nvp_collection_device_count(collection) == DEVICES);
    CHECK_STATUS(nvp_collection_status(collection), NVP_SUCCESS);
    for (unsigned int i = 0; i < DEVICES; i++) {
        const nvp_collected_device *device = nvp_collection_device(collection, i);
        CHECK(device->index == i && device->mig_index == -1 && device->state == NVP_DEVICE_OK);
        CHECK(strncmp(device->uuid, "GPU-", 4) == 0);
        const nvp_statistic *power = nvp_collection_metric(collection, i, NVP_METRIC_POWER_DRAW_MW);
        CHECK(power->count >= 3 && power->min > 1000 && power->min <= power->mean && power->mean <= power->max);
        CHECK(power->last_at_us > power->first_at_us);
        const nvp_statistic *total = nvp_collection_metric(collection, i, NVP_METRIC_MEMORY_TOTAL_BYTES);
        CHECK(total->count >= 1 && total->mean > 79e9 && total->delta == 0);
        CHECK(nvp_collection_metric(collection, i, NVP_METRIC_FAN_SPEED_PERCENT)->count == 0); /* N/A there */
    }
    CHECK(nvp_collection_host(collection, NVP_HOST_MEMORY_TOTAL_BYTES)->min > 0);
    nvp_collection_free(collection);
}

/* However long the interval, a span has a sample as soon as somebody asks. */
static void first_sample_of_a_span_comes_at_once(void)
{
    int64_t begin_ms = now_ms();
    nvp_collector *collector = make(3600000);
    for (int i = 0; i < 3; i++) {
        CHECK_STATUS(nvp_collector_start(collector, "deeper"), NVP_SUCCESS);
        nvp_collection *collection = collect(collector, NULL);
        CHECK(nvp_collection_sample_count(collection) == 1);
        nvp_collection_free(collection);
    }
    CHECK(now_ms() - begin_ms < 60000);
    nvp_collector_free(collector);
}

static void reset_and_restart_begin_anew(void)
{
    nvp_collection *collection = NULL;
    nvp_collector *collector = make(3600000);
    CHECK_STATUS(nvp_collector_start(collector, "train"), NVP_SUCCESS);
    CHECK_STATUS(nvp_collector_start(collector, "epoch"), NVP_SUCCESS);
    nvp_collection_free(collect_samples(collector, "epoch", 1));
    CHECK_STATUS(nvp_collector_stop(collector, "epoch"), NVP_SUCCESS);
    CHECK_STATUS(nvp_collector_start(collector, "epoch"), NVP_SUCCESS);
    collection = collect(collector, "epoch");
    CHECK(nvp_collection_sample_count(collection) == 1);
    nvp_collection_free(collection);
    CHECK_STATUS(nvp_collector_stop(collector, NULL), NVP_SUCCESS);
    CHECK_STATUS(nvp_collector_reset(collector), NVP_SUCCESS);
    CHECK_STATUS(nvp_collector_collect(collector, "epoch", &collection), NVP_ERROR_NO_SUCH_FIELD);
    collection = collect(collector, "train");
    CHECK(nvp_collection_sample_count(collection) == 1);
    nvp_collection_free(collection);
    nvp_collector_free(collector);
}

static void named_metrics_alone_are_collected(void)
{
    const nvp_metric power = NVP_METRIC_POWER_DRAW_MW;
    nvp_snapshot_options snapshot = NVP_SNAPSHOT_OPTIONS_INIT;
    nvp_collector_options options = { sizeof(options), 1, &snapshot };
    nvp_collector *collector = NULL;
    snapshot.metrics = &power;
    snapshot.metric_count = 1;
    snapshot.flags = NVP_SNAPSHOT_NO_PROCESSES;
    CHECK_STATUS(nvp_collector_new(&options, &collector), NVP_SUCCESS);
    CHECK_STATUS(nvp_collector_start(collector, "train"), NVP_SUCCESS);
    nvp_collection *collection = collect_samples(collector, "train", 2);
    CHECK(nvp_collection_metric(collection, 0, power)->count >= 2);
    CHECK(nvp_collection_metric(collection, 0, NVP_METRIC_TEMPERATURE_GPU_C)->count == 0);
    CHECK(strncmp(nvp_collection_device(collection, 7)->uuid, "GPU-", 4) == 0);
    nvp_collection_free(collection);
    nvp_collector_free(collector);
}

/* The simulated process has the pid of this one. */
static void use_of_the_program_itself_is_collected(void)
{
    static const char path[] = "collector-self.yaml";
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    fputs("version: 1\nbase: h100x8\nprocesses:\n  - {name: me, pid: self, device: 2, used_memory_mib: 512}\n", file);
    CHECK(fclose(file) == 0);
    unsetenv("NVPULSE_SIM_PROFILE");
    setenv("NVPULSE_SIM_SCENARIO", path, 1);
    nvp_collector *collector = make(1);
    CHECK_STATUS(nvp_collector_start(collector, "train"), NVP_SUCCESS);
    nvp_collection *collection = collect_samples(collector, "train", 2);
    CHECK(nvp_collection_process(collection, 2, NVP_PROCESS_GPU_MEMORY_BYTES)->mean == 512.0 * 1024 * 1024);
    CHECK(nvp_collection_process(collection, 2, NVP_PROCESS_HOST_MEMORY_BYTES)->min > 0);
    CHECK(nvp_collection_process(collection, 3, NVP_PROCESS_GPU_MEMORY_BYTES)->count == 0);
    nvp_collection_free(collection);
    nvp_collector_free(collector);
    remove(path);
}

static void device_that_is_lost_does_not_count(void)
{
    setenv("NVPULSE_RETRY_MS", "60000", 1);
    nvp_log_set(NVP_LOG_OFF, NULL, NULL);
    nvp_collector *collector = make(1);
    CHECK_STATUS(nvp_collector_start(collector, "train"), NVP_SUCCESS);
    nvp_collection_free(collect_samples(collector, "train", 1));
    control_add_fault(&(nvpsim_fault){ .struct_size = sizeof(nvpsim_fault), .device = 2, .error = NVML_ERROR_GPU_IS_LOST });
    CHECK_STATUS(nvp_collector_start(collector, "without"), NVP_SUCCESS);
    nvp_collection *collection = collect_samples(collector, "without", 2);
    CHECK(nvp_collection_device_count(collection) == DEVICES);
    CHECK(nvp_collection_device(collection, 2)->state == NVP_DEVICE_LOST);
    CHECK(nvp_collection_metric(collection, 2, NVP_METRIC_POWER_DRAW_MW)->count == 0);
    CHECK(nvp_collection_metric(collection, 3, NVP_METRIC_POWER_DRAW_MW)->count >= 2);
    nvp_collection_free(collection);
    nvp_collector_free(collector);
}

static void machine_without_a_driver_says_why(void)
{
    setenv("NVPULSE_NVML_PATH", "/nowhere/libnvidia-ml.so.1", 1);
    nvp_log_set(NVP_LOG_OFF, NULL, NULL);
    nvp_collector *collector = make(1);
    CHECK_STATUS(nvp_collector_start(collector, "train"), NVP_SUCCESS);
    nvp_collection *collection = collect(collector, "train");
    CHECK(nvp_collection_sample_count(collection) == 0 && nvp_collection_device_count(collection) == 0);
    CHECK_STATUS(nvp_collection_status(collection), NVP_ERROR_LIBRARY_BROKEN);
    nvp_collection_free(collection);
    nvp_collector_free(collector);
}

static void free_is_prompt_while_the_driver_hangs(void)
{
    nvp_collector *collector = make(1);
    control_hang("nvmlDeviceGetTemperature");
    CHECK_STATUS(nvp_collector_start(collector, "train"), NVP_SUCCESS);
    control_await_in_flight(DEVICES);
    int64_t begin_ms = now_ms();
    nvp_collector_free(collector);
    CHECK(now_ms() - begin_ms < 1000); /* the time-out of a sample is twice that */
    control_clear_faults();
    while (control_in_flight() > 0) {
        usleep(1000);
    }
}

/* Nobody frees it: the process ends as ever, with exit code 0. */
static void process_ends_while_collecting(void)
{
    nvp_collector *collector = make(1);
    CHECK_STATUS(nvp_collector_start(collector, "train"), NVP_SUCCESS);
    nvp_collection_free(collect_samples(collector, "train", 2));
}

static void forked_child_can_only_free(void)
{
    nvp_collector *collector = make(1);
    CHECK_STATUS(nvp_collector_start(collector, "train"), NVP_SUCCESS);
    for (int i = 0; i < 20; i++) { /* in the middle of a sample or not */
        nvp_collection_free(collect_samples(collector, "train", (uint64_t)i + 1));
        pid_t child = fork();
        if (child == 0) {
            nvp_collection *collection = NULL;
            CHECK_STATUS(nvp_collector_start(collector, "epoch"), NVP_ERROR_FORKED);
            CHECK_STATUS(nvp_collector_stop(collector, NULL), NVP_ERROR_FORKED);
            CHECK_STATUS(nvp_collector_reset(collector), NVP_ERROR_FORKED);
            CHECK_STATUS(nvp_collector_collect(collector, NULL, &collection), NVP_ERROR_FORKED);
            nvp_collector_free(collector);
            _exit(0);
        }
        CHECK(await_child(child) == 0);
    }
    nvp_collection_free(collect_samples(collector, "train", 25)); /* the parent goes on */
    nvp_collector_free(collector);
}

static void *use_it(void *argument)
{
    nvp_collector *collector = argument;
    for (int i = 0; i < 200; i++) {
        nvp_collection *collection = NULL;
        nvp_collector_start(collector, "busy");
        nvp_collector_start(collector, "inner");
        if (i % 20 == 0) {
            nvp_collector_reset(collector);
        }
        if (nvp_collector_collect(collector, i % 2 == 0 ? "busy" : "inner", &collection) == NVP_SUCCESS) {
            CHECK(nvp_collection_duration_s(collection) >= 0);
            nvp_collection_free(collection);
        }
        nvp_collector_stop(collector, "busy");
    }
    return NULL;
}

static void threads_share_a_collector(void)
{
    nvp_collector *collector = make(1);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        threads[i] = start(use_it, collector);
    }
    for (int i = 0; i < 4; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    nvp_collector_free(collector);
}

const struct test_case test_cases[] = {
    { "nothing_happens_before_the_first_span", nothing_happens_before_the_first_span },
    { "arguments_are_checked", arguments_are_checked },
    { "spans_nest", spans_nest },
    { "every_device_has_its_numbers", every_device_has_its_numbers },
    { "first_sample_of_a_span_comes_at_once", first_sample_of_a_span_comes_at_once },
    { "reset_and_restart_begin_anew", reset_and_restart_begin_anew },
    { "named_metrics_alone_are_collected", named_metrics_alone_are_collected },
    { "use_of_the_program_itself_is_collected", use_of_the_program_itself_is_collected },
    { "device_that_is_lost_does_not_count", device_that_is_lost_does_not_count },
    { "machine_without_a_driver_says_why", machine_without_a_driver_says_why },
    { "free_is_prompt_while_the_driver_hangs", free_is_prompt_while_the_driver_hangs },
    { "process_ends_while_collecting", process_ends_while_collecting },
    { "forked_child_can_only_free", forked_child_can_only_free },
    { "threads_share_a_collector", threads_share_a_collector },
};
const size_t test_case_count = sizeof(test_cases) / sizeof(test_cases[0]);
