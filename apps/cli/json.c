/*
 * Writes JSON as it comes: commas, brackets and the escaping of texts are cared for here, the order of members by the caller.
 */
#include <stdlib.h>

#include <nvpulse/value.h>

#include "json.h"

/* Begins a member; without a key, an item of an array. Each member of the outermost object has a line of its own. */
static void member(cli_json *json, const char *key)
{
    fputs(json->begun ? "," : "", json->out);
    fputs(json->depth == 1 && !json->is_line ? "\n" : "", json->out);
    if (key != NULL) {
        fprintf(json->out, "\"%s\":", key);
    }
    json->begun = true;
}

void cli_json_open(cli_json *json, const char *key, char bracket)
{
    if (json->depth > 0) {
        member(json, key);
    }
    fputc(bracket, json->out);
    json->begun = false;
    json->depth++;
}

void cli_json_close(cli_json *json, char bracket)
{
    json->depth--;
    fputs(json->depth == 0 && !json->is_line ? "\n" : "", json->out);
    fputc(bracket, json->out);
    json->begun = true;
}

void cli_json_null(cli_json *json, const char *key)
{
    member(json, key);
    fputs("null", json->out);
}

void cli_json_text(cli_json *json, const char *key, const char *text)
{
    member(json, key);
    nvp_value value = NVP_VALUE_INIT;
    char *written = NULL;
    if (nvp_value_set_text(&value, text) == NVP_SUCCESS) {
        size_t length = nvp_value_json(&value, NULL, 0);
        written = malloc(length + 1);
        if (written != NULL) {
            nvp_value_json(&value, written, length + 1);
            fputs(written, json->out);
        }
    }
    json->failed = json->failed || written == NULL;
    free(written);
    nvp_value_clear(&value);
}

void cli_json_known_text(cli_json *json, const char *key, const char *text)
{
    if (text == NULL || text[0] == '\0') {
        cli_json_null(json, key);
    } else {
        cli_json_text(json, key, text);
    }
}

void cli_json_number(cli_json *json, const char *key, long long number)
{
    member(json, key);
    fprintf(json->out, "%lld", number);
}

void cli_json_put_real(double number, FILE *out)
{
    nvp_value value = NVP_VALUE_INIT;
    char text[64];
    nvp_value_set_real(&value, number);
    nvp_value_json(&value, text, sizeof text);
    fputs(text, out);
    nvp_value_clear(&value);
}

void cli_json_real(cli_json *json, const char *key, double number)
{
    member(json, key);
    cli_json_put_real(number, json->out);
}

void cli_json_bool(cli_json *json, const char *key, bool value)
{
    member(json, key);
    fputs(value ? "true" : "false", json->out);
}
