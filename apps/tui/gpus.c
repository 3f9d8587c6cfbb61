/*
 * A device that is not well keeps its place, and says what is wrong where its values would stand.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "gpus.h"

/** What is to be shown: devices, GPUs among them, and the lines that all take as blocks. */
struct demand {
    size_t count;
    int gpus, block_lines;
};

/** The least and the most lines of a graph. */
#define GRAPH_LINES_MIN 2
#define GRAPH_LINES_MAX 6

static int block_lines_of(const nvp_device_sample *device)
{
    return device->mig_index < 0 ? 2 : 1;
}

static struct demand find_demand(const tui_app *app)
{
    struct demand demand = { 0, 0, 0 };
    const nvp_device_sample *device;
    for (size_t i = 0; app->snapshot != NULL && (device = nvp_snapshot_device(app->snapshot, i)) != NULL; i++) {
        if (tui_gpus_is_shown(app, device)) {
            demand.count++;
            demand.gpus += device->mig_index < 0;
            demand.block_lines += block_lines_of(device);
        }
    }
    return demand;
}

static int lines_of(size_t count, int columns, int width)
{
    int beside = columns / width > 0 ? columns / width : 1;
    return (int)((count + (size_t)beside - 1) / (size_t)beside);
}

/* Lines of each graph when there are so many lines for all GPUs. */
static int graph_lines_for(const struct demand *demand, int rows)
{
    int lines = demand->gpus > 0 ? (rows - demand->block_lines) / demand->gpus : 0;
    return lines < GRAPH_LINES_MAX ? lines : GRAPH_LINES_MAX;
}

tui_density tui_gpus_fit(const tui_app *app, int rows, int columns, int *used)
{
    struct demand demand = find_demand(app);
    size_t count = demand.count;
    int lines = graph_lines_for(&demand, rows) > GRAPH_LINES_MIN ? graph_lines_for(&demand, rows) : GRAPH_LINES_MIN;
    int needed[] = {
        [TUI_DENSITY_GRAPH] = demand.block_lines + demand.gpus * lines,
        [TUI_DENSITY_BLOCK] = demand.block_lines,
        [TUI_DENSITY_LINE] = (int)count + 1,
        [TUI_DENSITY_CELL] = lines_of(count, columns, TUI_GPU_CELL_COLUMNS),
        [TUI_DENSITY_TINY] = lines_of(count, columns, TUI_GPU_TINY_COLUMNS),
    };
    tui_density density = columns >= 60 ? TUI_DENSITY_GRAPH : TUI_DENSITY_LINE;
    while (density < TUI_DENSITY_TINY && needed[density] > rows) {
        density++;
    }
    *used = needed[density] < rows ? needed[density] : rows;
    return density;
}

/** Where the next device goes. */
struct cursor {
    int row, beside; /* beside: devices on this row so far */
    int graph_lines; /* below each GPU */
};

/* Takes the place for one device, and moves on. */
static tui_area next_place(struct cursor *cursor, tui_area area, tui_density density, const nvp_device_sample *device)
{
    if (density < TUI_DENSITY_CELL) {
        int lines = density == TUI_DENSITY_LINE ? 1 : block_lines_of(device);
        lines += density == TUI_DENSITY_GRAPH && device->mig_index < 0 ? cursor->graph_lines : 0;
        cursor->row += lines;
        return (tui_area){ cursor->row - lines, area.column, lines, area.columns };
    }
    int width = density == TUI_DENSITY_CELL ? TUI_GPU_CELL_COLUMNS : TUI_GPU_TINY_COLUMNS;
    if (cursor->beside > 0 && (cursor->beside + 1) * width > area.columns) {
        cursor->row++;
        cursor->beside = 0;
    }
    return (tui_area){ cursor->row, area.column + width * cursor->beside++, 1, width };
}

static void draw_one(tui_app *app, tui_area area, tui_area place, tui_density density, const struct tui_gpu_reading *reading)
{
    if (density == TUI_DENSITY_GRAPH && reading->device->mig_index < 0) {
        tui_area below = { place.row + 2, area.column, place.rows - 2, area.columns };
        tui_gpu_draw_graphs(app, below, reading);
    }
    if (density <= TUI_DENSITY_BLOCK) {
        tui_gpu_draw_block(&app->canvas, place.row, area, reading);
    } else if (density == TUI_DENSITY_LINE) {
        struct tui_gpu_line_layout layout = tui_gpu_lay_out_line(area.columns);
        tui_gpu_draw_line(&app->canvas, place.row, area, &layout, reading);
    } else if (density == TUI_DENSITY_CELL) {
        tui_gpu_draw_cell(&app->canvas, place.row, place.column, reading);
    } else {
        tui_gpu_draw_tiny(&app->canvas, place.row, place.column, reading);
    }
    if (app->gpu >= 0 && reading->device->index == (unsigned int)app->gpu) {
        tui_canvas_restyle(&app->canvas, place.row, place.column, density < TUI_DENSITY_CELL ? 3 : 4, TUI_SELECTED);
    }
}

/* Devices for which even the smallest form has no room; the last place tells how many they are. */
static size_t count_left_out(const struct demand *demand, tui_area area, tui_density density)
{
    int beside = area.columns / TUI_GPU_TINY_COLUMNS > 0 ? area.columns / TUI_GPU_TINY_COLUMNS : 1;
    size_t places = (size_t)(area.rows > 0 ? area.rows : 0) * (size_t)beside;
    return density == TUI_DENSITY_TINY && places > 0 && demand->count > places ? demand->count - places + 1 : 0;
}

static struct cursor first_place(const struct demand *demand, tui_area area, tui_density density)
{
    return (struct cursor){ area.row + (density == TUI_DENSITY_LINE), 0, graph_lines_for(demand, area.rows) };
}

int tui_gpus_at(const tui_app *app, int row, int column)
{
    tui_density density = (tui_density)app->gpus_density;
    struct demand demand = find_demand(app);
    struct cursor cursor = first_place(&demand, app->gpus_area, density);
    size_t left_out = count_left_out(&demand, app->gpus_area, density), seen = 0;
    const nvp_device_sample *device;
    for (size_t i = 0; app->snapshot != NULL && (device = nvp_snapshot_device(app->snapshot, i)) != NULL; i++) {
        if (!tui_gpus_is_shown(app, device)) {
            continue;
        }
        tui_area place = next_place(&cursor, app->gpus_area, density, device);
        bool is_more = left_out > 0 && ++seen + left_out > demand.count;
        if (row >= place.row && row < place.row + place.rows && column >= place.column && column < place.column + place.columns) {
            return is_more ? -1 : (int)device->index;
        }
    }
    return -1;
}

void tui_gpus_draw(tui_app *app, tui_area area, tui_density density)
{
    struct demand demand = find_demand(app);
    struct cursor cursor = first_place(&demand, area, density);
    const nvp_device_sample *device;
    app->gpus_area = area;
    app->gpus_density = (int)density;
    if (density == TUI_DENSITY_LINE && area.rows > 0) {
        struct tui_gpu_line_layout layout = tui_gpu_lay_out_line(area.columns);
        tui_gpu_draw_line_heading(&app->canvas, area, &layout);
    }
    size_t left_out = count_left_out(&demand, area, density), drawn = 0;
    for (size_t i = 0; app->snapshot != NULL && (device = nvp_snapshot_device(app->snapshot, i)) != NULL; i++) {
        if (!tui_gpus_is_shown(app, device)) {
            continue;
        }
        tui_area place = next_place(&cursor, area, density, device);
        if (left_out > 0 && ++drawn + left_out > demand.count) {
            tui_canvas_print(&app->canvas, place.row, place.column + 1, TUI_WARN, "+%zu more", left_out);
            break;
        }
        if (place.row < area.row + area.rows) {
            struct tui_gpu_reading reading = tui_gpu_read(app, device);
            draw_one(app, area, place, density, &reading);
        }
    }
}
