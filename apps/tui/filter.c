/*
 * A filter is a list of conditions, read once and tried on every process.
 */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <nvpulse/base.h>

#include "columns.h"
#include "filter.h"
#include "text.h"

#define CONDITIONS_MAX 32
#define WORD_MAX 128

enum operation { WORD, EQUAL, UNEQUAL, CONTAINS, LACKS, GREATER, LESS, AT_LEAST, AT_MOST };

struct condition {
    enum operation operation;
    bool is_negated; /* of words */
    tui_column column;
    double number;
    char text[WORD_MAX];
};

struct tui_filter {
    size_t count;
    struct condition conditions[CONDITIONS_MAX];
};

/* The reading of a text under way. */
struct parse {
    const char *text, *next;
    char *message;
    size_t size, *at;
};

/* Longer ones before those that they begin with. */
static const struct {
    const char *text;
    enum operation operation;
} operations[] = {
    { "!=", UNEQUAL }, { "!~", LACKS },   { ">=", AT_LEAST }, { "<=", AT_MOST },
    { "=", EQUAL },    { "~", CONTAINS }, { ">", GREATER },   { "<", LESS },
};

static bool NVP_PRINTF(3, 4) refuse(struct parse *parse, const char *where, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(parse->message, parse->size, format, arguments);
    va_end(arguments);
    *parse->at = (size_t)(where - parse->text);
    return false;
}

/* What a unit multiplies a number with; 0 for an unknown one. */
static double factor_of(const char *unit, bool is_time)
{
    static const char sizes[] = "kmgtp";
    if (is_time) {
        double factors[] = { 1, 60, 3600, 86400 };
        const char *units = "smhd", *found = unit[0] != '\0' && unit[1] == '\0' ? strchr(units, unit[0]) : NULL;
        return unit[0] == '\0' ? 1 : found != NULL ? factors[found - units] : 0;
    }
    if (unit[0] == '\0' || strcmp(unit, "%") == 0 || strcasecmp(unit, "b") == 0) {
        return 1;
    }
    const char *found = strchr(sizes, tolower((unsigned char)unit[0]));
    bool is_size = strcasecmp(unit + 1, "") == 0 || strcasecmp(unit + 1, "b") == 0 || strcasecmp(unit + 1, "ib") == 0;
    return found != NULL && is_size ? pow(1024, (double)(found - sizes + 1)) : 0;
}

static bool read_number(struct parse *parse, const char *where, struct condition *condition)
{
    char *unit;
    condition->number = strtod(condition->text, &unit);
    if (unit == condition->text || !isfinite(condition->number)) {
        return refuse(parse, where, "'%s' wants a number, not '%s'", tui_columns[condition->column].name, condition->text);
    }
    double factor = factor_of(unit, condition->column == TUI_COLUMN_time);
    if (factor == 0) {
        return refuse(parse, where, "unknown unit '%s'", unit);
    }
    condition->number *= factor;
    return true;
}

/* One word, quotes taken away: up to a blank, or before one of `ends`. */
static bool read_word(struct parse *parse, const char *ends, char *word)
{
    size_t length = 0;
    const char *start = parse->next;
    char quote = '\0';
    for (; *parse->next != '\0'; parse->next++) {
        char character = *parse->next;
        if (quote == '\0' && (character == ' ' || strchr(ends, character) != NULL)) {
            break;
        }
        if (quote == '\0' && (character == '"' || character == '\'')) {
            quote = character;
        } else if (character == quote) {
            quote = '\0';
        } else if (length + 1 < WORD_MAX) {
            word[length++] = character;
        } else {
            return refuse(parse, start, "this word is too long");
        }
    }
    word[length] = '\0';
    return quote == '\0' || refuse(parse, start, "a quote is not closed");
}

static bool read_comparison(struct parse *parse, const char *where, struct condition *condition)
{
    int column = tui_column_find(condition->text);
    if (column < 0) {
        return refuse(parse, where, "no column is called '%s'", condition->text);
    }
    condition->column = (tui_column)column;
    for (size_t i = 0; condition->operation == WORD && i < sizeof operations / sizeof *operations; i++) {
        size_t length = strlen(operations[i].text);
        if (strncmp(parse->next, operations[i].text, length) == 0) {
            condition->operation = operations[i].operation;
            parse->next += length;
        }
    }
    const char *value = parse->next;
    if (condition->operation == WORD) {
        return refuse(parse, value, "an operator is missing: = != ~ !~ > < >= <=");
    }
    if (!read_word(parse, "", condition->text)) {
        return false;
    }
    if (value == parse->next) {
        return refuse(parse, value, "a value is missing");
    }
    bool compares_text = condition->operation == CONTAINS || condition->operation == LACKS;
    if (!tui_column_is_text(condition->column)) {
        return compares_text ? refuse(parse, where, "'%s' is a number: = != > < >= <=", tui_columns[column].name)
                             : read_number(parse, value, condition);
    }
    bool is_ordered = condition->operation >= GREATER;
    return !is_ordered || refuse(parse, where, "'%s' is a text: = != ~ !~", tui_columns[column].name);
}

static bool read_condition(struct parse *parse, struct condition *condition)
{
    const char *where = parse->next;
    *condition = (struct condition){ .operation = WORD };
    if (*parse->next == '!') {
        condition->is_negated = true;
        parse->next++;
    }
    if (!read_word(parse, "=!~<>", condition->text)) {
        return false;
    }
    if (*parse->next == ' ' || *parse->next == '\0') {
        return condition->text[0] != '\0' || refuse(parse, where, "a word is missing");
    }
    if (condition->is_negated) {
        return refuse(parse, where, "'!' goes before words; comparisons have != and !~");
    }
    return read_comparison(parse, where, condition);
}

tui_filter *tui_filter_parse(const char *text, char *message, size_t size, size_t *at)
{
    struct parse parse = { text, text, message, size, at };
    tui_filter *filter = calloc(1, sizeof *filter);
    bool done = true;
    message[0] = '\0';
    *at = 0;
    if (filter == NULL) {
        refuse(&parse, text, "out of memory");
        return NULL;
    }
    for (;;) {
        parse.next += strspn(parse.next, " ");
        if (!done || *parse.next == '\0') {
            break;
        }
        if (filter->count == CONDITIONS_MAX) {
            done = refuse(&parse, parse.next, "more than %d conditions", CONDITIONS_MAX);
        } else {
            done = read_condition(&parse, &filter->conditions[filter->count]);
            filter->count++;
        }
    }
    if (!done || filter->count == 0) {
        free(filter);
        return NULL;
    }
    return filter;
}

static bool has_word(const nvp_process *process, const char *word)
{
    static const nvp_process_field fields[] = { NVP_PROCESS_COMMAND, NVP_PROCESS_NAME, NVP_PROCESS_USER };
    char pid[24];
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (tui_text_contains(nvp_reading_text(nvp_process_get(process, fields[i]), ""), word)) {
            return true;
        }
    }
    snprintf(pid, sizeof pid, "%llu", (unsigned long long)nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_PID), 0));
    return strcmp(pid, word) == 0;
}

static bool matches_text(const struct condition *condition, const char *text)
{
    if (text == NULL) {
        return false;
    }
    switch (condition->operation) {
    case EQUAL:
        return strcasecmp(text, condition->text) == 0;
    case UNEQUAL:
        return strcasecmp(text, condition->text) != 0;
    case CONTAINS:
        return tui_text_contains(text, condition->text);
    default:
        return !tui_text_contains(text, condition->text);
    }
}

static bool matches_number(const struct condition *condition, double number)
{
    switch (condition->operation) {
    case EQUAL:
        return number == condition->number;
    case UNEQUAL:
        return number < condition->number || number > condition->number; /* false for N/A */
    case GREATER:
        return number > condition->number;
    case LESS:
        return number < condition->number;
    case AT_LEAST:
        return number >= condition->number;
    default:
        return number <= condition->number;
    }
}

static bool matches(const struct condition *condition, const nvp_process *process, double memory_total)
{
    if (condition->operation == WORD) {
        return has_word(process, condition->text) != condition->is_negated;
    }
    if (tui_column_is_text(condition->column)) {
        return matches_text(condition, tui_column_text(condition->column, process));
    }
    if (condition->column == TUI_COLUMN_gpu) {
        return matches_number(condition, nvp_reading_number(nvp_process_get(process, NVP_PROCESS_GPU_INDEX), NAN));
    }
    return matches_number(condition, tui_column_number(condition->column, process, memory_total));
}

bool tui_filter_matches(const tui_filter *filter, const nvp_process *process, double memory_total)
{
    for (size_t i = 0; i < filter->count; i++) {
        if (!matches(&filter->conditions[i], process, memory_total)) {
            return false;
        }
    }
    return true;
}

void tui_filter_free(tui_filter *filter)
{
    free(filter);
}
