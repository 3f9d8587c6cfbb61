/*
 * Reads a recording line by line, however long it is. A line that is no snapshot is named and left out; a last line that was cut by a
 * kill is no more than a note.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "part.h"
#include "report.h"

/** So many bad lines are named. */
#define NAMED_MAX 10
/** A line that is longer is no snapshot, whatever it is. */
#define LINE_MAX_BYTES ((size_t)256 << 20)
#define BLOCK_BYTES ((size_t)1 << 16)

/** A file that is read in lines. */
struct lines {
    FILE *file;
    char *text; /* what was read and not given out begins at `begin` */
    size_t begin, length, capacity;
    bool is_at_end, is_too_long, failed;
};

/* Makes room for a block and reads it; false at the end, or when nothing can be read. */
static bool read_block(struct lines *lines)
{
    memmove(lines->text, lines->text + lines->begin, lines->length);
    lines->begin = 0;
    if (lines->capacity - lines->length < BLOCK_BYTES) {
        size_t capacity = lines->capacity * 2;
        char *text = realloc(lines->text, capacity);
        if (text == NULL) {
            lines->failed = true;
            return false;
        }
        lines->text = text;
        lines->capacity = capacity;
    }
    size_t got = fread(lines->text + lines->length, 1, BLOCK_BYTES, lines->file);
    lines->length += got;
    lines->is_at_end = got == 0;
    return got > 0;
}

/* The next line without its newline; false at the end. `*is_whole`: it had one. */
static bool next_line(struct lines *lines, char **line, size_t *length, bool *is_whole)
{
    size_t looked = 0;
    lines->is_too_long = false;
    for (;;) {
        char *begin = lines->text + lines->begin;
        char *end = memchr(begin + looked, '\n', lines->length - looked);
        if (end != NULL || (lines->is_at_end && lines->length > 0)) {
            *line = begin;
            *length = end != NULL ? (size_t)(end - begin) : lines->length;
            *is_whole = end != NULL;
            size_t taken = *length + (end != NULL);
            lines->begin += taken;
            lines->length -= taken;
            return true;
        }
        if (lines->length > LINE_MAX_BYTES) { /* its end is looked for, and nothing of it kept */
            lines->is_too_long = true;
            lines->length = 0;
        }
        looked = lines->length;
        if (!read_block(lines) && (lines->failed || lines->length == 0)) {
            return false;
        }
    }
}

/** What the reading of a file works with. */
struct reading {
    report_summary *report;
    const char *ids;
    size_t number; /* of the line, from 1 */
    bool id_found; /* in some snapshot each word of `ids` named a device */
    char missing[96];
    int code;
};

static void name_bad_line(struct reading *reading, const char *message)
{
    reading->report->bad_lines++;
    if (reading->report->bad_lines <= NAMED_MAX) {
        cli_fail(0, &cli_report_command, "line %zu is left out: %s", reading->number, message);
    }
}

/* Takes the chosen devices; returns false when memory ran out. */
static bool take(struct reading *reading, nvp_snapshot *snapshot)
{
    if (reading->ids == NULL) {
        report_take(reading->report, snapshot);
        return !reading->report->failed;
    }
    const char *missing = NULL;
    nvp_snapshot *part = NULL;
    cli_match match = CLI_MATCH_ONE;
    if (cli_part(snapshot, reading->ids, &part, &match, &missing) != NVP_SUCCESS) {
        return false;
    }
    reading->id_found = reading->id_found || match == CLI_MATCH_ONE;
    snprintf(reading->missing, sizeof reading->missing, "%s", missing != NULL ? missing : "");
    report_take(reading->report, part);
    nvp_snapshot_free(part);
    return !reading->report->failed;
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
    char message[160] = "";
    nvp_snapshot *snapshot = NULL;
    nvp_status status = nvp_snapshot_from_json(line, length, &snapshot, message, sizeof message);
    switch (status) {
    case NVP_SUCCESS:
        break;
    case NVP_ERROR_BAD_DATA:
        if (is_whole) {
            name_bad_line(reading, message);
        } else {
            cli_fail(0, &cli_report_command, "line %zu, the last one, is cut and left out", reading->number);
            reading->report->bad_lines++;
        }
        return true;
    case NVP_ERROR_NOT_BUILT:
        reading->code = cli_fail(CLI_FAILED, &cli_report_command, "this libnvpulse was built without a reader of JSON");
        return false;
    default:
        reading->code = cli_no_memory(&cli_report_command);
        return false;
    }
    bool done = take(reading, snapshot);
    nvp_snapshot_free(snapshot);
    if (!done) {
        reading->code = cli_no_memory(&cli_report_command);
    }
    return done;
}

static void read_lines(struct reading *reading, struct lines *lines)
{
    char *line;
    size_t length;
    bool is_whole, goes_on = true;
    while (goes_on && next_line(lines, &line, &length, &is_whole)) {
        reading->number++;
        if (lines->is_too_long) {
            name_bad_line(reading, "it is too long for a snapshot");
        } else if (memchr(line, '\0', length) != NULL) {
            name_bad_line(reading, "it has a byte 0");
        } else if (!is_blank(line, length)) {
            goes_on = take_line(reading, line, length, is_whole);
        }
    }
    if (lines->failed) {
        reading->code = cli_no_memory(&cli_report_command);
    }
}

/* What the whole is worth. */
static int judge(const struct reading *reading, const char *path)
{
    const report_summary *report = reading->report;
    if (reading->code != CLI_OK) {
        return reading->code;
    }
    if (report->bad_lines > NAMED_MAX) {
        cli_fail(0, &cli_report_command, "%llu lines are left out", (unsigned long long)report->bad_lines);
    }
    if (report->snapshots == 0) {
        return cli_fail(CLI_FAILED, &cli_report_command, "%s has no snapshot that can be read", path);
    }
    if (reading->ids != NULL && !reading->id_found) {
        return cli_misuse(&cli_report_command, "--id: the recording has no device '%s', or several", reading->missing);
    }
    return CLI_OK;
}

int report_read(report_summary *report, const char *path, const char *ids)
{
    bool is_standard = strcmp(path, "-") == 0;
    const char *name = is_standard ? "standard input" : path;
    struct lines lines = { .capacity = 4 * BLOCK_BYTES };
    struct reading reading = { .report = report, .ids = ids, .code = CLI_OK };
    lines.file = is_standard ? stdin : fopen(path, "re");
    if (lines.file == NULL) {
        return cli_fail(CLI_FAILED, &cli_report_command, "cannot read %s: %s", name, strerror(errno));
    }
    lines.text = calloc(1, lines.capacity);
    lines.failed = lines.text == NULL;
    errno = 0;
    if (!lines.failed) {
        read_lines(&reading, &lines);
    }
    if (ferror(lines.file)) {
        reading.code = cli_fail(CLI_FAILED, &cli_report_command, "cannot read %s: %s", name, strerror(errno));
    } else if (lines.failed && reading.code == CLI_OK) {
        reading.code = cli_no_memory(&cli_report_command);
    }
    if (!is_standard) {
        fclose(lines.file);
    }
    free(lines.text);
    return judge(&reading, name);
}
