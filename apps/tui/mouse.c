/*
 * The mouse: a row is selected, a second click on it opens it, a GPU shows its processes, a heading sets the order, the line of keys presses
 * a key, the wheel scrolls.
 */
#include "app.h"
#include "chrome.h"
#include "gpus.h"
#include "list.h"

static bool is_inside(const tui_area *area, const tui_event *event)
{
    return event->row >= area->row && event->row < area->row + area->rows && event->column >= area->column &&
           event->column < area->column + area->columns;
}

static unsigned int press(tui_app *app, int key)
{
    tui_event event = { key, 0, 0 };
    return key == TUI_KEY_NONE ? 0 : tui_dispatch(app, &event);
}

static unsigned int click_row(tui_app *app, const tui_event *event)
{
    size_t place = app->processes.top + (size_t)(event->row - app->list_area.row);
    if (place >= app->processes.count) {
        return 0;
    }
    if (place == app->processes.selected && app->processes.has_moved) {
        return press(app, TUI_KEY_ENTER);
    }
    tui_processes_select(&app->processes, place);
    return TUI_DRAW;
}

static unsigned int click_heading(tui_app *app, const tui_event *event)
{
    int column = tui_list_column_at(app, event->column);
    if (column < 0) {
        return 0;
    }
    bool is_again = app->settings.sort == (tui_column)column;
    app->settings.is_descending = is_again ? !app->settings.is_descending : tui_columns[column].sorts_down;
    app->settings.sort = (tui_column)column;
    return TUI_DRAW | TUI_REBUILD | TUI_SAVE;
}

static unsigned int click_gpu(tui_app *app, const tui_event *event)
{
    int gpu = tui_gpus_at(app, event->row, event->column);
    if (gpu < 0) {
        return 0;
    }
    app->gpu = gpu == app->gpu ? -1 : gpu;
    return TUI_DRAW | TUI_REBUILD;
}

/* Three lines, as terminals do; in the setup the cursor goes, which the lines follow. */
static unsigned int turn_wheel(tui_app *app, int direction)
{
    int step = 3 * direction;
    if ((tui_screens[app->screen].where & TUI_IN_LIST) != 0) {
        tui_processes_move(&app->processes, step);
    } else if (tui_screens[app->screen].where == TUI_IN_SETUP) {
        return direction < 0 ? tui_action_setup_up(app, NULL) : tui_action_setup_down(app, NULL);
    } else {
        app->scroll = app->scroll + step < 0 ? 0 : app->scroll + step;
    }
    return TUI_DRAW;
}

unsigned int tui_action_mouse(tui_app *app, const tui_event *event)
{
    if (event->key != TUI_KEY_CLICK) {
        return turn_wheel(app, event->key == TUI_KEY_WHEEL_UP ? -1 : 1);
    }
    if (is_inside(&app->footer_area, event)) {
        return press(app, tui_chrome_key_at(app, event->column));
    }
    if (is_inside(&app->heading_area, event)) {
        return click_heading(app, event);
    }
    if (is_inside(&app->setup_area, event)) {
        return tui_setup_click(app, event->row);
    }
    return is_inside(&app->list_area, event)   ? click_row(app, event)
           : is_inside(&app->gpus_area, event) ? click_gpu(app, event)
                                               : 0;
}
