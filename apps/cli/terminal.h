/*
 * What the output may look like: how wide, in colours or not, with box drawing or in ASCII.
 * Decided once, from the options, the environment and the terminal; writes nothing.
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/** When to use colours, in the order of cli_when_names. */
typedef enum cli_when { CLI_AUTO, CLI_ALWAYS, CLI_NEVER } cli_when;
extern const char *const cli_when_names[];

/** How a text stands out where colours are used. */
typedef enum cli_style { CLI_PLAIN, CLI_BOLD, CLI_DIM, CLI_GREEN, CLI_YELLOW, CLI_RED } cli_style;

typedef struct cli_terminal {
    size_t width; /**< columns; 0: no limit */
    bool color;
    bool utf8;
} cli_terminal;

/**
 * Looks at standard output.
 *
 * Width: COLUMNS, else the terminal's, else no limit (a terminal that does not say has 80).
 * Colours on CLI_AUTO: on a terminal, unless NO_COLOR is set and not empty or TERM is unset, empty or "dumb".
 */
cli_terminal cli_terminal_look(cli_when color);

/** The sequence that begins a style, and the one that ends any; "" where colours are off. */
const char *cli_terminal_style(const cli_terminal *terminal, cli_style style);
const char *cli_terminal_reset(const cli_terminal *terminal, cli_style style);

#endif
