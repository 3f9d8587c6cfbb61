/*
 * What can stand for the word that is being typed: the parts of `nvpulse completion`.
 */
#ifndef CLI_COMPLETE_H
#define CLI_COMPLETE_H

#include <stdio.h>

#include "cli.h"

/** The word that is being typed, and where its candidates go: each a line, with its description behind a tab. */
typedef struct complete_word {
    const char *prefix; /**< what stands before the part that is completed, such as "--color=" or "power.draw_mw," */
    size_t prefix_length;
    const char *text; /**< that part */
    FILE *out;
} complete_word;

/** Prints a candidate when the word begins it; `description` may be NULL or "". */
void complete_offer(const complete_word *word, const char *candidate, const char *description);

/**
 * Prints what an option's argument can be. In place of candidates a line may stand that begins with a colon: ":files".
 * Nothing where anything can be.
 */
void complete_argument(const cli_command *command, const cli_option *option, complete_word word);

/** Prints what operand `place` (from 0) of a command can be. */
void complete_operand(const cli_command *command, int place, const complete_word *word);

/**
 * Prints candidates for the last of the words behind "nvpulse". Where the words are those of another command, ":command N" with the number
 * of words of ours before it.
 */
void complete_words(int count, char **words, FILE *out);

/** The script that makes a shell ask; NULL when the shell is not known. */
const char *complete_script(const char *shell);

#endif
