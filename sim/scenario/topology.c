/*
 * Reading of NVSwitches and PCIe root complexes.
 */
#include <string.h>

#include "scenario/reader.h"

static const nvpsim_key bus_id_limits = { .high = 31, .unit = "" };
static const nvpsim_key text_limits = { .high = 79, .unit = "" };

/* The value of one key of a mapping, or NULL. */
static yaml_node_t *member_of(const nvpsim_reader *reader, const yaml_node_t *node, const char *word)
{
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        const char *key = nvpsim__node_text(yaml_document_get_node(reader->document, pair->key));
        if (key && strcmp(key, word) == 0) {
            return yaml_document_get_node(reader->document, pair->value);
        }
    }
    return NULL;
}

/* Fails on a key that is not in the list. */
static bool members_known(nvpsim_reader *reader, const yaml_node_t *node, const char *const *words, const char *allowed)
{
    if (node->type != YAML_MAPPING_NODE) {
        return nvpsim__read_fail(reader, node, "must be a mapping; allowed keys: %s", allowed);
    }
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        yaml_node_t *name = yaml_document_get_node(reader->document, pair->key);
        const char *key = nvpsim__node_text(name);
        const char *const *word = words;
        while (key && *word && strcmp(*word, key) != 0) {
            word++;
        }
        if (!key || !*word) {
            return nvpsim__read_fail(reader, name, "unknown key '%s'; allowed: %s", key ? key : "?", allowed);
        }
    }
    return true;
}

bool nvpsim__read_switches(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target)
{
    (void)key;
    static const char *const words[] = { "bdf", "uuid", "device_id", NULL };
    nvpsim_scenario *scenario = target;
    void *items;
    size_t count;
    if (!nvpsim__read_list(reader, node, sizeof(nvpsim_switch_spec), &items, &count)) {
        return false;
    }
    nvpsim_switch_spec *switches = items;
    for (size_t i = 0; i < count; i++) {
        size_t before = nvpsim__path_push_index(reader, i);
        yaml_node_t *entry = nvpsim__list_item(reader, node, i);
        if (!members_known(reader, entry, words, "bdf, uuid, device_id")) {
            return false;
        }
        yaml_node_t *bus_id = member_of(reader, entry, "bdf"), *uuid = member_of(reader, entry, "uuid");
        if (!bus_id) {
            return nvpsim__read_fail(reader, entry, "needs bdf, a PCI address");
        }
        if (!nvpsim__read_text(reader, bus_id, &bus_id_limits, &switches[i].bus_id) ||
            (uuid && !nvpsim__read_text(reader, uuid, &text_limits, &switches[i].uuid))) {
            return false;
        }
        nvpsim__path_pop(reader, before);
    }
    scenario->switches = switches;
    scenario->switch_count = count;
    return true;
}

static bool bus_ids_read(nvpsim_reader *reader, yaml_node_t *node, nvpsim_root_complex *root)
{
    void *items;
    if (!nvpsim__read_list(reader, node, sizeof(char *), &items, &root->bus_id_count)) {
        return false;
    }
    const char **bus_ids = items;
    for (size_t i = 0; i < root->bus_id_count; i++) {
        nvpsim_text text;
        if (!nvpsim__read_text(reader, nvpsim__list_item(reader, node, i), &bus_id_limits, &text)) {
            return false;
        }
        bus_ids[i] = text.bytes;
    }
    root->bus_ids = bus_ids;
    return true;
}

static bool root_complex_read(nvpsim_reader *reader, yaml_node_t *node, nvpsim_root_complex *root)
{
    static const char *const words[] = { "id", "numa_node", "devices", "cpu_affinity", NULL };
    const nvpsim_key numa_limits = { .high = 63, .unit = "" };
    if (!members_known(reader, node, words, "id, numa_node, devices, cpu_affinity")) {
        return false;
    }
    yaml_node_t *id = member_of(reader, node, "id"), *numa_node = member_of(reader, node, "numa_node");
    yaml_node_t *devices = member_of(reader, node, "devices"), *cpus = member_of(reader, node, "cpu_affinity");
    return (!id || nvpsim__read_text(reader, id, &text_limits, &root->id)) &&
           (!numa_node || nvpsim__read_number(reader, numa_node, &numa_limits, &root->numa_node)) &&
           (!cpus || nvpsim__read_text(reader, cpus, &text_limits, &root->cpus)) &&
           (!devices || bus_ids_read(reader, devices, root));
}

bool nvpsim__read_root_complexes(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target)
{
    (void)key;
    nvpsim_scenario *scenario = target;
    void *items;
    size_t count;
    if (!nvpsim__read_list(reader, node, sizeof(nvpsim_root_complex), &items, &count)) {
        return false;
    }
    nvpsim_root_complex *roots = items;
    for (size_t i = 0; i < count; i++) {
        size_t before = nvpsim__path_push_index(reader, i);
        if (!root_complex_read(reader, nvpsim__list_item(reader, node, i), &roots[i])) {
            return false;
        }
        nvpsim__path_pop(reader, before);
    }
    scenario->root_complexes = roots;
    scenario->root_complex_count = count;
    return true;
}
