/*
 * Lays a table out and prints it. Widths are computed from the cells that do not cover others; the covering ones (a lost
 * GPU's word) take what there is. Survives any width, 0 (no limit) and 1 included.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"
#include "text.h"

/** What was decided for one printing. */
struct layout {
    size_t widths[CLI_COLUMNS_MAX];
    bool shown[CLI_COLUMNS_MAX];
    bool airy; /**< spaces beside the lines between columns */
};

/* How many columns the cell at `index` takes. */
static size_t columns_covered(const cli_table *table, size_t index)
{
    size_t covered = 1;
    while ((index + covered) % table->column_count != 0 && index + covered < table->cell_count &&
           table->cells[index + covered].text == NULL) {
        covered++;
    }
    return covered;
}

static void measure(const cli_table *table, struct layout *layout)
{
    for (size_t column = 0; column < table->column_count; column++) {
        layout->widths[column] = cli_text_width(table->columns[column].title);
        layout->shown[column] = true;
    }
    for (size_t i = 0; i < table->cell_count; i++) {
        if (table->cells[i].text == NULL || columns_covered(table, i) > 1) {
            continue;
        }
        size_t width = cli_text_width(table->cells[i].text);
        size_t *widest = &layout->widths[i % table->column_count];
        *widest = width > *widest ? width : *widest;
    }
}

static size_t least_width(const cli_column *column, size_t width)
{
    return column->least != 0 && column->least < width ? column->least : width;
}

/* The width of a line; with `shortened`, with all columns as narrow as they may be. */
static size_t line_width(const cli_table *table, const struct layout *layout, bool shortened)
{
    size_t width = 0, shown = 0;
    for (size_t column = 0; column < table->column_count; column++) {
        if (!layout->shown[column]) {
            continue;
        }
        size_t full = layout->widths[column];
        width += shortened ? least_width(&table->columns[column], full) : full;
        shown++;
    }
    return shown == 0 ? 0 : width + (shown - 1) * (layout->airy ? 3 : 1);
}

/* Takes out the column whose turn it is; false when all that are left stay. */
static bool drop_a_column(const cli_table *table, struct layout *layout)
{
    size_t first = table->column_count;
    for (size_t column = 0; column < table->column_count; column++) {
        unsigned int turn = table->columns[column].leaves;
        if (layout->shown[column] && turn != 0 && (first == table->column_count || turn < table->columns[first].leaves)) {
            first = column;
        }
    }
    if (first == table->column_count) {
        return false;
    }
    layout->shown[first] = false;
    return true;
}

static void shorten_columns(const cli_table *table, struct layout *layout, size_t limit)
{
    for (size_t column = 0; column < table->column_count; column++) {
        size_t width = line_width(table, layout, false);
        if (width <= limit) {
            return;
        }
        if (!layout->shown[column]) {
            continue;
        }
        size_t excess = width - limit;
        size_t spare = layout->widths[column] - least_width(&table->columns[column], layout->widths[column]);
        layout->widths[column] -= excess < spare ? excess : spare;
    }
}

static void fit(const cli_table *table, struct layout *layout, size_t limit)
{
    layout->airy = true;
    if (limit == 0 || line_width(table, layout, false) <= limit) {
        return;
    }
    layout->airy = false;
    while (line_width(table, layout, true) > limit && drop_a_column(table, layout)) {
        ;
    }
    shorten_columns(table, layout, limit);
}

static size_t last_shown(const cli_table *table, const struct layout *layout)
{
    size_t last = 0;
    for (size_t column = 0; column < table->column_count; column++) {
        if (layout->shown[column]) {
            last = column;
        }
    }
    return last;
}

/* The width that the shown ones of `count` columns from `column` on have together. */
static size_t covered_width(const struct layout *layout, size_t column, size_t count)
{
    size_t width = 0;
    for (size_t i = column; i < column + count; i++) {
        if (layout->shown[i]) {
            width += layout->widths[i] + (width > 0 ? (layout->airy ? 3 : 1) : 0);
        }
    }
    return width;
}

/** A line that is being printed. */
struct line {
    FILE *out;
    const cli_terminal *terminal;
    size_t left;   /**< columns that are still free */
    size_t blanks; /**< owed; printed only before something that is not blank */
};

static struct line line_begin(const cli_terminal *terminal, FILE *out)
{
    return (struct line){ out, terminal, terminal->width == 0 ? SIZE_MAX : terminal->width, 0 };
}

/* Prints clean text as far as it fits. */
static bool line_put(struct line *line, cli_style style, const char *text)
{
    size_t blanks = line->blanks < line->left ? line->blanks : line->left;
    char *shortened = cli_text_shorten(text, line->left - blanks, line->terminal->utf8);
    if (shortened == NULL) {
        return false;
    }
    if (shortened[0] != '\0') {
        fprintf(line->out, "%*s%s%s%s", (int)blanks, "", cli_terminal_style(line->terminal, style), shortened,
                cli_terminal_reset(line->terminal, style));
        line->left -= blanks + cli_text_width(shortened);
        line->blanks = 0;
    }
    free(shortened);
    return true;
}

/* The text behind the folder of the path that it begins with. */
static const char *without_folder(const char *text)
{
    size_t length = strcspn(text, " ");
    while (length > 0 && text[length - 1] != '/') {
        length--;
    }
    return text + length;
}

/* Prints one cell in `width` columns. */
static bool line_put_cell(struct line *line, const cli_column *column, cli_style style, const char *text, size_t width)
{
    bool is_too_wide = column->has_folders && cli_text_width(text) > width;
    char *shortened = cli_text_shorten(is_too_wide ? without_folder(text) : text, width, line->terminal->utf8);
    if (shortened == NULL) {
        return false;
    }
    size_t padding = width - cli_text_width(shortened);
    line->blanks += column->side == CLI_RIGHT ? padding : 0;
    bool done = line_put(line, style, shortened);
    line->blanks += column->side == CLI_LEFT ? padding : 0;
    free(shortened);
    return done;
}

static bool line_put_separator(struct line *line, const struct layout *layout)
{
    line->blanks += layout->airy ? 1 : 0;
    bool done = line_put(line, CLI_DIM, line->terminal->utf8 ? "│" : "|");
    line->blanks += layout->airy ? 1 : 0;
    return done;
}

static void print_rule(const cli_table *table, const struct layout *layout, const cli_terminal *terminal, FILE *out)
{
    size_t left = terminal->width == 0 ? SIZE_MAX : terminal->width;
    size_t last = last_shown(table, layout), air = layout->airy ? 1 : 0;
    bool first = true;
    fputs(cli_terminal_style(terminal, CLI_DIM), out);
    for (size_t column = 0; column <= last; column++) {
        if (!layout->shown[column]) {
            continue;
        }
        if (!first && left > 0) {
            fputs(terminal->utf8 ? "┼" : "+", out);
            left--;
        }
        size_t dashes = layout->widths[column] + (first ? 0 : air) + (column == last ? 0 : air);
        for (; dashes > 0 && left > 0; dashes--, left--) {
            fputs(terminal->utf8 ? "─" : "-", out);
        }
        first = false;
    }
    fprintf(out, "%s\n", cli_terminal_reset(terminal, CLI_DIM));
}

static bool print_titles(const cli_table *table, const struct layout *layout, const cli_terminal *terminal, FILE *out)
{
    struct line line = line_begin(terminal, out);
    bool first = true, done = true;
    for (size_t column = 0; column < table->column_count; column++) {
        if (!layout->shown[column]) {
            continue;
        }
        done = done && (first || line_put_separator(&line, layout));
        const cli_column *about = &table->columns[column];
        done = done && line_put_cell(&line, about, CLI_BOLD, about->title, layout->widths[column]);
        first = false;
    }
    fputc('\n', out);
    return done;
}

static bool print_row(const cli_table *table, const struct layout *layout, size_t row, const cli_terminal *terminal, FILE *out)
{
    static const cli_column spread = { .side = CLI_LEFT };
    struct line line = line_begin(terminal, out);
    bool first = true, done = true;
    size_t covered;
    for (size_t column = 0; column < table->column_count; column += covered) {
        size_t index = row * table->column_count + column;
        const cli_cell *cell = &table->cells[index];
        covered = columns_covered(table, index);
        size_t width = covered_width(layout, column, covered);
        if (width == 0) {
            continue;
        }
        done = done && (first || line_put_separator(&line, layout));
        const cli_column *about = covered > 1 ? &spread : &table->columns[column];
        done = done && line_put_cell(&line, about, cell->style, cell->text, width);
        first = false;
    }
    fputc('\n', out);
    return done;
}

bool cli_table_print(const cli_table *table, const cli_terminal *terminal, FILE *out)
{
    if (table->failed || table->column_count == 0 || table->column_count > CLI_COLUMNS_MAX) {
        return false;
    }
    struct layout layout = { 0 };
    measure(table, &layout);
    fit(table, &layout, terminal->width);
    bool done = print_titles(table, &layout, terminal, out);
    print_rule(table, &layout, terminal, out);
    for (size_t row = 0; done && row < table->cell_count / table->column_count; row++) {
        done = print_row(table, &layout, row, terminal, out);
    }
    return done;
}
