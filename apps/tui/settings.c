/*
 * What holds for a new user, and how it may be changed.
 */
#include <stdio.h>
#include <string.h>

#include "settings.h"

/* The intervals that are offered, in milliseconds. */
static const uint64_t intervals[] = {
    TUI_INTERVAL_MIN_MS, 200, 250, 500, 750, 1000, 1500, 2000, 3000, 5000, 10000, 15000, 30000, 60000, 300000,
    TUI_INTERVAL_MAX_MS,
};
static const size_t interval_count = sizeof intervals / sizeof *intervals;

void tui_settings_init(tui_settings *settings)
{
    *settings = (tui_settings){ .interval_ms = 1000, .sort = TUI_COLUMN_mem, .is_descending = true };
    for (int i = 0; i < TUI_COLUMN_COUNT; i++) {
        if (tui_columns[i].is_shown) {
            settings->columns[settings->column_count++] = (tui_column)i;
        }
    }
    for (size_t i = 0; tui_alert_defaults[i] != NULL; i++) {
        snprintf(settings->alerts[settings->alert_count++], TUI_ALERT_TEXT_MAX, "%s", tui_alert_defaults[i]);
    }
}

void tui_settings_step_interval(tui_settings *settings, int step)
{
    uint64_t nearest = settings->interval_ms;
    for (size_t i = 0; i < interval_count; i++) {
        if (step < 0 && intervals[i] < settings->interval_ms) {
            nearest = intervals[i];
        } else if (step > 0 && intervals[i] > settings->interval_ms) {
            nearest = intervals[i];
            break;
        }
    }
    settings->interval_ms = nearest;
}

size_t tui_settings_place(const tui_settings *settings, tui_column column)
{
    for (size_t i = 0; i < settings->column_count; i++) {
        if (settings->columns[i] == column) {
            return i;
        }
    }
    return SIZE_MAX;
}

void tui_settings_toggle_column(tui_settings *settings, tui_column column)
{
    size_t place = tui_settings_place(settings, column);
    tui_column *columns = settings->columns;
    if (place != SIZE_MAX && settings->column_count > 1) {
        memmove(columns + place, columns + place + 1, (settings->column_count - place - 1) * sizeof *columns);
        settings->column_count--;
    } else if (place == SIZE_MAX) {
        size_t last = settings->column_count;
        if (last > 0 && tui_columns[columns[last - 1]].width == 0) { /* that one is best at the end */
            columns[last] = columns[last - 1];
            last--;
        }
        columns[last] = column;
        settings->column_count++;
    }
}

bool tui_settings_move_column(tui_settings *settings, tui_column column, int step)
{
    size_t place = tui_settings_place(settings, column), other = place + (size_t)step;
    if (place == SIZE_MAX || other >= settings->column_count) { /* below 0 is beyond the end, too */
        return false;
    }
    settings->columns[place] = settings->columns[other];
    settings->columns[other] = column;
    return true;
}
