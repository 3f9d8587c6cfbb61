/*
 * The decisions on width, colours and character set. A terminal that lies about its size (0 columns, or 1) is survived:
 * 0 counts as unknown, and every layout copes with 1.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <text/text.h>

#include "terminal.h"

#define USUAL_WIDTH 80
#define WIDEST 10000

const char *const cli_when_names[] = { "auto", "always", "never", NULL };

static size_t width_from_environment(void)
{
    const char *text = getenv("COLUMNS");
    if (text == NULL || text[0] < '0' || text[0] > '9') {
        return 0;
    }
    char *end;
    unsigned long columns = strtoul(text, &end, 10);
    return *end == '\0' && columns <= WIDEST ? (size_t)columns : 0;
}

static size_t look_at_width(bool is_terminal)
{
    size_t width = width_from_environment();
    if (width != 0 || !is_terminal) {
        return width;
    }
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        return size.ws_col;
    }
    return USUAL_WIDTH;
}

static bool colors_are_welcome(bool is_terminal)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    return is_terminal && (no_color == NULL || no_color[0] == '\0') && term != NULL && term[0] != '\0' &&
           strcmp(term, "dumb") != 0;
}

cli_terminal cli_terminal_look(cli_when color)
{
    bool is_terminal = isatty(STDOUT_FILENO) == 1;
    return (cli_terminal){
        .width = look_at_width(is_terminal),
        .color = color == CLI_ALWAYS || (color == CLI_AUTO && colors_are_welcome(is_terminal)),
        .utf8 = text_locale_is_utf8(),
    };
}

const char *cli_terminal_style(const cli_terminal *terminal, cli_style style)
{
    static const char *const sequences[] = {
        [CLI_PLAIN] = "",         [CLI_BOLD] = "\033[1m",    [CLI_DIM] = "\033[2m",
        [CLI_GREEN] = "\033[32m", [CLI_YELLOW] = "\033[33m", [CLI_RED] = "\033[31m",
    };
    return terminal->color ? sequences[style] : "";
}

const char *cli_terminal_reset(const cli_terminal *terminal, cli_style style)
{
    return terminal->color && style != CLI_PLAIN ? "\033[0m" : "";
}
