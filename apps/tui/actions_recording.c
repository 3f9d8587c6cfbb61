/*
 * Actions that wind a recording. They have keys only where one is shown.
 */
#include "app.h"

static unsigned int wind(tui_app *app, tui_seek kind, long amount)
{
    app->source->class->seek(app->source, kind, amount);
    return 0; /* the picture changes when the snapshot is there */
}

unsigned int tui_action_sample_before(tui_app *app, const tui_event *event)
{
    (void)event;
    return wind(app, TUI_SEEK_SAMPLES, -1);
}

unsigned int tui_action_sample_behind(tui_app *app, const tui_event *event)
{
    (void)event;
    return wind(app, TUI_SEEK_SAMPLES, 1);
}

unsigned int tui_action_minute_before(tui_app *app, const tui_event *event)
{
    (void)event;
    return wind(app, TUI_SEEK_SECONDS, -60);
}

unsigned int tui_action_minute_behind(tui_app *app, const tui_event *event)
{
    (void)event;
    return wind(app, TUI_SEEK_SECONDS, 60);
}

unsigned int tui_action_recording_first(tui_app *app, const tui_event *event)
{
    (void)event;
    return wind(app, TUI_SEEK_FIRST, 0);
}

unsigned int tui_action_recording_last(tui_app *app, const tui_event *event)
{
    (void)event;
    return wind(app, TUI_SEEK_LAST, 0);
}

static unsigned int change_speed(tui_app *app, double factor)
{
    app->source->class->set_speed(app->source, factor);
    return TUI_DRAW;
}

unsigned int tui_action_play_faster(tui_app *app, const tui_event *event)
{
    (void)event;
    return change_speed(app, 2);
}

unsigned int tui_action_play_slower(tui_app *app, const tui_event *event)
{
    (void)event;
    return change_speed(app, 0.5);
}
