/*
 * Text for the cells of a terminal, and text that is typed. Knows widths, nothing of cells and colours.
 */
#ifndef TUI_TEXT_H
#define TUI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

/** The next character of `*text` as text_next() gives it; U+FFFD too for one that this system does not know, and '?' where the locale has none. */
wchar_t tui_text_next(const char **text);

/** A character of ASCII that is shown as it is. */
static inline bool tui_text_is_plain(char character)
{
    return character >= ' ' && character < 0x7f;
}

/** Columns of a whole text. */
int tui_text_width(const char *text);

/** True when `text` contains `part`, whatever the case of ASCII letters; an empty part is contained in everything. */
bool tui_text_contains(const char *text, const char *part);

/** Appends a character as UTF-8 to `buffer` of `size` bytes when it fits, NUL included; false when it does not. */
bool tui_text_append(char *buffer, size_t size, wchar_t character);

/** Takes the last character away. */
void tui_text_chop(char *buffer);

#endif
