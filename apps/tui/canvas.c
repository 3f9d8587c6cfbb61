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

static const tui_cell blank = { L' ', 0, TUI_PLAIN };

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

void tui_canvas_clear(tui_canvas *canvas)
{
    for (size_t i = 0; i < (size_t)canvas->rows * (size_t)canvas->columns; i++) {
        canvas->cells[i] = blank;
    }
}

static tui_cell *cell_at(const tui_canvas *canvas, int row, int column)
{
    bool is_inside = row >= 0 && row < canvas->rows && column >= 0 && column < canvas->columns;
    return is_inside ? &canvas->cells[(size_t)row * (size_t)canvas->columns + (size_t)column] : NULL;
}

/* Blanks the other half of a wide character that is about to lose one. */
static void split(const tui_canvas *canvas, int row, int column)
{
    tui_cell *cell = cell_at(canvas, row, column), *before = cell_at(canvas, row, column - 1);
    tui_cell *after = cell_at(canvas, row, column + 1);
    if (cell->character == 0 && before != NULL) {
        before->character = L' ';
        before->mark = 0;
    }
    if (after != NULL && after->character == 0) {
        after->character = L' ';
    }
}

static void set(tui_canvas *canvas, int row, int column, tui_style style, wchar_t character)
{
    tui_cell *cell = cell_at(canvas, row, column);
    if (cell != NULL) {
        split(canvas, row, column);
        *cell = (tui_cell){ canvas->is_ascii && character >= 0x80 ? L'?' : character, 0, (uint8_t)style };
    }
}

void tui_canvas_put_character(tui_canvas *canvas, int row, int column, tui_style style, wchar_t character)
{
    set(canvas, row, column, style, character);
}

void tui_canvas_fill(tui_canvas *canvas, int row, int column, int columns, tui_style style, wchar_t character)
{
    for (int i = 0; i < columns; i++) {
        set(canvas, row, column + i, style, character);
    }
}

void tui_canvas_restyle(tui_canvas *canvas, int row, int column, int columns, tui_style style)
{
    for (int i = 0; i < columns; i++) {
        tui_cell *cell = cell_at(canvas, row, column + i);
        if (cell != NULL) {
            cell->style = (uint8_t)style;
        }
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
        cell->mark = mark;
    }
}

int tui_canvas_put(tui_canvas *canvas, int row, int column, int columns, tui_style style, const char *text)
{
    int used = 0;
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
                set(canvas, row, column + used++, style, canvas->is_ascii ? L'~' : ELLIPSIS);
            }
            return used;
        }
        set(canvas, row, column + used, style, character);
        if (width == 2 && canvas->is_ascii) {
            set(canvas, row, column + used + 1, style, L' ');
        } else if (width == 2) {
            tui_cell *right = cell_at(canvas, row, column + used + 1);
            set(canvas, row, column + used + 1, style, L' ');
            if (right != NULL) {
                right->character = 0;
            } else {
                set(canvas, row, column + used, style, L' '); /* half of it would be outside */
            }
        }
        used += width;
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
    const wchar_t characters[] = { cell->character, cell->mark, 0 }, *next = characters;
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
