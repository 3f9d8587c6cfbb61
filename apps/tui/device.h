/*
 * Which GPU the screen of one GPU is about.
 */
#ifndef TUI_DEVICE_H
#define TUI_DEVICE_H

#include "app.h"

/** The GPU of the screen: the one that was chosen, or the first one when that is not there; NULL when there is none. */
const nvp_device_sample *tui_device_shown(const tui_app *app);

/** Whether the snapshot has a GPU with this index, among those that are shown. */
bool tui_device_exists(const tui_app *app, int gpu);

#endif
