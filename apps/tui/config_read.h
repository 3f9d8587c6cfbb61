/*
 * The file of settings as a document of libyaml, for those who read and write it.
 */
#ifndef TUI_CONFIG_READ_H
#define TUI_CONFIG_READ_H

#include <stdbool.h>
#include <stddef.h>

#include <yaml.h>

/** Writes the path of the file; false when the environment names no folder for it. */
bool tui_config_path(char *path, size_t size);

/** What a file was like. */
typedef enum tui_config_state { TUI_CONFIG_GOOD, TUI_CONFIG_ABSENT, TUI_CONFIG_BAD } tui_config_state;

/** Reads the file. GOOD: the caller deletes the document, whose root is a mapping. BAD: `message` says why. */
tui_config_state tui_config_read(const char *path, yaml_document_t *document, char *message, size_t size);

/** The value of a key of a mapping; NULL when there is none, or `mapping` is no mapping. */
yaml_node_t *tui_config_get(yaml_document_t *document, const yaml_node_t *mapping, const char *key);

/** The text of a scalar; NULL for another node. */
const char *tui_config_text(const yaml_node_t *node);

/** Writes "FILE:LINE: what" into `message`, and returns false. */
bool tui_config_refuse(const yaml_node_t *node, const char *what, char *message, size_t size);

#endif
