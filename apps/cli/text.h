/*
 * Text for a terminal: how wide it is, how to shorten it, how to make text from outside harmless.
 * Knows nothing of tables and colours.
 */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/**
 * A copy of `text` that is safe to print, each character as text_next() gives it: what must not be shown is replaced (by U+FFFD, or '?' when `utf8` is false); without `utf8` every character outside ASCII becomes '?', the
 * few signs that the program itself uses become their ASCII form. Newlines and tabs become spaces. The caller frees it; NULL
 * when memory runs out.
 */
char *cli_text_clean(const char *text, bool utf8);

/** The columns that a clean text takes on a terminal. */
size_t cli_text_width(const char *text);

/**
 * A copy of clean `text` in at most `width` columns; an ellipsis at its end stands for what is left out. The caller frees
 * it; NULL when memory runs out.
 */
char *cli_text_shorten(const char *text, size_t width, bool utf8);

#endif
