/*
 * Devices that are read live: what a metric costs, where it comes from, and that it is what the driver says. Runs on every generation.
 */
#include "cases.h"

#include <string.h>
#include <time.h>

#include <nvpulse/device.h>

static nvp_device *find(const char *which)
{
    nvp_device *device = NULL;
    CHECK_STATUS(nvp_device_find(which, &device), NVP_SUCCESS);
    return device;
}

static nvp_value read_one(nvp_device *device, nvp_metric metric)
{
    nvp_value value = NVP_VALUE_INIT;
    CHECK_STATUS(nvp_device_read(device, &metric, 1, &value), NVP_SUCCESS);
    return value;
}

/* Metrics of the performance monitor compare two samples of the driver: two calls. */
static bool takes_one_call(const nvp_metric_info *info)
{
    return strcmp(info->group, "gpm") != 0;
}

static void single_metric_takes_one_call(void)
{
    nvp_device *device = find("0");
    for (unsigned int m = 0; m < nvp_metric_count(); m++) {
        const nvp_metric_info *info = nvp_metric_get((nvp_metric)m);
        nvp_value value = read_one(device, (nvp_metric)m); /* finds out which source is supported */
        nvp_value_clear(&value);
        control_reset_calls();
        value = read_one(device, (nvp_metric)m);
        nvp_value_clear(&value);
        if (takes_one_call(info) && control_calls(NULL) > (info->is_list ? 64 : 1)) {
            fprintf(stderr, "%s: %llu calls\n", info->name, (unsigned long long)control_calls(NULL));
            _exit(1);
        }
    }
    nvp_device_free(device);
}

/* Every source of the table names a function, a member and arguments that exist. */
static void no_metric_is_absent_through_a_fault_of_the_table(void)
{
    nvp_device *device = find("0");
    for (unsigned int m = 0; m < nvp_metric_count(); m++) {
        nvp_value value = read_one(device, (nvp_metric)m);
        bool ours = value.status == NVP_ERROR_NO_SUCH_FIELD || value.status == NVP_ERROR_UNKNOWN_FUNCTION ||
                    value.status == NVP_ERROR_NOT_BY_NAME || value.status == NVP_ERROR_BAD_ARGUMENT;
        if (value.kind == NVP_KIND_NA ? ours || value.reason == NVP_REASON_NONE : value.reason != NVP_REASON_NONE) {
            fprintf(stderr, "%s: %s\n", nvp_metric_get((nvp_metric)m)->name, nvp_status_name(value.status));
            _exit(1);
        }
        nvp_value_clear(&value);
    }
    nvp_device_free(device);
}

static void read_many(nvp_device *device, const nvp_metric *metrics, size_t count, nvp_value *values)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = (nvp_value)NVP_VALUE_INIT;
    }
    CHECK_STATUS(nvp_device_read(device, metrics, count, values), NVP_SUCCESS);
}

#define MANY 4

static void metrics_that_share_a_call_cost_one(void)
{
    const nvp_metric memory[] = { NVP_METRIC_MEMORY_TOTAL_BYTES, NVP_METRIC_MEMORY_USED_BYTES, NVP_METRIC_MEMORY_FREE_BYTES };
    nvp_device *device = find("0");
    nvp_value values[MANY];
    control_reset_calls();
    read_many(device, memory, 3, values);
    CHECK(control_calls(NULL) == 1);
    CHECK(nvp_value_uint(&values[0], 0) > nvp_value_uint(&values[1], 0) && nvp_value_uint(&values[1], 0) > 0);
    const nvp_metric fields[] = { NVP_METRIC_ECC_CORRECTED_VOLATILE, NVP_METRIC_ECC_UNCORRECTED_VOLATILE,
                                  NVP_METRIC_NVLINK_LINK_COUNT, NVP_METRIC_POWER_ENERGY_MJ };
    read_many(device, fields, 4, values);
    control_reset_calls();
    read_many(device, fields, 4, values);
    CHECK(control_calls("nvmlDeviceGetFieldValues") <= 1);
    nvp_device_free(device);
}

static void what_is_not_supported_is_not_asked_again(void)
{
    nvp_device *device = find("0"); /* an H100 has no fan */
    nvp_value value = read_one(device, NVP_METRIC_FAN_SPEED_PERCENT);
    CHECK(value.reason == NVP_REASON_NOT_SUPPORTED);
    control_reset_calls();
    for (int i = 0; i < 100; i++) {
        value = read_one(device, NVP_METRIC_FAN_SPEED_PERCENT);
        CHECK(value.reason == NVP_REASON_NOT_SUPPORTED);
    }
    CHECK(control_calls(NULL) == 0);
    CHECK_STATUS(nvp_shutdown(), NVP_SUCCESS); /* another generation may know better */
    control_reset_calls();
    value = read_one(device, NVP_METRIC_FAN_SPEED_PERCENT);
    CHECK(control_calls("nvmlDeviceGetFanSpeed") == 1);
    nvp_device_free(device);
}

/* A source that fails for another reason is asked again. */
static void what_failed_once_is_asked_again(void)
{
    nvp_device *device = find("0");
    nvp_value value = read_one(device, NVP_METRIC_TEMPERATURE_GPU_C);
    CHECK(value.kind == NVP_KIND_UINT);
    control_fail("nvmlDeviceGetTemperature", NVML_ERROR_NO_PERMISSION);
    value = read_one(device, NVP_METRIC_TEMPERATURE_GPU_C);
    CHECK(value.reason == NVP_REASON_NO_PERMISSION);
    control_clear_faults();
    value = read_one(device, NVP_METRIC_TEMPERATURE_GPU_C);
    CHECK(value.kind == NVP_KIND_UINT && value.as.uint_value > 0);
    nvp_device_free(device);
}

static void check_number(nvp_device *device, nvp_metric metric, nvmlReturn_t answer, uint64_t number)
{
    nvp_value value = read_one(device, metric);
    if (answer != NVML_SUCCESS ? value.kind != NVP_KIND_NA : nvp_value_uint(&value, UINT64_MAX) != number) {
        char text[80];
        nvp_value_format(&value, text, sizeof(text));
        fprintf(stderr, "%s: %s, but the driver says %llu\n", nvp_metric_get(metric)->name, text, (unsigned long long)number);
        _exit(1);
    }
    nvp_value_clear(&value);
}

/* The clock is stepped: nothing moves between two questions. */
static void metrics_are_what_the_driver_says(void)
{
    nvp_device *device = find("3");
    nvmlDevice_t handle = nvp_device_handle(device);
    nvmlReturn_t answer;
    unsigned int number = 0, other = 0;
    unsigned long long wide = 0;
    nvmlUtilization_t load = { 0, 0 };
    nvmlMemory_t memory;
    nvmlPstates_t state = NVML_PSTATE_UNKNOWN;
    answer = nvmlDeviceGetPowerUsage(handle, &number);
    check_number(device, NVP_METRIC_POWER_DRAW_MW, answer, number);
    answer = nvmlDeviceGetTemperature(handle, NVML_TEMPERATURE_GPU, &number);
    check_number(device, NVP_METRIC_TEMPERATURE_GPU_C, answer, number);
    answer = nvmlDeviceGetUtilizationRates(handle, &load);
    check_number(device, NVP_METRIC_UTILIZATION_GPU_PERCENT, answer, load.gpu);
    check_number(device, NVP_METRIC_UTILIZATION_MEMORY_PERCENT, NVML_SUCCESS, load.memory);
    answer = nvmlDeviceGetClockInfo(handle, NVML_CLOCK_SM, &number);
    check_number(device, NVP_METRIC_CLOCKS_SM_MHZ, answer, number);
    answer = nvmlDeviceGetMaxClockInfo(handle, NVML_CLOCK_MEM, &number);
    check_number(device, NVP_METRIC_CLOCKS_MAX_MEMORY_MHZ, answer, number);
    answer = nvmlDeviceGetTotalEnergyConsumption(handle, &wide);
    check_number(device, NVP_METRIC_POWER_ENERGY_MJ, answer, wide);
    answer = nvmlDeviceGetEnforcedPowerLimit(handle, &number);
    check_number(device, NVP_METRIC_POWER_ENFORCED_LIMIT_MW, answer, number);
    answer = nvmlDeviceGetPowerManagementLimitConstraints(handle, &number, &other);
    check_number(device, NVP_METRIC_POWER_MIN_LIMIT_MW, answer, number);
    check_number(device, NVP_METRIC_POWER_MAX_LIMIT_MW, NVML_SUCCESS, other);
    answer = nvmlDeviceGetPerformanceState(handle, &state);
    check_number(device, NVP_METRIC_CLOCKS_PERFORMANCE_STATE, answer, state);
    answer = nvmlDeviceGetCurrPcieLinkWidth(handle, &number);
    check_number(device, NVP_METRIC_PCIE_LINK_WIDTH, answer, number);
    answer = nvmlDeviceGetPcieReplayCounter(handle, &number);
    check_number(device, NVP_METRIC_PCIE_REPLAYS, answer, number);
    CHECK_STATUS(nvmlDeviceGetMemoryInfo(handle, &memory), NVML_SUCCESS);
    check_number(device, NVP_METRIC_MEMORY_FREE_BYTES, NVML_SUCCESS, memory.free);
    answer = nvmlDeviceGetTotalEccErrors(handle, NVML_MEMORY_ERROR_TYPE_CORRECTED, NVML_AGGREGATE_ECC, &wide);
    check_number(device, NVP_METRIC_ECC_CORRECTED_AGGREGATE, answer, wide);
    check_number(device, NVP_METRIC_MEMORY_UNIFIED, NVML_SUCCESS, 0);
    nvp_device_free(device);
}

static void texts_are_what_the_driver_says(void)
{
    nvp_device *device = find("0");
    char text[96];
    nvp_value value = read_one(device, NVP_METRIC_IDENTITY_NAME);
    CHECK_STATUS(nvmlDeviceGetName(nvp_device_handle(device), text, sizeof(text)), NVML_SUCCESS);
    CHECK(strcmp(nvp_value_text(&value), text) == 0);
    nvp_value_clear(&value);
    value = read_one(device, NVP_METRIC_IDENTITY_UUID);
    CHECK(strcmp(nvp_value_text(&value), nvp_device_uuid(device)) == 0);
    nvp_value_clear(&value);
    value = read_one(device, NVP_METRIC_IDENTITY_COMPUTE_CAPABILITY);
    CHECK(value.kind == NVP_KIND_NA || strcmp(nvp_value_text(&value), "9.0") == 0);
    nvp_value_clear(&value);
    nvp_device_free(device);
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Whatever time passes between the reads, the rate is the growth over that time. */
static void rate_is_the_growth_of_its_counter(void)
{
    nvpsim_step_clock_fn *step = (nvpsim_step_clock_fn *)nvp_symbol("nvpsim_step_clock");
    const nvp_metric metrics[] = { NVP_METRIC_NVLINK_TX_BYTES, NVP_METRIC_NVLINK_TX_BYTES_PER_S };
    nvp_device *device = find("0");
    nvp_value before[2], after[2];
    int64_t earliest = now_ns();
    read_many(device, metrics, 2, before);
    int64_t latest = now_ns();
    CHECK(before[1].kind == NVP_KIND_NA);
    if (before[0].kind == NVP_KIND_NA) {
        CHECK(before[1].reason == before[0].reason ||
              before[1].reason == NVP_REASON_NO_DATA); /* this driver has no such counter */
        nvp_device_free(device);
        return;
    }
    CHECK(before[1].reason == NVP_REASON_NO_DATA && step != NULL && step(2000000000) == 0);
    while (now_ns() < latest + 2000000) { /* the clock of the machine has to move, too */
    }
    int64_t second_earliest = now_ns();
    read_many(device, metrics, 2, after);
    int64_t second_latest = now_ns();
    double growth = nvp_value_number(&after[0], 0) - nvp_value_number(&before[0], 0);
    double rate = nvp_value_number(&after[1], -1);
    CHECK(growth > 0);
    CHECK(rate >= growth * 1e9 / (double)(second_latest - earliest + 2000));
    CHECK(rate <= growth * 1e9 / (double)(second_earliest - latest - 2000));
    nvp_device_free(device);
}

static void device_is_found_by_all_its_names(void)
{
    nvp_device_list list;
    CHECK_STATUS(nvp_device_list_get(&list), NVP_SUCCESS);
    CHECK(list.count == 8);
    const char *uuid = nvp_device_uuid(list.devices[5]);
    char beginning[16];
    snprintf(beginning, sizeof(beginning), "%.12s", uuid);
    nvp_value bus_id = read_one(list.devices[5], NVP_METRIC_IDENTITY_PCI_BUS_ID);
    const char *const names[] = { "5", uuid, beginning, nvp_value_text(&bus_id), "AB:00.0", "ab:00.0", "0000:ab:00.0" };
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        nvp_device *device = find(names[i]);
        CHECK(nvp_device_index(device) == 5 && nvp_device_mig_index(device) == -1);
        nvp_device_free(device);
    }
    nvp_device *device = NULL;
    CHECK_STATUS(nvp_device_find("GPU-", &device), NVP_ERROR_BAD_ARGUMENT); /* all of them */
    CHECK_STATUS(nvp_device_find("8", &device), NVML_ERROR_NOT_FOUND);
    CHECK_STATUS(nvp_device_find("", &device), NVML_ERROR_NOT_FOUND);
    CHECK_STATUS(nvp_device_find("0:0", &device), NVML_ERROR_NOT_FOUND);
    CHECK_STATUS(nvp_device_find(NULL, &device), NVP_ERROR_BAD_ARGUMENT);
    nvp_value_clear(&bus_id);
    nvp_device_list_free(&list);
}

static void lost_device_is_listed_and_asked_nothing(void)
{
    control_add_fault(
        &(nvpsim_fault){ .struct_size = sizeof(nvpsim_fault), .function = NULL, .device = 2, .error = NVML_ERROR_GPU_IS_LOST });
    setenv("NVPULSE_RETRY_MS", "60000", 1);
    nvp_device_list list;
    CHECK_STATUS(nvp_device_list_get(&list), NVP_SUCCESS);
    CHECK(list.count == 8);
    nvp_device *lost = list.devices[2];
    nvp_value value = read_one(lost, NVP_METRIC_POWER_DRAW_MW);
    CHECK(value.reason == NVP_REASON_GPU_LOST);
    CHECK(nvp_device_read_number(list.devices[3], NVP_METRIC_TEMPERATURE_GPU_C, -1) > 0);
    nvp_device_list_free(&list);
}

static void wrong_arguments_are_refused(void)
{
    nvp_value value = NVP_VALUE_INIT;
    const nvp_metric beyond = NVP_METRIC_COUNT, name = NVP_METRIC_IDENTITY_NAME;
    CHECK_STATUS(nvp_device_list_get(NULL), NVP_ERROR_BAD_ARGUMENT);
    CHECK_STATUS(nvp_device_read(NULL, &name, 1, &value), NVP_ERROR_BAD_ARGUMENT);
    nvp_device *device = find("0");
    CHECK_STATUS(nvp_device_read(device, &beyond, 1, &value), NVP_ERROR_BAD_ARGUMENT);
    CHECK_STATUS(nvp_device_read(device, NULL, 1, &value), NVP_ERROR_BAD_ARGUMENT);
    nvp_device_free(device);
    nvp_device_free(NULL);
}

static void forked_child_goes_on_with_its_parents_devices(void)
{
    nvp_device *device = find("0");
    nvp_value of_parent = read_one(device, NVP_METRIC_IDENTITY_UUID);
    pid_t child = fork();
    if (child == 0) {
        nvp_value value = read_one(device, NVP_METRIC_IDENTITY_UUID);
        CHECK(nvp_check(&value, NVP_KIND_TEXT) && strcmp(nvp_value_text(&value), nvp_value_text(&of_parent)) == 0);
        CHECK(nvp_device_read_number(device, NVP_METRIC_POWER_DRAW_MW, -1) > 0);
        nvp_value_clear(&value);
        nvp_device_free(device);
        _exit(0);
    }
    CHECK(await_child(child) == 0);
    CHECK(nvp_device_read_number(device, NVP_METRIC_POWER_DRAW_MW, -1) > 0);
    nvp_value_clear(&of_parent);
    nvp_device_free(device);
}

const struct test_case test_cases[] = {
    { "single_metric_takes_one_call", single_metric_takes_one_call },
    { "no_metric_is_absent_through_a_fault_of_the_table", no_metric_is_absent_through_a_fault_of_the_table },
    { "metrics_that_share_a_call_cost_one", metrics_that_share_a_call_cost_one },
    { "what_is_not_supported_is_not_asked_again", what_is_not_supported_is_not_asked_again },
    { "what_failed_once_is_asked_again", what_failed_once_is_asked_again },
    { "metrics_are_what_the_driver_says", metrics_are_what_the_driver_says },
    { "texts_are_what_the_driver_says", texts_are_what_the_driver_says },
    { "rate_is_the_growth_of_its_counter", rate_is_the_growth_of_its_counter },
    { "device_is_found_by_all_its_names", device_is_found_by_all_its_names },
    { "lost_device_is_listed_and_asked_nothing", lost_device_is_listed_and_asked_nothing },
    { "forked_child_goes_on_with_its_parents_devices", forked_child_goes_on_with_its_parents_devices },
    { "wrong_arguments_are_refused", wrong_arguments_are_refused },
};
const size_t test_case_count = sizeof test_cases / sizeof *test_cases;
