/*
 * What holds for a new user.
 */
#include "settings.h"

void tui_settings_init(tui_settings *settings)
{
    *settings = (tui_settings){ .interval_ms = 1000, .sort = TUI_COLUMN_mem, .is_descending = true };
    for (int i = 0; i < TUI_COLUMN_COUNT; i++) {
        if (tui_columns[i].is_shown) {
            settings->columns[settings->column_count++] = (tui_column)i;
        }
    }
}
