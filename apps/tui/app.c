/*
 * What events lead to, and how the parts of a screen are put together: a title, what the screen draws, a line of keys.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "chrome.h"
#include "gpus.h"

const tui_screen tui_screens[TUI_SCREEN_COUNT] = {
#define SCREEN(id, title, draw, where, scope, is_in_tabs) { title, tui_draw_##draw, where, TUI_SCOPE_##scope, is_in_tabs },
#include "screens.def"
#undef SCREEN
};

void tui_say(tui_app *app, tui_style style, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(app->message, sizeof app->message, format, arguments);
    va_end(arguments);
    app->message_style = style;
}

unsigned int tui_go(tui_app *app, tui_screen_id screen)
{
    if (screen == app->screen) {
        return 0;
    }
    if (tui_screens[app->screen].is_in_tabs) {
        app->back = app->screen;
    }
    app->screen = screen;
    app->scroll = 0;
    return TUI_DRAW | TUI_RATE;
}

static bool is_shown(const void *context, const nvp_device_sample *device)
{
    return tui_gpus_is_shown(context, device);
}

bool tui_is_recording(const tui_app *app)
{
    return app->source->class->seek != NULL;
}

/* Graphs and alerts begin anew, with what was before the place that was jumped to. */
static void begin_anew(tui_app *app, tui_taken *taken)
{
    tui_history_forget(app->history);
    tui_alerts_forget(&app->alerts);
    for (size_t i = 0; i < taken->before_count; i++) {
        tui_history_add(app->history, taken->before[i]);
        tui_alerts_update(&app->alerts, taken->before[i], is_shown, app);
    }
}

/* The driver was upgraded or reset meanwhile, and works again. */
static void tell_reopening(tui_app *app, const nvp_snapshot *after)
{
    const nvp_snapshot *before = app->snapshot;
    if (before == NULL || nvp_snapshot_generation(before) == nvp_snapshot_generation(after)) {
        return;
    }
    const char *now = nvp_reading_text(nvp_snapshot_host(after, NVP_HOST_DRIVER_VERSION), "N/A");
    const char *was = nvp_reading_text(nvp_snapshot_host(before, NVP_HOST_DRIVER_VERSION), "N/A");
    if (strcmp(now, was) == 0) {
        tui_say(app, TUI_NOTICE, "the driver was opened anew, version %s as before", now);
    } else {
        tui_say(app, TUI_NOTICE, "the driver was opened anew: version %s, it was %s", now, was);
    }
}

/* What is not there at first is a mistake of the command line; later it may have gone. */
static void check_request(tui_app *app)
{
    char word[80];
    if (tui_gpus_missing(app, word, sizeof word)) {
        app->result->end = TUI_END_BAD_REQUEST;
        snprintf(app->result->message, sizeof app->result->message, "--id: there is no device '%s'", word);
        app->has_ended = true;
    }
}

unsigned int tui_take_snapshot(tui_app *app, tui_taken *taken)
{
    bool is_first = app->snapshot == NULL;
    if (!taken->is_jump) {
        tell_reopening(app, taken->snapshot);
    }
    nvp_snapshot_free(app->snapshot);
    app->snapshot = taken->snapshot;
    if (is_first) {
        check_request(app);
    }
    if (taken->is_jump) {
        begin_anew(app, taken);
    }
    for (size_t i = 0; i < taken->before_count; i++) {
        nvp_snapshot_free(taken->before[i]);
    }
    free(taken->before);
    taken->before = NULL;
    tui_rebuild(app); /* now: the old rows point into what has gone, and a key may come before the next picture */
    tui_history_add(app->history, app->snapshot);
    tui_names_learn(&app->names, app->snapshot);
    bool has_news = tui_alerts_update(&app->alerts, app->snapshot, is_shown, app);
    bool rings = app->request->rings || app->settings.rings;
    return TUI_DRAW | (has_news && rings ? TUI_BELL : 0u);
}

void tui_rebuild(tui_app *app)
{
    if (app->snapshot == NULL) {
        return;
    }
    tui_choice choice = {
        .sort = app->settings.sort,
        .is_descending = app->settings.is_descending,
        .is_tree = app->settings.is_tree,
        .user = app->user,
        .gpu = app->gpu,
        .filter = app->filter,
        .is_shown = app->request->gpus != NULL ? is_shown : NULL,
        .context = app,
    };
    if (!tui_processes_build(&app->processes, app->snapshot, &choice)) {
        tui_say(app, TUI_ALERT, "out of memory: the list of processes is not complete");
    }
}

unsigned int tui_dispatch(tui_app *app, const tui_event *event)
{
    unsigned int flags = 0;
    if (app->message[0] != '\0') {
        app->message[0] = '\0';
        flags = TUI_DRAW;
    }
    if (app->overlay.kind != TUI_OVERLAY_NONE) {
        return flags | tui_overlay_event(app, event);
    }
    if (event->key == TUI_KEY_CLICK || event->key == TUI_KEY_WHEEL_UP || event->key == TUI_KEY_WHEEL_DOWN) {
        return flags | tui_action_mouse(app, event);
    }
    unsigned int where = tui_screens[app->screen].where;
    bool winds = tui_is_recording(app) && (where & (TUI_IN_LIST | TUI_IN_DEVICE | TUI_IN_PROCESS)) != 0;
    tui_action *action = winds ? tui_keys_find(TUI_IN_FILE, event->key) : NULL;
    action = action != NULL ? action : tui_keys_find(where, event->key);
    flags |= action != NULL ? action(app, event) : 0;
    bool is_digit = event->key >= '0' && event->key <= '9';
    app->digits = is_digit ? app->digits : -1;
    return flags;
}

void tui_draw(tui_app *app, int *cursor_row, int *cursor_column)
{
    int rows = app->canvas.rows, columns = app->canvas.columns;
    int top = tui_chrome_header(app), bottom = tui_chrome_footer(app);
    tui_area area = { top, 0, rows - top - bottom > 0 ? rows - top - bottom : 0, columns };
    app->page = area.rows > 1 ? area.rows : 1;
    app->list_area = app->heading_area = app->gpus_area = app->setup_area = (tui_area){ 0, 0, 0, 0 };
    tui_screens[app->screen].draw(app, area);
    tui_overlay_draw(app, cursor_row, cursor_column);
}
