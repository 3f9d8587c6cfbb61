/*
 * The title never scrolls away: it says whether what is shown is simulated, paused or late.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <nvpulse/driver.h>

#include "bar.h"
#include "chrome.h"
#include "format.h"
#include "text.h"

static const char *host_text(const tui_app *app, nvp_host_field field, const char *otherwise)
{
    return app->snapshot == NULL ? otherwise : nvp_reading_text(nvp_snapshot_host(app->snapshot, field), otherwise);
}

static double host_number(const tui_app *app, nvp_host_field field)
{
    return app->snapshot == NULL ? (double)NAN : nvp_reading_number(nvp_snapshot_host(app->snapshot, field), NAN);
}

/*
 * What a recording shows is known with its first snapshot; of this machine it is known as soon as the library is found, also when a
 * driver that hangs has left it out of the snapshot.
 */
static bool is_simulated(const tui_app *app)
{
    nvp_driver_info driver = NVP_DRIVER_INFO_INIT;
    if (host_text(app, NVP_HOST_SIMULATION, NULL) != NULL || tui_is_recording(app)) {
        return host_text(app, NVP_HOST_SIMULATION, NULL) != NULL;
    }
    return nvp_driver_get_info(&driver) == NVP_SUCCESS && driver.simulated;
}

static int put_word(tui_app *app, int column, tui_style style, const char *label, const char *value)
{
    column += tui_canvas_put(&app->canvas, 0, column, app->canvas.columns - column, style, label);
    return column + tui_canvas_put(&app->canvas, 0, column, app->canvas.columns - column, style, value);
}

/* The time of what is shown, not of the clock: it stands still when the samples do. */
static void put_time(tui_app *app, int left)
{
    char text[64] = "";
    if (app->snapshot != NULL) {
        time_t seconds = (time_t)(nvp_snapshot_time_us(app->snapshot) / 1000000);
        struct tm local;
        localtime_r(&seconds, &local);
        size_t length = strftime(text, sizeof text, "%H:%M:%S ", &local);
        if (!tui_is_recording(app)) {
            snprintf(text + length, sizeof text - length, "%gs ", (double)app->settings.interval_ms / 1000);
        }
    }
    int room = app->canvas.columns - left;
    if (tui_text_width(text) < room) {
        tui_canvas_put_right(&app->canvas, 0, left, room, TUI_TITLE, text);
    }
}

static void draw_title(tui_app *app)
{
    tui_canvas_fill(&app->canvas, 0, 0, app->canvas.columns, TUI_TITLE, L' ');
    int column = 0;
    if (is_simulated(app)) { /* first, so that the narrowest screen has it */
        column = put_word(app, 0, TUI_NOTICE, "SIMULATED", "");
    }
    if (app->is_paused) {
        column = put_word(app, column > 0 ? column + 1 : 0, TUI_ALERT, "PAUSED", "");
    }
    column = put_word(app, column, TUI_TITLE, " nvpulse ", host_text(app, NVP_HOST_NAME, ""));
    column = put_word(app, column, TUI_TITLE, "  driver ", host_text(app, NVP_HOST_DRIVER_VERSION, "N/A"));
    column = put_word(app, column, TUI_TITLE, "  CUDA ", host_text(app, NVP_HOST_CUDA_VERSION, "N/A"));
    put_time(app, column);
}

static int put_gauge(tui_app *app, int column, int width, const char *label, double percent, const char *value)
{
    column += tui_canvas_put(&app->canvas, 1, column, 8, TUI_LABEL, label) + 1;
    tui_bar_draw(&app->canvas, 1, column, width, percent, tui_bar_style(percent));
    column += width + 1;
    return column + tui_canvas_put(&app->canvas, 1, column, 16, TUI_PLAIN, value) + 2;
}

static void draw_host(tui_app *app)
{
    char text[96], total[16];
    double cpu = host_number(app, NVP_HOST_CPU_PERCENT), memory = host_number(app, NVP_HOST_MEMORY_TOTAL_BYTES);
    double used = memory - host_number(app, NVP_HOST_MEMORY_AVAILABLE_BYTES);
    int width = app->canvas.columns >= 100 ? 16 : app->canvas.columns >= 70 ? 8 : 4;
    tui_format_number(cpu, 0, "%", text, sizeof text);
    int column = put_gauge(app, 1, width, "CPU", cpu, text);
    tui_format_bytes(used, text, sizeof text);
    tui_format_bytes(memory, total, sizeof total);
    strncat(text, "/", sizeof text - strlen(text) - 1);
    strncat(text, total, sizeof text - strlen(text) - 1);
    column = put_gauge(app, column, width, "MEM", used * 100 / memory, text);
    if (!isnan(host_number(app, NVP_HOST_LOAD_1M))) {
        column += tui_canvas_put(&app->canvas, 1, column, 5, TUI_LABEL, "Load ");
        column += tui_canvas_print(&app->canvas, 1, column, TUI_PLAIN, "%.2f %.2f %.2f", host_number(app, NVP_HOST_LOAD_1M),
                                   host_number(app, NVP_HOST_LOAD_5M), host_number(app, NVP_HOST_LOAD_15M));
    }
    tui_format_span(host_number(app, NVP_HOST_UPTIME_S), text, sizeof text);
    column += tui_canvas_put(&app->canvas, 1, column, 5, TUI_LABEL, "  Up ");
    tui_canvas_put(&app->canvas, 1, column, 12, TUI_PLAIN, text);
}

/* Why the picture is not the newest; nothing when it is. */
static bool draw_trouble(tui_app *app, int row)
{
    char text[256] = "";
    if (app->overdue_ms > 0) {
        snprintf(text, sizeof text, " the driver has not answered for %lld s", (long long)(app->overdue_ms / 1000));
    } else if (app->status != NVP_SUCCESS) {
        snprintf(text, sizeof text, " the GPUs cannot be asked: %s (%s); trying again", nvp_status_text(app->status),
                 nvp_status_name(app->status));
    }
    if (text[0] != '\0') {
        tui_canvas_fill(&app->canvas, row, 0, app->canvas.columns, TUI_ALERT, L' ');
        tui_canvas_put(&app->canvas, row, 0, app->canvas.columns, TUI_ALERT, text);
    }
    return text[0] != '\0';
}

/* What is wrong and was not acknowledged, as much as fits, the newest first. */
static bool draw_alerts(tui_app *app, int row)
{
    const tui_alerts *alerts = &app->alerts;
    int columns = app->canvas.columns, column = 0, left_out = 0;
    for (size_t i = alerts->count; i-- > 0;) {
        const tui_alert *alert = &alerts->alerts[i];
        char text[256];
        if (!tui_alert_is_open(alerts, alert)) {
            continue;
        }
        if (column == 0) {
            tui_canvas_fill(&app->canvas, row, 0, columns, TUI_ALERT, L' ');
        }
        text[0] = ' ';
        tui_alert_format(alerts, alert, text + 1, sizeof text - 1);
        if (column > 0 && column + tui_text_width(text) + 18 > columns) {
            left_out++;
        } else {
            column += tui_canvas_put(&app->canvas, row, column, columns - column, TUI_ALERT, text) + 1;
        }
    }
    if (left_out > 0) {
        column += tui_canvas_print(&app->canvas, row, column, TUI_ALERT, " +%d", left_out);
    }
    if (column > 0 && column + 12 <= columns) {
        tui_canvas_put_right(&app->canvas, row, column, columns - column, TUI_ALERT, "A: seen ");
    }
    return column > 0;
}

int tui_chrome_header(tui_app *app)
{
    draw_title(app);
    bool has_host = app->canvas.rows >= 12 && app->canvas.columns >= 40;
    if (has_host) {
        draw_host(app);
    }
    int lines = has_host ? 2 : 1;
    lines += draw_trouble(app, lines);
    return app->canvas.rows >= 6 ? lines + draw_alerts(app, lines) : lines;
}
