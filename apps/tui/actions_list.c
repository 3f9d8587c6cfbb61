/*
 * Actions on the table of processes: moving, ordering, choosing.
 */
#include <stdio.h>
#include <string.h>

#include "app.h"

unsigned int tui_action_up(tui_app *app, const tui_event *event)
{
    (void)event;
    tui_processes_move(&app->processes, -1);
    return TUI_DRAW;
}

unsigned int tui_action_down(tui_app *app, const tui_event *event)
{
    (void)event;
    tui_processes_move(&app->processes, 1);
    return TUI_DRAW;
}

unsigned int tui_action_page_up(tui_app *app, const tui_event *event)
{
    (void)event;
    tui_processes_move(&app->processes, -(long)app->page);
    return TUI_DRAW;
}

unsigned int tui_action_page_down(tui_app *app, const tui_event *event)
{
    (void)event;
    tui_processes_move(&app->processes, app->page);
    return TUI_DRAW;
}

unsigned int tui_action_first(tui_app *app, const tui_event *event)
{
    (void)event;
    tui_processes_select(&app->processes, 0);
    return TUI_DRAW;
}

unsigned int tui_action_last(tui_app *app, const tui_event *event)
{
    (void)event;
    tui_processes_select(&app->processes, SIZE_MAX);
    return TUI_DRAW;
}

static bool has_gpu(const tui_app *app, int gpu)
{
    const nvp_device_sample *device;
    for (size_t i = 0; app->snapshot != NULL && (device = nvp_snapshot_device(app->snapshot, i)) != NULL; i++) {
        if (device->index == (unsigned int)gpu) {
            return true;
        }
    }
    return false;
}

/* Digits in a row make a number, when there is such a GPU. */
unsigned int tui_action_choose_gpu(tui_app *app, const tui_event *event)
{
    int digit = event->key - '0', longer = app->digits * 10 + digit;
    int gpu = app->digits > 0 && longer < 10000 && has_gpu(app, longer) ? longer : digit;
    if (!has_gpu(app, gpu)) {
        app->digits = -1;
        tui_say(app, TUI_NOTICE, "there is no GPU %d", gpu);
        return TUI_DRAW;
    }
    app->gpu = gpu == app->gpu ? -1 : gpu;
    app->digits = gpu;
    return TUI_DRAW | TUI_REBUILD;
}

unsigned int tui_action_all_gpus(tui_app *app, const tui_event *event)
{
    (void)event;
    app->gpu = -1;
    return TUI_DRAW | TUI_REBUILD;
}

static unsigned int sort_by(tui_app *app, tui_column column)
{
    app->settings.sort = column;
    app->settings.is_descending = tui_columns[column].sorts_down;
    app->settings.is_tree = false;
    return TUI_DRAW | TUI_REBUILD | TUI_SAVE;
}

static unsigned int sort_beside(tui_app *app, int step)
{
    const tui_settings *settings = &app->settings;
    for (size_t i = 0; i < settings->column_count; i++) {
        if (settings->columns[i] == settings->sort) {
            size_t place = (i + settings->column_count + (size_t)step) % settings->column_count;
            return sort_by(app, settings->columns[place]);
        }
    }
    return sort_by(app, settings->columns[0]);
}

unsigned int tui_action_sort_left(tui_app *app, const tui_event *event)
{
    (void)event;
    return sort_beside(app, -1);
}

unsigned int tui_action_sort_right(tui_app *app, const tui_event *event)
{
    (void)event;
    return sort_beside(app, 1);
}

unsigned int tui_action_sort_cpu(tui_app *app, const tui_event *event)
{
    (void)event;
    return sort_by(app, TUI_COLUMN_cpu);
}

unsigned int tui_action_sort_memory(tui_app *app, const tui_event *event)
{
    (void)event;
    return sort_by(app, TUI_COLUMN_mem);
}

unsigned int tui_action_sort_sm(tui_app *app, const tui_event *event)
{
    (void)event;
    return sort_by(app, TUI_COLUMN_sm);
}

unsigned int tui_action_sort_time(tui_app *app, const tui_event *event)
{
    (void)event;
    return sort_by(app, TUI_COLUMN_time);
}

unsigned int tui_action_invert(tui_app *app, const tui_event *event)
{
    (void)event;
    app->settings.is_descending = !app->settings.is_descending;
    return TUI_DRAW | TUI_REBUILD | TUI_SAVE;
}

unsigned int tui_action_tree(tui_app *app, const tui_event *event)
{
    (void)event;
    app->settings.is_tree = !app->settings.is_tree;
    return TUI_DRAW | TUI_REBUILD | TUI_SAVE;
}

unsigned int tui_action_tag(tui_app *app, const tui_event *event)
{
    (void)event;
    tui_processes_toggle_tag(&app->processes);
    tui_processes_move(&app->processes, 1);
    return TUI_DRAW | TUI_REBUILD;
}

unsigned int tui_action_untag_all(tui_app *app, const tui_event *event)
{
    (void)event;
    tui_processes_untag_all(&app->processes);
    return TUI_DRAW | TUI_REBUILD;
}

static unsigned int take_order(tui_app *app, int column)
{
    return sort_by(app, (tui_column)column);
}

unsigned int tui_action_sort_menu(tui_app *app, const tui_event *event)
{
    (void)event;
    tui_overlay menu = { .kind = TUI_OVERLAY_MENU, .title = "Sort by", .accepted = take_order };
    for (int i = 0; i < TUI_COLUMN_COUNT; i++) {
        menu.selected = i == (int)app->settings.sort ? menu.item_count : menu.selected;
        tui_menu_add(&menu.items, &menu.item_count, i, tui_columns[i].title);
    }
    if (menu.item_count > 0) {
        tui_overlay_open(app, &menu);
    }
    return TUI_DRAW;
}
