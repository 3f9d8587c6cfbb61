/*
 * Which options a command has, its table says; a name means the same in all of them.
 */
#include <string.h>

#include "common.h"
#include "size.h"

#define WIDEST 10000

static bool take_color(cli_common *common, const cli_options *options)
{
    int choice = cli_options_choice(options, "color", cli_when_names);
    common->color = choice < 0 ? CLI_AUTO : (cli_when)choice;
    return choice >= 0;
}

bool cli_common_take(cli_common *common, const cli_options *options, int key)
{
    const char *name = cli_options_name(options, key);
    if (strcmp(name, "id") == 0) {
        common->ids = options->argument;
        return true;
    }
    if (strcmp(name, "loop") == 0) {
        return cli_options_milliseconds(options, name, &common->interval_ms);
    }
    if (strcmp(name, "json") == 0) {
        return common->json = true;
    }
    if (strcmp(name, "width") == 0) {
        common->has_width = true;
        return cli_options_number(options, name, WIDEST, &common->width);
    }
    if (strcmp(name, "color") == 0) {
        return take_color(common, options);
    }
    return common->help = strcmp(name, "help") == 0;
}

cli_terminal cli_common_terminal(const cli_common *common)
{
    cli_terminal terminal = cli_terminal_look(common->color);
    if (common->has_width) {
        terminal.width = common->width;
    }
    return terminal;
}
