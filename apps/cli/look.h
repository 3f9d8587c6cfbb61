/*
 * How tables are to look: the options --width and --color, which every command with tables has.
 */
#ifndef CLI_LOOK_H
#define CLI_LOOK_H

#include "options.h"
#include "terminal.h"

/** What the command line says; zeroes are the defaults. */
typedef struct cli_look {
    cli_when color;
    unsigned long width;
    bool has_width;
} cli_look;

/** Takes the argument of --width; false after a message. */
bool cli_look_take_width(cli_look *look, const cli_options *options);

/** Takes the argument of --color; false after a message. */
bool cli_look_take_color(cli_look *look, const cli_options *options);

/** The terminal as it is, but for what the command line says. */
cli_terminal cli_look_terminal(const cli_look *look);

#endif
