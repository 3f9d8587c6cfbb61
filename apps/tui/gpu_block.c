/*
 * A GPU with two lines: what it is and how it feels, and bars over the whole width.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bar.h"
#include "format.h"
#include "gpu.h"
#include "text.h"

/* A word and its value, when there is one and they fit; the column behind them. */
static int put_pair(tui_canvas *canvas, int row, int column, int end, const char *label, tui_style style, const char *value)
{
    if (strcmp(value, "N/A") == 0) {
        return column;
    }
    int width = tui_text_width(label) + 1 + tui_text_width(value) + 2;
    if (column + width - 2 > end) {
        return end + 1;
    }
    column += tui_canvas_put(canvas, row, column, end - column, TUI_LABEL, label) + 1;
    column += tui_canvas_put(canvas, row, column, end - column, style, value);
    return column + 2;
}

static void format_metric(const nvp_device_sample *device, nvp_metric which, char *text, size_t size)
{
    nvp_metric_format(which, nvp_device_sample_get(device, which), text, size);
}

static void format_rate(const nvp_device_sample *device, nvp_metric which, char *text, size_t size)
{
    tui_format_bytes(nvp_reading_number(nvp_device_sample_get(device, which), NAN), text, size);
    strncat(text, isnan(nvp_reading_number(nvp_device_sample_get(device, which), NAN)) ? "" : "/s", size - strlen(text) - 1);
}

/* The upper line of a block: what it is and how it feels. */
static void draw_facts(tui_canvas *canvas, int row, int column, int end, const struct tui_gpu_reading *reading)
{
    const nvp_device_sample *device = reading->device;
    char text[64];
    int name_room = end - column > 60 ? 28 : 20;
    column += 4;
    int used = tui_canvas_put(canvas, row, column, name_room, TUI_STRONG, reading->name);
    column += (used < name_room ? name_room : used) + 1;
    if (reading->fault[0] != '\0') {
        tui_canvas_put(canvas, row, column, end - column, tui_gpu_fault_style(device), reading->fault);
        return;
    }
    tui_format_number(reading->temperature, 0, canvas->is_ascii ? "C" : "°C", text, sizeof text);
    column = put_pair(canvas, row, column, end, "temp", tui_gpu_heat_style(reading), text);
    tui_gpu_format_power(reading, text, sizeof text);
    column = put_pair(canvas, row, column, end, "power", TUI_PLAIN, text);
    tui_format_number(reading->fan, 0, "%", text, sizeof text);
    column = put_pair(canvas, row, column, end, "fan", TUI_PLAIN, text);
    format_metric(device, NVP_METRIC_CLOCKS_PERFORMANCE_STATE, text, sizeof text);
    column = put_pair(canvas, row, column, end, "state", TUI_PLAIN, text);
    tui_format_number(reading->sm_mhz, 0, "MHz", text, sizeof text);
    column = put_pair(canvas, row, column, end, "SM", TUI_PLAIN, text);
    format_rate(device, NVP_METRIC_PCIE_RX_BYTES_PER_S, text, sizeof text);
    column = put_pair(canvas, row, column, end, "PCIe rx", TUI_PLAIN, text);
    format_rate(device, NVP_METRIC_PCIE_TX_BYTES_PER_S, text, sizeof text);
    put_pair(canvas, row, column, end, "tx", TUI_PLAIN, text);
}

/* Columns of one bar of a block, its number included. */
static int bar_width(int columns)
{
    return (columns - 4 - 4 - 5 - 13) / 2;
}

/* The lower line of a block: bars. */
static void draw_bars(tui_canvas *canvas, int row, int column, int end, const struct tui_gpu_reading *reading)
{
    char text[40];
    int width = bar_width(end - column);
    column += 4;
    if (width < 8) {
        return;
    }
    column += tui_canvas_put(canvas, row, column, 4, TUI_LABEL, "GPU ");
    tui_gpu_put_bar(canvas, row, column, width, reading->gpu, TUI_GOOD);
    column += width + 1;
    column += tui_canvas_put(canvas, row, column, 4, TUI_LABEL, "MEM ");
    tui_gpu_put_bar(canvas, row, column, width, reading->memory, tui_bar_style(reading->memory));
    tui_gpu_format_memory(reading, text, sizeof text);
    tui_canvas_put_right(canvas, row, column + width, 13, TUI_PLAIN, text);
}

/* A MIG device has few values: one line, with its bars where those of its GPU are. */
static void draw_mig_block(tui_canvas *canvas, int row, tui_area area, const struct tui_gpu_reading *reading)
{
    int end = area.column + area.columns, more;
    if (reading->fault[0] != '\0' || area.columns < 60) {
        more = tui_gpu_put_label(canvas, row, area.column, reading);
        draw_facts(canvas, row, area.column + more, end, reading);
        return;
    }
    draw_bars(canvas, row, area.column, end, reading);
    tui_canvas_fill(canvas, row, area.column + 4, bar_width(area.columns) + 4, TUI_PLAIN, L' '); /* where its GPU has a bar */
    more = tui_gpu_put_label(canvas, row, area.column, reading);
    tui_canvas_put(canvas, row, area.column + 6 + more, bar_width(area.columns) + 1 - more, TUI_PLAIN, reading->name);
}

void tui_gpu_draw_block(tui_canvas *canvas, int row, tui_area area, const struct tui_gpu_reading *reading)
{
    int end = area.column + area.columns;
    if (reading->device->mig_index >= 0) {
        draw_mig_block(canvas, row, area, reading);
        return;
    }
    tui_gpu_put_label(canvas, row, area.column, reading);
    draw_facts(canvas, row, area.column, end, reading);
    if (row + 1 < area.row + area.rows && reading->fault[0] == '\0') {
        draw_bars(canvas, row + 1, area.column, end, reading);
    }
}

void tui_gpu_draw_graphs(tui_app *app, tui_area place, const struct tui_gpu_reading *reading)
{
    static const tui_device_series series[] = { TUI_DEVICE_GPU_PERCENT, TUI_DEVICE_MEMORY_PERCENT };
    int width = bar_width(place.columns);
    for (int side = 0; side < 2; side++) {
        tui_graph graph = {
            .series = tui_history_device(app->history, reading->device->index, reading->device->mig_index, series[side]),
            .high = 100,
            .lines = place.rows,
            .kind = app->graph,
            .style = side == 0 ? TUI_GOOD : TUI_LABEL,
        };
        int column = place.column + 8 + side * (width + 5);
        tui_graph_draw(&app->canvas, (tui_area){ place.row, column, place.rows, width - 5 }, &graph, 0);
    }
}
