/*
 * UTF-8 as of RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
 */
#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

static int is_continuation(unsigned char byte)
{
    return (byte & 0xc0u) == 0x80u;
}

/* The allowed range of the second byte depends on the first. */
static int second_byte_fits(unsigned char first, unsigned char second)
{
    switch (first) {
    case 0xe0:
        return second >= 0xa0 && second <= 0xbf;
    case 0xed:
        return second >= 0x80 && second <= 0x9f;
    case 0xf0:
        return second >= 0x90 && second <= 0xbf;
    case 0xf4:
        return second >= 0x80 && second <= 0x8f;
    default:
        return is_continuation(second);
    }
}

size_t nvp__utf8_character(const char *text, size_t length)
{
    const unsigned char *byte = (const unsigned char *)text;
    size_t need;
    if (length == 0) {
        return 0;
    }
    if (byte[0] < 0x80) {
        return 1;
    }
    if (byte[0] >= 0xc2 && byte[0] <= 0xdf) {
        need = 2;
    } else if (byte[0] >= 0xe0 && byte[0] <= 0xef) {
        need = 3;
    } else if (byte[0] >= 0xf0 && byte[0] <= 0xf4) {
        need = 4;
    } else {
        return 0;
    }
    if (length < need || !second_byte_fits(byte[0], byte[1])) {
        return 0;
    }
    for (size_t i = 2; i < need; i++) {
        if (!is_continuation(byte[i])) {
            return 0;
        }
    }
    return need;
}

/* What is written for the `bytes` bytes of a character, or of a bad byte when that is 0. */
static const char *as_it_is(const char *text, size_t bytes, size_t *out)
{
    *out = bytes > 0 ? bytes : sizeof(REPLACEMENT) - 1;
    return bytes > 0 ? text : REPLACEMENT;
}

/* Control characters are U+0000 to U+001F and U+007F to U+009F. */
static const char *without_controls(const char *text, size_t bytes, size_t *out)
{
    unsigned char first = (unsigned char)text[0];
    bool is_control = bytes == 1 ? first < 0x20 || first == 0x7f : bytes == 2 && first == 0xc2 && (unsigned char)text[1] < 0xa0;
    if (is_control && first >= '\t' && first <= '\r') {
        *out = 1;
        return " ";
    }
    return as_it_is(text, is_control ? 0 : bytes, out);
}

static size_t copy(const char *text, size_t length, char *buffer, size_t size,
                   const char *(*written_for)(const char *text, size_t bytes, size_t *out))
{
    size_t total = 0;
    size_t written = 0;
    int full = size == 0;
    for (size_t at = 0; at < length;) {
        size_t bytes = nvp__utf8_character(text + at, length - at);
        size_t out;
        const char *from = written_for(text + at, bytes, &out);
        full = full || total + out >= size;
        if (!full) {
            memcpy(buffer + total, from, out);
            written = total + out;
        }
        total += out;
        at += bytes > 0 ? bytes : 1;
    }
    if (size > 0) {
        buffer[written] = '\0';
    }
    return total;
}

size_t nvp__utf8_repair(const char *text, size_t length, char *buffer, size_t size)
{
    return copy(text, length, buffer, size, as_it_is);
}

size_t nvp__utf8_clean(const char *text, size_t length, char *buffer, size_t size)
{
    return copy(text, length, buffer, size, without_controls);
}
