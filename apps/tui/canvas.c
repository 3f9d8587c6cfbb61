/*
 * Wide characters take two cells; one that is overwritten by half is blanked, so that columns stay where they are.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <text/text.h>

#include "canvas.h"
#include "text.h"

#define ELLIPSIS L'\x2026'

_Static_assert(sizeof(tui_cell) == 8, "a cell has no gaps");

bool tui_canvas_resize(tui_canvas *canvas, int rows, int columns)
{
    if (canvas->cells == NULL || rows != canvas->rows || columns != canvas->columns) {
        tui_cell *cells = reallocarray(NULL, (size_t)rows * (size_t)columns + 1, sizeof *cells);
        if (cells == NULL) {
            return false;
        }
        free(canvas->cells);
        canvas->cells = cells;
        canvas->rows = rows;
        canvas->columns = columns;
    }
    tui_canvas_clear(canvas);
    return true;
}

void tui_canvas_free(tui_canvas *canvas)
{
    free(canvas->cells);
    *canvas = (tui_canvas){ 0 };
}

static void fill(tui_cell *cells, int count, tui_style style, wchar_t character)
{
    const tui_cell cell = { character, 0, (uint8_t)style };
    for (int i = 0; i < count; i++) {
        cells[i] = cell;
    }
}

void tui_canvas_clear(tui_canvas *canvas)
{
    size_t columns = (size_t)canvas->columns;
    for (int row = 0; row < canvas->rows; row++) {
        if (row == 0) {
            fill(canvas->cells, canvas->columns, TUI_PLAIN, L' ');
        } else {
            memcpy(canvas->cells + (size_t)row * columns, canvas->cells, columns * sizeof *canvas->cells);
        }
    }
}

/* Those of `*columns` cells that are on the canvas, NULL when none is; `*columns` is then how many they are. */
static tui_cell *clip(const tui_canvas *canvas, int row, int column, int *columns)
{
    int first = column > 0 ? column : 0;
    int end = *columns < canvas->columns - column ? column + *columns : canvas->columns;
    bool is_inside = row >= 0 && row < canvas->rows && first < end;
    *columns = is_inside ? end - first : 0;
    return is_inside ? &canvas->cells[(size_t)row * (size_t)canvas->columns + (size_t)first] : NULL;
}

static tui_cell *cell_at(const tui_canvas *canvas, int row, int column)
{
    int one = 1;
    return clip(canvas, row, column, &one);
}

/* The same of cells that will be written over; wide characters that lose a half at their ends are blanked. */
static tui_cell *take(const tui_canvas *canvas, int row, int column, int *columns)
{
    tui_cell *cells = clip(canvas, row, column, columns);
    if (cells == NULL) {
        return NULL;
    }
    if (cells->character == 0 && column > 0) {
        cells[-1].character = L' ';
        cells[-1].mark = 0;
    }
    tui_cell *after = column < canvas->columns - *columns ? cells + *columns : NULL;
    if (after != NULL && after->character == 0) {
        after->character = L' ';
    }
    return cells;
}

void tui_canvas_fill(tui_canvas *canvas, int row, int column, int columns, tui_style style, wchar_t character)
{
    tui_cell *cells = take(canvas, row, column, &columns);
    fill(cells, columns, style, canvas->is_ascii && character >= 0x80 ? L'?' : character);
}

void tui_canvas_put_character(tui_canvas *canvas, int row, int column, tui_style style, wchar_t character)
{
    tui_canvas_fill(canvas, row, column, 1, style, character);
}

void tui_canvas_put_characters(tui_canvas *canvas, int row, int column, int columns, tui_style style, const wchar_t *characters)
{
    tui_cell *cells = take(canvas, row, column, &columns);
    const wchar_t *shown = characters + (column < 0 ? -column : 0);
    for (int i = 0; i < columns; i++) {
        wchar_t character = canvas->is_ascii && shown[i] >= 0x80 ? L'?' : shown[i];
        cells[i] = (tui_cell){ character, 0, character == L' ' ? TUI_PLAIN : (uint8_t)style };
    }
}

void tui_canvas_restyle(tui_canvas *canvas, int row, int column, int columns, tui_style style)
{
    tui_cell *cells = clip(canvas, row, column, &columns);
    for (int i = 0; i < columns; i++) {
        cells[i].style = (uint8_t)style;
    }
}

/* A mark goes onto the character before it; a second one is left out. */
static void combine(const tui_canvas *canvas, int row, int column, wchar_t mark)
{
    tui_cell *cell = cell_at(canvas, row, column - 1);
    if (cell != NULL && cell->character == 0) {
        cell = cell_at(canvas, row, column - 2);
    }
    if (cell != NULL && cell->mark == 0 && !canvas->is_ascii) {
        cell->mark = (uint32_t)mark & 0xffffff;
    }
}

/* Writes the ASCII that a text begins with, as much as is surely not cut; the columns that it takes. */
static int put_plain(const tui_canvas *canvas, int row, int column, int columns, tui_style style, const char **text)
{
    int length = 0;
    while (length < columns && tui_text_is_plain((*text)[length])) {
        length++;
    }
    if (length > 0 && length == columns && (*text)[length] != '\0') {
        length--; /* here an ellipsis may stand */
    }
    int count = length;
    tui_cell *cells = take(canvas, row, column, &count);
    const char *shown = *text + (column < 0 ? -column : 0);
    for (int i = 0; i < count; i++) {
        cells[i] = (tui_cell){ shown[i], 0, (uint8_t)style };
    }
    *text += length;
    return length;
}

/* Writes a character of two columns. */
static void put_wide(tui_canvas *canvas, int row, int column, tui_style style, wchar_t character)
{
    int columns = 2;
    tui_cell *cells = take(canvas, row, column, &columns);
    fill(cells, columns, style, L' '); /* half of it would be outside */
    if (canvas->is_ascii) {
        tui_canvas_put_character(canvas, row, column, style, character);
    } else if (columns == 2) {
        cells[0].character = character;
        cells[1].character = 0;
    }
}

int tui_canvas_put(tui_canvas *canvas, int row, int column, int columns, tui_style style, const char *text)
{
    int used = put_plain(canvas, row, column, columns, style, &text);
    for (wchar_t character; (character = tui_text_next(&text)) != 0;) {
        int width = text_character_width((uint32_t)character);
        if (width == 0) {
            if (used > 0) {
                combine(canvas, row, column + used, character);
            }
            continue;
        }
        bool is_cut = used + width > columns || (used + width == columns && *text != '\0' && tui_text_width(text) > 0);
        if (is_cut) {
            if (used < columns) {
                tui_canvas_put_character(canvas, row, column + used++, style, canvas->is_ascii ? L'~' : ELLIPSIS);
            }
            return used;
        }
        if (width == 2) {
            put_wide(canvas, row, column + used, style, character);
        } else {
            tui_canvas_put_character(canvas, row, column + used, style, character);
        }
        used += width;
        used += put_plain(canvas, row, column + used, columns - used, style, &text);
    }
    return used;
}

int tui_canvas_print(tui_canvas *canvas, int row, int column, tui_style style, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return tui_canvas_put(canvas, row, column, canvas->columns - column, style, text);
}

void tui_canvas_put_right(tui_canvas *canvas, int row, int column, int columns, tui_style style, const char *text)
{
    int width = tui_text_width(text);
    int left = width < columns ? columns - width : 0;
    tui_canvas_put(canvas, row, column + left, columns - left, style, text);
}

static void write_cell(const tui_cell *cell, FILE *out)
{
    char bytes[64];
    mbstate_t state = { 0 };
    const wchar_t characters[] = { cell->character, (wchar_t)cell->mark, 0 }, *next = characters;
    size_t length = wcsrtombs(bytes, &next, sizeof bytes, &state);
    fwrite(length == (size_t)-1 ? "?" : bytes, 1, length == (size_t)-1 ? 1 : length, out);
}

void tui_canvas_write(const tui_canvas *canvas, FILE *out)
{
    for (int row = 0; row < canvas->rows; row++) {
        int end = canvas->columns;
        while (end > 0 && cell_at(canvas, row, end - 1)->character == L' ' && cell_at(canvas, row, end - 1)->mark == 0) {
            end--;
        }
        for (int column = 0; column < end; column++) {
            write_cell(cell_at(canvas, row, column), out); /* right halves are empty texts */
        }
        fputc('\n', out);
    }
}
