/*
 * Line by line over the old ones, so that nothing flickers. What does not fit is cut off at the end: a screen that scrolls could not be
 * drawn over.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "screen.h"

bool cli_screen_can_draw(void)
{
    const char *term = getenv("TERM");
    return isatty(STDOUT_FILENO) == 1 && term != NULL && term[0] != '\0' && strcmp(term, "dumb") != 0;
}

/* One line less than there are, for the cursor behind the last one. */
static size_t count_lines(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 1 ? size.ws_row - 1u : SIZE_MAX;
}

void cli_screen_draw(const char *text, bool is_first, FILE *out)
{
    size_t lines = count_lines();
    fputs(is_first ? "\033[H\033[2J" : "\033[H", out);
    for (; *text != '\0' && lines > 0; lines--) {
        int length = (int)strcspn(text, "\n");
        fprintf(out, "%.*s\033[K\n", length, text);
        text += length;
        text += *text == '\n';
    }
    fputs("\033[J", out);
}
