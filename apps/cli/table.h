/*
 * A table for a terminal: columns as wide as their data, and on a narrow terminal first less air between them,
 * then fewer of them, then shorter texts. Knows nothing of what it shows.
 */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <nvpulse/base.h>

#include "terminal.h"

/** The most columns of one table. */
#define CLI_COLUMNS_MAX 32

typedef struct cli_column {
    const char *title;
    enum { CLI_LEFT, CLI_RIGHT } side;
    unsigned int leaves; /**< 0: stays; otherwise its turn to leave when the table is too wide, 1 first */
    size_t least;        /**< its texts may be shortened to this width; 0: not at all */
    bool has_folders;    /**< they begin with a path, whose folder is left out first */
} cli_column;

typedef struct cli_cell {
    char *text; /**< clean */
    cli_style style;
} cli_cell;

/** Rows of cells. Start from CLI_TABLE_INIT(columns, count); end with cli_table_free(). */
typedef struct cli_table {
    const cli_column *columns;
    size_t column_count;
    cli_cell *cells; /**< row after row; a cell without a text is covered by the one on its left */
    size_t cell_count, capacity;
    bool utf8;
    bool failed; /**< memory ran out: cli_table_print() says so */
} cli_table;

#define CLI_TABLE_INIT(columns, terminal)                                                                                        \
    {                                                                                                                            \
        (columns), sizeof(columns) / sizeof *(columns), NULL, 0, 0, (terminal)->utf8, false                                      \
    }

/** Appends a cell to the last row, or to a new one when that is full. The text is copied and made harmless. */
void cli_table_add(cli_table *table, cli_style style, const char *text);
void cli_table_addf(cli_table *table, cli_style style, const char *format, ...) NVP_PRINTF(3, 4);

/** Ends the row: its last cell covers the columns that are left. */
void cli_table_end_row(cli_table *table);

/** Prints titles, a rule and the rows; false when memory ran out. */
bool cli_table_print(const cli_table *table, const cli_terminal *terminal, FILE *out);

void cli_table_free(cli_table *table);

#endif
