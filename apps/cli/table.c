/*
 * The cells of a table: kept row after row, made harmless when they come in. Prints nothing.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include "table.h"
#include "text.h"

static bool has_room(cli_table *table)
{
    if (table->cell_count < table->capacity) {
        return true;
    }
    size_t capacity = table->capacity == 0 ? 128 : table->capacity * 2;
    if (capacity > SIZE_MAX / sizeof *table->cells) {
        return false;
    }
    cli_cell *cells = realloc(table->cells, capacity * sizeof *cells);
    if (cells == NULL) {
        return false;
    }
    table->cells = cells;
    table->capacity = capacity;
    return true;
}

static void append(cli_table *table, cli_style style, char *clean)
{
    if (!has_room(table)) {
        free(clean);
        table->failed = true;
        return;
    }
    table->cells[table->cell_count++] = (cli_cell){ clean, style };
}

void cli_table_add(cli_table *table, cli_style style, const char *text)
{
    char *clean = cli_text_clean(text, table->utf8);
    if (clean == NULL) {
        table->failed = true;
    } else {
        append(table, style, clean);
    }
}

void cli_table_addf(cli_table *table, cli_style style, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cli_table_add(table, style, text);
}

void cli_table_end_row(cli_table *table)
{
    while (!table->failed && table->cell_count % table->column_count != 0) {
        append(table, CLI_PLAIN, NULL);
    }
}

void cli_table_free(cli_table *table)
{
    for (size_t i = 0; i < table->cell_count; i++) {
        free(table->cells[i].text);
    }
    free(table->cells);
    table->cells = NULL;
    table->cell_count = table->capacity = 0;
}
