/*
 * Snapshots one after the other: what they cost, devices that hang, vanish or sleep, MIG devices, events, a driver that is opened anew.
 */
#include "cases.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include <nvpulse/sampler.h>

#define DEVICES 8

static nvp_sampler *make_with(nvp_snapshot_options options)
{
    nvp_sampler *sampler = NULL;
    CHECK_STATUS(nvp_sampler_new(&options, &sampler), NVP_SUCCESS);
    return sampler;
}

static nvp_sampler *make(unsigned int flags, unsigned int timeout_ms, const nvp_metric *metrics, size_t count)
{
    nvp_snapshot_options options = NVP_SNAPSHOT_OPTIONS_INIT;
    options.flags = flags;
    options.timeout_ms = timeout_ms;
    options.metrics = metrics;
    options.metric_count = count;
    return make_with(options);
}

static void drop_sample(nvp_sampler *sampler)
{
    nvp_snapshot_free(sample(sampler));
}

static const nvp_reading *reading_of(const nvp_snapshot *snapshot, size_t place, nvp_metric metric)
{
    const nvp_reading *reading = nvp_device_sample_get(nvp_snapshot_device(snapshot, place), metric);
    CHECK(reading != NULL);
    return reading;
}

static double number_of(const nvp_snapshot *snapshot, size_t place, nvp_metric metric)
{
    return nvp_reading_number(reading_of(snapshot, place, metric), -1);
}

static void snapshot_has_devices_host_and_processes(void)
{
    nvp_snapshot *snapshot = NULL;
    CHECK_STATUS(nvp_snapshot_take(NULL, &snapshot), NVP_SUCCESS);
    CHECK(nvp_snapshot_device_count(snapshot) == DEVICES);
    CHECK(nvp_snapshot_sequence(snapshot) == 1 && nvp_snapshot_generation(snapshot) == nvp_generation());
    CHECK(nvp_snapshot_time_us(snapshot) > 0);
    for (unsigned int i = 0; i < DEVICES; i++) {
        const nvp_device_sample *device = nvp_snapshot_device(snapshot, i);
        CHECK(device->index == i && device->mig_index == -1 && device->state == NVP_DEVICE_OK && device->status == NVP_SUCCESS);
        CHECK(number_of(snapshot, i, NVP_METRIC_IDENTITY_INDEX) == i);
        CHECK(number_of(snapshot, i, NVP_METRIC_POWER_DRAW_MW) > 1000);
        CHECK(reading_of(snapshot, i, NVP_METRIC_FAN_SPEED_PERCENT)->reason == NVP_REASON_NOT_SUPPORTED);
        CHECK(reading_of(snapshot, i, NVP_METRIC_GPM_SM_PERCENT)->reason == NVP_REASON_NO_DATA); /* costly: not asked */
    }
    CHECK(strcmp(nvp_reading_text(nvp_snapshot_host(snapshot, NVP_HOST_DRIVER_VERSION), ""), "550.163.01") == 0);
    CHECK(strcmp(nvp_reading_text(nvp_snapshot_host(snapshot, NVP_HOST_CUDA_VERSION), ""), "12.4") == 0);
    CHECK(strstr(nvp_reading_text(nvp_snapshot_host(snapshot, NVP_HOST_SIMULATION), ""), "simulator") != NULL);
    CHECK(nvp_reading_number(nvp_snapshot_host(snapshot, NVP_HOST_MEMORY_TOTAL_BYTES), 0) > 0);
    CHECK(nvp_snapshot_process_count(snapshot) > 8);
    CHECK_STATUS(nvp_snapshot_process_status(snapshot), NVP_SUCCESS);
    nvp_snapshot_free(snapshot);
}

/* The calls of one device in a sample in which only what is hot is due. */
static void hot_sample_takes_at_most_eight_calls(void)
{
    nvp_sampler *sampler = make(NVP_SNAPSHOT_NO_PROCESSES, 0, NULL, 0);
    for (int i = 0; i < 3; i++) {
        drop_sample(sampler);
    }
    control_reset_calls();
    drop_sample(sampler);
    uint64_t system_calls = control_calls("nvmlDeviceGetCount_v2") + control_calls("nvmlEventSetWait_v2") +
                            control_calls("nvmlDeviceGetCount") + control_calls("nvmlEventSetWait");
    uint64_t calls = (control_calls(NULL) - system_calls) / DEVICES;
    if (calls > 8 || calls < 3 || system_calls > 2) {
        fprintf(stderr, "%llu calls of a device, %llu of the system\n", (unsigned long long)calls,
                (unsigned long long)system_calls);
        _exit(1);
    }
    CHECK(control_calls("nvmlDeviceGetFieldValues") <= DEVICES);
    nvp_sampler_free(sampler);
}

static void named_metric_takes_one_call_of_a_device(void)
{
    const nvp_metric power = NVP_METRIC_POWER_DRAW_MW;
    nvp_sampler *sampler = make(NVP_SNAPSHOT_NO_PROCESSES, 0, &power, 1);
    drop_sample(sampler);
    drop_sample(sampler);
    control_reset_calls();
    nvp_snapshot *snapshot = sample(sampler);
    uint64_t calls = control_calls(NULL) - control_calls("nvmlDeviceGetCount_v2") - control_calls("nvmlDeviceGetMigMode");
    CHECK(calls == DEVICES);
    CHECK(number_of(snapshot, 7, NVP_METRIC_POWER_DRAW_MW) > 1000);
    CHECK(reading_of(snapshot, 7, NVP_METRIC_TEMPERATURE_GPU_C)->reason == NVP_REASON_NO_DATA);
    CHECK(nvp_snapshot_process_count(snapshot) == 0);
    CHECK_STATUS(nvp_snapshot_process_status(snapshot), NVP_ERROR_NO_DATA);
    nvp_snapshot_free(snapshot);
    nvp_sampler_free(sampler);
}

static void slow_metrics_keep_their_age(void)
{
    nvp_sampler *sampler = make(NVP_SNAPSHOT_NO_PROCESSES, 0, NULL, 0);
    nvp_snapshot *first = sample(sampler), *second = sample(sampler);
    CHECK(reading_of(first, 0, NVP_METRIC_POWER_ENERGY_MJ)->read_at_us > 0);
    CHECK(reading_of(second, 0, NVP_METRIC_POWER_ENERGY_MJ)->read_at_us ==
          reading_of(first, 0, NVP_METRIC_POWER_ENERGY_MJ)->read_at_us);
    CHECK(reading_of(second, 0, NVP_METRIC_UTILIZATION_GPU_PERCENT)->read_at_us >
          reading_of(first, 0, NVP_METRIC_UTILIZATION_GPU_PERCENT)->read_at_us);
    CHECK(nvp_snapshot_sequence(second) == 2);
    nvp_snapshot_free(first);
    CHECK(number_of(second, 0, NVP_METRIC_POWER_ENERGY_MJ) > 0); /* a snapshot stands by itself */
    nvp_sampler_free(sampler);
    CHECK(strstr(nvp_reading_text(reading_of(second, 1, NVP_METRIC_IDENTITY_NAME), ""), "H100") != NULL);
    nvp_snapshot_free(second);
}

/* A call that takes 20 ms a time is not made unless somebody names what only it can tell. */
static void blocking_call_is_made_only_when_it_is_named(void)
{
    nvp_sampler *sampler = make(NVP_SNAPSHOT_NO_PROCESSES, 0, NULL, 0);
    drop_sample(sampler);
    drop_sample(sampler);
    CHECK(control_calls("nvmlDeviceGetPcieThroughput") == 0);
    nvp_sampler_free(sampler);
    const nvp_metric rate = NVP_METRIC_PCIE_TX_BYTES_PER_S;
    sampler = make(NVP_SNAPSHOT_NO_PROCESSES, 0, &rate, 1);
    nvp_snapshot *snapshot = sample(sampler);
    bool counters = nvp_reading_has(reading_of(snapshot, 0, NVP_METRIC_PCIE_TX_BYTES)); /* the rate is made from them */
    bool can_block = nvp_function_available(nvp_function_find("nvmlDeviceGetPcieThroughput"));
    CHECK((control_calls("nvmlDeviceGetPcieThroughput") > 0) == (!counters && can_block));
    CHECK(nvp_reading_has(reading_of(snapshot, 0, rate)) == (!counters && can_block)); /* a counter needs two samples */
    nvp_snapshot_free(snapshot);
    nvp_sampler_free(sampler);
}

static void device_that_hangs_stops_nobody_else(void)
{
    nvp_sampler *sampler = make(0, 500, NULL, 0);
    nvp_snapshot *before = sample(sampler);
    control_hang_device(3, "nvmlDeviceGetTemperature");
    for (int i = 0; i < 3; i++) {
        nvp_snapshot *snapshot = sample(sampler);
        CHECK(nvp_snapshot_device_count(snapshot) == DEVICES);
        const nvp_device_sample *stalled = nvp_snapshot_device(snapshot, 3);
        CHECK(stalled->state == NVP_DEVICE_STALLED && stalled->status == NVP_ERROR_TIMED_OUT && stalled->stalled_us > 400000);
        CHECK(stalled->sampled_at_us == nvp_snapshot_device(before, 3)->sampled_at_us);
        CHECK(number_of(snapshot, 3, NVP_METRIC_TEMPERATURE_GPU_C) == number_of(before, 3, NVP_METRIC_TEMPERATURE_GPU_C));
        for (unsigned int d = 0; d < DEVICES; d++) {
            CHECK(d == 3 || nvp_snapshot_device(snapshot, d)->state == NVP_DEVICE_OK);
            CHECK(d == 3 || nvp_snapshot_device(snapshot, d)->sampled_at_us > nvp_snapshot_device(before, d)->sampled_at_us);
        }
        CHECK(control_in_flight() == 1); /* no second thread follows the first */
        CHECK(nvp_snapshot_process_count(snapshot) == nvp_snapshot_process_count(before));
        CHECK_STATUS(nvp_snapshot_process_status(snapshot), NVP_ERROR_TIMED_OUT);
        nvp_snapshot_free(snapshot);
    }
    control_clear_faults();
    while (control_in_flight() > 0) {
        usleep(1000);
    }
    for (int left = 1000; left > 0; left--) { /* the lane comes back within a moment */
        nvp_snapshot *snapshot = sample(sampler);
        bool back = nvp_snapshot_device(snapshot, 3)->state == NVP_DEVICE_OK;
        nvp_snapshot_free(snapshot);
        if (back) {
            nvp_snapshot_free(before);
            nvp_sampler_free(sampler);
            return;
        }
        usleep(1000);
    }
    CHECK(!"the device came back");
}

static void named_metrics_are_paced_on_request(void)
{
    const nvp_metric metrics[] = { NVP_METRIC_POWER_ENERGY_MJ, NVP_METRIC_UTILIZATION_GPU_PERCENT };
    for (unsigned int flags = 0; flags <= NVP_SNAPSHOT_PACED; flags += NVP_SNAPSHOT_PACED) {
        nvp_sampler *sampler = make(NVP_SNAPSHOT_NO_PROCESSES | flags, 0, metrics, 2);
        nvp_snapshot *first = sample(sampler), *second = sample(sampler);
        CHECK((reading_of(second, 0, metrics[0])->read_at_us == reading_of(first, 0, metrics[0])->read_at_us) == (flags != 0));
        CHECK(reading_of(second, 0, metrics[1])->read_at_us > reading_of(first, 0, metrics[1])->read_at_us);
        CHECK(number_of(second, 0, metrics[0]) > 0);
        nvp_snapshot_free(first);
        nvp_snapshot_free(second);
        nvp_sampler_free(sampler);
    }
}

static void device_that_hangs_from_the_beginning_has_a_row(void)
{
    control_hang_device(5, "nvmlDeviceGetName");
    nvp_sampler *sampler = make(0, 500, NULL, 0);
    nvp_snapshot *snapshot = sample(sampler);
    CHECK(nvp_snapshot_device_count(snapshot) == DEVICES);
    const nvp_device_sample *stalled = nvp_snapshot_device(snapshot, 5);
    CHECK(stalled->state == NVP_DEVICE_STALLED && stalled->index == 5 && stalled->sampled_at_us == 0);
    CHECK(reading_of(snapshot, 5, NVP_METRIC_IDENTITY_NAME)->reason == NVP_REASON_TIMED_OUT);
    CHECK(number_of(snapshot, 6, NVP_METRIC_POWER_DRAW_MW) > 1000);
    nvp_snapshot_free(snapshot);
    nvp_sampler_free(sampler); /* leaves the stuck thread behind, without waiting for it */
    CHECK(control_in_flight() == 1);
    control_clear_faults();
    while (control_in_flight() > 0) {
        usleep(1000);
    }
}

static void lost_device_keeps_its_row(void)
{
    setenv("NVPULSE_RETRY_MS", "60000", 1);
    nvp_sampler *sampler = make(0, 0, NULL, 0);
    drop_sample(sampler);
    control_add_fault(&(nvpsim_fault){ .struct_size = sizeof(nvpsim_fault), .device = 2, .error = NVML_ERROR_GPU_IS_LOST });
    nvp_snapshot *snapshot = sample(sampler);
    CHECK(nvp_snapshot_device_count(snapshot) == DEVICES);
    const nvp_device_sample *lost = nvp_snapshot_device(snapshot, 2);
    CHECK(lost->state == NVP_DEVICE_LOST && lost->status == NVML_ERROR_GPU_IS_LOST);
    CHECK(reading_of(snapshot, 2, NVP_METRIC_UTILIZATION_GPU_PERCENT)->reason == NVP_REASON_GPU_LOST);
    CHECK(strstr(nvp_reading_text(reading_of(snapshot, 2, NVP_METRIC_IDENTITY_NAME), ""), "H100") !=
          NULL); /* what it was is known */
    CHECK(nvp_snapshot_device(snapshot, 3)->state == NVP_DEVICE_OK && nvp_snapshot_device(snapshot, 3)->index == 3);
    nvp_snapshot_free(snapshot);
    control_clear_faults();
    snapshot = sample(sampler);
    CHECK(nvp_snapshot_device(snapshot, 2)->state == NVP_DEVICE_OK);
    CHECK(number_of(snapshot, 2, NVP_METRIC_UTILIZATION_GPU_PERCENT) >= 0);
    nvp_snapshot_free(snapshot);
    nvp_sampler_free(sampler);
}

static void device_that_refuses_everything_has_failed(void)
{
    control_add_fault(&(nvpsim_fault){ .struct_size = sizeof(nvpsim_fault), .device = 4, .error = NVML_ERROR_NO_PERMISSION });
    nvp_snapshot *snapshot = NULL;
    CHECK_STATUS(nvp_snapshot_take(NULL, &snapshot), NVP_SUCCESS);
    CHECK(nvp_snapshot_device(snapshot, 4)->state == NVP_DEVICE_FAILED);
    CHECK(nvp_snapshot_device(snapshot, 4)->status == NVML_ERROR_NO_PERMISSION);
    CHECK(nvp_snapshot_device(snapshot, 5)->state == NVP_DEVICE_OK);
    nvp_snapshot_free(snapshot);
}

static void session_that_dies_is_opened_again(void)
{
    setenv("NVPULSE_RETRY_MS", "1", 1);
    nvp_log_set(NVP_LOG_OFF, NULL, NULL);
    nvp_sampler *sampler = make(0, 0, NULL, 0);
    nvp_snapshot *before = sample(sampler);
    control_add_fault(&(nvpsim_fault){ .struct_size = sizeof(nvpsim_fault),
                                       .function = "nvmlDeviceGetTemperature",
                                       .device = -1,
                                       .error = NVML_ERROR_UNINITIALIZED,
                                       .times = 1 });
    drop_sample(sampler);
    nvp_snapshot *after = sample(sampler);
    CHECK(nvp_snapshot_generation(after) > nvp_snapshot_generation(before));
    for (unsigned int i = 0; i < DEVICES; i++) {
        CHECK(nvp_snapshot_device(after, i)->state == NVP_DEVICE_OK);
        CHECK(strcmp(nvp_reading_text(reading_of(after, i, NVP_METRIC_IDENTITY_UUID), "?"),
                     nvp_reading_text(reading_of(before, i, NVP_METRIC_IDENTITY_UUID), "!")) == 0);
    }
    nvp_snapshot_free(before);
    nvp_snapshot_free(after);
    nvp_sampler_free(sampler);
}

static void events_are_counted_from_the_second_sample(void)
{
    nvpsim_post_event_fn *post = (nvpsim_post_event_fn *)nvp_symbol("nvpsim_post_event");
    CHECK(post != NULL);
    nvp_sampler *sampler = make(0, 0, NULL, 0);
    nvp_snapshot *snapshot = sample(sampler);
    CHECK(reading_of(snapshot, 1, NVP_METRIC_EVENT_XID_COUNT)->reason == NVP_REASON_NO_DATA);
    nvp_snapshot_free(snapshot);
    snapshot = sample(sampler);
    CHECK(number_of(snapshot, 1, NVP_METRIC_EVENT_XID_COUNT) == 0);
    CHECK(!nvp_reading_has(reading_of(snapshot, 1, NVP_METRIC_EVENT_LAST_XID)));
    nvp_snapshot_free(snapshot);
    CHECK(post(1, nvmlEventTypeXidCriticalError, 79) == 1);
    CHECK(post(1, nvmlEventTypeXidCriticalError, 31) == 1);
    CHECK(post(6, nvmlEventTypeXidCriticalError, 48) == 1);
    snapshot = sample(sampler);
    CHECK(number_of(snapshot, 1, NVP_METRIC_EVENT_XID_COUNT) == 2 && number_of(snapshot, 1, NVP_METRIC_EVENT_LAST_XID) == 31);
    CHECK(number_of(snapshot, 6, NVP_METRIC_EVENT_XID_COUNT) == 1 && number_of(snapshot, 6, NVP_METRIC_EVENT_LAST_XID) == 48);
    CHECK(number_of(snapshot, 0, NVP_METRIC_EVENT_XID_COUNT) == 0);
    CHECK(number_of(snapshot, 1, NVP_METRIC_EVENT_LAST_XID_AT_US) > 0);
    nvp_snapshot_free(snapshot);
    nvp_sampler_free(sampler);
}

static void mig_devices_follow_their_gpu(void)
{
    setenv("NVPULSE_SIM_PROFILE", "a100-mig", 1);
    nvp_snapshot *snapshot = NULL;
    CHECK_STATUS(nvp_snapshot_take(NULL, &snapshot), NVP_SUCCESS);
    size_t migs = 0;
    int last = -1;
    bool hole = false;
    for (size_t i = 0; i < nvp_snapshot_device_count(snapshot); i++) {
        const nvp_device_sample *device = nvp_snapshot_device(snapshot, i);
        if (device->mig_index < 0) {
            last = -1;
            continue;
        }
        CHECK(i > 0 && nvp_snapshot_device(snapshot, i - 1)->index == device->index && device->mig_index > last);
        hole = hole || device->mig_index > last + 1;
        last = device->mig_index;
        migs++;
        CHECK(strncmp(nvp_reading_text(reading_of(snapshot, i, NVP_METRIC_IDENTITY_UUID), ""), "MIG-", 4) == 0);
        CHECK(number_of(snapshot, i, NVP_METRIC_MEMORY_TOTAL_BYTES) > 0 &&
              nvp_reading_has(reading_of(snapshot, i, NVP_METRIC_MIG_GPU_INSTANCE_ID)));
        CHECK(reading_of(snapshot, i, NVP_METRIC_POWER_DRAW_MW)->reason == NVP_REASON_NOT_SUPPORTED);
    }
    CHECK(migs >= 4 && hole);
    size_t on_mig = 0;
    for (size_t i = 0; i < nvp_snapshot_process_count(snapshot); i++) {
        const nvp_process *process = nvp_snapshot_process(snapshot, i);
        if (nvp_reading_has(nvp_process_get(process, NVP_PROCESS_MIG_INDEX))) {
            CHECK(strncmp(nvp_reading_text(nvp_process_get(process, NVP_PROCESS_GPU_UUID), ""), "MIG-", 4) == 0);
            on_mig++;
        }
    }
    CHECK(on_mig > 0);
    nvp_snapshot_free(snapshot);
}

static void unified_memory_is_that_of_the_host(void)
{
    setenv("NVPULSE_SIM_PROFILE", "gb10", 1);
    nvp_snapshot *snapshot = NULL;
    CHECK_STATUS(nvp_snapshot_take(NULL, &snapshot), NVP_SUCCESS);
    CHECK(number_of(snapshot, 0, NVP_METRIC_MEMORY_UNIFIED) == 1);
    CHECK(number_of(snapshot, 0, NVP_METRIC_MEMORY_TOTAL_BYTES) ==
          nvp_reading_number(nvp_snapshot_host(snapshot, NVP_HOST_MEMORY_TOTAL_BYTES), 0));
    double used = 0;
    for (size_t i = 0; i < nvp_snapshot_process_count(snapshot); i++) {
        used += nvp_reading_number(nvp_process_get(nvp_snapshot_process(snapshot, i), NVP_PROCESS_GPU_MEMORY_BYTES), 0);
    }
    CHECK(used > 0 && number_of(snapshot, 0, NVP_METRIC_MEMORY_USED_BYTES) == used);
    CHECK(!nvp_reading_has(reading_of(snapshot, 0, NVP_METRIC_MEMORY_FREE_BYTES)));
    nvp_snapshot_free(snapshot);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void make_folder(const char *path)
{
    CHECK(mkdir(path, 0755) == 0);
}

/* A tree in which device 0 is suspended. */
static void suspended_device_is_left_asleep(void)
{
    char root[] = "asleep-XXXXXX", path[200], old[400];
    CHECK(mkdtemp(root) != NULL && getcwd(old, sizeof(old)) != NULL && chdir(root) == 0);
    make_folder("sys");
    make_folder("sys/bus");
    make_folder("sys/bus/pci");
    make_folder("sys/bus/pci/devices");
    make_folder("sys/bus/pci/devices/0000:18:00.0");
    make_folder("sys/bus/pci/devices/0000:18:00.0/power");
    write_file("sys/bus/pci/devices/0000:18:00.0/power/runtime_status", "suspended\n");
    CHECK(getcwd(path, sizeof(path)) != NULL && chdir(old) == 0);
    setenv("NVPULSE_ROOT", path, 1);
    nvp_sampler *sampler = make(0, 0, NULL, 0);
    nvp_snapshot *snapshot = sample(sampler);
    CHECK(nvp_snapshot_device(snapshot, 0)->state == NVP_DEVICE_ASLEEP &&
          nvp_snapshot_device(snapshot, 0)->status == NVP_ERROR_ASLEEP);
    CHECK(reading_of(snapshot, 0, NVP_METRIC_TEMPERATURE_GPU_C)->reason == NVP_REASON_ASLEEP);
    CHECK(nvp_snapshot_device(snapshot, 1)->state == NVP_DEVICE_OK);
    CHECK(control_calls("nvmlDeviceGetTemperature") == DEVICES - 1);
    CHECK(control_calls("nvmlDeviceGetName") == DEVICES - 1);
    nvp_snapshot_free(snapshot);
    nvp_sampler_free(sampler);
    sampler = make(NVP_SNAPSHOT_WAKE, 0, NULL, 0);
    snapshot = sample(sampler);
    CHECK(nvp_snapshot_device(snapshot, 0)->state == NVP_DEVICE_OK);
    nvp_snapshot_free(snapshot);
    nvp_sampler_free(sampler);
    CHECK(snprintf(old, sizeof(old), "rm -r '%s'", path) < (int)sizeof(old) && system(old) == 0);
}

static void without_a_driver_the_reason_is_told_and_later_it_works(void)
{
    setenv("NVPULSE_RETRY_MS", "1", 1);
    nvp_log_set(NVP_LOG_OFF, NULL, NULL);
    nvp_driver_find();
    control_fail("nvmlInit_v2", NVML_ERROR_DRIVER_NOT_LOADED);
    control_fail("nvmlInitWithFlags", NVML_ERROR_DRIVER_NOT_LOADED);
    nvp_sampler *sampler = make(0, 0, NULL, 0);
    nvp_snapshot *snapshot = NULL;
    CHECK_STATUS(nvp_sampler_sample(sampler, &snapshot), NVML_ERROR_DRIVER_NOT_LOADED);
    CHECK(snapshot == NULL);
    control_clear_faults();
    usleep(50000); /* longer than the back-off */
    snapshot = sample(sampler);
    CHECK(nvp_snapshot_device_count(snapshot) == DEVICES && nvp_snapshot_sequence(snapshot) == 1);
    nvp_snapshot_free(snapshot);
    nvp_sampler_free(sampler);
}

/* Without the persistence mode a driver wakes every GPU first. */
static void driver_that_is_slow_to_open_is_awaited(void)
{
    nvp_driver_find();
    control_slow("nvmlInit_v2", 600);
    control_slow("nvmlInitWithFlags", 600);
    nvp_sampler *sampler = make(NVP_SNAPSHOT_NO_PROCESSES, 100, NULL, 0);
    nvp_snapshot *snapshot = sample(sampler);
    CHECK(nvp_snapshot_device_count(snapshot) == DEVICES);
    nvp_snapshot_free(snapshot);
    nvp_sampler_free(sampler);
}

static void forked_child_makes_its_own(void)
{
    nvp_sampler *sampler = make(0, 0, NULL, 0);
    drop_sample(sampler);
    pid_t child = fork();
    if (child == 0) {
        nvp_sampler_free(sampler);
#ifdef __SANITIZE_THREAD__ /* it cannot follow threads that are started after a fork */
        exit(0);
#endif
        nvp_snapshot *snapshot = NULL;
        CHECK_STATUS(nvp_snapshot_take(NULL, &snapshot), NVP_SUCCESS);
        CHECK(nvp_snapshot_device_count(snapshot) == DEVICES);
        nvp_snapshot_free(snapshot);
        exit(0);
    }
    CHECK(await_child(child) == 0);
    drop_sample(sampler);
    nvp_sampler_free(sampler);
}

static nvp_sampler *make_of(const unsigned int *gpus, size_t count, const nvp_metric *metrics, size_t metric_count)
{
    nvp_snapshot_options options = NVP_SNAPSHOT_OPTIONS_INIT;
    options.gpus = gpus;
    options.gpu_count = count;
    options.metrics = metrics;
    options.metric_count = metric_count;
    return make_with(options);
}

static void only_chosen_gpus_are_asked(void)
{
    const unsigned int gpus[] = { 5, 2, 5, 700, UINT_MAX };
    const nvp_metric power = NVP_METRIC_POWER_DRAW_MW;
    nvp_sampler *sampler = make_of(gpus, sizeof gpus / sizeof *gpus, &power, 1);
    nvp_snapshot *snapshot = sample(sampler);
    CHECK(nvp_snapshot_device_count(snapshot) == 2);
    CHECK(nvp_snapshot_device(snapshot, 0)->index == 2 && nvp_snapshot_device(snapshot, 1)->index == 5);
    CHECK(nvp_reading_uint(nvp_snapshot_host(snapshot, NVP_HOST_GPU_COUNT), 0) == DEVICES);
    CHECK(nvp_snapshot_process_count(snapshot) > 0);
    for (size_t i = 0; i < nvp_snapshot_process_count(snapshot); i++) {
        uint64_t gpu = nvp_reading_uint(nvp_process_get(nvp_snapshot_process(snapshot, i), NVP_PROCESS_GPU_INDEX), 0);
        CHECK(gpu == 2 || gpu == 5);
    }
    nvp_snapshot_free(snapshot);
    CHECK(control_calls("nvmlDeviceGetHandleByIndex_v2") == 2 && control_calls("nvmlDeviceGetUUID") <= 4);
    CHECK(control_calls("nvmlDeviceGetPciInfo_v3") <= 2 && control_calls("nvmlDeviceGetFieldValues") == 2);
    nvp_sampler_free(sampler);
}

/* Of eight GPUs seven answer nothing any more, whatever is asked of them. */
static void gpu_that_is_not_chosen_may_hang(void)
{
    const unsigned int gpu = 1;
    unsigned int stuck = 0;
    for (int device = 0; device < DEVICES; device++) {
        if (device != (int)gpu) {
            control_hang_device(device, NULL);
        }
    }
    nvp_sampler *sampler = make_of(&gpu, 1, NULL, 0);
    for (int i = 0; i < 3; i++) { /* events are looked at from the second sample on */
        nvp_snapshot *snapshot = sample(sampler);
        const nvp_device_sample *device = nvp_snapshot_device(snapshot, 0);
        CHECK(nvp_snapshot_device_count(snapshot) == 1 && device->index == gpu && device->state == NVP_DEVICE_OK);
        CHECK(i == 0 || nvp_reading_has(reading_of(snapshot, 0, NVP_METRIC_EVENT_XID_COUNT)));
        nvp_snapshot_free(snapshot);
        stuck += control_in_flight();
    }
    CHECK(stuck == 0);
    nvp_sampler_free(sampler);
    control_clear_faults();
}

static void no_gpu_can_be_chosen(void)
{
    const unsigned int none[1] = { 0 };
    nvp_sampler *sampler = make_of(none, 0, NULL, 0);
    nvp_snapshot *snapshot = sample(sampler);
    CHECK(nvp_snapshot_device_count(snapshot) == 0 && nvp_snapshot_process_count(snapshot) == 0);
    CHECK(nvp_reading_has(nvp_snapshot_host(snapshot, NVP_HOST_DRIVER_VERSION)));
    CHECK(control_calls("nvmlDeviceGetHandleByIndex_v2") == 0);
    nvp_snapshot_free(snapshot);
    nvp_sampler_free(sampler);
}

static void wrong_options_are_refused(void)
{
    nvp_sampler *sampler = NULL;
    nvp_snapshot *snapshot = NULL;
    const nvp_metric beyond = NVP_METRIC_COUNT;
    nvp_snapshot_options options = NVP_SNAPSHOT_OPTIONS_INIT;
    options.struct_size = 3;
    CHECK_STATUS(nvp_sampler_new(&options, &sampler), NVP_ERROR_BAD_ARGUMENT);
    options = (nvp_snapshot_options)NVP_SNAPSHOT_OPTIONS_INIT;
    options.metrics = &beyond;
    options.metric_count = 1;
    CHECK_STATUS(nvp_sampler_new(&options, &sampler), NVP_ERROR_BAD_ARGUMENT);
    options = (nvp_snapshot_options)NVP_SNAPSHOT_OPTIONS_INIT;
    options.gpu_count = 1;
    CHECK_STATUS(nvp_sampler_new(&options, &sampler), NVP_ERROR_BAD_ARGUMENT);
    CHECK_STATUS(nvp_sampler_new(NULL, NULL), NVP_ERROR_BAD_ARGUMENT);
    CHECK_STATUS(nvp_sampler_sample(NULL, &snapshot), NVP_ERROR_BAD_ARGUMENT);
    CHECK_STATUS(nvp_snapshot_take(NULL, NULL), NVP_ERROR_BAD_ARGUMENT);
    nvp_sampler_free(NULL);
    nvp_snapshot_free(NULL);
    CHECK(nvp_snapshot_device(NULL, 0) == NULL && nvp_device_sample_get(NULL, NVP_METRIC_IDENTITY_NAME) == NULL);
}

const struct test_case test_cases[] = {
    { "snapshot_has_devices_host_and_processes", snapshot_has_devices_host_and_processes },
    { "hot_sample_takes_at_most_eight_calls", hot_sample_takes_at_most_eight_calls },
    { "named_metric_takes_one_call_of_a_device", named_metric_takes_one_call_of_a_device },
    { "slow_metrics_keep_their_age", slow_metrics_keep_their_age },
    { "blocking_call_is_made_only_when_it_is_named", blocking_call_is_made_only_when_it_is_named },
    { "device_that_hangs_stops_nobody_else", device_that_hangs_stops_nobody_else },
    { "named_metrics_are_paced_on_request", named_metrics_are_paced_on_request },
    { "device_that_hangs_from_the_beginning_has_a_row", device_that_hangs_from_the_beginning_has_a_row },
    { "lost_device_keeps_its_row", lost_device_keeps_its_row },
    { "device_that_refuses_everything_has_failed", device_that_refuses_everything_has_failed },
    { "session_that_dies_is_opened_again", session_that_dies_is_opened_again },
    { "events_are_counted_from_the_second_sample", events_are_counted_from_the_second_sample },
    { "mig_devices_follow_their_gpu", mig_devices_follow_their_gpu },
    { "unified_memory_is_that_of_the_host", unified_memory_is_that_of_the_host },
    { "suspended_device_is_left_asleep", suspended_device_is_left_asleep },
    { "without_a_driver_the_reason_is_told_and_later_it_works", without_a_driver_the_reason_is_told_and_later_it_works },
    { "driver_that_is_slow_to_open_is_awaited", driver_that_is_slow_to_open_is_awaited },
    { "forked_child_makes_its_own", forked_child_makes_its_own },
    { "only_chosen_gpus_are_asked", only_chosen_gpus_are_asked },
    { "gpu_that_is_not_chosen_may_hang", gpu_that_is_not_chosen_may_hang },
    { "no_gpu_can_be_chosen", no_gpu_can_be_chosen },
    { "wrong_options_are_refused", wrong_options_are_refused },
};
const size_t test_case_count = sizeof test_cases / sizeof *test_cases;
