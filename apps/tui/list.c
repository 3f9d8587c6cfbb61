/*
 * Only rows that are visible are formatted, so that ten thousand processes cost what a screenful costs.
 */
#include <stdio.h>
#include <string.h>

#include "list.h"
#include "text.h"

#define LAST_COLUMN_MIN 12

/** Where a shown column stands. */
struct placed {
    tui_column column;
    int left, width;
};

static int least_width(tui_column column)
{
    return tui_columns[column].width > 0 ? tui_columns[column].width : LAST_COLUMN_MIN;
}

/* Takes away the column of the highest rank, the last one where several have it; false when only one is left. */
static bool leave_one(tui_column *columns, size_t *count)
{
    size_t leaving = 0;
    for (size_t i = 0; i < *count; i++) {
        leaving = tui_columns[columns[i]].rank >= tui_columns[columns[leaving]].rank ? i : leaving;
    }
    if (*count <= 1) {
        return false;
    }
    memmove(columns + leaving, columns + leaving + 1, (*count - leaving - 1) * sizeof *columns);
    *count -= 1;
    return true;
}

/* Places the columns that fit; returns how many. What is left over goes to the one that takes it. */
static size_t place_columns(const tui_settings *settings, int width, struct placed *placed)
{
    tui_column columns[TUI_COLUMN_COUNT];
    size_t count = settings->column_count;
    memcpy(columns, settings->columns, count * sizeof *columns);
    int left = 0, used;
    do {
        used = (int)count - 1;
        for (size_t i = 0; i < count; i++) {
            used += least_width(columns[i]);
        }
    } while (used > width && leave_one(columns, &count));
    for (size_t i = 0; i < count; i++) {
        int spread = tui_columns[columns[i]].width == 0 && width > used ? width - used : 0;
        placed[i] = (struct placed){ columns[i], left, least_width(columns[i]) + spread };
        left += placed[i].width + 1;
    }
    return count;
}

int tui_list_column_at(const tui_app *app, int column)
{
    struct placed placed[TUI_COLUMN_COUNT];
    size_t count = place_columns(&app->settings, app->heading_area.columns, placed);
    for (size_t i = 0; i < count; i++) {
        if (column >= placed[i].left && column <= placed[i].left + placed[i].width) {
            return (int)placed[i].column;
        }
    }
    return -1;
}

static void draw_heading(tui_app *app, tui_area area, const struct placed *placed, size_t count)
{
    tui_canvas_fill(&app->canvas, area.row, area.column, area.columns, TUI_HEADING, L' ');
    for (size_t i = 0; i < count; i++) {
        const tui_column_info *info = &tui_columns[placed[i].column];
        tui_style style = placed[i].column == app->settings.sort ? TUI_SORTED : TUI_HEADING;
        int left = area.column + placed[i].left;
        tui_canvas_restyle(&app->canvas, area.row, left, placed[i].width, style);
        if (info->is_right) {
            tui_canvas_put_right(&app->canvas, area.row, left, placed[i].width, style, info->title);
        } else {
            tui_canvas_put(&app->canvas, area.row, left, placed[i].width, style, info->title);
        }
    }
}

/* The branches in front of a command; returns the columns that they take. */
static int draw_branches(tui_app *app, const tui_row *row, int line, int column, int width)
{
    bool is_ascii = app->canvas.is_ascii;
    int used = 0;
    for (unsigned int depth = 1; depth <= row->depth && used + 2 < width; depth++) {
        bool goes_on = depth <= 64 && (row->branches >> (depth - 1) & 1) != 0;
        wchar_t sign = goes_on ? (is_ascii ? L'|' : L'\x2502') : L' ';
        if (depth == row->depth) {
            sign = is_ascii ? (row->is_last ? L'`' : L'|') : row->is_last ? L'\x2514' : L'\x251c';
        }
        tui_canvas_put_character(&app->canvas, line, column + used, TUI_DIM, sign);
        wchar_t dash = depth < row->depth ? L' ' : is_ascii ? L'-' : L'\x2500';
        tui_canvas_put_character(&app->canvas, line, column + used + 1, TUI_DIM, dash);
        used += 2;
    }
    return used;
}

/* Where a command does not fit, the folder of its program is what one misses least. */
static const char *without_folder(const char *command)
{
    bool is_of_windows = command[0] != '\0' && command[1] == ':' && command[2] == '\\';
    size_t length = is_of_windows ? strlen(command) : strcspn(command, " ");
    const char *name = command;
    for (size_t i = 0; i + 1 < length && (command[0] == '/' || is_of_windows); i++) {
        name = command[i] == (is_of_windows ? '\\' : '/') ? command + i + 1 : name;
    }
    return name;
}

static void draw_cell(tui_app *app, const tui_row *row, int line, int left, const struct placed *placed)
{
    char buffer[64];
    const tui_column_info *info = &tui_columns[placed->column];
    tui_style style = row->is_tagged ? TUI_TAGGED : tui_column_style(placed->column, row->process);
    const char *text = tui_column_format(placed->column, row->process, row->memory_total, buffer, sizeof buffer);
    int width = placed->width;
    if (app->settings.is_tree && placed->column == TUI_COLUMN_command) {
        int used = draw_branches(app, row, line, left, width);
        left += used;
        width -= used;
    }
    bool is_cut = placed->column == TUI_COLUMN_command && strlen(text) > (size_t)width && tui_text_width(text) > width;
    if (info->is_right) {
        tui_canvas_put_right(&app->canvas, line, left, width, style, text);
    } else {
        tui_canvas_put(&app->canvas, line, left, width, style, is_cut ? without_folder(text) : text);
    }
}

static void draw_row(tui_app *app, size_t place, int line, tui_area area, const struct placed *placed, size_t count)
{
    const tui_row *row = &app->processes.rows[place];
    for (size_t i = 0; i < count; i++) {
        draw_cell(app, row, line, area.column + placed[i].left, &placed[i]);
    }
    if (place == app->processes.selected) {
        tui_canvas_restyle(&app->canvas, line, area.column, area.columns, TUI_SELECTED);
    }
}

/* What there is instead of rows. */
static void draw_nothing(tui_app *app, tui_area area)
{
    const char *text = "no processes";
    if (app->snapshot == NULL) {
        text = "asking the driver...";
    } else if (app->processes.total > 0) {
        text = "no process fits what was chosen; Esc shows all";
    } else if (nvp_snapshot_process_status(app->snapshot) != NVP_SUCCESS) {
        text = nvp_status_text(nvp_snapshot_process_status(app->snapshot));
    }
    tui_canvas_put(&app->canvas, area.row, area.column + 1, area.columns - 1, TUI_DIM, text);
}

/* What the rows were chosen by; nothing when there are all. Returns the lines that it takes. */
static int draw_choice(tui_app *app, tui_area area)
{
    char text[512] = "";
    size_t used = 0;
    if (app->gpu >= 0) {
        used += (size_t)snprintf(text + used, sizeof text - used, " GPU %d ", app->gpu);
    }
    if (app->user[0] != '\0') {
        used += (size_t)snprintf(text + used, sizeof text - used, " user %s ", app->user);
    }
    if (app->filter != NULL) {
        used += (size_t)snprintf(text + used, sizeof text - used, " filter %s ", app->filter_text);
    }
    if (used == 0 || area.rows < 4) {
        return 0;
    }
    snprintf(text + used, sizeof text - used, " %zu of %zu processes", app->processes.count, app->processes.total);
    tui_canvas_fill(&app->canvas, area.row, area.column, area.columns, TUI_PROMPT, L' ');
    tui_canvas_put(&app->canvas, area.row, area.column, area.columns, TUI_PROMPT, text);
    return 1;
}

void tui_list_draw(tui_app *app, tui_area area)
{
    struct placed placed[TUI_COLUMN_COUNT];
    int lines = draw_choice(app, area);
    area.row += lines;
    area.rows -= lines;
    if (area.rows <= 0) {
        return;
    }
    size_t count = place_columns(&app->settings, area.columns, placed);
    draw_heading(app, area, placed, count);
    app->heading_area = (tui_area){ area.row, area.column, 1, area.columns };
    app->list_area = (tui_area){ area.row + 1, area.column, area.rows - 1, area.columns };
    app->page = area.rows > 2 ? area.rows - 1 : 1;
    tui_processes_scroll(&app->processes, area.rows - 1);
    if (app->processes.count == 0) {
        draw_nothing(app, app->list_area);
    }
    for (int line = 0; line < area.rows - 1; line++) {
        size_t place = app->processes.top + (size_t)line;
        if (place < app->processes.count) {
            draw_row(app, place, area.row + 1 + line, area, placed, count);
        }
    }
}
