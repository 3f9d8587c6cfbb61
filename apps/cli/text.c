/*
 * Whole texts for a terminal; what a single character may be is decided in apps/text.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <text/text.h>

#include "text.h"

#define ELLIPSIS 0x2026u

/* Writes one character of at most 4 bytes; returns the place after it. */
static char *encode(char *to, uint32_t character)
{
    if (character < 0x80) {
        *to++ = (char)character;
        return to;
    }
    int tail = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    static const unsigned int lead[] = { 0, 0xc0, 0xe0, 0xf0 };
    *to++ = (char)(lead[tail] | character >> (6 * tail));
    while (tail-- > 0) {
        *to++ = (char)(0x80 | (character >> (6 * tail) & 0x3f));
    }
    return to;
}

static uint32_t make_ascii(uint32_t character)
{
    if (character < 0x80) {
        return character;
    }
    return character == ELLIPSIS ? '~' : '?';
}

char *cli_text_clean(const char *text, bool utf8)
{
    size_t length = strlen(text);
    if (length > SIZE_MAX / 3 - 1) { /* a bad byte grows to the three bytes of U+FFFD */
        return NULL;
    }
    char *clean = malloc(length * 3 + 1);
    if (clean == NULL) {
        return NULL;
    }
    char *end = clean;
    for (uint32_t character; (character = text_next(&text)) != 0;) {
        end = encode(end, utf8 ? character : make_ascii(character));
    }
    *end = '\0';
    return clean;
}

size_t cli_text_width(const char *text)
{
    size_t width = 0;
    for (uint32_t character; (character = text_next(&text)) != 0;) {
        width += (size_t)text_character_width(character);
    }
    return width;
}

/* The byte after the longest beginning of `text` that fits in `width` columns. */
static const char *beginning_that_fits(const char *text, size_t width)
{
    size_t taken = 0;
    for (const char *next = text; *next != '\0'; text = next) {
        taken += (size_t)text_character_width(text_next(&next));
        if (taken > width) {
            break;
        }
    }
    return text;
}

char *cli_text_shorten(const char *text, size_t width, bool utf8)
{
    if (width == 0) {
        return strdup("");
    }
    if (cli_text_width(text) <= width) {
        return strdup(text);
    }
    size_t length = (size_t)(beginning_that_fits(text, width - 1) - text);
    char *shortened = malloc(length + 4);
    if (shortened == NULL) {
        return NULL;
    }
    memcpy(shortened, text, length);
    *encode(shortened + length, utf8 ? ELLIPSIS : '~') = '\0';
    return shortened;
}
