/*
 * The number of lines is known at the end only; so a position beyond the end is corrected then and the lines are moved on the canvas by
 * drawing them once more.
 */
#include "scroll.h"

tui_scroll tui_scroll_begin(tui_app *app, tui_area area)
{
    return (tui_scroll){ app, area, 0, app->scroll };
}

int tui_scroll_row(tui_scroll *scroll)
{
    int place = scroll->line++ - scroll->top;
    return place >= 0 && place < scroll->area.rows ? scroll->area.row + place : -1;
}

void tui_scroll_line(tui_scroll *scroll, tui_style style, const char *text)
{
    int row = tui_scroll_row(scroll);
    if (row >= 0) {
        tui_canvas_put(&scroll->app->canvas, row, scroll->area.column, scroll->area.columns, style, text);
    }
}

void tui_scroll_end(tui_scroll *scroll)
{
    int last = scroll->line > scroll->area.rows ? scroll->line - scroll->area.rows : 0;
    tui_app *app = scroll->app;
    if (app->scroll > last) {
        app->scroll = last;
        for (int row = 0; row < scroll->area.rows; row++) {
            tui_canvas_fill(&app->canvas, scroll->area.row + row, scroll->area.column, scroll->area.columns, TUI_PLAIN, L' ');
        }
        tui_screens[app->screen].draw(app, scroll->area);
    }
}
