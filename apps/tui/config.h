/*
 * The file in which the settings are kept: the mapping `top` of $XDG_CONFIG_HOME/nvpulse/config.yaml.
 */
#ifndef TUI_CONFIG_H
#define TUI_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "settings.h"

/**
 * Reads the settings; those that the file does not have stay as they are, and so do all when there is no file. False, with one line in
 * `message` that says where and what, when the file is not as it should be: nothing has changed then.
 */
bool tui_config_load(tui_settings *settings, char *message, size_t size);

/**
 * Writes the settings; other keys of the file are kept, comments are not. The file is replaced at once or not at all. False with a message;
 * a file that could not be read is never replaced.
 */
bool tui_config_save(const tui_settings *settings, char *message, size_t size);

#endif
