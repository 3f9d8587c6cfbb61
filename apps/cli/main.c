/*
 * The command nvpulse: finds the subcommand, collects its output and writes it in the end.
 * Knows nothing of what the subcommands do.
 */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include <nvpulse/log.h>

#include "cli.h"
#include "exit_limit.h"
#include "options.h"
#include "output.h"
#include "suggest.h"

static int run_help(int argc, char **argv, FILE *out);

static const cli_option help_options[] = {
    { 'h', "help", NULL, "print this help" },
    CLI_OPTIONS_END,
};

const cli_command cli_help_command = {
    .name = "help",
    .operands = "[COMMAND]",
    .summary = "Print the help of a command, or an overview",
    .details = "\nExample:\n  nvpulse help status\n",
    .options = help_options,
    .run = run_help,
};

static int print_overview(FILE *out)
{
    fputs("Usage: nvpulse COMMAND [OPTION...] [ARGUMENT...]\n"
          "Safe access to NVIDIA's management library (NVML).\n\nCommands:\n",
          out);
    for (size_t i = 0; i < cli_command_count; i++) {
        if (!cli_commands[i]->is_hidden) {
            fprintf(out, "  %-11s%s\n", cli_commands[i]->name, cli_commands[i]->summary);
        }
    }
    fputs("\nOptions:\n"
          "  -h, --help     print this help\n"
          "  -V, --version  print the version\n"
          "\nExit status:\n"
          "  0  everything went well\n"
          "  1  what was asked for failed, for example with an error from NVML\n"
          "  2  the command line is wrong\n"
          "  3  NVML cannot be used: no library, no driver\n"
          "  4  the output could not be written\n"
          "  5  'select': there are not enough devices\n"
          "  6  'call': the driver did not answer in time\n"
          "'query' has the exit statuses of nvidia-smi.\n"
          "\n'nvpulse COMMAND --help' and 'man nvpulse-COMMAND' tell more.\n",
          out);
    return CLI_OK;
}

static int print_version(FILE *out)
{
    fputs(CLI_NAME " " NVP_VERSION "\n", out);
    if (strcmp(nvp_version(), NVP_VERSION) != 0) {
        fprintf(out, "libnvpulse %s\n", nvp_version());
    }
    return CLI_OK;
}

/* The command of that name; NULL after a message. */
static const cli_command *find_command(const char *name)
{
    cli_suggestion suggestion = CLI_SUGGESTION_FOR(name);
    for (size_t i = 0; i < cli_command_count; i++) {
        if (strcmp(cli_commands[i]->name, name) == 0) {
            return cli_commands[i];
        }
        cli_suggestion_offer(&suggestion, cli_commands[i]->name);
    }
    if (suggestion.nearest != NULL) {
        cli_misuse(NULL, "unknown command '%s'; did you mean '%s'?", name, suggestion.nearest);
    } else {
        cli_misuse(NULL, "unknown command '%s'", name);
    }
    return NULL;
}

static int run_help(int argc, char **argv, FILE *out)
{
    cli_options options;
    cli_options_begin(&options, &cli_help_command, argc, argv);
    for (int key; (key = cli_options_next(&options)) != CLI_OPTIONS_DONE;) {
        if (key == CLI_OPTIONS_BAD) {
            return CLI_USAGE;
        }
        return cli_options_help(&cli_help_command, out);
    }
    int count;
    char **operands = cli_options_operands(&options, &count);
    if (count == 0) {
        return print_overview(out);
    }
    if (count > 1) {
        return cli_misuse(&cli_help_command, "one command at most");
    }
    const cli_command *command = find_command(operands[0]);
    return command == NULL ? CLI_USAGE : cli_options_help(command, out);
}

static int refuse_option(const char *word)
{
    cli_suggestion suggestion = CLI_SUGGESTION_FOR(word);
    cli_suggestion_offer(&suggestion, "--help");
    cli_suggestion_offer(&suggestion, "--version");
    if (suggestion.nearest != NULL) {
        return cli_misuse(NULL, "unknown option '%s'; did you mean '%s'?", word, suggestion.nearest);
    }
    return cli_misuse(NULL, "unknown option '%s'; the options of a command go behind its name", word);
}

static int refuse_nothing(void)
{
    char names[256];
    size_t used = 0;
    for (size_t i = 0; i < cli_command_count && used < sizeof names; i++) {
        if (!cli_commands[i]->is_hidden) {
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "", cli_commands[i]->name);
        }
    }
    return cli_misuse(NULL, "a command is missing: one of %s", names);
}

static int run(int argc, char **argv, FILE *out)
{
    if (argc < 2) {
        return refuse_nothing();
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        return print_overview(out);
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        return print_version(out);
    }
    if (word[0] == '-') {
        return refuse_option(word);
    }
    const cli_command *command = find_command(word);
    return command == NULL ? CLI_USAGE : command->run(argc - 1, argv + 1, out);
}

/* The command says itself what is wrong; only a level that was asked for lets the library speak, too. */
static void quieten_log(void)
{
    const char *level = getenv("LOGLEVEL");
    if (level == NULL || level[0] == '\0') {
        nvp_log_set(NVP_LOG_OFF, NULL, NULL);
    }
}

/* What something here depends on; each part of a locale has files of its own to be opened and read. */
static void choose_locale(void)
{
    static const int categories[] = { LC_CTYPE, LC_MESSAGES, LC_NUMERIC };
    for (size_t i = 0; i < sizeof categories / sizeof *categories; i++) {
        setlocale(categories[i], "");
    }
}

int main(int argc, char **argv)
{
    cli_output_guard();
    choose_locale();
    quieten_log();
    cli_exit_limit_set();
    FILE *out = cli_output_open();
    if (out == NULL) {
        return cli_no_memory(NULL);
    }
    int code = run(argc, argv, out);
    int written = cli_output_close(out);
    code = written != CLI_OK ? written : code;
    cli_exit_limit_begin(code);
    return code;
}
