/*
 * The table of processes on a screen.
 */
#ifndef TUI_LIST_H
#define TUI_LIST_H

#include "app.h"

/** Draws heading and rows; scrolls so that the selection is visible; remembers where, for the mouse. */
void tui_list_draw(tui_app *app, tui_area area);

/** The shown column at this column of the screen; -1 when there is none. */
int tui_list_column_at(const tui_app *app, int column);

#endif
