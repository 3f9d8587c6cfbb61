/*
 * `nvpulse status`: one look at every GPU. Reads first, prints afterwards.
 */
#include "driver.h"
#include "options.h"
#include "status_report.h"

enum { KEY_COLOR = 256 };

#define WIDEST 10000

static const cli_option options_table[] = {
    { 'v', "verbose", NULL, "list what is N/A and why, and the library in use" },
    { 'p', "processes", "WHICH", "list processes: auto (unless more than 64), all or none" },
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
               "\n"
               "Examples:\n"
               "  nvpulse status\n"
               "  nvpulse status --verbose --color=never\n"
               "  nvpulse sim --profile h100x8 -- nvpulse status\n",
    .options = options_table,
    .run = run_status,
};

/** The command line, read. */
struct request {
    status_view view;
    cli_when color;
    unsigned long width;
    bool has_width, help;
};

/* Takes one option; false after a message. */
static bool take_option(struct request *request, const cli_options *options, int key)
{
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
    case 'w':
        request->has_width = true;
        return cli_options_number(options, "width", WIDEST, &request->width);
    case KEY_COLOR:
        choice = cli_options_choice(options, "color", cli_when_names);
        request->color = choice < 0 ? CLI_AUTO : (cli_when)choice;
        return choice >= 0;
    case 'h':
        request->help = true;
        return true;
    default:
        return false;
    }
}

static bool parse(struct request *request, int argc, char **argv)
{
    cli_options options;
    cli_options_begin(&options, &cli_status_command, argc, argv);
    for (int key; (key = cli_options_next(&options)) != CLI_OPTIONS_DONE;) {
        if (!take_option(request, &options, key)) {
            return false;
        }
    }
    int count;
    char **operands = cli_options_operands(&options, &count);
    if (count > 0 && !request->help) {
        cli_misuse(&cli_status_command, "unexpected operand '%s'", operands[0]);
        return false;
    }
    request->view.terminal = cli_terminal_look(request->color);
    if (request->has_width) {
        request->view.terminal.width = request->width;
    }
    return true;
}

static int show(const status_view *view, FILE *out)
{
    status_report report = STATUS_REPORT_INIT;
    nvp_status status = status_report_read(&report);
    int code = CLI_OK;
    if (status == NVP_ERROR_NO_MEMORY) {
        code = cli_no_memory(&cli_status_command);
    } else if (status != NVP_SUCCESS) {
        code = cli_fail(CLI_FAILED, &cli_status_command, "the GPUs cannot be counted: %s (%s)", nvp_status_text(status),
                        nvp_status_name(status));
    } else if (!status_report_print(&report, view, out)) {
        code = cli_no_memory(&cli_status_command);
    }
    status_report_free(&report);
    return code;
}

static int run_status(int argc, char **argv, FILE *out)
{
    struct request request = { 0 };
    if (!parse(&request, argc, argv)) {
        return CLI_USAGE;
    }
    if (request.help) {
        return cli_options_help(&cli_status_command, out);
    }
    nvp_status status = cli_driver_open();
    if (status == NVML_ERROR_GPU_NOT_FOUND) { /* the driver works, but finds no GPU of its own */
        fputs("no NVIDIA GPUs found\n", out);
        return CLI_OK;
    }
    if (status != NVP_SUCCESS) {
        return cli_driver_explain(&cli_status_command, status, request.view.verbose);
    }
    return show(&request.view, out);
}
