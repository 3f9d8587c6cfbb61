/*
 * jsmn cuts the text into tokens; it takes much that is no JSON, so what stands between the tokens is checked here. Before that, depth is
 * bounded, since jsmn closes a bracket in a time that grows with the depth.
 */
#include "model/json.h"

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JSMN_STATIC
#define JSMN_STRICT
#define JSMN_PARENT_LINKS
#include <jsmn.h>

#include "base/out.h"
#include "model/json_text.h"

static const jsmntok_t *token(const struct nvp__json *json, unsigned int at)
{
    return (const jsmntok_t *)json->tokens + at;
}

/* Where a token begins and ends with its quotes. */
static size_t begin_of(const struct nvp__json *json, unsigned int at)
{
    return (size_t)token(json, at)->start - (token(json, at)->type == JSMN_STRING);
}

static size_t end_of(const struct nvp__json *json, unsigned int at)
{
    return (size_t)token(json, at)->end + (token(json, at)->type == JSMN_STRING);
}

static bool fail(struct nvp__json *json, size_t byte, const char *format, va_list arguments) NVP_PRINTF(3, 0);

static bool fail(struct nvp__json *json, size_t byte, const char *format, va_list arguments)
{
    char text[200];
    if (json->status == NVP_SUCCESS) {
        struct nvp__out out = nvp__out_over(json->message, json->message_size);
        vsnprintf(text, sizeof(text), format, arguments);
        json->status = NVP_ERROR_BAD_DATA;
        nvp__out_text(&out, text);
        nvp__out_format(&out, " at byte %zu", byte);
    }
    return false;
}

bool nvp__json_fail_at(struct nvp__json *json, size_t byte, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(json, byte, format, arguments);
    va_end(arguments);
    return false;
}

bool nvp__json_fail(struct nvp__json *json, unsigned int at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(json, begin_of(json, at), format, arguments);
    va_end(arguments);
    return false;
}

bool nvp__json_no_memory(struct nvp__json *json)
{
    if (json->status == NVP_SUCCESS) {
        struct nvp__out out = nvp__out_over(json->message, json->message_size);
        json->status = NVP_ERROR_NO_MEMORY;
        nvp__out_text(&out, "out of memory");
    }
    return false;
}

/* What jsmn must not be shown: a NUL, at which it would end, and brackets deeper than anybody means. */
static bool check_depth(struct nvp__json *json)
{
    bool in_text = false;
    unsigned int depth = 0;
    for (size_t i = 0; i < json->length; i++) {
        char byte = json->text[i];
        if (byte == '\0') {
            return nvp__json_fail_at(json, i, "a NUL");
        }
        if (in_text) {
            i += byte == '\\' && i + 1 < json->length && json->text[i + 1] != '\0';
            in_text = byte != '"';
        } else if (byte == '"') {
            in_text = true;
        } else if (byte == '{' || byte == '[') {
            if (++depth > NVP__JSON_DEPTH_MAX) {
                return nvp__json_fail_at(json, i, "brackets nested deeper than %u", NVP__JSON_DEPTH_MAX);
            }
        } else if ((byte == '}' || byte == ']') && depth > 0) {
            depth--;
        }
    }
    return true;
}

/* Why jsmn stopped, in words. */
static bool explain(struct nvp__json *json, int answer, size_t byte)
{
    if (answer == JSMN_ERROR_PART) {
        return nvp__json_fail_at(json, json->length, "the text ends too early");
    }
    if (json->text[byte] == '"') { /* jsmn names the beginning of a text that is bad further on */
        nvp__json_check_text(json, byte);
    }
    return nvp__json_fail_at(json, byte, "no JSON, or a bracket that does not fit");
}

/* The array of tokens grows until jsmn is content: there are at most as many as bytes, and mostly far fewer. */
static bool cut(struct nvp__json *json)
{
    jsmn_parser parser;
    int answer = JSMN_ERROR_NOMEM;
    jsmn_init(&parser);
    for (size_t capacity = json->length / 8 + 16; answer == JSMN_ERROR_NOMEM; capacity *= 2) {
        if (parser.toknext >= NVP__JSON_TOKENS_MAX) {
            return nvp__json_fail_at(json, parser.pos, "more than %u values", NVP__JSON_TOKENS_MAX);
        }
        capacity = capacity > NVP__JSON_TOKENS_MAX ? NVP__JSON_TOKENS_MAX : capacity;
        jsmntok_t *tokens = realloc(json->tokens, capacity * sizeof(*tokens));
        if (tokens == NULL) {
            return nvp__json_no_memory(json);
        }
        json->tokens = tokens;
        answer = jsmn_parse(&parser, json->text, json->length, tokens, (unsigned int)capacity);
    }
    json->count = parser.toknext;
    if (answer < 0) {
        return explain(json, answer, parser.pos);
    }
    return json->count > 0 ? true : nvp__json_fail_at(json, json->length, "there is no JSON");
}

/* Between two tokens: blanks, and `mark` once; no mark for '\0'. */
static bool check_gap(struct nvp__json *json, size_t begin, size_t end, char mark)
{
    bool seen = mark == '\0';
    for (size_t i = begin; i < end; i++) {
        char byte = json->text[i];
        if (byte == mark && !seen) {
            seen = true;
        } else if (byte != ' ' && byte != '\t' && byte != '\r' && byte != '\n') {
            return nvp__json_fail_at(json, i, "a '%c' that does not belong there", byte > 0x20 && byte < 0x7f ? byte : '?');
        }
    }
    return seen ? true : nvp__json_fail_at(json, end, "a '%c' is missing", mark);
}

static bool check_value(struct nvp__json *json, unsigned int *at);

/* One item, or a key and its value; `*end` is where the one before it ended. */
static bool check_item(struct nvp__json *json, unsigned int whole, unsigned int *at, size_t *end)
{
    char separator = *end > (size_t)token(json, whole)->start + 1 ? ',' : '\0';
    if (!check_gap(json, *end, begin_of(json, *at), separator)) {
        return false;
    }
    if (token(json, whole)->type == JSMN_OBJECT) {
        unsigned int key = (*at)++;
        if (token(json, key)->type != JSMN_STRING || !nvp__json_check_text(json, begin_of(json, key))) {
            return nvp__json_fail(json, key, "a key in quotes is missing");
        }
        if (*at >= json->count || token(json, *at)->start > token(json, whole)->end) {
            return nvp__json_fail_at(json, end_of(json, key), "a value is missing");
        }
        if (!check_gap(json, end_of(json, key), begin_of(json, *at), ':')) {
            return false;
        }
    }
    unsigned int value = *at;
    *end = end_of(json, value);
    return check_value(json, at);
}

/* A value with all that is in it; `*at` goes behind it. The depth is bounded already. */
static bool check_value(struct nvp__json *json, unsigned int *at)
{
    unsigned int whole = (*at)++;
    const jsmntok_t *value = token(json, whole);
    if (value->type == JSMN_STRING) {
        return nvp__json_check_text(json, (size_t)value->start - 1);
    }
    if (value->type == JSMN_PRIMITIVE) {
        return nvp__json_check_primitive(json, (size_t)value->start, (size_t)value->end);
    }
    size_t end = (size_t)value->start + 1;
    while (*at < json->count && token(json, *at)->start < value->end) {
        if (!check_item(json, whole, at, &end)) {
            return false;
        }
    }
    return check_gap(json, end, (size_t)value->end - 1, '\0');
}

bool nvp__json_open(struct nvp__json *json, const char *text, size_t length, char *message, size_t size)
{
    *json = (struct nvp__json){ .text = text, .length = length, .message = message, .message_size = size };
    if (length > NVP__JSON_LENGTH_MAX) {
        return nvp__json_fail_at(json, NVP__JSON_LENGTH_MAX, "a text that is longer than %u MiB", NVP__JSON_LENGTH_MAX >> 20);
    }
    unsigned int at = 0;
    return check_depth(json) && cut(json) && check_gap(json, 0, begin_of(json, 0), '\0') && check_value(json, &at) &&
           check_gap(json, end_of(json, 0), length, '\0');
}

void nvp__json_close(struct nvp__json *json)
{
    free(json->tokens);
    json->tokens = NULL;
}

unsigned int nvp__json_first(const struct nvp__json *json, unsigned int whole)
{
    return whole + 1 < json->count && token(json, whole + 1)->start < token(json, whole)->end ? whole + 1 : 0;
}

unsigned int nvp__json_next(const struct nvp__json *json, unsigned int whole, unsigned int at)
{
    int end = token(json, at + (token(json, whole)->type == JSMN_OBJECT))->end;
    do {
        at++;
    } while (at < json->count && token(json, at)->start < end);
    return at < json->count && token(json, at)->start < token(json, whole)->end ? at : 0;
}

unsigned int nvp__json_size(const struct nvp__json *json, unsigned int whole)
{
    return (unsigned int)token(json, whole)->size;
}

bool nvp__json_is_object(const struct nvp__json *json, unsigned int at)
{
    return token(json, at)->type == JSMN_OBJECT;
}

bool nvp__json_is_array(const struct nvp__json *json, unsigned int at)
{
    return token(json, at)->type == JSMN_ARRAY;
}

bool nvp__json_is_text(const struct nvp__json *json, unsigned int at)
{
    return token(json, at)->type == JSMN_STRING;
}

bool nvp__json_is_null(const struct nvp__json *json, unsigned int at)
{
    return token(json, at)->type == JSMN_PRIMITIVE && json->text[token(json, at)->start] == 'n';
}

bool nvp__json_is_bool(const struct nvp__json *json, unsigned int at, bool *is_true)
{
    char first = json->text[token(json, at)->start];
    *is_true = first == 't';
    return token(json, at)->type == JSMN_PRIMITIVE && (first == 't' || first == 'f');
}

void nvp__json_word(const struct nvp__json *json, unsigned int at, char *buffer, size_t size)
{
    size_t length = (size_t)(token(json, at)->end - token(json, at)->start);
    buffer[length < size ? nvp__json_decode(json->text + token(json, at)->start, length, buffer) : 0] = '\0';
}

const char *nvp__json_text(const struct nvp__json *json, unsigned int at, struct nvp__arena *arena)
{
    size_t length = (size_t)(token(json, at)->end - token(json, at)->start);
    char *copy = nvp__arena_new(arena, length + 1, 1);
    if (copy != NULL) {
        nvp__json_decode(json->text + token(json, at)->start, length, copy);
    }
    return copy;
}

/* Digits as an integer, if they are one that fits. */
static bool integer_of(const char *digits, size_t length, uint64_t *number)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < length; i++) {
        if (__builtin_mul_overflow(sum, 10u, &sum) || __builtin_add_overflow(sum, (uint64_t)(digits[i] - '0'), &sum)) {
            return false;
        }
    }
    *number = sum;
    return true;
}

static bool real_of(const char *text, size_t length, double *number)
{
    char copy[512]; /* strtod() stops at the end of the token, if there is an end */
    locale_t c_locale = length < sizeof(copy) ? newlocale(LC_ALL_MASK, "C", (locale_t)0) : (locale_t)0;
    if (c_locale == (locale_t)0) {
        return false;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    *number = strtod_l(copy, NULL, c_locale);
    freelocale(c_locale);
    return isfinite(*number);
}

bool nvp__json_number(struct nvp__json *json, unsigned int at, nvp_reading *reading)
{
    const char *text = json->text + token(json, at)->start;
    size_t length = (size_t)(token(json, at)->end - token(json, at)->start);
    bool is_number = token(json, at)->type == JSMN_PRIMITIVE && (*text == '-' || (*text >= '0' && *text <= '9'));
    uint64_t number = 0;
    if (!is_number) {
        return nvp__json_fail(json, at, "a number is expected");
    }
    *reading = (nvp_reading){ .kind = NVP_KIND_REAL };
    if (memchr(text, '.', length) != NULL || memchr(text, 'e', length) != NULL || memchr(text, 'E', length) != NULL) {
        return real_of(text, length, &reading->as.real_value)
                   ? true
                   : nvp__json_fail(json, at, "a number that is too large or too long");
    }
    bool negative = *text == '-';
    if (!integer_of(text + negative, length - negative, &number) || (negative && number > (uint64_t)INT64_MAX + 1)) {
        return nvp__json_fail(json, at, "a number that does not fit into 64 bits");
    }
    reading->kind = negative ? NVP_KIND_INT : NVP_KIND_UINT;
    if (negative) {
        reading->as.int_value = (int64_t)(0 - number);
    } else {
        reading->as.uint_value = number;
    }
    return true;
}

bool nvp__json_int64(struct nvp__json *json, unsigned int at, int64_t *number)
{
    nvp_reading reading = { .kind = NVP_KIND_NA };
    if (!nvp__json_number(json, at, &reading)) {
        return false;
    }
    if (reading.kind == NVP_KIND_REAL || (reading.kind == NVP_KIND_UINT && reading.as.uint_value > (uint64_t)INT64_MAX)) {
        return nvp__json_fail(json, at, "a whole number below 2^63 is expected");
    }
    *number = reading.kind == NVP_KIND_UINT ? (int64_t)reading.as.uint_value : reading.as.int_value;
    return true;
}

bool nvp__json_uint64(struct nvp__json *json, unsigned int at, uint64_t *number)
{
    nvp_reading reading = { .kind = NVP_KIND_NA };
    if (!nvp__json_number(json, at, &reading)) {
        return false;
    }
    if (reading.kind != NVP_KIND_UINT) {
        return nvp__json_fail(json, at, "a whole number that is not negative is expected");
    }
    *number = reading.as.uint_value;
    return true;
}
