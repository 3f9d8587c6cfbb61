/*
 * Text from a driver, from /proc or from a user made valid UTF-8: bad bytes become U+FFFD.
 * Knows nothing of widths or languages.
 */
#ifndef NVP_BASE_UTF8_H
#define NVP_BASE_UTF8_H

#include <stddef.h>

/**
 * Copies `length` bytes of `text` to `buffer`, each byte that is not part of valid UTF-8 replaced by U+FFFD.
 * Writes whole characters only, and a NUL, whenever `size` > 0. Returns the length that the whole result has, without the NUL.
 */
size_t nvp__utf8_repair(const char *text, size_t length, char *buffer, size_t size);

/**
 * As nvp__utf8_repair(), and without control characters, which would reach a terminal: white space among them becomes a space, the
 * others U+FFFD.
 */
size_t nvp__utf8_clean(const char *text, size_t length, char *buffer, size_t size);

/** The number of bytes (1 to 4) of the valid character at `text`, or 0 if there is none within `length` bytes. */
size_t nvp__utf8_character(const char *text, size_t length);

#endif
