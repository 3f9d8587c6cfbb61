/*
 * "Did you mean": the nearest of several names by edit distance.
 */
#include <string.h>

#include "scenario/reader.h"

enum { WORD_MAX = 64 };

static size_t least(size_t a, size_t b, size_t c)
{
    size_t least_ab = a < b ? a : b;
    return least_ab < c ? least_ab : c;
}

/* Insertions, deletions and changes that turn one word into the other; at most WORD_MAX characters of each count. */
static size_t distance_between(const char *from, const char *to)
{
    size_t from_length = strnlen(from, WORD_MAX), to_length = strnlen(to, WORD_MAX);
    size_t row[WORD_MAX + 1];
    for (size_t j = 0; j <= to_length; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= from_length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= to_length; j++) {
            size_t above = row[j];
            size_t change = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
            row[j] = least(above + 1, row[j - 1] + 1, change);
            diagonal = above;
        }
    }
    return row[to_length];
}

void nvpsim__nearest_start(nvpsim_nearest *nearest, const char *word)
{
    *nearest = (nvpsim_nearest){ .word = word, .name = NULL, .distance = WORD_MAX };
}

void nvpsim__nearest_try(nvpsim_nearest *nearest, const char *name)
{
    size_t distance = distance_between(nearest->word, name);
    if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->name = name;
    }
}

const char *nvpsim__nearest_name(const nvpsim_nearest *nearest)
{
    return nearest->distance <= 1 + strlen(nearest->word) / 3 ? nearest->name : NULL;
}
