/*
 * The options of tables, read once for all commands.
 */
#include "look.h"

#define WIDEST 10000

bool cli_look_take_width(cli_look *look, const cli_options *options)
{
    look->has_width = true;
    return cli_options_number(options, "width", WIDEST, &look->width);
}

bool cli_look_take_color(cli_look *look, const cli_options *options)
{
    int choice = cli_options_choice(options, "color", cli_when_names);
    look->color = choice < 0 ? CLI_AUTO : (cli_when)choice;
    return choice >= 0;
}

cli_terminal cli_look_terminal(const cli_look *look)
{
    cli_terminal terminal = cli_terminal_look(look->color);
    if (look->has_width) {
        terminal.width = look->width;
    }
    return terminal;
}
