/*
 * What the screens of one GPU and of one process are made of: headings, labelled values, text over several lines, graphs side by side.
 */
#ifndef TUI_DETAIL_H
#define TUI_DETAIL_H

#include "graph.h"
#include "scroll.h"

/** A graph with what stands above it. */
typedef struct tui_detail_graph {
    const char *title;
    tui_series series;
    double high; /**< the top of its scale; NaN: by the largest value */
    /** Writes a value for people. */
    void (*format)(double value, char *text, size_t size);
    tui_style style;
} tui_detail_graph;

/** An empty line and a heading over the whole width. */
void tui_detail_heading(tui_scroll *scroll, const char *text);

/** A label and a value in one line. */
void tui_detail_value(tui_scroll *scroll, const char *label, tui_style style, const char *text);

/** The same with a text that goes on in as many lines as it needs. */
void tui_detail_text(tui_scroll *scroll, const char *label, tui_style style, const char *text);

/** Graphs, as many beside each other as fit. */
void tui_detail_graphs(tui_scroll *scroll, const tui_detail_graph *graphs, size_t count);

/** Writers for graphs. */
void tui_detail_percent(double value, char *text, size_t size);
void tui_detail_watts(double value, char *text, size_t size);
void tui_detail_celsius(double value, char *text, size_t size);
void tui_detail_megahertz(double value, char *text, size_t size);
void tui_detail_bytes(double value, char *text, size_t size);
void tui_detail_rate(double value, char *text, size_t size);

#endif
