/*
 * What lies over a screen and takes the keys: a line of text to type, a menu, or a question.
 */
#ifndef TUI_OVERLAY_H
#define TUI_OVERLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "event.h"

struct tui_app;

typedef enum tui_overlay_kind {
    TUI_OVERLAY_NONE = 0,
    TUI_OVERLAY_PROMPT,
    TUI_OVERLAY_MENU,
    TUI_OVERLAY_QUESTION
} tui_overlay_kind;

enum { TUI_PROMPT_MAX = 256, TUI_MENU_LABEL_MAX = 64 };

/** One line of a menu. */
typedef struct tui_menu_item {
    char label[TUI_MENU_LABEL_MAX];
    int value;
} tui_menu_item;

typedef struct tui_overlay {
    tui_overlay_kind kind;
    char title[TUI_PROMPT_MAX]; /**< what is asked */
    char text[TUI_PROMPT_MAX];  /**< PROMPT: what was typed */
    char note[TUI_PROMPT_MAX];  /**< PROMPT: what is wrong with it; "" when nothing is */
    tui_menu_item *items;       /**< MENU: freed when it is closed */
    size_t item_count, selected, top;
    int row, columns, rows; /**< MENU: where it was drawn, from the first column on, for the mouse; a row for each item */
    /** PROMPT: the text has changed. Flags of actions. */
    unsigned int (*changed)(struct tui_app *app);
    /** Enter, or yes. It is closed already unless this opened another. For MENU `value` is that of the item. */
    unsigned int (*accepted)(struct tui_app *app, int value);
    /** Esc, or no. NULL: nothing to do. */
    unsigned int (*cancelled)(struct tui_app *app);
} tui_overlay;

/** Closes whatever is open and opens this one; takes the items over. */
void tui_overlay_open(struct tui_app *app, const tui_overlay *overlay);
void tui_overlay_close(struct tui_app *app);

/** Takes a key; flags of actions. */
unsigned int tui_overlay_event(struct tui_app *app, const tui_event *event);

/** Draws it over what is there, and says where the cursor stands (row -1: nowhere). */
void tui_overlay_draw(struct tui_app *app, int *cursor_row, int *cursor_column);

/** Adds an item to a list that grows; false when memory runs out. */
bool tui_menu_add(tui_menu_item **items, size_t *count, int value, const char *label);

#endif
