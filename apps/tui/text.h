/*
 * Text from outside, one character at a time, made harmless: what reaches the terminal has passed here.
 * Knows widths, nothing of cells and colours.
 */
#ifndef TUI_TEXT_H
#define TUI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

/** True when the locale that setlocale() set writes UTF-8. */
bool tui_text_locale_is_utf8(void);

/**
 * The next character of `*text`, which moves past it; 0 at the end. Bad bytes, control characters and marks that turn the direction of
 * writing become U+FFFD, or '?' where the locale has no UTF-8; newlines and tabs become spaces.
 */
wchar_t tui_text_next(const char **text);

/** Columns of one character from tui_text_next(): 0 for a combining one, 1 or 2. */
int tui_text_character_width(wchar_t character);

/** Columns of a whole text. */
int tui_text_width(const char *text);

/** True when `text` contains `part`, whatever the case of ASCII letters; an empty part is contained in everything. */
bool tui_text_contains(const char *text, const char *part);

/** Appends a character as UTF-8 to `buffer` of `size` bytes when it fits, NUL included; false when it does not. */
bool tui_text_append(char *buffer, size_t size, wchar_t character);

/** Takes the last character away. */
void tui_text_chop(char *buffer);

#endif
