/*
 * What the user has chosen and is kept: interval, theme, order and columns of the table of processes.
 */
#ifndef TUI_SETTINGS_H
#define TUI_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alerts.h"
#include "columns.h"
#include "theme.h"

enum { TUI_INTERVAL_MIN_MS = 100, TUI_INTERVAL_MAX_MS = 3600000 };

typedef struct tui_settings {
    uint64_t interval_ms;
    tui_theme theme;
    tui_column sort;
    bool is_descending, is_tree;
    tui_column columns[TUI_COLUMN_COUNT]; /**< those that are shown, in order */
    size_t column_count;
    char alerts[TUI_ALERT_RULES_MAX][TUI_ALERT_TEXT_MAX]; /**< conditions; written by the user into the file alone */
    size_t alert_count;
    bool rings; /**< a bell when an alert begins; the same */
} tui_settings;

void tui_settings_init(tui_settings *settings);

/** The next longer (step 1) or shorter (-1) interval that is offered. */
void tui_settings_step_interval(tui_settings *settings, int step);

/** The place of a column among those that are shown; SIZE_MAX when it is not. */
size_t tui_settings_place(const tui_settings *settings, tui_column column);

/** Shows a column as the last but what takes the rest, or hides it; one always stays. */
void tui_settings_toggle_column(tui_settings *settings, tui_column column);

/** Moves a shown column by one place; false when it cannot. */
bool tui_settings_move_column(tui_settings *settings, tui_column column, int step);

#endif
