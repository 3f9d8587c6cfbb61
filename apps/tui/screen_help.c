/*
 * The keys, as their table has them.
 */
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "scroll.h"

/* The keys of a row and of those behind it that share its line. */
static size_t gather(size_t row, char *keys, size_t size)
{
    snprintf(keys, size, "%s", tui_key_rows[row].keys);
    unsigned int where = tui_key_rows[row].where;
    for (row++; row < tui_key_row_count && tui_key_rows[row].help[0] == '\0' && tui_key_rows[row].where == where; row++) {
        size_t length = strlen(keys);
        snprintf(keys + length, size - length, " %s", tui_key_rows[row].keys);
    }
    return row;
}

static void draw_mouse(tui_scroll *scroll)
{
    static const char *const lines[][2] = {
        { "click on a row", "select it; again: all about it" },
        { "on a GPU", "its processes; again: of all" },
        { "on a heading", "order by the column; again: the other way round" },
        { "on the last line", "press the key that stands there" },
        { "wheel", "move the selection, or scroll" },
    };
    tui_scroll_line(scroll, TUI_PLAIN, "");
    tui_scroll_line(scroll, TUI_STRONG, "Mouse");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char line[128];
        snprintf(line, sizeof line, "  %-20s %s", lines[i][0], lines[i][1]);
        tui_scroll_line(scroll, TUI_PLAIN, line);
    }
}

void tui_draw_help(tui_app *app, tui_area area)
{
    tui_scroll scroll = tui_scroll_begin(app, area);
    tui_scroll_line(&scroll, TUI_STRONG, "Keys");
    for (size_t row = 0; row < tui_key_row_count;) {
        char keys[128], line[256];
        const char *help = tui_key_rows[row].help;
        row = gather(row, keys, sizeof keys);
        snprintf(line, sizeof line, "  %-20s %s", keys, help);
        if (help[0] != '\0') {
            tui_scroll_line(&scroll, TUI_PLAIN, line);
        }
    }
    draw_mouse(&scroll);
    tui_scroll_line(&scroll, TUI_PLAIN, "");
    tui_scroll_line(&scroll, TUI_STRONG, "Columns");
    for (int i = 0; i < TUI_COLUMN_COUNT; i++) {
        char line[256];
        snprintf(line, sizeof line, "  %-9s %-10s %s", tui_columns[i].title, tui_columns[i].name, tui_columns[i].help);
        tui_scroll_line(&scroll, TUI_PLAIN, line);
    }
    tui_scroll_end(&scroll);
}
