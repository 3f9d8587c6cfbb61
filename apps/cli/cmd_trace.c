/*
 * `nvpulse trace`: what a program called on the shim, how long that took, and what was answered. Needs no driver.
 */
#include "common.h"
#include "lines.h"
#include "options.h"
#include "trace.h"

enum { KEY_COLOR = 256, KEY_JSON };

static const cli_option options_table[] = {
    { 'p', "by-pid", NULL, "count each process by itself" },
    { 's', "sort", "KEY", "sort by total, calls, mean, max, errors, first or name; total unless given" },
    { KEY_JSON, "json", NULL, "print the summary as JSON" },
    { 'w', "width", "COLUMNS", "fit the table into so many columns; 0: no limit" },
    { KEY_COLOR, "color", "WHEN", "use colors: auto (on a terminal), always or never" },
    { 'h', "help", NULL, "print this help" },
    CLI_OPTIONS_END,
};

static int run_trace(int argc, char **argv, FILE *out);

const cli_command cli_trace_command = {
    .name = "trace",
    .operands = "FILE",
    .summary = "Tell what a program called, from a trace of 'nvpulse shim --trace'",
    .details = "\n"
               "For each function: how often it was called, how long that took in all, on average and at most, when it\n"
               "was called first and last, and the errors that it answered. FILE - is standard input.\n"
               "\n"
               "Examples:\n"
               "  nvpulse shim --trace calls.jsonl -- nvtop; nvpulse trace calls.jsonl\n"
               "  nvpulse trace calls.jsonl --sort errors --by-pid\n"
               "  nvpulse trace calls.jsonl --json\n",
    .options = options_table,
    .run = run_trace,
};

/** The command line, read. */
struct request {
    const char *path;
    cli_terminal terminal;
    cli_common common;
    trace_order order;
    bool by_pid;
};

/* Takes one option; false after a message. */
static bool take_option(void *context, const cli_options *options, int key)
{
    struct request *request = context;
    int choice;
    switch (key) {
    case 'p':
        request->by_pid = true;
        return true;
    case 's':
        choice = cli_options_choice(options, "sort", trace_order_names);
        request->order = choice < 0 ? TRACE_TOTAL : (trace_order)choice;
        return choice >= 0;
    default:
        return cli_common_take(&request->common, options, key);
    }
}

static bool parse(struct request *request, int argc, char **argv)
{
    cli_options options;
    if (!cli_options_read(&options, &cli_trace_command, argc, argv, take_option, request)) {
        return false;
    }
    int count;
    char **operands = cli_options_operands(&options, &count);
    if (count != 1 && !request->common.help) {
        cli_misuse(&cli_trace_command, count == 0 ? "a trace is missing; - is standard input" : "one trace at a time");
        return false;
    }
    request->path = operands[0];
    request->terminal = cli_common_terminal(&request->common);
    return true;
}

static nvp_status take_line(void *context, const char *line, size_t length, char *message, size_t size)
{
    nvp_trace_call call = NVP_TRACE_CALL_INIT;
    nvp_status status = nvp_trace_call_from_json(line, length, &call, message, size);
    if (status == NVP_SUCCESS && !trace_take(context, &call)) {
        status = NVP_ERROR_NO_MEMORY;
    }
    return status;
}

static int run_trace(int argc, char **argv, FILE *out)
{
    struct request request = { .common = { .color = CLI_AUTO } };
    if (!parse(&request, argc, argv)) {
        return CLI_USAGE;
    }
    if (request.common.help) {
        return cli_options_help(&cli_trace_command, out);
    }
    trace_summary trace = { .by_pid = request.by_pid };
    cli_lines lines = { .command = &cli_trace_command, .thing = "a call", .take = take_line, .context = &trace };
    int code = cli_lines_read(&lines, request.path);
    trace.bad_lines = lines.bad;
    if (code == CLI_OK && trace.calls == 0) {
        code = cli_fail(CLI_FAILED, &cli_trace_command, "%s has no call that can be read", cli_lines_name(request.path));
    }
    if (code == CLI_OK) {
        trace_sort(&trace, request.order);
        bool done = request.common.json ? trace_print_json(&trace, out) : trace_print(&trace, &request.terminal, out);
        code = done ? CLI_OK : cli_no_memory(&cli_trace_command);
    }
    trace_free(&trace);
    return code;
}
