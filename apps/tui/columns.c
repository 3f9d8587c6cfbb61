/*
 * Cells are formatted only for rows that are on the screen; ordering uses plain numbers.
 */
#include <math.h>
#include <string.h>

#include "columns.h"
#include "format.h"

const tui_column_info tui_columns[TUI_COLUMN_COUNT] = {
#define COLUMN(name, field, title, width, rank, is_right, is_shown, sorts_down, help)                                            \
    { #name, title, NVP_PROCESS_##field, width, rank, is_right, is_shown, sorts_down, help },
#include "columns.def"
#undef COLUMN
};

int tui_column_find(const char *name)
{
    for (int i = 0; i < TUI_COLUMN_COUNT; i++) {
        if (strcmp(tui_columns[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static void format_gpu(const nvp_process *process, char *text, size_t size)
{
    double gpu = nvp_reading_number(nvp_process_get(process, NVP_PROCESS_GPU_INDEX), NAN);
    double mig = nvp_reading_number(nvp_process_get(process, NVP_PROCESS_MIG_INDEX), NAN);
    bool has_both = !isnan(gpu) && !isnan(mig);
    size_t length = tui_format_number(gpu, 0, has_both ? ":" : "", text, size);
    if (has_both) {
        tui_format_number(mig, 0, "", text + length, size - length);
    }
}

bool tui_column_is_text(tui_column column)
{
    return nvp_process_field_get(tui_columns[column].field)->kind == NVP_KIND_TEXT || column == TUI_COLUMN_type;
}

const char *tui_column_text(tui_column column, const nvp_process *process)
{
    const nvp_reading *reading = nvp_process_get(process, tui_columns[column].field);
    if (column == TUI_COLUMN_type) {
        return nvp_process_type_text(nvp_reading_uint(reading, 0));
    }
    const char *text = nvp_reading_text(reading, NULL);
    if (text == NULL &&
        column == TUI_COLUMN_command) { /* a kernel thread, or no longer readable: its name is better than nothing */
        text = nvp_reading_text(nvp_process_get(process, NVP_PROCESS_NAME), NULL);
    }
    return text;
}

double tui_column_number(tui_column column, const nvp_process *process, double memory_total)
{
    double number = nvp_reading_number(nvp_process_get(process, tui_columns[column].field), NAN);
    if (column == TUI_COLUMN_gpu) {
        return number * 1000 + nvp_reading_number(nvp_process_get(process, NVP_PROCESS_MIG_INDEX), -1);
    }
    if (column == TUI_COLUMN_memp) {
        return memory_total > 0 ? number * 100 / memory_total : NAN;
    }
    return number;
}

const char *tui_column_format(tui_column column, const nvp_process *process, double memory_total, char *text, size_t size)
{
    if (tui_column_is_text(column)) {
        const char *known = tui_column_text(column, process);
        return known != NULL ? known : "N/A";
    }
    double number = tui_column_number(column, process, memory_total);
    switch ((int)column) {
    case TUI_COLUMN_gpu:
        format_gpu(process, text, size);
        break;
    case TUI_COLUMN_mem:
    case TUI_COLUMN_host:
        tui_format_bytes(number, text, size);
        break;
    case TUI_COLUMN_time:
        tui_format_span(number, text, size);
        break;
    case TUI_COLUMN_cpu:
    case TUI_COLUMN_hostp:
    case TUI_COLUMN_memp:
        tui_format_number(number, number < 99.95 ? 1 : 0, "", text, size);
        break;
    default:
        tui_format_number(number, 0, "", text, size);
    }
    return text;
}

tui_style tui_column_style(tui_column column, const nvp_process *process)
{
    const nvp_reading *reading = nvp_process_get(process, tui_columns[column].field);
    if (!nvp_reading_has(reading) && column != TUI_COLUMN_command) {
        return TUI_DIM;
    }
    switch ((int)column) {
    case TUI_COLUMN_pid:
        return nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_FOREIGN), 0) != 0 ? TUI_DIM : TUI_PLAIN;
    case TUI_COLUMN_sm:
        return nvp_reading_number(reading, 0) >= 80 ? TUI_GOOD : TUI_PLAIN;
    case TUI_COLUMN_user:
    case TUI_COLUMN_type:
        return TUI_LABEL;
    default:
        return TUI_PLAIN;
    }
}
