/*
 * A recording while it is being read: what each device and each process was over time. Inside of scenario/ only.
 */
#ifndef NVPSIM_SCENARIO_RECORDING_H
#define NVPSIM_SCENARIO_RECORDING_H

#include "scenario/scenario.h"

enum { NVPSIM_RECORDING_ROWS_MAX = 160, NVPSIM_RECORDING_TEXT = 256 };

/** What a metric becomes. */
typedef enum nvpsim_row_kind { NVPSIM_ROW_KEPT, NVPSIM_ROW_MOVES, NVPSIM_ROW_MEMBER, NVPSIM_ROW_COUNTS } nvpsim_row_kind;

typedef struct nvpsim_recording_row {
    const char *metric;
    nvpsim_row_kind kind;
    const char *key; /* of a device in a scenario; NULL: none */
    size_t offset;   /* MEMBER, COUNTS: of the movement in nvpsim_device_spec */
    double factor;
} nvpsim_recording_row;

extern const nvpsim_recording_row nvpsim__recording_rows[];
extern const size_t nvpsim__recording_row_count;

/** A value over time: the times at which it changed, NaN for none. A sum keeps every time at which it was read. */
typedef struct nvpsim_column {
    double *values;
    uint64_t *times_ns;
    size_t count, capacity;
    double before; /* what it was before its first time */
    bool is_count;
    bool is_seen; /* in the snapshot that is being read */
} nvpsim_column;

/** Values of a presence; the same as nvpsim_presence in world/. */
enum { NVPSIM_RECORDED_HERE, NVPSIM_RECORDED_LOST, NVPSIM_RECORDED_AWAY };

/** A value that is kept: the first that was there. */
typedef struct nvpsim_kept {
    bool is_given, is_text;
    double number;
    char *text;
} nvpsim_kept;

typedef struct nvpsim_recorded_device {
    char *id; /* UUID, or the index where there is none */
    unsigned index;
    nvpsim_kept kept[NVPSIM_RECORDING_ROWS_MAX];
    nvpsim_column columns[NVPSIM_RECORDING_ROWS_MAX];
    nvpsim_column presence;
    bool is_seen;
} nvpsim_recorded_device;

typedef struct nvpsim_recorded_process {
    unsigned device; /* number in the list of devices */
    uint32_t pid;
    unsigned types;
    char *name;
    uint64_t from_ns, until_ns;
    bool is_open, is_seen;
    nvpsim_column memory_bytes, loads[4]; /* SM, memory, encoder, decoder */
} nvpsim_recorded_process;

typedef struct nvpsim_recording {
    const char *path;
    char *message;
    double speed;
    size_t line;
    bool is_begun;
    double first_us;
    uint64_t now_ns, last_step_ns;
    nvpsim_recorded_device **devices;
    size_t device_count;
    nvpsim_recorded_process **processes;
    size_t process_count;
} nvpsim_recording;

/** Adds what a line says; false with a line in the recording's message. */
bool nvpsim__recording_line(nvpsim_recording *recording, const char *line, size_t size);

/** Out of memory: false. */
bool nvpsim__recording_no_memory(nvpsim_recording *recording);

/** The scenario that a recording is; NULL with a line in its message. */
nvpsim_scenario *nvpsim__recording_scenario(const nvpsim_recording *recording, bool is_loop);

#endif
