/*
 * What is around every screen: the lines about the machine at the top, the message and the keys at the bottom.
 */
#ifndef TUI_CHROME_H
#define TUI_CHROME_H

#include "app.h"

/** Draws the lines at the top; returns how many. */
int tui_chrome_header(tui_app *app);

/** Draws the lines at the bottom; returns how many. */
int tui_chrome_footer(tui_app *app);

/** The key of the line of keys at this column; TUI_KEY_NONE when there is none. */
int tui_chrome_key_at(const tui_app *app, int column);

/** What a click or the wheel leads to; flags of actions. */
tui_action tui_action_mouse;

#endif
