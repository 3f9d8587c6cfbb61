/*
 * Decoding is the C library's, in a UTF-8 locale. Elsewhere a sequence of several bytes is one '?', so that columns stay aligned.
 */
#include <langinfo.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

#include "text.h"

#define REPLACEMENT L'\xfffd'

bool tui_text_locale_is_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* Bytes that belong together, as the first one says and the others confirm. */
static size_t sequence_length(const char *text)
{
    unsigned char first = (unsigned char)text[0];
    size_t expected = first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 1;
    size_t length = 1;
    while (length < expected && ((unsigned char)text[length] & 0xc0) == 0x80) {
        length++;
    }
    return length;
}

/* Marks that turn the direction of writing or hide what follows; a name with them could pass for another. */
static bool turns_text(wchar_t character)
{
    return character == 0x200e || character == 0x200f || (character >= 0x202a && character <= 0x202e) ||
           (character >= 0x2066 && character <= 0x2069) || character == 0x2028 || character == 0x2029 || character == 0xfeff;
}

static wchar_t next_wide(const char **text)
{
    size_t length = sequence_length(*text);
    wchar_t character = 0;
    mbstate_t state = { 0 };
    size_t taken = mbrtowc(&character, *text, length, &state);
    if (taken == (size_t)-1 || taken == (size_t)-2 || taken == 0) {
        *text += 1;
        return REPLACEMENT;
    }
    *text += taken;
    bool is_hidden = character < 0xa0 || turns_text(character) || wcwidth(character) < 0;
    return is_hidden ? REPLACEMENT : character;
}

wchar_t tui_text_next(const char **text)
{
    unsigned char first = (unsigned char)**text;
    if (first == '\0') {
        return 0;
    }
    if (first >= 0x80 && tui_text_locale_is_utf8()) {
        return next_wide(text);
    }
    if (first >= 0x80) {
        *text += sequence_length(*text);
        return L'?';
    }
    *text += 1;
    if (first >= 0x20 && first != 0x7f) {
        return first;
    }
    return first == '\n' || first == '\t' ? L' ' : tui_text_locale_is_utf8() ? REPLACEMENT : L'?';
}

int tui_text_character_width(wchar_t character)
{
    if (character < 0x80) {
        return 1;
    }
    int width = wcwidth(character);
    return width < 0 ? 1 : width;
}

int tui_text_width(const char *text)
{
    int width = 0;
    for (wchar_t character; (character = tui_text_next(&text)) != 0;) {
        width += tui_text_character_width(character);
    }
    return width;
}

bool tui_text_contains(const char *text, const char *part)
{
    size_t length = strlen(part);
    for (; length > 0 && *text != '\0'; text++) {
        if (strncasecmp(text, part, length) == 0) {
            return true;
        }
    }
    return length == 0;
}

bool tui_text_append(char *buffer, size_t size, wchar_t character)
{
    char bytes[MB_LEN_MAX];
    mbstate_t state = { 0 };
    size_t length = wcrtomb(bytes, character, &state), used = strlen(buffer);
    if (length == (size_t)-1 || length >= size - used) {
        return false;
    }
    memcpy(buffer + used, bytes, length);
    buffer[used + length] = '\0';
    return true;
}

void tui_text_chop(char *buffer)
{
    size_t length = strlen(buffer);
    while (length > 0 && ((unsigned char)buffer[length - 1] & 0xc0) == 0x80) {
        length--;
    }
    buffer[length > 0 ? length - 1 : 0] = '\0';
}
