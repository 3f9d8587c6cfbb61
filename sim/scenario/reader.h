/*
 * Inside of the scenario reader: the walk over a YAML document, guided by tables of keys.
 * The first problem ends the reading; its place and cause stand in one line.
 */
#ifndef NVPSIM_SCENARIO_READER_H
#define NVPSIM_SCENARIO_READER_H

#include <yaml.h>

#include "scenario/scenario.h"

enum { NVPSIM_PATH_SIZE = 256 };

typedef struct nvpsim_reader {
    yaml_document_t *document;
    nvpsim_scenario *scenario;
    const char *source;
    char *message;
    bool hides_place;            /* messages name no line and column */
    char path[NVPSIM_PATH_SIZE]; /* of the node that is being read, such as devices[2].power */
    size_t path_length;
} nvpsim_reader;

typedef struct nvpsim_key nvpsim_key;
typedef bool nvpsim_key_reader(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, void *target);

typedef struct nvpsim_choice {
    const char *word;
    uint64_t value;
} nvpsim_choice;

typedef enum nvpsim_key_kind {
    NVPSIM_KEY_TEXT,
    NVPSIM_KEY_NUMBER,
    NVPSIM_KEY_CHOICE,
    NVPSIM_KEY_MOVEMENT,
    NVPSIM_KEY_CUSTOM,
    NVPSIM_KEY_UNUSED
} nvpsim_key_kind;

/** One row of a keys/ file. */
struct nvpsim_key {
    const char *path;
    nvpsim_key_kind kind;
    size_t offset; /* of the member in the struct that the keys are read into */
    double low, high;
    const char *unit;
    const nvpsim_choice *choices;
    nvpsim_key_reader *read;
};

typedef struct nvpsim_keys {
    const nvpsim_key *rows;
    size_t count;
    bool not_available; /* "N/A" is allowed */
} nvpsim_keys;

extern const nvpsim_keys nvpsim__keys_top, nvpsim__keys_device, nvpsim__keys_process, nvpsim__keys_fault, nvpsim__keys_movement,
    nvpsim__keys_mig_profile, nvpsim__keys_mig_device, nvpsim__keys_event;

/** Reads a mapping by its table of keys into `target`. */
bool nvpsim__read_mapping(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_keys *keys, void *target);

/** Notes a problem at `node`; always false, so that a reader can return it. */
bool nvpsim__read_fail(nvpsim_reader *reader, const yaml_node_t *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Out of memory: false. */
bool nvpsim__read_no_memory(nvpsim_reader *reader);

/** Adds "[index]" or ".key" to the path; the length to go back to. */
size_t nvpsim__path_push_index(nvpsim_reader *reader, size_t index);
size_t nvpsim__path_push_key(nvpsim_reader *reader, const char *key);
void nvpsim__path_pop(nvpsim_reader *reader, size_t length);

/** The text of a scalar; NULL for a list or mapping. Always ends with a zero; may be cut short by one inside. */
const char *nvpsim__node_text(const yaml_node_t *node);
/** A plain empty scalar, "~" or "null". */
bool nvpsim__node_is_null(const yaml_node_t *node);
/** The text "N/A". */
bool nvpsim__node_is_not_available(const yaml_node_t *node);

/** A whole number, decimal or 0x; for `unit` "bytes" with an optional KiB, MiB, GiB or TiB. */
bool nvpsim__parse_whole(const char *text, const char *unit, uint64_t *value);
bool nvpsim__parse_real(const char *text, const char *unit, double *value);

bool nvpsim__read_text(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, nvpsim_text *text);
bool nvpsim__read_number(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, nvpsim_number *number);
bool nvpsim__read_choice(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, nvpsim_number *number);
bool nvpsim__read_movement(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, nvpsim_movement *movement);
/** A number or a movement, whose values are multiplied by `scale`. */
bool nvpsim__read_movement_scaled(nvpsim_reader *reader, yaml_node_t *node, const nvpsim_key *key, double scale,
                                  nvpsim_movement *movement);
/** Bytes given as hexadecimal digits. */
bool nvpsim__read_hex(nvpsim_reader *reader, yaml_node_t *node, size_t most, nvpsim_text *text);

/** Length of a list, whose place for items of `size` bytes is taken from the arena; false when it is no list. */
bool nvpsim__read_list(nvpsim_reader *reader, yaml_node_t *node, size_t size, void **items, size_t *count);
yaml_node_t *nvpsim__list_item(const nvpsim_reader *reader, const yaml_node_t *node, size_t index);
/** A list of whole numbers. */
bool nvpsim__read_numbers(nvpsim_reader *reader, yaml_node_t *node, double high, nvpsim_numbers *numbers);

/** What a fault needs, whatever else it says. */
bool nvpsim__fault_check(nvpsim_reader *reader, const yaml_node_t *node, const nvpsim_fault_spec *fault);

/** The CUSTOM readers of keys/. */
nvpsim_key_reader nvpsim__read_name_hex, nvpsim__read_device_index, nvpsim__read_device_processes,
    nvpsim__read_retired_single_pages, nvpsim__read_retired_double_pages, nvpsim__read_supported_clocks,
    nvpsim__read_device_defaults, nvpsim__read_devices, nvpsim__read_faults, nvpsim__read_switches, nvpsim__read_root_complexes,
    nvpsim__read_processes, nvpsim__read_version, nvpsim__read_process_device, nvpsim__read_process_devices,
    nvpsim__read_process_name_hex, nvpsim__read_process_pid, nvpsim__read_process_mib, nvpsim__read_fault_device,
    nvpsim__read_fault_error, nvpsim__read_fault_function, nvpsim__read_movement_low, nvpsim__read_movement_high,
    nvpsim__read_movement_step, nvpsim__read_movement_value, nvpsim__read_movement_values, nvpsim__read_mig_profiles,
    nvpsim__read_mig_devices, nvpsim__read_events;

/** The name in a sorted or unsorted list that is nearest to `word`, or NULL when none is near. */
typedef struct nvpsim_nearest {
    const char *word;
    const char *name;
    size_t distance;
} nvpsim_nearest;

void nvpsim__nearest_start(nvpsim_nearest *nearest, const char *word);
void nvpsim__nearest_try(nvpsim_nearest *nearest, const char *name);
const char *nvpsim__nearest_name(const nvpsim_nearest *nearest);

#endif
