/*
 * Conditions on processes, as typed: words, and comparisons such as "mem>2G user=root command~train".
 * All of them must hold. A word is looked for in command, name, user and pid; a '!' before a word turns it round.
 */
#ifndef TUI_FILTER_H
#define TUI_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include <nvpulse/process.h>

typedef struct tui_filter tui_filter;

/**
 * Reads a filter. NULL when there is nothing to filter by (then `message` is ""), or with one line in `message` that says what is wrong,
 * and `*at` the byte where.
 */
tui_filter *tui_filter_parse(const char *text, char *message, size_t size, size_t *at);

/** Whether a process fits. `memory_total` as in tui_column_number(). What is N/A fits no comparison. */
bool tui_filter_matches(const tui_filter *filter, const nvp_process *process, double memory_total);

/** NULL is allowed. */
void tui_filter_free(tui_filter *filter);

#endif
