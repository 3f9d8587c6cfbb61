/*
 * A file that is wrong in one place is wrong as a whole: half of somebody's settings would only confuse.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "config_read.h"

/** What a reading of one setting works with. */
struct reading {
    yaml_document_t *document;
    tui_settings *settings;
    const yaml_node_t *node;
    char *message;
    size_t size;
};

static bool refuse(const struct reading *reading, const char *what)
{
    return tui_config_refuse(reading->node, what, reading->message, reading->size);
}

static bool read_interval(const struct reading *reading)
{
    const char *text = tui_config_text(reading->node);
    char *end = NULL;
    double seconds = text == NULL ? 0 : strtod(text, &end);
    double interval_ms = round(seconds * 1000);
    if (text == NULL || end == text || *end != '\0' ||
        !(interval_ms >= TUI_INTERVAL_MIN_MS && interval_ms <= TUI_INTERVAL_MAX_MS)) {
        return refuse(reading, "interval_seconds is no number from 0.1 to 3600");
    }
    reading->settings->interval_ms = (uint64_t)interval_ms;
    return true;
}

static bool read_theme(const struct reading *reading)
{
    const char *text = tui_config_text(reading->node);
    int theme = text == NULL ? -1 : tui_theme_find(text);
    if (theme < 0) {
        return refuse(reading, "theme is none of dark, light, mono");
    }
    reading->settings->theme = (tui_theme)theme;
    return true;
}

static bool read_sort(const struct reading *reading)
{
    const char *text = tui_config_text(reading->node);
    int column = text == NULL ? -1 : tui_column_find(text);
    if (column < 0) {
        return refuse(reading, "sort is no column");
    }
    reading->settings->sort = (tui_column)column;
    return true;
}

static bool read_truth(const struct reading *reading, bool *truth)
{
    const char *text = tui_config_text(reading->node);
    if (text == NULL || (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)) {
        return refuse(reading, "neither true nor false");
    }
    *truth = text[0] == 't';
    return true;
}

static bool read_descending(const struct reading *reading)
{
    return read_truth(reading, &reading->settings->is_descending);
}

static bool read_tree(const struct reading *reading)
{
    return read_truth(reading, &reading->settings->is_tree);
}

static bool has_column(const tui_settings *settings, int column)
{
    for (size_t i = 0; i < settings->column_count; i++) {
        if ((int)settings->columns[i] == column) {
            return true;
        }
    }
    return false;
}

static bool read_columns(const struct reading *reading)
{
    tui_settings *settings = reading->settings;
    struct reading item = *reading;
    if (reading->node->type != YAML_SEQUENCE_NODE) {
        return refuse(reading, "columns is no list");
    }
    settings->column_count = 0;
    for (const yaml_node_item_t *next = reading->node->data.sequence.items.start; next < reading->node->data.sequence.items.top;
         next++) {
        item.node = yaml_document_get_node(reading->document, *next);
        const char *text = tui_config_text(item.node);
        int column = text == NULL ? -1 : tui_column_find(text);
        if (column < 0) {
            return refuse(&item, "there is no such column");
        }
        if (!has_column(settings, column)) {
            settings->columns[settings->column_count++] = (tui_column)column;
        }
    }
    return settings->column_count > 0 || refuse(reading, "columns is empty");
}

static bool read_bell(const struct reading *reading)
{
    return read_truth(reading, &reading->settings->rings);
}

/* A list of conditions, which stands in place of those of a new user. */
static bool read_alerts(const struct reading *reading)
{
    tui_settings *settings = reading->settings;
    struct reading item = *reading;
    tui_alert_rule rule;
    char message[160];
    if (reading->node->type != YAML_SEQUENCE_NODE) {
        return refuse(reading, "alerts is no list");
    }
    settings->alert_count = 0;
    for (const yaml_node_item_t *next = reading->node->data.sequence.items.start; next < reading->node->data.sequence.items.top;
         next++) {
        item.node = yaml_document_get_node(reading->document, *next);
        const char *text = tui_config_text(item.node);
        if (text == NULL || settings->alert_count == TUI_ALERT_RULES_MAX) {
            return refuse(&item, text == NULL ? "an alert is no text" : "there are too many alerts");
        }
        if (!tui_alert_parse(text, &rule, message, sizeof message)) {
            return refuse(&item, message);
        }
        snprintf(settings->alerts[settings->alert_count++], TUI_ALERT_TEXT_MAX, "%s", text);
    }
    return true;
}

static const struct {
    const char *key;
    bool (*read)(const struct reading *reading);
} keys[] = {
    { "interval_seconds", read_interval },
    { "theme", read_theme },
    { "sort", read_sort },
    { "descending", read_descending },
    { "tree", read_tree },
    { "columns", read_columns },
    { "alerts", read_alerts },
    { "bell", read_bell },
};

static bool read_all(yaml_document_t *document, tui_settings *settings, char *message, size_t size)
{
    yaml_node_t *top = tui_config_get(document, yaml_document_get_root_node(document), "top");
    if (top != NULL && top->type != YAML_MAPPING_NODE) {
        return tui_config_refuse(top, "top is no mapping", message, size);
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct reading reading = { document, settings, tui_config_get(document, top, keys[i].key), message, size };
        if (reading.node != NULL && !keys[i].read(&reading)) {
            return false;
        }
    }
    return true;
}

bool tui_config_load(tui_settings *settings, char *message, size_t size)
{
    char path[4096];
    yaml_document_t document;
    tui_settings read = *settings;
    if (!tui_config_path(path, sizeof path)) {
        return true;
    }
    tui_config_state state = tui_config_read(path, &document, message, size);
    if (state != TUI_CONFIG_GOOD) {
        return state == TUI_CONFIG_ABSENT;
    }
    bool done = read_all(&document, &read, message, size);
    yaml_document_delete(&document);
    if (done) {
        *settings = read;
    }
    return done;
}
