/*
 * Strings come from curses: vid_puts() for the way from one style to another, each asked for once, and tiparm() for places, but on the terminals
 * whose form everybody knows. All that is to be written is collected and written at once.
 */
#include "painter.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include <term.h>
#undef columns /* a word that term.h takes for itself */

/** Cells between two that have changed that are written again, as that is shorter than to move the cursor. */
#define GAP 4

/** Bytes of a way from one style to another: colours, attributes, and what a terminal may want between them. */
#define WAY_MAX 95

/** Cells that are compared at once where nothing has changed. */
#define STRIDE 16

/** Most bytes of a cell: two characters. */
#define CELL_MAX (2 * MB_LEN_MAX)

/** The style that is none: the terminal's own. */
#define BARE TUI_STYLE_COUNT

struct way {
    bool is_known;
    unsigned char length;
    char bytes[WAY_MAX];
};

struct tui_painter {
    const tui_dress *dresses;
    const char *to_place;  /* how the terminal moves its cursor */
    bool has_known_places; /* ESC [ row ; column H */
    struct way ways[TUI_STYLE_COUNT + 1][TUI_STYLE_COUNT + 1];
    unsigned int style; /* that the terminal has at the end of `bytes` */
    char *bytes;
    size_t length, capacity;
    bool has_failed; /* no memory, or a string that cannot be had */
};

static tui_painter *capturing; /* whom capture() works for: curses passes nothing on */

tui_painter *tui_painter_new(void)
{
    tui_painter *painter = calloc(1, sizeof *painter);
    if (painter != NULL) {
        painter->to_place = tigetstr("cup");
        painter->has_known_places = strcmp(painter->to_place, "\033[%i%p1%d;%p2%dH") == 0;
    }
    return painter;
}

void tui_painter_free(tui_painter *painter)
{
    if (painter != NULL) {
        free(painter->bytes);
        free(painter);
    }
}

void tui_painter_dress(tui_painter *painter, const tui_dress dresses[TUI_STYLE_COUNT])
{
    painter->dresses = dresses;
    memset(painter->ways, 0, sizeof painter->ways);
}

/* Room for so many bytes more; NULL without memory. */
static char *reserve(tui_painter *painter, size_t more)
{
    if (painter->capacity - painter->length < more) {
        size_t capacity = painter->capacity * 2 + more + 1024;
        char *bytes = realloc(painter->bytes, capacity);
        if (bytes == NULL) {
            painter->has_failed = true;
            return NULL;
        }
        painter->bytes = bytes;
        painter->capacity = capacity;
    }
    return painter->bytes + painter->length;
}

static void put(tui_painter *painter, const char *bytes, size_t length)
{
    char *at = reserve(painter, length);
    if (at != NULL) {
        memcpy(at, bytes, length);
        painter->length += length;
    }
}

static int capture(int byte)
{
    char one = (char)byte;
    put(capturing, &one, 1);
    return byte;
}

static int discard(int byte)
{
    return byte;
}

/* With the pair among the attributes, as cells have it: without it curses goes back to none before each colour. */
static void dress(const tui_painter *painter, unsigned int style, NCURSES_OUTC out)
{
    const tui_dress bare = { A_NORMAL, 0 }, *to = style == BARE ? &bare : &painter->dresses[style];
    vid_puts(to->attributes | (attr_t)COLOR_PAIR(to->pair), to->pair, NULL, out);
}

/* Asks curses, which keeps the state of the terminal in mind: it is told of the beginning, and brought back to none. */
static void learn(tui_painter *painter, unsigned int from, unsigned int to)
{
    struct way *way = &painter->ways[from][to];
    size_t before = painter->length;
    capturing = painter;
    dress(painter, from, discard);
    dress(painter, to, capture);
    dress(painter, BARE, discard);
    size_t length = painter->length - before;
    painter->length = before;
    if (painter->has_failed || length > sizeof way->bytes) {
        painter->has_failed = true;
        return;
    }
    memcpy(way->bytes, painter->bytes + before, length);
    way->length = (unsigned char)length;
    way->is_known = true;
}

static void put_style(tui_painter *painter, unsigned int style)
{
    const struct way *way = &painter->ways[painter->style][style];
    if (style == painter->style) {
        return;
    }
    if (!way->is_known) {
        learn(painter, painter->style, style);
    }
    put(painter, way->bytes, way->length);
    painter->style = style;
}

static size_t put_digits(char *at, unsigned int number)
{
    char digits[12];
    size_t length = 0;
    do {
        digits[length++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    for (size_t i = 0; i < length; i++) {
        at[i] = digits[length - 1 - i];
    }
    return length;
}

static void put_place(tui_painter *painter, int row, int column)
{
    if (painter->has_known_places) {
        char text[32] = "\033[";
        size_t length = 2;
        length += put_digits(text + length, (unsigned int)row + 1);
        text[length++] = ';';
        length += put_digits(text + length, (unsigned int)column + 1);
        text[length++] = 'H';
        put(painter, text, length);
        return;
    }
    const char *text = tiparm(painter->to_place, row, column);
    capturing = painter;
    if (text == NULL || tputs(text, 1, capture) == ERR) {
        painter->has_failed = true;
    }
}

static void put_character(char **at, wchar_t character, mbstate_t *state)
{
    if (character > 0 && character < 0x80) {
        *(*at)++ = (char)character;
    } else {
        size_t length = wcrtomb(*at, character, state);
        *at += length == (size_t)-1 ? 0 : length;
    }
}

static void put_run(tui_painter *painter, const tui_cell *cells, int count)
{
    mbstate_t state = { 0 };
    for (int i = 0; i < count; i++) {
        if (cells[i].character == 0) { /* the right half of a wide character */
            continue;
        }
        put_style(painter, cells[i].style);
        char *at = reserve(painter, CELL_MAX), *begin = at;
        if (at != NULL) {
            put_character(&at, cells[i].character, &state);
            if (cells[i].mark != 0) {
                put_character(&at, (wchar_t)cells[i].mark, &state);
            }
            painter->length += (size_t)(at - begin);
        }
    }
}

static bool are_same(const tui_cell *cells, const tui_cell *shown, size_t count)
{
    return memcmp(cells, shown, count * sizeof *cells) == 0;
}

/* Whether a cell changed, or the right half of a wide character in it: such a character is written whole. */
static bool has_changed(const tui_cell *cells, const tui_cell *shown, int left)
{
    return !are_same(cells, shown, 1) || (left > 1 && cells[1].character == 0 && !are_same(cells + 1, shown + 1, 1));
}

/* The end of a run that begins at `column`: behind the last cell that has changed, small gaps included. */
static int end_of_run(const tui_cell *cells, const tui_cell *shown, int column, int columns)
{
    int end = column + 1;
    for (int at = end; at < columns && at - end <= GAP; at++) {
        if (has_changed(cells + at, shown + at, columns - at)) {
            end = at + 1;
        }
    }
    while (end < columns && cells[end].character == 0) {
        end++; /* the right half belongs to it */
    }
    return end;
}

static void put_row(tui_painter *painter, int row, const tui_cell *cells, const tui_cell *shown, int columns)
{
    for (int column = 0; column < columns; column++) {
        if (column % STRIDE == 0 && columns - column > STRIDE && are_same(cells + column, shown + column, STRIDE + 1)) {
            column += STRIDE - 1; /* the cell behind them is no half that changed, either */
        } else if (has_changed(cells + column, shown + column, columns - column)) {
            int end = end_of_run(cells, shown, column, columns);
            put_place(painter, row, column);
            put_run(painter, cells + column, end - column);
            column = end - 1;
        }
    }
}

/* A terminal that takes nothing any more is noticed elsewhere. */
static void write_all(const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, length);
        if (written < 0 && errno == EAGAIN) {
            struct pollfd room = { .fd = STDOUT_FILENO, .events = POLLOUT };
            poll(&room, 1, -1);
        } else if (written < 0 && errno != EINTR) {
            return;
        }
        bytes += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
}

/* Whether painting would write into the last cell of the screen. */
static bool reaches_the_end(const tui_cell *cells, const tui_cell *shown, size_t count)
{
    size_t last = count - 1;
    bool is_half = count > 1 && cells[last].character == 0;
    return has_changed(cells + last, shown + last, 1) || (is_half && has_changed(cells + last - 1, shown + last - 1, 2));
}

bool tui_painter_paint(tui_painter *painter, const tui_canvas *canvas, tui_canvas *shown, int cursor_row, int cursor_column)
{
    size_t columns = (size_t)canvas->columns, count = (size_t)canvas->rows * columns;
    if (reaches_the_end(canvas->cells, shown->cells, count)) {
        return false;
    }
    painter->length = 0;
    painter->style = BARE;
    painter->has_failed = false;
    for (int row = 0; row < canvas->rows; row++) {
        const tui_cell *cells = canvas->cells + (size_t)row * columns, *before = shown->cells + (size_t)row * columns;
        if (!are_same(cells, before, columns)) {
            put_row(painter, row, cells, before, canvas->columns);
        }
    }
    put_style(painter, BARE);
    if (cursor_row >= 0) {
        put_place(painter, cursor_row, cursor_column);
    }
    if (painter->has_failed) {
        return false;
    }
    write_all(painter->bytes, painter->length);
    memcpy(shown->cells, canvas->cells, count * sizeof *canvas->cells);
    return true;
}
