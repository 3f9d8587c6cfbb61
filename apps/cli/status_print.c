/*
 * Prints what `nvpulse status` has read: a headline, the devices, their processes. Asks the driver nothing.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "status_report.h"
#include "table.h"
#include "text.h"

/** More processes than this are only counted, unless all were asked for. */
#define PROCESSES_MAX 64

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

/* Prints texts with two spaces between them, on as many lines as the width asks for. */
static bool print_parts(const char *const *parts, size_t count, const cli_terminal *terminal, FILE *out)
{
    size_t column = 0;
    for (size_t i = 0; i < count; i++) {
        size_t width = cli_text_width(parts[i]);
        bool fits = column == 0 || terminal->width == 0 || column + 2 + width <= terminal->width;
        char *part = cli_text_shorten(parts[i], terminal->width == 0 ? width : terminal->width, false, terminal->utf8);
        if (part == NULL)
            return false;
        fprintf(out, "%s%s", column == 0 ? "" : fits ? "  " : "\n", part);
        column = (column != 0 && fits ? column + 2 : 0) + cli_text_width(part);
        free(part);
    }
    fputc('\n', out);
    return true;
}

static void format_cuda(const nvp_value *version, char *text, size_t size)
{
    int64_t number = (int64_t)nvp_value_number(version, 0);
    if (number > 0)
        snprintf(text, size, "CUDA %lld.%lld", (long long)number / 1000, (long long)number % 1000 / 10);
    else
        snprintf(text, size, "CUDA N/A");
}

static void format_text(const char *label, const nvp_value *value, char *text, size_t size)
{
    snprintf(text, size, "%s %s", label, nvp_check(value, NVP_KIND_TEXT) ? nvp_value_text(value) : "N/A");
}

static void format_now(char *text, size_t size)
{
    time_t now = time(NULL);
    struct tm local;
    if (localtime_r(&now, &local) == NULL || strftime(text, size, "%Y-%m-%d %H:%M:%S", &local) == 0)
        text[0] = '\0';
}

static bool print_headline(const status_report *report, const cli_terminal *terminal, FILE *out)
{
    char raw[4][160];
    char *clean[4];
    format_text("driver", &report->driver_version, raw[0], sizeof raw[0]);
    format_text("NVML", &report->nvml_version, raw[1], sizeof raw[1]);
    format_cuda(&report->cuda_version, raw[2], sizeof raw[2]);
    format_now(raw[3], sizeof raw[3]);
    bool done = true;
    for (size_t i = 0; i < 4; i++) {
        clean[i] = cli_text_clean(raw[i], terminal->utf8);
        done = done && clean[i] != NULL;
    }
    done = done && print_parts((const char *const *)clean, 4, terminal, out);
    for (size_t i = 0; i < 4; i++)
        free(clean[i]);
    return done;
}

/* Prints a line of its own, shortened to the width. */
static bool print_line(const char *text, cli_style style, const cli_terminal *terminal, FILE *out)
{
    char *clean = cli_text_clean(text, terminal->utf8);
    char *line = clean == NULL          ? NULL
                 : terminal->width == 0 ? strdup(clean)
                                        : cli_text_shorten(clean, terminal->width, false, terminal->utf8);
    if (line != NULL)
        fprintf(out, "%s%s%s\n", cli_terminal_style(terminal, style), line, cli_terminal_reset(terminal, style));
    bool done = line != NULL;
    free(clean);
    free(line);
    return done;
}

static void add_na(cli_table *table)
{
    cli_table_add(table, CLI_DIM, "N/A");
}

static void add_percent(cli_table *table, const nvp_value *percent)
{
    if (nvp_check(percent, NVP_KIND_NUMBER))
        cli_table_addf(table, CLI_PLAIN, "%.0f%%", nvp_value_number(percent, 0));
    else
        add_na(table);
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
    if (used_known && total_known)
        cli_table_addf(table, used >= total * 0.9 ? CLI_YELLOW : CLI_PLAIN, "%.*f/%.*f %s", digits, used / unit, digits,
                       total / unit, name);
    else if (used_known)
        cli_table_addf(table, CLI_PLAIN, "%.*f %s", digits, used / unit, name);
    else if (total_known)
        cli_table_addf(table, CLI_PLAIN, "N/A/%.*f %s", digits, total / unit, name);
    else
        add_na(table);
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
    if (nvp_check(power_mw, NVP_KIND_NUMBER) && nvp_check(limit_mw, NVP_KIND_NUMBER))
        cli_table_addf(table, CLI_PLAIN, "%.0f/%.0f W", power_w, limit_w);
    else if (nvp_check(power_mw, NVP_KIND_NUMBER))
        cli_table_addf(table, CLI_PLAIN, "%.0f W", power_w);
    else
        add_na(table);
}

static void add_process_count(cli_table *table, const status_device *device)
{
    bool known = false;
    for (size_t i = STATUS_COMPUTE_PROCESSES; i <= STATUS_MPS_PROCESSES; i++)
        known = known || nvp_check(&device->values[i], NVP_KIND_NUMBER);
    if (known)
        cli_table_addf(table, CLI_PLAIN, "%zu", device->process_count);
    else
        add_na(table);
}

static void add_name(cli_table *table, const nvp_value *name)
{
    if (nvp_check(name, NVP_KIND_TEXT))
        cli_table_add(table, CLI_PLAIN, nvp_value_text(name));
    else
        add_na(table);
}

/* The row of a device that cannot be used: what is known of it, and why nothing else is. */
static void add_device_down(cli_table *table, const status_device *device)
{
    const nvp_value *why = &device->values[STATUS_DEVICE];
    const char *word = why->reason == NVP_REASON_GPU_LOST ? "lost" : nvp_reason_text(why->reason);
    if (nvp_check(&device->values[STATUS_NAME], NVP_KIND_TEXT))
        add_name(table, &device->values[STATUS_NAME]);
    cli_table_addf(table, CLI_RED, "%s (%s)", word, nvp_status_name(why->status));
    cli_table_end_row(table);
}

static void add_device(cli_table *table, const status_device *device)
{
    const nvp_value *values = device->values;
    cli_table_addf(table, CLI_PLAIN, "%u", device->index);
    if (status_device_is_down(device)) {
        add_device_down(table, device);
        return;
    }
    add_name(table, &values[STATUS_NAME]);
    add_percent(table, &values[STATUS_GPU_PERCENT]);
    add_percent(table, &values[STATUS_MEMORY_PERCENT]);
    add_memory(table, &values[STATUS_USED_BYTES], &values[STATUS_TOTAL_BYTES]);
    add_temperature(table, device);
    add_power(table, device);
    add_percent(table, &values[STATUS_FAN_PERCENT]);
    add_process_count(table, device);
}

static bool print_devices(const status_report *report, const cli_terminal *terminal, FILE *out)
{
    cli_table table = CLI_TABLE_INIT(device_columns, terminal);
    for (size_t i = 0; i < report->device_count; i++)
        add_device(&table, &report->devices[i]);
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
    if (!nvp_check(&process->used_bytes, NVP_KIND_NUMBER))
        add_na(table);
    else if (used >= GIB)
        cli_table_addf(table, CLI_PLAIN, "%.1f GiB", used / GIB);
    else
        cli_table_addf(table, CLI_PLAIN, "%.0f MiB", used / MIB);
    add_name(table, &process->name);
}

static bool print_process_table(const status_report *report, const cli_terminal *terminal, FILE *out)
{
    cli_table table = CLI_TABLE_INIT(process_columns, terminal);
    for (size_t i = 0; i < report->device_count; i++) {
        for (size_t j = 0; j < report->devices[i].process_count; j++)
            add_process(&table, &report->devices[i], &report->devices[i].processes[j]);
    }
    fputc('\n', out);
    bool done = cli_table_print(&table, terminal, out);
    cli_table_free(&table);
    return done;
}

static bool print_processes(const status_report *report, const status_view *view, FILE *out)
{
    size_t count = 0;
    for (size_t i = 0; i < report->device_count; i++)
        count += report->devices[i].process_count;
    if (count == 0 || view->processes == STATUS_PROCESSES_NONE)
        return true;
    if (count <= PROCESSES_MAX || view->processes == STATUS_PROCESSES_ALL)
        return print_process_table(report, &view->terminal, out);
    char text[80];
    snprintf(text, sizeof text, "%zu processes; --processes=all lists them", count);
    fputc('\n', out);
    return print_line(text, CLI_PLAIN, &view->terminal, out);
}

static bool print_details(const status_report *report, const cli_terminal *terminal, FILE *out)
{
    char text[4200];
    bool done = status_reasons_print(report, terminal, out);
    fputc('\n', out);
    if (report->reserved_counts_as_used)
        done = done && print_line("Memory that the driver reserves counts as used: this driver cannot tell them apart.",
                                  CLI_PLAIN, terminal, out);
    snprintf(text, sizeof text, "Library: %s (%s)", report->driver.path != NULL ? report->driver.path : "unknown",
             report->driver.origin != NULL ? report->driver.origin : "unknown");
    return done && print_line(text, CLI_PLAIN, terminal, out);
}

bool status_report_print(const status_report *report, const status_view *view, FILE *out)
{
    const cli_terminal *terminal = &view->terminal;
    bool done = print_headline(report, terminal, out);
    if (report->driver.simulated) {
        char text[256];
        snprintf(text, sizeof text, "SIMULATED: %s",
                 report->driver.simulation != NULL ? report->driver.simulation : "not a real driver");
        done = done && print_line(text, CLI_YELLOW, terminal, out);
    }
    if (report->device_count == 0)
        done = done && print_line("no NVIDIA GPUs found", CLI_PLAIN, terminal, out);
    else
        done = done && print_devices(report, terminal, out) && print_processes(report, view, out);
    return view->verbose ? done && print_details(report, terminal, out) : done;
}
