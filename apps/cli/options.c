/*
 * Options are parsed by getopt_long from the table of the subcommand; messages and suggestions are ours.
 * Knows no option by itself.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "suggest.h"

void cli_options_begin(cli_options *options, const cli_command *command, int argc, char **argv)
{
    *options = (cli_options){ .command = command, .argc = argc, .argv = argv };
    char *letter = options->letters;
    if (command->operands_end_options) {
        *letter++ = '+';
    }
    *letter++ = ':';
    for (size_t i = 0; i < CLI_OPTIONS_MAX && command->options[i].name != NULL; i++) {
        const cli_option *option = &command->options[i];
        int argument = option->argument != NULL ? required_argument : no_argument;
        options->names[i] = (struct option){ option->name, argument, NULL, option->key };
        if (option->key <= UCHAR_MAX) {
            *letter++ = (char)option->key;
            if (option->argument != NULL) {
                *letter++ = ':';
            }
        }
    }
    opterr = 0;
    optind = 0; /* makes glibc begin anew */
}

/* The word of the command line that getopt refused, without the dashes and without "=value". */
static void refused_name(const cli_options *options, char *name, size_t size)
{
    const char *word = optind > 0 && optind <= options->argc ? options->argv[optind - 1] : "";
    snprintf(name, size, "%s", strncmp(word, "--", 2) == 0 ? word + 2 : "");
    name[strcspn(name, "=")] = '\0';
}

static int count_beginning_with(const cli_options *options, const char *name)
{
    int count = 0;
    for (const struct option *option = options->names; option->name != NULL; option++) {
        count += strncmp(option->name, name, strlen(name)) == 0;
    }
    return count;
}

static void refuse_long(const cli_options *options)
{
    char name[80];
    refused_name(options, name, sizeof name);
    cli_suggestion suggestion = CLI_SUGGESTION_FOR(name);
    for (const struct option *option = options->names; option->name != NULL; option++) {
        cli_suggestion_offer(&suggestion, option->name);
    }
    if (count_beginning_with(options, name) > 1) {
        cli_misuse(options->command, "option '--%s' is ambiguous", name);
    } else if (suggestion.nearest != NULL) {
        cli_misuse(options->command, "unknown option '--%s'; did you mean '--%s'?", name, suggestion.nearest);
    } else {
        cli_misuse(options->command, "unknown option '--%s'", name);
    }
}

static const cli_option *option_of_key(const cli_command *command, int key)
{
    for (const cli_option *option = command->options; option->name != NULL; option++) {
        if (option->key == key) {
            return option;
        }
    }
    return NULL;
}

/* getopt leaves in optopt: 0 for an unknown long option, the key of one that was given an argument too many, else a letter. */
static void refuse(const cli_options *options)
{
    const cli_option *known = optopt != 0 ? option_of_key(options->command, optopt) : NULL;
    if (optopt == 0) {
        refuse_long(options);
    } else if (known != NULL) {
        cli_misuse(options->command, "option '--%s' takes no argument", known->name);
    } else if (optopt >= '0' && optopt <= '9') {
        cli_misuse(options->command, "unknown option '-%c'; operands that begin with '-' go after '--'", optopt);
    } else {
        cli_misuse(options->command, "unknown option '-%c'", optopt);
    }
}

static void refuse_without_argument(const cli_options *options)
{
    const cli_option *option = option_of_key(options->command, optopt);
    if (option != NULL) {
        cli_misuse(options->command, "option '--%s' wants an argument: %s", option->name, option->argument);
    }
}

int cli_options_next(cli_options *options)
{
    options->argument = NULL;
    int key = getopt_long(options->argc, options->argv, options->letters, options->names, NULL);
    switch (key) {
    case -1:
        return CLI_OPTIONS_DONE;
    case '?':
        refuse(options);
        return CLI_OPTIONS_BAD;
    case ':':
        refuse_without_argument(options);
        return CLI_OPTIONS_BAD;
    default:
        options->argument = optarg;
        return key;
    }
}

const char *cli_options_name(const cli_options *options, int key)
{
    const cli_option *option = option_of_key(options->command, key);
    return option == NULL ? "" : option->name;
}

bool cli_options_read(cli_options *options, const cli_command *command, int argc, char **argv, cli_options_take *take,
                      void *request)
{
    cli_options_begin(options, command, argc, argv);
    for (int key; (key = cli_options_next(options)) != CLI_OPTIONS_DONE;) {
        if (!take(request, options, key)) {
            return false;
        }
    }
    return true;
}

bool cli_options_no_more(const cli_options *options, int most)
{
    if (options->argc - optind > most) {
        cli_misuse(options->command, "unexpected operand '%s'", options->argv[optind + most]);
        return false;
    }
    return true;
}

char **cli_options_operands(const cli_options *options, int *count)
{
    *count = options->argc - optind;
    return options->argv + optind;
}

int cli_options_choice(const cli_options *options, const char *name, const char *const *choices)
{
    char allowed[128] = "";
    size_t used = 0;
    cli_suggestion suggestion = CLI_SUGGESTION_FOR(options->argument);
    for (int i = 0; choices[i] != NULL; i++) {
        if (strcmp(options->argument, choices[i]) == 0) {
            return i;
        }
        int length = snprintf(allowed + used, sizeof allowed - used, "%s%s", i > 0 ? ", " : "", choices[i]);
        used = length < 0 || used + (size_t)length >= sizeof allowed ? sizeof allowed - 1 : used + (size_t)length;
        cli_suggestion_offer(&suggestion, choices[i]);
    }
    if (suggestion.nearest != NULL) {
        cli_misuse(options->command, "--%s: '%s' is none of %s; did you mean '%s'?", name, options->argument, allowed,
                   suggestion.nearest);
    } else {
        cli_misuse(options->command, "--%s: '%s' is none of %s", name, options->argument, allowed);
    }
    return -1;
}

bool cli_options_number(const cli_options *options, const char *name, unsigned long largest, unsigned long *number)
{
    const char *text = options->argument;
    char *end = NULL;
    errno = 0;
    unsigned long parsed = text[0] >= '0' && text[0] <= '9' ? strtoul(text, &end, 10) : 0;
    if (end == NULL || *end != '\0' || errno != 0 || parsed > largest) {
        cli_misuse(options->command, "--%s: '%s' is not a whole number from 0 to %lu", name, text, largest);
        return false;
    }
    *number = parsed;
    return true;
}

/* "  -c, --color WHEN", as wide as the longest. */
static int print_option_name(const cli_option *option, char *text, size_t size)
{
    char letter[5] = "    ";
    if (option->key <= UCHAR_MAX) {
        snprintf(letter, sizeof letter, "-%c, ", option->key);
    }
    bool argument = option->argument != NULL;
    return snprintf(text, size, "  %s--%s%s%s", letter, option->name, argument ? " " : "", argument ? option->argument : "");
}

int cli_options_help(const cli_command *command, FILE *out)
{
    char name[80];
    int width = 0;
    for (const cli_option *option = command->options; option->name != NULL; option++) {
        int length = print_option_name(option, name, sizeof name);
        width = length > width ? length : width;
    }
    fprintf(out, "Usage: " CLI_NAME " %s [OPTION...]%s%s\n%s.\n\nOptions:\n", command->name,
            command->operands[0] != '\0' ? " " : "", command->operands, command->summary);
    for (const cli_option *option = command->options; option->name != NULL; option++) {
        print_option_name(option, name, sizeof name);
        fprintf(out, "%-*s  %s\n", width, name, option->help);
    }
    fputs(command->details, out);
    return CLI_OK;
}
