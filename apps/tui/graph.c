/*
 * A value is a number of steps from the bottom; a line shows those steps that lie in it.
 */
#include <math.h>
#include <string.h>

#include "graph.h"

static const int steps_of_line[] = {
    [TUI_GRAPH_BRAILLE] = 4,
    [TUI_GRAPH_BLOCK] = 8,
    [TUI_GRAPH_HALF] = 2,
    [TUI_GRAPH_ASCII] = 3,
};

tui_graph_kind tui_graph_kind_for(bool is_ascii, const char *term)
{
    if (is_ascii) {
        return TUI_GRAPH_ASCII;
    }
    return term != NULL && strcmp(term, "linux") == 0 ? TUI_GRAPH_HALF : TUI_GRAPH_BRAILLE;
}

size_t tui_graph_values(tui_graph_kind kind, int columns)
{
    size_t room = columns > 0 ? (size_t)columns : 0;
    return kind == TUI_GRAPH_BRAILLE ? room * 2 : room;
}

double tui_graph_peak(const tui_series *series, tui_graph_kind kind, int columns)
{
    double peak = NAN;
    size_t room = tui_graph_values(kind, columns);
    for (size_t at = 0; at < room && at < series->count; at++) {
        peak = fmax(peak, tui_series_at(series, at)); /* fmax() passes over NaN */
    }
    return peak;
}

double tui_graph_round_up(double value)
{
    static const double steps[] = { 1, 2, 5, 10 };
    if (!(value > 0) || value > 1e300) {
        return 1;
    }
    double power = pow(10, floor(log10(value)));
    for (size_t i = 0; i + 1 < sizeof steps / sizeof *steps; i++) {
        if (value <= steps[i] * power) {
            return steps[i] * power;
        }
    }
    return 10 * power;
}

/* How many steps a value fills: 0 to all of the graph. */
static int steps_of(const tui_graph *graph, double value)
{
    if (isnan(value) || !(graph->high > graph->low)) {
        return 0;
    }
    double share = (value - graph->low) / (graph->high - graph->low);
    int all = steps_of_line[graph->kind] * graph->lines;
    int steps = share >= 1 ? all : share > 0 ? (int)(share * all + 0.5) : 0;
    return steps > 0 ? steps : 1;
}

/* How many of them lie in a line that has `below` under it: 0 to all of the line. */
static int steps_in_line(int steps, int below, int each)
{
    return steps <= below ? 0 : steps - below < each ? steps - below : each;
}

static wchar_t braille(int left, int right)
{
    static const int lefts[] = { 0, 0x40, 0x44, 0x46, 0x47 }, rights[] = { 0, 0x80, 0xa0, 0xb0, 0xb8 };
    return left + right > 0 ? (wchar_t)(0x2800 + lefts[left] + rights[right]) : L' ';
}

static wchar_t character(tui_graph_kind kind, int steps)
{
    static const char ascii[] = " .:|";
    if (steps == 0) {
        return L' ';
    }
    switch (kind) {
    case TUI_GRAPH_BLOCK:
        return (wchar_t)(0x2580 + steps);
    case TUI_GRAPH_HALF:
        return steps == 2 ? L'\x2588' : L'\x2584';
    default:
        return (wchar_t)ascii[steps];
    }
}

void tui_graph_draw(tui_canvas *canvas, tui_area place, const tui_graph *graph, int first_line)
{
    int steps[TUI_HISTORY_DEVICE_LENGTH + 1]; /* of the values, the newest first */
    wchar_t drawn[TUI_HISTORY_DEVICE_LENGTH];
    size_t count = 0, room = tui_graph_values(graph->kind, place.columns);
    for (; count < room && count < graph->series.count && count < TUI_HISTORY_DEVICE_LENGTH; count++) {
        steps[count] = steps_of(graph, tui_series_at(&graph->series, count));
    }
    steps[count] = 0;
    int each = steps_of_line[graph->kind], columns = (int)(graph->kind == TUI_GRAPH_BRAILLE ? (count + 1) / 2 : count);
    for (int line = 0; line < place.rows; line++) {
        int below = each * (graph->lines - 1 - first_line - line);
        for (int i = 0; i < columns; i++) {
            drawn[columns - 1 - i] =
                graph->kind == TUI_GRAPH_BRAILLE
                    ? braille(steps_in_line(steps[2 * i + 1], below, each), steps_in_line(steps[2 * i], below, each))
                    : character(graph->kind, steps_in_line(steps[i], below, each));
        }
        tui_canvas_put_characters(canvas, place.row + line, place.column + place.columns - columns, columns, graph->style, drawn);
    }
}
