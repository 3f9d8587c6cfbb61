/*
 * Text from outside, one character at a time, made harmless: whatever the command or the viewer writes to a terminal has passed here.
 * Knows nothing of tables, cells and colours.
 */
#ifndef TEXT_TEXT_H
#define TEXT_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/** Stands for what must not be shown: a bad byte, or a character that does something to the terminal or to the text around it. */
#define TEXT_REPLACEMENT 0xfffdu

/** True when the locale that setlocale() set writes UTF-8. */
bool text_locale_is_utf8(void);

/**
 * The next character of the UTF-8 in `*text`, which moves past it, whatever the locale; 0 at the end. Bad bytes, control characters (C0, DEL
 * and C1), and marks that turn the direction of writing or cannot be seen become TEXT_REPLACEMENT; newlines and tabs become spaces.
 */
uint32_t text_next(const char **text);

/** Columns of a character from text_next(): 0 for a combining one, 1 or 2. */
int text_character_width(uint32_t character);

#endif
