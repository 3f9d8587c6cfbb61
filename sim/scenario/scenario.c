/*
 * From a file or a built-in profile to a scenario: load, read the defaults, then the devices one by one, then check
 * what no single key can show. A file may be based on a profile; the profile is then read before it, key by key.
 */
#include "scenario/scenario.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/nesting.h"
#include "scenario/reader.h"

enum { FILE_BYTES_MAX = 8 * 1024 * 1024, SOURCES_MAX = 2 };

/** One text that a scenario is read from. */
typedef struct source {
    const char *name;
    unsigned char *file; /* what has to be freed */
    const unsigned char *text;
    size_t size;
    bool is_loaded;
    yaml_document_t document;
} source;

static bool file_load(const char *path, source *from, char *message)
{
    FILE *file = fopen(path, "rbe");
    if (!file) {
        snprintf(message, NVPSIM_MESSAGE_SIZE, "%s: cannot be opened: %s", path, strerror(errno));
        return false;
    }
    size_t capacity = 64 * 1024, size = 0;
    unsigned char *text = malloc(capacity);
    while (text && size < FILE_BYTES_MAX) {
        size_t got = fread(text + size, 1, capacity - size, file);
        size += got;
        if (got == 0) {
            break;
        }
        if (size == capacity) {
            unsigned char *larger = realloc(text, capacity * 2);
            if (!larger) {
                free(text);
            }
            text = larger;
            capacity *= 2;
        }
    }
    int error = ferror(file) != 0 ? errno : 0;
    fclose(file);
    if (error != 0) {
        snprintf(message, NVPSIM_MESSAGE_SIZE, "%s: cannot be read: %s", path, strerror(error));
    } else if (!text || size >= FILE_BYTES_MAX) {
        snprintf(message, NVPSIM_MESSAGE_SIZE, "%s: %s", path,
                 !text ? "out of memory" : "too large for a scenario; allowed: less than 8 MiB");
    }
    if (error != 0 || !text || size >= FILE_BYTES_MAX) {
        free(text);
        return false;
    }
    from->name = path;
    from->file = text;
    from->text = text;
    from->size = size;
    return true;
}

static bool profile_load(const char *name, source *from, char *message)
{
    const nvpsim_profile *profile = nvpsim__profile_find(name);
    if (profile) {
        *from = (source){ .name = profile->name, .text = profile->text, .size = profile->size };
        return true;
    }
    nvpsim_nearest nearest;
    nvpsim__nearest_start(&nearest, name);
    char allowed[400] = "";
    size_t used = 0;
    for (size_t i = 0; (profile = nvpsim__profile_at(i)) != NULL; i++) {
        nvpsim__nearest_try(&nearest, profile->name);
        int added = snprintf(allowed + used, sizeof allowed - used, "%s%s", i > 0 ? ", " : "", profile->name);
        if (added > 0 && (size_t)added < sizeof allowed - used) {
            used += (size_t)added;
        }
    }
    const char *near = nvpsim__nearest_name(&nearest);
    snprintf(message, NVPSIM_MESSAGE_SIZE, "there is no profile '%s'%s%s%s allowed: %s", name, near ? ", did you mean '" : "",
             near ? near : "", near ? "'?" : ";", allowed);
    return false;
}

static bool document_fail(const source *from, const yaml_parser_t *parser, char *message)
{
    if (parser->error == YAML_MEMORY_ERROR) {
        snprintf(message, NVPSIM_MESSAGE_SIZE, "%s: out of memory", from->name);
        return false;
    }
    const char *context = parser->context ? parser->context : "", *problem = parser->problem ? parser->problem : "unreadable";
    snprintf(message, NVPSIM_MESSAGE_SIZE, "%s:%zu:%zu: not valid YAML: %s%s%s", from->name, parser->problem_mark.line + 1,
             parser->problem_mark.column + 1, context, context[0] ? ": " : "", problem);
    return false;
}

static bool document_load(source *from, char *message)
{
    yaml_parser_t parser;
    yaml_mark_t place;
    if (from->file && !nvpsim__nesting_check(from->text, from->size, &place)) { /* our own profiles are not */
        snprintf(message, NVPSIM_MESSAGE_SIZE, "%s:%zu:%zu: nested deeper than %d levels", from->name, place.line + 1,
                 place.column + 1, NVPSIM_NESTING_MAX);
        return false;
    }
    if (!yaml_parser_initialize(&parser)) {
        snprintf(message, NVPSIM_MESSAGE_SIZE, "%s: out of memory", from->name);
        return false;
    }
    yaml_parser_set_input_string(&parser, from->text, from->size);
    from->is_loaded = yaml_parser_load(&parser, &from->document) != 0;
    bool ok = from->is_loaded || document_fail(from, &parser, message);
    if (ok && !yaml_document_get_root_node(&from->document)) {
        snprintf(message, NVPSIM_MESSAGE_SIZE, "%s:1:1: the file is empty; a scenario is a mapping such as 'base: h100x8'",
                 from->name);
        ok = false;
    }
    yaml_parser_delete(&parser);
    return ok;
}

static yaml_node_t *top_member(source *from, const char *word)
{
    yaml_node_t *root = yaml_document_get_root_node(&from->document);
    if (!root || root->type != YAML_MAPPING_NODE) {
        return NULL;
    }
    for (yaml_node_pair_t *pair = root->data.mapping.pairs.start; pair < root->data.mapping.pairs.top; pair++) {
        const char *key = nvpsim__node_text(yaml_document_get_node(&from->document, pair->key));
        if (key && strcmp(key, word) == 0) {
            return yaml_document_get_node(&from->document, pair->value);
        }
    }
    return NULL;
}

bool nvpsim__read_device_defaults(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target)
{
    (void)key;
    nvpsim_scenario *scenario = target;
    return nvpsim__node_is_null(node) || nvpsim__read_mapping(reader, node, &nvpsim__keys_device, &scenario->defaults);
}

/* The list is read when the defaults of all sources are known: devices_read. */
bool nvpsim__read_devices(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target)
{
    (void)key;
    (void)target;
    if (!nvpsim__node_is_null(node) && node->type != YAML_SEQUENCE_NODE) {
        return nvpsim__read_fail(reader, node, "must be a list of mappings, each with its index");
    }
    return true;
}

/* Read before all other keys, by index_of. */
bool nvpsim__read_device_index(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target)
{
    (void)reader;
    (void)node;
    (void)key;
    (void)target;
    return true;
}

/* The index of an entry of `devices`: its key `index`, or else its place in the list. */
static bool index_of(nvpsim_reader *reader, yaml_node_t *entry, size_t place, size_t *index)
{
    const nvpsim_key limits = { .high = NVPSIM_DEVICES_MAX - 1, .unit = "" };
    *index = place;
    if (entry->type != YAML_MAPPING_NODE) {
        return nvpsim__read_fail(reader, entry, "must be a mapping");
    }
    for (yaml_node_pair_t *pair = entry->data.mapping.pairs.start; pair < entry->data.mapping.pairs.top; pair++) {
        const char *word = nvpsim__node_text(yaml_document_get_node(reader->document, pair->key));
        nvpsim_number number;
        if (!word || strcmp(word, "index") != 0) {
            continue;
        }
        if (!nvpsim__read_number(reader, yaml_document_get_node(reader->document, pair->value), &limits, &number)) {
            return false;
        }
        *index = (size_t)number.value;
    }
    return true;
}

static size_t list_length(const yaml_node_t *node)
{
    return node && node->type == YAML_SEQUENCE_NODE ? (size_t)(node->data.sequence.items.top - node->data.sequence.items.start)
                                                    : 0;
}

static bool devices_count(nvpsim_reader *reader, source *sources, size_t source_count)
{
    size_t count = 1;
    for (size_t s = 0; s < source_count; s++) {
        reader->source = sources[s].name;
        reader->document = &sources[s].document;
        yaml_node_t *list = top_member(&sources[s], "devices");
        size_t length = list_length(list);
        for (size_t i = 0; i < length; i++) {
            size_t index, before = nvpsim__path_push_key(reader, "devices");
            nvpsim__path_push_index(reader, i);
            if (!index_of(reader, nvpsim__list_item(reader, list, i), i, &index)) {
                return false;
            }
            nvpsim__path_pop(reader, before);
            count = index + 1 > count ? index + 1 : count;
        }
    }
    nvpsim_scenario *scenario = reader->scenario;
    if (scenario->device_count.state == NVPSIM_GIVEN) {
        count = (size_t)scenario->device_count.value;
    }
    scenario->devices = nvpsim__arena_take(&scenario->arena, count, sizeof *scenario->devices);
    if (!scenario->devices) {
        return nvpsim__read_no_memory(reader);
    }
    for (size_t i = 0; i < count; i++) {
        scenario->devices[i] = scenario->defaults;
    }
    scenario->devices_made = count;
    return true;
}

/* `is_base`: a device of the base profile that the file's smaller number of devices leaves out is no mistake. */
static bool devices_read(nvpsim_reader *reader, source *from, bool is_base)
{
    nvpsim_scenario *scenario = reader->scenario;
    reader->source = from->name;
    reader->document = &from->document;
    yaml_node_t *list = top_member(from, "devices");
    size_t length = list_length(list);
    for (size_t i = 0; i < length; i++) {
        size_t index, before = nvpsim__path_push_key(reader, "devices");
        yaml_node_t *entry = nvpsim__list_item(reader, list, i);
        nvpsim__path_push_index(reader, i);
        if (!index_of(reader, entry, i, &index)) {
            return false;
        }
        if (index >= scenario->devices_made && !is_base) {
            return nvpsim__read_fail(reader, entry, "index %zu is not allowed; system.num_devices is %zu", index,
                                     scenario->devices_made);
        }
        if (index < scenario->devices_made &&
            !nvpsim__read_mapping(reader, entry, &nvpsim__keys_device, &scenario->devices[index])) {
            return false;
        }
        nvpsim__path_pop(reader, before);
    }
    return true;
}

static bool sources_read(nvpsim_reader *reader, source *sources, size_t source_count)
{
    for (size_t s = 0; s < source_count; s++) {
        reader->source = sources[s].name;
        reader->document = &sources[s].document;
        yaml_node_t *root = yaml_document_get_root_node(&sources[s].document);
        if (!nvpsim__read_mapping(reader, root, &nvpsim__keys_top, reader->scenario)) {
            return false;
        }
        if (s + 1 < source_count) {
            reader->scenario->base_processes = reader->scenario->processes.items;
            reader->scenario->name = (nvpsim_text){ 0 }; /* that of the profile is not that of what is made of it */
        }
    }
    if (!devices_count(reader, sources, source_count)) {
        return false;
    }
    for (size_t s = 0; s < source_count; s++) {
        if (!devices_read(reader, &sources[s], s + 1 < source_count)) {
            return false;
        }
    }
    for (size_t i = 0; i < reader->scenario->devices_made; i++) {
        nvpsim__dynamic_apply(&reader->scenario->devices[i]);
    }
    return nvpsim__scenario_check(reader->scenario, reader->message);
}

/* Finds the profile that the file is based on and puts it before the file. */
static bool base_load(source *sources, size_t *source_count, char *message)
{
    const char *name = nvpsim__node_text(top_member(&sources[0], "base"));
    if (!name) {
        return true;
    }
    sources[1] = sources[0];
    sources[0] = (source){ .name = name };
    *source_count = 2;
    char problem[NVPSIM_MESSAGE_SIZE];
    if (!profile_load(name, &sources[0], problem)) {
        snprintf(message, NVPSIM_MESSAGE_SIZE, "%.300s: key 'base': %.600s", sources[1].name, problem);
        return false;
    }
    return document_load(&sources[0], message);
}

static nvpsim_scenario *sources_to_scenario(source *sources, size_t source_count, char *message)
{
    const char *name = sources[source_count - 1].name;
    nvpsim_scenario *scenario = calloc(1, sizeof *scenario);
    nvpsim_reader reader = { .scenario = scenario, .message = message, .source = name };
    bool ok = scenario != NULL;
    if (ok) {
        scenario->source = nvpsim__arena_text(&scenario->arena, name, strlen(name));
        ok = scenario->source != NULL;
    }
    if (!ok) {
        nvpsim__read_no_memory(&reader);
    }
    if (!ok || !sources_read(&reader, sources, source_count)) {
        nvpsim__scenario_free(scenario);
        return NULL;
    }
    return scenario;
}

static void sources_free(source *sources)
{
    for (size_t s = 0; s < SOURCES_MAX; s++) {
        if (sources[s].is_loaded) {
            yaml_document_delete(&sources[s].document);
        }
        free(sources[s].file);
    }
}

nvpsim_scenario *nvpsim__scenario_read_file(const char *path, char *message)
{
    source sources[SOURCES_MAX] = { 0 };
    size_t count = 1;
    nvpsim_scenario *scenario = NULL;
    if (file_load(path, &sources[0], message) && document_load(&sources[0], message) && base_load(sources, &count, message)) {
        scenario = sources_to_scenario(sources, count, message);
    }
    sources_free(sources);
    return scenario;
}

nvpsim_scenario *nvpsim__scenario_read_profile(const char *name, char *message)
{
    source sources[SOURCES_MAX] = { 0 };
    nvpsim_scenario *scenario = NULL;
    if (profile_load(name, &sources[0], message) && document_load(&sources[0], message)) {
        scenario = sources_to_scenario(sources, 1, message);
    }
    sources_free(sources);
    return scenario;
}

void nvpsim__scenario_free(nvpsim_scenario *scenario)
{
    if (!scenario) {
        return;
    }
    nvpsim__arena_free(&scenario->arena);
    free(scenario);
}
