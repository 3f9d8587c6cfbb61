/*
 * `nvpulse doctor`: what is wrong with NVML on this machine, and what to do about it. Reads the command line; the parts are in
 * doctor_*.c.
 */
#include "common.h"
#include "doctor.h"
#include "exit_limit.h"
#include "options.h"

enum { KEY_COLOR = 256 };

#define USUAL_TIMEOUT_S 5
#define LONGEST_TIMEOUT_S 3600
static const cli_option options_table[] = {
    { 'j', "json", NULL, "print one JSON object" },
    { 't', "timeout", "SECONDS", "how long one call into the driver may take (5)" },
    { 'v', "verbose", NULL, "list the functions that the driver lacks" },
    { 'w', "width", "COLUMNS", "fit lines into so many columns; 0: no limit" },
    { KEY_COLOR, "color", "WHEN", "use colors: auto (on a terminal), always or never" },
    { 'h', "help", NULL, "print this help" },
    CLI_OPTIONS_END,
};

static int run_doctor(int argc, char **argv, FILE *out);

const cli_command cli_doctor_command = {
    .name = "doctor",
    .operands = "",
    .summary = "Find out what is wrong with NVML on this machine",
    .details = "\n"
               "Whatever calls the driver runs in a process of its own: a driver that hangs or crashes is reported,\n"
               "and so is everything else. GPUs that sleep are not woken.\n"
               "\n"
               "Exit status:\n"
               "  0   healthy\n"
               "  1   degraded: NVML works, but not with everything\n"
               "  2   unusable: NVML does not work\n"
               "  4   the output could not be written\n"
               "  64  the command line is wrong\n"
               "  71  the checks could not be run: no memory, no processes\n"
               "\n"
               "Examples:\n"
               "  nvpulse doctor\n"
               "  nvpulse doctor --json --timeout 2\n"
               "  nvpulse sim --profile h100x8 -- nvpulse doctor --verbose\n",
    .options = options_table,
    .run = run_doctor,
};

/** The command line, read. */
struct request {
    doctor_view view;
    cli_common common;
    unsigned long timeout_s;
};

static bool take_timeout(struct request *request, const cli_options *options)
{
    if (!cli_options_number(options, "timeout", LONGEST_TIMEOUT_S, &request->timeout_s)) {
        return false;
    }
    if (request->timeout_s == 0) {
        cli_misuse(&cli_doctor_command, "--timeout: at least 1 second");
    }
    return request->timeout_s > 0;
}

/* Takes one option; false after a message. */
static bool take_option(void *context, const cli_options *options, int key)
{
    struct request *request = context;
    switch (key) {
    case 't':
        return take_timeout(request, options);
    case 'v':
        return request->view.verbose = true;
    default:
        return cli_common_take(&request->common, options, key);
    }
}

static bool parse(struct request *request, int argc, char **argv)
{
    cli_options options;
    if (!cli_options_read(&options, &cli_doctor_command, argc, argv, take_option, request)) {
        return false;
    }
    if (!request->common.help && !cli_options_no_more(&options, 0)) {
        return false;
    }
    request->view.terminal = cli_common_terminal(&request->common);
    return true;
}

static int no_memory(void)
{
    cli_no_memory(&cli_doctor_command);
    return DOCTOR_NO_RESOURCES;
}

static int run_doctor(int argc, char **argv, FILE *out)
{
    cli_exit_limit_forget(); /* the environment is looked at as the user has it; a driver that hangs is asked in a process of its own */
    struct request request = { .timeout_s = USUAL_TIMEOUT_S };
    if (!parse(&request, argc, argv)) {
        return DOCTOR_USAGE;
    }
    if (request.common.help) {
        return cli_options_help(&cli_doctor_command, out);
    }
    doctor_report report = { .timeout_s = (unsigned int)request.timeout_s };
    int code = DOCTOR_NO_RESOURCES;
    if (doctor_report_read(&report)) {
        doctor_judge(&report);
        bool printed = request.common.json ? doctor_print_json(&report, out) : doctor_print(&report, &request.view, out);
        code = printed && !report.failed ? doctor_verdict(&report) : no_memory();
    }
    doctor_report_free(&report);
    return code;
}
