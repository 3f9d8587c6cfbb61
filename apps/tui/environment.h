/*
 * The variables of the process that is looked at, a line each.
 */
#ifndef TUI_ENVIRONMENT_H
#define TUI_ENVIRONMENT_H

#include "scroll.h"

/** Draws them in the order of their names. */
void tui_environment_draw(tui_scroll *scroll);

#endif
