/*
 * `nvpulse status`: one look at every GPU, or one after the other. Asks for what it shows, and no more.
 */
#include "common.h"
#include "options.h"
#include "size.h"
#include "status_report.h"
#include "watch.h"

enum { KEY_COLOR = 256, KEY_JSON };

static const cli_option options_table[] = {
    { 'v', "verbose", NULL, "list what is N/A and why, and the library in use" },
    { 'p', "processes", "WHICH", "list processes: auto (unless more than 64), all or none" },
    { 'i', "id", "DEVICES", "only these: index, UUID or its beginning, PCI bus id, 0:1 for MIG; with commas" },
    { 'l', "loop", "SECONDS", "look again and again, so far apart, until Ctrl-C" },
    { KEY_JSON, "json", NULL, "print the snapshot as JSON, with every metric but the costly ones" },
    { 'w', "width", "COLUMNS", "fit tables into so many columns; 0: no limit" },
    { KEY_COLOR, "color", "WHEN", "use colors: auto (on a terminal), always or never" },
    { 'h', "help", NULL, "print this help" },
    CLI_OPTIONS_END,
};

static int run_status(int argc, char **argv, FILE *out);

const cli_command cli_status_command = {
    .name = "status",
    .operands = "",
    .summary = "Show every GPU and the processes on it",
    .details = "\n"
               "On a narrow terminal columns leave in this order: M-Util, Procs, Fan, Power, Temp, Util, Memory.\n"
               "Process types: C computes, G draws, M computes through MPS.\n"
               "A GPU that does not answer within two seconds is shown as stalled.\n"
               "\n"
               "Examples:\n"
               "  nvpulse status\n"
               "  nvpulse status --verbose --color=never\n"
               "  nvpulse status --id 0,GPU-5a16,3b:00.0 --loop 2\n"
               "  nvpulse status --json | jq '.devices[].metrics[\"power.draw_mw\"]'\n"
               "  nvpulse sim --profile h100x8 -- nvpulse status\n",
    .options = options_table,
    .run = run_status,
};

/** The command line, read. */
struct request {
    status_view view;
    cli_common common;
};

/* Takes one option; false after a message. */
static bool take_option(void *context, const cli_options *options, int key)
{
    struct request *request = context;
    static const char *const which[] = { "auto", "all", "none", NULL };
    int choice;
    switch (key) {
    case 'v':
        request->view.verbose = true;
        return true;
    case 'p':
        choice = cli_options_choice(options, "processes", which);
        request->view.processes = choice < 0 ? 0 : (unsigned int)choice;
        return choice >= 0;
    default:
        return cli_common_take(&request->common, options, key);
    }
}

static void look_at_terminal(struct request *request)
{
    request->view.terminal = cli_common_terminal(&request->common);
}

static bool parse(struct request *request, int argc, char **argv)
{
    cli_options options;
    if (!cli_options_read(&options, &cli_status_command, argc, argv, take_option, request)) {
        return false;
    }
    if (!request->common.help && !cli_options_no_more(&options, 0)) {
        return false;
    }
    look_at_terminal(request);
    return true;
}

static int show(nvp_snapshot *snapshot, void *context, FILE *out)
{
    struct request *request = context;
    if (request->common.json) {
        return cli_watch_print_json(&cli_status_command, snapshot, out);
    }
    look_at_terminal(request); /* it may have changed its size */
    return status_report_print(snapshot, &request->view, out) ? CLI_OK : cli_no_memory(&cli_status_command);
}

static int run_status(int argc, char **argv, FILE *out)
{
    struct request request = { 0 };
    if (!parse(&request, argc, argv)) {
        return CLI_USAGE;
    }
    if (request.common.help) {
        return cli_options_help(&cli_status_command, out);
    }
    nvp_metric metrics[STATUS_METRICS_MAX];
    cli_watch watch = {
        .command = &cli_status_command,
        .options = NVP_SNAPSHOT_OPTIONS_INIT,
        .ids = request.common.ids,
        .interval_ms = request.common.interval_ms,
        .for_programs = request.common.json,
        .verbose = request.view.verbose,
        .show = show,
        .context = &request,
    };
    if (!request.common.json) {
        watch.options.metrics = metrics;
        watch.options.metric_count = status_metrics(&request.view, metrics);
    }
    watch.options.flags = request.view.processes == STATUS_PROCESSES_NONE ? NVP_SNAPSHOT_NO_PROCESSES : 0;
    return cli_watch_run(&watch, out);
}
