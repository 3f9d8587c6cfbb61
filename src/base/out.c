/*
 * The text writer. Numbers are written as in the C locale, whatever locale the program has chosen.
 */
#include "base/out.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct nvp__out nvp__out_over(char *buffer, size_t size)
{
    if (size > 0) {
        buffer[0] = '\0';
    }
    return (struct nvp__out){ .buffer = buffer, .size = size, .length = 0 };
}

struct nvp__out nvp__out_growing(size_t size)
{
    char *buffer = malloc(size > 0 ? size : 1);
    struct nvp__out out = nvp__out_over(buffer, buffer == NULL ? 0 : size > 0 ? size : 1);
    out.grows = true;
    return out;
}

char *nvp__out_take(struct nvp__out *out)
{
    char *text = out->buffer;
    if (text != NULL && out->length >= out->size) {
        free(text);
        text = NULL;
    }
    *out = nvp__out_over(NULL, 0);
    return text;
}

/* Makes room for `length` more bytes and the NUL. Text that was lost once stays lost: a later piece must not close the gap. */
static void grow(struct nvp__out *out, size_t length)
{
    size_t needed;
    if (out->size == 0 || out->length >= out->size || __builtin_add_overflow(out->length, length, &needed) ||
        needed < out->size) {
        return;
    }
    size_t size = needed < SIZE_MAX / 2 ? needed * 2 : SIZE_MAX;
    char *buffer = realloc(out->buffer, size);
    if (buffer != NULL) {
        out->buffer = buffer;
        out->size = size;
    }
}

void nvp__out_bytes(struct nvp__out *out, const char *text, size_t length)
{
    if (out->grows) {
        grow(out, length);
    }
    if (out->length < out->size) {
        size_t room = out->size - out->length - 1;
        size_t copied = length < room ? length : room;
        memcpy(out->buffer + out->length, text, copied);
        out->buffer[out->length + copied] = '\0';
    }
    out->length += length;
}

void nvp__out_text(struct nvp__out *out, const char *text)
{
    nvp__out_bytes(out, text, strlen(text));
}

void nvp__out_format(struct nvp__out *out, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (length > 0) {
        nvp__out_bytes(out, text, (size_t)length < sizeof(text) ? (size_t)length : sizeof(text) - 1);
    }
}

void nvp__out_uint(struct nvp__out *out, uint64_t number)
{
    char digits[20];
    size_t first = sizeof(digits);
    do {
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    nvp__out_bytes(out, digits + first, sizeof(digits) - first);
}

void nvp__out_hex(struct nvp__out *out, const unsigned char *bytes, size_t length)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < length; i++) {
        const char pair[2] = { digits[bytes[i] >> 4], digits[bytes[i] & 15] };
        nvp__out_bytes(out, pair, sizeof(pair));
    }
}

void nvp__out_json_text(struct nvp__out *out, const char *text)
{
    const char *plain = text; /* what needs no escape goes in one piece */
    nvp__out_text(out, "\"");
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte != '"' && byte != '\\' && byte >= 0x20 && byte != 0x7f) {
            continue;
        }
        nvp__out_bytes(out, plain, (size_t)(text - plain));
        plain = text + 1;
        if (byte == '"' || byte == '\\') {
            const char escaped[2] = { '\\', (char)byte };
            nvp__out_bytes(out, escaped, sizeof(escaped));
        } else {
            nvp__out_format(out, "\\u%04x", byte);
        }
    }
    nvp__out_text(out, plain);
    nvp__out_text(out, "\"");
}

void nvp__out_json_real(struct nvp__out *out, double number)
{
    if (!isfinite(number)) {
        nvp__out_text(out, "null");
        return;
    }
    char text[64];
    int length = snprintf(text, sizeof(text), "%.17g", number);
    for (int digits = 1; digits < 17; digits++) { /* the shortest form that reads back as the same number */
        char shorter[64];
        double back;
        int bytes = snprintf(shorter, sizeof(shorter), "%.*g", digits, number);
        if (sscanf(shorter, "%lf", &back) == 1 && back == number) {
            memcpy(text, shorter, (size_t)bytes + 1);
            length = bytes;
            break;
        }
    }
    for (int i = 0; i < length; i++) {
        if (text[i] == ',') {
            text[i] = '.';
        }
    }
    nvp__out_bytes(out, text, (size_t)length);
}
