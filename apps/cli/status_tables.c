/*
 * The two tables of `nvpulse status`: the devices, and the processes on them. What is N/A says so.
 */
#include <string.h>

#include "status_report.h"
#include "table.h"

/** Terminals with fewer columns are narrow. */
#define NARROW 80

#define GIB (1024.0 * 1024.0 * 1024.0)
#define MIB (1024.0 * 1024.0)

static const cli_column device_columns[] = {
    { "GPU", CLI_RIGHT, 0, 0, false },    { "Name", CLI_LEFT, 0, 8, false },    { "Util", CLI_RIGHT, 6, 0, false },
    { "M-Util", CLI_RIGHT, 1, 0, false }, { "Memory", CLI_RIGHT, 7, 0, false }, { "Temp", CLI_RIGHT, 5, 0, false },
    { "Power", CLI_RIGHT, 4, 0, false },  { "Fan", CLI_RIGHT, 3, 0, false },    { "Procs", CLI_RIGHT, 2, 0, false },
};

static const cli_column process_columns[] = {
    { "GPU", CLI_RIGHT, 0, 0, false },    { "PID", CLI_RIGHT, 0, 0, false },   { "Type", CLI_LEFT, 1, 0, false },
    { "Memory", CLI_RIGHT, 2, 0, false }, { "Process", CLI_LEFT, 0, 8, true },
};

/** The device columns without the number of processes, which is the last. */
#define COLUMNS_WITHOUT_PROCESSES (sizeof device_columns / sizeof *device_columns - 1)

bool status_uses(const nvp_process *process, const nvp_device_sample *device)
{
    uint64_t index = nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_GPU_INDEX), UINT64_MAX);
    uint64_t mig = nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_MIG_INDEX), UINT64_MAX);
    return index == device->index && (device->mig_index < 0 || mig == (uint64_t)device->mig_index);
}

int status_device_name(unsigned int index, int mig_index, char *text, size_t size)
{
    return mig_index < 0 ? snprintf(text, size, "%u", index) : snprintf(text, size, "%u:%d", index, mig_index);
}

static void add_na(cli_table *table)
{
    cli_table_add(table, CLI_DIM, "N/A");
}

static void add_percent(cli_table *table, const nvp_reading *percent)
{
    if (nvp_reading_has(percent)) {
        cli_table_addf(table, CLI_PLAIN, "%.0f%%", nvp_reading_number(percent, 0));
    } else {
        add_na(table);
    }
}

/* "61.2/79.6 GiB": both in the unit that suits the total. What a GPU shares with the processor is marked. */
static void add_memory(cli_table *table, const nvp_device_sample *device)
{
    const nvp_reading *used_bytes = nvp_device_sample_get(device, NVP_METRIC_MEMORY_USED_BYTES);
    const nvp_reading *total_bytes = nvp_device_sample_get(device, NVP_METRIC_MEMORY_TOTAL_BYTES);
    bool used_known = nvp_reading_has(used_bytes), total_known = nvp_reading_has(total_bytes);
    double used = nvp_reading_number(used_bytes, 0), total = nvp_reading_number(total_bytes, 0);
    bool in_gib = (total_known ? total : used) >= GIB;
    double unit = in_gib ? GIB : MIB;
    int digits = in_gib ? 1 : 0;
    const char *name = in_gib ? "GiB" : "MiB";
    bool is_unified = nvp_reading_uint(nvp_device_sample_get(device, NVP_METRIC_MEMORY_UNIFIED), 0) == 1;
    const char *mark = is_unified ? "unified " : "";
    if (used_known && total_known) {
        cli_table_addf(table, used >= total * 0.9 ? CLI_YELLOW : CLI_PLAIN, "%s%.*f/%.*f %s", mark, digits, used / unit, digits,
                       total / unit, name);
    } else if (used_known) {
        cli_table_addf(table, CLI_PLAIN, "%s%.*f %s", mark, digits, used / unit, name);
    } else if (total_known) {
        cli_table_addf(table, CLI_PLAIN, "%sN/A/%.*f %s", mark, digits, total / unit, name);
    } else {
        add_na(table);
    }
}

static void add_temperature(cli_table *table, const nvp_device_sample *device)
{
    const nvp_reading *temperature = nvp_device_sample_get(device, NVP_METRIC_TEMPERATURE_GPU_C);
    if (!nvp_reading_has(temperature)) {
        add_na(table);
        return;
    }
    double degrees = nvp_reading_number(temperature, 0);
    double limit = nvp_reading_number(nvp_device_sample_get(device, NVP_METRIC_TEMPERATURE_SLOWDOWN_THRESHOLD_C), 0);
    cli_style style = limit <= 0 ? CLI_PLAIN : degrees >= limit ? CLI_RED : degrees >= limit - 10 ? CLI_YELLOW : CLI_PLAIN;
    cli_table_addf(table, style, "%.0f%s", degrees, table->utf8 ? "°C" : "C");
}

/* Some laptops answer a limit of 0, which is none. */
static void add_power(cli_table *table, const nvp_device_sample *device)
{
    const nvp_reading *power_mw = nvp_device_sample_get(device, NVP_METRIC_POWER_DRAW_MW);
    double power_w = nvp_reading_number(power_mw, 0) / 1000;
    double limit_w = nvp_reading_number(nvp_device_sample_get(device, NVP_METRIC_POWER_ENFORCED_LIMIT_MW), 0) / 1000;
    if (!nvp_reading_has(power_mw)) {
        add_na(table);
    } else if (limit_w > 0) {
        cli_table_addf(table, CLI_PLAIN, "%.0f/%.0f W", power_w, limit_w);
    } else {
        cli_table_addf(table, CLI_PLAIN, "%.0f W", power_w);
    }
}

/* None of a device whose list is missing is not none. */
static void add_process_count(cli_table *table, const nvp_snapshot *snapshot, const nvp_device_sample *device)
{
    const nvp_process *process;
    size_t count = 0;
    for (size_t i = 0; (process = nvp_snapshot_process(snapshot, i)) != NULL; i++) {
        count += status_uses(process, device);
    }
    if (count > 0 || nvp_snapshot_process_status(snapshot) == NVP_SUCCESS) {
        cli_table_addf(table, CLI_PLAIN, "%zu", count);
    } else {
        add_na(table);
    }
}

static void add_text(cli_table *table, const nvp_reading *reading)
{
    const char *text = nvp_reading_text(reading, NULL);
    if (text != NULL) {
        cli_table_add(table, CLI_PLAIN, text);
    } else {
        add_na(table);
    }
}

/* On a narrow terminal the vendor's name would leave no room for what tells GPUs apart. */
static void add_device_name(cli_table *table, const nvp_reading *name, const cli_terminal *terminal)
{
    static const char vendor[] = "NVIDIA ";
    const char *text = nvp_reading_text(name, "");
    bool is_narrow = terminal->width > 0 && terminal->width < NARROW;
    if (is_narrow && strncmp(text, vendor, strlen(vendor)) == 0) {
        cli_table_add(table, CLI_PLAIN, text + strlen(vendor));
    } else {
        add_text(table, name);
    }
}

/* The row of a device that cannot be asked now: what is known of it, and why nothing else is. */
static void add_device_down(cli_table *table, const nvp_device_sample *device, const cli_terminal *terminal)
{
    const nvp_reading *name = nvp_device_sample_get(device, NVP_METRIC_IDENTITY_NAME);
    bool was_opened = nvp_reading_has(name) || name->status != NVP_ERROR_NO_DATA;
    if (nvp_reading_has(name)) {
        add_device_name(table, name, terminal);
    }
    switch (device->state) {
    case NVP_DEVICE_STALLED:
        cli_table_addf(table, CLI_RED, "stalled %lld s", (long long)(device->stalled_us / 1000000));
        break;
    case NVP_DEVICE_ASLEEP:
        cli_table_add(table, CLI_DIM, "asleep");
        break;
    case NVP_DEVICE_LOST:
        cli_table_addf(table, CLI_RED, "lost (%s)", nvp_status_name(device->status));
        break;
    default:
        cli_table_addf(table, CLI_RED, "%s%s (%s)",
                       was_opened ? "" : "cannot be opened: ", nvp_reason_text(nvp_status_reason(device->status)),
                       nvp_status_name(device->status));
        break;
    }
    cli_table_end_row(table);
}

static void add_device(cli_table *table, const nvp_snapshot *snapshot, const nvp_device_sample *device, const status_view *view)
{
    char name[32];
    status_device_name(device->index, device->mig_index, name, sizeof name);
    cli_table_add(table, CLI_PLAIN, name);
    if (device->state != NVP_DEVICE_OK) {
        add_device_down(table, device, &view->terminal);
        return;
    }
    add_device_name(table, nvp_device_sample_get(device, NVP_METRIC_IDENTITY_NAME), &view->terminal);
    add_percent(table, nvp_device_sample_get(device, NVP_METRIC_UTILIZATION_GPU_PERCENT));
    add_percent(table, nvp_device_sample_get(device, NVP_METRIC_UTILIZATION_MEMORY_PERCENT));
    add_memory(table, device);
    add_temperature(table, device);
    add_power(table, device);
    add_percent(table, nvp_device_sample_get(device, NVP_METRIC_FAN_SPEED_PERCENT));
    if (view->processes != STATUS_PROCESSES_NONE) {
        add_process_count(table, snapshot, device);
    }
}

bool status_device_table_print(const nvp_snapshot *snapshot, const status_view *view, FILE *out)
{
    cli_table table = CLI_TABLE_INIT(device_columns, &view->terminal);
    const nvp_device_sample *device;
    if (view->processes == STATUS_PROCESSES_NONE) {
        table.column_count = COLUMNS_WITHOUT_PROCESSES;
    }
    for (size_t i = 0; (device = nvp_snapshot_device(snapshot, i)) != NULL; i++) {
        add_device(&table, snapshot, device, view);
    }
    bool done = cli_table_print(&table, &view->terminal, out);
    cli_table_free(&table);
    return done;
}

static void add_process(cli_table *table, const nvp_process *process)
{
    char name[32];
    unsigned int index = (unsigned int)nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_GPU_INDEX), 0);
    const nvp_reading *mig = nvp_process_get(process, NVP_PROCESS_MIG_INDEX);
    status_device_name(index, nvp_reading_has(mig) ? (int)nvp_reading_uint(mig, 0) : -1, name, sizeof name);
    cli_table_add(table, CLI_PLAIN, name);
    cli_table_addf(table, CLI_PLAIN, "%llu", (unsigned long long)nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_PID), 0));
    cli_table_add(table, CLI_PLAIN, nvp_process_type_text(nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_TYPE), 0)));
    const nvp_reading *memory = nvp_process_get(process, NVP_PROCESS_GPU_MEMORY_BYTES);
    double used = nvp_reading_number(memory, 0);
    if (!nvp_reading_has(memory)) {
        add_na(table);
    } else if (used >= GIB) {
        cli_table_addf(table, CLI_PLAIN, "%.1f GiB", used / GIB);
    } else {
        cli_table_addf(table, CLI_PLAIN, "%.0f MiB", used / MIB);
    }
    const nvp_reading *command = nvp_process_get(process, NVP_PROCESS_COMMAND);
    add_text(table, nvp_reading_has(command) ? command : nvp_process_get(process, NVP_PROCESS_NAME));
}

bool status_process_table_print(const nvp_snapshot *snapshot, const cli_terminal *terminal, FILE *out)
{
    cli_table table = CLI_TABLE_INIT(process_columns, terminal);
    const nvp_process *process;
    for (size_t i = 0; (process = nvp_snapshot_process(snapshot, i)) != NULL; i++) {
        add_process(&table, process);
    }
    fputc('\n', out);
    bool done = cli_table_print(&table, terminal, out);
    cli_table_free(&table);
    return done;
}
