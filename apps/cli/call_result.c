/*
 * Prints the result of a call: one JSON object for programs; a line, or a line for each field or item, for people.
 */
#include <stdlib.h>

#include <text/text.h>

#include "call.h"
#include "text.h"

/* A value as text or JSON in memory of its own; NULL when that runs out. */
static char *write_out(const nvp_value *value, size_t (*writer)(const nvp_value *, char *, size_t))
{
    size_t length = writer(value, NULL, 0);
    char *text = malloc(length + 1);
    if (text != NULL) {
        writer(value, text, length + 1);
    }
    return text;
}

static bool print_json(const call_request *request, const nvp_value *result, FILE *out)
{
    char *value = write_out(result, nvp_value_json);
    if (value == NULL) {
        return false;
    }
    fprintf(out, "{\"function\":\"%s\",\"status\":%d,\"status_name\":\"%s\",\"value\":%s,\"reason\":", request->function->name,
            result->status, nvp_status_name(result->status), value);
    if (result->reason == NVP_REASON_NONE) {
        fputs("null}\n", out);
    } else {
        fprintf(out, "\"%s\"}\n", nvp_reason_word(result->reason));
    }
    free(value);
    return true;
}

/* Prints one value on the rest of the line; N/A with its reason. */
static bool print_plain(const nvp_value *value, FILE *out)
{
    char *text = write_out(value, nvp_value_format);
    char *clean = text != NULL ? cli_text_clean(text, text_locale_is_utf8()) : NULL;
    bool done = clean != NULL;
    if (done && !nvp_check(value, NVP_KIND_ANY)) {
        fprintf(out, "%s (%s)\n", clean, nvp_reason_text(value->reason));
    } else if (done) {
        fprintf(out, "%s\n", clean);
    }
    free(text);
    free(clean);
    return done;
}

static size_t longest_field_name(const nvp_value *value)
{
    size_t longest = 0;
    for (size_t i = 0; i < value->count; i++) {
        size_t width = cli_text_width(nvp_value_field_name(value, i));
        longest = width > longest ? width : longest;
    }
    return longest;
}

/* A line for each field of a struct, or for each item of a list. */
static bool print_parts(const nvp_value *value, FILE *out)
{
    bool is_struct = nvp_check(value, NVP_KIND_STRUCT), done = true;
    size_t width = is_struct ? longest_field_name(value) : 0;
    nvp_value part = NVP_VALUE_INIT;
    for (size_t i = 0; i < value->count && done; i++) {
        done = nvp_value_at(value, i, &part) == NVP_SUCCESS;
        if (!done) {
            break;
        }
        if (is_struct) {
            fprintf(out, "%-*s  ", (int)width, nvp_value_field_name(value, i));
        } else {
            fprintf(out, "[%zu]  ", i);
        }
        done = print_plain(&part, out);
    }
    nvp_value_clear(&part);
    return done;
}

bool call_result_print(const call_request *request, const nvp_value *result, FILE *out)
{
    if (request->json) {
        return print_json(request, result, out);
    }
    if (nvp_check(result, NVP_KIND_NOTHING)) {
        return fputs("done\n", out) != EOF;
    }
    if (nvp_check(result, NVP_KIND_LIST) && result->count == 0) {
        return fputs("(none)\n", out) != EOF;
    }
    if (nvp_check(result, NVP_KIND_STRUCT | NVP_KIND_LIST)) {
        return print_parts(result, out);
    }
    return print_plain(result, out);
}
