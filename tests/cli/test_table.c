/*
 * Text and tables of the command, without any driver: widths, shortening, harmless text, every width from 0 up.
 */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "suggest.h"
#include "table.h"
#include "text.h"

static void assert_clean(const char *text, bool utf8, const char *expected)
{
    char *clean = cli_text_clean(text, utf8);
    assert_non_null(clean);
    assert_string_equal(clean, expected);
    free(clean);
}

static void test_text__control_characters_are_harmless(void **state)
{
    (void)state;
    assert_clean("a\033[31mb", true, "a\uFFFD[31mb");
    assert_clean("a\033[31mb", false, "a?[31mb");
    assert_clean("one\ntwo\tthree", true, "one two three");
    assert_clean("\x7f\xc2\x9b", true, "\uFFFD\uFFFD");                   /* DEL, and CSI as one character */
    assert_clean("abc\u202Edef", true, "abc\uFFFDdef");                   /* turns the direction of writing */
    assert_clean("a\u200Bb\u200Dc\uFEFF", true, "a\uFFFDb\uFFFDc\uFFFD"); /* cannot be seen */
    assert_clean("\u2069\u202A", false, "??");
}

static void test_text__bad_bytes_are_replaced(void **state)
{
    (void)state;
    assert_clean("\xff\xfe", true, "\uFFFD\uFFFD");
    assert_clean("\xe2\x82", true, "\uFFFD\uFFFD");           /* cut off */
    assert_clean("\xc0\xaf", true, "\uFFFD\uFFFD");           /* overlong */
    assert_clean("\xed\xa0\x80", true, "\uFFFD\uFFFD\uFFFD"); /* surrogate */
    assert_clean("\xf4\x90\x80\x80", true, "\uFFFD\uFFFD\uFFFD\uFFFD");
    assert_clean("Grüße 显卡", true, "Grüße 显卡");
    assert_clean("Grüße 显卡…", false, "Gr??e ??~");
}

static void test_text__width_counts_columns(void **state)
{
    (void)state;
    assert_int_equal(cli_text_width(""), 0);
    assert_int_equal(cli_text_width("plain"), 5);
    assert_int_equal(cli_text_width("显卡"), 4);
    assert_int_equal(cli_text_width("e\u0301"), 1); /* a combining accent takes no column */
}

static void assert_shortened(const char *text, size_t width, const char *expected)
{
    char *shortened = cli_text_shorten(text, width, true);
    assert_non_null(shortened);
    assert_string_equal(shortened, expected);
    assert_true(cli_text_width(shortened) <= width);
    free(shortened);
}

static void test_text__shortening_keeps_whole_characters(void **state)
{
    (void)state;
    assert_shortened("abcdef", 6, "abcdef");
    assert_shortened("abcdef", 5, "abcd…");
    assert_shortened("abcdef", 1, "…");
    assert_shortened("abcdef", 0, "");
    assert_shortened("显卡显卡", 6, "显卡…");
    assert_shortened("e\u0301e\u0301e\u0301", 2, "e\u0301…");
}

static void test_suggest__near_words_only(void **state)
{
    (void)state;
    static const struct {
        const char *word, *nearest;
    } cases[] = {
        { "statsu", "status" }, { "stat", "status" }, { "simm", "sim" }, { "cal", "call" }, { "xyzzy", NULL }, { "", NULL },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cli_suggestion suggestion = CLI_SUGGESTION_FOR(cases[i].word);
        cli_suggestion_offer(&suggestion, "status");
        cli_suggestion_offer(&suggestion, "call");
        cli_suggestion_offer(&suggestion, "sim");
        if (cases[i].nearest == NULL)
            assert_null(suggestion.nearest);
        else
            assert_string_equal(suggestion.nearest, cases[i].nearest);
    }
}

static const cli_column columns[] = {
    { "GPU", CLI_RIGHT, 0, 0, false },
    { "Name", CLI_LEFT, 0, 4, false },
    { "Util", CLI_RIGHT, 1, 0, false },
    { "Path", CLI_LEFT, 0, 5, true },
};

/* Prints a table of three rows, one of them with a cell that covers others; the caller frees the text. */
static char *print_table(size_t width, bool utf8, bool color)
{
    const cli_terminal terminal = { width, color, utf8 };
    cli_table table = CLI_TABLE_INIT(columns, &terminal);
    cli_table_add(&table, CLI_PLAIN, "0");
    cli_table_add(&table, CLI_PLAIN, "显卡 one");
    cli_table_addf(&table, CLI_GREEN, "%d%%", 100);
    cli_table_add(&table, CLI_PLAIN, "/usr/bin/thing");
    cli_table_add(&table, CLI_PLAIN, "1");
    cli_table_add(&table, CLI_RED, "lost, and this text is long");
    cli_table_end_row(&table);
    cli_table_add(&table, CLI_PLAIN, "2");
    cli_table_add(&table, CLI_PLAIN, "e\u0301");
    cli_table_add(&table, CLI_PLAIN, "5%");
    cli_table_add(&table, CLI_PLAIN, "x");
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    assert_true(cli_table_print(&table, &terminal, out));
    assert_int_equal(fclose(out), 0);
    cli_table_free(&table);
    return text;
}

static void assert_table(size_t width, bool utf8, const char *expected)
{
    char *text = print_table(width, utf8, false);
    assert_string_equal(text, expected);
    free(text);
}

static void test_table__fits_its_data(void **state)
{
    (void)state;
    assert_table(0, true,
                 "GPU │ Name     │ Util │ Path\n"
                 "────┼──────────┼──────┼───────────────\n"
                 "  0 │ 显卡 one │ 100% │ /usr/bin/thing\n"
                 "  1 │ lost, and this text is long\n"
                 "  2 │ e\u0301        │   5% │ x\n");
    assert_table(0, false,
                 "GPU | Name   | Util | Path\n"
                 "----+--------+------+---------------\n"
                 "  0 | ?? one | 100% | /usr/bin/thing\n"
                 "  1 | lost, and this text is long\n"
                 "  2 | e?     |   5% | x\n");
}

static void test_table__narrow_terminal_loses_air_then_columns_then_text(void **state)
{
    (void)state;
    assert_table(32, true,
                 "GPU│Name    │Util│Path\n"
                 "───┼────────┼────┼──────────────\n"
                 "  0│显卡 one│100%│/usr/bin/thing\n"
                 "  1│lost, and this text is long\n"
                 "  2│e\u0301       │  5%│x\n");
    assert_table(16, true,
                 "GPU│Name│Path\n"
                 "───┼────┼───────\n"
                 "  0│显… │thing\n"
                 "  1│lost, and t…\n"
                 "  2│e\u0301   │x\n");
}

static void test_table__no_line_is_wider_than_the_terminal(void **state)
{
    (void)state;
    for (size_t width = 1; width <= 60; width++) {
        for (int utf8 = 0; utf8 <= 1; utf8++) {
            char *text = print_table(width, utf8 != 0, false);
            char *rest = text;
            for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
                assert_true(cli_text_width(line) <= width);
                assert_true(line[0] == '\0' || line[strlen(line) - 1] != ' ');
            }
            free(text);
        }
    }
}

static void test_table__colors_do_not_change_the_text(void **state)
{
    (void)state;
    for (size_t width = 0; width <= 60; width++) {
        char *plain = print_table(width, true, false), *colored = print_table(width, true, true);
        char *to = colored;
        for (const char *from = colored; *from != '\0'; from++) {
            if (*from == '\033')
                from = strchr(from, 'm');
            else
                *to++ = *from;
        }
        *to = '\0';
        assert_string_equal(plain, colored);
        free(plain);
        free(colored);
    }
}

int main(void)
{
    if (setlocale(LC_ALL, "C.UTF-8") == NULL)
        return 77; /* widths need a UTF-8 locale */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text__control_characters_are_harmless),
        cmocka_unit_test(test_text__bad_bytes_are_replaced),
        cmocka_unit_test(test_text__width_counts_columns),
        cmocka_unit_test(test_text__shortening_keeps_whole_characters),
        cmocka_unit_test(test_suggest__near_words_only),
        cmocka_unit_test(test_table__fits_its_data),
        cmocka_unit_test(test_table__narrow_terminal_loses_air_then_columns_then_text),
        cmocka_unit_test(test_table__no_line_is_wider_than_the_terminal),
        cmocka_unit_test(test_table__colors_do_not_change_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
