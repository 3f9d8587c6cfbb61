/*
 * Reading of recordings, line by line: one snapshot each (docs/snapshot.schema.json). What is kept are the changes of what
 * recording.def names, so that a long recording of a machine at rest is small.
 */
#include "scenario/recording.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"

static const char schema[] = "nvpulse.snapshot/";

#define KEPT(metric, key) { metric, NVPSIM_ROW_KEPT, key, 0, 1 },
#define MOVES(metric, key, factor) { metric, NVPSIM_ROW_MOVES, key, 0, factor },
#define MEMBER(metric, member, factor) { metric, NVPSIM_ROW_MEMBER, NULL, offsetof(nvpsim_device_spec, member), factor },
#define COUNTS(metric, member) { metric, NVPSIM_ROW_COUNTS, NULL, offsetof(nvpsim_device_spec, member), 1 },
const nvpsim_recording_row nvpsim__recording_rows[] = {
#include "scenario/recording.def"
};
const size_t nvpsim__recording_row_count = sizeof nvpsim__recording_rows / sizeof nvpsim__recording_rows[0];
_Static_assert(sizeof nvpsim__recording_rows / sizeof nvpsim__recording_rows[0] <= NVPSIM_RECORDING_ROWS_MAX, "more room");

bool nvpsim__recording_no_memory(nvpsim_recording *recording)
{
    snprintf(recording->message, NVPSIM_MESSAGE_SIZE, "%.400s: out of memory", recording->path);
    return false;
}

static int by_metric(const void *name, const void *row)
{
    return strcmp(name, ((const nvpsim_recording_row *)row)->metric);
}

/* The number of a metric's row; -1 for one that is not replayed. */
static int row_find(const char *metric)
{
    const nvpsim_recording_row *row =
        bsearch(metric, nvpsim__recording_rows, nvpsim__recording_row_count, sizeof *row, by_metric);
    return row ? (int)(row - nvpsim__recording_rows) : -1;
}

static bool column_add(nvpsim_recording *recording, nvpsim_column *column, uint64_t at_ns, double value)
{
    if (column->count == column->capacity) {
        size_t capacity = column->capacity > 0 ? column->capacity * 2 : 8;
        double *values = realloc(column->values, capacity * sizeof *values);
        if (!values) {
            return nvpsim__recording_no_memory(recording);
        }
        column->values = values;
        uint64_t *times_ns = realloc(column->times_ns, capacity * sizeof *times_ns);
        if (!times_ns) {
            return nvpsim__recording_no_memory(recording);
        }
        column->times_ns = times_ns;
        column->capacity = capacity;
    }
    column->values[column->count] = value;
    column->times_ns[column->count] = at_ns;
    column->count++;
    return true;
}

/* A value of this moment; only changes are kept. Before the first there was none, or, for a presence, no device. */
static bool column_put(nvpsim_recording *recording, nvpsim_column *column, double value)
{
    column->is_seen = true;
    if (column->is_count) {
        return isnan(value) || column_add(recording, column, column->count == 0 ? 0 : recording->now_ns, value);
    }
    if (column->count == 0 && recording->now_ns > 0 && !column_add(recording, column, 0, column->before)) {
        return false;
    }
    double last = column->count > 0 ? column->values[column->count - 1] : 0;
    if (column->count > 0 && (value == last || (isnan(value) && isnan(last)))) {
        return true;
    }
    return column_add(recording, column, recording->now_ns, value);
}

/* What was not in the snapshot has no value now. */
static bool column_end(nvpsim_recording *recording, nvpsim_column *column)
{
    bool ok = column->is_seen || column->count == 0 || column_put(recording, column, NAN);
    column->is_seen = false;
    return ok;
}

/* One more place in a list of pointers, with a zeroed object; NULL when out of memory. */
static void *list_add(void ***list, size_t *count, size_t size)
{
    void *object = calloc(1, size);
    void **longer = object ? realloc(*list, (*count + 1) * sizeof *longer) : NULL;
    if (!longer) {
        free(object);
        return NULL;
    }
    *list = longer;
    longer[(*count)++] = object;
    return object;
}

static nvpsim_recorded_device *device_find(nvpsim_recording *recording, const char *id, unsigned index)
{
    for (size_t i = 0; i < recording->device_count; i++) {
        if (strcmp(recording->devices[i]->id, id) == 0) {
            recording->devices[i]->index = index;
            return recording->devices[i];
        }
    }
    if (recording->device_count == NVPSIM_DEVICES_MAX) {
        snprintf(recording->message, NVPSIM_MESSAGE_SIZE, "%.400s:%zu: too many devices; allowed: %d", recording->path,
                 recording->line, NVPSIM_DEVICES_MAX);
        return NULL;
    }
    nvpsim_recorded_device *device =
        list_add((void ***)&recording->devices, &recording->device_count, sizeof(nvpsim_recorded_device));
    if (!device || !(device->id = strdup(id))) {
        nvpsim__recording_no_memory(recording);
        return NULL;
    }
    device->index = index;
    device->presence.before = NVPSIM_RECORDED_AWAY;
    for (size_t i = 0; i < nvpsim__recording_row_count; i++) {
        device->columns[i].before = NAN;
        device->columns[i].is_count = nvpsim__recording_rows[i].kind == NVPSIM_ROW_COUNTS;
    }
    return device;
}

/* "p2" and 2 are the same state. */
static double state_number(const char *word)
{
    char *rest;
    double number = strtod(word[0] == 'p' ? word + 1 : word, &rest);
    return rest != word && *rest == '\0' ? number : NAN;
}

static bool metric_read(nvpsim_recording *recording, nvpsim_json *json, nvpsim_recorded_device *device, int row)
{
    char text[NVPSIM_RECORDING_TEXT];
    double number = NAN;
    nvpsim_json_kind kind = nvpsim__json_kind(json);
    bool is_text = kind == NVPSIM_JSON_TEXT && nvpsim__json_text(json, text, sizeof text);
    if (!is_text && !nvpsim__json_number(json, &number)) {
        number = NAN;
    }
    if (nvpsim__recording_rows[row].kind != NVPSIM_ROW_KEPT) {
        number = is_text ? state_number(text) : number;
        return column_put(recording, &device->columns[row], number * nvpsim__recording_rows[row].factor);
    }
    nvpsim_kept *kept = &device->kept[row];
    if (!kept->is_given && (is_text || !isnan(number))) {
        *kept = (nvpsim_kept){ true, is_text, number, is_text ? strdup(text) : NULL };
        return !is_text || kept->text || nvpsim__recording_no_memory(recording);
    }
    return true;
}

/** The parts of a device's object that have to be known before its metrics. */
typedef struct device_head {
    double index;
    bool is_mig, has_metrics;
    char state[32], uuid[NVPSIM_RECORDING_TEXT];
    nvpsim_json metrics; /* standing at the object */
} device_head;

static void uuid_find(nvpsim_json json, char *uuid, size_t size)
{
    char name[96];
    if (!nvpsim__json_enter(&json, NVPSIM_JSON_OBJECT)) {
        return;
    }
    while (nvpsim__json_member(&json, name, sizeof name)) {
        if (strcmp(name, "identity.uuid") == 0) {
            if (!nvpsim__json_text(&json, uuid, size)) {
                uuid[0] = '\0';
            }
        } else {
            nvpsim__json_skip(&json);
        }
    }
}

static void head_read(nvpsim_json *json, device_head *head)
{
    char name[96];
    double mig_index;
    *head = (device_head){ 0 };
    while (nvpsim__json_member(json, name, sizeof name)) {
        if (strcmp(name, "index") == 0) {
            nvpsim__json_number(json, &head->index);
        } else if (strcmp(name, "mig_index") == 0) {
            head->is_mig = nvpsim__json_number(json, &mig_index);
        } else if (strcmp(name, "state") == 0) {
            nvpsim__json_text(json, head->state, sizeof head->state);
        } else {
            if (strcmp(name, "metrics") == 0) {
                head->metrics = *json;
                head->has_metrics = true;
            }
            nvpsim__json_skip(json);
        }
    }
}

static bool metrics_read(nvpsim_recording *recording, nvpsim_json json, nvpsim_recorded_device *device)
{
    char name[96];
    bool ok = true;
    if (!nvpsim__json_enter(&json, NVPSIM_JSON_OBJECT)) {
        return true;
    }
    while (ok && nvpsim__json_member(&json, name, sizeof name)) {
        int row = row_find(name);
        if (row >= 0) {
            ok = metric_read(recording, &json, device, row);
        } else {
            nvpsim__json_skip(&json);
        }
    }
    return ok;
}

/* MIG devices are not replayed: what they are cut from is. */
static bool device_read(nvpsim_recording *recording, nvpsim_json *json)
{
    device_head head;
    head_read(json, &head);
    if (json->problem || head.is_mig || head.index < 0 || head.index >= 65536) {
        return true;
    }
    if (head.has_metrics) {
        uuid_find(head.metrics, head.uuid, sizeof head.uuid);
    }
    if (!head.uuid[0]) {
        snprintf(head.uuid, sizeof head.uuid, "%u", (unsigned)head.index);
        for (size_t i = 0; i < recording->device_count; i++) { /* a lost GPU may not tell who it is */
            if (recording->devices[i]->index == (unsigned)head.index) {
                snprintf(head.uuid, sizeof head.uuid, "%s", recording->devices[i]->id);
            }
        }
    }
    nvpsim_recorded_device *device = device_find(recording, head.uuid, (unsigned)head.index);
    if (!device) {
        return false;
    }
    device->is_seen = true;
    return column_put(recording, &device->presence,
                      strcmp(head.state, "lost") == 0 ? NVPSIM_RECORDED_LOST : NVPSIM_RECORDED_HERE) &&
           (!head.has_metrics || metrics_read(recording, head.metrics, device));
}

/** A process as one snapshot has it. */
typedef struct process_row {
    double pid, gpu_index, memory_bytes, loads[4];
    unsigned types;
    char name[NVPSIM_RECORDING_TEXT];
} process_row;

static unsigned types_read(nvpsim_json *json)
{
    char word[32];
    unsigned types = 0;
    if (!nvpsim__json_enter(json, NVPSIM_JSON_LIST)) {
        return 0;
    }
    while (nvpsim__json_item(json)) {
        if (nvpsim__json_text(json, word, sizeof word)) {
            types |= strcmp(word, "compute") == 0    ? NVPSIM_PROCESS_COMPUTE
                     : strcmp(word, "graphics") == 0 ? NVPSIM_PROCESS_GRAPHICS
                     : strncmp(word, "mps", 3) == 0  ? NVPSIM_PROCESS_MPS
                                                     : 0u;
        }
    }
    return types;
}

static void process_row_read(nvpsim_json *json, process_row *row)
{
    char name[64], text[NVPSIM_RECORDING_TEXT];
    *row = (process_row){ NAN, NAN, NAN, { NAN, NAN, NAN, NAN }, 0, "" };
    const struct {
        const char *name;
        double *number;
    } numbers[] = { { "pid", &row->pid },
                    { "gpu_index", &row->gpu_index },
                    { "gpu_memory_bytes", &row->memory_bytes },
                    { "sm_percent", &row->loads[0] },
                    { "memory_percent", &row->loads[1] },
                    { "encoder_percent", &row->loads[2] },
                    { "decoder_percent", &row->loads[3] } };
    while (nvpsim__json_member(json, name, sizeof name)) {
        double *number = NULL;
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
            number = strcmp(name, numbers[i].name) == 0 ? numbers[i].number : number;
        }
        if (number) {
            nvpsim__json_number(json, number);
        } else if (strcmp(name, "type") == 0) {
            row->types = types_read(json);
        } else if (strcmp(name, "command") == 0 || (strcmp(name, "name") == 0 && !row->name[0])) {
            if (nvpsim__json_text(json, text, sizeof text)) {
                snprintf(row->name, sizeof row->name, "%s", text);
            }
        } else {
            nvpsim__json_skip(json);
        }
    }
}

static nvpsim_recorded_process *process_find(nvpsim_recording *recording, const process_row *row, unsigned device)
{
    for (size_t i = 0; i < recording->process_count; i++) {
        nvpsim_recorded_process *process = recording->processes[i];
        if (process->is_open && process->device == device && process->pid == (uint32_t)row->pid) {
            return process;
        }
    }
    if (recording->process_count == NVPSIM_PROCESSES_MAX) {
        return NULL; /* the rest is left out */
    }
    nvpsim_recorded_process *process =
        list_add((void ***)&recording->processes, &recording->process_count, sizeof(nvpsim_recorded_process));
    if (process) {
        process->device = device;
        process->pid = (uint32_t)row->pid;
        process->types = row->types ? row->types : NVPSIM_PROCESS_COMPUTE;
        process->name = row->name[0] ? strdup(row->name) : NULL;
        process->from_ns = recording->now_ns;
        process->until_ns = UINT64_MAX;
        process->is_open = true;
        process->memory_bytes.before = NAN;
        for (int i = 0; i < 4; i++) {
            process->loads[i].before = NAN;
        }
    }
    return process;
}

static bool process_read(nvpsim_recording *recording, nvpsim_json *json)
{
    process_row row;
    process_row_read(json, &row);
    size_t device = 0;
    while (device < recording->device_count &&
           (!recording->devices[device]->is_seen || recording->devices[device]->index != row.gpu_index)) {
        device++;
    }
    if (json->problem || !(row.pid >= 0 && row.pid <= UINT32_MAX) || device == recording->device_count) {
        return true;
    }
    nvpsim_recorded_process *process = process_find(recording, &row, (unsigned)device);
    if (!process) {
        return recording->process_count == NVPSIM_PROCESSES_MAX || nvpsim__recording_no_memory(recording);
    }
    process->is_seen = true;
    bool ok = column_put(recording, &process->memory_bytes, row.memory_bytes);
    for (int i = 0; ok && i < 4; i++) {
        ok = column_put(recording, &process->loads[i], row.loads[i]);
    }
    return ok;
}

static bool list_read(nvpsim_recording *recording, nvpsim_json json, bool (*read)(nvpsim_recording *, nvpsim_json *))
{
    bool ok = true;
    if (!nvpsim__json_enter(&json, NVPSIM_JSON_LIST)) {
        return true;
    }
    while (ok && nvpsim__json_item(&json)) {
        if (nvpsim__json_enter(&json, NVPSIM_JSON_OBJECT)) {
            ok = read(recording, &json);
        }
    }
    return ok;
}

/* Whatever the snapshot did not speak of. */
static bool snapshot_end(nvpsim_recording *recording)
{
    bool ok = true;
    for (size_t i = 0; ok && i < recording->device_count; i++) {
        nvpsim_recorded_device *device = recording->devices[i];
        ok = device->is_seen || column_put(recording, &device->presence, NVPSIM_RECORDED_AWAY);
        for (size_t j = 0; ok && j < nvpsim__recording_row_count; j++) {
            ok = column_end(recording, &device->columns[j]);
        }
        device->is_seen = false;
    }
    for (size_t i = 0; i < recording->process_count; i++) {
        nvpsim_recorded_process *process = recording->processes[i];
        if (process->is_open && !process->is_seen) {
            process->is_open = false;
            process->until_ns = recording->now_ns;
        }
        process->is_seen = false;
    }
    return ok;
}

/* Time as the simulation sees it: from 0, never standing still. */
static void time_take(nvpsim_recording *recording, double time_us)
{
    if (!recording->is_begun) {
        recording->is_begun = true;
        recording->first_us = time_us;
        return;
    }
    double passed_ns = (time_us - recording->first_us) * 1000 / recording->speed;
    uint64_t least_ns = recording->now_ns + NVPSIM_NS_PER_MS / 1000;
    uint64_t now_ns = passed_ns > (double)least_ns && passed_ns < 9e18 ? (uint64_t)passed_ns : least_ns;
    recording->last_step_ns = now_ns - recording->now_ns;
    recording->now_ns = now_ns;
}

static bool line_fail(nvpsim_recording *recording, const nvpsim_json *json, const char *problem)
{
    snprintf(recording->message, NVPSIM_MESSAGE_SIZE, "%.400s:%zu:%zu: not a recording: %s", recording->path, recording->line,
             (size_t)(json->at - json->start) + 1, problem);
    return false;
}

bool nvpsim__recording_line(nvpsim_recording *recording, const char *line, size_t size)
{
    nvpsim_json json, devices = { 0 }, processes = { 0 };
    char name[96], text[64] = "";
    double time_us = NAN;
    nvpsim__json_begin(&json, line, size);
    if (!nvpsim__json_enter(&json, NVPSIM_JSON_OBJECT)) {
        return line_fail(recording, &json, "a line must be an object of JSON");
    }
    while (nvpsim__json_member(&json, name, sizeof name)) {
        if (strcmp(name, "schema") == 0) {
            nvpsim__json_text(&json, text, sizeof text);
        } else if (strcmp(name, "time_us") == 0) {
            nvpsim__json_number(&json, &time_us);
        } else {
            if (strcmp(name, "devices") == 0) {
                devices = json;
            } else if (strcmp(name, "processes") == 0) {
                processes = json;
            }
            nvpsim__json_skip(&json);
        }
    }
    if (!nvpsim__json_end(&json)) {
        return line_fail(recording, &json, json.problem);
    }
    if (strncmp(text, schema, sizeof schema - 1) != 0 || strtoul(text + sizeof schema - 1, NULL, 10) != 1 || isnan(time_us)) {
        return line_fail(recording, &json, "no snapshot of nvpulse; 'nvpulse record' makes them");
    }
    time_take(recording, time_us);
    return (!devices.at || list_read(recording, devices, device_read)) &&
           (!processes.at || list_read(recording, processes, process_read)) && snapshot_end(recording);
}

static void column_free(nvpsim_column *column)
{
    free(column->values);
    free(column->times_ns);
}

static void recording_free(nvpsim_recording *recording)
{
    for (size_t i = 0; i < recording->device_count; i++) {
        nvpsim_recorded_device *device = recording->devices[i];
        for (size_t j = 0; j < nvpsim__recording_row_count; j++) {
            column_free(&device->columns[j]);
            free(device->kept[j].text);
        }
        column_free(&device->presence);
        free(device->id);
        free(device);
    }
    for (size_t i = 0; i < recording->process_count; i++) {
        nvpsim_recorded_process *process = recording->processes[i];
        column_free(&process->memory_bytes);
        for (int j = 0; j < 4; j++) {
            column_free(&process->loads[j]);
        }
        free(process->name);
        free(process);
    }
    free(recording->devices);
    free(recording->processes);
}

/* Whatever is no text can have a first line of gigabytes. */
static bool begins_like_one(FILE *file)
{
    int first = getc(file);
    return ungetc(first, file) == EOF || (first != '\0' && strchr("{ \t\r\n", first) != NULL);
}

/* A recording that was cut off ends in a line that is none: it is left out. */
static bool lines_read(nvpsim_recording *recording, FILE *file)
{
    char *line = NULL;
    size_t capacity = 0;
    bool ok = true;
    if (!begins_like_one(file)) {
        recording->line = 1;
        ok = nvpsim__recording_line(recording, "?", 1);
    }
    for (ssize_t size; ok && (size = getline(&line, &capacity, file)) > 0;) {
        bool is_whole = line[size - 1] == '\n';
        recording->line++;
        if (size > 1 && !nvpsim__recording_line(recording, line, (size_t)size)) {
            ok = !is_whole && recording->line > 1;
            break;
        }
    }
    if (ok && ferror(file)) {
        snprintf(recording->message, NVPSIM_MESSAGE_SIZE, "%.400s: cannot be read: %s", recording->path, strerror(errno));
        ok = false;
    } else if (ok && !recording->is_begun) {
        snprintf(recording->message, NVPSIM_MESSAGE_SIZE, "%.400s: the recording is empty", recording->path);
        ok = false;
    }
    free(line);
    return ok;
}

nvpsim_scenario *nvpsim__scenario_read_recording(const char *path, const nvpsim_replay *how, char *message)
{
    nvpsim_recording recording = { .path = path, .message = message, .speed = how->speed, .last_step_ns = NVPSIM_NS_PER_S };
    nvpsim_scenario *scenario = NULL;
    FILE *file = fopen(path, "rbe");
    if (!file) {
        snprintf(message, NVPSIM_MESSAGE_SIZE, "%.400s: cannot be opened: %s", path, strerror(errno));
        return NULL;
    }
    if (lines_read(&recording, file)) {
        scenario = nvpsim__recording_scenario(&recording, how->is_loop);
    }
    recording_free(&recording);
    fclose(file);
    return scenario;
}
