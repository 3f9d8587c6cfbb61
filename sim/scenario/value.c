/*
 * Reading of single values: texts, whole numbers with units, choices, bytes in hexadecimal.
 * Accepts a value or says what is allowed; never guesses.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/reader.h"

const char *nvpsim__node_text(const yaml_node_t *node)
{
    return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

bool nvpsim__node_is_null(const yaml_node_t *node)
{
    const char *text = nvpsim__node_text(node);
    return text && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
           (text[0] == '\0' || strcmp(text, "~") == 0 || strcmp(text, "null") == 0);
}

bool nvpsim__node_is_not_available(const yaml_node_t *node)
{
    const char *text = nvpsim__node_text(node);
    return text && (strcmp(text, "N/A") == 0 || strcmp(text, "n/a") == 0);
}

/* What follows a number: nothing, or for bytes a binary unit. 0 when it is neither. */
static uint64_t factor_of(const char *rest, const char *unit)
{
    static const struct {
        const char *word;
        uint64_t factor;
    } units[] = { { "KiB", 1024 }, { "MiB", UINT64_C(1) << 20 }, { "GiB", UINT64_C(1) << 30 }, { "TiB", UINT64_C(1) << 40 } };
    rest += strspn(rest, " ");
    if (*rest == '\0') {
        return 1;
    }
    for (size_t i = 0; strcmp(unit, "bytes") == 0 && i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(rest, units[i].word) == 0) {
            return units[i].factor;
        }
    }
    return 0;
}

bool nvpsim__parse_whole(const char *text, const char *unit, uint64_t *value)
{
    bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (text[0] < '0' || text[0] > '9') {
        return false;
    }
    char *rest;
    errno = 0;
    unsigned long long number = strtoull(text, &rest, is_hex ? 16 : 10);
    uint64_t factor = factor_of(rest, unit);
    if (errno != 0 || rest == text || factor == 0) {
        return false;
    }
    return !__builtin_mul_overflow((uint64_t)number, factor, value);
}

bool nvpsim__parse_real(const char *text, const char *unit, double *value)
{
    if (strspn(text, "+-.0123456789") == 0) {
        return false;
    }
    char *rest;
    errno = 0;
    double number = strtod(text, &rest);
    uint64_t factor = factor_of(rest, unit);
    if (errno != 0 || rest == text || factor == 0 || !isfinite(number)) {
        return false;
    }
    *value = number * (double)factor;
    return true;
}

bool nvpsim__read_text(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, nvpsim_text *text)
{
    const char *value = nvpsim__node_text(node);
    if (!value) {
        return nvpsim__read_fail(reader, node, "must be a text");
    }
    size_t length = node->data.scalar.length;
    if (length > (size_t)key->high) {
        return nvpsim__read_fail(reader, node, "the text is too long; allowed: at most %.0f bytes", key->high);
    }
    if (strlen(value) != length) {
        return nvpsim__read_fail(reader, node, "a zero byte is not allowed");
    }
    *text = (nvpsim_text){ NVPSIM_GIVEN, nvpsim__arena_text(&reader->scenario->arena, value, length) };
    return text->bytes ? true : nvpsim__read_no_memory(reader);
}

bool nvpsim__read_number(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, nvpsim_number *number)
{
    const char *text = nvpsim__node_text(node);
    uint64_t value = 0;
    bool ok = text && nvpsim__parse_whole(text, key->unit, &value) && (double)value >= key->low && (double)value <= key->high;
    if (!ok) {
        return nvpsim__read_fail(reader, node, "%s%s%s is not allowed; allowed: a whole number from %.0f to %.0f%s%s",
                                 text ? "'" : "a list or mapping", text ? text : "", text ? "'" : "", key->low, key->high,
                                 key->unit[0] ? " " : "", key->unit);
    }
    *number = (nvpsim_number){ NVPSIM_GIVEN, value };
    return true;
}

static bool choice_fail(nvpsim_reader *reader, const yaml_node_t *node, const nvpsim_key *key, const char *text)
{
    nvpsim_nearest nearest;
    nvpsim__nearest_start(&nearest, text ? text : "");
    char allowed[400] = "";
    size_t used = 0;
    for (const nvpsim_choice *choice = key->choices; choice->word; choice++) {
        nvpsim__nearest_try(&nearest, choice->word);
        int added = snprintf(allowed + used, sizeof allowed - used, "%s%s", used > 0 ? ", " : "", choice->word);
        if (added > 0 && (size_t)added < sizeof allowed - used) {
            used += (size_t)added;
        }
    }
    if (!text) {
        return nvpsim__read_fail(reader, node, "must be a word; allowed: %s", allowed);
    }
    const char *near = nvpsim__nearest_name(&nearest);
    if (near) {
        return nvpsim__read_fail(reader, node, "'%s' is not allowed, did you mean '%s'? allowed: %s", text, near, allowed);
    }
    return nvpsim__read_fail(reader, node, "'%s' is not allowed; allowed: %s", text, allowed);
}

bool nvpsim__read_choice(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, nvpsim_number *number)
{
    const char *text = nvpsim__node_text(node);
    for (const nvpsim_choice *choice = key->choices; text && choice->word; choice++) {
        if (strcmp(text, choice->word) == 0) {
            *number = (nvpsim_number){ NVPSIM_GIVEN, choice->value };
            return true;
        }
    }
    return choice_fail(reader, node, key, text);
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool nvpsim__read_hex(nvpsim_reader *reader, yaml_node_t *node, size_t most, nvpsim_text *text)
{
    const char *value = nvpsim__node_text(node);
    char *bytes = value ? nvpsim__arena_take(&reader->scenario->arena, strlen(value) / 2 + 1, 1) : NULL;
    if (value && !bytes) {
        return nvpsim__read_no_memory(reader);
    }
    size_t count = 0;
    for (const char *at = value; at && *at; at++) {
        int high = digit_of(at[0]), low = high < 0 ? -1 : digit_of(at[1]);
        if (*at == ' ') {
            continue;
        }
        if (low < 0 || (high == 0 && low == 0) || count == most) {
            value = NULL;
            break;
        }
        bytes[count++] = (char)(high * 16 + low);
        at++;
    }
    if (!value || count == 0) {
        return nvpsim__read_fail(reader, node, "allowed: 1 to %zu bytes, each as two hexadecimal digits and none zero", most);
    }
    *text = (nvpsim_text){ NVPSIM_GIVEN, bytes };
    return true;
}

bool nvpsim__read_list(nvpsim_reader *reader, yaml_node_t *node, size_t size, void **items, size_t *count)
{
    *items = NULL;
    *count = 0;
    if (nvpsim__node_is_null(node)) {
        return true;
    }
    if (node->type != YAML_SEQUENCE_NODE) {
        return nvpsim__read_fail(reader, node, "must be a list (lines that begin with '-', or [ ... ])");
    }
    size_t length = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
    if (length > NVPSIM_LIST_MAX) {
        return nvpsim__read_fail(reader, node, "the list is too long; allowed: at most %d entries", NVPSIM_LIST_MAX);
    }
    *items = nvpsim__arena_take(&reader->scenario->arena, length, size);
    if (!*items) {
        return nvpsim__read_no_memory(reader);
    }
    *count = length;
    return true;
}

yaml_node_t *nvpsim__list_item(const nvpsim_reader *reader, const yaml_node_t *node, size_t index)
{
    return yaml_document_get_node(reader->document, node->data.sequence.items.start[index]);
}

bool nvpsim__read_numbers(nvpsim_reader *reader, yaml_node_t *node, double high, nvpsim_numbers *numbers)
{
    const nvpsim_key entry = { .low = 0, .high = high, .unit = "" };
    void *items;
    size_t count;
    if (!nvpsim__read_list(reader, node, sizeof(uint64_t), &items, &count)) {
        return false;
    }
    uint64_t *values = items;
    for (size_t i = 0; i < count; i++) {
        size_t before = nvpsim__path_push_index(reader, i);
        nvpsim_number number = { 0 };
        if (!nvpsim__read_number(reader, nvpsim__list_item(reader, node, i), &entry, &number)) {
            return false;
        }
        values[i] = number.value;
        nvpsim__path_pop(reader, before);
    }
    *numbers = (nvpsim_numbers){ values, count };
    return true;
}
