/*
 * A bar that says a share: in eighths of a column, or with '|' in ASCII.
 */
#ifndef TUI_BAR_H
#define TUI_BAR_H

#include "canvas.h"

/** Draws a bar of `width` columns for 0 to 100 percent; empty for NaN. */
void tui_bar_draw(tui_canvas *canvas, int row, int column, int width, double percent, tui_style style);

/** How a share stands out: quiet, high, very high. */
tui_style tui_bar_style(double percent);

#endif
