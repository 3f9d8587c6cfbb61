/*
 * Parts of the viewer without a terminal: text that is made harmless, cells, filters, keys, numbers.
 */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bar.h"
#include "canvas.h"
#include "columns.h"
#include "filter.h"
#include "format.h"
#include "keys.h"
#include "settings.h"
#include "text.h"
#include "theme.h"

/* The canvas as text, lines joined by '|', blanks at their ends left out. */
static char *shown(const tui_canvas *canvas)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    tui_canvas_write(canvas, out);
    fclose(out);
    for (char *next = text; (next = strchr(next, '\n')) != NULL;) {
        *next = next[1] != '\0' ? '|' : '\0';
    }
    return text;
}

static void assert_shown(const tui_canvas *canvas, const char *wanted)
{
    char *text = shown(canvas);
    assert_string_equal(text, wanted);
    free(text);
}

static void test_text__bad_bytes_and_controls_are_replaced(void **state)
{
    (void)state;
    const char *text = "a\xff\x1b\xc3(\xe2\x80\xae\x7f\t\xc2\x85";
    const wchar_t wanted[] = { 'a', 0xfffd, 0xfffd, 0xfffd, '(', 0xfffd, 0xfffd, ' ', 0xfffd, 0 };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        assert_int_equal(tui_text_next(&text), wanted[i]);
    }
}

static void test_text__nothing_hidden_gets_through(void **state)
{
    static const wchar_t hidden[][2] = { { 0x80, 0x9f },     { 0x200b, 0x200f }, { 0x202a, 0x202e },
                                         { 0x2066, 0x2069 }, { 0xfeff, 0xfeff }, { 0xe0001, 0xe007f } };
    (void)state;
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        for (wchar_t character = hidden[i][0]; character <= hidden[i][1]; character++) {
            char bytes[8] = "";
            const char *text = bytes;
            assert_true(tui_text_append(bytes, sizeof bytes, character));
            assert_int_equal(tui_text_next(&text), 0xfffd);
            assert_int_equal(*text, 0);
        }
    }
}

static void test_text__widths(void **state)
{
    (void)state;
    assert_int_equal(tui_text_width("abc"), 3);
    assert_int_equal(tui_text_width("模型"), 4);
    assert_int_equal(tui_text_width("e\xcc\x81"), 1);
    assert_true(tui_text_contains("/usr/bin/Python3", "PYTHON"));
    assert_false(tui_text_contains("abc", "abcd"));
    assert_true(tui_text_contains("", ""));
}

static void test_text__typing(void **state)
{
    (void)state;
    char buffer[6] = "";
    assert_true(tui_text_append(buffer, sizeof buffer, L'a'));
    assert_true(tui_text_append(buffer, sizeof buffer, L'模'));
    assert_false(tui_text_append(buffer, sizeof buffer, L'型'));
    assert_string_equal(buffer, "a模");
    tui_text_chop(buffer);
    assert_string_equal(buffer, "a");
    tui_text_chop(buffer);
    tui_text_chop(buffer);
    assert_string_equal(buffer, "");
}

static void test_canvas__everything_is_clipped(void **state)
{
    (void)state;
    tui_canvas canvas = { 0 };
    assert_true(tui_canvas_resize(&canvas, 2, 5));
    tui_canvas_put(&canvas, -1, 0, 5, TUI_PLAIN, "above");
    tui_canvas_put(&canvas, 5, 0, 5, TUI_PLAIN, "below");
    tui_canvas_put(&canvas, 0, -2, 9, TUI_PLAIN, "abcdef");
    tui_canvas_put(&canvas, 1, 3, 9, TUI_PLAIN, "xyz");
    tui_canvas_fill(&canvas, 0, 4, 99, TUI_PLAIN, L'-');
    assert_shown(&canvas, "cdef-|   xy");
    assert_true(tui_canvas_resize(&canvas, 0, 0));
    tui_canvas_put(&canvas, 0, 0, 5, TUI_PLAIN, "nothing");
    assert_shown(&canvas, "");
    tui_canvas_free(&canvas);
}

static void test_canvas__text_is_cut_with_an_ellipsis(void **state)
{
    (void)state;
    tui_canvas canvas = { 0 };
    assert_true(tui_canvas_resize(&canvas, 4, 10));
    assert_int_equal(tui_canvas_put(&canvas, 0, 0, 4, TUI_PLAIN, "abcd"), 4);
    assert_int_equal(tui_canvas_put(&canvas, 1, 0, 4, TUI_PLAIN, "abcde"), 4);
    assert_int_equal(tui_canvas_put(&canvas, 2, 0, 4, TUI_PLAIN, "ab模型"), 3);
    tui_canvas_put_right(&canvas, 3, 0, 6, TUI_PLAIN, "xy");
    assert_shown(&canvas, "abcd|abc…|ab…|    xy");
    tui_canvas_free(&canvas);
}

static void test_canvas__halves_of_wide_characters_are_blanked(void **state)
{
    (void)state;
    tui_canvas canvas = { 0 };
    assert_true(tui_canvas_resize(&canvas, 3, 6));
    tui_canvas_put(&canvas, 0, 0, 6, TUI_PLAIN, "模型模");
    tui_canvas_put(&canvas, 0, 1, 1, TUI_PLAIN, "x");
    tui_canvas_put(&canvas, 0, 2, 1, TUI_PLAIN, "y");
    tui_canvas_put(&canvas, 1, 5, 6, TUI_PLAIN, "模");
    tui_canvas_put(&canvas, 1, -1, 6, TUI_PLAIN, "模");
    tui_canvas_put(&canvas, 2, 0, 6, TUI_PLAIN, "e\xcc\x81模\xcc\x81");
    assert_shown(&canvas, " xy 模||e\xcc\x81模\xcc\x81");
    tui_canvas_free(&canvas);
}

static void test_canvas__ascii_shows_ascii_alone(void **state)
{
    (void)state;
    tui_canvas canvas = { .is_ascii = true };
    assert_true(tui_canvas_resize(&canvas, 2, 8));
    tui_canvas_put(&canvas, 0, 0, 8, TUI_PLAIN, "é模e\xcc\x81");
    tui_bar_draw(&canvas, 1, 0, 4, 50, TUI_GOOD);
    assert_shown(&canvas, "?? e|||..");
    tui_canvas_free(&canvas);
}

static void test_bar__shows_eighths(void **state)
{
    (void)state;
    static const struct {
        double percent;
        const char *bar;
    } bars[] = {
        { 0, "────" },   { 0.1, "▏───" }, { 50, "██──" }, { 53.125, "██▏─" },
        { 100, "████" }, { 250, "████" }, { -5, "────" }, { (double)NAN, "" },
    };
    tui_canvas canvas = { 0 };
    for (size_t i = 0; i < sizeof bars / sizeof *bars; i++) {
        assert_true(tui_canvas_resize(&canvas, 1, 4));
        tui_bar_draw(&canvas, 0, 0, 4, bars[i].percent, TUI_GOOD);
        assert_shown(&canvas, bars[i].bar);
    }
    tui_canvas_free(&canvas);
}

static void test_format__sizes_and_spans_fit_their_columns(void **state)
{
    (void)state;
    char text[32];
    static const double sizes[] = { 0, 1, 1023, 1024, 1023.6, 1048575, 1048576, 1e9, 1.07e11, 1.1e12, 9e15 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        tui_format_bytes(sizes[i], text, sizeof text);
        assert_true(strlen(text) <= 6);
    }
    tui_format_bytes(85520809984.0, text, sizeof text);
    assert_string_equal(text, "79.6G");
    tui_format_span(59, text, sizeof text);
    assert_string_equal(text, "59s");
    tui_format_span(3661, text, sizeof text);
    assert_string_equal(text, "1:01:01");
    tui_format_span(86400.0 * 12 + 3600 * 4, text, sizeof text);
    assert_string_equal(text, "12d04h");
    tui_format_number((double)NAN, 0, "%", text, sizeof text);
    assert_string_equal(text, "N/A");
}

static void test_format__numbers_are_those_of_printf(void **state)
{
    (void)state;
    static const double numbers[] = { 0,     0.05,  0.25, 0.35, 0.5,  0.75, 0.949999, 0.95, 1.5,    2.5,  9.95,
                                      99.95, 99.75, 1e14, 1e15, 1e16, -0.4, -3.25,    1e-9, 1e-320, 1e40, 123456789.05 };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers + 20000; i++) {
        size_t listed = sizeof numbers / sizeof *numbers;
        double number = i < listed ? numbers[i] : (double)(i - listed) / 80; /* with all ties up to 250 */
        for (int decimals = 0; decimals <= 2; decimals++) {
            char text[80], wanted[80], cut[6];
            size_t length = (size_t)snprintf(wanted, sizeof wanted, "%.*fMHz", decimals, number);
            assert_int_equal(tui_format_number(number, decimals, "MHz", text, sizeof text), length);
            assert_string_equal(text, wanted);
            tui_format_number(number, decimals, "MHz", cut, sizeof cut);
            assert_memory_equal(cut, wanted, strlen(cut));
            assert_int_equal(strlen(cut), length < 5 ? length : 5);
        }
    }
}

/* Columns that are kept as words in a file and typed in filters, and keys that must mean one thing. */
static void test_columns__names_are_known_and_differ(void **state)
{
    (void)state;
    for (int i = 0; i < TUI_COLUMN_COUNT; i++) {
        assert_int_equal(tui_column_find(tui_columns[i].name), i);
        assert_true(tui_columns[i].width == 0 || (int)strlen(tui_columns[i].title) <= tui_columns[i].width);
    }
    assert_int_equal(tui_column_find("nosuch"), -1);
}

static void test_keys__each_key_means_one_thing_in_one_place(void **state)
{
    (void)state;
    for (size_t row = 0; row < tui_key_row_count; row++) {
        const char *names = tui_key_rows[row].keys;
        for (int key; (key = tui_keys_parse(&names)) != TUI_KEY_NONE;) {
            assert_int_not_equal(key, TUI_KEY_UNKNOWN);
            for (unsigned int where = 1; where < TUI_IN_ALL; where <<= 1) {
                if ((where & tui_key_rows[row].where) != 0) {
                    assert_ptr_equal(tui_keys_find(where, key), tui_key_rows[row].action);
                }
            }
        }
    }
    assert_null(tui_keys_find(TUI_IN_ALL, TUI_KEY_UNKNOWN));
}

static void test_filter__text_that_is_none_says_where(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t at;
    } bad[] = {
        { "a b=", 2 }, { "a mem>", 6 }, { "mem>=1Q", 5 }, { "x nosuch=1", 2 },
        { "!", 0 },    { "!a=1", 0 },   { "user<a", 0 },  { "\"a", 0 },
    };
    char message[160];
    size_t at;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_null(tui_filter_parse(bad[i].text, message, sizeof message, &at));
        assert_int_not_equal(message[0], '\0');
        assert_int_equal(at, bad[i].at);
    }
    assert_null(tui_filter_parse("   ", message, sizeof message, &at));
    assert_int_equal(message[0], '\0');
}

static void test_settings__columns_move_and_one_stays(void **state)
{
    (void)state;
    tui_settings settings;
    tui_settings_init(&settings);
    tui_column first = settings.columns[0];
    assert_false(tui_settings_move_column(&settings, first, -1));
    assert_true(tui_settings_move_column(&settings, first, 1));
    assert_int_equal(tui_settings_place(&settings, first), 1);
    for (int i = 0; i < TUI_COLUMN_COUNT; i++) {
        if (tui_settings_place(&settings, (tui_column)i) != SIZE_MAX) {
            tui_settings_toggle_column(&settings, (tui_column)i);
        }
    }
    assert_int_equal(settings.column_count, 1);
    for (int i = 0; i < TUI_COLUMN_COUNT; i++) {
        if (tui_settings_place(&settings, (tui_column)i) == SIZE_MAX) {
            tui_settings_toggle_column(&settings, (tui_column)i);
        }
    }
    assert_int_equal(settings.column_count, TUI_COLUMN_COUNT);
    assert_int_equal(settings.columns[TUI_COLUMN_COUNT - 1], TUI_COLUMN_command);
}

static void test_theme__without_colors_what_matters_stands_out(void **state)
{
    (void)state;
    static const tui_style loud[] = { TUI_SELECTED, TUI_ALERT, TUI_BAD, TUI_TITLE, TUI_NOTICE, TUI_TAGGED, TUI_MENU_SELECTED };
    for (size_t i = 0; i < sizeof loud / sizeof *loud; i++) {
        assert_int_not_equal(tui_theme_look(TUI_THEME_MONO, loud[i], 256).attributes, 0);
        assert_int_equal(tui_theme_look(TUI_THEME_MONO, loud[i], 256).foreground, -1);
        assert_int_not_equal(tui_theme_look(TUI_THEME_DARK, loud[i], 0).attributes, 0);
    }
    assert_true(tui_theme_look(TUI_THEME_DARK, TUI_ALERT, 8).background < 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text__bad_bytes_and_controls_are_replaced),
        cmocka_unit_test(test_text__nothing_hidden_gets_through),
        cmocka_unit_test(test_text__widths),
        cmocka_unit_test(test_text__typing),
        cmocka_unit_test(test_canvas__everything_is_clipped),
        cmocka_unit_test(test_canvas__text_is_cut_with_an_ellipsis),
        cmocka_unit_test(test_canvas__halves_of_wide_characters_are_blanked),
        cmocka_unit_test(test_canvas__ascii_shows_ascii_alone),
        cmocka_unit_test(test_bar__shows_eighths),
        cmocka_unit_test(test_format__sizes_and_spans_fit_their_columns),
        cmocka_unit_test(test_format__numbers_are_those_of_printf),
        cmocka_unit_test(test_columns__names_are_known_and_differ),
        cmocka_unit_test(test_keys__each_key_means_one_thing_in_one_place),
        cmocka_unit_test(test_filter__text_that_is_none_says_where),
        cmocka_unit_test(test_settings__columns_move_and_one_stays),
        cmocka_unit_test(test_theme__without_colors_what_matters_stands_out),
    };
    if (setlocale(LC_ALL, "C.UTF-8") == NULL) {
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
