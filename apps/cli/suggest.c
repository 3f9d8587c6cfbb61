/*
 * The edit distance behind "did you mean". Words longer than a name of ours can be are not compared at all.
 */
#include <stdbool.h>
#include <string.h>

#include "suggest.h"

#define LONGEST 40

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
static size_t edit_distance(const char *from, size_t from_length, const char *to, size_t to_length)
{
    size_t rows[3][LONGEST + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t column = 0; column <= to_length; column++) {
        above[column] = column;
    }
    for (size_t i = 1; i <= from_length; i++) {
        row[0] = i;
        for (size_t j = 1; j <= to_length; j++) {
            size_t replaced = above[j - 1] + (from[i - 1] != to[j - 1]);
            row[j] = smallest(replaced, above[j] + 1, row[j - 1] + 1);
            if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] && before[j - 2] + 1 < row[j]) {
                row[j] = before[j - 2] + 1;
            }
        }
        size_t *oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[to_length];
}

void cli_suggestion_offer(cli_suggestion *suggestion, const char *name)
{
    size_t word_length = strlen(suggestion->word), name_length = strlen(name);
    if (word_length > LONGEST || name_length > LONGEST || word_length == 0) {
        return;
    }
    size_t allowed = 1 + name_length / 4;
    size_t distance = edit_distance(suggestion->word, word_length, name, name_length);
    bool begins = word_length >= 2 && strncmp(suggestion->word, name, word_length) == 0;
    if (begins) {
        distance = 1;
    }
    if (distance > allowed || distance >= suggestion->distance || distance >= name_length) {
        return;
    }
    suggestion->nearest = name;
    suggestion->distance = distance;
}
