/*
 * The walk over a YAML document: finds the row of each key and has its value read.
 * Knows no key by name; the tables do.
 */
#include "scenario/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The list of allowed keys in a message is cut at this length. */
enum { ALLOWED_SIZE = 480 };

bool nvpsim__read_fail(nvpsim_reader *reader, const yaml_node_t *node, const char *format, ...)
{
    int used = 0;
    if (!reader->hides_place) {
        used = snprintf(reader->message, NVPSIM_MESSAGE_SIZE, "%s:%zu:%zu: ", reader->source, node->start_mark.line + 1,
                        node->start_mark.column + 1);
    }
    if (used >= 0 && used < NVPSIM_MESSAGE_SIZE && reader->path_length > 0) {
        int more = snprintf(reader->message + used, (size_t)(NVPSIM_MESSAGE_SIZE - used), "key '%s': ", reader->path);
        used = more < 0 ? NVPSIM_MESSAGE_SIZE : used + more;
    }
    if (used >= 0 && used < NVPSIM_MESSAGE_SIZE) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(reader->message + used, (size_t)(NVPSIM_MESSAGE_SIZE - used), format, arguments);
        va_end(arguments);
    }
    return false;
}

bool nvpsim__read_no_memory(nvpsim_reader *reader)
{
    snprintf(reader->message, NVPSIM_MESSAGE_SIZE, "%s: out of memory", reader->source);
    return false;
}

/* Appends to a path of NVPSIM_PATH_SIZE bytes; what does not fit is cut off. The new length. */
static size_t path_append(char *path, size_t length, const char *text)
{
    size_t added = strnlen(text, NVPSIM_PATH_SIZE - 1 - length);
    memcpy(path + length, text, added);
    path[length + added] = '\0';
    return length + added;
}

static size_t path_push(nvpsim_reader *reader, const char *text)
{
    size_t before = reader->path_length;
    reader->path_length = path_append(reader->path, before, text);
    return before;
}

size_t nvpsim__path_push_index(nvpsim_reader *reader, size_t index)
{
    char text[32];
    snprintf(text, sizeof text, "[%zu]", index);
    return path_push(reader, text);
}

size_t nvpsim__path_push_key(nvpsim_reader *reader, const char *key)
{
    size_t before = reader->path_length;
    if (before > 0) {
        path_push(reader, ".");
    }
    path_push(reader, key);
    return before;
}

void nvpsim__path_pop(nvpsim_reader *reader, size_t length)
{
    reader->path_length = length;
    reader->path[length] = '\0';
}

/* Most texts differ in how they begin: a whole comparison is for those that do not. */
static bool is_same(const char *text, const char *other)
{
    return text[0] == other[0] && strcmp(text, other) == 0;
}

static const nvpsim_key *key_find(const nvpsim_keys *keys, const char *path)
{
    for (size_t i = 0; i < keys->count; i++) {
        if (is_same(keys->rows[i].path, path)) {
            return &keys->rows[i];
        }
    }
    return NULL;
}

/* A path with further keys below it, such as "power". */
static bool key_is_group(const nvpsim_keys *keys, const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < keys->count; i++) {
        const char *row = keys->rows[i].path;
        if (row[0] == path[0] && strncmp(row, path, length) == 0 && row[length] == '.') {
            return true;
        }
    }
    return false;
}

/* The part of a row's path that stands directly below `prefix`; false when the row is elsewhere. */
static bool child_of(const char *path, const char *prefix, char *child, size_t size)
{
    size_t length = strlen(prefix);
    if (length > 0 && (strncmp(path, prefix, length) != 0 || path[length] != '.')) {
        return false;
    }
    const char *start = length > 0 ? path + length + 1 : path;
    size_t child_length = strcspn(start, ".");
    if (child_length >= size) {
        return false;
    }
    memcpy(child, start, child_length);
    child[child_length] = '\0';
    return true;
}

static bool fail_unknown(nvpsim_reader *reader, const yaml_node_t *node, const nvpsim_keys *keys, const char *prefix,
                         const char *word)
{
    char allowed[ALLOWED_SIZE] = "", child[64], last[64] = "", best[64] = "";
    size_t used = 0;
    nvpsim_nearest nearest;
    nvpsim__nearest_start(&nearest, word);
    for (size_t i = 0; i < keys->count; i++) {
        if (!child_of(keys->rows[i].path, prefix, child, sizeof child) || strcmp(child, last) == 0) {
            continue;
        }
        memcpy(last, child, sizeof last);
        size_t before = nearest.distance;
        nvpsim__nearest_try(&nearest, child);
        if (nearest.distance < before) {
            memcpy(best, child, sizeof best);
        }
        if (used + strlen(child) + 8 < sizeof allowed) {
            used += (size_t)snprintf(allowed + used, sizeof allowed - used, "%s%s", used > 0 ? ", " : "", child);
        } else if (strcmp(allowed + used - 3, "...") != 0) {
            used += (size_t)snprintf(allowed + used, sizeof allowed - used, ", ...");
        }
    }
    if (nvpsim__nearest_name(&nearest)) {
        return nvpsim__read_fail(reader, node, "unknown key, did you mean '%s'? allowed: %s", best, allowed);
    }
    return nvpsim__read_fail(reader, node, "unknown key; allowed: %s", allowed);
}

static void unused_note(nvpsim_scenario *scenario, const char *path)
{
    for (size_t i = 0; i < scenario->unused_count; i++) {
        if (scenario->unused[i] == path) {
            return;
        }
    }
    if (scenario->unused_count < NVPSIM_UNUSED_MAX) {
        scenario->unused[scenario->unused_count++] = path;
    }
}

void nvpsim__scenario_unused(const nvpsim_scenario *scenario, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < scenario->unused_count; i++) {
        int added = snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "", scenario->unused[i]);
        if (added < 0 || (size_t)added >= size - used) {
            snprintf(text + (size > 4 ? size - 4 : 0), size > 4 ? 4 : size, "...");
            return;
        }
        used += (size_t)added;
    }
}

static bool value_read(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_keys *keys, const nvpsim_key *key, void *target)
{
    void *member = (char *)target + key->offset;
    bool is_moving = key->kind == NVPSIM_KEY_MOVEMENT;
    if (key->kind == NVPSIM_KEY_UNUSED) {
        unused_note(reader->scenario, key->path);
        return true;
    }
    if (key->kind != NVPSIM_KEY_CUSTOM && nvpsim__node_is_null(node)) {
        return true;
    }
    if (key->kind != NVPSIM_KEY_CUSTOM && nvpsim__node_is_not_available(node) && (keys->not_available || is_moving)) {
        if (key->kind == NVPSIM_KEY_TEXT) {
            *(nvpsim_text *)member = (nvpsim_text){ .state = NVPSIM_NOT_AVAILABLE };
        } else if (is_moving) {
            *(nvpsim_movement *)member = (nvpsim_movement){ .state = NVPSIM_NOT_AVAILABLE };
        } else {
            *(nvpsim_number *)member = (nvpsim_number){ .state = NVPSIM_NOT_AVAILABLE };
        }
        return true;
    }
    switch (key->kind) {
    case NVPSIM_KEY_TEXT:
        return nvpsim__read_text(reader, node, key, member);
    case NVPSIM_KEY_NUMBER:
        return nvpsim__read_number(reader, node, key, member);
    case NVPSIM_KEY_CHOICE:
        return nvpsim__read_choice(reader, node, key, member);
    case NVPSIM_KEY_MOVEMENT:
        return nvpsim__read_movement(reader, node, key, member);
    case NVPSIM_KEY_CUSTOM:
        return key->read(reader, node, key, target);
    case NVPSIM_KEY_UNUSED:
        break;
    }
    return true;
}

static bool level_read(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_keys *keys, const char *prefix, void *target);

static bool pair_read(nvpsim_reader *reader, yaml_node_pair_t *pair, const nvpsim_keys *keys, const char *prefix, void *target)
{
    yaml_node_t *name_node = yaml_document_get_node(reader->document, pair->key);
    yaml_node_t *node = yaml_document_get_node(reader->document, pair->value);
    const char *word = nvpsim__node_text(name_node);
    if (!word) {
        return nvpsim__read_fail(reader, name_node, "a key must be a word");
    }
    char path[NVPSIM_PATH_SIZE];
    size_t length = path_append(path, 0, prefix);
    length = path_append(path, length, length > 0 ? "." : "");
    length = path_append(path, length, word);
    size_t before = nvpsim__path_push_key(reader, word);
    bool is_whole = length < NVPSIM_PATH_SIZE - 1; /* else it may have been cut off: no key is so long */
    const nvpsim_key *key = is_whole ? key_find(keys, path) : NULL;
    bool ok;
    if (key) {
        ok = value_read(reader, node, keys, key, target);
    } else if (!is_whole || !key_is_group(keys, path)) {
        ok = fail_unknown(reader, name_node, keys, prefix, word);
    } else if (nvpsim__node_is_null(node)) {
        ok = true;
    } else {
        ok = level_read(reader, node, keys, path, target);
    }
    nvpsim__path_pop(reader, before);
    return ok;
}

static bool is_repeated(const nvpsim_reader *reader, const yaml_node_t *node, const yaml_node_pair_t *pair)
{
    const char *word = nvpsim__node_text(yaml_document_get_node(reader->document, pair->key));
    for (const yaml_node_pair_t *earlier = node->data.mapping.pairs.start; word && earlier < pair; earlier++) {
        const char *other = nvpsim__node_text(yaml_document_get_node(reader->document, earlier->key));
        if (other && is_same(word, other)) {
            return true;
        }
    }
    return false;
}

static bool level_read(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_keys *keys, const char *prefix, void *target)
{
    if (node->type != YAML_MAPPING_NODE) {
        return nvpsim__read_fail(reader, node, "must be a mapping (key: value lines)");
    }
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        if (is_repeated(reader, node, pair)) {
            return nvpsim__read_fail(reader, yaml_document_get_node(reader->document, pair->key), "'%s' is given twice",
                                     nvpsim__node_text(yaml_document_get_node(reader->document, pair->key)));
        }
        if (!pair_read(reader, pair, keys, prefix, target)) {
            return false;
        }
    }
    return true;
}

bool nvpsim__read_mapping(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_keys *keys, void *target)
{
    return level_read(reader, node, keys, "", target);
}
