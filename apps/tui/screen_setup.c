/*
 * The settings, one a line, and the columns of the table of processes: those that are shown, in their order, then the others.
 */
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "scroll.h"

enum { ROW_INTERVAL, ROW_THEME, ROW_SORT, ROW_ORDER, ROW_TREE, ROW_COLUMNS };

static const int row_count = ROW_COLUMNS + TUI_COLUMN_COUNT;

/* The column of a line behind the settings. */
static tui_column column_of_row(const tui_settings *settings, int row)
{
    size_t place = (size_t)(row - ROW_COLUMNS);
    if (place < settings->column_count) {
        return settings->columns[place];
    }
    place -= settings->column_count;
    for (int i = 0; i < TUI_COLUMN_COUNT; i++) {
        if (tui_settings_place(settings, (tui_column)i) == SIZE_MAX && place-- == 0) {
            return (tui_column)i;
        }
    }
    return TUI_COLUMN_command;
}

static void format_row(const tui_settings *settings, int row, char *text, size_t size)
{
    switch (row) {
    case ROW_INTERVAL:
        snprintf(text, size, "  Interval    < %g s >", (double)settings->interval_ms / 1000);
        break;
    case ROW_THEME:
        snprintf(text, size, "  Theme       < %s >", tui_theme_names[settings->theme]);
        break;
    case ROW_SORT:
        snprintf(text, size, "  Sort by     < %s >", tui_columns[settings->sort].title);
        break;
    case ROW_ORDER:
        snprintf(text, size, "  Order       < %s >", settings->is_descending ? "descending" : "ascending");
        break;
    case ROW_TREE:
        snprintf(text, size, "  Tree        < %s >", settings->is_tree ? "yes" : "no");
        break;
    default: {
        tui_column column = column_of_row(settings, row);
        bool is_shown = tui_settings_place(settings, column) != SIZE_MAX;
        snprintf(text, size, "  [%c] %-10s %s", is_shown ? 'x' : ' ', tui_columns[column].title, tui_columns[column].help);
    }
    }
}

/* The lines above a row: headings, and what stands before it. */
static int line_of_row(int row)
{
    return row + (row >= ROW_COLUMNS ? 3 : 1);
}

/* Scrolls so that the cursor is visible, heading lines included. */
static void follow_cursor(tui_app *app, int rows)
{
    int line = line_of_row(app->setup_row);
    if (line < app->scroll + (app->setup_row == 0)) {
        app->scroll = app->setup_row == 0 ? 0 : line;
    } else if (line >= app->scroll + rows) {
        app->scroll = line - rows + 1;
    }
}

void tui_draw_setup(tui_app *app, tui_area area)
{
    follow_cursor(app, area.rows);
    app->setup_area = area;
    tui_scroll scroll = tui_scroll_begin(app, area);
    tui_scroll_line(&scroll, TUI_STRONG, "Setup: arrows choose and change; what changes is kept at once");
    for (int row = 0; row < row_count; row++) {
        char text[160];
        if (row == ROW_COLUMNS) {
            tui_scroll_line(&scroll, TUI_PLAIN, "");
            tui_scroll_line(&scroll, TUI_STRONG, "Columns: Space shows and hides, Left and Right move");
        }
        format_row(&app->settings, row, text, sizeof text);
        int line = tui_scroll_row(&scroll);
        if (line >= 0) {
            bool is_here = row == app->setup_row;
            tui_canvas_put(&app->canvas, line, area.column, area.columns, is_here ? TUI_SELECTED : TUI_PLAIN, text);
        }
    }
    tui_scroll_end(&scroll);
}

unsigned int tui_action_setup(tui_app *app, const tui_event *event)
{
    (void)event;
    return tui_go(app, app->screen == TUI_SCREEN_SETUP ? app->back : TUI_SCREEN_SETUP);
}

unsigned int tui_action_setup_up(tui_app *app, const tui_event *event)
{
    (void)event;
    app->setup_row -= app->setup_row > 0;
    return TUI_DRAW;
}

unsigned int tui_action_setup_down(tui_app *app, const tui_event *event)
{
    (void)event;
    app->setup_row += app->setup_row + 1 < row_count;
    return TUI_DRAW;
}

static unsigned int change_theme(tui_app *app, int step)
{
    app->settings.theme = (tui_theme)(((int)app->settings.theme + step + TUI_THEME_COUNT) % TUI_THEME_COUNT);
    tui_terminal_set_theme(app->terminal, app->settings.theme);
    return TUI_DRAW | TUI_SAVE;
}

/* Where a column stands; the opposite of column_of_row(). */
static int row_of_column(const tui_settings *settings, tui_column column)
{
    int row = ROW_COLUMNS;
    while (row + 1 < row_count && column_of_row(settings, row) != column) {
        row++;
    }
    return row;
}

/* Left and right on a column move it, and the cursor with it. */
static unsigned int move_column(tui_app *app, int step)
{
    tui_column column = column_of_row(&app->settings, app->setup_row);
    if (!tui_settings_move_column(&app->settings, column, step)) {
        return 0;
    }
    app->setup_row += step;
    return TUI_DRAW | TUI_SAVE;
}

static unsigned int change(tui_app *app, int step)
{
    tui_settings *settings = &app->settings;
    switch (app->setup_row) {
    case ROW_INTERVAL:
        tui_settings_step_interval(settings, step);
        return TUI_DRAW | TUI_RATE | TUI_SAVE;
    case ROW_THEME:
        return change_theme(app, step);
    case ROW_SORT:
        settings->sort = (tui_column)(((int)settings->sort + step + TUI_COLUMN_COUNT) % TUI_COLUMN_COUNT);
        break;
    case ROW_ORDER:
        settings->is_descending = !settings->is_descending;
        break;
    case ROW_TREE:
        settings->is_tree = !settings->is_tree;
        break;
    default:
        return move_column(app, step);
    }
    return TUI_DRAW | TUI_REBUILD | TUI_SAVE;
}

unsigned int tui_action_setup_less(tui_app *app, const tui_event *event)
{
    (void)event;
    return change(app, -1);
}

unsigned int tui_action_setup_more(tui_app *app, const tui_event *event)
{
    (void)event;
    return change(app, 1);
}

unsigned int tui_action_setup_choose(tui_app *app, const tui_event *event)
{
    (void)event;
    if (app->setup_row < ROW_COLUMNS) {
        return change(app, 1);
    }
    tui_column column = column_of_row(&app->settings, app->setup_row);
    tui_settings_toggle_column(&app->settings, column);
    app->setup_row = row_of_column(&app->settings, column); /* so that the same key again takes it back */
    return TUI_DRAW | TUI_SAVE;
}

unsigned int tui_setup_click(tui_app *app, int row)
{
    for (int place = 0; place < row_count; place++) {
        if (line_of_row(place) != row - app->setup_area.row + app->scroll) {
            continue;
        }
        if (place == app->setup_row) {
            return tui_action_setup_choose(app, NULL);
        }
        app->setup_row = place;
        return TUI_DRAW;
    }
    return 0;
}
