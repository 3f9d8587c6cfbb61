/*
 * The table names keys as people read them; it is searched as numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "keys.h"

const tui_key_row tui_key_rows[] = {
#define KEY(where, keys, action, help) { TUI_IN_##where, keys, #action, help, tui_action_##action },
#include "keys.def"
#undef KEY
};

const size_t tui_key_row_count = sizeof tui_key_rows / sizeof *tui_key_rows;

static const struct {
    const char *name;
    int key;
} names_of_keys[] = {
    { "Esc", TUI_KEY_ESCAPE },  { "Tab", TUI_KEY_TAB },      { "BackTab", TUI_KEY_BACK_TAB },    { "Enter", TUI_KEY_ENTER },
    { "Space", ' ' },           { "Up", TUI_KEY_UP },        { "Down", TUI_KEY_DOWN },           { "Left", TUI_KEY_LEFT },
    { "Right", TUI_KEY_RIGHT }, { "PgUp", TUI_KEY_PAGE_UP }, { "PgDn", TUI_KEY_PAGE_DOWN },      { "Home", TUI_KEY_HOME },
    { "End", TUI_KEY_END },     { "Del", TUI_KEY_DELETE },   { "Backspace", TUI_KEY_BACKSPACE },
};

int tui_keys_parse(const char **names)
{
    *names += strspn(*names, " ");
    const char *name = *names;
    size_t length = strcspn(name, " ");
    *names += length;
    if (length <= 1) {
        return length == 0 ? TUI_KEY_NONE : name[0];
    }
    if (length == 2 && name[0] == '^') {
        return TUI_KEY_CTRL(name[1]);
    }
    for (size_t i = 0; i < sizeof names_of_keys / sizeof *names_of_keys; i++) {
        if (strlen(names_of_keys[i].name) == length && strncmp(names_of_keys[i].name, name, length) == 0) {
            return names_of_keys[i].key;
        }
    }
    return name[0] == 'F' ? TUI_KEY_F0 + (int)strtol(name + 1, NULL, 10) : TUI_KEY_UNKNOWN;
}

/** The table with a row for each key, made once: every picture asks it for the line of keys. */
static struct {
    unsigned int where;
    int key;
    tui_action *action;
} flat[256];
static size_t flat_count;

static void flatten(void)
{
    for (size_t i = 0; i < tui_key_row_count; i++) {
        const char *names = tui_key_rows[i].keys;
        int key;
        while (flat_count < sizeof flat / sizeof *flat && (key = tui_keys_parse(&names)) != TUI_KEY_NONE) {
            flat[flat_count].where = tui_key_rows[i].where;
            flat[flat_count].key = key;
            flat[flat_count++].action = tui_key_rows[i].action;
        }
    }
}

tui_action *tui_keys_find(unsigned int where, int key)
{
    if (flat_count == 0) {
        flatten();
    }
    for (size_t i = 0; key != TUI_KEY_UNKNOWN && i < flat_count; i++) {
        if ((flat[i].where & where) != 0 && flat[i].key == key) {
            return flat[i].action;
        }
    }
    return NULL;
}
