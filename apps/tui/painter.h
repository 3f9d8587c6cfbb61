/*
 * Writes what differs between two pictures to the terminal. curses draws whole pictures and knows the terminal; but of a picture of which little
 * has changed it works out the strings of every colour anew, which was half the cost of a refresh. Here they are asked of it once.
 * One in the process, as there is one curses.
 */
#ifndef TUI_PAINTER_H
#define TUI_PAINTER_H

#define NCURSES_WIDECHAR 1
#include <curses.h>

#include "canvas.h"

/** A style as curses has it. */
typedef struct tui_dress {
    attr_t attributes;
    short pair;
} tui_dress;

typedef struct tui_painter tui_painter;

/** After curses has opened a terminal whose cursor can be moved. NULL when memory runs out. */
tui_painter *tui_painter_new(void);

/** Frees. NULL is allowed. */
void tui_painter_free(tui_painter *painter);

/** How styles look from now on; the list has to live as long as the painter. */
void tui_painter_dress(tui_painter *painter, const tui_dress dresses[TUI_STYLE_COUNT]);

/**
 * Writes the cells of `canvas` that differ from those of `shown`, which is what the terminal shows and has the same size, and puts the cursor into
 * its place unless `cursor_row` is negative. Then `shown` is what `canvas` is. Colours are the terminal's own before and after.
 *
 * False when nothing was written, as this one has to be left to curses: the last cell of the screen has changed (writing it scrolls some
 * terminals), or memory ran out.
 */
bool tui_painter_paint(tui_painter *painter, const tui_canvas *canvas, tui_canvas *shown, int cursor_row, int cursor_column);

#endif
