/*
 * Actions on screens: which one, how fast, where in it.
 */
#include "app.h"

unsigned int tui_action_quit(tui_app *app, const tui_event *event)
{
    (void)app;
    (void)event;
    return TUI_QUIT;
}

unsigned int tui_action_help(tui_app *app, const tui_event *event)
{
    (void)event;
    return tui_go(app, app->screen == TUI_SCREEN_HELP ? app->back : TUI_SCREEN_HELP);
}

/* One thing at a time: the screen, then the filter, the search, the choice of a GPU and of a user. */
unsigned int tui_action_back(tui_app *app, const tui_event *event)
{
    (void)event;
    if ((tui_screens[app->screen].where & TUI_IN_LIST) == 0) {
        return tui_go(app, app->back != app->screen ? app->back : TUI_SCREEN_OVERVIEW);
    }
    if (app->filter != NULL) {
        tui_filter_free(app->filter);
        app->filter = NULL;
        app->filter_text[0] = '\0';
    } else if (app->gpu >= 0) {
        app->gpu = -1;
    } else if (app->user[0] != '\0') {
        app->user[0] = '\0';
    } else {
        app->search[0] = '\0';
        return TUI_DRAW | tui_go(app, TUI_SCREEN_OVERVIEW);
    }
    return TUI_DRAW | TUI_REBUILD;
}

static unsigned int go_through_tabs(tui_app *app, int step)
{
    int screen = tui_screens[app->screen].is_in_tabs ? (int)app->screen : (int)app->back;
    do {
        screen = (screen + step + TUI_SCREEN_COUNT) % TUI_SCREEN_COUNT;
    } while (!tui_screens[screen].is_in_tabs);
    return tui_go(app, (tui_screen_id)screen);
}

unsigned int tui_action_next_screen(tui_app *app, const tui_event *event)
{
    (void)event;
    return go_through_tabs(app, 1);
}

unsigned int tui_action_previous_screen(tui_app *app, const tui_event *event)
{
    (void)event;
    return go_through_tabs(app, -1);
}

unsigned int tui_action_pause(tui_app *app, const tui_event *event)
{
    (void)event;
    app->is_paused = !app->is_paused;
    return TUI_DRAW | TUI_RATE;
}

unsigned int tui_action_slower(tui_app *app, const tui_event *event)
{
    (void)event;
    tui_settings_step_interval(&app->settings, 1);
    return TUI_DRAW | TUI_RATE | TUI_SAVE;
}

unsigned int tui_action_faster(tui_app *app, const tui_event *event)
{
    (void)event;
    tui_settings_step_interval(&app->settings, -1);
    return TUI_DRAW | TUI_RATE | TUI_SAVE;
}

unsigned int tui_action_redraw(tui_app *app, const tui_event *event)
{
    (void)event;
    tui_terminal_invalidate(app->terminal);
    return TUI_DRAW;
}

unsigned int tui_action_refresh(tui_app *app, const tui_event *event)
{
    (void)event;
    app->source->class->refresh(app->source);
    return 0;
}

unsigned int tui_action_acknowledge(tui_app *app, const tui_event *event)
{
    (void)event;
    if (!tui_alerts_acknowledge(&app->alerts)) {
        tui_say(app, TUI_NOTICE, "there is no alert");
    }
    return TUI_DRAW;
}

/* Drawing corrects what is beyond the end. */
static unsigned int scroll_to(tui_app *app, int line)
{
    app->scroll = line < 0 ? 0 : line;
    return TUI_DRAW;
}

unsigned int tui_action_scroll_up(tui_app *app, const tui_event *event)
{
    (void)event;
    return scroll_to(app, app->scroll - 1);
}

unsigned int tui_action_scroll_down(tui_app *app, const tui_event *event)
{
    (void)event;
    return scroll_to(app, app->scroll + 1);
}

unsigned int tui_action_scroll_page_up(tui_app *app, const tui_event *event)
{
    (void)event;
    return scroll_to(app, app->scroll - app->page);
}

unsigned int tui_action_scroll_page_down(tui_app *app, const tui_event *event)
{
    (void)event;
    return scroll_to(app, app->scroll + app->page);
}

unsigned int tui_action_scroll_first(tui_app *app, const tui_event *event)
{
    (void)event;
    return scroll_to(app, 0);
}

unsigned int tui_action_scroll_last(tui_app *app, const tui_event *event)
{
    (void)event;
    return scroll_to(app, 1 << 20);
}
