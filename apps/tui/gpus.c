/*
 * A device that is not well keeps its place, and says what is wrong where its values would stand.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bar.h"
#include "format.h"
#include "gpus.h"
#include "text.h"

#define CELL_COLUMNS 26
#define TINY_COLUMNS 10

/** What is shown of a device, read once. */
struct reading {
    const nvp_device_sample *device;
    char label[16];
    const char *name;
    double gpu, memory, used, total, temperature, slowdown, power, limit, fan, sm_mhz;
    char fault[96]; /* what is wrong; "" when nothing is */
};

bool tui_gpus_is_shown(const tui_app *app, const nvp_device_sample *device)
{
    const char *next = app->request->gpus;
    const char *uuid = nvp_reading_text(nvp_device_sample_get(device, NVP_METRIC_IDENTITY_UUID), "");
    if (next == NULL) {
        return true;
    }
    while (*next != '\0') {
        size_t length = strcspn(next, ",");
        char *end;
        unsigned long index = strtoul(next, &end, 10);
        bool is_index = end == next + length && length > 0;
        if (is_index ? index == device->index : length > 0 && strncmp(uuid, next, length) == 0) {
            return true;
        }
        next += length + (next[length] == ',');
    }
    return false;
}

static double metric(const nvp_device_sample *device, nvp_metric which)
{
    return nvp_reading_number(nvp_device_sample_get(device, which), NAN);
}

/* Since when a call has not returned, by the clock on the wall and as a span. */
static void describe_stall(const tui_app *app, const nvp_device_sample *device, char *text, size_t size)
{
    char span[24], clock[16];
    time_t since = (time_t)((nvp_snapshot_time_us(app->snapshot) - device->stalled_us) / 1000000);
    struct tm local;
    localtime_r(&since, &local);
    strftime(clock, sizeof clock, "%H:%M:%S", &local);
    tui_format_span((double)device->stalled_us / 1e6, span, sizeof span);
    snprintf(text, size, "STALLED %s, since %s", span, clock);
}

static void describe_fault(const tui_app *app, const nvp_device_sample *device, char *text, size_t size)
{
    text[0] = '\0';
    if (device->state == NVP_DEVICE_STALLED) {
        describe_stall(app, device, text, size);
    } else if (device->state == NVP_DEVICE_LOST) {
        snprintf(text, size, "LOST: %s", nvp_status_text(device->status));
    } else if (device->state == NVP_DEVICE_ASLEEP) {
        snprintf(text, size, "asleep");
    } else if (device->state == NVP_DEVICE_FAILED) {
        snprintf(text, size, "FAILED: %s", nvp_status_text(device->status));
    }
}

/* What says nothing about which GPU it is. */
static const char *short_name(const char *name)
{
    static const char *const prefixes[] = { "NVIDIA ", "GeForce ", "Tesla " };
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t length = strlen(prefixes[i]);
        name += strncmp(name, prefixes[i], length) == 0 && name[length] != '\0' ? length : 0;
    }
    return name;
}

static struct reading read_device(const tui_app *app, const nvp_device_sample *device)
{
    struct reading reading = {
        .device = device,
        .name = nvp_reading_text(nvp_device_sample_get(device, NVP_METRIC_IDENTITY_NAME), "GPU"),
        .gpu = metric(device, NVP_METRIC_UTILIZATION_GPU_PERCENT),
        .used = metric(device, NVP_METRIC_MEMORY_USED_BYTES),
        .total = metric(device, NVP_METRIC_MEMORY_TOTAL_BYTES),
        .temperature = metric(device, NVP_METRIC_TEMPERATURE_GPU_C),
        .slowdown = metric(device, NVP_METRIC_TEMPERATURE_SLOWDOWN_THRESHOLD_C),
        .power = metric(device, NVP_METRIC_POWER_DRAW_MW) / 1000,
        .limit = metric(device, NVP_METRIC_POWER_ENFORCED_LIMIT_MW) / 1000,
        .fan = metric(device, NVP_METRIC_FAN_SPEED_PERCENT),
        .sm_mhz = metric(device, NVP_METRIC_CLOCKS_SM_MHZ),
    };
    reading.memory = reading.used * 100 / reading.total;
    if (device->mig_index >= 0) {
        snprintf(reading.label, sizeof reading.label, "%u:%d", device->index, device->mig_index);
    } else {
        snprintf(reading.label, sizeof reading.label, "%u", device->index);
    }
    describe_fault(app, device, reading.fault, sizeof reading.fault);
    return reading;
}

static tui_style fault_style(const nvp_device_sample *device)
{
    return device->state == NVP_DEVICE_ASLEEP ? TUI_DIM : TUI_ALERT;
}

static tui_style heat_style(const struct reading *reading)
{
    double limit = isnan(reading->slowdown) ? 95 : reading->slowdown;
    return isnan(reading->temperature)          ? TUI_DIM
           : reading->temperature >= limit - 3  ? TUI_BAD
           : reading->temperature >= limit - 15 ? TUI_WARN
                                                : TUI_PLAIN;
}

static size_t count_shown(const tui_app *app)
{
    size_t count = 0;
    const nvp_device_sample *device;
    for (size_t i = 0; app->snapshot != NULL && (device = nvp_snapshot_device(app->snapshot, i)) != NULL; i++) {
        count += tui_gpus_is_shown(app, device);
    }
    return count;
}

static int lines_of(size_t count, int columns, int width)
{
    int beside = columns / width > 0 ? columns / width : 1;
    return (int)((count + (size_t)beside - 1) / (size_t)beside);
}

tui_density tui_gpus_fit(const tui_app *app, int rows, int columns, int *used)
{
    size_t count = count_shown(app);
    int needed[] = {
        [TUI_DENSITY_BLOCK] = (int)count * 2,
        [TUI_DENSITY_LINE] = (int)count + 1,
        [TUI_DENSITY_CELL] = lines_of(count, columns, CELL_COLUMNS),
        [TUI_DENSITY_TINY] = lines_of(count, columns, TINY_COLUMNS),
    };
    tui_density density = columns >= 60 ? TUI_DENSITY_BLOCK : TUI_DENSITY_LINE;
    while (density < TUI_DENSITY_TINY && needed[density] > rows) {
        density++;
    }
    *used = needed[density] < rows ? needed[density] : rows;
    return density;
}

static void format_memory(const struct reading *reading, char *text, size_t size)
{
    char used[16], total[16];
    tui_format_bytes(reading->used, used, sizeof used);
    tui_format_bytes(reading->total, total, sizeof total);
    snprintf(text, size, "%s/%s", used, total);
}

static void format_power(const struct reading *reading, char *text, size_t size)
{
    if (isnan(reading->power)) {
        snprintf(text, size, "N/A");
    } else if (isnan(reading->limit)) {
        snprintf(text, size, "%.0fW", reading->power);
    } else {
        snprintf(text, size, "%.0f/%.0fW", reading->power, reading->limit);
    }
}

/* A word and its value, when they fit; the column behind them. */
static int put_pair(tui_canvas *canvas, int row, int column, int end, const char *label, tui_style style, const char *value)
{
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
    tui_format_bytes(metric(device, which), text, size);
    strncat(text, isnan(metric(device, which)) ? "" : "/s", size - strlen(text) - 1);
}

/* The upper line of a block: what it is and how it feels. */
static void draw_facts(tui_canvas *canvas, int row, int column, int end, const struct reading *reading)
{
    const nvp_device_sample *device = reading->device;
    char text[64];
    int name_room = end - column > 60 ? 28 : 20;
    column += 4;
    int used = tui_canvas_put(canvas, row, column, name_room, TUI_STRONG, short_name(reading->name));
    column += (used < name_room ? name_room : used) + 1;
    if (reading->fault[0] != '\0') {
        tui_canvas_put(canvas, row, column, end - column, fault_style(device), reading->fault);
        return;
    }
    tui_format_number(reading->temperature, 0, canvas->is_ascii ? "C" : "°C", text, sizeof text);
    column = put_pair(canvas, row, column, end, "temp", heat_style(reading), text);
    format_power(reading, text, sizeof text);
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

static void put_bar(tui_canvas *canvas, int row, int column, int width, double percent, tui_style style)
{
    char text[16];
    tui_bar_draw(canvas, row, column, width - 5, percent, style);
    tui_format_number(percent, 0, "%", text, sizeof text);
    tui_canvas_put_right(canvas, row, column + width - 5, 5, isnan(percent) ? TUI_DIM : TUI_PLAIN, text);
}

/* The lower line of a block: bars. */
static void draw_bars(tui_canvas *canvas, int row, int column, int end, const struct reading *reading)
{
    char text[40];
    int width = (end - column - 4 - 4 - 5 - 13) / 2;
    column += 4;
    if (width < 8) {
        return;
    }
    column += tui_canvas_put(canvas, row, column, 4, TUI_LABEL, "GPU ");
    put_bar(canvas, row, column, width, reading->gpu, TUI_GOOD);
    column += width + 1;
    column += tui_canvas_put(canvas, row, column, 4, TUI_LABEL, "MEM ");
    put_bar(canvas, row, column, width, reading->memory, tui_bar_style(reading->memory));
    format_memory(reading, text, sizeof text);
    tui_canvas_put_right(canvas, row, column + width, 13, TUI_PLAIN, text);
}

static void draw_block(tui_canvas *canvas, int row, tui_area area, const struct reading *reading)
{
    int end = area.column + area.columns;
    tui_canvas_put_right(canvas, row, area.column, 3, TUI_STRONG, reading->label);
    draw_facts(canvas, row, area.column, end, reading);
    if (row + 1 < area.row + area.rows && reading->fault[0] == '\0') {
        draw_bars(canvas, row + 1, area.column, end, reading);
    }
}

/** The columns of one line a GPU; those at the end leave first. */
struct line_layout {
    int name, gpu_bar, memory_bar; /* widths */
    bool has_power, has_memory_text, has_temperature, has_fan;
};

static struct line_layout lay_out_line(int columns)
{
    struct line_layout layout = { .has_temperature = columns >= 34,
                                  .has_memory_text = columns >= 46,
                                  .has_power = columns >= 60 };
    int rest =
        columns - 4 - 5 - 5 - (layout.has_temperature ? 6 : 0) - (layout.has_memory_text ? 13 : 0) - (layout.has_power ? 10 : 0);
    layout.has_fan = rest >= 52;
    rest -= layout.has_fan ? 6 : 0;
    layout.name = rest >= 46 ? 22 : rest >= 30 ? 14 : rest >= 22 ? 8 : 0;
    rest -= layout.name > 0 ? layout.name + 1 : 0;
    layout.gpu_bar = rest > 4 ? (rest - 2) / 2 : 0;
    layout.memory_bar = layout.gpu_bar;
    return layout;
}

static void draw_line_heading(tui_canvas *canvas, tui_area area, const struct line_layout *layout)
{
    int row = area.row, column = area.column;
    tui_canvas_fill(canvas, row, column, area.columns, TUI_HEADING, L' ');
    tui_canvas_put_right(canvas, row, column, 3, TUI_HEADING, "GPU");
    column += 4;
    if (layout->name > 0) {
        tui_canvas_put(canvas, row, column, layout->name, TUI_HEADING, "NAME");
        column += layout->name + 1;
    }
    tui_canvas_put_right(canvas, row, column, layout->gpu_bar + 5, TUI_HEADING, "UTIL");
    column += layout->gpu_bar + 6;
    tui_canvas_put_right(canvas, row, column, layout->memory_bar + 5 + (layout->has_memory_text ? 13 : 0), TUI_HEADING, "MEMORY");
    column += layout->memory_bar + 5 + (layout->has_memory_text ? 13 : 0);
    if (layout->has_temperature) {
        tui_canvas_put_right(canvas, row, column, 6, TUI_HEADING, "TEMP");
        column += 6;
    }
    if (layout->has_power) {
        tui_canvas_put_right(canvas, row, column, 10, TUI_HEADING, "POWER");
        column += 10;
    }
    if (layout->has_fan) {
        tui_canvas_put_right(canvas, row, column, 6, TUI_HEADING, "FAN");
    }
}

static void draw_line_values(tui_canvas *canvas, int row, int column, const struct line_layout *layout,
                             const struct reading *reading)
{
    char text[40];
    put_bar(canvas, row, column, layout->gpu_bar + 5, reading->gpu, TUI_GOOD);
    column += layout->gpu_bar + 6;
    put_bar(canvas, row, column, layout->memory_bar + 5, reading->memory, tui_bar_style(reading->memory));
    column += layout->memory_bar + 5;
    if (layout->has_memory_text) {
        format_memory(reading, text, sizeof text);
        tui_canvas_put_right(canvas, row, column, 13, TUI_PLAIN, text);
        column += 13;
    }
    if (layout->has_temperature) {
        tui_format_number(reading->temperature, 0, canvas->is_ascii ? "C" : "°C", text, sizeof text);
        tui_canvas_put_right(canvas, row, column, 6, heat_style(reading), text);
        column += 6;
    }
    if (layout->has_power) {
        format_power(reading, text, sizeof text);
        tui_canvas_put_right(canvas, row, column, 10, TUI_PLAIN, text);
        column += 10;
    }
    if (layout->has_fan) {
        tui_format_number(reading->fan, 0, "%", text, sizeof text);
        tui_canvas_put_right(canvas, row, column, 6, TUI_PLAIN, text);
    }
}

static void draw_line(tui_canvas *canvas, int row, tui_area area, const struct line_layout *layout, const struct reading *reading)
{
    int column = area.column;
    tui_canvas_put_right(canvas, row, column, 3, TUI_STRONG, reading->label);
    column += 4;
    if (layout->name > 0) {
        tui_canvas_put(canvas, row, column, layout->name, TUI_PLAIN, short_name(reading->name));
        column += layout->name + 1;
    }
    if (reading->fault[0] != '\0') {
        tui_canvas_put(canvas, row, column, area.column + area.columns - column, fault_style(reading->device), reading->fault);
    } else {
        draw_line_values(canvas, row, column, layout, reading);
    }
}

static const char *short_fault(const nvp_device_sample *device)
{
    static const char *const words[] = {
        [NVP_DEVICE_STALLED] = "STALL",
        [NVP_DEVICE_LOST] = "LOST",
        [NVP_DEVICE_ASLEEP] = "asleep",
        [NVP_DEVICE_FAILED] = "FAIL",
    };
    return words[device->state];
}

static void draw_cell(tui_canvas *canvas, int row, int column, const struct reading *reading)
{
    char text[40];
    tui_canvas_put_right(canvas, row, column, 4, TUI_STRONG, reading->label);
    if (reading->fault[0] != '\0') {
        tui_canvas_put(canvas, row, column + 5, CELL_COLUMNS - 6, fault_style(reading->device), reading->fault);
        return;
    }
    put_bar(canvas, row, column + 5, 10, reading->gpu, TUI_GOOD);
    tui_format_number(reading->memory, 0, "%m", text, sizeof text);
    tui_canvas_put_right(canvas, row, column + 15, 5, tui_bar_style(reading->memory), text);
    tui_format_number(reading->temperature, 0, canvas->is_ascii ? "C" : "°", text, sizeof text);
    tui_canvas_put_right(canvas, row, column + 20, 5, heat_style(reading), text);
}

static void draw_tiny(tui_canvas *canvas, int row, int column, const struct reading *reading)
{
    char text[16];
    tui_canvas_put_right(canvas, row, column, 4, TUI_LABEL, reading->label);
    if (reading->fault[0] != '\0') {
        tui_canvas_put_right(canvas, row, column + 4, 5, fault_style(reading->device), short_fault(reading->device));
        return;
    }
    tui_format_number(reading->gpu, 0, "%", text, sizeof text);
    tui_canvas_put_right(canvas, row, column + 4, 5, isnan(reading->gpu) ? TUI_DIM : TUI_PLAIN, text);
}

static void draw_one(tui_app *app, tui_area area, tui_density density, int place, const struct reading *reading)
{
    int width = density == TUI_DENSITY_CELL ? CELL_COLUMNS : TINY_COLUMNS;
    int beside = area.columns / width > 0 ? area.columns / width : 1;
    int row = area.row + (density == TUI_DENSITY_BLOCK ? place * 2 : density == TUI_DENSITY_LINE ? place + 1 : place / beside);
    if (row >= area.row + area.rows) {
        return;
    }
    if (density == TUI_DENSITY_BLOCK) {
        draw_block(&app->canvas, row, area, reading);
    } else if (density == TUI_DENSITY_LINE) {
        struct line_layout layout = lay_out_line(area.columns);
        draw_line(&app->canvas, row, area, &layout, reading);
    } else if (density == TUI_DENSITY_CELL) {
        draw_cell(&app->canvas, row, area.column + place % beside * width, reading);
    } else {
        draw_tiny(&app->canvas, row, area.column + place % beside * width, reading);
    }
    bool is_chosen = app->gpu >= 0 && reading->device->index == (unsigned int)app->gpu && reading->device->mig_index < 0;
    if (is_chosen) {
        int left = density == TUI_DENSITY_BLOCK || density == TUI_DENSITY_LINE ? 0 : place % beside * width;
        tui_canvas_restyle(&app->canvas, row, area.column + left, 4, TUI_SELECTED);
    }
}

void tui_gpus_draw(tui_app *app, tui_area area, tui_density density)
{
    int place = 0;
    const nvp_device_sample *device;
    if (density == TUI_DENSITY_LINE && area.rows > 0) {
        struct line_layout layout = lay_out_line(area.columns);
        draw_line_heading(&app->canvas, area, &layout);
    }
    for (size_t i = 0; app->snapshot != NULL && (device = nvp_snapshot_device(app->snapshot, i)) != NULL; i++) {
        if (tui_gpus_is_shown(app, device)) {
            struct reading reading = read_device(app, device);
            draw_one(app, area, density, place++, &reading);
        }
    }
}
