/*
 * What the user did: a key as one number, or the mouse. Printable keys are their character; others are numbers above all characters.
 */
#ifndef TUI_EVENT_H
#define TUI_EVENT_H

enum {
    TUI_KEY_NONE = 0,
    TUI_KEY_TAB = 9,
    TUI_KEY_ENTER = 13,
    TUI_KEY_ESCAPE = 27,
    TUI_KEY_SPECIAL = 0x200000, /* above every character */
    TUI_KEY_UP,
    TUI_KEY_DOWN,
    TUI_KEY_LEFT,
    TUI_KEY_RIGHT,
    TUI_KEY_PAGE_UP,
    TUI_KEY_PAGE_DOWN,
    TUI_KEY_HOME,
    TUI_KEY_END,
    TUI_KEY_BACKSPACE,
    TUI_KEY_DELETE,
    TUI_KEY_BACK_TAB,
    TUI_KEY_CLICK,        /**< left button; see row and column */
    TUI_KEY_WHEEL_UP,     /**< the same */
    TUI_KEY_WHEEL_DOWN,   /**< the same */
    TUI_KEY_UNKNOWN,      /**< a key that has no meaning here */
    TUI_KEY_F0 = 0x200100 /* F1 is F0 + 1 */
};

/** The key that Ctrl makes of a letter in upper case. */
#define TUI_KEY_CTRL(letter) ((letter) - '@')

typedef struct tui_event {
    int key;
    int row, column; /**< of the mouse */
} tui_event;

#endif
