/*
 * The environment of a process alone.
 */
#include <stdio.h>

#include "environment.h"

void tui_draw_environment(tui_app *app, tui_area area)
{
    tui_scroll scroll = tui_scroll_begin(app, area);
    char title[64];
    snprintf(title, sizeof title, "Environment of process %llu", (unsigned long long)app->detail.pid);
    tui_scroll_line(&scroll, TUI_STRONG, title);
    tui_environment_draw(&scroll);
    tui_scroll_end(&scroll);
}
