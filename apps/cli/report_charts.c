/*
 * The curves of a report: the points that were kept, spread over the width of the terminal.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "chart.h"
#include "report.h"

#define HEIGHT 8

static void format_value(nvp_metric metric, double number, char *text, size_t size)
{
    nvp_reading reading = { .kind = NVP_KIND_INT, .as.int_value = (int64_t)number };
    nvp_metric_format(metric, &reading, text, size);
}

static void format_time(int64_t time_us, char *text, size_t size)
{
    time_t seconds = (time_t)(time_us / 1000000);
    struct tm local;
    if (localtime_r(&seconds, &local) == NULL || strftime(text, size, "%H:%M:%S", &local) == 0) {
        text[0] = '\0';
    }
}

/* Fills gaps between neighbours: points lie closer than snapshots when the recording is short. */
static void join(double *values, size_t count, size_t farthest)
{
    size_t before = count;
    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i])) {
            continue;
        }
        bool is_near = before < count && i - before <= farthest;
        for (size_t gap = before + 1; is_near && gap < i; gap++) {
            values[gap] = values[before] + (values[i] - values[before]) * (double)(gap - before) / (double)(i - before);
        }
        before = i;
    }
}

/* The means of the points; their number is that of the whole recording. */
static size_t fill(const report_summary *report, const report_point *points, double *values)
{
    size_t count = (size_t)((report->end_us - report->begin_us) / report->point_us) + 1, known = 0;
    count = count > REPORT_POINTS ? REPORT_POINTS : count;
    for (size_t i = 0; i < count; i++) {
        values[i] = points[i].count > 0 ? points[i].sum / (double)points[i].count : NAN;
        known += points[i].count > 0;
    }
    join(values, count, known > 0 ? 3 * (count / known + 1) : 0);
    return count;
}

/* The scale: percent from 0 to 100, anything else from 0 unless it is below. */
static void scale(nvp_metric metric, const double *values, size_t count, cli_chart *chart)
{
    chart->low = 0;
    chart->high = strcmp(nvp_metric_get(metric)->unit, "%") == 0 ? 100 : -INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (!isnan(values[i])) {
            chart->low = values[i] < chart->low ? values[i] : chart->low;
            chart->high = values[i] > chart->high ? values[i] : chart->high;
        }
    }
    if (!(chart->high > chart->low)) {
        chart->high = chart->low + 1;
    }
}

static bool draw(const report_summary *report, const report_device *device, size_t place, const report_view *view, FILE *out)
{
    nvp_metric metric = report->charts->metrics[place];
    double *values = calloc(REPORT_POINTS, sizeof *values);
    if (values == NULL) {
        return false;
    }
    char low[48], high[48], left[16], right[16];
    cli_chart chart = { .values = values,
                        .low_label = low,
                        .high_label = high,
                        .left = left,
                        .right = right,
                        .width = view->chart_width,
                        .height = HEIGHT };
    chart.count = fill(report, device->points + place * REPORT_POINTS, values);
    scale(metric, values, chart.count, &chart);
    format_value(metric, chart.low, low, sizeof low);
    format_value(metric, chart.high, high, sizeof high);
    format_time(report->begin_us, left, sizeof left);
    format_time(report->end_us, right, sizeof right);
    fprintf(out, "\n%s\n", nvp_metric_get(metric)->name);
    bool done = cli_chart_draw(&chart, &view->terminal, out);
    free(values);
    return done;
}

static bool has_points(const report_device *device, size_t place)
{
    for (size_t i = 0; device->points != NULL && i < REPORT_POINTS; i++) {
        if (device->points[place * REPORT_POINTS + i].count > 0) {
            return true;
        }
    }
    return false;
}

bool report_print_charts(const report_summary *report, const report_device *device, const report_view *view, FILE *out)
{
    bool done = true;
    for (size_t place = 0; place < report->charts->count && done; place++) {
        if (has_points(device, place)) {
            done = draw(report, device, place, view, out);
        } else {
            fprintf(out, "\n%s: no numbers in the recording\n", nvp_metric_get(report->charts->metrics[place])->name);
        }
    }
    return done;
}
