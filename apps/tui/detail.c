/*
 * Lines are asked for one after the other, also those that are not visible, since only so their number is known.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <text/text.h>

#include "detail.h"
#include "format.h"
#include "text.h"

#define LABEL_COLUMNS 18

/** The least room for a graph beside others, and the most lines of one. */
#define GRAPH_COLUMNS_MIN 36
#define GRAPHS_BESIDE_MAX 3
#define GRAPH_LINES_MAX 6

void tui_detail_percent(double value, char *text, size_t size)
{
    tui_format_number(value, 0, "%", text, size);
}

void tui_detail_watts(double value, char *text, size_t size)
{
    tui_format_number(value, 0, " W", text, size);
}

void tui_detail_celsius(double value, char *text, size_t size)
{
    tui_format_number(value, 0, " C", text, size);
}

void tui_detail_megahertz(double value, char *text, size_t size)
{
    tui_format_number(value, 0, " MHz", text, size);
}

void tui_detail_bytes(double value, char *text, size_t size)
{
    tui_format_bytes(value, text, size);
}

void tui_detail_rate(double value, char *text, size_t size)
{
    tui_format_bytes(value, text, size);
    strncat(text, isnan(value) ? "" : "/s", size - strlen(text) - 1);
}

void tui_detail_heading(tui_scroll *scroll, const char *text)
{
    if (scroll->line > 0) {
        tui_scroll_row(scroll);
    }
    int row = tui_scroll_row(scroll);
    if (row >= 0) {
        tui_canvas_fill(&scroll->app->canvas, row, scroll->area.column, scroll->area.columns, TUI_HEADING, L' ');
        tui_canvas_put(&scroll->app->canvas, row, scroll->area.column + 1, scroll->area.columns - 1, TUI_HEADING, text);
    }
}

/* Columns of the labels: less where there is little room. */
static int label_columns(const tui_scroll *scroll)
{
    return scroll->area.columns >= 3 * LABEL_COLUMNS ? LABEL_COLUMNS : scroll->area.columns / 3;
}

static void put_label(const tui_scroll *scroll, int row, const char *label)
{
    tui_canvas_put(&scroll->app->canvas, row, scroll->area.column + 1, label_columns(scroll) - 1, TUI_LABEL, label);
}

void tui_detail_value(tui_scroll *scroll, const char *label, tui_style style, const char *text)
{
    int row = tui_scroll_row(scroll), left = label_columns(scroll) + 1;
    if (row >= 0) {
        put_label(scroll, row, label);
        tui_canvas_put(&scroll->app->canvas, row, scroll->area.column + left, scroll->area.columns - left, style, text);
    }
}

/* Copies what fits into so many columns, at most `size` bytes; moves `*text` past it. */
static void take_line(const char **text, int columns, char *line, size_t size)
{
    int used = 0;
    line[0] = '\0';
    while (**text != '\0') {
        const char *next = *text;
        wchar_t character = tui_text_next(&next);
        int width = text_character_width((uint32_t)character);
        if ((used > 0 && used + width > columns) || !tui_text_append(line, size, character)) {
            return;
        }
        used += width;
        *text = next;
    }
}

void tui_detail_text(tui_scroll *scroll, const char *label, tui_style style, const char *text)
{
    int left = label_columns(scroll) + 1, room = scroll->area.columns - left - 1;
    const char *shown = label;
    do {
        char line[1024];
        take_line(&text, room > 1 ? room : 1, line, sizeof line);
        tui_detail_value(scroll, shown, style, line);
        shown = "";
    } while (*text != '\0');
}

/* The line above a graph: what it is and its newest value, and the top of its scale at the right. */
static void draw_caption(tui_canvas *canvas, int row, int column, int columns, const tui_detail_graph *graph, double high)
{
    char value[32], top[40] = "";
    graph->format(tui_series_at(&graph->series, 0), value, sizeof value);
    int used = tui_canvas_put(canvas, row, column, columns, TUI_LABEL, graph->title) + 1;
    used += tui_canvas_put(canvas, row, column + used, columns - used, TUI_STRONG, value) + 1;
    if (!isnan(high)) {
        graph->format(high, top, sizeof top);
    }
    if (tui_text_width(top) + used <= columns) {
        tui_canvas_put_right(canvas, row, column + used, columns - used, TUI_DIM, top);
    }
}

/* The top of a scale: bytes count by 1024. */
static double top_of(const tui_detail_graph *graph, double peak)
{
    double unit = 1;
    bool counts_by_1024 = graph->format == tui_detail_bytes || graph->format == tui_detail_rate;
    while (counts_by_1024 && peak / unit >= 1024) {
        unit *= 1024;
    }
    return !isnan(graph->high) ? graph->high : isnan(peak) ? peak : tui_graph_round_up(peak / unit) * unit;
}

/* The graphs that stand beside each other. */
static void draw_beside(tui_scroll *scroll, const tui_detail_graph *graphs, size_t count, int width, int lines)
{
    tui_canvas *canvas = &scroll->app->canvas;
    for (int line = -1; line < lines; line++) {
        int row = tui_scroll_row(scroll);
        for (size_t i = 0; row >= 0 && i < count; i++) {
            int column = scroll->area.column + 1 + (int)i * (width + 2);
            double peak = tui_graph_peak(&graphs[i].series, scroll->app->graph, width);
            double high = top_of(&graphs[i], peak);
            tui_graph graph = { graphs[i].series, 0, high, lines, scroll->app->graph, graphs[i].style };
            if (line < 0) {
                draw_caption(canvas, row, column, width, &graphs[i], high);
            } else {
                tui_graph_draw(canvas, (tui_area){ row, column, 1, width }, &graph, line);
            }
        }
    }
}

void tui_detail_graphs(tui_scroll *scroll, const tui_detail_graph *graphs, size_t count)
{
    int columns = scroll->area.columns, beside = columns / GRAPH_COLUMNS_MIN;
    beside = beside < 1 ? 1 : beside > GRAPHS_BESIDE_MAX ? GRAPHS_BESIDE_MAX : beside;
    int width = columns / beside - 2, lines = scroll->area.rows / 8;
    lines = lines < 2 ? 2 : lines > GRAPH_LINES_MAX ? GRAPH_LINES_MAX : lines;
    for (size_t i = 0; width > 0 && i < count; i += (size_t)beside) {
        size_t here = count - i < (size_t)beside ? count - i : (size_t)beside;
        draw_beside(scroll, graphs + i, here, width, lines);
    }
}
