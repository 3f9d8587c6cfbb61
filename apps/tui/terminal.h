/*
 * The terminal: the only part that knows curses. Shows a canvas, gives events, goes away for a while and comes back.
 * One in the process, used by one thread.
 */
#ifndef TUI_TERMINAL_H
#define TUI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include <tui/tui.h>

#include "canvas.h"
#include "event.h"
#include "theme.h"

typedef struct tui_terminal tui_terminal;

/**
 * Takes standard input and output over. NULL when they are no terminal that can be drawn on; then `message` says why. Signals that stop
 * or end the process must be blocked: curses is not to restore the terminal from inside a handler.
 */
tui_terminal *tui_terminal_open(tui_when color, char *message, size_t size);

/** Restores the terminal and frees. NULL is allowed. */
void tui_terminal_close(tui_terminal *terminal);

/** Chooses the looks of styles; the whole screen is drawn anew. */
void tui_terminal_set_theme(tui_terminal *terminal, tui_theme theme);

/** The size that the terminal has now, at least one cell; tells curses of a change. */
void tui_terminal_size(tui_terminal *terminal, int *rows, int *columns);

/** Shows a canvas: what differs from the one before is written. The cursor stands at `cursor_row` unless that is negative. */
void tui_terminal_show(tui_terminal *terminal, const tui_canvas *canvas, int cursor_row, int cursor_column);

/** Draws everything anew next time, for a screen that something else has written on. */
void tui_terminal_invalidate(tui_terminal *terminal);

/** The next event that has arrived; false when there is none. Never waits for one. */
bool tui_terminal_event(tui_terminal *terminal, tui_event *event);

/** Gives the terminal back to the shell, and takes it again: around a stop of the process. */
void tui_terminal_pause(tui_terminal *terminal);
void tui_terminal_resume(tui_terminal *terminal);

/** Rings the bell. */
void tui_terminal_bell(tui_terminal *terminal);

#endif
