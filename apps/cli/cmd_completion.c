/*
 * `nvpulse completion`: the scripts of the shells, and what they ask. Not in the overview: packages install the scripts.
 */
#include <string.h>

#include "complete.h"
#include "options.h"

static const cli_option options_table[] = {
    { 'h', "help", NULL, "print this help" },
    CLI_OPTIONS_END,
};

static int run_completion(int argc, char **argv, FILE *out);

const cli_command cli_completion_command = {
    .name = "completion",
    .operands = "bash | zsh | fish | words -- [WORD...]",
    .summary = "Print the completion of a shell",
    .details = "\n"
               "The scripts ask 'nvpulse completion words' for what can stand for the last of the words.\n"
               "\n"
               "Example:\n"
               "  source <(nvpulse completion bash)\n",
    .options = options_table,
    .operands_end_options = true,
    .is_hidden = true,
    .run = run_completion,
};

static int run_completion(int argc, char **argv, FILE *out)
{
    cli_options options;
    cli_options_begin(&options, &cli_completion_command, argc, argv);
    for (int key; (key = cli_options_next(&options)) != CLI_OPTIONS_DONE;) {
        if (key != 'h') {
            return CLI_USAGE;
        }
        return cli_options_help(&cli_completion_command, out);
    }
    int count;
    char **operands = cli_options_operands(&options, &count);
    if (count > 2 && strcmp(operands[0], "words") == 0 && strcmp(operands[1], "--") == 0) {
        complete_words(count - 2, operands + 2, out);
        return CLI_OK;
    }
    const char *script = count == 1 ? complete_script(operands[0]) : NULL;
    if (script == NULL) {
        return cli_misuse(&cli_completion_command, "one of bash, zsh and fish");
    }
    fputs(script, out);
    return CLI_OK;
}
