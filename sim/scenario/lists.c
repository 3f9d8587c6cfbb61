/*
 * The readers of keys that are more than one value: lists of clocks, processes, faults, switches, root complexes.
 * Each entry of a list is read by its own table of keys where it has one.
 */
#include <stdio.h>
#include <string.h>

#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

#include "base/function.h"
#include "scenario/reader.h"

bool nvpsim__read_version(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target)
{
    (void)key;
    (void)target;
    const char *text = nvpsim__node_text(node);
    if (text && (strcmp(text, "1") == 0 || strcmp(text, "1.0") == 0)) {
        return true;
    }
    return nvpsim__read_fail(reader, node, "this version is not known; allowed: 1, \"1.0\"");
}

bool nvpsim__read_name_hex(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target)
{
    (void)key;
    nvpsim_device_spec *device = target;
    return nvpsim__read_hex(reader, node, 95, &device->name);
}

bool nvpsim__read_process_name_hex(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target)
{
    (void)key;
    nvpsim_process_spec *process = target;
    return nvpsim__read_hex(reader, node, 255, &process->name);
}

bool nvpsim__read_process_pid(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target)
{
    (void)key;
    nvpsim_process_spec *process = target;
    const char *text = nvpsim__node_text(node);
    uint64_t pid;
    if (text && strcmp(text, "self") == 0) {
        process->pid_kind = NVPSIM_PID_SELF;
        return true;
    }
    if (!text || !nvpsim__parse_whole(text, "", &pid) || pid > UINT32_MAX) {
        return nvpsim__read_fail(reader, node, "allowed: a whole number from 0 to 4294967295, or self");
    }
    process->pid_kind = NVPSIM_PID_FIXED;
    process->pid = (uint32_t)pid;
    return true;
}

bool nvpsim__read_process_mib(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target)
{
    const nvpsim_key limits = { .path = key->path, .low = 0, .high = 1e15, .unit = "bytes" };
    nvpsim_process_spec *process = target;
    if (nvpsim__node_is_null(node)) {
        return true;
    }
    if (nvpsim__node_is_not_available(node)) {
        process->used_bytes = (nvpsim_movement){ .state = NVPSIM_NOT_AVAILABLE };
        return true;
    }
    return nvpsim__read_movement_scaled(reader, node, &limits, 1024 * 1024, &process->used_bytes);
}

bool nvpsim__read_process_device(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target)
{
    (void)key;
    const nvpsim_key limits = { .low = 0, .high = NVPSIM_DEVICES_MAX - 1, .unit = "" };
    nvpsim_process_spec *process = target;
    nvpsim_number number;
    if (!nvpsim__read_number(reader, node, &limits, &number)) {
        return false;
    }
    uint64_t *values = nvpsim__arena_take(&reader->scenario->arena, 1, sizeof *values);
    if (!values) {
        return nvpsim__read_no_memory(reader);
    }
    values[0] = number.value;
    process->devices = (nvpsim_numbers){ values, 1 };
    return true;
}

bool nvpsim__read_process_devices(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target)
{
    (void)key;
    nvpsim_process_spec *process = target;
    const char *text = nvpsim__node_text(node);
    if (text && strcmp(text, "all") == 0) {
        process->on_all_devices = true;
        return true;
    }
    if (text) {
        return nvpsim__read_fail(reader, node, "allowed: a list of device indexes, or all");
    }
    return nvpsim__read_numbers(reader, node, NVPSIM_DEVICES_MAX - 1, &process->devices);
}

static bool process_list_read(nvpsim_reader *reader, yaml_node_t *node, bool at_top, nvpsim_process_list *list)
{
    void *items;
    size_t count;
    if (!nvpsim__read_list(reader, node, sizeof(nvpsim_process_spec), &items, &count)) {
        return false;
    }
    nvpsim_process_spec *processes = items;
    for (size_t i = 0; i < count; i++) {
        size_t before = nvpsim__path_push_index(reader, i);
        yaml_node_t *entry = nvpsim__list_item(reader, node, i);
        if (!nvpsim__read_mapping(reader, entry, &nvpsim__keys_process, &processes[i])) {
            return false;
        }
        bool is_placed = processes[i].on_all_devices || processes[i].devices.count > 0;
        if (at_top && !is_placed) {
            return nvpsim__read_fail(reader, entry, "a process at the top level needs 'device' or 'devices'");
        }
        if (!at_top && is_placed) {
            return nvpsim__read_fail(reader, entry, "'device' and 'devices' are for processes at the top level");
        }
        nvpsim__path_pop(reader, before);
    }
    *list = (nvpsim_process_list){ processes, count, true, 0 };
    return true;
}

bool nvpsim__read_device_processes(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target)
{
    (void)key;
    nvpsim_device_spec *device = target;
    return process_list_read(reader, node, false, &device->processes);
}

bool nvpsim__read_processes(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target)
{
    (void)key;
    nvpsim_scenario *scenario = target;
    return process_list_read(reader, node, true, &scenario->processes);
}

bool nvpsim__read_retired_single_pages(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target)
{
    (void)key;
    return nvpsim__read_numbers(reader, node, 1e15, &((nvpsim_device_spec *)target)->retired_single_pages);
}

bool nvpsim__read_retired_double_pages(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target)
{
    (void)key;
    return nvpsim__read_numbers(reader, node, 1e15, &((nvpsim_device_spec *)target)->retired_double_pages);
}

static bool clock_pair_read(nvpsim_reader *reader, yaml_node_t *node, nvpsim_clock_pair *clocks)
{
    const nvpsim_key limits = { .low = 1, .high = 100000, .unit = "MHz" };
    if (node->type != YAML_MAPPING_NODE) {
        return nvpsim__read_fail(reader, node, "must be a mapping with freq_mhz and graphics_clocks");
    }
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        const char *word = nvpsim__node_text(yaml_document_get_node(reader->document, pair->key));
        yaml_node_t *value = yaml_document_get_node(reader->document, pair->value);
        size_t before = nvpsim__path_push_key(reader, word ? word : "?");
        if (word && strcmp(word, "freq_mhz") == 0) {
            if (!nvpsim__read_number(reader, value, &limits, &clocks->memory_mhz)) {
                return false;
            }
        } else if (word && strcmp(word, "graphics_clocks") == 0) {
            if (!nvpsim__read_numbers(reader, value, 100000, &clocks->graphics_mhz)) {
                return false;
            }
        } else {
            return nvpsim__read_fail(reader, value, "unknown key; allowed: freq_mhz, graphics_clocks");
        }
        nvpsim__path_pop(reader, before);
    }
    if (clocks->memory_mhz.state != NVPSIM_GIVEN || clocks->graphics_mhz.count == 0) {
        return nvpsim__read_fail(reader, node, "needs freq_mhz and at least one of graphics_clocks");
    }
    return true;
}

bool nvpsim__read_supported_clocks(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target)
{
    (void)key;
    nvpsim_device_spec *device = target;
    void *items;
    size_t count;
    if (!nvpsim__read_list(reader, node, sizeof(nvpsim_clock_pair), &items, &count)) {
        return false;
    }
    nvpsim_clock_pair *pairs = items;
    for (size_t i = 0; i < count; i++) {
        size_t before = nvpsim__path_push_index(reader, i);
        if (!clock_pair_read(reader, nvpsim__list_item(reader, node, i), &pairs[i])) {
            return false;
        }
        nvpsim__path_pop(reader, before);
    }
    device->supported_clocks = (nvpsim_clock_pairs){ pairs, count, true };
    return true;
}
