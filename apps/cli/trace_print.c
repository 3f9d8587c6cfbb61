/*
 * The summary of a trace: a line about the whole, and a table of functions.
 */
#include <inttypes.h>
#include <time.h>

#include "json.h"
#include "table.h"
#include "trace.h"

static const cli_column columns[] = {
    { "PID", CLI_RIGHT, 0, 0, false },   { "Function", CLI_LEFT, 0, 20, false }, { "Calls", CLI_RIGHT, 0, 0, false },
    { "Total", CLI_RIGHT, 0, 0, false }, { "Mean", CLI_RIGHT, 3, 0, false },     { "Max", CLI_RIGHT, 4, 0, false },
    { "First", CLI_RIGHT, 1, 0, false }, { "Last", CLI_RIGHT, 2, 0, false },     { "Errors", CLI_RIGHT, 0, 0, false },
    { "Which", CLI_LEFT, 5, 8, false },
};

/* Three digits are enough to compare by. */
static void add_time(cli_table *table, double ns)
{
    if (ns < 1e3) {
        cli_table_addf(table, CLI_PLAIN, "%.0f ns", ns);
    } else if (ns < 1e6) {
        cli_table_addf(table, CLI_PLAIN, "%.*f us", ns < 1e5 ? 1 : 0, ns / 1e3);
    } else if (ns < 1e9) {
        cli_table_addf(table, CLI_PLAIN, "%.*f ms", ns < 1e8 ? 1 : 0, ns / 1e6);
    } else {
        cli_table_addf(table, CLI_PLAIN, "%.*f s", ns < 1e11 ? 1 : 0, ns / 1e9);
    }
}

/* From the begin of the trace on. */
static void add_moment(cli_table *table, const trace_summary *trace, int64_t time_us)
{
    cli_table_addf(table, CLI_DIM, "%.3f s", (double)(time_us - trace->begin_us) / 1e6);
}

static void add_errors(cli_table *table, const trace_entry *entry)
{
    cli_style style = entry->failed > 0 ? CLI_YELLOW : CLI_PLAIN;
    cli_table_addf(table, style, "%" PRIu64, entry->failed);
    if (entry->error_count == 0) {
        cli_table_add(table, CLI_PLAIN, "");
    } else if (entry->error_count == 1) {
        cli_table_add(table, style, nvp_status_name(entry->errors[0].status));
    } else {
        cli_table_addf(table, style, "%s, %zu more", nvp_status_name(entry->errors[0].status), entry->error_count - 1);
    }
}

static void format_time(int64_t time_us, char *text, size_t size)
{
    time_t seconds = (time_t)(time_us / 1000000);
    struct tm local;
    if (localtime_r(&seconds, &local) == NULL || strftime(text, size, "%Y-%m-%d %H:%M:%S", &local) == 0) {
        snprintf(text, size, "?");
    }
}

static void print_headline(const trace_summary *trace, FILE *out)
{
    char begin[32], end[32];
    format_time(trace->begin_us, begin, sizeof begin);
    format_time(trace->end_us, end, sizeof end);
    fprintf(out, "%s to %s, %.3f s\n", begin, end, (double)(trace->end_us - trace->begin_us) / 1e6);
    fprintf(out, "%" PRIu64 " call%s of %zu process%s, %" PRIu64 " answered an error\n", trace->calls,
            trace->calls == 1 ? "" : "s", trace->pid_count, trace->pid_count == 1 ? "" : "es", trace->failed);
}

bool trace_print(const trace_summary *trace, const cli_terminal *terminal, FILE *out)
{
    size_t first = trace->by_pid ? 0 : 1;
    cli_table table = { .columns = columns + first,
                        .column_count = sizeof columns / sizeof *columns - first,
                        .utf8 = terminal->utf8 };
    print_headline(trace, out);
    for (size_t i = 0; i < trace->entry_count; i++) {
        const trace_entry *entry = trace->entries[i];
        if (trace->by_pid) {
            cli_table_addf(&table, CLI_PLAIN, "%" PRIu64, entry->pid);
        }
        cli_table_add(&table, CLI_PLAIN, entry->function);
        cli_table_addf(&table, CLI_PLAIN, "%" PRIu64, entry->calls);
        add_time(&table, (double)entry->total_ns);
        add_time(&table, trace_mean_ns(entry));
        add_time(&table, (double)entry->max_ns);
        add_moment(&table, trace, entry->first_us);
        add_moment(&table, trace, entry->last_us);
        add_errors(&table, entry);
    }
    bool done = cli_table_print(&table, terminal, out);
    cli_table_free(&table);
    return done;
}

static void put_entry(cli_json *json, const trace_summary *trace, const trace_entry *entry)
{
    cli_json_open(json, NULL, '{');
    if (trace->by_pid) {
        cli_json_number(json, "pid", (long long)entry->pid);
    }
    cli_json_text(json, "function", entry->function);
    cli_json_number(json, "calls", (long long)entry->calls);
    cli_json_number(json, "total_ns", (long long)entry->total_ns);
    cli_json_real(json, "mean_ns", trace_mean_ns(entry));
    cli_json_number(json, "max_ns", (long long)entry->max_ns);
    cli_json_number(json, "first_us", entry->first_us);
    cli_json_number(json, "last_us", entry->last_us);
    cli_json_number(json, "failed", (long long)entry->failed);
    cli_json_open(json, "errors", '[');
    for (size_t i = 0; i < entry->error_count; i++) {
        cli_json_open(json, NULL, '{');
        cli_json_number(json, "status", entry->errors[i].status);
        cli_json_text(json, "status_name", nvp_status_name(entry->errors[i].status));
        cli_json_number(json, "calls", (long long)entry->errors[i].calls);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    cli_json_close(json, '}');
}

bool trace_print_json(const trace_summary *trace, FILE *out)
{
    cli_json json = CLI_JSON_INIT(out);
    cli_json_open(&json, NULL, '{');
    cli_json_number(&json, "calls", (long long)trace->calls);
    cli_json_number(&json, "failed", (long long)trace->failed);
    cli_json_number(&json, "bad_lines", (long long)trace->bad_lines);
    cli_json_number(&json, "begin_us", trace->begin_us);
    cli_json_number(&json, "end_us", trace->end_us);
    cli_json_open(&json, "pids", '[');
    for (size_t i = 0; i < trace->pid_count; i++) {
        cli_json_number(&json, NULL, (long long)trace->pids[i]);
    }
    cli_json_close(&json, ']');
    cli_json_open(&json, "functions", '[');
    for (size_t i = 0; i < trace->entry_count; i++) {
        put_entry(&json, trace, trace->entries[i]);
    }
    cli_json_close(&json, ']');
    cli_json_close(&json, '}');
    fputs("\n", out);
    return !json.failed;
}
