/*
 * curses opens the terminal, reads keys, and draws whole pictures; what changes from one picture to the next is written by the painter. The cells
 * of the last picture are kept for it, so a refresh costs what changed, not what there is.
 */
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "painter.h"
#include "terminal.h"

struct tui_terminal {
    SCREEN *screen;
    tui_when color;
    int colors; /* 0: none, or not wanted */
    tui_painter *painter;
    tui_canvas shown; /* what is on the screen */
    cchar_t *run;     /* room for a row, as curses has it */
    bool is_stale;    /* `shown` is not what is on the screen */
    tui_dress dresses[TUI_STYLE_COUNT];
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
    terminal->painter = tui_painter_new();
    if (terminal->painter == NULL) {
        snprintf(message, size, "out of memory");
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
        tui_painter_free(terminal->painter);
        tui_canvas_free(&terminal->shown);
        free(terminal->run);
        free(terminal);
    }
}

void tui_terminal_set_theme(tui_terminal *terminal, tui_theme theme)
{
    for (int i = 0; i < TUI_STYLE_COUNT; i++) {
        tui_look look = tui_theme_look(theme, (tui_style)i, terminal->colors);
        terminal->dresses[i] = (tui_dress){ .attributes = look.attributes, .pair = 0 };
        if (terminal->colors > 0) { /* between pairs curses changes no more than a colour, so plain text is one, too */
            terminal->dresses[i].pair = (short)(i + 1);
            init_pair((short)(i + 1), look.foreground, look.background);
        }
    }
    tui_painter_dress(terminal->painter, terminal->dresses);
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

static void show_row(const tui_terminal *terminal, int row, const tui_cell *cells, int columns)
{
    int length = 0;
    for (int i = 0; i < columns; i++) {
        const wchar_t characters[] = { cells[i].character, (wchar_t)cells[i].mark, 0 };
        const tui_dress *dress = &terminal->dresses[cells[i].style];
        if (characters[0] != 0) { /* curses makes the right half of a wide character itself */
            setcchar(&terminal->run[length++], characters, dress->attributes, dress->pair, NULL);
        }
    }
    mvadd_wchnstr(row, 0, terminal->run, length);
}

/* The whole picture, by curses, on a screen of which nothing is known. When memory runs out the next one may find some. */
static void show_all(tui_terminal *terminal, const tui_canvas *canvas, int cursor_row, int cursor_column)
{
    size_t columns = (size_t)canvas->columns;
    cchar_t *run = reallocarray(terminal->run, columns, sizeof *run);
    if (run == NULL) {
        return;
    }
    terminal->run = run;
    if (!tui_canvas_resize(&terminal->shown, canvas->rows, canvas->columns)) {
        return;
    }
    cchar_t blank;
    setcchar(&blank, L" ", A_NORMAL, terminal->dresses[TUI_PLAIN].pair, NULL);
    bkgrndset(&blank);
    erase();
    clearok(stdscr, TRUE);
    for (int row = 0; row < canvas->rows; row++) {
        show_row(terminal, row, canvas->cells + (size_t)row * columns, canvas->columns);
    }
    leaveok(stdscr, cursor_row < 0);
    move(cursor_row < 0 ? 0 : cursor_row, cursor_column);
    refresh();
    memcpy(terminal->shown.cells, canvas->cells, (size_t)canvas->rows * columns * sizeof *canvas->cells);
    terminal->is_stale = false;
}

void tui_terminal_show(tui_terminal *terminal, const tui_canvas *canvas, int cursor_row, int cursor_column)
{
    tui_canvas *shown = &terminal->shown;
    bool is_hidden = curs_set(cursor_row >= 0) != ERR && cursor_row < 0; /* one that is not moved is not missed */
    int row = cursor_row >= 0 || is_hidden ? cursor_row : canvas->rows - 1, column = cursor_row >= 0 ? cursor_column : 0;
    bool is_new = terminal->is_stale || shown->rows != canvas->rows || shown->columns != canvas->columns;
    if (is_new || !tui_painter_paint(terminal->painter, canvas, shown, row, column)) {
        show_all(terminal, canvas, row, column);
    }
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
