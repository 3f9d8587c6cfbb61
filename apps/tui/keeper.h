/*
 * Keeps the settings: they are written when they change, by a thread of their own. A home that is slow, or hangs, keeps nobody waiting.
 */
#ifndef TUI_KEEPER_H
#define TUI_KEEPER_H

#include <stdbool.h>
#include <stddef.h>

#include <tui/tui.h>

#include "settings.h"

typedef struct tui_keeper tui_keeper;

/** What the command line says holds for this run, and is not kept; texts of `request` must live as long as the process. NULL: out of memory. */
tui_keeper *tui_keeper_new(const tui_request *request);

/** Has the settings written, at once, and does not wait for it. Signals must be blocked: the thread inherits the mask. */
void tui_keeper_keep(tui_keeper *keeper, const tui_settings *settings);

/**
 * Waits for what is not written yet, at most `limit_ms`, and frees. False when the newest settings are not in the file, with one line in
 * `message` that says why; when they are still being written, all is left behind. NULL is good.
 */
bool tui_keeper_close(tui_keeper *keeper, unsigned int limit_ms, char *message, size_t size);

#endif
