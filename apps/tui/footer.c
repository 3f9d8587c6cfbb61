/*
 * The line of keys, or what there is to say instead of it, and where a recording stands.
 */
#include <stdio.h>
#include <time.h>

#include "bar.h"
#include "chrome.h"
#include "text.h"

/* The line of keys, as htop has it. */
static const struct {
    const char *name, *text, *text_in_tree;
    int key, rank;      /* where they do not fit, the highest leave first */
    unsigned int where; /* screens that say so */
} buttons[] = {
    { "F1", "Help", NULL, TUI_KEY_F0 + 1, 1, TUI_IN_ALL },
    { "F2", "Setup", NULL, TUI_KEY_F0 + 2, 5, TUI_IN_ALL },
    { "F3", "Search", NULL, TUI_KEY_F0 + 3, 4, TUI_IN_LIST },
    { "F4", "Filter", NULL, TUI_KEY_F0 + 4, 3, TUI_IN_LIST },
    { "F5", "Tree", "List", TUI_KEY_F0 + 5, 7, TUI_IN_LIST },
    { "F6", "Sort", NULL, TUI_KEY_F0 + 6, 2, TUI_IN_LIST },
    { "F9", "Kill", NULL, TUI_KEY_F0 + 9, 6, TUI_IN_LIST },
    { "Enter", "More", NULL, TUI_KEY_ENTER, 8, TUI_IN_LIST },
    { "Esc", "Back", NULL, TUI_KEY_ESCAPE, 2, TUI_IN_ALL & ~TUI_IN_LIST },
    { "Tab", "Next", NULL, TUI_KEY_TAB, 9, TUI_IN_ALL },
    { "F10", "Quit", NULL, TUI_KEY_F0 + 10, 0, TUI_IN_ALL },
};

enum { BUTTON_COUNT = sizeof buttons / sizeof *buttons };

static bool has_button(const tui_app *app, size_t button)
{
    unsigned int where = tui_screens[app->screen].where & buttons[button].where;
    bool is_signal = buttons[button].key == TUI_KEY_F0 + 9;
    if (is_signal && (app->request->is_readonly || tui_is_recording(app))) { /* it would only say that there is none */
        return false;
    }
    return where != 0 && tui_keys_find(where, buttons[button].key) != NULL;
}

static const char *button_text(const tui_app *app, size_t button)
{
    return app->settings.is_tree && buttons[button].text_in_tree != NULL ? buttons[button].text_in_tree : buttons[button].text;
}

/* The columns of each button; 0 for one that is not there: those that matter more have taken the room, the blank behind the last one apart. */
static void find_widths(const tui_app *app, int widths[BUTTON_COUNT])
{
    int full[BUTTON_COUNT];
    for (size_t i = 0; i < BUTTON_COUNT; i++) {
        bool is_there = has_button(app, i);
        full[i] = is_there ? tui_text_width(buttons[i].name) + tui_text_width(button_text(app, i)) + 1 : 0;
    }
    for (size_t i = 0; i < BUTTON_COUNT; i++) {
        int taken = full[i];
        for (size_t other = 0; other < BUTTON_COUNT; other++) {
            taken += buttons[other].rank < buttons[i].rank ? full[other] : 0;
        }
        widths[i] = taken - 1 <= app->canvas.columns ? full[i] : 0;
    }
}

int tui_chrome_key_at(const tui_app *app, int column)
{
    int left = app->footer_area.column, widths[BUTTON_COUNT];
    find_widths(app, widths);
    for (size_t i = 0; i < BUTTON_COUNT; i++) {
        if (column >= left && column < left + widths[i]) {
            return buttons[i].key;
        }
        left += widths[i];
    }
    return TUI_KEY_NONE;
}

static void draw_buttons(tui_app *app, int row)
{
    int column = 0, widths[BUTTON_COUNT];
    app->footer_area = (tui_area){ row, 0, 1, app->canvas.columns };
    tui_canvas_fill(&app->canvas, row, 0, app->canvas.columns, TUI_KEY_TEXT, L' ');
    find_widths(app, widths);
    for (size_t i = 0; i < BUTTON_COUNT; i++) {
        int name = tui_text_width(buttons[i].name), width = widths[i];
        if (width == 0) {
            continue;
        }
        tui_canvas_put(&app->canvas, row, column, name, TUI_KEY, buttons[i].name);
        tui_canvas_put(&app->canvas, row, column + name, width - name, TUI_KEY_TEXT, button_text(app, i));
        column += width;
    }
}

/* Where a recording stands: a line with its place, its time and a bar. */
static void draw_position(tui_app *app, int row)
{
    char text[160], when[32];
    const tui_position *position = &app->position;
    time_t seconds = (time_t)(position->time_us / 1000000);
    struct tm local;
    localtime_r(&seconds, &local);
    strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &local);
    bool is_at_end = position->at + 1 >= position->count;
    snprintf(text, sizeof text, " %s x%g  %zu/%zu%s  %s ",
             app->is_paused ? "stopped"
             : is_at_end    ? "follows"
                            : "plays",
             position->speed, position->at + 1, position->count, position->share < 1 ? "+" : "", when);
    tui_canvas_fill(&app->canvas, row, 0, app->canvas.columns, TUI_PLAIN, L' ');
    int used = tui_canvas_put(&app->canvas, row, 0, app->canvas.columns, TUI_NOTICE, text) + 1;
    double share = position->count > 1 ? (double)position->at * 100 / (double)(position->count - 1) : 100;
    if (app->canvas.columns - used > 8) {
        tui_bar_draw(&app->canvas, row, used, app->canvas.columns - used - 1, share, TUI_GOOD);
    }
}

int tui_chrome_footer(tui_app *app)
{
    int row = app->canvas.rows - 1;
    if (app->canvas.rows < 3) {
        app->footer_area = (tui_area){ 0, 0, 0, 0 };
        return 0;
    }
    if (app->message[0] != '\0') {
        app->footer_area = (tui_area){ 0, 0, 0, 0 };
        tui_canvas_fill(&app->canvas, row, 0, app->canvas.columns, app->message_style, L' ');
        tui_canvas_put(&app->canvas, row, 0, app->canvas.columns, app->message_style, app->message);
    } else {
        draw_buttons(app, row);
    }
    if (!tui_is_recording(app) || app->canvas.rows < 5) {
        return 1;
    }
    app->position = app->source->class->position(app->source);
    draw_position(app, row - 1);
    return 2;
}
