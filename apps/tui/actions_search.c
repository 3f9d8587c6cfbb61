/*
 * Actions that look for something: a search that moves the selection while one types, a filter, a user.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "text.h"

static bool is_found(const tui_app *app, size_t place)
{
    const nvp_process *process = app->processes.rows[place].process;
    const char *command = tui_column_text(TUI_COLUMN_command, process);
    char pid[24];
    snprintf(pid, sizeof pid, "%llu", (unsigned long long)app->processes.rows[place].key.pid);
    return (command != NULL && tui_text_contains(command, app->search)) || strcmp(pid, app->search) == 0;
}

/* Selects the next match, `step` rows on at first; false when there is none. */
static bool find(tui_app *app, size_t first, size_t step)
{
    size_t count = app->processes.count;
    for (size_t i = 0; i < count; i++) {
        size_t place = (first + i * step) % count;
        if (is_found(app, place)) {
            tui_processes_select(&app->processes, place);
            return true;
        }
    }
    return false;
}

static unsigned int search_changed(tui_app *app)
{
    snprintf(app->search, sizeof app->search, "%s", app->overlay.text);
    bool is_lost = app->search[0] != '\0' && !find(app, app->processes.selected, 1);
    snprintf(app->overlay.note, sizeof app->overlay.note, "%s", is_lost ? "not found" : "");
    return TUI_DRAW;
}

/* Enter ends the search where it is, found or not. */
static unsigned int search_accepted(tui_app *app, int value)
{
    (void)value;
    app->overlay.note[0] = '\0';
    return TUI_DRAW;
}

unsigned int tui_action_search(tui_app *app, const tui_event *event)
{
    (void)event;
    tui_overlay prompt = {
        .kind = TUI_OVERLAY_PROMPT,
        .title = "Search: ",
        .changed = search_changed,
        .accepted = search_accepted,
    };
    tui_overlay_open(app, &prompt);
    return TUI_DRAW;
}

static unsigned int search_on(tui_app *app, size_t step)
{
    size_t count = app->processes.count;
    if (app->search[0] == '\0' || count == 0) {
        return 0;
    }
    if (!find(app, (app->processes.selected + step) % count, step)) {
        tui_say(app, TUI_NOTICE, "not found: %s", app->search);
    }
    return TUI_DRAW;
}

unsigned int tui_action_search_next(tui_app *app, const tui_event *event)
{
    (void)event;
    return search_on(app, 1);
}

unsigned int tui_action_search_previous(tui_app *app, const tui_event *event)
{
    (void)event;
    return search_on(app, app->processes.count > 0 ? app->processes.count - 1 : 0);
}

static void set_filter(tui_app *app, tui_filter *filter, const char *text)
{
    tui_filter_free(app->filter);
    app->filter = filter;
    snprintf(app->filter_text, sizeof app->filter_text, "%s", filter != NULL ? text : "");
}

/* A text that is not a filter yet leaves the one before in force. */
static unsigned int filter_changed(tui_app *app)
{
    size_t at;
    char message[160];
    tui_filter *filter = tui_filter_parse(app->overlay.text, message, sizeof message, &at);
    app->overlay.note[0] = '\0';
    if (message[0] != '\0') {
        snprintf(app->overlay.note, sizeof app->overlay.note, "at %zu: %s", at + 1, message);
        return TUI_DRAW;
    }
    set_filter(app, filter, app->overlay.text);
    return TUI_DRAW | TUI_REBUILD;
}

static unsigned int filter_accepted(tui_app *app, int value)
{
    (void)value;
    return filter_changed(app); /* a note keeps the prompt open */
}

/* Back to what was in force before the prompt was opened is what one expects of Esc; nothing was, or it was typed here. */
static unsigned int filter_cancelled(tui_app *app)
{
    set_filter(app, NULL, "");
    return TUI_DRAW | TUI_REBUILD;
}

unsigned int tui_action_filter(tui_app *app, const tui_event *event)
{
    (void)event;
    tui_overlay prompt = {
        .kind = TUI_OVERLAY_PROMPT,
        .title = "Filter: ",
        .changed = filter_changed,
        .accepted = filter_accepted,
        .cancelled = filter_cancelled,
    };
    snprintf(prompt.text, sizeof prompt.text, "%s", app->filter_text);
    tui_overlay_open(app, &prompt);
    return TUI_DRAW;
}

static unsigned int take_user(tui_app *app, int value)
{
    snprintf(app->user, sizeof app->user, "%s", value == 0 ? "" : app->overlay_label);
    return TUI_DRAW | TUI_REBUILD;
}

static int compare_items(const void *one, const void *other)
{
    return strcmp(((const tui_menu_item *)one)->label, ((const tui_menu_item *)other)->label);
}

static void add_user(tui_overlay *menu, const char *user)
{
    for (size_t i = 0; i < menu->item_count; i++) {
        if (strncmp(menu->items[i].label, user, TUI_MENU_LABEL_MAX - 1) == 0) {
            return;
        }
    }
    tui_menu_add(&menu->items, &menu->item_count, 1, user);
}

unsigned int tui_action_user_menu(tui_app *app, const tui_event *event)
{
    (void)event;
    tui_overlay menu = { .kind = TUI_OVERLAY_MENU, .title = "Processes of", .accepted = take_user };
    const nvp_process *process;
    if (!tui_menu_add(&menu.items, &menu.item_count, 0, "(all users)")) {
        return 0;
    }
    for (size_t i = 0; app->snapshot != NULL && (process = nvp_snapshot_process(app->snapshot, i)) != NULL; i++) {
        const char *user = nvp_reading_text(nvp_process_get(process, NVP_PROCESS_USER), NULL);
        if (user != NULL) {
            add_user(&menu, user);
        }
    }
    qsort(menu.items + 1, menu.item_count - 1, sizeof *menu.items, compare_items);
    for (size_t i = 1; i < menu.item_count; i++) {
        menu.selected = strcmp(menu.items[i].label, app->user) == 0 ? i : menu.selected;
    }
    tui_overlay_open(app, &menu);
    return TUI_DRAW;
}
