/*
 * Lines of a screen that is longer than the terminal: written one after the other, shown from the viewer's `scroll` on.
 */
#ifndef TUI_SCROLL_H
#define TUI_SCROLL_H

#include "app.h"

typedef struct tui_scroll {
    tui_app *app;
    tui_area area;
    int line, top; /**< lines so far; the first one that is shown */
} tui_scroll;

tui_scroll tui_scroll_begin(tui_app *app, tui_area area);

/** The next line. */
void tui_scroll_line(tui_scroll *scroll, tui_style style, const char *text);

/** The row of the canvas for the next line, which the caller draws; -1 when it is not visible. */
int tui_scroll_row(tui_scroll *scroll);

/** Ends; corrects the viewer's `scroll` when it was beyond the end, and draws anew on the next event then. */
void tui_scroll_end(tui_scroll *scroll);

#endif
