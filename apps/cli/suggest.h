/*
 * "Did you mean": the nearest of a few names to a word that is none of them.
 */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include <stddef.h>

/** Keeps the nearest of the names that are offered to it. Start from CLI_SUGGESTION_FOR(word). */
typedef struct cli_suggestion {
    const char *word;
    const char *nearest; /**< the best so far, or NULL when nothing is near */
    size_t distance;     /**< edits between the two */
} cli_suggestion;

#define CLI_SUGGESTION_FOR(word)                                                                                                 \
    {                                                                                                                            \
        (word), NULL, (size_t)-1                                                                                                 \
    }

/** Offers one name: it is kept when it is nearer than those before and near enough to be meant. */
void cli_suggestion_offer(cli_suggestion *suggestion, const char *name);

#endif
