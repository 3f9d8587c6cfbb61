/*
 * Reading of live changes. Messages name the key and not the place: nobody sees the line.
 */
#include "scenario/change.h"

#include <stdio.h>
#include <string.h>

#include "scenario/nesting.h"

static const struct {
    const char *word;
    nvpsim_change_kind kind;
} kinds[] = {
    { "control", NVPSIM_CHANGE_HEADER },  { "set", NVPSIM_CHANGE_SET },
    { "reset", NVPSIM_CHANGE_RESET },     { "add", NVPSIM_CHANGE_ADD },
    { "process", NVPSIM_CHANGE_PROCESS }, { "end", NVPSIM_CHANGE_END },
    { "fault", NVPSIM_CHANGE_FAULT },     { "clear_faults", NVPSIM_CHANGE_CLEAR_FAULTS },
    { "event", NVPSIM_CHANGE_EVENT },     { "step_us", NVPSIM_CHANGE_STEP },
};

static yaml_node_t *member_of(const nvpsim_change *change, const yaml_node_t *node, const char *word)
{
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        const char *key = nvpsim__node_text(yaml_document_get_node(change->reader.document, pair->key));
        if (key && strcmp(key, word) == 0) {
            return yaml_document_get_node(change->reader.document, pair->value);
        }
    }
    return NULL;
}

static bool kind_find(nvpsim_change *change, yaml_node_t *root)
{
    const nvpsim_key limits = { .high = NVPSIM_DEVICES_MAX - 1, .unit = "" };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && !change->body; i++) {
        change->kind = kinds[i].kind;
        change->body = member_of(change, root, kinds[i].word);
    }
    if (!change->body) {
        return nvpsim__read_fail(&change->reader, root, "is no change");
    }
    yaml_node_t *device = member_of(change, root, "device");
    const char *word = nvpsim__node_text(device);
    nvpsim_number number = { 0 };
    change->device = -1;
    if (device && !(word && strcmp(word, "all") == 0)) {
        if (!nvpsim__read_number(&change->reader, device, &limits, &number)) {
            return false;
        }
        change->device = (int)number.value;
    }
    return true;
}

bool nvpsim__change_read(nvpsim_change *change, nvpsim_scenario *scenario, const char *line, size_t size, char *message)
{
    yaml_parser_t parser;
    yaml_mark_t place;
    *change = (nvpsim_change){ .reader = { .scenario = scenario, .message = message, .source = "control", .hides_place = true } };
    if (!nvpsim__nesting_check((const unsigned char *)line, size, &place)) {
        snprintf(message, NVPSIM_MESSAGE_SIZE, "nested deeper than %d levels, at byte %zu", NVPSIM_NESTING_MAX, place.index + 1);
        return false;
    }
    if (!yaml_parser_initialize(&parser)) {
        return nvpsim__read_no_memory(&change->reader);
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)line, size);
    bool is_loaded = yaml_parser_load(&parser, &change->document) != 0;
    if (!is_loaded) {
        snprintf(message, NVPSIM_MESSAGE_SIZE, "not valid YAML: %s", parser.problem ? parser.problem : "unreadable");
        yaml_parser_delete(&parser);
        return false;
    }
    yaml_parser_delete(&parser);
    change->reader.document = &change->document;
    yaml_node_t *root = yaml_document_get_root_node(&change->document);
    bool ok = root && root->type == YAML_MAPPING_NODE;
    if (!ok) {
        snprintf(message, NVPSIM_MESSAGE_SIZE, "a change is a mapping");
    }
    if (!ok || !kind_find(change, root)) {
        nvpsim__change_free(change);
        return false;
    }
    return true;
}

void nvpsim__change_free(nvpsim_change *change)
{
    yaml_document_delete(&change->document);
}

/* The mappings of the body one after another, so that a later one may say more about what an earlier one began. */
static bool body_read(nvpsim_change *change, const char *what, const nvpsim_keys *keys, void *target)
{
    nvpsim_reader *reader = &change->reader;
    nvpsim__path_pop(reader, 0);
    nvpsim__path_push_key(reader, what);
    if (change->body->type != YAML_SEQUENCE_NODE) {
        return nvpsim__read_fail(reader, change->body, "must be a list of mappings");
    }
    size_t count = (size_t)(change->body->data.sequence.items.top - change->body->data.sequence.items.start);
    for (size_t i = 0; i < count; i++) {
        if (!nvpsim__read_mapping(reader, nvpsim__list_item(reader, change->body, i), keys, target)) {
            return false;
        }
    }
    nvpsim__path_pop(reader, 0);
    return true;
}

static const char *device_path(char *path, size_t size, unsigned index)
{
    snprintf(path, size, "devices[%u]", index);
    return path;
}

bool nvpsim__change_device(nvpsim_change *change, unsigned index, nvpsim_device_spec *spec)
{
    char path[32];
    const nvpsim_dynamic_metrics before = spec->dynamic; /* nothing but numbers */
    const nvpsim_number *old = (const nvpsim_number *)&before, *new = (const nvpsim_number *)&spec->dynamic;
    if (!body_read(change, device_path(path, sizeof path, index), &nvpsim__keys_device, spec)) {
        return false;
    }
    for (size_t i = 0; i < sizeof before / sizeof *old; i++) {
        if (old[i].state != new[i].state || old[i].value != new[i].value) { /* else it would undo what was set beside it */
            nvpsim__dynamic_apply(spec);
            break;
        }
    }
    return true;
}

static bool key_reset(nvpsim_reader *reader, const yaml_node_t *node, const char *path, nvpsim_device_spec *spec,
                      const nvpsim_device_spec *from)
{
    static const size_t sizes[] = { [NVPSIM_KEY_TEXT] = sizeof(nvpsim_text),
                                    [NVPSIM_KEY_NUMBER] = sizeof(nvpsim_number),
                                    [NVPSIM_KEY_CHOICE] = sizeof(nvpsim_number),
                                    [NVPSIM_KEY_MOVEMENT] = sizeof(nvpsim_movement) };
    size_t length = strlen(path), found = 0;
    for (size_t i = 0; i < nvpsim__keys_device.count; i++) {
        const nvpsim_key *key = &nvpsim__keys_device.rows[i];
        bool is_meant = strncmp(key->path, path, length) == 0 && (key->path[length] == '\0' || key->path[length] == '.');
        if (is_meant && key->kind <= NVPSIM_KEY_MOVEMENT) { /* a group stands for all keys in it */
            memcpy((char *)spec + key->offset, (const char *)from + key->offset, sizes[key->kind]);
            found++;
        }
    }
    nvpsim__path_push_key(reader, path);
    return found > 0 || nvpsim__read_fail(reader, node, "cannot be reset; allowed: a key of a device that is one value");
}

bool nvpsim__change_reset(nvpsim_change *change, unsigned index, nvpsim_device_spec *spec, const nvpsim_device_spec *from)
{
    nvpsim_reader *reader = &change->reader;
    char path[32];
    if (change->body->type != YAML_SEQUENCE_NODE) {
        return nvpsim__read_fail(reader, change->body, "must be a list of keys");
    }
    size_t count = (size_t)(change->body->data.sequence.items.top - change->body->data.sequence.items.start);
    for (size_t i = 0; i < count; i++) {
        const yaml_node_t *node = nvpsim__list_item(reader, change->body, i);
        const char *word = nvpsim__node_text(node);
        nvpsim__path_pop(reader, 0);
        nvpsim__path_push_key(reader, device_path(path, sizeof path, index));
        if (!key_reset(reader, node, word ? word : "?", spec, from)) {
            return false;
        }
    }
    return true;
}

bool nvpsim__change_process(nvpsim_change *change, nvpsim_process_spec *process)
{
    *process = (nvpsim_process_spec){ 0 };
    if (!body_read(change, "process", &nvpsim__keys_process, process)) {
        return false;
    }
    bool is_placed = process->on_all_devices || process->devices.count > 0;
    return is_placed || nvpsim__read_fail(&change->reader, change->body, "a process needs 'device' or 'devices'");
}

bool nvpsim__change_fault(nvpsim_change *change, nvpsim_fault_spec *fault)
{
    *fault = (nvpsim_fault_spec){ .function = -1, .device = -1 };
    return body_read(change, "fault", &nvpsim__keys_fault, fault) && nvpsim__fault_check(&change->reader, change->body, fault);
}

bool nvpsim__change_event(nvpsim_change *change, nvpsim_event_spec *event)
{
    *event = (nvpsim_event_spec){ 0 };
    return body_read(change, "event", &nvpsim__keys_event, event);
}

bool nvpsim__change_step(nvpsim_change *change, uint64_t *step_ns)
{
    const nvpsim_key limits = { .high = 1e15, .unit = "us" };
    nvpsim_number number = { 0 };
    if (!nvpsim__read_number(&change->reader, change->body, &limits, &number)) {
        return false;
    }
    *step_ns = number.value * 1000;
    return true;
}

const char *nvpsim__change_end(nvpsim_change *change, uint32_t *pid)
{
    const char *text = nvpsim__node_text(change->body);
    uint64_t number;
    *pid = 0;
    if (text && nvpsim__parse_whole(text, "", &number) && number <= UINT32_MAX) {
        *pid = (uint32_t)number;
        return NULL;
    }
    return text ? text : "";
}

const char *nvpsim__change_setting(const nvpsim_change *change, const char *name)
{
    const yaml_node_t *root = yaml_document_get_root_node((yaml_document_t *)&change->document);
    return nvpsim__node_text(member_of(change, root, name));
}
