/*
 * curses draws the difference between two screens; the cells of the last canvas are kept here, too, so that only cells
 * that changed are handed to it: a refresh costs what changed, not what there is.
 */
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define NCURSES_WIDECHAR 1
#include <curses.h>

#include "terminal.h"

struct tui_terminal {
    SCREEN *screen;
    tui_when color;
    int colors;       /* 0: none, or not wanted */
    tui_canvas shown; /* what curses has */
    bool is_stale;    /* `shown` is not what is on the screen */
    attr_t attributes[TUI_STYLE_COUNT];
    short pairs[TUI_STYLE_COUNT];
};

static bool colors_are_welcome(tui_when color)
{
    const char *no_color = getenv("NO_COLOR");
    return color == TUI_ALWAYS || (color == TUI_AUTO && (no_color == NULL || no_color[0] == '\0'));
}

/* Why there is nothing to draw on; NULL when there is. */
static const char *look_for_fault(const char *term)
{
    if (isatty(STDIN_FILENO) != 1) {
        return "standard input is no terminal";
    }
    if (isatty(STDOUT_FILENO) != 1) {
        return "standard output is no terminal";
    }
    if (term == NULL || term[0] == '\0') {
        return "TERM is not set";
    }
    return strcmp(term, "dumb") == 0 ? "the terminal cannot move its cursor (TERM=dumb)" : NULL;
}

static void set_modes(void)
{
    cbreak();
    noecho();
    nonl();
    intrflush(stdscr, FALSE);
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    typeahead(-1); /* a picture is drawn to its end, without asking for keys in between */
    leaveok(stdscr, FALSE);
    set_escdelay(25);
    curs_set(0);
    mouseinterval(0); /* a press is an event at once */
    mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
}

/*
 * Until it has once come back from the shell, ncurses 6 writes whatever it has at each move of the cursor: some dozens of
 * system calls a picture. So it goes there and back before there is anything to see.
 */
static void begin_buffering(void)
{
    refresh();
    endwin();
    refresh();
    keypad(stdscr,
           TRUE); /* endwin() took it back; curses itself would wait for the first key, which then comes in another form */
}

tui_terminal *tui_terminal_open(tui_when color, char *message, size_t size)
{
    const char *term = getenv("TERM"), *fault = look_for_fault(term);
    if (fault != NULL) {
        snprintf(message, size, "%s", fault);
        return NULL;
    }
    tui_terminal *terminal = calloc(1, sizeof *terminal);
    if (terminal == NULL) {
        snprintf(message, size, "out of memory");
        return NULL;
    }
    terminal->screen = newterm(term, stdout, stdin);
    if (terminal->screen == NULL) {
        snprintf(message, size, "terminal type '%s' is not known", term);
        free(terminal);
        return NULL;
    }
    if (tigetstr("cup") == NULL) {
        snprintf(message, size, "terminal type '%s' cannot move its cursor", term);
        tui_terminal_close(terminal);
        return NULL;
    }
    set_modes();
    begin_buffering();
    terminal->color = color;
    if (colors_are_welcome(color) && has_colors()) {
        start_color();
        use_default_colors();
        terminal->colors = COLORS >= 256 && COLOR_PAIRS > TUI_STYLE_COUNT ? 256 : COLORS;
    }
    tui_terminal_set_theme(terminal, TUI_THEME_DARK);
    return terminal;
}

void tui_terminal_close(tui_terminal *terminal)
{
    if (terminal != NULL) {
        endwin();
        delscreen(terminal->screen);
        tui_canvas_free(&terminal->shown);
        free(terminal);
    }
}

void tui_terminal_set_theme(tui_terminal *terminal, tui_theme theme)
{
    for (int i = 0; i < TUI_STYLE_COUNT; i++) {
        tui_look look = tui_theme_look(theme, (tui_style)i, terminal->colors);
        terminal->attributes[i] = look.attributes;
        terminal->pairs[i] = 0;
        if (look.foreground >= 0 || look.background >= 0) {
            terminal->pairs[i] = (short)(i + 1);
            init_pair((short)(i + 1), look.foreground, look.background);
        }
    }
    terminal->is_stale = true;
}

void tui_terminal_size(tui_terminal *terminal, int *rows, int *columns)
{
    struct winsize size = { 0 };
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0 &&
        is_term_resized(size.ws_row, size.ws_col)) {
        resize_term(size.ws_row, size.ws_col);
        terminal->is_stale = true;
    }
    *rows = LINES > 0 ? LINES : 1;
    *columns = COLS > 0 ? COLS : 1;
}

static void show_cell(const tui_terminal *terminal, const tui_canvas *canvas, int row, int column)
{
    const tui_cell *cell = &canvas->cells[(size_t)row * (size_t)canvas->columns + (size_t)column];
    wchar_t characters[] = { cell->character, cell->mark, 0 };
    cchar_t out;
    if (cell->character != 0 &&
        setcchar(&out, characters, terminal->attributes[cell->style], terminal->pairs[cell->style], NULL) == OK) {
        mvadd_wch(row, column, &out);
    }
}

static bool is_same(const tui_cell *one, const tui_cell *other)
{
    return one->character == other->character && one->mark == other->mark && one->style == other->style;
}

/* A run of cells that changed is handed over whole, so that the halves of wide characters stay together. */
static void show_row(const tui_terminal *terminal, const tui_canvas *canvas, int row, bool all)
{
    size_t first = (size_t)row * (size_t)canvas->columns;
    for (int column = 0; column < canvas->columns; column++) {
        const tui_cell *cell = &canvas->cells[first + (size_t)column];
        bool is_half_changed = column + 1 < canvas->columns && cell[1].character == 0 &&
                               (all || !is_same(cell + 1, &terminal->shown.cells[first + (size_t)column + 1]));
        if (all || is_half_changed || !is_same(cell, &terminal->shown.cells[first + (size_t)column])) {
            show_cell(terminal, canvas, row, column);
        }
    }
}

void tui_terminal_show(tui_terminal *terminal, const tui_canvas *canvas, int cursor_row, int cursor_column)
{
    tui_canvas *shown = &terminal->shown;
    bool all = terminal->is_stale || shown->rows != canvas->rows || shown->columns != canvas->columns;
    if (all) {
        if (!tui_canvas_resize(shown, canvas->rows, canvas->columns)) {
            return; /* the next picture may find memory */
        }
        erase();
        clearok(stdscr, TRUE);
    }
    for (int row = 0; row < canvas->rows; row++) {
        show_row(terminal, canvas, row, all);
    }
    memcpy(shown->cells, canvas->cells, (size_t)canvas->rows * (size_t)canvas->columns * sizeof *canvas->cells);
    terminal->is_stale = false;
    curs_set(cursor_row >= 0);
    move(cursor_row >= 0 ? cursor_row : canvas->rows - 1, cursor_row >= 0 ? cursor_column : 0);
    refresh();
}

void tui_terminal_invalidate(tui_terminal *terminal)
{
    terminal->is_stale = true;
}

static int key_of_curses(wint_t key)
{
    static const struct {
        wint_t curses;
        int ours;
    } keys[] = {
        { KEY_UP, TUI_KEY_UP },       { KEY_DOWN, TUI_KEY_DOWN },     { KEY_LEFT, TUI_KEY_LEFT },
        { KEY_RIGHT, TUI_KEY_RIGHT }, { KEY_PPAGE, TUI_KEY_PAGE_UP }, { KEY_NPAGE, TUI_KEY_PAGE_DOWN },
        { KEY_HOME, TUI_KEY_HOME },   { KEY_END, TUI_KEY_END },       { KEY_BACKSPACE, TUI_KEY_BACKSPACE },
        { KEY_DC, TUI_KEY_DELETE },   { KEY_BTAB, TUI_KEY_BACK_TAB }, { KEY_ENTER, TUI_KEY_ENTER },
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (keys[i].curses == key) {
            return keys[i].ours;
        }
    }
    return key > KEY_F0 && key <= KEY_F(12) ? TUI_KEY_F0 + (int)(key - KEY_F0) : TUI_KEY_UNKNOWN;
}

static void take_mouse(tui_event *event)
{
    MEVENT mouse;
    *event = (tui_event){ TUI_KEY_UNKNOWN, 0, 0 };
    if (getmouse(&mouse) == OK) {
        event->row = mouse.y;
        event->column = mouse.x;
        event->key = (mouse.bstate & BUTTON1_PRESSED) != 0   ? TUI_KEY_CLICK
                     : (mouse.bstate & BUTTON4_PRESSED) != 0 ? TUI_KEY_WHEEL_UP
                     : (mouse.bstate & BUTTON5_PRESSED) != 0 ? TUI_KEY_WHEEL_DOWN
                                                             : TUI_KEY_UNKNOWN;
    }
}

bool tui_terminal_event(tui_terminal *terminal, tui_event *event)
{
    (void)terminal; /* the keyboard belongs to curses' one window */
    wint_t key = 0;
    int kind = get_wch(&key);
    if (kind == ERR) {
        return false;
    }
    if (kind == KEY_CODE_YES && key == KEY_MOUSE) {
        take_mouse(event);
        return true;
    }
    *event = (tui_event){ (int)key, 0, 0 };
    if (kind == KEY_CODE_YES) {
        event->key = key_of_curses(key);
    } else if (key == '\n') {
        event->key = TUI_KEY_ENTER;
    } else if (key == 0x7f || key == TUI_KEY_CTRL('H')) {
        event->key = TUI_KEY_BACKSPACE;
    } else if (key == 0) {
        event->key = TUI_KEY_UNKNOWN;
    }
    return true;
}

void tui_terminal_pause(tui_terminal *terminal)
{
    curs_set(1);
    endwin();
    terminal->is_stale = true;
}

void tui_terminal_resume(tui_terminal *terminal)
{
    set_modes();
    terminal->is_stale = true;
}

void tui_terminal_bell(tui_terminal *terminal)
{
    (void)terminal;
    beep();
}
