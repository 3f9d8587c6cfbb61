/*
 * Reads all that `nvpulse status` shows, by name, the newest form of a call first. A device that fails keeps its place.
 * A lost GPU is asked nothing more: each further question could block.
 */
#include <stdlib.h>

#include <nvpulse/query.h>

#include "status_query.h"
#include "status_report.h"

/** Where a quantity comes from: the calls to try in turn, and the field of their result. */
struct source {
    const char *calls[3];
    status_quantity first, second;          /**< the same twice when the result is one number */
    const char *first_field, *second_field; /**< NULL: the result itself */
};

static const struct source sources[] = {
    { { "nvmlDeviceGetName" }, STATUS_NAME, STATUS_NAME, NULL, NULL },
    { { "nvmlDeviceGetUtilizationRates" }, STATUS_GPU_PERCENT, STATUS_MEMORY_PERCENT, "gpu", "memory" },
    { { "nvmlDeviceGetMemoryInfo_v2", "nvmlDeviceGetMemoryInfo" }, STATUS_USED_BYTES, STATUS_TOTAL_BYTES, "used", "total" },
    { { "nvmlDeviceGetPowerUsage" }, STATUS_POWER_MW, STATUS_POWER_MW, NULL, NULL },
    { { "nvmlDeviceGetEnforcedPowerLimit", "nvmlDeviceGetPowerManagementLimit" },
      STATUS_POWER_LIMIT_MW,
      STATUS_POWER_LIMIT_MW,
      NULL,
      NULL },
    { { "nvmlDeviceGetFanSpeed" }, STATUS_FAN_PERCENT, STATUS_FAN_PERCENT, NULL, NULL },
};

size_t status_query_first(const char *const *calls, const nvp_arg *args, size_t count, nvp_value *result)
{
    const nvp_query_options quiet = { sizeof quiet, NVP_QUERY_SILENT, NULL };
    size_t tried = 0;
    do {
        nvp_query(calls[tried], args, count, &quiet, result);
    } while ((result->status == NVML_ERROR_FUNCTION_NOT_FOUND || result->status == NVML_ERROR_ARGUMENT_VERSION_MISMATCH) &&
             calls[++tried] != NULL);
    return tried;
}

/* Copies a field of a struct, or a whole value; what is N/A as a whole is so in each field. */
static void take(nvp_value *to, const nvp_value *from, const char *field)
{
    if (!nvp_check(from, NVP_KIND_ANY)) {
        nvp_value_set_na(to, from->status);
    } else if (field == NULL) {
        nvp_value_copy(to, from);
    } else if (nvp_value_field(from, field, to) != NVP_SUCCESS) {
        nvp_value_set_na(to, NVP_ERROR_NO_SUCH_FIELD);
    }
}

bool status_device_is_down(const status_device *device)
{
    return device->values[STATUS_DEVICE].reason != NVP_REASON_NONE;
}

/* Marks the device as unusable when an answer says so. */
static void notice_loss(status_device *device, const nvp_value *answer)
{
    if (answer->reason == NVP_REASON_GPU_LOST || answer->reason == NVP_REASON_RESET_REQUIRED) {
        nvp_value_set_na(&device->values[STATUS_DEVICE], answer->status);
    }
}

/* Older drivers do not tell reserved memory from used memory: the field is absent, or N/A. */
static bool lacks_reserved(const nvp_value *memory)
{
    nvp_value reserved = NVP_VALUE_INIT;
    nvp_value_field(memory, "reserved", &reserved);
    return !nvp_check(&reserved, NVP_KIND_ANY);
}

static void read_source(status_report *report, status_device *device, const struct source *source)
{
    nvp_value answer = NVP_VALUE_INIT;
    status_query_first(source->calls, NVP_ARGS(nvp_arg_handle(device->handle)), &answer);
    if (source->first == STATUS_USED_BYTES && nvp_check(&answer, NVP_KIND_ANY) && lacks_reserved(&answer)) {
        report->reserved_is_unknown = true;
    }
    take(&device->values[source->first], &answer, source->first_field);
    if (source->second != source->first) {
        take(&device->values[source->second], &answer, source->second_field);
    }
    notice_loss(device, &answer);
    nvp_value_clear(&answer);
}

static void read_temperature(status_device *device)
{
    nvp_value *temperature = &device->values[STATUS_TEMPERATURE_C];
    nvp_query("nvmlDeviceGetTemperature", NVP_ARGS(nvp_arg_handle(device->handle), nvp_arg_uint(NVML_TEMPERATURE_GPU)), NULL,
              temperature);
    notice_loss(device, temperature);
    if (!status_device_is_down(device)) {
        device->slowdown_c =
            NVP_QUERY_OR(0u, nvmlDeviceGetTemperatureThreshold, device->handle, NVML_TEMPERATURE_THRESHOLD_SLOWDOWN);
    }
}

static nvp_status read_device(status_report *report, status_device *device)
{
    nvp_status opened = (nvp_status)nvmlDeviceGetHandleByIndex(device->index, &device->handle);
    if (opened != NVP_SUCCESS) {
        nvp_value_set_na(&device->values[STATUS_DEVICE], opened);
        return NVP_SUCCESS;
    }
    for (size_t i = 0; i < sizeof sources / sizeof *sources && !status_device_is_down(device); i++) {
        read_source(report, device, &sources[i]);
    }
    if (!status_device_is_down(device)) {
        read_temperature(device);
    }
    if (nvp_value_uint(&device->values[STATUS_POWER_LIMIT_MW], 1) == 0) {
        nvp_value_set_na(&device->values[STATUS_POWER_LIMIT_MW], NVP_ERROR_SENTINEL); /* some laptops answer 0 */
    }
    return status_device_is_down(device) ? NVP_SUCCESS : status_processes_read(device);
}

static void read_versions(status_report *report)
{
    static const char *const cuda_calls[] = { "nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion", NULL };
    nvp_query("nvmlSystemGetDriverVersion", NULL, 0, NULL, &report->driver_version);
    nvp_query("nvmlSystemGetNVMLVersion", NULL, 0, NULL, &report->nvml_version);
    status_query_first(cuda_calls, NULL, 0, &report->cuda_version);
}

static void init_device(status_device *device, unsigned int index)
{
    *device = (status_device){ .index = index };
    for (size_t i = 0; i < STATUS_QUANTITY_COUNT; i++) {
        device->values[i] = (nvp_value)NVP_VALUE_INIT;
    }
}

nvp_status status_report_read(status_report *report)
{
    nvp_driver_get_info(&report->driver);
    read_versions(report);
    unsigned int count = 0;
    nvp_status status = (nvp_status)nvmlDeviceGetCount(&count);
    if (status != NVP_SUCCESS || count == 0) {
        return status;
    }
    report->devices = calloc(count, sizeof *report->devices);
    if (report->devices == NULL) {
        return NVP_ERROR_NO_MEMORY;
    }
    report->device_count = count;
    for (unsigned int i = 0; i < count; i++) {
        init_device(&report->devices[i], i);
    }
    for (unsigned int i = 0; i < count && status == NVP_SUCCESS; i++) {
        status = read_device(report, &report->devices[i]);
    }
    return status;
}

static void free_device(status_device *device)
{
    for (size_t i = 0; i < STATUS_QUANTITY_COUNT; i++) {
        nvp_value_clear(&device->values[i]);
    }
    for (size_t i = 0; i < device->process_count; i++) {
        nvp_value_clear(&device->processes[i].used_bytes);
        nvp_value_clear(&device->processes[i].name);
    }
    free(device->processes);
}

void status_report_free(status_report *report)
{
    nvp_value_clear(&report->driver_version);
    nvp_value_clear(&report->nvml_version);
    nvp_value_clear(&report->cuda_version);
    for (size_t i = 0; i < report->device_count; i++) {
        free_device(&report->devices[i]);
    }
    free(report->devices);
    *report = (status_report)STATUS_REPORT_INIT;
}
