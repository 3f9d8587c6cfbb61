/*
 * The words of `nvpulse sim ctl`, turned into lines of a control file. Knows the grammar of the commands; what the keys and values
 * mean is looked at when the lines are applied.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/live.h"
#include "scenario/reader.h"

/** A command being turned into lines. */
typedef struct writer {
    FILE *out;
    char *message;
    const char *const *words; /* that are left */
    size_t count;
} writer;

static bool fail(const writer *to, const char *what, const char *word, const char *allowed)
{
    snprintf(to->message, NVPSIM_MESSAGE_SIZE, "%s%s%.200s%s; allowed: %s", what, word ? " '" : "", word ? word : "",
             word ? "'" : "", allowed);
    return false;
}

/* As YAML in double quotes, which is the same value for every key; what YAML has a form of its own for stays as it is. */
static bool value_put(const writer *to, const char *value)
{
    bool is_form = value[0] == '{' || value[0] == '[' || value[0] == '"' || value[0] == '\'';
    for (const char *at = value; *at; at++) {
        if ((unsigned char)*at < ' ') {
            return fail(to, "a control character in a value", NULL, "text");
        }
    }
    if (is_form) {
        fputs(value, to->out);
        return true;
    }
    fputc('"', to->out);
    for (const char *at = value; *at; at++) {
        fprintf(to->out, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
    }
    fputc('"', to->out);
    return true;
}

static const char key_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/* a.b.c=value as {a: {b: {c: value}}}. */
static bool item_put(const writer *to, const char *item)
{
    size_t depth = 0;
    const char *at = item;
    fputc('{', to->out);
    for (;;) {
        size_t length = strspn(at, key_letters);
        if (length == 0 || (at[length] != '.' && at[length] != '=')) {
            return fail(to, "not understood:", item, "KEY=VALUE");
        }
        fprintf(to->out, "%.*s: ", (int)length, at);
        at += length + 1;
        if (at[-1] == '=') {
            break;
        }
        fputc('{', to->out);
        depth++;
    }
    if (!value_put(to, at)) {
        return false;
    }
    for (; depth > 0; depth--) {
        fputc('}', to->out);
    }
    fputc('}', to->out);
    return true;
}

/* The rest of the words as a list of mappings behind `kind`. */
static bool items_put(writer *to, const char *kind)
{
    fprintf(to->out, "{%s: [", kind);
    for (size_t i = 0; i < to->count; i++) {
        fputs(i > 0 ? ", " : "", to->out);
        if (!item_put(to, to->words[i])) {
            return false;
        }
    }
    fputs("]}\n", to->out);
    return true;
}

/* Splits "devices[1].key" into the device and the key; without such a beginning all devices are meant. */
static bool target_of(const writer *to, const char *word, char device[16], const char **key)
{
    static const char before[] = "devices[";
    snprintf(device, 16, "all");
    *key = word;
    if (strncmp(word, before, sizeof before - 1) != 0) {
        return true;
    }
    const char *number = word + sizeof before - 1;
    size_t length = strcspn(number, "]");
    bool is_number = length > 0 && length < 5 && strspn(number, "0123456789") == length;
    bool is_all = length == 3 && strncmp(number, "all", 3) == 0;
    if ((!is_number && !is_all) || number[length] != ']' || number[length + 1] != '.') {
        return fail(to, "not understood:", word, "devices[N].KEY, devices[all].KEY or KEY");
    }
    snprintf(device, 16, "%.*s", (int)length, number);
    *key = number + length + 2;
    return true;
}

/* One line for all items in a row that concern the same device: so that they are checked together. */
static bool targets_put(writer *to, const char *kind)
{
    char device[16], last[16] = "";
    const char *key;
    bool is_reset = strcmp(kind, "reset") == 0;
    if (to->count == 0) {
        return fail(to, "a key is missing", NULL, is_reset ? "devices[N].KEY" : "devices[N].KEY=VALUE");
    }
    for (size_t i = 0; i < to->count; i++) {
        if (!target_of(to, to->words[i], device, &key)) {
            return false;
        }
        if (strcmp(device, last) != 0) {
            fprintf(to->out, "%s{device: %s, %s: [", last[0] ? "]}\n" : "", device, kind);
            snprintf(last, sizeof last, "%s", device);
        } else {
            fputs(", ", to->out);
        }
        if (!(is_reset ? value_put(to, key) : item_put(to, key))) {
            return false;
        }
    }
    fputs("]}\n", to->out);
    return true;
}

static bool word_is(const writer *to, size_t index, const char *word)
{
    return index < to->count && strcmp(to->words[index], word) == 0;
}

static void words_pass(writer *to, size_t count)
{
    to->words += count;
    to->count -= count;
}

static bool set(writer *to)
{
    return targets_put(to, "set");
}

static bool reset(writer *to)
{
    return targets_put(to, "reset");
}

static bool fault(writer *to)
{
    if (word_is(to, 0, "clear") && to->count == 1) {
        fputs("{clear_faults: true}\n", to->out);
        return true;
    }
    if (!word_is(to, 0, "add")) {
        return fail(to, "not understood: fault", to->count > 0 ? to->words[0] : NULL, "fault add KEY=VALUE..., fault clear");
    }
    words_pass(to, 1);
    return items_put(to, "fault");
}

static bool process(writer *to)
{
    if (word_is(to, 0, "end") && to->count == 2) {
        fputs("{end: ", to->out);
        bool ok = value_put(to, to->words[1]);
        fputs("}\n", to->out);
        return ok;
    }
    if (!word_is(to, 0, "add")) {
        return fail(to, "not understood: process", to->count > 0 ? to->words[0] : NULL,
                    "process add KEY=VALUE..., process end PID or NAME");
    }
    words_pass(to, 1);
    return items_put(to, "process");
}

static bool number_check(const writer *to, const char *word)
{
    bool ok = word[0] && strlen(word) < 16 && strspn(word, "0123456789") == strlen(word);
    return ok || fail(to, "no number:", word, "a whole number");
}

static bool event(writer *to)
{
    if (to->count < 2 || to->count > 3) {
        return fail(to, "an event is a kind, a device and its data", NULL, "event xid DEVICE NUMBER");
    }
    fputs("{event: [{type: ", to->out);
    if (!value_put(to, to->words[0]) || !number_check(to, to->words[1]) || (to->count == 3 && !number_check(to, to->words[2]))) {
        return false;
    }
    fprintf(to->out, ", device: %s, data: %s}]}\n", to->words[1], to->count == 3 ? to->words[2] : "0");
    return true;
}

static bool device(writer *to)
{
    static const struct {
        const char *word, *items;
    } acts[] = {
        { "lose", "{lost: true}" },
        { "return", "{lost: false}, {failure: {mode: healthy}}" },
        { "remove", "{hotplug: {present: false}}" },
        { "add", "{hotplug: {present: true}}" },
    };
    bool is_number = to->count == 2 && !strchr(to->words[1], '=');
    for (size_t i = 0; is_number && i < sizeof acts / sizeof acts[0]; i++) {
        if (word_is(to, 0, acts[i].word)) {
            fprintf(to->out, "{device: %s, set: [%s]}\n", to->words[1], acts[i].items);
            return number_check(to, to->words[1]);
        }
    }
    if (!word_is(to, 0, "add")) {
        return fail(to, "not understood: device", to->count > 0 ? to->words[0] : NULL,
                    "device add [KEY=VALUE...], device add|lose|remove|return NUMBER");
    }
    words_pass(to, 1);
    return items_put(to, "add");
}

static bool clock_step(writer *to)
{
    static const struct {
        const char *unit;
        double us;
    } units[] = { { "", 1000 }, { "us", 1 }, { "ms", 1000 }, { "s", 1e6 }, { "min", 60e6 }, { "h", 3600e6 } };
    char *rest = NULL;
    bool is_step = word_is(to, 0, "step") && to->count == 2;
    errno = 0;
    double number = is_step ? strtod(to->words[1], &rest) : -1;
    for (size_t i = 0; rest && number >= 0 && errno == 0 && rest != to->words[1] && i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(rest, units[i].unit) == 0 && number * units[i].us <= 1e15) {
            fprintf(to->out, "{step_us: %.0f}\n", number * units[i].us);
            return true;
        }
    }
    return fail(to, "not understood: clock", to->count > 1 ? to->words[1] : NULL, "clock step TIME, such as 500ms, 2s");
}

static const struct {
    const char *word;
    bool (*write)(writer *to);
} commands[] = {
    { "clock", clock_step }, { "device", device }, { "event", event }, { "fault", fault },
    { "process", process },  { "reset", reset },   { "set", set },
};

static bool command_write(writer *to)
{
    nvpsim_nearest nearest;
    const char *word = to->count > 0 ? to->words[0] : "";
    nvpsim__nearest_start(&nearest, word);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(word, commands[i].word) == 0) {
            words_pass(to, 1);
            return commands[i].write(to);
        }
        nvpsim__nearest_try(&nearest, commands[i].word);
    }
    const char *near = nvpsim__nearest_name(&nearest);
    snprintf(to->message, NVPSIM_MESSAGE_SIZE,
             "there is no command '%.100s'%s%s%s allowed: clock, device, event, fault, process, reset, set", word,
             near ? ", did you mean '" : "", near ? near : "", near ? "'?" : ";");
    return false;
}

char *nvpsim__command_lines(size_t count, const char *const *words, char *message)
{
    char *lines = NULL;
    size_t size;
    writer to = { open_memstream(&lines, &size), message, words, count };
    if (!to.out) {
        snprintf(message, NVPSIM_MESSAGE_SIZE, "out of memory");
        return NULL;
    }
    bool ok = command_write(&to);
    if (fclose(to.out) != 0 && ok) {
        snprintf(message, NVPSIM_MESSAGE_SIZE, "out of memory");
        ok = false;
    }
    if (!ok) {
        free(lines);
        return NULL;
    }
    return lines;
}
