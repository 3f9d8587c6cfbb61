/*
 * The table of keys: what a key does on a screen, and the lines of the help page.
 */
#ifndef TUI_KEYS_H
#define TUI_KEYS_H

#include <stddef.h>

#include "event.h"

struct tui_app;

/** Where a key is meant; a screen is in some of these. */
enum {
    TUI_IN_LIST = 1 << 0, /**< screens with the table of processes */
    TUI_IN_TEXT = 1 << 1, /**< screens that scroll */
    TUI_IN_SETUP = 1 << 2,
    TUI_IN_DEVICE = 1 << 3,  /**< one GPU in detail; also TEXT */
    TUI_IN_PROCESS = 1 << 4, /**< one process in detail; also TEXT */
    TUI_IN_ALL = (1 << 5) - 1,
    TUI_IN_FILE = 1 << 5 /**< a recording is shown: before what the screen has, but for screens of text alone */
};

/** What an action answers, or-ed. */
enum {
    TUI_DRAW = 1 << 0,    /**< the picture has changed */
    TUI_REBUILD = 1 << 1, /**< the rows of processes have to be made anew */
    TUI_RATE = 1 << 2,    /**< interval, pause or screen have changed: tell the source */
    TUI_SAVE = 1 << 3,    /**< the settings have changed: keep them */
    TUI_QUIT = 1 << 4,
    TUI_BELL = 1 << 5
};

typedef unsigned int tui_action(struct tui_app *app, const tui_event *event);

/** One row of the table. */
typedef struct tui_key_row {
    unsigned int where;
    const char *keys, *name, *help;
    tui_action *action;
} tui_key_row;

extern const tui_key_row tui_key_rows[];
extern const size_t tui_key_row_count;

/** What a key does on a screen that is in `where`; NULL: nothing. */
tui_action *tui_keys_find(unsigned int where, int key);

/** Reads the name of a key at `*names`, and moves past it and the blanks behind it; TUI_KEY_NONE at the end. */
int tui_keys_parse(const char **names);

#define KEY(where, keys, action, help) tui_action tui_action_##action;
#include "keys.def"
#undef KEY

#endif
