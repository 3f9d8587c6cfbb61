/*
 * In a locale without UTF-8 a character outside ASCII is one '?', so that columns stay aligned.
 */
#include <limits.h>
#include <string.h>
#include <strings.h>

#include <text/text.h>

#include "text.h"

wchar_t tui_text_next(const char **text)
{
    uint32_t character = text_next(text);
    if (character < 0x80) {
        return (wchar_t)character;
    }
    if (!text_locale_is_utf8()) {
        return L'?';
    }
    return wcwidth((wchar_t)character) < 0 ? (wchar_t)TEXT_REPLACEMENT : (wchar_t)character; /* none that this system knows */
}

int tui_text_width(const char *text)
{
    int width = 0;
    while (*text != '\0') {
        if (tui_text_is_plain(*text)) {
            width++;
            text++;
        } else {
            width += text_character_width((uint32_t)tui_text_next(&text));
        }
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
