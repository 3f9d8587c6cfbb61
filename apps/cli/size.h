/*
 * Amounts as people write them in options: bytes, shares, spans of time.
 * Knows no option by itself.
 */
#ifndef CLI_SIZE_H
#define CLI_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "options.h"

/**
 * Reads bytes: "4096", "8GiB", "1.5 GiB", "512M", "8GB". KiB, MiB, GiB and TiB, and K, M, G and T alone, count by 1024, as GPU memory
 * is counted; KB, MB, GB and TB by 1000. Upper or lower case. False when the text is none, or too large.
 */
bool cli_parse_bytes(const char *text, uint64_t *bytes);

/** Reads a share from 0 to `largest` percent: "50%", or "50" where `bare` allows it. */
bool cli_parse_percent(const char *text, bool bare, double largest, double *percent);

/** Reads a span of time in milliseconds: "5" (seconds), "0.5", "500ms", "2s", "1.5m", "1h". False when the text is none, or too long. */
bool cli_parse_milliseconds(const char *text, uint64_t *milliseconds);

/** The same for the argument of the option that was just returned; false after a message. */
bool cli_options_bytes(const cli_options *options, const char *name, uint64_t *bytes);
bool cli_options_percent(const cli_options *options, const char *name, double largest, double *percent);
/** At least one millisecond, at most a year. */
bool cli_options_milliseconds(const cli_options *options, const char *name, uint64_t *milliseconds);

#endif
