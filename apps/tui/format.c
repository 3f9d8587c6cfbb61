/*
 * Sizes count by 1024, as the driver's do. A picture has hundreds of numbers: digits are written here, and only numbers that are out of
 * the ordinary go to printf(). Both round alike: to the nearest, and half-way to the even one.
 */
#include <math.h>
#include <stdio.h>

#include "format.h"

/** Where a text is written; `end` has room for the NUL. */
struct out {
    char *text, *next, *end;
};

static struct out out_over(char *text, size_t size)
{
    return (struct out){ text, text, text + size - 1 };
}

static void put(struct out *out, const char *part)
{
    while (*part != '\0' && out->next < out->end) {
        *out->next++ = *part++;
    }
}

/* A number with `least` digits or more. */
static void put_whole(struct out *out, uint64_t number, int least)
{
    char digits[24], *first = digits + sizeof digits - 1;
    *first = '\0';
    for (; number > 0 || least > 0; number /= 10, least--) {
        *--first = (char)('0' + number % 10);
    }
    put(out, first);
}

static size_t finish(struct out *out)
{
    *out->next = '\0';
    return (size_t)(out->next - out->text);
}

/* A share of 1 in tenths, 0 to 10; exact, since what is smaller than the last bit here is far from the half of a tenth. */
static unsigned int tenths_of(double share)
{
    const uint64_t one = (uint64_t)1 << 59;
    uint64_t tenths = (uint64_t)(share * 0x1p59) * 10, rest = tenths % one;
    unsigned int whole = (unsigned int)(tenths / one);
    return whole + (rest > one / 2 || (rest == one / 2 && whole % 2 == 1));
}

static void put_number(struct out *out, double number, int decimals)
{
    char text[512];
    if (!(number >= 0 && number < 1e15) || decimals > 1) {
        snprintf(text, sizeof text, "%.*f", decimals, number);
        put(out, text);
        return;
    }
    uint64_t whole = (uint64_t)number;
    double rest = number - (double)whole;
    if (decimals == 0) {
        put_whole(out, whole + (rest > 0.5 || (rest == 0.5 && whole % 2 == 1)), 1);
        return;
    }
    unsigned int tenths = tenths_of(rest);
    put_whole(out, whole + tenths / 10, 1);
    put(out, ".");
    put_whole(out, tenths % 10, 1);
}

size_t tui_format_bytes(double bytes, char *text, size_t size)
{
    static const char *const units[] = { "B", "K", "M", "G", "T", "P", "E" };
    size_t unit = 0;
    while (bytes >= 1023.5 && unit + 1 < sizeof units / sizeof *units) {
        bytes /= 1024;
        unit++;
    }
    return tui_format_number(bytes, unit >= 2 && bytes < 99.95 ? 1 : 0, units[unit], text, size);
}

size_t tui_format_number(double number, int decimals, const char *unit, char *text, size_t size)
{
    struct out out = out_over(text, size);
    if (isnan(number)) {
        put(&out, "N/A");
    } else {
        put_number(&out, number, decimals);
        put(&out, unit);
    }
    return finish(&out);
}

size_t tui_format_span(double seconds, char *text, size_t size)
{
    struct out out = out_over(text, size);
    if (isnan(seconds) || seconds < 0 || seconds > 1e12) {
        put(&out, "N/A");
        return finish(&out);
    }
    uint64_t whole = (uint64_t)seconds;
    uint64_t days = whole / 86400, hours = whole / 3600 % 24, minutes = whole / 60 % 60, rest = whole % 60;
    if (days > 0) {
        put_whole(&out, days, 1);
        put(&out, "d");
        put_whole(&out, hours, 2);
        put(&out, "h");
        return finish(&out);
    }
    if (hours > 0) {
        put_whole(&out, hours, 1);
        put(&out, ":");
    }
    if (hours > 0 || minutes > 0) {
        put_whole(&out, minutes, hours > 0 ? 2 : 1);
        put(&out, ":");
    }
    put_whole(&out, rest, hours > 0 || minutes > 0 ? 2 : 1);
    put(&out, hours > 0 || minutes > 0 ? "" : "s");
    return finish(&out);
}
