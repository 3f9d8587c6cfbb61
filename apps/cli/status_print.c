/*
 * Prints what `nvpulse status` has read: a headline, the tables, the details. Asks the driver nothing.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "status_report.h"
#include "text.h"

/** More processes than this are only counted, unless all were asked for. */
#define PROCESSES_MAX 64

/* Prints texts with two spaces between them, on as many lines as the width asks for. */
static bool print_parts(const char *const *parts, size_t count, const cli_terminal *terminal, FILE *out)
{
    size_t column = 0;
    for (size_t i = 0; i < count; i++) {
        size_t width = cli_text_width(parts[i]);
        bool fits = column == 0 || terminal->width == 0 || column + 2 + width <= terminal->width;
        char *part = cli_text_shorten(parts[i], terminal->width == 0 ? width : terminal->width, terminal->utf8);
        if (part == NULL) {
            return false;
        }
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
    if (number > 0) {
        snprintf(text, size, "CUDA %lld.%lld", (long long)number / 1000, (long long)number % 1000 / 10);
    } else {
        snprintf(text, size, "CUDA N/A");
    }
}

static void format_text(const char *label, const nvp_value *value, char *text, size_t size)
{
    snprintf(text, size, "%s %s", label, nvp_check(value, NVP_KIND_TEXT) ? nvp_value_text(value) : "N/A");
}

static void format_now(char *text, size_t size)
{
    time_t now = time(NULL);
    struct tm local;
    if (localtime_r(&now, &local) == NULL || strftime(text, size, "%Y-%m-%d %H:%M:%S", &local) == 0) {
        text[0] = '\0';
    }
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
    for (size_t i = 0; i < 4; i++) {
        free(clean[i]);
    }
    return done;
}

/* Prints a line of its own, shortened to the width. */
static bool print_line(const char *text, cli_style style, const cli_terminal *terminal, FILE *out)
{
    char *clean = cli_text_clean(text, terminal->utf8);
    char *line = clean == NULL          ? NULL
                 : terminal->width == 0 ? strdup(clean)
                                        : cli_text_shorten(clean, terminal->width, terminal->utf8);
    if (line != NULL) {
        fprintf(out, "%s%s%s\n", cli_terminal_style(terminal, style), line, cli_terminal_reset(terminal, style));
    }
    bool done = line != NULL;
    free(clean);
    free(line);
    return done;
}

static bool print_processes(const status_report *report, const status_view *view, FILE *out)
{
    size_t count = 0;
    for (size_t i = 0; i < report->device_count; i++) {
        count += report->devices[i].process_count;
    }
    if (count == 0 || view->processes == STATUS_PROCESSES_NONE) {
        return true;
    }
    if (count <= PROCESSES_MAX || view->processes == STATUS_PROCESSES_ALL) {
        return status_process_table_print(report, &view->terminal, out);
    }
    char text[80];
    snprintf(text, sizeof text, "%zu processes; --processes=all lists them", count);
    fputc('\n', out);
    return print_line(text, CLI_PLAIN, &view->terminal, out);
}

static bool print_details(const status_report *report, const cli_terminal *terminal, FILE *out)
{
    char text[4200];
    const cli_terminal unlimited = { 0, terminal->color, terminal->utf8 }; /* what is cut off here would help nobody */
    bool done = status_reasons_print(report, terminal, out);
    fputc('\n', out);
    if (report->reserved_is_unknown) {
        done = done &&
               print_line("This driver does not tell the memory that it reserves from the rest.", CLI_PLAIN, &unlimited, out);
    }
    snprintf(text, sizeof text, "Library: %s (%s)", report->driver.path != NULL ? report->driver.path : "unknown",
             report->driver.origin != NULL ? report->driver.origin : "unknown");
    return done && print_line(text, CLI_PLAIN, &unlimited, out);
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
    if (report->device_count == 0) {
        done = done && print_line("no NVIDIA GPUs found", CLI_PLAIN, terminal, out);
    } else {
        done = done && status_device_table_print(report, terminal, out) && print_processes(report, view, out);
    }
    return view->verbose ? done && print_details(report, terminal, out) : done;
}
