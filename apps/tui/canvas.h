/*
 * A picture of a screen in memory: cells with a character and a style. Screens draw on it; the terminal, or a file, shows it.
 * Everything is clipped to the canvas, so any row and column is allowed. Knows nothing of curses.
 */
#ifndef TUI_CANVAS_H
#define TUI_CANVAS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <wchar.h>

#include <nvpulse/base.h>

typedef enum tui_style {
#define STYLE(name, dark_8, dark_256, light_8, light_256, mono) TUI_##name,
#include "styles.def"
#undef STYLE
    TUI_STYLE_COUNT
} tui_style;

/** Small, and without gaps, so that rows are copied and compared as memory. */
typedef struct tui_cell {
    wchar_t character;  /**< 0: the right half of the wide character before it */
    uint32_t mark : 24; /**< a combining character on it; 0: none */
    uint32_t style : 8; /**< tui_style */
} tui_cell;

typedef struct tui_canvas {
    int rows, columns;
    bool is_ascii; /**< whatever is not ASCII is drawn as '?' */
    tui_cell *cells;
} tui_canvas;

/** A part of a canvas. */
typedef struct tui_area {
    int row, column, rows, columns;
} tui_area;

/** Gives the canvas another size, and clears it; false when memory runs out, and nothing has changed then. */
bool tui_canvas_resize(tui_canvas *canvas, int rows, int columns);

void tui_canvas_free(tui_canvas *canvas);

/** Blanks everything. */
void tui_canvas_clear(tui_canvas *canvas);

/** Fills `columns` cells with a character. */
void tui_canvas_fill(tui_canvas *canvas, int row, int column, int columns, tui_style style, wchar_t character);

/** Gives `columns` cells another style and leaves their characters. */
void tui_canvas_restyle(tui_canvas *canvas, int row, int column, int columns, tui_style style);

/** Writes one character of ours, such as a piece of a bar, one column wide. */
void tui_canvas_put_character(tui_canvas *canvas, int row, int column, tui_style style, wchar_t character);

/** The same of `columns` characters; blanks among them are plain. */
void tui_canvas_put_characters(tui_canvas *canvas, int row, int column, int columns, tui_style style, const wchar_t *characters);

/** Writes text in at most `columns` columns, an ellipsis at its end where it was cut; returns the columns that it took. */
int tui_canvas_put(tui_canvas *canvas, int row, int column, int columns, tui_style style, const char *text);

/** The same with a format, without a limit but the canvas. */
int tui_canvas_print(tui_canvas *canvas, int row, int column, tui_style style, const char *format, ...) NVP_PRINTF(5, 6);

/** Writes text at the right end of `columns` columns. */
void tui_canvas_put_right(tui_canvas *canvas, int row, int column, int columns, tui_style style, const char *text);

/** Writes the characters as text, without blanks at the end of lines. */
void tui_canvas_write(const tui_canvas *canvas, FILE *out);

#endif
