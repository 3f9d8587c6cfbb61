/*
 * A GPU with one line, or a few columns.
 */
#include <math.h>
#include <stdio.h>

#include "bar.h"
#include "format.h"
#include "gpu.h"
#include "text.h"

struct tui_gpu_line_layout tui_gpu_lay_out_line(int columns)
{
    struct tui_gpu_line_layout layout = { .has_temperature = columns >= 34,
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

void tui_gpu_draw_line_heading(tui_canvas *canvas, tui_area area, const struct tui_gpu_line_layout *layout)
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

/* The label takes `more` columns of the first bar. */
static void draw_line_values(tui_canvas *canvas, int row, int column, int more, const struct tui_gpu_line_layout *layout,
                             const struct tui_gpu_reading *reading)
{
    char text[40];
    tui_gpu_put_bar(canvas, row, column + more, layout->gpu_bar + 5 - more, reading->gpu, TUI_GOOD);
    column += layout->gpu_bar + 6;
    tui_gpu_put_bar(canvas, row, column, layout->memory_bar + 5, reading->memory, tui_bar_style(reading->memory));
    column += layout->memory_bar + 5;
    if (layout->has_memory_text) {
        tui_gpu_format_memory(reading, text, sizeof text);
        tui_canvas_put_right(canvas, row, column, 13, TUI_PLAIN, text);
        column += 13;
    }
    if (layout->has_temperature) {
        tui_format_number(reading->temperature, 0, canvas->is_ascii ? "C" : "°C", text, sizeof text);
        tui_canvas_put_right(canvas, row, column, 6, tui_gpu_heat_style(reading), text);
        column += 6;
    }
    if (layout->has_power) {
        tui_gpu_format_power(reading, text, sizeof text);
        if (tui_text_width(text) >= 10) { /* four digits twice: the draw is what matters */
            tui_format_number(reading->power, 0, "W", text, sizeof text);
        }
        tui_canvas_put_right(canvas, row, column, 10, TUI_PLAIN, text);
        column += 10;
    }
    if (layout->has_fan) {
        tui_format_number(reading->fan, 0, "%", text, sizeof text);
        tui_canvas_put_right(canvas, row, column, 6, TUI_PLAIN, text);
    }
}

void tui_gpu_draw_line(tui_canvas *canvas, int row, tui_area area, const struct tui_gpu_line_layout *layout,
                       const struct tui_gpu_reading *reading)
{
    int column = area.column + TUI_GPU_LABEL_COLUMNS + 1, more = tui_gpu_put_label(canvas, row, area.column, reading);
    if (layout->name > 0) {
        tui_canvas_put(canvas, row, column + more, layout->name - more, TUI_PLAIN, reading->name);
        column += layout->name + 1;
        more = 0;
    }
    if (reading->fault[0] != '\0') {
        column += more;
        tui_canvas_put(canvas, row, column, area.column + area.columns - column, tui_gpu_fault_style(reading->device),
                       reading->fault);
    } else {
        draw_line_values(canvas, row, column, more, layout, reading);
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

void tui_gpu_draw_cell(tui_canvas *canvas, int row, int column, const struct tui_gpu_reading *reading)
{
    char text[40];
    tui_canvas_put_right(canvas, row, column, 4, TUI_STRONG, reading->label);
    if (reading->fault[0] != '\0') {
        tui_canvas_put(canvas, row, column + 5, TUI_GPU_CELL_COLUMNS - 6, tui_gpu_fault_style(reading->device), reading->fault);
        return;
    }
    tui_gpu_put_bar(canvas, row, column + 5, 10, reading->gpu, TUI_GOOD);
    tui_format_number(reading->memory, 0, "%m", text, sizeof text);
    tui_canvas_put_right(canvas, row, column + 15, 5, tui_bar_style(reading->memory), text);
    tui_format_number(reading->temperature, 0, canvas->is_ascii ? "C" : "°", text, sizeof text);
    tui_canvas_put_right(canvas, row, column + 20, 5, tui_gpu_heat_style(reading), text);
}

void tui_gpu_draw_tiny(tui_canvas *canvas, int row, int column, const struct tui_gpu_reading *reading)
{
    char text[16];
    tui_canvas_put_right(canvas, row, column, 4, TUI_LABEL, reading->label);
    if (reading->fault[0] != '\0') {
        tui_canvas_put_right(canvas, row, column + 4, 6, tui_gpu_fault_style(reading->device), short_fault(reading->device));
        return;
    }
    tui_format_number(reading->gpu, 0, "%", text, sizeof text);
    tui_canvas_put_right(canvas, row, column + 4, 5, isnan(reading->gpu) ? TUI_DIM : TUI_PLAIN, text);
}
