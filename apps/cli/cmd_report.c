/*
 * `nvpulse report`: what is in a recording. Needs no driver.
 */
#include "common.h"
#include "options.h"
#include "report.h"

enum { KEY_COLOR = 256, KEY_JSON, KEY_CHART };

#define USUAL_CHART_WIDTH 80

static const cli_option options_table[] = {
    { KEY_CHART, "chart", "METRICS", "draw these metrics over time; with commas" },
    { 'm', "metrics", "METRICS", "list these metrics only: names, group.*; with commas" },
    { 'i', "id", "DEVICES", "only these: index, UUID or its beginning, PCI bus id, 0:1 for MIG; with commas" },
    { 'p', "processes", "WHICH", "list processes: auto (at most 20), all or none" },
    { KEY_JSON, "json", NULL, "print the report as JSON" },
    { 'w', "width", "COLUMNS", "fit tables and charts into so many columns; 0: no limit" },
    { KEY_COLOR, "color", "WHEN", "use colors: auto (on a terminal), always or never" },
    { 'h', "help", NULL, "print this help" },
    CLI_OPTIONS_END,
};

static int run_report(int argc, char **argv, FILE *out);

const cli_command cli_report_command = {
    .name = "report",
    .operands = "FILE",
    .summary = "Tell what is in a recording of 'nvpulse record'",
    .details = "\n"
               "For each device: the energy that it used, and of each metric the mean, the least, the most, the last\n"
               "value, the number of samples and the share that was N/A. Metrics are called as in the recording;\n"
               "the unit of a value stands behind it. FILE - is standard input.\n"
               "\n"
               "Examples:\n"
               "  nvpulse report run.jsonl\n"
               "  nvpulse report run.jsonl --id 0 --chart utilization.gpu_percent,power.draw_mw\n"
               "  nvpulse report run.jsonl --json\n",
    .options = options_table,
    .run = run_report,
};

/** The command line, read. */
struct request {
    report_view view;
    cli_common common;
};

/* Takes one option; false after a message. */
static bool take_option(void *context, const cli_options *options, int key)
{
    struct request *request = context;
    static const char *const which[] = { "auto", "all", "none", NULL };
    int choice;
    switch (key) {
    case KEY_CHART:
        return cli_metric_list_add(&request->view.charts, &cli_report_command, "chart", options->argument);
    case 'm':
        return cli_metric_list_add(&request->view.metrics, &cli_report_command, "metrics", options->argument);
    case 'p':
        choice = cli_options_choice(options, "processes", which);
        request->view.processes = choice < 0 ? 0 : (unsigned int)choice;
        return choice >= 0;
    default:
        return cli_common_take(&request->common, options, key);
    }
}

static bool check_operands(struct request *request, const cli_options *options)
{
    int count;
    char **operands = cli_options_operands(options, &count);
    if (request->common.help) {
        return true;
    }
    if (count == 0) {
        cli_misuse(&cli_report_command, "a recording is missing; - is standard input");
        return false;
    }
    if (count > 1) {
        cli_misuse(&cli_report_command, "unexpected operand '%s'", operands[1]);
        return false;
    }
    request->view.path = operands[0];
    return true;
}

static bool parse(struct request *request, int argc, char **argv)
{
    cli_options options;
    if (!cli_options_read(&options, &cli_report_command, argc, argv, take_option, request)) {
        return false;
    }
    if (!check_operands(request, &options)) {
        return false;
    }
    request->view.terminal = cli_common_terminal(&request->common);
    request->view.chart_width = request->view.terminal.width > 0 ? request->view.terminal.width : USUAL_CHART_WIDTH;
    return true;
}

static int run_report(int argc, char **argv, FILE *out)
{
    struct request request = { .common = { .color = CLI_AUTO } };
    if (!parse(&request, argc, argv)) {
        return CLI_USAGE;
    }
    if (request.common.help) {
        return cli_options_help(&cli_report_command, out);
    }
    report_summary whole = { .charts = &request.view.charts, .host = "", .driver = "", .simulation = "" };
    int code = report_read(&whole, request.view.path, request.common.ids);
    if (code == CLI_OK) {
        bool done = (request.common.json ? report_print_json : report_print)(&whole, &request.view, out);
        code = done ? CLI_OK : cli_no_memory(&cli_report_command);
    }
    report_free(&whole);
    return code;
}
