/*
 * Knows the form of the file, not what it says.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_read.h"

#define NAME "nvpulse/config.yaml"

/** Far more than any setting needs; libyaml's work grows with the square of the depth. */
#define NESTING_MAX 64

bool tui_config_path(char *path, size_t size)
{
    const char *folder = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    int length = -1;
    if (folder != NULL && folder[0] == '/') { /* a relative one is to be ignored */
        length = snprintf(path, size, "%s/%s", folder, NAME);
    } else if (home != NULL && home[0] == '/') {
        length = snprintf(path, size, "%s/.config/%s", home, NAME);
    }
    return length > 0 && (size_t)length < size;
}

bool tui_config_refuse(const yaml_node_t *node, const char *what, char *message, size_t size)
{
    snprintf(message, size, "config.yaml:%zu: %s", node->start_mark.line + 1, what);
    return false;
}

/* False, and the line, when it is nested too deeply: found out from the events of the parser, long before there is a document. */
static bool is_flat(FILE *file, size_t *line)
{
    yaml_parser_t parser;
    yaml_event_t event;
    size_t depth = 0;
    bool ends = false;
    if (yaml_parser_initialize(&parser) == 0) {
        return true; /* whoever reads on finds the same */
    }
    yaml_parser_set_input_file(&parser, file);
    while (!ends && depth <= NESTING_MAX && yaml_parser_parse(&parser, &event) != 0) {
        depth += event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT;
        depth -= event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
        ends = event.type == YAML_STREAM_END_EVENT;
        *line = event.start_mark.line + 1;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    rewind(file);
    return depth <= NESTING_MAX;
}

static tui_config_state parse(FILE *file, yaml_document_t *document, char *message, size_t size)
{
    yaml_parser_t parser;
    tui_config_state state = TUI_CONFIG_GOOD;
    size_t line;
    if (!is_flat(file, &line)) {
        snprintf(message, size, "config.yaml:%zu: nested deeper than %d levels", line, NESTING_MAX);
        return TUI_CONFIG_BAD;
    }
    if (yaml_parser_initialize(&parser) == 0) {
        snprintf(message, size, "out of memory");
        return TUI_CONFIG_BAD;
    }
    yaml_parser_set_input_file(&parser, file);
    if (yaml_parser_load(&parser, document) == 0) {
        snprintf(message, size, "config.yaml:%zu: %s", parser.problem_mark.line + 1,
                 parser.problem != NULL ? parser.problem : "cannot be read");
        state = TUI_CONFIG_BAD;
    } else if (yaml_document_get_root_node(document) == NULL) { /* empty */
        yaml_document_delete(document);
        state = TUI_CONFIG_ABSENT;
    } else if (yaml_document_get_root_node(document)->type != YAML_MAPPING_NODE) {
        tui_config_refuse(yaml_document_get_root_node(document), "is no mapping", message, size);
        yaml_document_delete(document);
        state = TUI_CONFIG_BAD;
    }
    yaml_parser_delete(&parser);
    return state;
}

tui_config_state tui_config_read(const char *path, yaml_document_t *document, char *message, size_t size)
{
    FILE *file = fopen(path, "re");
    if (file == NULL && (errno == ENOENT || errno == ENOTDIR)) {
        return TUI_CONFIG_ABSENT;
    }
    if (file == NULL) {
        snprintf(message, size, "config.yaml: %s", strerror(errno));
        return TUI_CONFIG_BAD;
    }
    tui_config_state state = parse(file, document, message, size);
    fclose(file);
    return state;
}

const char *tui_config_text(const yaml_node_t *node)
{
    return node != NULL && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

yaml_node_t *tui_config_get(yaml_document_t *document, const yaml_node_t *mapping, const char *key)
{
    if (mapping == NULL || mapping->type != YAML_MAPPING_NODE) {
        return NULL;
    }
    for (const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start; pair < mapping->data.mapping.pairs.top; pair++) {
        const char *name = tui_config_text(yaml_document_get_node(document, pair->key));
        if (name != NULL && strcmp(name, key) == 0) {
            return yaml_document_get_node(document, pair->value);
        }
    }
    return NULL;
}
