/*
 * The pull reader for JSON. Accepts what RFC 8259 allows; bytes of texts are passed on as they are.
 */
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

void nvpsim__json_begin(nvpsim_json *json, const char *text, size_t size)
{
    *json = (nvpsim_json){ .start = text, .at = text, .end = text + size };
}

static bool fail(nvpsim_json *json, const char *problem)
{
    if (!json->problem) {
        json->problem = problem;
    }
    return false;
}

static void spaces_pass(nvpsim_json *json)
{
    while (json->at < json->end && (*json->at == ' ' || *json->at == '\t' || *json->at == '\n' || *json->at == '\r')) {
        json->at++;
    }
}

static bool char_pass(nvpsim_json *json, char wanted, const char *problem)
{
    spaces_pass(json);
    if (json->problem || json->at == json->end || *json->at != wanted) {
        return fail(json, problem);
    }
    json->at++;
    return true;
}

nvpsim_json_kind nvpsim__json_kind(nvpsim_json *json)
{
    spaces_pass(json);
    if (json->problem || json->at == json->end) {
        fail(json, "the text ends too early");
        return NVPSIM_JSON_WRONG;
    }
    switch (*json->at) {
    case '{':
        return NVPSIM_JSON_OBJECT;
    case '[':
        return NVPSIM_JSON_LIST;
    case '"':
        return NVPSIM_JSON_TEXT;
    case 't':
        return NVPSIM_JSON_TRUE;
    case 'f':
        return NVPSIM_JSON_FALSE;
    case 'n':
        return NVPSIM_JSON_NULL;
    default:
        if (*json->at == '-' || (*json->at >= '0' && *json->at <= '9')) {
            return NVPSIM_JSON_NUMBER;
        }
        fail(json, "a value is expected");
        return NVPSIM_JSON_WRONG;
    }
}

bool nvpsim__json_enter(nvpsim_json *json, nvpsim_json_kind kind)
{
    if (nvpsim__json_kind(json) != kind) {
        nvpsim__json_skip(json);
        return false;
    }
    if (json->depth == NVPSIM_JSON_DEPTH) {
        return fail(json, "too deep");
    }
    json->is_object[json->depth] = kind == NVPSIM_JSON_OBJECT;
    json->is_first[json->depth++] = true;
    json->at++;
    return true;
}

/* Passes the comma before the next entry; false at the end of the level, which is left then. */
static bool entry_pass(nvpsim_json *json, char closing)
{
    spaces_pass(json);
    if (json->problem || json->depth == 0) {
        return false;
    }
    if (json->at < json->end && *json->at == closing) {
        json->at++;
        json->depth--;
        return false;
    }
    bool is_first = json->is_first[json->depth - 1];
    json->is_first[json->depth - 1] = false;
    return is_first || char_pass(json, ',', "a comma or the end is expected");
}

static int hex_of(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool code_read(nvpsim_json *json, unsigned *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++, json->at++) {
        int digit = json->at < json->end ? hex_of(*json->at) : -1;
        if (digit < 0) {
            return fail(json, "four hexadecimal digits are expected");
        }
        *code = *code * 16 + (unsigned)digit;
    }
    return true;
}

/** Where a text goes; what does not fit is left out. */
typedef struct sink {
    char *text;
    size_t size, used;
} sink;

static void byte_put(sink *to, unsigned byte)
{
    if (to->used + 1 < to->size) {
        to->text[to->used++] = (char)byte;
    }
}

static void code_put(sink *to, unsigned code)
{
    if (code < 0x80) {
        byte_put(to, code);
    } else if (code < 0x800) {
        byte_put(to, 0xc0 | code >> 6);
        byte_put(to, 0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        byte_put(to, 0xe0 | code >> 12);
        byte_put(to, 0x80 | (code >> 6 & 0x3f));
        byte_put(to, 0x80 | (code & 0x3f));
    } else {
        byte_put(to, 0xf0 | code >> 18);
        byte_put(to, 0x80 | (code >> 12 & 0x3f));
        byte_put(to, 0x80 | (code >> 6 & 0x3f));
        byte_put(to, 0x80 | (code & 0x3f));
    }
}

/* Halves of a pair that have no other half become U+FFFD. */
static bool unicode_read(nvpsim_json *json, sink *to)
{
    unsigned code, low;
    if (!code_read(json, &code)) {
        return false;
    }
    if (code >= 0xd800 && code < 0xdc00 && json->end - json->at >= 6 && json->at[0] == '\\' && json->at[1] == 'u') {
        const char *before = json->at;
        json->at += 2;
        if (!code_read(json, &low)) {
            return false;
        }
        if (low >= 0xdc00 && low < 0xe000) {
            code_put(to, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
            return true;
        }
        json->at = before;
    }
    code_put(to, code == 0 || (code >= 0xd800 && code < 0xe000) ? 0xfffd : code);
    return true;
}

static bool escape_read(nvpsim_json *json, sink *to)
{
    static const char letters[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    const char *letter = json->at < json->end && *json->at ? strchr(letters, *json->at) : NULL;
    if (letter) {
        byte_put(to, (unsigned char)bytes[letter - letters]);
        json->at++;
        return true;
    }
    if (json->at < json->end && *json->at == 'u') {
        json->at++;
        return unicode_read(json, to);
    }
    return fail(json, "no escape of JSON");
}

static bool text_read(nvpsim_json *json, char *text, size_t size)
{
    sink to = { text, size, 0 };
    json->at++;
    while (json->at < json->end && *json->at != '"') {
        if (*json->at == '\\') {
            json->at++;
            if (!escape_read(json, &to)) {
                return false;
            }
        } else if ((unsigned char)*json->at < ' ') {
            return fail(json, "a control character in a text");
        } else {
            byte_put(&to, (unsigned char)*json->at++);
        }
    }
    if (json->at == json->end) {
        return fail(json, "the text ends too early");
    }
    json->at++;
    if (size > 0) {
        text[to.used] = '\0';
    }
    return true;
}

bool nvpsim__json_member(nvpsim_json *json, char *name, size_t size)
{
    if (!entry_pass(json, '}')) {
        return false;
    }
    spaces_pass(json);
    if (json->at == json->end || *json->at != '"') {
        return fail(json, "a name is expected");
    }
    return text_read(json, name, size) && char_pass(json, ':', "a colon is expected");
}

bool nvpsim__json_item(nvpsim_json *json)
{
    return entry_pass(json, ']');
}

bool nvpsim__json_text(nvpsim_json *json, char *text, size_t size)
{
    if (nvpsim__json_kind(json) != NVPSIM_JSON_TEXT) {
        nvpsim__json_skip(json);
        return false;
    }
    return text_read(json, text, size);
}

bool nvpsim__json_number(nvpsim_json *json, double *number)
{
    char digits[64];
    size_t size = 0;
    if (nvpsim__json_kind(json) != NVPSIM_JSON_NUMBER) {
        nvpsim__json_skip(json);
        return false;
    }
    while (json->at < json->end && strchr("+-.eE0123456789", *json->at) && *json->at && size + 1 < sizeof digits) {
        digits[size++] = *json->at++;
    }
    digits[size] = '\0';
    char *rest;
    *number = strtod(digits, &rest);
    return *rest == '\0' || fail(json, "no number");
}

static void word_pass(nvpsim_json *json, const char *word)
{
    size_t size = strlen(word);
    if ((size_t)(json->end - json->at) < size || memcmp(json->at, word, size) != 0) {
        fail(json, "a value is expected");
        return;
    }
    json->at += size;
}

/* While something is skipped: goes on to the next value that lies deeper than `depth`, leaving levels that end; false at the end. */
static bool rest_find(nvpsim_json *json, unsigned depth)
{
    while (json->depth > depth && !json->problem) {
        if (json->is_object[json->depth - 1] ? nvpsim__json_member(json, NULL, 0) : nvpsim__json_item(json)) {
            return true;
        }
    }
    return false;
}

void nvpsim__json_skip(nvpsim_json *json)
{
    const unsigned depth = json->depth;
    double number;
    do {
        switch (nvpsim__json_kind(json)) {
        case NVPSIM_JSON_OBJECT:
            nvpsim__json_enter(json, NVPSIM_JSON_OBJECT);
            break;
        case NVPSIM_JSON_LIST:
            nvpsim__json_enter(json, NVPSIM_JSON_LIST);
            break;
        case NVPSIM_JSON_TEXT:
            text_read(json, NULL, 0);
            break;
        case NVPSIM_JSON_NUMBER:
            nvpsim__json_number(json, &number);
            break;
        case NVPSIM_JSON_TRUE:
            word_pass(json, "true");
            break;
        case NVPSIM_JSON_FALSE:
            word_pass(json, "false");
            break;
        case NVPSIM_JSON_NULL:
            word_pass(json, "null");
            break;
        case NVPSIM_JSON_WRONG:
            break;
        }
    } while (!json->problem && rest_find(json, depth));
}

bool nvpsim__json_end(nvpsim_json *json)
{
    spaces_pass(json);
    return !json->problem && json->depth == 0 && (json->at == json->end || fail(json, "something follows"));
}
