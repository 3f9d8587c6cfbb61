/*
 * Reading of JSON by pulling one value after another: no tree, no memory. For recordings, which are long and come line by line.
 * What is wrong is noticed where it is read; then everything else reads as an end.
 */
#ifndef NVPSIM_BASE_JSON_H
#define NVPSIM_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>

typedef enum nvpsim_json_kind {
    NVPSIM_JSON_WRONG,
    NVPSIM_JSON_OBJECT,
    NVPSIM_JSON_LIST,
    NVPSIM_JSON_TEXT,
    NVPSIM_JSON_NUMBER,
    NVPSIM_JSON_TRUE,
    NVPSIM_JSON_FALSE,
    NVPSIM_JSON_NULL
} nvpsim_json_kind;

enum { NVPSIM_JSON_DEPTH = 32 };

typedef struct nvpsim_json {
    const char *start, *at, *end;
    const char *problem; /* what is wrong at `at`; NULL while all is well */
    unsigned depth;
    bool is_first[NVPSIM_JSON_DEPTH]; /* of each level that is open: nothing was read from it yet */
    bool is_object[NVPSIM_JSON_DEPTH];
} nvpsim_json;

/** Begins to read; the text stays the caller's and need not end with a zero. */
void nvpsim__json_begin(nvpsim_json *json, const char *text, size_t size);

/** What comes next. */
nvpsim_json_kind nvpsim__json_kind(nvpsim_json *json);

/** Goes into an object or a list; false when the next value is something else, which is then passed over. */
bool nvpsim__json_enter(nvpsim_json *json, nvpsim_json_kind kind);

/** Goes on to the next member and tells its name, cut to `size`; false at the end of the object, which is left then. */
bool nvpsim__json_member(nvpsim_json *json, char *name, size_t size);

/** Goes on to the next item; false at the end of the list, which is left then. */
bool nvpsim__json_item(nvpsim_json *json);

/** Reads a text, cut to `size`; false when the next value is something else, which is then passed over. */
bool nvpsim__json_text(nvpsim_json *json, char *text, size_t size);

/** Reads a number; likewise. */
bool nvpsim__json_number(nvpsim_json *json, double *number);

/** Passes over a value of any kind. */
void nvpsim__json_skip(nvpsim_json *json);

/** Whether all was well and nothing follows. */
bool nvpsim__json_end(nvpsim_json *json);

#endif
