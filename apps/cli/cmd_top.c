/*
 * `nvpulse top`: the interactive viewer. Reads the command line and says how the viewer ended; all else is in apps/tui.
 */
#include <string.h>

#include "driver.h"
#include "exit_limit.h"
#include "options.h"
#include "size.h"
#include "terminal.h"
#include "users.h"

#ifdef NVP_TUI
#include <tui/tui.h>
#endif

enum { KEY_COLOR = 256, KEY_READONLY, KEY_ASCII, KEY_THEME, KEY_ONCE, KEY_ALERT, KEY_BELL };

static const cli_option options_table[] = {
    { 'd', "interval", "SECONDS", "sample so often; from 0.1 to 3600" },
    { 'i', "id", "DEVICES", "only these: index or UUID; with commas" },
    { 'u', "user", "USER", "only processes of this user, by name or number" },
    { KEY_READONLY, "readonly", NULL, "never send a signal" },
    { KEY_THEME, "theme", "NAME", "colors: dark, light or mono" },
    { KEY_COLOR, "color", "WHEN", "use colors: auto (unless NO_COLOR is set), always or never" },
    { KEY_ASCII, "ascii", NULL, "draw with ASCII alone" },
    { KEY_ALERT, "alert", "CONDITION", "also tell when this holds, such as 'temperature.gpu_c>85'" },
    { KEY_BELL, "bell", NULL, "ring when an alert begins" },
    { KEY_ONCE, "once", NULL, "print one screen as text, of COLUMNS by LINES, and end" },
    { 'h', "help", NULL, "print this help" },
    CLI_OPTIONS_END,
};

static int run_top(int argc, char **argv, FILE *out);

const cli_command cli_top_command = {
    .name = "top",
    .operands = "[FILE]",
    .summary = "Watch GPUs and the processes on them",
    .details = "\n"
               "FILE is a recording of '" CLI_NAME " record', shown instead of this machine: Left and Right go a sample back\n"
               "and on, PgUp and PgDn a minute, Home and End to its ends, Space stops and goes on, + and - set the speed.\n"
               "\n"
               "Keys: F1 help, q quit, F3 search, F4 filter, F5 tree, F6 sort, F9 signal, Enter details, Tab screens.\n"
               "\n"
               "Examples:\n"
               "  nvpulse top\n"
               "  nvpulse top --interval 0.5 --id 0,1 --readonly\n"
               "  nvpulse top --once --color=never\n"
               "  nvpulse sim --profile h100x8 -- nvpulse top\n",
    .options = options_table,
    .run = run_top,
};

#ifdef NVP_TUI

/** The least and the most time between two samples. */
#define INTERVAL_MIN_MS 100
#define INTERVAL_MAX_MS 3600000

/** How long leaving may take when the user has not said (NVPULSE_EXIT_TIMEOUT_MS): nobody notices it. */
#define EXIT_LIMIT_MS 50

static bool take_interval(tui_request *request, const cli_options *options)
{
    if (!cli_options_milliseconds(options, "interval", &request->interval_ms)) {
        return false;
    }
    if (request->interval_ms < INTERVAL_MIN_MS || request->interval_ms > INTERVAL_MAX_MS) {
        cli_misuse(&cli_top_command, "--interval: '%s' is not from 0.1 to 3600 seconds", options->argument);
        return false;
    }
    return true;
}

/* Takes one option; false after a message. */
static bool take_option(tui_request *request, const cli_options *options, int key)
{
    int choice;
    switch (key) {
    case 'd':
        return take_interval(request, options);
    case 'i':
        request->gpus = options->argument;
        return true;
    case 'u':
        request->user = options->argument;
        return true;
    case KEY_READONLY:
        return request->is_readonly = true;
    case KEY_THEME:
        request->theme = options->argument;
        return cli_options_choice(options, "theme", tui_theme_names) >= 0;
    case KEY_COLOR:
        choice = cli_options_choice(options, "color", cli_when_names);
        request->color = choice < 0 ? TUI_AUTO : (tui_when)choice;
        return choice >= 0;
    case KEY_ASCII:
        return request->is_ascii = true;
    case KEY_ALERT:
        if (request->alert_count == TUI_REQUEST_ALERTS_MAX) {
            cli_misuse(&cli_top_command, "--alert: at most %d conditions", TUI_REQUEST_ALERTS_MAX);
            return false;
        }
        request->alerts[request->alert_count++] = options->argument;
        return true;
    case KEY_BELL:
        return request->rings = true;
    case KEY_ONCE:
        return request->is_once = true;
    default:
        return false;
    }
}

static int explain(const tui_result *result)
{
    switch (result->end) {
    case TUI_END_LEFT:
        return CLI_OK;
    case TUI_END_NO_DRIVER:
        return cli_driver_explain(&cli_top_command, result->status, false);
    case TUI_END_NO_TERMINAL:
        cli_fail(CLI_USAGE, &cli_top_command, "%s", result->message);
        return cli_fail(CLI_USAGE, &cli_top_command, "'" CLI_NAME " top --once' or '" CLI_NAME " status' need no terminal");
    case TUI_END_BAD_REQUEST:
        return cli_misuse(&cli_top_command, "%s", result->message);
    default:
        return cli_fail(CLI_FAILED, &cli_top_command, "%s", result->message);
    }
}

static void tell(const char *message)
{
    cli_fail(CLI_OK, &cli_top_command, "%s", message);
}

static int run_top(int argc, char **argv, FILE *out)
{
    tui_request request = { .tell = tell, .exit_limit_ms = cli_exit_limit_chosen(EXIT_LIMIT_MS) };
    tui_result result;
    cli_options options;
    cli_options_begin(&options, &cli_top_command, argc, argv);
    for (int key; (key = cli_options_next(&options)) != CLI_OPTIONS_DONE;) {
        if (key == 'h') {
            return cli_options_help(&cli_top_command, out);
        }
        if (!take_option(&request, &options, key)) {
            return CLI_USAGE;
        }
    }
    int count;
    char **operands = cli_options_operands(&options, &count);
    if (count > 1) {
        return cli_misuse(&cli_top_command, "unexpected operand '%s'", operands[1]);
    }
    request.file = count > 0 ? operands[0] : NULL;
    if (request.user != NULL && request.file == NULL &&
        !cli_user_exists(request.user)) { /* a recording may be of another machine */
        return cli_misuse(&cli_top_command, "--user: there is no user '%s'", request.user);
    }
    tui_run(&request, out, &result);
    return explain(&result);
}

#else

static int run_top(int argc, char **argv, FILE *out)
{
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        return cli_options_help(&cli_top_command, out);
    }
    return cli_fail(CLI_FAILED, &cli_top_command,
                    "this " CLI_NAME " was built without the viewer (NVP_TUI); '" CLI_NAME
                    " status --loop 1' shows the same GPUs");
}

#endif
