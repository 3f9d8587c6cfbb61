/*
 * Which colour and attribute each style has in each theme.
 */
#ifndef TUI_THEME_H
#define TUI_THEME_H

#include "canvas.h"

typedef enum tui_theme { TUI_THEME_DARK = 0, TUI_THEME_LIGHT, TUI_THEME_MONO, TUI_THEME_COUNT } tui_theme;

/** A style on the terminal: colours of curses (-1: the terminal's own) and attributes of curses. */
typedef struct tui_look {
    short foreground, background;
    unsigned int attributes;
} tui_look;

/** The look of a style on a terminal with so many colours. */
tui_look tui_theme_look(tui_theme theme, tui_style style, int colors);

/** The theme with this name, or -1. */
int tui_theme_find(const char *name);

#endif
