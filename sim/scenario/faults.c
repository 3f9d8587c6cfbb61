/*
 * Reading of the lists of faults and of events.
 */
#include <stdio.h>
#include <string.h>

#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

#include "base/function.h"
#include "scenario/reader.h"

static const nvpsim_choice error_names[] = {
#define NVP_ERROR(name, value, text, meaning, advice) { #name, value },
#include "abi/errors.def"
    { NULL, 0 }
};

bool nvpsim__read_fault_function(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target)
{
    (void)key;
    nvpsim_fault_spec *fault = target;
    const char *text = nvpsim__node_text(node);
    fault->function = -1;
    if (!text) {
        return nvpsim__read_fail(reader, node, "allowed: the name of an NVML function, or any");
    }
    if (strcmp(text, "any") == 0) {
        return true;
    }
    fault->function = nvpsim__function_find(text);
    if (fault->function >= 0) {
        return true;
    }
    nvpsim_nearest nearest;
    nvpsim__nearest_start(&nearest, text);
    for (int i = 0; i < NVPSIM_FUNCTION_COUNT; i++) {
        nvpsim__nearest_try(&nearest, nvpsim__function_name(i));
    }
    const char *near = nvpsim__nearest_name(&nearest);
    return nvpsim__read_fail(reader, node, "'%s' is no NVML function%s%s%s allowed: an exported name, or any", text,
                             near ? ", did you mean '" : "", near ? near : "", near ? "'?" : ";");
}

bool nvpsim__read_fault_device(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target)
{
    (void)key;
    const nvpsim_key limits = { .low = 0, .high = NVPSIM_DEVICES_MAX - 1, .unit = "" };
    nvpsim_fault_spec *fault = target;
    const char *text = nvpsim__node_text(node);
    nvpsim_number number;
    if (text && strcmp(text, "any") == 0) {
        return true;
    }
    if (!nvpsim__read_number(reader, node, &limits, &number)) {
        return false;
    }
    fault->device = (int)number.value;
    return true;
}

bool nvpsim__read_fault_error(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target)
{
    (void)key;
    nvpsim_fault_spec *fault = target;
    const char *text = nvpsim__node_text(node);
    nvpsim_nearest nearest;
    nvpsim__nearest_start(&nearest, text ? text : "");
    if (text && nvpsim__parse_whole(text, "", &fault->error.value) && fault->error.value <= INT32_MAX) {
        fault->error.state = NVPSIM_GIVEN;
        return true;
    }
    for (const nvpsim_choice *name = error_names; text && name->word; name++) {
        const char *brief = strncmp(name->word, "NVML_", 5) == 0 ? name->word + 5 : name->word;
        const char *briefer = strncmp(brief, "ERROR_", 6) == 0 ? brief + 6 : brief;
        if (strcmp(text, name->word) == 0 || strcmp(text, brief) == 0 || strcmp(text, briefer) == 0) {
            fault->error = (nvpsim_number){ NVPSIM_GIVEN, name->value };
            return true;
        }
        nvpsim__nearest_try(&nearest, strncmp(text, "NVML_", 5) == 0 ? name->word : briefer);
    }
    const char *near = nvpsim__nearest_name(&nearest);
    return nvpsim__read_fail(reader, node, "'%s' is no error of NVML%s%s%s allowed: a name such as GPU_IS_LOST, or a number",
                             text ? text : "", near ? ", did you mean '" : "", near ? near : "", near ? "'?" : ";");
}

bool nvpsim__fault_check(nvpsim_reader *reader, const yaml_node_t *node, const nvpsim_fault_spec *fault)
{
    if (fault->error.state != NVPSIM_GIVEN && fault->hang.value == 0 && fault->latency_ms.value == 0) {
        return nvpsim__read_fail(reader, node, "a fault needs 'error', 'latency_ms' or 'hang: true'");
    }
    return true;
}

/* Entries of the file stand behind those of the profile that it is based on. */
bool nvpsim__read_faults(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target)
{
    (void)key;
    nvpsim_scenario *scenario = target;
    void *items;
    size_t count;
    if (!nvpsim__read_list(reader, node, sizeof(nvpsim_fault_spec), &items, &count)) {
        return false;
    }
    if (count > NVPSIM_FAULTS_MAX) {
        return nvpsim__read_fail(reader, node, "too many faults; allowed: at most %d", NVPSIM_FAULTS_MAX);
    }
    nvpsim_fault_spec *faults = items;
    for (size_t i = 0; i < count; i++) {
        size_t before = nvpsim__path_push_index(reader, i);
        yaml_node_t *entry = nvpsim__list_item(reader, node, i);
        faults[i] = (nvpsim_fault_spec){ .function = -1, .device = -1 };
        if (!nvpsim__read_mapping(reader, entry, &nvpsim__keys_fault, &faults[i]) ||
            !nvpsim__fault_check(reader, entry, &faults[i])) {
            return false;
        }
        nvpsim__path_pop(reader, before);
    }
    scenario->faults = faults;
    scenario->fault_count = count;
    return true;
}

bool nvpsim__read_events(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target)
{
    (void)key;
    nvpsim_scenario *scenario = target;
    void *items;
    size_t count;
    if (!nvpsim__read_list(reader, node, sizeof(nvpsim_event_spec), &items, &count)) {
        return false;
    }
    nvpsim_event_spec *events = items;
    for (size_t i = 0; i < count; i++) {
        size_t before = nvpsim__path_push_index(reader, i);
        yaml_node_t *entry = nvpsim__list_item(reader, node, i);
        if (!nvpsim__read_mapping(reader, entry, &nvpsim__keys_event, &events[i])) {
            return false;
        }
        if (events[i].at_ms.state != NVPSIM_GIVEN) {
            return nvpsim__read_fail(reader, entry, "an event needs 'at_ms'");
        }
        if (events[i].type.state != NVPSIM_GIVEN) {
            events[i].type = (nvpsim_number){ NVPSIM_GIVEN, nvmlEventTypeXidCriticalError };
        }
        nvpsim__path_pop(reader, before);
    }
    scenario->events = events;
    scenario->event_count = count;
    return true;
}
