/*
 * Reads blocks, cuts them into lines, and gives each to whoever takes it.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"

/** So many bad lines are named. */
#define NAMED_MAX 10
/** A line that is longer is none, whatever it is. */
#define LINE_MAX_BYTES ((size_t)256 << 20)
#define BLOCK_BYTES ((size_t)1 << 16)

/** A file that is read in lines. */
struct source {
    FILE *file;
    char *text; /* what was read and not given out begins at `begin` */
    size_t begin, length, capacity;
    bool is_at_end, is_too_long, failed;
};

/* Makes room for a block and reads it; false at the end, or when nothing can be read. */
static bool read_block(struct source *source)
{
    memmove(source->text, source->text + source->begin, source->length);
    source->begin = 0;
    if (source->capacity - source->length < BLOCK_BYTES) {
        size_t capacity = source->capacity * 2;
        char *text = realloc(source->text, capacity);
        if (text == NULL) {
            source->failed = true;
            return false;
        }
        source->text = text;
        source->capacity = capacity;
    }
    size_t got = fread(source->text + source->length, 1, BLOCK_BYTES, source->file);
    source->length += got;
    source->is_at_end = got == 0;
    return got > 0;
}

/* The next line without its newline; false at the end. `*is_whole`: it had one. */
static bool next_line(struct source *source, char **line, size_t *length, bool *is_whole)
{
    size_t looked = 0;
    source->is_too_long = false;
    for (;;) {
        char *begin = source->text + source->begin;
        char *end = memchr(begin + looked, '\n', source->length - looked);
        if (end != NULL || (source->is_at_end && source->length > 0)) {
            *line = begin;
            *length = end != NULL ? (size_t)(end - begin) : source->length;
            *is_whole = end != NULL;
            size_t taken = *length + (end != NULL);
            source->begin += taken;
            source->length -= taken;
            return true;
        }
        if (source->length > LINE_MAX_BYTES) { /* its end is looked for, and nothing of it kept */
            source->is_too_long = true;
            source->length = 0;
        }
        looked = source->length;
        if (!read_block(source) && (source->failed || source->length == 0)) {
            return false;
        }
    }
}

/** The reading of a file. */
struct reading {
    cli_lines *lines;
    size_t number; /* of the line, from 1 */
    int code;
};

static void name_bad_line(struct reading *reading, const char *message)
{
    reading->lines->bad++;
    if (reading->lines->bad <= NAMED_MAX) {
        cli_fail(0, reading->lines->command, "line %zu is left out: %s", reading->number, message);
    }
}

static bool is_blank(const char *line, size_t length)
{
    size_t i = 0;
    while (i < length && (line[i] == ' ' || line[i] == '\t' || line[i] == '\r')) {
        i++;
    }
    return i == length;
}

/* Returns false when nothing more is to be read. */
static bool take_line(struct reading *reading, const char *line, size_t length, bool is_whole)
{
    const cli_command *command = reading->lines->command;
    char message[160] = "";
    switch (reading->lines->take(reading->lines->context, line, length, message, sizeof message)) {
    case NVP_SUCCESS:
        return true;
    case NVP_ERROR_BAD_DATA:
        if (is_whole) {
            name_bad_line(reading, message);
        } else {
            cli_fail(0, command, "line %zu, the last one, is cut and left out", reading->number);
            reading->lines->bad++;
        }
        return true;
    case NVP_ERROR_NOT_BUILT:
        reading->code = cli_fail(CLI_FAILED, command, "this libnvpulse was built without a reader of JSON");
        return false;
    default:
        reading->code = cli_no_memory(command);
        return false;
    }
}

static void read_lines(struct reading *reading, struct source *source)
{
    char *line, message[80];
    size_t length;
    bool is_whole, goes_on = true;
    while (goes_on && next_line(source, &line, &length, &is_whole)) {
        reading->number++;
        if (source->is_too_long) {
            snprintf(message, sizeof message, "it is too long for %s", reading->lines->thing);
            name_bad_line(reading, message);
        } else if (memchr(line, '\0', length) != NULL) {
            name_bad_line(reading, "it has a byte 0");
        } else if (!is_blank(line, length)) {
            goes_on = take_line(reading, line, length, is_whole);
        }
    }
    if (source->failed) {
        reading->code = cli_no_memory(reading->lines->command);
    }
}

const char *cli_lines_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

int cli_lines_read(cli_lines *lines, const char *path)
{
    bool is_standard = strcmp(path, "-") == 0;
    struct source source = { .capacity = 4 * BLOCK_BYTES };
    struct reading reading = { .lines = lines, .code = CLI_OK };
    source.file = is_standard ? stdin : fopen(path, "re");
    if (source.file == NULL) {
        return cli_fail(CLI_FAILED, lines->command, "cannot read %s: %s", path, strerror(errno));
    }
    source.text = calloc(1, source.capacity);
    source.failed = source.text == NULL;
    errno = 0;
    if (!source.failed) {
        read_lines(&reading, &source);
    }
    if (ferror(source.file)) {
        reading.code = cli_fail(CLI_FAILED, lines->command, "cannot read %s: %s", cli_lines_name(path), strerror(errno));
    } else if (source.failed && reading.code == CLI_OK) {
        reading.code = cli_no_memory(lines->command);
    }
    if (!is_standard) {
        fclose(source.file);
    }
    free(source.text);
    if (reading.code == CLI_OK && lines->bad > NAMED_MAX) {
        cli_fail(0, lines->command, "%llu lines are left out", (unsigned long long)lines->bad);
    }
    return reading.code;
}
