/*
 * The environment of a process as it was when it was asked for, in the order of its names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "environment.h"

static int compare(const void *one, const void *other)
{
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

static size_t count_variables(const tui_app *app)
{
    size_t count = 0;
    for (size_t at = 0; at < app->environment_length; at += strlen(app->environment + at) + 1) {
        count++;
    }
    return count;
}

static void draw_variable(tui_scroll *scroll, const char *variable)
{
    int row = tui_scroll_row(scroll), name = (int)strcspn(variable, "=");
    char text[256];
    if (row < 0) {
        return;
    }
    snprintf(text, sizeof text, "%.*s", name, variable);
    const tui_area *area = &scroll->area;
    int used = tui_canvas_put(&scroll->app->canvas, row, area->column + 1, area->columns - 1, TUI_LABEL, text) + 1;
    tui_canvas_put(&scroll->app->canvas, row, area->column + used, area->columns - used, TUI_PLAIN, variable + name);
}

void tui_environment_draw(tui_scroll *scroll)
{
    const tui_app *app = scroll->app;
    size_t count = count_variables(app), next = 0;
    const char **variables = reallocarray(NULL, count + 1, sizeof *variables);
    for (size_t at = 0; variables != NULL && at < app->environment_length; at += strlen(app->environment + at) + 1) {
        variables[next++] = app->environment + at;
    }
    if (next > 1) {
        qsort(variables, next, sizeof *variables, compare);
    }
    for (size_t i = 0; i < next; i++) {
        draw_variable(scroll, variables[i]);
    }
    if (next == 0) {
        tui_scroll_line(scroll, TUI_DIM, " it is empty");
    }
    free(variables);
}
