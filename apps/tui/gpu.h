/*
 * One GPU of the overview: its values, read once from a snapshot, and how they are drawn with much room or little.
 */
#ifndef TUI_GPU_H
#define TUI_GPU_H

#include <stddef.h>

#include "app.h"

enum { TUI_GPU_CELL_COLUMNS = 26, TUI_GPU_TINY_COLUMNS = 10, TUI_GPU_LABEL_COLUMNS = 3 };

/** What is shown of a device; numbers are NaN where they are N/A. */
struct tui_gpu_reading {
    const nvp_device_sample *device;
    char label[16];   /**< "0", or "0:1" for a MIG device */
    const char *name; /**< without what is the same for all */
    double gpu, memory, used, total, temperature, slowdown, power, limit, fan, sm_mhz;
    char fault[96]; /**< what is wrong; "" when nothing is */
};

struct tui_gpu_reading tui_gpu_read(const tui_app *app, const nvp_device_sample *device);

/** Puts the label at the beginning of a line; returns by how many columns it is wider than TUI_GPU_LABEL_COLUMNS, as "12:0" is. */
int tui_gpu_put_label(tui_canvas *canvas, int row, int column, const struct tui_gpu_reading *reading);

/** How a fault and a temperature stand out. */
tui_style tui_gpu_fault_style(const nvp_device_sample *device);
tui_style tui_gpu_heat_style(const struct tui_gpu_reading *reading);

/** "71.7G/79.6G" and "671/700W". */
void tui_gpu_format_memory(const struct tui_gpu_reading *reading, char *text, size_t size);
void tui_gpu_format_power(const struct tui_gpu_reading *reading, char *text, size_t size);

/** A bar with its number behind it, `width` columns in all. */
void tui_gpu_put_bar(tui_canvas *canvas, int row, int column, int width, double percent, tui_style style);

/** Two lines; one for a MIG device. */
void tui_gpu_draw_block(tui_canvas *canvas, int row, tui_area area, const struct tui_gpu_reading *reading);

/** Graphs of utilisation and memory below their bars, `place.rows` lines. */
void tui_gpu_draw_graphs(tui_app *app, tui_area place, const struct tui_gpu_reading *reading);

/** The columns of one line a GPU; those at the end leave first. */
struct tui_gpu_line_layout {
    int name, gpu_bar, memory_bar; /* widths */
    bool has_power, has_memory_text, has_temperature, has_fan;
};

struct tui_gpu_line_layout tui_gpu_lay_out_line(int columns);
void tui_gpu_draw_line_heading(tui_canvas *canvas, tui_area area, const struct tui_gpu_line_layout *layout);
void tui_gpu_draw_line(tui_canvas *canvas, int row, tui_area area, const struct tui_gpu_line_layout *layout,
                       const struct tui_gpu_reading *reading);

/** A few columns: with a small bar, or the numbers alone. */
void tui_gpu_draw_cell(tui_canvas *canvas, int row, int column, const struct tui_gpu_reading *reading);
void tui_gpu_draw_tiny(tui_canvas *canvas, int row, int column, const struct tui_gpu_reading *reading);

#endif
