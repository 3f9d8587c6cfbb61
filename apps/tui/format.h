/*
 * Numbers as people read them, short enough for columns. NaN is "N/A". Each writes a text that is cut to `size` bytes, NUL included, and
 * returns its length.
 */
#ifndef TUI_FORMAT_H
#define TUI_FORMAT_H

#include <stddef.h>
#include <stdint.h>

/** "512K", "61.3M", "71.7G": at most six characters below 10 PiB. */
size_t tui_format_bytes(double bytes, char *text, size_t size);

/** A number with so many decimals and its unit behind it. */
size_t tui_format_number(double number, int decimals, const char *unit, char *text, size_t size);

/** "12s", "3:07", "5:12:09", "12d04h": how long something has lasted. */
size_t tui_format_span(double seconds, char *text, size_t size);

#endif
