/*
 * What the painter writes for the difference between two pictures. Whole pictures are curses' and not of interest here.
 */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "painter.h"

#define ROWS 4
#define COLUMNS 40

static tui_canvas canvas, shown;
static tui_dress dresses[TUI_STYLE_COUNT];
static char written[4096];
static SCREEN *screen;
static FILE *ends[2]; /* of the terminal */

/* A terminal of a type, whose own output goes nowhere. */
static int open_as(void **state, const char *type)
{
    ends[0] = fopen("/dev/null", "r");
    ends[1] = fopen("/dev/null", "w");
    screen = ends[0] != NULL && ends[1] != NULL ? newterm(type, ends[1], ends[0]) : NULL;
    tui_painter *painter = screen != NULL ? tui_painter_new() : NULL;
    if (painter == NULL || !tui_canvas_resize(&canvas, ROWS, COLUMNS) || !tui_canvas_resize(&shown, ROWS, COLUMNS)) {
        return -1;
    }
    start_color();
    init_pair(1, COLOR_GREEN, COLOR_BLACK);
    dresses[TUI_GOOD] = (tui_dress){ .attributes = A_NORMAL, .pair = 1 };
    tui_painter_dress(painter, dresses);
    *state = painter;
    return 0;
}

static int open_xterm(void **state)
{
    return open_as(state, "xterm-256color");
}

static int open_vt100(void **state)
{
    return open_as(state, "vt100");
}

static int finish(void **state)
{
    tui_painter_free(*state);
    endwin();
    delscreen(screen);
    return fclose(ends[0]) | fclose(ends[1]);
}

/* Paints, with standard output caught in `written`. */
static bool paint(tui_painter *painter)
{
    int caught[2], before = dup(STDOUT_FILENO);
    assert_int_equal(pipe(caught), 0);
    fflush(stdout);
    dup2(caught[1], STDOUT_FILENO);
    close(caught[1]);
    bool is_painted = tui_painter_paint(painter, &canvas, &shown, -1, 0);
    dup2(before, STDOUT_FILENO); /* the last end for writing: reading ends */
    close(before);
    ssize_t length = read(caught[0], written, sizeof written - 1);
    written[length > 0 ? length : 0] = '\0';
    close(caught[0]);
    return is_painted;
}

static void assert_shown(void)
{
    assert_memory_equal(shown.cells, canvas.cells, ROWS * COLUMNS * sizeof *canvas.cells);
}

static void test_painter__only_what_changed_is_written(void **state)
{
    tui_canvas_put(&canvas, 2, 3, 10, TUI_PLAIN, "x");
    assert_true(paint(*state));
    assert_string_equal(written, "\033[3;4Hx");
    assert_shown();
    assert_true(paint(*state));
    assert_string_equal(written, "");
}

static void test_painter__small_gaps_are_written_again(void **state)
{
    tui_canvas_put(&canvas, 0, 0, 30, TUI_PLAIN, "a.b.......c");
    memcpy(shown.cells, canvas.cells, COLUMNS * sizeof *canvas.cells);
    tui_canvas_put(&canvas, 0, 0, 30, TUI_PLAIN, "A.B.......C");
    assert_true(paint(*state));
    assert_string_equal(written, "\033[1;1HA.B\033[1;11HC");
    assert_shown();
}

static void test_painter__colours_change_once_and_end(void **state)
{
    tui_canvas_put(&canvas, 1, 0, 10, TUI_GOOD, "ok");
    assert_true(paint(*state));
    assert_non_null(strstr(written, "mok\033")); /* one colour for both, and none behind them */
    assert_null(strstr(written, "o\033"));
    assert_shown();
}

static void test_painter__wide_characters_are_written_whole(void **state)
{
    tui_canvas_put(&canvas, 0, 4, 10, TUI_PLAIN, "\xe4\xb8\x96");
    assert_true(paint(*state));
    assert_string_equal(written, "\033[1;5H\xe4\xb8\x96");
    assert_shown();
    shown.cells[5].character = L'y'; /* as if only its right half were missing */
    assert_true(paint(*state));
    assert_string_equal(written, "\033[1;5H\xe4\xb8\x96");
    assert_shown();
    tui_canvas_put(&canvas, 0, 5, 10, TUI_PLAIN, "z"); /* onto the right half: the left one goes, too */
    assert_true(paint(*state));
    assert_string_equal(written, "\033[1;5H z");
    assert_shown();
}

static void test_painter__marks_follow_their_character(void **state)
{
    tui_canvas_put(&canvas, 0, 0, 10, TUI_PLAIN, "e\xcc\x81");
    assert_true(paint(*state));
    assert_string_equal(written, "\033[1;1He\xcc\x81");
}

static void assert_left_to_curses(tui_painter *painter)
{
    tui_canvas_put(&canvas, 0, 0, 10, TUI_PLAIN, "x");
    assert_false(paint(painter));
    assert_string_equal(written, "");
    assert_int_equal(shown.cells[0].character, L' ');
}

/* Writing there scrolls some terminals. */
static void test_painter__last_cell_is_left_to_curses(void **state)
{
    tui_canvas_put(&canvas, ROWS - 1, COLUMNS - 1, 1, TUI_PLAIN, "x");
    assert_left_to_curses(*state);
    tui_canvas_clear(&canvas);
    tui_canvas_put(&canvas, ROWS - 1, COLUMNS - 2, 2, TUI_PLAIN, "\xe4\xb8\x96");
    memcpy(&shown.cells[ROWS * COLUMNS - 1], &canvas.cells[ROWS * COLUMNS - 1],
           sizeof *canvas.cells); /* its left half alone changed */
    assert_left_to_curses(*state);
}

static void test_painter__other_terminals_are_asked_for_their_places(void **state)
{
    tui_canvas_put(&canvas, 2, 3, 10, TUI_PLAIN, "x");
    assert_true(paint(*state));
    assert_memory_equal(written, "\033[3;4H", 6);
    assert_null(strstr(written, "$<")); /* how long the terminal takes is not for the terminal */
    assert_shown();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_painter__only_what_changed_is_written, open_xterm, finish),
        cmocka_unit_test_setup_teardown(test_painter__small_gaps_are_written_again, open_xterm, finish),
        cmocka_unit_test_setup_teardown(test_painter__colours_change_once_and_end, open_xterm, finish),
        cmocka_unit_test_setup_teardown(test_painter__wide_characters_are_written_whole, open_xterm, finish),
        cmocka_unit_test_setup_teardown(test_painter__marks_follow_their_character, open_xterm, finish),
        cmocka_unit_test_setup_teardown(test_painter__last_cell_is_left_to_curses, open_xterm, finish),
        cmocka_unit_test_setup_teardown(test_painter__other_terminals_are_asked_for_their_places, open_vt100, finish),
    };
    setlocale(LC_ALL, "C.UTF-8");
    int failed = cmocka_run_group_tests_name("tui.painter", tests, NULL, NULL);
    tui_canvas_free(&canvas);
    tui_canvas_free(&shown);
    return failed;
}
