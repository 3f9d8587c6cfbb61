/*
 * A live change: one line of a control file, read by the same tables of keys as a scenario. What it does, driver/live.c says.
 */
#ifndef NVPSIM_SCENARIO_CHANGE_H
#define NVPSIM_SCENARIO_CHANGE_H

#include "scenario/reader.h"

typedef enum nvpsim_change_kind {
    NVPSIM_CHANGE_HEADER,       /* {control: 1, ...}: says what is controlled */
    NVPSIM_CHANGE_SET,          /* {device: N or all, set: [{key: value}, ...]} */
    NVPSIM_CHANGE_RESET,        /* {device: N or all, reset: [key, ...]}: as in the scenario again */
    NVPSIM_CHANGE_ADD,          /* {add: [{key: value}, ...]}: one more device */
    NVPSIM_CHANGE_PROCESS,      /* {process: [{key: value}, ...]} */
    NVPSIM_CHANGE_END,          /* {end: pid or name} */
    NVPSIM_CHANGE_FAULT,        /* {fault: [{key: value}, ...]} */
    NVPSIM_CHANGE_CLEAR_FAULTS, /* {clear_faults: true} */
    NVPSIM_CHANGE_EVENT,        /* {event: [{key: value}, ...]} */
    NVPSIM_CHANGE_STEP,         /* {step_us: N} */
} nvpsim_change_kind;

typedef struct nvpsim_change {
    nvpsim_change_kind kind;
    int device;        /* of SET and RESET; -1: all */
    yaml_node_t *body; /* what stands behind the kind */
    yaml_document_t document;
    nvpsim_reader reader;
} nvpsim_change;

/** Reads a line. What it says is taken into the scenario's memory later. False with one line in `message`; then nothing is held. */
bool nvpsim__change_read(nvpsim_change *change, nvpsim_scenario *scenario, const char *line, size_t size, char *message);
void nvpsim__change_free(nvpsim_change *change);

/** Changes a device's spec as SET or ADD say. `index`: for messages. */
bool nvpsim__change_device(nvpsim_change *change, unsigned index, nvpsim_device_spec *spec);
/** Makes keys of a device's spec what they are in another. */
bool nvpsim__change_reset(nvpsim_change *change, unsigned index, nvpsim_device_spec *spec, const nvpsim_device_spec *from);
bool nvpsim__change_process(nvpsim_change *change, nvpsim_process_spec *process);
bool nvpsim__change_fault(nvpsim_change *change, nvpsim_fault_spec *fault);
bool nvpsim__change_event(nvpsim_change *change, nvpsim_event_spec *event);
bool nvpsim__change_step(nvpsim_change *change, uint64_t *step_ns);
/** Of END: a name, or NULL and a pid. */
const char *nvpsim__change_end(nvpsim_change *change, uint32_t *pid);
/** A text of a HEADER, or NULL. Valid until the change is freed. */
const char *nvpsim__change_setting(const nvpsim_change *change, const char *name);

#endif
