/*
 * Decodes UTF-8 itself, so that text from a driver is handled alike in every locale. Widths come from wcwidth().
 * Never trusts a byte: what is no character is replaced.
 */
#include <langinfo.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "text.h"

#define REPLACEMENT 0xfffdu
#define ELLIPSIS 0x2026u

bool cli_text_locale_is_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* Reads one character at `*text` and moves past it; a bad sequence gives REPLACEMENT and moves one byte. */
static uint32_t decode(const char **text)
{
    static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char *bytes = (const unsigned char *)*text;
    size_t length = bytes[0] < 0x80 ? 1 : bytes[0] >> 5 == 6 ? 2 : bytes[0] >> 4 == 14 ? 3 : bytes[0] >> 3 == 30 ? 4 : 0;
    *text += 1;
    if (length == 0) {
        return REPLACEMENT;
    }
    if (length == 1) {
        return bytes[0];
    }
    uint32_t character = bytes[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            return REPLACEMENT;
        }
        character = character << 6 | (bytes[i] & 0x3fu);
    }
    if (character < smallest[length] || character > 0x10ffff || (character >= 0xd800 && character < 0xe000)) {
        return REPLACEMENT;
    }
    *text += length - 1;
    return character;
}

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

/* Marks that turn the direction of writing or hide what follows; a name with them could pass for another. */
static bool turns_text(uint32_t character)
{
    return character == 0x200e || character == 0x200f || (character >= 0x202a && character <= 0x202e) ||
           (character >= 0x2066 && character <= 0x2069) || character == 0x2028 || character == 0x2029 || character == 0xfeff;
}

static uint32_t make_harmless(uint32_t character)
{
    if (character == '\n' || character == '\t') {
        return ' ';
    }
    if (character < 0x20 || (character >= 0x7f && character < 0xa0) || turns_text(character)) {
        return REPLACEMENT;
    }
    return character;
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
    while (*text != '\0') {
        uint32_t character = make_harmless(decode(&text));
        end = encode(end, utf8 ? character : make_ascii(character));
    }
    *end = '\0';
    return clean;
}

static size_t character_width(uint32_t character)
{
    if (character < 0x80) {
        return 1;
    }
    int width = wcwidth((wchar_t)character);
    return width < 0 ? 1 : (size_t)width;
}

size_t cli_text_width(const char *text)
{
    size_t width = 0;
    while (*text != '\0') {
        width += character_width(decode(&text));
    }
    return width;
}

/* The byte after the longest beginning of `text` that fits in `width` columns. */
static const char *beginning_that_fits(const char *text, size_t width)
{
    size_t taken = 0;
    for (const char *next = text; *next != '\0'; text = next) {
        taken += character_width(decode(&next));
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
