/*
 * JSON text as a tree of tokens, checked strictly first: RFC 8259, valid UTF-8, no lone surrogates, no NUL, bounded depth.
 * Knows nothing of snapshots. Whoever reads has to fear only values of the wrong kind; each failure names its byte.
 */
#ifndef NVP_MODEL_JSON_H
#define NVP_MODEL_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nvpulse/metric.h>

#include "base/arena.h"

#define NVP__JSON_LENGTH_MAX (256u << 20) /* bytes of text: jsmn counts with int, and tokens need memory, too */
#define NVP__JSON_TOKENS_MAX (16u << 20)
#define NVP__JSON_DEPTH_MAX 32u

/** Open with nvp__json_open(). A value, an item or a key is the number of its token; 0 is the whole. */
struct nvp__json {
    const char *text;
    size_t length;
    void *tokens;
    unsigned int count;
    nvp_status status; /* of the first failure */
    char *message;     /* the caller's; gets the first failure */
    size_t message_size;
};

/**
 * Takes text apart. `text` has to live until nvp__json_close(), which has to be called in any case.
 * False on failure: NVP_ERROR_BAD_DATA or NVP_ERROR_NO_MEMORY in `json->status`, and a message.
 */
bool nvp__json_open(struct nvp__json *json, const char *text, size_t length, char *message, size_t size);
void nvp__json_close(struct nvp__json *json);

/** Notes a failure at a byte, unless there was one before; `format` makes what stands before "at byte N". Returns false. */
bool nvp__json_fail_at(struct nvp__json *json, size_t byte, const char *format, ...) NVP_PRINTF(3, 4);
/** The same at a token; NVP_ERROR_BAD_DATA. */
bool nvp__json_fail(struct nvp__json *json, unsigned int at, const char *format, ...) NVP_PRINTF(3, 4);
/** Notes that memory ran out. Returns false. */
bool nvp__json_no_memory(struct nvp__json *json);

/** The first item of an array, or the first key of an object, whose value is the token behind it; 0: none. */
unsigned int nvp__json_first(const struct nvp__json *json, unsigned int whole);
/** The item or key behind `at`; 0: none. */
unsigned int nvp__json_next(const struct nvp__json *json, unsigned int whole, unsigned int at);
/** The number of items of an array or of members of an object. */
unsigned int nvp__json_size(const struct nvp__json *json, unsigned int whole);

bool nvp__json_is_object(const struct nvp__json *json, unsigned int at);
bool nvp__json_is_array(const struct nvp__json *json, unsigned int at);
bool nvp__json_is_text(const struct nvp__json *json, unsigned int at);
bool nvp__json_is_null(const struct nvp__json *json, unsigned int at);
/** True for true and false. */
bool nvp__json_is_bool(const struct nvp__json *json, unsigned int at, bool *is_true);

/** Copies a text to a buffer, if it fits with its NUL; else it becomes "", which names nothing. */
void nvp__json_word(const struct nvp__json *json, unsigned int at, char *buffer, size_t size);
/** Copies a text to the arena; NULL when memory ran out. */
const char *nvp__json_text(const struct nvp__json *json, unsigned int at, struct nvp__arena *arena);

/** A number as it is written: UINT, INT when it is negative, REAL with a point or an exponent. False, noted, when it does not fit. */
bool nvp__json_number(struct nvp__json *json, unsigned int at, nvp_reading *reading);
/** A whole number. False, noted, when it is none or does not fit. */
bool nvp__json_int64(struct nvp__json *json, unsigned int at, int64_t *number);
bool nvp__json_uint64(struct nvp__json *json, unsigned int at, uint64_t *number);

#endif
