/*
 * Messages to stderr, all in one form. Text from outside is made harmless here, so that a strange
 * argument or a driver's text cannot drive the terminal. Decides nothing but the form.
 */
#include <stdarg.h>
#include <stdlib.h>

#include <text/text.h>

#include "cli.h"
#include "text.h"

static void say(const cli_command *command, const char *format, va_list arguments) NVP_PRINTF(2, 0);

static void say(const cli_command *command, const char *format, va_list arguments)
{
    char raw[2048];
    vsnprintf(raw, sizeof raw, format, arguments);
    char *clean = cli_text_clean(raw, text_locale_is_utf8());
    const char *text = clean != NULL ? clean : "(out of memory)";
    if (command != NULL) {
        fprintf(stderr, CLI_NAME ": %s: %s\n", command->name, text);
    } else {
        fprintf(stderr, CLI_NAME ": %s\n", text);
    }
    free(clean);
}

int cli_fail(int code, const cli_command *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(command, format, arguments);
    va_end(arguments);
    return code;
}

int cli_misuse(const cli_command *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(command, format, arguments);
    va_end(arguments);
    if (command != NULL) {
        fprintf(stderr, "Try '" CLI_NAME " %s --help'.\n", command->name);
    } else {
        fprintf(stderr, "Try '" CLI_NAME " --help'.\n");
    }
    return CLI_USAGE;
}

int cli_no_memory(const cli_command *command)
{
    return cli_fail(CLI_FAILED, command, "out of memory");
}
