/*
 * Values as nvidia-smi writes them: memory in MiB rounded up, power with two decimals, masks and PCI numbers in hexadecimal,
 * states as words, and what is missing as a text in brackets.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <nvpulse/nvml.h>

#include "query.h"

#define MIB 1048576u

/* Numbers that are written in hexadecimal, with so many digits. */
static const struct hexadecimal {
    nvp_metric metric;
    int digits;
} hexadecimals[] = {
    { NVP_METRIC_CLOCKS_EVENT_REASONS, 16 },   { NVP_METRIC_CLOCKS_SUPPORTED_EVENT_REASONS, 16 },
    { NVP_METRIC_IDENTITY_PCI_BASE_CLASS, 1 }, { NVP_METRIC_IDENTITY_PCI_BUS, 2 },
    { NVP_METRIC_IDENTITY_PCI_DEVICE, 2 },     { NVP_METRIC_IDENTITY_PCI_DEVICE_ID, 8 },
    { NVP_METRIC_IDENTITY_PCI_DOMAIN, 4 },     { NVP_METRIC_IDENTITY_PCI_SUBSYSTEM_ID, 8 },
    { NVP_METRIC_IDENTITY_PCI_SUB_CLASS, 1 },
};

static int hexadecimal_digits(nvp_metric metric)
{
    for (size_t i = 0; i < sizeof hexadecimals / sizeof *hexadecimals; i++) {
        if (hexadecimals[i].metric == metric) {
            return hexadecimals[i].digits;
        }
    }
    return 0;
}

/* Whether a status means that there is nothing to know, and not that asking has failed. */
static bool is_not_available(nvp_status status)
{
    switch (nvp_status_reason(status)) {
    case NVP_REASON_NONE:
    case NVP_REASON_NOT_SUPPORTED:
    case NVP_REASON_FUNCTION_MISSING:
    case NVP_REASON_SENTINEL:
    case NVP_REASON_NO_DATA:
        return status != NVML_ERROR_NOT_FOUND && status != NVML_ERROR_DEPRECATED;
    default:
        return false;
    }
}

static query_cell_kind put_na(nvp_status status, bool brackets, char *text, size_t size)
{
    const char *why = is_not_available(status) ? "N/A" : nvp_status_text(status);
    snprintf(text, size, brackets || why[0] != 'N' ? "[%s]" : "%s", why);
    return QUERY_CELL_NA;
}

static query_cell_kind put_mebibytes(uint64_t bytes, char *text, size_t size)
{
    unsigned long long rounded_up = bytes / MIB + (bytes % MIB != 0);
    snprintf(text, size, "%llu", rounded_up);
    return QUERY_CELL_NUMBER;
}

/* A number that stands for a word, such as "Enabled"; false when the metric has none. */
static bool put_word(const query_field *field, const nvp_reading *reading, char *text, size_t size)
{
    uint64_t number = nvp_reading_uint(reading, UINT64_MAX);
    const char *word = nvp_metric_smi_word(field->metric, number);
    if (field->says_yes && number <= 1) {
        word = number == 1 ? "Yes" : "No";
    }
    if (word == NULL && nvp_metric_smi_word(field->metric, 0) != NULL) { /* of a newer driver */
        snprintf(text, size, "Unknown (%llu)", (unsigned long long)number);
        return true;
    }
    if (word != NULL) {
        snprintf(text, size, "%s", word);
    }
    return word != NULL;
}

static query_cell_kind put_number(const query_field *field, const nvp_reading *reading, char *text, size_t size)
{
    const nvp_metric_info *info = nvp_metric_get(field->metric);
    int digits = hexadecimal_digits(field->metric);
    if (put_word(field, reading, text, size)) {
        return QUERY_CELL_TEXT;
    }
    if (reading->kind == NVP_KIND_UINT && digits > 0) {
        snprintf(text, size, "0x%0*llX", digits, (unsigned long long)reading->as.uint_value);
        return QUERY_CELL_TEXT;
    }
    if (reading->kind == NVP_KIND_UINT && info->smi_divisor == MIB) {
        return put_mebibytes(reading->as.uint_value, text, size);
    }
    if (reading->kind == NVP_KIND_UINT && info->smi_divisor == 1) {
        snprintf(text, size, "%llu", (unsigned long long)reading->as.uint_value);
    } else {
        snprintf(text, size, "%.*f", (int)info->smi_decimals, nvp_reading_number(reading, 0) / info->smi_divisor);
    }
    return QUERY_CELL_NUMBER;
}

/* A device that could not be asked has no reason of its own beside each value. */
static nvp_status na_status(const query_row *row, const nvp_reading *reading)
{
    bool says_nothing = reading == NULL || reading->status == NVP_SUCCESS || reading->status == NVP_ERROR_NO_DATA;
    return says_nothing && row->device->state != NVP_DEVICE_OK ? row->device->status
           : reading == NULL                                   ? NVP_ERROR_NO_DATA
                                                               : reading->status;
}

/* nvidia-smi tells no memory of a GPU that shares that of the host. */
static bool is_told(const query_row *row, const query_field *field)
{
    return field->metric != NVP_METRIC_MEMORY_TOTAL_BYTES ||
           nvp_reading_uint(nvp_device_sample_get(row->device, NVP_METRIC_MEMORY_UNIFIED), 0) != 1;
}

static query_cell_kind put_metric(const query_row *row, const query_field *field, char *text, size_t size)
{
    const nvp_reading *reading = nvp_device_sample_get(row->device, field->metric);
    if (!is_told(row, field)) {
        return put_na(NVML_ERROR_NOT_SUPPORTED, true, text, size);
    }
    if (!nvp_reading_has(reading)) { /* the one property that nvidia-smi writes without brackets */
        return put_na(na_status(row, reading), field->metric != NVP_METRIC_TEMPERATURE_MEMORY_C, text, size);
    }
    if (reading->kind == NVP_KIND_TEXT) {
        snprintf(text, size, "%s", reading->as.text);
        return QUERY_CELL_TEXT;
    }
    if (reading->kind == NVP_KIND_LIST) {
        nvp_metric_format(field->metric, reading, text, size);
        return QUERY_CELL_TEXT;
    }
    return put_number(field, reading, text, size);
}

static query_cell_kind put_timestamp(const query_row *row, char *text, size_t size)
{
    int64_t microseconds = nvp_snapshot_time_us(row->snapshot);
    time_t seconds = (time_t)(microseconds / 1000000);
    struct tm local;
    char day[32] = "";
    if (localtime_r(&seconds, &local) != NULL) {
        strftime(day, sizeof day, "%Y/%m/%d %H:%M:%S", &local);
    }
    snprintf(text, size, "%s.%03d", day, (int)(microseconds / 1000 % 1000));
    return QUERY_CELL_TEXT;
}

static query_cell_kind put_host(const query_row *row, nvp_host_field field, char *text, size_t size)
{
    const nvp_reading *reading = nvp_snapshot_host(row->snapshot, field);
    if (!nvp_reading_has(reading)) {
        return put_na(reading == NULL ? NVP_ERROR_NO_DATA : reading->status, true, text, size);
    }
    snprintf(text, size, "%s", nvp_reading_text(reading, ""));
    return QUERY_CELL_TEXT;
}

/* Of the machine, whatever -i says. */
static query_cell_kind put_count(const query_row *row, char *text, size_t size)
{
    snprintf(text, size, "%" PRIu64, nvp_reading_uint(nvp_snapshot_host(row->snapshot, NVP_HOST_GPU_COUNT), 0));
    return QUERY_CELL_NUMBER;
}

/* The program as it was started, "/usr/bin/python3" of "/usr/bin/python3 train.py": the model knows the whole command line, and the
   name without the folder. */
static size_t program_length(const char *command, const char *name)
{
    size_t length = strlen(name);
    for (const char *found = command; length > 0 && (found = strstr(found, name)) != NULL; found++) {
        bool begins = found == command || found[-1] == '/';
        if (begins && (found[length] == '\0' || found[length] == ' ')) {
            return (size_t)(found - command) + length;
        }
    }
    return strcspn(command, " ");
}

static query_cell_kind put_process_name(const query_row *row, char *text, size_t size)
{
    const nvp_reading *reading = nvp_process_get(row->process, NVP_PROCESS_NAME);
    const char *name = nvp_reading_text(reading, "");
    const char *command = nvp_reading_text(nvp_process_get(row->process, NVP_PROCESS_COMMAND), "");
    if (name[0] == '\0' && command[0] == '\0') {
        bool hidden = reading != NULL && reading->reason == NVP_REASON_NO_PERMISSION;
        return put_na(hidden ? (nvp_status)NVML_ERROR_NO_PERMISSION : (nvp_status)NVML_ERROR_NOT_FOUND, true, text, size);
    }
    bool is_of_driver = !nvp_reading_has(nvp_process_get(row->process, NVP_PROCESS_START_TIME_US)); /* /proc knows it not */
    if (is_of_driver || command[0] == '\0') {
        snprintf(text, size, "%s", command[0] != '\0' ? command : name); /* whatever blanks it has */
    } else {
        snprintf(text, size, "%.*s", (int)program_length(command, name), command);
    }
    return QUERY_CELL_TEXT;
}

static query_cell_kind put_process_number(const query_row *row, nvp_process_field field, char *text, size_t size)
{
    const nvp_reading *reading = nvp_process_get(row->process, field);
    if (!nvp_reading_has(reading)) {
        return put_na(reading == NULL ? NVP_ERROR_NO_DATA : reading->status, true, text, size);
    }
    if (field == NVP_PROCESS_GPU_MEMORY_BYTES) {
        return put_mebibytes(nvp_reading_uint(reading, 0), text, size);
    }
    snprintf(text, size, "%llu", (unsigned long long)nvp_reading_uint(reading, 0));
    return QUERY_CELL_NUMBER;
}

query_cell_kind query_cell(const query_row *row, const query_field *field, char *text, size_t size)
{
    switch (field->source) {
    case QUERY_TIMESTAMP:
        return put_timestamp(row, text, size);
    case QUERY_DRIVER_VERSION:
        return put_host(row, NVP_HOST_DRIVER_VERSION, text, size);
    case QUERY_COUNT:
        return put_count(row, text, size);
    case QUERY_INDEX:
        snprintf(text, size, "%u", row->device->index);
        return QUERY_CELL_NUMBER;
    case QUERY_PID:
        return put_process_number(row, NVP_PROCESS_PID, text, size);
    case QUERY_PROCESS_MEMORY:
        return put_process_number(row, NVP_PROCESS_GPU_MEMORY_BYTES, text, size);
    case QUERY_PROCESS_NAME:
        return put_process_name(row, text, size);
    case QUERY_METRIC:
        break;
    }
    return put_metric(row, field, text, size);
}

int query_exit_code(nvp_status status)
{
    if (status >= 0) { /* nvidia-smi's exit codes are NVML's statuses, as far as they fit */
        return status < QUERY_EXIT_OTHER ? (int)status : QUERY_EXIT_OTHER;
    }
    switch (nvp_status_reason(status)) {
    case NVP_REASON_NO_LIBRARY:
    case NVP_REASON_BROKEN_LIBRARY:
        return NVML_ERROR_LIBRARY_NOT_FOUND;
    case NVP_REASON_NO_DRIVER:
        return NVML_ERROR_DRIVER_NOT_LOADED;
    case NVP_REASON_NO_PERMISSION:
        return NVML_ERROR_NO_PERMISSION;
    case NVP_REASON_GPU_LOST:
        return NVML_ERROR_GPU_IS_LOST;
    case NVP_REASON_TIMED_OUT:
        return NVML_ERROR_TIMEOUT;
    default:
        return QUERY_EXIT_OTHER;
    }
}
