/*
 * A graph of values over time, the newest at the right: in braille, blocks, halves of blocks or ASCII, by what the terminal can show.
 * Some of its lines can be drawn alone, so that one that is scrolled half away is drawn half.
 */
#ifndef TUI_GRAPH_H
#define TUI_GRAPH_H

#include "canvas.h"
#include "history.h"

typedef enum tui_graph_kind {
    TUI_GRAPH_BRAILLE, /**< two values a column, four steps a line */
    TUI_GRAPH_BLOCK,   /**< eight steps a line */
    TUI_GRAPH_HALF,    /**< two steps a line: what the console of the kernel has */
    TUI_GRAPH_ASCII    /**< three steps a line */
} tui_graph_kind;

/** A graph. */
typedef struct tui_graph {
    tui_series series;
    double low, high; /**< the values at its bottom and top; whatever is outside is clipped */
    int lines;        /**< how high it is */
    tui_graph_kind kind;
    tui_style style;
} tui_graph;

/** What a terminal of this type (NULL: not known) can show. */
tui_graph_kind tui_graph_kind_for(bool is_ascii, const char *term);

/** How many of the newest values fit into so many columns. */
size_t tui_graph_values(tui_graph_kind kind, int columns);

/** The largest of the values that fit; NaN when none is known. */
double tui_graph_peak(const tui_series *series, tui_graph_kind kind, int columns);

/** The next larger of 1, 2, 5, 10, 20, 50, ...: the top of a scale. 1 for what is not above 0. */
double tui_graph_round_up(double value);

/**
 * Draws the lines of a graph from `first_line` on (0: the top one) that fit into a place. A value that is known shows at least the lowest
 * step; an unknown one nothing.
 */
void tui_graph_draw(tui_canvas *canvas, tui_area place, const tui_graph *graph, int first_line);

#endif
