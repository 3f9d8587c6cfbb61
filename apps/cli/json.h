/*
 * A writer of one JSON object. Knows nothing of what it writes.
 */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stdio.h>

/** The object that is being written. Start from CLI_JSON_INIT(out). */
typedef struct cli_json {
    FILE *out;
    bool begun; /**< the present object or array has a member */
    int depth;
    bool failed;  /**< memory ran out: the object is not whole */
    bool is_line; /**< all of it is in one line */
} cli_json;

#define CLI_JSON_INIT(out)                                                                                                       \
    {                                                                                                                            \
        (out), false, 0, false, false                                                                                            \
    }

/** The same for an object in one line. */
#define CLI_JSON_INIT_LINE(out)                                                                                                  \
    {                                                                                                                            \
        (out), false, 0, false, true                                                                                             \
    }

/** Begins an object or array, by its bracket, and ends it. Below the outermost one: the member `key`, or an item for NULL. */
void cli_json_open(cli_json *json, const char *key, char bracket);
void cli_json_close(cli_json *json, char bracket);

/** Writes a member; without a key, an item of an array. */
void cli_json_null(cli_json *json, const char *key);
void cli_json_bool(cli_json *json, const char *key, bool value);
void cli_json_number(cli_json *json, const char *key, long long number);
/** Writes a number with a point, whatever the locale says; null for what is no number. */
void cli_json_put_real(double number, FILE *out);
/** null for what is no number. */
void cli_json_real(cli_json *json, const char *key, double number);
/** Bad bytes are replaced. */
void cli_json_text(cli_json *json, const char *key, const char *text);
/** The same for a text that is not known when it is NULL or empty: null. */
void cli_json_known_text(cli_json *json, const char *key, const char *text);

#endif
