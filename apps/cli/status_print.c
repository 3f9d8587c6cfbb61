/*
 * Prints what `nvpulse status` shows of a snapshot: a headline, the tables, the details. Asks the driver nothing.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <nvpulse/driver.h>

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

static void format_host(const nvp_snapshot *snapshot, const char *label, nvp_host_field field, char *text, size_t size)
{
    snprintf(text, size, "%s %s", label, nvp_reading_text(nvp_snapshot_host(snapshot, field), "N/A"));
}

static void format_time(const nvp_snapshot *snapshot, char *text, size_t size)
{
    time_t now = (time_t)(nvp_snapshot_time_us(snapshot) / 1000000);
    struct tm local;
    if (localtime_r(&now, &local) == NULL || strftime(text, size, "%Y-%m-%d %H:%M:%S", &local) == 0) {
        text[0] = '\0';
    }
}

static bool print_headline(const nvp_snapshot *snapshot, const cli_terminal *terminal, FILE *out)
{
    char raw[4][160];
    char *clean[4];
    format_host(snapshot, "driver", NVP_HOST_DRIVER_VERSION, raw[0], sizeof raw[0]);
    format_host(snapshot, "NVML", NVP_HOST_NVML_VERSION, raw[1], sizeof raw[1]);
    format_host(snapshot, "CUDA", NVP_HOST_CUDA_VERSION, raw[2], sizeof raw[2]);
    format_time(snapshot, raw[3], sizeof raw[3]);
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

static bool print_processes(const nvp_snapshot *snapshot, const status_view *view, FILE *out)
{
    size_t count = nvp_snapshot_process_count(snapshot);
    if (count == 0 || view->processes == STATUS_PROCESSES_NONE) {
        return true;
    }
    if (count <= PROCESSES_MAX || view->processes == STATUS_PROCESSES_ALL) {
        return status_process_table_print(snapshot, &view->terminal, out);
    }
    char text[80];
    snprintf(text, sizeof text, "%zu processes; --processes=all lists them", count);
    fputc('\n', out);
    return print_line(text, CLI_PLAIN, &view->terminal, out);
}

/* Older drivers tell the memory in use without telling what they keep for themselves. */
static bool lacks_reserved(const nvp_snapshot *snapshot)
{
    const nvp_device_sample *device;
    for (size_t i = 0; (device = nvp_snapshot_device(snapshot, i)) != NULL; i++) {
        bool is_unified = nvp_reading_uint(nvp_device_sample_get(device, NVP_METRIC_MEMORY_UNIFIED), 0) == 1;
        if (device->mig_index < 0 && !is_unified &&
            nvp_reading_has(nvp_device_sample_get(device, NVP_METRIC_MEMORY_USED_BYTES)) &&
            !nvp_reading_has(nvp_device_sample_get(device, NVP_METRIC_MEMORY_RESERVED_BYTES))) {
            return true;
        }
    }
    return false;
}

static bool print_details(const nvp_snapshot *snapshot, const cli_terminal *terminal, FILE *out)
{
    char text[4200];
    nvp_driver_info driver = NVP_DRIVER_INFO_INIT;
    const cli_terminal unlimited = { 0, terminal->color, terminal->utf8 }; /* what is cut off here would help nobody */
    bool done = status_reasons_print(snapshot, terminal, out);
    fputc('\n', out);
    if (lacks_reserved(snapshot)) {
        done = done &&
               print_line("This driver does not tell the memory that it reserves from the rest.", CLI_PLAIN, &unlimited, out);
    }
    nvp_driver_get_info(&driver);
    snprintf(text, sizeof text, "Library: %s (%s)", driver.path != NULL ? driver.path : "unknown",
             driver.origin != NULL ? driver.origin : "unknown");
    return done && print_line(text, CLI_PLAIN, &unlimited, out);
}

bool status_report_print(const nvp_snapshot *snapshot, const status_view *view, FILE *out)
{
    const cli_terminal *terminal = &view->terminal;
    bool done = print_headline(snapshot, terminal, out);
    const nvp_reading *simulation = nvp_snapshot_host(snapshot, NVP_HOST_SIMULATION);
    if (nvp_reading_has(simulation)) {
        char text[256];
        const char *what = nvp_reading_text(simulation, "");
        snprintf(text, sizeof text, "SIMULATED: %s", what[0] != '\0' ? what : "not a real driver");
        done = done && print_line(text, CLI_YELLOW, terminal, out);
    }
    if (nvp_snapshot_device_count(snapshot) == 0) {
        done = done && print_line("no NVIDIA GPUs found", CLI_PLAIN, terminal, out);
    } else {
        done = done && status_device_table_print(snapshot, view, out) && status_slowed_print(snapshot, terminal, out) &&
               print_processes(snapshot, view, out);
    }
    return view->verbose ? done && print_details(snapshot, terminal, out) : done;
}
