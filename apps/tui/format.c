/*
 * Sizes count by 1024, as the driver's do.
 */
#include <math.h>
#include <stdio.h>

#include "format.h"

void tui_format_bytes(double bytes, char *text, size_t size)
{
    static const char units[] = "BKMGTPE";
    size_t unit = 0;
    if (isnan(bytes)) {
        snprintf(text, size, "N/A");
        return;
    }
    while (bytes >= 1023.5 && unit + 2 < sizeof units) {
        bytes /= 1024;
        unit++;
    }
    snprintf(text, size, "%.*f%c", unit >= 2 && bytes < 99.95 ? 1 : 0, bytes, units[unit]);
}

void tui_format_number(double number, int decimals, const char *unit, char *text, size_t size)
{
    if (isnan(number)) {
        snprintf(text, size, "N/A");
    } else {
        snprintf(text, size, "%.*f%s", decimals, number, unit);
    }
}

void tui_format_span(double seconds, char *text, size_t size)
{
    if (isnan(seconds) || seconds < 0 || seconds > 1e12) {
        snprintf(text, size, "N/A");
        return;
    }
    unsigned long long whole = (unsigned long long)seconds;
    unsigned long long days = whole / 86400, hours = whole / 3600 % 24, minutes = whole / 60 % 60, rest = whole % 60;
    if (days > 0) {
        snprintf(text, size, "%llud%02lluh", days, hours);
    } else if (hours > 0) {
        snprintf(text, size, "%llu:%02llu:%02llu", hours, minutes, rest);
    } else if (minutes > 0) {
        snprintf(text, size, "%llu:%02llu", minutes, rest);
    } else {
        snprintf(text, size, "%llus", rest);
    }
}
