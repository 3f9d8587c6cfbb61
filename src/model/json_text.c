/*
 * Texts and primitives of JSON. A \u0000 and a lone surrogate are refused: no text of C or of UTF-8 can hold them.
 */
#include "model/json_text.h"

#include <string.h>

#include "base/utf8.h"

static unsigned int hex_of(char digit)
{
    return digit <= '9' ? (unsigned int)(digit - '0') : ((unsigned int)digit | 0x20u) - 'a' + 10;
}

static bool is_hex(char digit)
{
    return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f') || (digit >= 'A' && digit <= 'F');
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* The four digits behind "\u"; `room` bytes are there. 0 when they are not: U+0000 is refused anyway. */
static unsigned int unit_of(const char *escape, size_t room)
{
    unsigned int unit = 0;
    if (room < 6 || escape[0] != '\\' || escape[1] != 'u') {
        return 0;
    }
    for (int i = 2; i < 6; i++) {
        if (!is_hex(escape[i])) {
            return 0;
        }
        unit = unit << 4 | hex_of(escape[i]);
    }
    return unit;
}

static bool is_high(unsigned int unit)
{
    return unit >= 0xd800 && unit <= 0xdbff;
}

static bool is_low(unsigned int unit)
{
    return unit >= 0xdc00 && unit <= 0xdfff;
}

/* Bytes of the escape at `text`, 0 when it is none. */
static size_t escape_length(const char *text, size_t room)
{
    if (room >= 2 && text[1] != '\0' && strchr("\"\\/bfnrt", text[1]) != NULL) {
        return 2;
    }
    unsigned int unit = unit_of(text, room);
    if (is_high(unit)) {
        return is_low(unit_of(text + 6, room - 6)) ? 12 : 0;
    }
    return unit == 0 || is_low(unit) ? 0 : 6;
}

bool nvp__json_check_text(struct nvp__json *json, size_t begin)
{
    for (size_t at = begin + 1; at < json->length;) {
        const char *text = json->text + at;
        size_t room = json->length - at;
        if (*text == '"') {
            return true;
        }
        if (*text == '\\') {
            size_t length = escape_length(text, room);
            if (length == 0) {
                return nvp__json_fail_at(json, at, "a bad escape in a text");
            }
            at += length;
            continue;
        }
        size_t length = (unsigned char)*text < 0x20 ? 0 : nvp__utf8_character(text, room);
        if (length == 0) {
            return nvp__json_fail_at(json, at,
                                     (unsigned char)*text < 0x20 ? "a control character in a text" : "bad UTF-8 in a text");
        }
        at += length;
    }
    return nvp__json_fail_at(json, json->length, "the text ends too early");
}

/* Goes over digits; false when there is none. */
static bool pass_digits(const char **at, const char *end)
{
    const char *first = *at;
    while (*at < end && is_digit(**at)) {
        (*at)++;
    }
    return *at > first;
}

/* -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)? */
static bool is_number(const char *at, const char *end)
{
    at += at < end && *at == '-';
    const char *first = at;
    if (!pass_digits(&at, end) || (*first == '0' && at - first > 1)) {
        return false;
    }
    if (at < end && *at == '.') {
        at++;
        if (!pass_digits(&at, end)) {
            return false;
        }
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        at += at < end && (*at == '+' || *at == '-');
        if (!pass_digits(&at, end)) {
            return false;
        }
    }
    return at == end;
}

bool nvp__json_check_primitive(struct nvp__json *json, size_t begin, size_t end)
{
    static const char *const words[] = { "null", "true", "false" };
    const char *text = json->text + begin;
    size_t length = end - begin;
    bool fits = is_number(text, json->text + end);
    for (size_t i = 0; !fits && i < sizeof(words) / sizeof(words[0]); i++) {
        fits = strlen(words[i]) == length && memcmp(words[i], text, length) == 0;
    }
    return fits ? true : nvp__json_fail_at(json, begin, "neither a number nor null, true or false");
}

static char *put_character(char *out, unsigned int code)
{
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xc0 | code >> 6);
        *out++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *out++ = (char)(0xe0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
        *out++ = (char)(0x80 | (code & 0x3f));
    } else {
        *out++ = (char)(0xf0 | code >> 18);
        *out++ = (char)(0x80 | (code >> 12 & 0x3f));
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
        *out++ = (char)(0x80 | (code & 0x3f));
    }
    return out;
}

static char plain_escape(char letter)
{
    static const char letters[] = "bfnrt";
    static const char meant[] = "\b\f\n\r\t";
    const char *found = strchr(letters, letter);
    return found != NULL ? meant[found - letters] : letter;
}

size_t nvp__json_decode(const char *text, size_t length, char *buffer)
{
    char *out = buffer;
    const char *end = text + length;
    while (text < end) {
        if (*text != '\\') {
            *out++ = *text++;
            continue;
        }
        unsigned int unit = unit_of(text, (size_t)(end - text));
        if (unit == 0) {
            *out++ = plain_escape(text[1]);
            text += 2;
        } else if (is_high(unit)) {
            unsigned int low = unit_of(text + 6, (size_t)(end - text) - 6);
            out = put_character(out, 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
            text += 12;
        } else {
            out = put_character(out, unit);
            text += 6;
        }
    }
    return (size_t)(out - buffer);
}
