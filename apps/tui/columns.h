/*
 * The columns of the table of processes: what each shows and how rows are ordered by it.
 */
#ifndef TUI_COLUMNS_H
#define TUI_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include <nvpulse/snapshot.h>

#include "canvas.h"

typedef enum tui_column {
#define COLUMN(name, field, title, width, rank, is_right, is_shown, sorts_down, help) TUI_COLUMN_##name,
#include "columns.def"
#undef COLUMN
    TUI_COLUMN_COUNT
} tui_column;

typedef struct tui_column_info {
    const char *name, *title;
    nvp_process_field field;
    int width; /**< 0: what is left */
    int rank;  /**< the highest leave first where there is no room */
    bool is_right, is_shown, sorts_down;
    const char *help;
} tui_column_info;

extern const tui_column_info tui_columns[TUI_COLUMN_COUNT];

/** The column with this name, or -1. */
int tui_column_find(const char *name);

/**
 * The cell of a process: a text of the process itself, or one that is written to `text`. `memory_total` is that of its device in bytes; 0
 * when it is not known.
 */
const char *tui_column_format(tui_column column, const nvp_process *process, double memory_total, char *text, size_t size);

/** How a cell stands out. */
tui_style tui_column_style(tui_column column, const nvp_process *process);

/** What a column is ordered and filtered by: a number, NaN when it is N/A, or a text for columns of texts (else NULL). */
double tui_column_number(tui_column column, const nvp_process *process, double memory_total);
const char *tui_column_text(tui_column column, const nvp_process *process);
bool tui_column_is_text(tui_column column);

#endif
