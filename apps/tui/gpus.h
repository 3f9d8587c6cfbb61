/*
 * The GPUs of the overview: with graphs, two lines, one line, or a few columns for each, by the space that there is.
 */
#ifndef TUI_GPUS_H
#define TUI_GPUS_H

#include "app.h"

/** How much room each GPU has. */
typedef enum tui_density {
    TUI_DENSITY_GRAPH, /**< a block, and graphs below it */
    TUI_DENSITY_BLOCK, /**< two lines: bars over the whole width, and all else */
    TUI_DENSITY_LINE,  /**< one line */
    TUI_DENSITY_CELL,  /**< several beside each other, each with a small bar */
    TUI_DENSITY_TINY   /**< several beside each other, numbers alone */
} tui_density;

/** Chooses for `rows` lines at most, and says how many it takes in `*used`. */
tui_density tui_gpus_fit(const tui_app *app, int rows, int columns, int *used);

/** Draws them into an area. */
void tui_gpus_draw(tui_app *app, tui_area area, tui_density density);

/** The index of the GPU that was drawn at a place of the screen; -1: none. */
int tui_gpus_at(const tui_app *app, int row, int column);

/** Whether a device is to be shown (the option for GPUs). */
bool tui_gpus_is_shown(const tui_app *app, const nvp_device_sample *device);

/** Whether a word of that option means no device of the snapshot that is shown; the first such word. */
bool tui_gpus_missing(const tui_app *app, char *word, size_t size);

/** What is wrong with a device, for people; "" when nothing is. */
void tui_gpus_describe_fault(const tui_app *app, const nvp_device_sample *device, char *text, size_t size);

#endif
