/*
 * The metrics that `nvpulse status` shows, and what it tells of them beside its tables: which clocks are slowed and why, and behind --verbose
 * what is N/A, on which devices, and why. Equal rows of several devices are one row.
 */
#include <stdlib.h>

#include <text/slowdown.h>

#include "status_report.h"
#include "table.h"

/** What a row of the list is about. */
struct subject {
    const char *name;
    enum { OF_DEVICE, OF_METRIC, OF_PROCESSES } what; /**< the device as a whole, a metric, a field of any of its processes */
    nvp_metric metric;
    nvp_process_field field;
};

static const struct subject subjects[] = {
    { "all", OF_DEVICE, 0, 0 },
    { "name", OF_METRIC, NVP_METRIC_IDENTITY_NAME, 0 },
    { "GPU utilization", OF_METRIC, NVP_METRIC_UTILIZATION_GPU_PERCENT, 0 },
    { "memory utilization", OF_METRIC, NVP_METRIC_UTILIZATION_MEMORY_PERCENT, 0 },
    { "used memory", OF_METRIC, NVP_METRIC_MEMORY_USED_BYTES, 0 },
    { "total memory", OF_METRIC, NVP_METRIC_MEMORY_TOTAL_BYTES, 0 },
    { "temperature", OF_METRIC, NVP_METRIC_TEMPERATURE_GPU_C, 0 },
    { "power", OF_METRIC, NVP_METRIC_POWER_DRAW_MW, 0 },
    { "power limit", OF_METRIC, NVP_METRIC_POWER_ENFORCED_LIMIT_MW, 0 },
    { "fan speed", OF_METRIC, NVP_METRIC_FAN_SPEED_PERCENT, 0 },
    { "memory of a process", OF_PROCESSES, 0, NVP_PROCESS_GPU_MEMORY_BYTES },
    { "name of a process", OF_PROCESSES, 0, NVP_PROCESS_COMMAND },
};

static const size_t subject_count = sizeof subjects / sizeof *subjects;

size_t status_metrics(const status_view *view, nvp_metric metrics[STATUS_METRICS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < subject_count; i++) {
        if (subjects[i].what == OF_METRIC) {
            metrics[count++] = subjects[i].metric;
        }
    }
    metrics[count++] = NVP_METRIC_CLOCKS_EVENT_REASONS;
    if (view->terminal.color) { /* hot is shown by a colour */
        metrics[count++] = NVP_METRIC_TEMPERATURE_SLOWDOWN_THRESHOLD_C;
    }
    if (view->verbose) {
        metrics[count++] = NVP_METRIC_MEMORY_RESERVED_BYTES;
    }
    return count;
}

/* Why a subject is N/A on each device; NVP_SUCCESS where it is not. */
static nvp_status status_of(const nvp_snapshot *snapshot, const nvp_device_sample *device, const struct subject *subject)
{
    bool is_down = device->state != NVP_DEVICE_OK;
    const nvp_process *process;
    if (subject->what == OF_DEVICE) {
        return device->status;
    }
    if (is_down) { /* said once for all */
        return NVP_SUCCESS;
    }
    if (subject->what == OF_METRIC) {
        const nvp_reading *reading = nvp_device_sample_get(device, subject->metric);
        bool is_nothing = subject->metric == NVP_METRIC_POWER_ENFORCED_LIMIT_MW && nvp_reading_uint(reading, 1) == 0;
        return is_nothing ? NVP_ERROR_SENTINEL : nvp_reading_has(reading) ? NVP_SUCCESS : reading->status;
    }
    for (size_t i = 0; (process = nvp_snapshot_process(snapshot, i)) != NULL; i++) {
        const nvp_reading *reading = nvp_process_get(process, subject->field);
        if (status_uses(process, device) && !nvp_reading_has(reading)) {
            return reading->status;
        }
    }
    return NVP_SUCCESS;
}

/* Writes the devices from `first` on that have the same status (or other number) as it, such as "0-3,6", and makes theirs 0: they are listed. */
static void list_devices(const nvp_snapshot *snapshot, int *statuses, size_t first, char *text, size_t size)
{
    size_t used = 0, count = nvp_snapshot_device_count(snapshot);
    int status = statuses[first];
    for (size_t i = first; i < count && used + 1 < size; i++) {
        if (statuses[i] != status) {
            continue;
        }
        const nvp_device_sample *from = nvp_snapshot_device(snapshot, i), *to = from;
        statuses[i] = NVP_SUCCESS;
        while (from->mig_index < 0 && i + 1 < count && statuses[i + 1] == status &&
               nvp_snapshot_device(snapshot, i + 1)->mig_index < 0) {
            to = nvp_snapshot_device(snapshot, ++i);
            statuses[i] = NVP_SUCCESS;
        }
        int length = snprintf(text + used, size - used, "%s", used > 0 ? "," : "");
        length += status_device_name(from->index, from->mig_index, text + used + length, size - used - (size_t)length);
        used += (size_t)length;
        if (to != from && used < size) {
            used += (size_t)snprintf(text + used, size - used, "-%u", to->index);
        }
    }
}

static void add_rows(cli_table *table, const nvp_snapshot *snapshot, const struct subject *subject, nvp_status *statuses)
{
    size_t count = nvp_snapshot_device_count(snapshot);
    for (size_t i = 0; i < count; i++) {
        statuses[i] = status_of(snapshot, nvp_snapshot_device(snapshot, i), subject);
    }
    for (size_t i = 0; i < count; i++) {
        nvp_status status = statuses[i];
        if (status == NVP_SUCCESS) {
            continue;
        }
        char devices[256];
        list_devices(snapshot, statuses, i, devices, sizeof devices);
        cli_table_add(table, CLI_PLAIN, subject->name);
        cli_table_add(table, CLI_PLAIN, devices);
        cli_table_add(table, CLI_PLAIN, nvp_reason_text(nvp_status_reason(status)));
        cli_table_add(table, CLI_DIM, nvp_status_name(status));
    }
}

bool status_slowed_print(const nvp_snapshot *snapshot, const cli_terminal *terminal, FILE *out)
{
    size_t count = nvp_snapshot_device_count(snapshot);
    int *reasons = calloc(count + 1, sizeof *reasons);
    for (size_t i = 0; reasons != NULL && i < count; i++) {
        const nvp_device_sample *device = nvp_snapshot_device(snapshot, i);
        bool can_tell = device->state == NVP_DEVICE_OK && device->mig_index < 0; /* a MIG device has the clocks of its GPU */
        const nvp_reading *active = nvp_device_sample_get(device, NVP_METRIC_CLOCKS_EVENT_REASONS);
        reasons[i] = can_tell ? (int)(nvp_reading_uint(active, 0) & TEXT_SLOWDOWN_REASONS) : 0;
    }
    for (size_t i = 0; reasons != NULL && i < count; i++) {
        char devices[256];
        const char *why = text_slowdown((unsigned int)reasons[i]);
        if (reasons[i] != 0) {
            list_devices(snapshot, reasons, i, devices, sizeof devices);
            fprintf(out, "%sGPU %s: slowed down: %s%s\n", cli_terminal_style(terminal, CLI_YELLOW), devices, why,
                    cli_terminal_reset(terminal, CLI_YELLOW));
        }
    }
    free(reasons);
    return reasons != NULL;
}

bool status_reasons_print(const nvp_snapshot *snapshot, const cli_terminal *terminal, FILE *out)
{
    static const cli_column columns[] = {
        { "N/A", CLI_LEFT, 0, 10, false },
        { "GPU", CLI_LEFT, 0, 3, false },
        { "Reason", CLI_LEFT, 0, 10, false },
        { "Status", CLI_LEFT, 1, 8, false },
    };
    cli_table table = CLI_TABLE_INIT(columns, terminal);
    nvp_status *statuses = calloc(nvp_snapshot_device_count(snapshot) + 1, sizeof *statuses);
    for (size_t i = 0; statuses != NULL && i < subject_count; i++) {
        add_rows(&table, snapshot, &subjects[i], statuses);
    }
    nvp_status processes = nvp_snapshot_process_status(snapshot);
    if (processes != NVP_SUCCESS && processes != NVP_ERROR_NO_DATA) { /* not left out, but refused */
        cli_table_add(&table, CLI_PLAIN, "processes");
        cli_table_add(&table, CLI_PLAIN, "some");
        cli_table_add(&table, CLI_PLAIN, nvp_reason_text(nvp_status_reason(processes)));
        cli_table_add(&table, CLI_DIM, nvp_status_name(processes));
    }
    bool done = statuses != NULL;
    if (done && (table.cell_count > 0 || table.failed)) {
        fputc('\n', out);
        done = cli_table_print(&table, terminal, out);
    }
    cli_table_free(&table);
    free(statuses);
    return done;
}
