/*
 * A new document is made of the old one and of the settings, written beside the file, and put in its place.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tui/tui.h>

#include "config.h"
#include "config_read.h"

/** Deeper documents are not copied: libyaml reads them, but nobody writes them by hand. */
#define DEPTH_MAX 32

static const char *const own_keys[] = { "interval_seconds", "theme", "sort", "descending", "tree", "columns" };

static bool is_own(const char *key)
{
    for (size_t i = 0; key != NULL && i < sizeof own_keys / sizeof *own_keys; i++) {
        if (strcmp(own_keys[i], key) == 0) {
            return true;
        }
    }
    return false;
}

static int add_text(yaml_document_t *to, const char *text)
{
    return yaml_document_add_scalar(to, NULL, (const yaml_char_t *)text, (int)strlen(text), YAML_ANY_SCALAR_STYLE);
}

static bool put(yaml_document_t *to, int mapping, const char *key, int value)
{
    int name = add_text(to, key);
    return name != 0 && value != 0 && yaml_document_append_mapping_pair(to, mapping, name, value) != 0;
}

/* Copies a node and what is below it; 0 when memory runs out or it is too deep. */
static int copy(yaml_document_t *to, yaml_document_t *from, yaml_node_t *node, int depth)
{
    int made = 0;
    if (depth > DEPTH_MAX) {
        return 0;
    }
    switch (node->type) {
    case YAML_SCALAR_NODE:
        return yaml_document_add_scalar(to, node->tag, node->data.scalar.value, (int)node->data.scalar.length,
                                        node->data.scalar.style);
    case YAML_SEQUENCE_NODE:
        made = yaml_document_add_sequence(to, node->tag, node->data.sequence.style);
        for (yaml_node_item_t *item = node->data.sequence.items.start; made != 0 && item < node->data.sequence.items.top;
             item++) {
            int child = copy(to, from, yaml_document_get_node(from, *item), depth + 1);
            made = child != 0 && yaml_document_append_sequence_item(to, made, child) != 0 ? made : 0;
        }
        return made;
    case YAML_MAPPING_NODE:
        made = yaml_document_add_mapping(to, node->tag, node->data.mapping.style);
        for (yaml_node_pair_t *pair = node->data.mapping.pairs.start; made != 0 && pair < node->data.mapping.pairs.top; pair++) {
            int key = copy(to, from, yaml_document_get_node(from, pair->key), depth + 1);
            int value = copy(to, from, yaml_document_get_node(from, pair->value), depth + 1);
            made = key != 0 && value != 0 && yaml_document_append_mapping_pair(to, made, key, value) != 0 ? made : 0;
        }
        return made;
    default:
        return 0;
    }
}

/* Copies the pairs of a mapping but those that are written anew. */
static bool copy_others(yaml_document_t *to, int target, yaml_document_t *from, yaml_node_t *mapping, bool is_root)
{
    if (mapping == NULL || mapping->type != YAML_MAPPING_NODE) {
        return true;
    }
    for (yaml_node_pair_t *pair = mapping->data.mapping.pairs.start; pair < mapping->data.mapping.pairs.top; pair++) {
        const char *name = tui_config_text(yaml_document_get_node(from, pair->key));
        if (is_root ? name != NULL && strcmp(name, "top") == 0 : is_own(name)) {
            continue;
        }
        int key = copy(to, from, yaml_document_get_node(from, pair->key), 0);
        int value = copy(to, from, yaml_document_get_node(from, pair->value), 0);
        if (key == 0 || value == 0 || yaml_document_append_mapping_pair(to, target, key, value) == 0) {
            return false;
        }
    }
    return true;
}

static bool add_settings(yaml_document_t *to, int top, const tui_settings *settings)
{
    char interval[32];
    snprintf(interval, sizeof interval, "%g", (double)settings->interval_ms / 1000);
    int columns = yaml_document_add_sequence(to, NULL, YAML_FLOW_SEQUENCE_STYLE);
    bool done = columns != 0;
    for (size_t i = 0; done && i < settings->column_count; i++) {
        int name = add_text(to, tui_columns[settings->columns[i]].name);
        done = name != 0 && yaml_document_append_sequence_item(to, columns, name) != 0;
    }
    return done && put(to, top, "interval_seconds", add_text(to, interval)) &&
           put(to, top, "theme", add_text(to, tui_theme_names[settings->theme])) &&
           put(to, top, "sort", add_text(to, tui_columns[settings->sort].name)) &&
           put(to, top, "descending", add_text(to, settings->is_descending ? "true" : "false")) &&
           put(to, top, "tree", add_text(to, settings->is_tree ? "true" : "false")) && put(to, top, "columns", columns);
}

/* The document that is to be written; `old` may be NULL. The caller deletes it whatever the answer. */
static bool compose(yaml_document_t *to, yaml_document_t *old, const tui_settings *settings)
{
    yaml_node_t *root = old == NULL ? NULL : yaml_document_get_root_node(old);
    int mapping = yaml_document_add_mapping(to, NULL, YAML_BLOCK_MAPPING_STYLE); /* the first node is the root */
    int top = yaml_document_add_mapping(to, NULL, YAML_BLOCK_MAPPING_STYLE);
    return mapping != 0 && top != 0 && add_settings(to, top, settings) &&
           copy_others(to, top, old, tui_config_get(old, root, "top"), false) && put(to, mapping, "top", top) &&
           copy_others(to, mapping, old, root, true);
}

/* Hands the document over to the emitter, which deletes it. */
static bool emit(yaml_document_t *document, FILE *file)
{
    yaml_emitter_t emitter;
    fputs("# Settings of nvpulse. 'nvpulse top' writes its own anew: other keys stay, comments do not.\n", file);
    if (yaml_emitter_initialize(&emitter) == 0) {
        yaml_document_delete(document);
        return false;
    }
    yaml_emitter_set_output_file(&emitter, file);
    yaml_emitter_set_unicode(&emitter, 1);
    yaml_emitter_set_width(&emitter, 120);
    bool done =
        yaml_emitter_open(&emitter) != 0 && yaml_emitter_dump(&emitter, document) != 0 && yaml_emitter_close(&emitter) != 0;
    yaml_emitter_delete(&emitter);
    return done;
}

static bool make_folders(const char *path)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = folder; (slash = strchr(slash + 1, '/')) != NULL;) {
        *slash = '\0';
        if (mkdir(folder, 0700) != 0 && errno != EEXIST && access(folder, F_OK) != 0) {
            return false;
        }
        *slash = '/';
    }
    return true;
}

/* Writes beside `path` and renames. Settings are not worth waiting for a disk: there is no fsync(). */
static bool replace(const char *path, yaml_document_t *document)
{
    char beside[PATH_MAX + 8];
    struct stat old;
    snprintf(beside, sizeof beside, "%s.XXXXXX", path);
    int descriptor = mkostemp(beside, O_CLOEXEC);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (file == NULL) {
        yaml_document_delete(document);
        return false;
    }
    mode_t mode = stat(path, &old) == 0 ? old.st_mode & 0777 : 0644;
    bool done = emit(document, file) && fchmod(descriptor, mode) == 0 && fflush(file) == 0;
    done = fclose(file) == 0 && done && rename(beside, path) == 0;
    if (!done) {
        int error = errno;
        unlink(beside);
        errno = error;
    }
    return done;
}

bool tui_config_save(const tui_settings *settings, char *message, size_t size)
{
    char named[PATH_MAX - 16], real[PATH_MAX];
    yaml_document_t old, document;
    if (!tui_config_path(named, sizeof named)) {
        snprintf(message, size, "neither XDG_CONFIG_HOME nor HOME names a folder");
        return false;
    }
    tui_config_state state = tui_config_read(named, &old, message, size);
    if (state == TUI_CONFIG_BAD) {
        return false;
    }
    if (yaml_document_initialize(&document, NULL, NULL, NULL, 1, 1) == 0) {
        snprintf(message, size, "out of memory");
    } else if (!compose(&document, state == TUI_CONFIG_GOOD ? &old : NULL, settings)) {
        snprintf(message, size, "the settings could not be put together");
        yaml_document_delete(&document);
    } else if (!make_folders(named)) {
        snprintf(message, size, "config.yaml: %s", strerror(errno));
        yaml_document_delete(&document);
    } else if (!replace(realpath(named, real) != NULL ? real : named, &document)) {
        snprintf(message, size, "config.yaml: %s", strerror(errno));
    } else {
        message[0] = '\0';
    }
    if (state == TUI_CONFIG_GOOD) {
        yaml_document_delete(&old);
    }
    return message[0] == '\0';
}
