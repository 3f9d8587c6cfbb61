/*
 * The curve is set dot by dot on a raster of two by four dots for each character (one by one without UTF-8), and consecutive columns are
 * joined, so that a step stays a line.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "text.h"

/** The raster. */
struct raster {
    unsigned char *cells; /* height rows of columns; bits as braille has them */
    size_t columns, rows; /* in characters */
    size_t across, down;  /* dots in a character */
};

static size_t label_width(const cli_chart *chart)
{
    size_t low = cli_text_width(chart->low_label), high = cli_text_width(chart->high_label);
    return low > high ? low : high;
}

/* One column is taken by the axis; a chart that is too narrow for its labels has none. */
static size_t count_columns(const cli_chart *chart)
{
    size_t taken = label_width(chart) + 2;
    return chart->width > taken + 8 ? chart->width - taken : chart->width > 1 ? chart->width - 1 : 1;
}

static void set_dot(const struct raster *raster, size_t x, size_t y)
{
    static const unsigned char bits[4][2] = { { 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 } };
    size_t place = y / raster->down * raster->columns + x / raster->across;
    raster->cells[place] |= raster->across == 1 ? 1 : bits[y % 4][x % 2];
}

/* The row of dots of a value, from above. */
static size_t row_of(const cli_chart *chart, const struct raster *raster, double value)
{
    size_t last = raster->rows * raster->down - 1;
    double share = (value - chart->low) / (chart->high - chart->low);
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    return last - (size_t)(share * (double)last + 0.5);
}

/* The mean of the values that fall into a column of dots; NAN when none does. */
static double value_at(const cli_chart *chart, size_t column, size_t columns)
{
    size_t begin = column * chart->count / columns, end = (column + 1) * chart->count / columns;
    double sum = 0;
    size_t count = 0;
    for (size_t i = begin; i < (end > begin ? end : begin + 1) && i < chart->count; i++) {
        if (!isnan(chart->values[i])) {
            sum += chart->values[i];
            count++;
        }
    }
    return count > 0 ? sum / (double)count : NAN;
}

static void draw_curve(const cli_chart *chart, const struct raster *raster)
{
    size_t columns = raster->columns * raster->across, before = 0;
    bool has_before = false;
    for (size_t x = 0; x < columns; x++) {
        double value = value_at(chart, x, columns);
        if (isnan(value)) {
            has_before = false;
            continue;
        }
        size_t y = row_of(chart, raster, value);
        size_t from = has_before ? before : y;
        set_dot(raster, x, y);
        for (size_t step = from < y ? from + 1 : y + 1; step < (from < y ? y : from); step++) {
            set_dot(raster, x, step);
        }
        before = y;
        has_before = true;
    }
}

static void put_cell(unsigned char cell, bool utf8, FILE *out)
{
    if (cell == 0) {
        fputc(' ', out);
    } else if (!utf8) {
        fputc('*', out);
    } else { /* U+2800 and the bits */
        fputc(0xe2, out);
        fputc(0xa0 | cell >> 6, out);
        fputc(0x80 | (cell & 0x3f), out);
    }
}

static void print_row(const cli_chart *chart, const struct raster *raster, size_t row, const cli_terminal *terminal, FILE *out)
{
    size_t width = label_width(chart);
    const char *label = row == 0 ? chart->high_label : row + 1 == raster->rows ? chart->low_label : "";
    bool has_labels = raster->columns + width + 2 <= chart->width;
    if (has_labels) {
        fprintf(out, "%*s%s ", (int)(width - cli_text_width(label)), "", label);
    }
    fputs(cli_terminal_style(terminal, CLI_DIM), out);
    fputs(terminal->utf8 ? "│" : "|", out);
    fputs(cli_terminal_reset(terminal, CLI_DIM), out);
    const unsigned char *cells = raster->cells + row * raster->columns;
    size_t used = raster->columns;
    while (used > 0 && cells[used - 1] == 0) {
        used--;
    }
    fputs(cli_terminal_style(terminal, CLI_GREEN), out);
    for (size_t i = 0; i < used; i++) {
        put_cell(cells[i], terminal->utf8, out);
    }
    fputs(cli_terminal_reset(terminal, CLI_GREEN), out);
    fputc('\n', out);
}

static void print_time(const cli_chart *chart, const struct raster *raster, FILE *out)
{
    size_t width = label_width(chart), left = cli_text_width(chart->left), right = cli_text_width(chart->right);
    size_t indent = raster->columns + width + 2 <= chart->width ? width + 2 : 1;
    if (left + right + 1 <= raster->columns) {
        fprintf(out, "%*s%s%*s%s\n", (int)indent, "", chart->left, (int)(raster->columns - left - right), "", chart->right);
    }
}

bool cli_chart_draw(const cli_chart *chart, const cli_terminal *terminal, FILE *out)
{
    struct raster raster = {
        .columns = count_columns(chart), .rows = chart->height, .across = terminal->utf8 ? 2 : 1, .down = terminal->utf8 ? 4 : 1
    };
    raster.cells = calloc(raster.columns * raster.rows, 1);
    if (raster.cells == NULL) {
        return false;
    }
    draw_curve(chart, &raster);
    for (size_t row = 0; row < raster.rows; row++) {
        print_row(chart, &raster, row, terminal, out);
    }
    print_time(chart, &raster, out);
    free(raster.cells);
    return true;
}
