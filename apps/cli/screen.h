/*
 * Drawing the same picture again and again in one place of a terminal.
 */
#ifndef CLI_SCREEN_H
#define CLI_SCREEN_H

#include <stdbool.h>
#include <stdio.h>

/** Whether standard output is a terminal whose cursor can be moved. */
bool cli_screen_can_draw(void);

/** Writes `text` from the top left corner over what is there, as many lines as the terminal has; the first time on an empty screen. */
void cli_screen_draw(const char *text, bool is_first, FILE *out);

#endif
