/*
 * Rows as CSV, with nvidia-smi's header, separators and units, or as JSON.
 */
#include <stdlib.h>
#include <string.h>

#include <nvpulse/value.h>

#include "query.h"
#include "text.h"

#define CELL_MAX 4096

static int name_length(const query_field *field)
{
    return (int)strcspn(field->names, "|");
}

bool query_format_parse(query_format *format, const cli_command *command, const char *list)
{
    static const char *const words[] = { "csv", "json", "jsonl", "noheader", "nounits" }; /* the forms first, in their order */
    bool has_form = false;
    *format = (query_format){ 0 };
    for (const char *one = list; one != NULL;) {
        size_t length = strcspn(one, ",");
        unsigned int found = 0;
        while (found < 5 && (strlen(words[found]) != length || memcmp(words[found], one, length) != 0)) {
            found++;
        }
        if (found == 5) {
            cli_misuse(command, "--format: '%.*s' is none of csv, json, jsonl, noheader, nounits", (int)length, one);
            return false;
        }
        if (found < 3) {
            if (has_form && format->form != found) {
                cli_misuse(command, "--format: csv, json and jsonl exclude each other");
                return false;
            }
            has_form = true;
            format->form = found;
        }
        format->no_header = format->no_header || found == 3;
        format->no_units = format->no_units || found == 4;
        one = one[length] == ',' ? one + length + 1 : NULL;
    }
    return true;
}

void query_print_header(const query_columns *columns, query_format *format, FILE *out)
{
    if (format->form != QUERY_CSV || format->no_header) {
        return;
    }
    format->no_header = true;
    for (size_t i = 0; i < columns->count; i++) {
        const query_field *field = &columns->fields[i];
        fprintf(out, "%s%.*s", i > 0 ? ", " : "", name_length(field), field->names);
        if (field->unit[0] != '\0') {
            fprintf(out, " [%s]", field->unit);
        }
    }
    fputs("\n", out);
}

void query_print_begin(const query_format *format, FILE *out)
{
    fputs(format->form == QUERY_JSON ? "[" : "", out);
}

void query_print_end(const query_format *format, FILE *out)
{
    fputs(format->form == QUERY_JSON ? "\n]\n" : "", out);
}

/* Text from outside has no line break and no control character, so that a row stays a row. */
static bool put_csv(const query_field *field, const query_format *format, query_cell_kind kind, const char *text, FILE *out)
{
    char *clean = kind == QUERY_CELL_TEXT ? cli_text_clean(text, true) : NULL;
    if (kind == QUERY_CELL_TEXT && clean == NULL) {
        return false;
    }
    fputs(clean != NULL ? clean : text, out);
    if (kind == QUERY_CELL_NUMBER && !format->no_units && field->unit[0] != '\0') {
        fprintf(out, " %s", field->unit);
    }
    free(clean);
    return true;
}

static bool put_json_text(const char *text, FILE *out)
{
    nvp_value value = NVP_VALUE_INIT;
    bool done = nvp_value_set_text(&value, text) == NVP_SUCCESS;
    size_t length = done ? nvp_value_json(&value, NULL, 0) : 0;
    char *written = done ? malloc(length + 1) : NULL;
    if (written != NULL) {
        nvp_value_json(&value, written, length + 1);
        fputs(written, out);
    }
    done = written != NULL;
    free(written);
    nvp_value_clear(&value);
    return done;
}

static bool put_json(const query_field *field, query_cell_kind kind, const char *text, FILE *out)
{
    fprintf(out, "\"%.*s\": ", name_length(field), field->names);
    if (kind == QUERY_CELL_TEXT) {
        return put_json_text(text, out);
    }
    fputs(kind == QUERY_CELL_NA ? "null" : text, out);
    return true;
}

bool query_print_row(const query_columns *columns, const query_format *format, const query_row *row, bool first, FILE *out)
{
    bool csv = format->form == QUERY_CSV, done = true;
    if (format->form == QUERY_JSON) {
        fputs(first ? "\n" : ",\n", out);
    }
    fputs(csv ? "" : "{", out);
    for (size_t i = 0; i < columns->count && done; i++) {
        char text[CELL_MAX];
        query_cell_kind kind = query_cell(row, &columns->fields[i], text, sizeof text);
        fputs(i > 0 ? ", " : "", out);
        done = csv ? put_csv(&columns->fields[i], format, kind, text, out) : put_json(&columns->fields[i], kind, text, out);
    }
    fputs(csv ? "" : "}", out);
    fputs(format->form == QUERY_JSON ? "" : "\n", out);
    return done;
}
