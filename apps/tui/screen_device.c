/*
 * One GPU: graphs, its MIG devices, its links, and every metric by group with its value, its age and why it is N/A.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "detail.h"
#include "device.h"
#include "format.h"
#include "gpus.h"

/** Metrics stand beside each other where each has so much room. */
#define METRIC_COLUMNS_MIN 76
#define METRIC_COLUMNS_MAX 90
#define METRICS_BESIDE_MAX 3

/** What was read within so long of the sample is of the sample. */
#define FRESH_US 1500000

static double number(const nvp_device_sample *device, nvp_metric metric)
{
    return nvp_reading_number(nvp_device_sample_get(device, metric), NAN);
}

static void draw_graphs(tui_scroll *scroll, const nvp_device_sample *device)
{
    const tui_history *history = scroll->app->history;
    unsigned int gpu = device->index;
    double limit = number(device, NVP_METRIC_POWER_ENFORCED_LIMIT_MW) / 1000;
    double clock = number(device, NVP_METRIC_CLOCKS_MAX_SM_MHZ);
    const tui_detail_graph graphs[] = {
        { "GPU", tui_history_device(history, gpu, -1, TUI_DEVICE_GPU_PERCENT), 100, tui_detail_percent, TUI_GOOD },
        { "Memory", tui_history_device(history, gpu, -1, TUI_DEVICE_MEMORY_PERCENT), 100, tui_detail_percent, TUI_LABEL },
        { "Power", tui_history_device(history, gpu, -1, TUI_DEVICE_POWER_W), limit, tui_detail_watts, TUI_WARN },
        { "Temperature", tui_history_device(history, gpu, -1, TUI_DEVICE_TEMPERATURE_C), 100, tui_detail_celsius, TUI_BAD },
        { "SM clock", tui_history_device(history, gpu, -1, TUI_DEVICE_SM_MHZ), clock, tui_detail_megahertz, TUI_GOOD },
        { "PCIe rx", tui_history_device(history, gpu, -1, TUI_DEVICE_PCIE_RX_BYTES_PER_S), NAN, tui_detail_rate, TUI_LABEL },
    };
    tui_detail_graphs(scroll, graphs, sizeof graphs / sizeof *graphs);
}

static void draw_mig_device(tui_scroll *scroll, const nvp_device_sample *device)
{
    static const nvp_metric numbers[] = { NVP_METRIC_MIG_GPU_INSTANCE_ID, NVP_METRIC_MIG_COMPUTE_INSTANCE_ID,
                                          NVP_METRIC_MIG_GPU_SLICES };
    char cells[3][16], used[16], total[16], line[256];
    for (size_t i = 0; i < 3; i++) {
        tui_format_number(number(device, numbers[i]), 0, "", cells[i], sizeof cells[i]);
    }
    tui_format_bytes(number(device, NVP_METRIC_MEMORY_USED_BYTES), used, sizeof used);
    tui_format_bytes(number(device, NVP_METRIC_MEMORY_TOTAL_BYTES), total, sizeof total);
    snprintf(line, sizeof line, " %3d %4s %4s %6s %6s/%-6s %.160s", device->mig_index, cells[0], cells[1], cells[2], used, total,
             nvp_reading_text(nvp_device_sample_get(device, NVP_METRIC_IDENTITY_NAME), ""));
    tui_scroll_line(scroll, TUI_PLAIN, line);
}

static void draw_mig_devices(tui_scroll *scroll, const nvp_device_sample *gpu)
{
    const nvp_device_sample *device;
    bool has_heading = false;
    for (size_t i = 0; (device = nvp_snapshot_device(scroll->app->snapshot, i)) != NULL; i++) {
        if (device->index == gpu->index && device->mig_index >= 0) {
            if (!has_heading) {
                tui_detail_heading(scroll, "MIG devices");
                tui_scroll_line(scroll, TUI_DIM, " MIG   GI   CI SLICES     MEMORY    NAME");
                has_heading = true;
            }
            draw_mig_device(scroll, device);
        }
    }
}

/* The metrics with a value for each link, and how they are called in the table of links. */
static const struct {
    nvp_metric metric;
    const char *title;
} links[] = {
    { NVP_METRIC_NVLINK_LINK_STATES, "STATE" },          { NVP_METRIC_NVLINK_LINK_RX_BYTES, "RECEIVED" },
    { NVP_METRIC_NVLINK_LINK_TX_BYTES, "SENT" },         { NVP_METRIC_NVLINK_LINK_CRC_ERRORS, "CRC" },
    { NVP_METRIC_NVLINK_LINK_REPLAY_ERRORS, "REPLAYS" }, { NVP_METRIC_NVLINK_LINK_RECOVERY_ERRORS, "RECOVERIES" },
};

enum { LINK_COLUMNS = sizeof links / sizeof *links };

static bool is_of_links(nvp_metric metric)
{
    for (size_t i = 0; i < LINK_COLUMNS; i++) {
        if (links[i].metric == metric) {
            return true;
        }
    }
    return false;
}

static void format_link(const nvp_device_sample *device, size_t which, uint32_t link, char *text, size_t size)
{
    const nvp_reading *list = nvp_device_sample_get(device, links[which].metric);
    if (list == NULL || list->kind != NVP_KIND_LIST || link >= list->count) {
        snprintf(text, size, "N/A");
        return;
    }
    const nvp_reading *item = &list->as.items[link];
    const char *unit = nvp_metric_get(links[which].metric)->unit;
    if (strcmp(unit, "bytes") == 0) {
        tui_format_bytes(nvp_reading_number(item, NAN), text, size);
    } else if (unit[0] != '\0') { /* its title says what is counted */
        tui_format_number(nvp_reading_number(item, NAN), 0, "", text, size);
    } else {
        nvp_metric_format(links[which].metric, item, text, size);
    }
}

static void draw_links(tui_scroll *scroll, const nvp_device_sample *device)
{
    const nvp_reading *states = nvp_device_sample_get(device, NVP_METRIC_NVLINK_LINK_STATES);
    char line[256], cell[32];
    if (states == NULL || states->kind != NVP_KIND_LIST || states->count == 0) {
        return;
    }
    tui_detail_heading(scroll, "NVLink");
    snprintf(line, sizeof line, " LINK %10s %10s %10s %12s %12s %12s", links[0].title, links[1].title, links[2].title,
             links[3].title, links[4].title, links[5].title);
    tui_scroll_line(scroll, TUI_DIM, line);
    for (uint32_t link = 0; link < states->count; link++) {
        int used = snprintf(line, sizeof line, " %4u", link);
        for (size_t i = 0; i < LINK_COLUMNS; i++) {
            format_link(device, i, link, cell, sizeof cell);
            used += snprintf(line + used, sizeof line - (size_t)used, " %*s", i < 3 ? 10 : 12, cell);
        }
        tui_scroll_line(scroll, TUI_PLAIN, line);
    }
}

/* How old a value is, when it is older than the sample that it stands in. */
static void format_age(const tui_app *app, const nvp_reading *reading, char *text, size_t size)
{
    int64_t age_us = nvp_snapshot_time_us(app->snapshot) - reading->read_at_us;
    text[0] = '\0';
    if (reading->read_at_us > 0 && age_us >= FRESH_US) {
        tui_format_span((double)age_us / 1e6, text, size);
    }
}

static void draw_metric(tui_scroll *scroll, int row, int column, int columns, const nvp_device_sample *device,
                        const nvp_metric_info *info)
{
    const nvp_reading *reading = nvp_device_sample_get(device, info->metric);
    tui_canvas *canvas = &scroll->app->canvas;
    int name = columns >= METRIC_COLUMNS_MIN - 4 ? 36 : columns / 2, age = 9, value = columns - name - age - 2;
    char text[1024], span[16];
    tui_canvas_put(canvas, row, column, name - 1, TUI_LABEL, info->name + strlen(info->group) + 1);
    if (!nvp_reading_has(reading)) {
        snprintf(text, sizeof text, "N/A: %s", nvp_reason_text(reading == NULL ? NVP_REASON_NO_DATA : reading->reason));
        tui_canvas_put(canvas, row, column + name, columns - name - 1, TUI_DIM, text);
        return;
    }
    nvp_metric_format(info->metric, reading, text, sizeof text);
    format_age(scroll->app, reading, span, sizeof span);
    tui_canvas_put(canvas, row, column + name, value, TUI_PLAIN, text);
    tui_canvas_put_right(canvas, row, column + name + value, age, TUI_DIM, span);
}

static bool is_listed(nvp_metric metric)
{
    return nvp_metric_get(metric)->tier != NVP_TIER_COSTLY && !is_of_links(metric);
}

/* The metrics from `first` to before `end` are one group: column after column. */
static void draw_group(tui_scroll *scroll, const nvp_device_sample *device, size_t first, size_t end)
{
    nvp_metric listed[NVP_METRIC_COUNT];
    size_t count = 0;
    for (size_t i = first; i < end && count < NVP_METRIC_COUNT; i++) {
        if (is_listed((nvp_metric)i)) {
            listed[count++] = (nvp_metric)i;
        }
    }
    if (count == 0) {
        return;
    }
    int beside = scroll->area.columns / METRIC_COLUMNS_MIN;
    beside = beside < 1 ? 1 : beside > METRICS_BESIDE_MAX ? METRICS_BESIDE_MAX : beside;
    int width = scroll->area.columns / beside;
    width = width < METRIC_COLUMNS_MAX ? width : METRIC_COLUMNS_MAX;
    size_t lines = (count + (size_t)beside - 1) / (size_t)beside;
    tui_detail_heading(scroll, nvp_metric_get(listed[0])->group);
    for (size_t line = 0; line < lines; line++) {
        int row = tui_scroll_row(scroll);
        for (size_t i = 0; row >= 0 && i < (size_t)beside && i * lines + line < count; i++) {
            int column = scroll->area.column + (int)i * width + 1;
            draw_metric(scroll, row, column, width - 1, device, nvp_metric_get(listed[i * lines + line]));
        }
    }
}

static void draw_metrics(tui_scroll *scroll, const nvp_device_sample *device)
{
    size_t count = nvp_metric_count() < NVP_METRIC_COUNT ? nvp_metric_count() : NVP_METRIC_COUNT;
    for (size_t first = 0, end; first < count; first = end) {
        const char *group = nvp_metric_get((nvp_metric)first)->group;
        for (end = first + 1; end < count && strcmp(nvp_metric_get((nvp_metric)end)->group, group) == 0; end++) {
        }
        draw_group(scroll, device, first, end);
    }
}

static void draw_title(tui_scroll *scroll, const nvp_device_sample *device)
{
    char text[256], fault[128];
    snprintf(text, sizeof text, "GPU %u  %s  %s", device->index,
             nvp_reading_text(nvp_device_sample_get(device, NVP_METRIC_IDENTITY_NAME), "GPU"),
             nvp_reading_text(nvp_device_sample_get(device, NVP_METRIC_IDENTITY_PCI_BUS_ID), ""));
    tui_scroll_line(scroll, TUI_STRONG, text);
    tui_gpus_describe_fault(scroll->app, device, fault, sizeof fault);
    if (fault[0] != '\0') {
        tui_scroll_line(scroll, device->state == NVP_DEVICE_ASLEEP ? TUI_DIM : TUI_ALERT, fault);
    }
}

void tui_draw_device(tui_app *app, tui_area area)
{
    tui_scroll scroll = tui_scroll_begin(app, area);
    const nvp_device_sample *device = tui_device_shown(app);
    if (device == NULL) {
        tui_scroll_line(&scroll, TUI_DIM, app->snapshot == NULL ? "no sample yet" : "there is no GPU");
    } else {
        draw_title(&scroll, device);
        draw_graphs(&scroll, device);
        draw_mig_devices(&scroll, device);
        draw_links(&scroll, device);
        draw_metrics(&scroll, device);
    }
    tui_scroll_end(&scroll);
}
