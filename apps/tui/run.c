/*
 * Puts the parts together and takes them apart, in the order that leaves the terminal as it was in every case.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <text/text.h>

#include "app.h"
#include "config.h"
#include "memory.h"
#include "signals.h"

/** How long the source is waited for; the limit of leaving ends the process before that. */
#define CLOSE_LIMIT_MS 3000

static void fail(tui_result *result, tui_end end, const char *message)
{
    result->end = end;
    if (message != NULL) { /* else it says why already */
        snprintf(result->message, sizeof result->message, "%s", message);
    }
}

/* The conditions of the settings, and those of the command line. */
static bool prepare_alerts(tui_app *app)
{
    const tui_request *request = app->request;
    char message[200] = "";
    for (size_t i = 0; i < app->settings.alert_count; i++) {
        tui_alerts_add(&app->alerts, app->settings.alerts[i], message, sizeof message);
    }
    for (size_t i = 0; i < request->alert_count; i++) {
        if (!tui_alerts_add(&app->alerts, request->alerts[i], message, sizeof message)) {
            app->result->end = TUI_END_BAD_REQUEST;
            snprintf(app->result->message, sizeof app->result->message, "--alert: %s", message);
            return false;
        }
    }
    return true;
}

static tui_source *open_source(const tui_app *app)
{
    const char *file = app->request->file;
    if (file != NULL) {
        return tui_source_file_open(file, app->result->message, sizeof app->result->message);
    }
    nvp_metric metrics[TUI_ALERT_METRICS_MAX];
    size_t count = tui_alerts_metrics(&app->alerts, metrics, TUI_ALERT_METRICS_MAX);
    return tui_source_live_open(app->settings.interval_ms, metrics, count);
}

static bool prepare(tui_app *app)
{
    const tui_request *request = app->request;
    char message[200];
    tui_settings_init(&app->settings);
    if (!tui_config_load(&app->settings, message, sizeof message)) {
        tui_say(app, TUI_ALERT, "%s; the settings of a new user are used", message);
    }
    if (request->interval_ms > 0) {
        app->settings.interval_ms = request->interval_ms;
    }
    int theme = request->theme == NULL ? -1 : tui_theme_find(request->theme);
    if (theme >= 0) {
        app->settings.theme = (tui_theme)theme;
    }
    snprintf(app->user, sizeof app->user, "%s", request->user != NULL ? request->user : "");
    app->gpu = app->digits = -1;
    app->canvas.is_ascii = request->is_ascii || !text_locale_is_utf8();
    app->graph = tui_graph_kind_for(app->canvas.is_ascii, getenv("TERM"));
    app->history = tui_history_new();
    app->keeper = tui_keeper_new(request);
    if (!prepare_alerts(app)) {
        return false;
    }
    app->source = open_source(app);
    if (app->history == NULL || app->keeper == NULL || app->source == NULL) {
        bool is_explained = app->result->message[0] != '\0';
        fail(app->result, TUI_END_FAILED, is_explained ? NULL : "out of memory");
        return false;
    }
    return true;
}

/* Says what `top --once` says: the second sample, since rates need two. */
static void print_once(tui_app *app, FILE *out)
{
    int samples = 0, rows = 24, columns = 80, cursor_row, cursor_column;
    const char *lines = getenv("LINES"), *width = getenv("COLUMNS");
    rows = lines != NULL && strtol(lines, NULL, 10) > 0 ? (int)strtol(lines, NULL, 10) : rows;
    columns = width != NULL && strtol(width, NULL, 10) > 0 ? (int)strtol(width, NULL, 10) : columns;
    while (samples < 2) {
        struct pollfd watched = { .fd = app->source->fd, .events = POLLIN };
        tui_taken taken = { .status = NVP_SUCCESS };
        int wait_ms;
        app->source->class->overdue_ms(app->source, &wait_ms);
        poll(&watched, 1, wait_ms);
        if (!app->source->class->take(app->source, &taken)) {
            continue;
        }
        if (taken.snapshot == NULL) {
            app->result->end = TUI_END_NO_DRIVER;
            app->result->status = taken.status;
            return;
        }
        tui_take_snapshot(app, &taken);
        if (app->has_ended) {
            return;
        }
        samples += tui_is_recording(app) ? 2 : 1;
        app->source->class->refresh(app->source);
    }
    if (tui_canvas_resize(&app->canvas, rows < 1000 ? rows : 1000, columns < 1000 ? columns : 1000)) {
        tui_draw(app, &cursor_row, &cursor_column);
        tui_canvas_write(&app->canvas, out);
    }
}

static void interact(tui_app *app)
{
    char message[160];
    app->terminal = tui_terminal_open(app->request->color, message, sizeof message);
    if (app->terminal == NULL) {
        fail(app->result, TUI_END_NO_TERMINAL, message);
        return;
    }
    tui_terminal_set_theme(app->terminal, app->settings.theme);
    tui_loop(app);
    tui_terminal_close(app->terminal);
    app->terminal = NULL;
}

static void discard(tui_app *app)
{
    /* Whatever is stuck in the driver, now or when the process ends, does not keep the user here. */
    char message[200];
    bool is_left_in_peace = app->result->end == TUI_END_LEFT && !app->request->is_once;
    bool is_kept = tui_keeper_close(app->keeper, app->request->exit_limit_ms, message, sizeof message);
    if (is_left_in_peace) {
        if (!is_kept && app->request->tell != NULL) {
            app->request->tell(message); /* now: there may be nothing behind what follows */
        }
        tui_signals_end_within(app->request->exit_limit_ms, 0);
    }
    if (app->source != NULL) {
        app->source->class->close(app->source, CLOSE_LIMIT_MS); /* when it is stuck, it is left behind */
    }
    tui_overlay_close(app);
    tui_filter_free(app->filter);
    tui_targets_free(&app->targets);
    free(app->environment);
    tui_processes_free(&app->processes);
    tui_history_free(app->history);
    tui_alerts_free(&app->alerts);
    tui_names_free(&app->names);
    tui_canvas_free(&app->canvas);
    nvp_snapshot_free(app->detail_snapshot);
    nvp_snapshot_free(app->snapshot);
}

void tui_run(const tui_request *request, FILE *out, tui_result *result)
{
    tui_app app = { .request = request, .result = result };
    *result = (tui_result){ .end = TUI_END_LEFT };
    if (!request->is_once) {
        tui_memory_prepare();
        tui_signals_block();
    }
    if (prepare(&app)) {
        if (request->is_once) {
            print_once(&app, out);
        } else {
            interact(&app);
        }
    }
    discard(&app);
    if (!request->is_once) {
        tui_signals_restore();
    }
}
