/*
 * A curve on a terminal: braille dots where the locale has UTF-8, stars otherwise. Knows nothing of what it shows.
 */
#ifndef CLI_CHART_H
#define CLI_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "terminal.h"

/** What to draw. */
typedef struct cli_chart {
    const double *values; /**< from left to right; NAN where nothing is known */
    size_t count;
    double low, high;         /**< the values at the lower and the upper edge; low < high */
    const char *low_label;    /**< beside the lower edge */
    const char *high_label;   /**< beside the upper edge */
    const char *left, *right; /**< below both ends */
    size_t width;             /**< of all of it, in columns */
    size_t height;            /**< of the curve, in lines */
} cli_chart;

/** Draws it; false when memory ran out. */
bool cli_chart_draw(const cli_chart *chart, const cli_terminal *terminal, FILE *out);

#endif
