/*
 * A report for people: a headline, a table for each device, its charts, the processes.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report.h"
#include "table.h"
#include "text.h"

/** More processes than this are only counted, unless all were asked for. */
#define PROCESSES_MAX 20

#define GIB (1024.0 * 1024.0 * 1024.0)
#define MIB (1024.0 * 1024.0)

static const cli_column stat_columns[] = {
    { "Metric", CLI_LEFT, 0, 20, false }, { "Mean", CLI_RIGHT, 0, 0, false }, { "Min", CLI_RIGHT, 3, 0, false },
    { "Max", CLI_RIGHT, 5, 0, false },    { "Last", CLI_RIGHT, 4, 0, false }, { "Samples", CLI_RIGHT, 1, 0, false },
    { "N/A", CLI_RIGHT, 2, 0, false },
};

static const cli_column process_columns[] = {
    { "GPU", CLI_RIGHT, 0, 0, false },   { "PID", CLI_RIGHT, 0, 0, false },      { "User", CLI_LEFT, 2, 0, false },
    { "Type", CLI_LEFT, 1, 0, false },   { "Memory", CLI_RIGHT, 6, 0, false },   { "SM", CLI_RIGHT, 5, 0, false },
    { "CPU", CLI_RIGHT, 4, 0, false },   { "Host mem", CLI_RIGHT, 3, 0, false }, { "Seen for", CLI_RIGHT, 7, 0, false },
    { "Process", CLI_LEFT, 0, 8, true },
};

/* "1 h 2 min", "2 min 5 s", "5.3 s" */
static void format_span(int64_t span_us, char *text, size_t size)
{
    long long seconds = span_us / 1000000;
    if (seconds >= 3600) {
        snprintf(text, size, "%lld h %lld min", seconds / 3600, seconds % 3600 / 60);
    } else if (seconds >= 60) {
        snprintf(text, size, "%lld min %lld s", seconds / 60, seconds % 60);
    } else {
        snprintf(text, size, "%.1f s", (double)span_us / 1e6);
    }
}

static void format_time(int64_t time_us, char *text, size_t size)
{
    time_t seconds = (time_t)(time_us / 1000000);
    struct tm local;
    if (localtime_r(&seconds, &local) == NULL || strftime(text, size, "%Y-%m-%d %H:%M:%S", &local) == 0) {
        snprintf(text, size, "?");
    }
}

/* A line of its own, made harmless and shortened to the width. */
static bool print_line(const char *text, cli_style style, const cli_terminal *terminal, FILE *out)
{
    char *clean = cli_text_clean(text, terminal->utf8);
    char *line =
        clean == NULL ? NULL : cli_text_shorten(clean, terminal->width == 0 ? SIZE_MAX : terminal->width, terminal->utf8);
    if (line != NULL) {
        fprintf(out, "%s%s%s\n", cli_terminal_style(terminal, style), line, cli_terminal_reset(terminal, style));
    }
    bool done = line != NULL;
    free(clean);
    free(line);
    return done;
}

static bool print_headline(const report_summary *report, const report_view *view, FILE *out)
{
    char text[600], begin[32], end[32], span[48];
    format_time(report->begin_us, begin, sizeof begin);
    format_time(report->end_us, end, sizeof end);
    format_span(report->duration_us, span, sizeof span);
    snprintf(text, sizeof text, "host %s  driver %s", report->host[0] != '\0' ? report->host : "N/A",
             report->driver[0] != '\0' ? report->driver : "N/A");
    bool done = print_line(text, CLI_PLAIN, &view->terminal, out);
    if (report->simulation[0] != '\0') {
        snprintf(text, sizeof text, "SIMULATED: %s", report->simulation);
        done = done && print_line(text, CLI_YELLOW, &view->terminal, out);
    }
    snprintf(text, sizeof text, "%s to %s  %s", begin, end, span);
    done = done && print_line(text, CLI_PLAIN, &view->terminal, out);
    int length = snprintf(text, sizeof text, "%llu snapshots", (unsigned long long)report->snapshots);
    if (report->snapshots > report->segments) {
        double apart_s = (double)report->duration_us / 1e6 / (double)(report->snapshots - report->segments);
        length += snprintf(text + length, sizeof text - (size_t)length, "  %.*f s apart", apart_s < 0.1 ? 3 : 1, apart_s);
    }
    if (report->segments > 1) {
        length += snprintf(text + length, sizeof text - (size_t)length, "  %llu recordings one after the other",
                           (unsigned long long)report->segments);
    }
    if (report->bad_lines > 0) {
        snprintf(text + length, sizeof text - (size_t)length, "  %llu lines left out", (unsigned long long)report->bad_lines);
    }
    return done && print_line(text, CLI_PLAIN, &view->terminal, out);
}

static void format_energy(double energy_mj, char *text, size_t size)
{
    double joules = energy_mj / 1000;
    snprintf(text, size, "%.*f Wh (%.*f J)", joules < 36000 ? 3 : 1, joules / 3600, joules < 1000 ? 1 : 0, joules);
}

/* "GPU 0:1  name  UUID  energy 1.234 Wh (4442 J)  stalled in 3 snapshots" */
static bool print_device(const report_device *device, const report_view *view, FILE *out)
{
    char text[700];
    int length = snprintf(text, sizeof text, device->mig_index < 0 ? "GPU %u" : "GPU %u:%d", device->index, device->mig_index);
    const char *const parts[] = { device->name, device->uuid };
    for (size_t i = 0; i < 2; i++) {
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%.200s", parts[i][0] != '\0' ? "  " : "", parts[i]);
    }
    fputc('\n', out);
    bool done = print_line(text, CLI_BOLD, &view->terminal, out);
    double energy_mj;
    const char *source;
    length = 0;
    if (report_energy_mj(device, &energy_mj, &source)) {
        char energy[64];
        format_energy(energy_mj, energy, sizeof energy);
        length = snprintf(text, sizeof text, "energy %s%s", energy, strcmp(source, "power") == 0 ? ", from its power" : "");
    } else if (device->mig_index < 0) {
        length = snprintf(text, sizeof text, "energy N/A");
    }
    for (nvp_device_state state = NVP_DEVICE_STALLED; state <= NVP_DEVICE_FAILED; state++) {
        if (device->states[state] > 0) {
            length += snprintf(text + length, sizeof text - (size_t)length, "%s%s in %llu of %llu snapshots",
                               length > 0 ? "  " : "", nvp_device_state_name(state), (unsigned long long)device->states[state],
                               (unsigned long long)device->snapshots);
        }
    }
    return done && (length == 0 || print_line(text, CLI_PLAIN, &view->terminal, out));
}

/* What the library keeps in units that are too small to be read. */
static bool format_large(const nvp_metric_info *info, double number, char *text, size_t size)
{
    if (strcmp(info->unit, "mask") == 0) {
        snprintf(text, size, "0x%llx", (unsigned long long)number);
    } else if (strcmp(info->unit, "mJ") == 0) {
        snprintf(text, size, "%.0f J", number / 1e3);
    } else if (strcmp(info->unit, "bytes/s") == 0) {
        snprintf(text, size, "%.1f MiB/s", number / MIB);
    } else if (strcmp(info->unit, "bytes") == 0 && info->smi_divisor == 1) {
        snprintf(text, size, "%.1f MiB", number / MIB);
    } else {
        return false;
    }
    return true;
}

/* A number as its metric shows it. */
static void add_number(cli_table *table, const report_stat *stat, double number, bool is_mean)
{
    char text[96];
    nvp_reading reading = { .kind = NVP_KIND_REAL, .as.real_value = number };
    if (!is_mean && stat->kind == NVP_KIND_UINT && number >= 0) {
        reading = (nvp_reading){ .kind = NVP_KIND_UINT, .as.uint_value = (uint64_t)number };
    } else if (!is_mean && stat->kind == NVP_KIND_INT) {
        reading = (nvp_reading){ .kind = NVP_KIND_INT, .as.int_value = (int64_t)number };
    }
    if (!format_large(nvp_metric_get(stat->metric), number, text, sizeof text)) {
        nvp_metric_format(stat->metric, &reading, text, sizeof text);
    }
    cli_table_add(table, CLI_PLAIN, text);
}

static void add_stat(cli_table *table, const report_stat *stat)
{
    const nvp_metric_info *info = nvp_metric_get(stat->metric);
    if (stat->item == REPORT_NO_ITEM) {
        cli_table_add(table, CLI_PLAIN, info->name);
    } else {
        cli_table_addf(table, CLI_PLAIN, "%s[%u]", info->name, stat->item);
    }
    if (info->kind == NVP_METRIC_GAUGE) { /* the mean of a counter or a state says nothing */
        add_number(table, stat, stat->mean, true);
        add_number(table, stat, stat->min, false);
        add_number(table, stat, stat->max, false);
    } else {
        for (int i = 0; i < 3; i++) {
            cli_table_add(table, CLI_DIM, "-");
        }
    }
    add_number(table, stat, stat->last, false);
    cli_table_addf(table, CLI_PLAIN, "%llu", (unsigned long long)stat->samples);
    cli_table_addf(table, stat->na > 0 ? CLI_YELLOW : CLI_PLAIN, "%.0f%%",
                   100 * (double)stat->na / (double)(stat->na + stat->samples));
}

bool report_lists(const report_view *view, nvp_metric metric)
{
    for (size_t i = 0; i < view->metrics.count; i++) {
        if (view->metrics.metrics[i] == metric) {
            return true;
        }
    }
    return view->metrics.count == 0;
}

static int compare_stats(const void *one, const void *other)
{
    const report_stat *a = *(const report_stat *const *)one, *b = *(const report_stat *const *)other;
    int order = strcmp(nvp_metric_get(a->metric)->name, nvp_metric_get(b->metric)->name);
    return order != 0 ? order : (a->item > b->item) - (a->item < b->item);
}

/* What never had a number is named below the table, with the reason, as much on a line as fits. */
static void print_absent(const report_stat *const *stats, size_t count, const report_view *view, FILE *out)
{
    size_t column = 0, width = view->terminal.width;
    for (size_t i = 0; i < count; i++) {
        char text[200];
        bool is_first_item = stats[i]->item == REPORT_NO_ITEM || stats[i]->item == 0;
        if (stats[i]->samples > 0 || !is_first_item) {
            continue;
        }
        size_t length = (size_t)snprintf(text, sizeof text, "%s (%s)", nvp_metric_get(stats[i]->metric)->name,
                                         nvp_reason_text(nvp_status_reason(stats[i]->why)));
        if (column == 0) {
            fputs("N/A throughout:", out);
            column = strlen("N/A throughout:");
        }
        bool fits = width == 0 || column + 1 + length <= width;
        fprintf(out, "%s%s", fits ? " " : "\n  ", text);
        column = fits ? column + 1 + length : 2 + length;
    }
    fputs(column > 0 ? "\n" : "", out);
}

static bool print_stats(const report_device *device, const report_view *view, FILE *out)
{
    const report_stat **stats = calloc(device->stat_count + 1, sizeof *stats);
    size_t count = 0;
    if (stats == NULL) {
        return false;
    }
    cli_table table = CLI_TABLE_INIT(stat_columns, &view->terminal);
    for (size_t i = 0; i < device->stat_count; i++) {
        if (report_lists(view, device->stats[i].metric)) {
            stats[count++] = &device->stats[i];
        }
    }
    qsort(stats, count, sizeof *stats, compare_stats);
    for (size_t i = 0; i < count; i++) {
        if (stats[i]->samples > 0) {
            add_stat(&table, stats[i]);
        }
    }
    bool done = table.cell_count == 0 && !table.failed ? true : cli_table_print(&table, &view->terminal, out);
    print_absent(stats, count, view, out);
    cli_table_free(&table);
    free(stats);
    return done;
}

static void add_bytes(cli_table *table, double bytes)
{
    if (bytes < 0) {
        cli_table_add(table, CLI_DIM, "N/A");
    } else if (bytes >= GIB) {
        cli_table_addf(table, CLI_PLAIN, "%.1f GiB", bytes / GIB);
    } else {
        cli_table_addf(table, CLI_PLAIN, "%.0f MiB", bytes / MIB);
    }
}

static void add_percent(cli_table *table, double percent)
{
    if (percent < 0) {
        cli_table_add(table, CLI_DIM, "N/A");
    } else {
        cli_table_addf(table, CLI_PLAIN, "%.0f%%", percent);
    }
}

static void add_process(cli_table *table, const report_process *process)
{
    char span[48];
    if (process->mig_index != UINT64_MAX) {
        cli_table_addf(table, CLI_PLAIN, "%llu:%llu", (unsigned long long)process->gpu_index,
                       (unsigned long long)process->mig_index);
    } else {
        cli_table_addf(table, CLI_PLAIN, "%llu", (unsigned long long)process->gpu_index);
    }
    cli_table_addf(table, CLI_PLAIN, "%llu", (unsigned long long)process->pid);
    cli_table_add(table, process->user[0] != '\0' ? CLI_PLAIN : CLI_DIM, process->user[0] != '\0' ? process->user : "N/A");
    cli_table_add(table, CLI_PLAIN, nvp_process_type_text(process->type));
    add_bytes(table, process->memory_bytes);
    add_percent(table, process->sm_percent);
    add_percent(table, process->cpu_percent);
    add_bytes(table, process->host_memory_bytes);
    format_span(process->last_us - process->first_us, span, sizeof span);
    cli_table_add(table, CLI_PLAIN, span);
    cli_table_add(table, CLI_PLAIN, process->command[0] != '\0' ? process->command : "N/A");
}

static bool print_processes(const report_summary *report, const report_view *view, FILE *out)
{
    if (report->process_count == 0 || view->processes == REPORT_PROCESSES_NONE) {
        return true;
    }
    const report_process **processes = report_processes(report);
    if (processes == NULL) {
        return false;
    }
    size_t count = report->process_count;
    bool cuts = view->processes == REPORT_PROCESSES_AUTO && count > PROCESSES_MAX;
    cli_table table = CLI_TABLE_INIT(process_columns, &view->terminal);
    for (size_t i = 0; i < (cuts ? PROCESSES_MAX : count); i++) {
        add_process(&table, processes[i]);
    }
    fputs("\nThe most that each process used:\n", out);
    bool done = cli_table_print(&table, &view->terminal, out);
    if (cuts) {
        fprintf(out, "%zu more; --processes=all lists them\n", count - PROCESSES_MAX);
    }
    cli_table_free(&table);
    free(processes);
    return done;
}

static bool print_total(const report_summary *report, const report_view *view, FILE *out)
{
    double total_mj = 0, energy_mj;
    size_t known = 0;
    const char *source;
    for (size_t i = 0; i < report->device_count; i++) {
        if (report_energy_mj(&report->devices[i], &energy_mj, &source)) {
            total_mj += energy_mj;
            known++;
        }
    }
    if (known < 2) {
        return true;
    }
    char text[128], energy[64];
    format_energy(total_mj, energy, sizeof energy);
    snprintf(text, sizeof text, "energy of %zu GPUs together: %s", known, energy);
    fputc('\n', out);
    return print_line(text, CLI_PLAIN, &view->terminal, out);
}

bool report_print(const report_summary *report, const report_view *view, FILE *out)
{
    bool done = print_headline(report, view, out);
    for (size_t i = 0; i < report->device_count && done; i++) {
        const report_device *device = &report->devices[i];
        done =
            print_device(device, view, out) && print_stats(device, view, out) && report_print_charts(report, device, view, out);
    }
    return done && print_total(report, view, out) && print_processes(report, view, out);
}
