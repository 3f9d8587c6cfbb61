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

static void add_na(cli_table *table)
{
    cli_table_add(table, CLI_DIM, "N/A");
}

static void add_percent(cli_table *table, const nvp_value *percent)
{
    if (nvp_check(percent, NVP_KIND_NUMBER)) {
        cli_table_addf(table, CLI_PLAIN, "%.0f%%", nvp_value_number(percent, 0));
    } else {
        add_na(table);
    }
}

/* "61.2/79.6 GiB": both in the unit that suits the total. */
static void add_memory(cli_table *table, const nvp_value *used_bytes, const nvp_value *total_bytes)
{
    bool used_known = nvp_check(used_bytes, NVP_KIND_NUMBER), total_known = nvp_check(total_bytes, NVP_KIND_NUMBER);
    double used = nvp_value_number(used_bytes, 0), total = nvp_value_number(total_bytes, 0);
    bool in_gib = (total_known ? total : used) >= GIB;
    double unit = in_gib ? GIB : MIB;
    int digits = in_gib ? 1 : 0;
    const char *name = in_gib ? "GiB" : "MiB";
    if (used_known && total_known) {
        cli_table_addf(table, used >= total * 0.9 ? CLI_YELLOW : CLI_PLAIN, "%.*f/%.*f %s", digits, used / unit, digits,
                       total / unit, name);
    } else if (used_known) {
        cli_table_addf(table, CLI_PLAIN, "%.*f %s", digits, used / unit, name);
    } else if (total_known) {
        cli_table_addf(table, CLI_PLAIN, "N/A/%.*f %s", digits, total / unit, name);
    } else {
        add_na(table);
    }
}

static void add_temperature(cli_table *table, const status_device *device)
{
    const nvp_value *temperature = &device->values[STATUS_TEMPERATURE_C];
    if (!nvp_check(temperature, NVP_KIND_NUMBER)) {
        add_na(table);
        return;
    }
    double degrees = nvp_value_number(temperature, 0), limit = device->slowdown_c;
    cli_style style = limit <= 0 ? CLI_PLAIN : degrees >= limit ? CLI_RED : degrees >= limit - 10 ? CLI_YELLOW : CLI_PLAIN;
    cli_table_addf(table, style, "%.0f%s", degrees, table->utf8 ? "°C" : "C");
}

static void add_power(cli_table *table, const status_device *device)
{
    const nvp_value *power_mw = &device->values[STATUS_POWER_MW], *limit_mw = &device->values[STATUS_POWER_LIMIT_MW];
    double power_w = nvp_value_number(power_mw, 0) / 1000, limit_w = nvp_value_number(limit_mw, 0) / 1000;
    if (nvp_check(power_mw, NVP_KIND_NUMBER) && nvp_check(limit_mw, NVP_KIND_NUMBER)) {
        cli_table_addf(table, CLI_PLAIN, "%.0f/%.0f W", power_w, limit_w);
    } else if (nvp_check(power_mw, NVP_KIND_NUMBER)) {
        cli_table_addf(table, CLI_PLAIN, "%.0f W", power_w);
    } else {
        add_na(table);
    }
}

static void add_process_count(cli_table *table, const status_device *device)
{
    bool known = false;
    for (size_t i = STATUS_COMPUTE_PROCESSES; i <= STATUS_MPS_PROCESSES; i++) {
        known = known || nvp_check(&device->values[i], NVP_KIND_NUMBER);
    }
    if (known) {
        cli_table_addf(table, CLI_PLAIN, "%zu", device->process_count);
    } else {
        add_na(table);
    }
}

static void add_name(cli_table *table, const nvp_value *name)
{
    if (nvp_check(name, NVP_KIND_TEXT)) {
        cli_table_add(table, CLI_PLAIN, nvp_value_text(name));
    } else {
        add_na(table);
    }
}

/* On a narrow terminal the vendor's name would leave no room for what tells GPUs apart. */
static void add_device_name(cli_table *table, const nvp_value *name, const cli_terminal *terminal)
{
    static const char vendor[] = "NVIDIA ";
    bool is_narrow = terminal->width > 0 && terminal->width < NARROW;
    bool has_vendor = strncmp(nvp_value_text(name), vendor, strlen(vendor)) == 0;
    if (is_narrow && has_vendor) {
        cli_table_add(table, CLI_PLAIN, nvp_value_text(name) + strlen(vendor));
    } else {
        add_name(table, name);
    }
}

/* The row of a device that cannot be used: what is known of it, and why nothing else is. */
static void add_device_down(cli_table *table, const status_device *device, const cli_terminal *terminal)
{
    const nvp_value *why = &device->values[STATUS_DEVICE];
    bool is_lost = why->reason == NVP_REASON_GPU_LOST;
    if (nvp_check(&device->values[STATUS_NAME], NVP_KIND_TEXT)) {
        add_device_name(table, &device->values[STATUS_NAME], terminal);
    }
    cli_table_addf(table, CLI_RED, "%s%s (%s)",
                   is_lost || device->handle != NULL ? "" : "cannot be opened: ", is_lost ? "lost" : nvp_reason_text(why->reason),
                   nvp_status_name(why->status));
    cli_table_end_row(table);
}

static void add_device(cli_table *table, const status_device *device, const cli_terminal *terminal)
{
    const nvp_value *values = device->values;
    cli_table_addf(table, CLI_PLAIN, "%u", device->index);
    if (status_device_is_down(device)) {
        add_device_down(table, device, terminal);
        return;
    }
    add_device_name(table, &values[STATUS_NAME], terminal);
    add_percent(table, &values[STATUS_GPU_PERCENT]);
    add_percent(table, &values[STATUS_MEMORY_PERCENT]);
    add_memory(table, &values[STATUS_USED_BYTES], &values[STATUS_TOTAL_BYTES]);
    add_temperature(table, device);
    add_power(table, device);
    add_percent(table, &values[STATUS_FAN_PERCENT]);
    add_process_count(table, device);
}

bool status_device_table_print(const status_report *report, const cli_terminal *terminal, FILE *out)
{
    cli_table table = CLI_TABLE_INIT(device_columns, terminal);
    for (size_t i = 0; i < report->device_count; i++) {
        add_device(&table, &report->devices[i], terminal);
    }
    bool done = cli_table_print(&table, terminal, out);
    cli_table_free(&table);
    return done;
}

static void add_process(cli_table *table, const status_device *device, const status_process *process)
{
    static const char *const uses[] = { "?", "C", "G", "C+G", "M", "C+M", "G+M", "C+G+M" };
    cli_table_addf(table, CLI_PLAIN, "%u", device->index);
    cli_table_addf(table, CLI_PLAIN, "%u", process->pid);
    cli_table_add(table, CLI_PLAIN, uses[process->uses & 7]);
    double used = nvp_value_number(&process->used_bytes, 0);
    if (!nvp_check(&process->used_bytes, NVP_KIND_NUMBER)) {
        add_na(table);
    } else if (used >= GIB) {
        cli_table_addf(table, CLI_PLAIN, "%.1f GiB", used / GIB);
    } else {
        cli_table_addf(table, CLI_PLAIN, "%.0f MiB", used / MIB);
    }
    add_name(table, &process->name);
}

bool status_process_table_print(const status_report *report, const cli_terminal *terminal, FILE *out)
{
    cli_table table = CLI_TABLE_INIT(process_columns, terminal);
    for (size_t i = 0; i < report->device_count; i++) {
        for (size_t j = 0; j < report->devices[i].process_count; j++) {
            add_process(&table, &report->devices[i], &report->devices[i].processes[j]);
        }
    }
    fputc('\n', out);
    bool done = cli_table_print(&table, terminal, out);
    cli_table_free(&table);
    return done;
}
