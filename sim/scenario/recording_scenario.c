/*
 * From a recording to a scenario: what was kept becomes keys, what moved becomes movements. What the recording lacks, the hardware
 * does not have.
 */
#include "scenario/recording.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "scenario/reader.h"

/* A recorded pid is that of some real process; here a stranger has it. The highest that Linux gives is 4194304. */
enum { PIDS_REAL = 4194304, PIDS_MOVED = 5000000 };

/** What all that is made has in common. */
typedef struct maker {
    const nvpsim_recording *recording;
    nvpsim_scenario *scenario;
    uint64_t end_ns;
    bool is_loop;
} maker;

static const nvpsim_key *key_find(const char *path)
{
    for (size_t i = 0; i < nvpsim__keys_device.count; i++) {
        if (strcmp(nvpsim__keys_device.rows[i].path, path) == 0) {
            return &nvpsim__keys_device.rows[i];
        }
    }
    return NULL;
}

/* A column without any value is one that the hardware does not have. */
static bool movement_make(const maker *make, const nvpsim_column *column, double factor, nvpsim_movement *movement)
{
    bool has_any = false;
    for (size_t i = 0; i < column->count; i++) {
        has_any = has_any || !isnan(column->values[i]);
    }
    if (!has_any) {
        *movement = (nvpsim_movement){ .state = NVPSIM_NOT_AVAILABLE };
        return true;
    }
    double *values = nvpsim__arena_take(&make->scenario->arena, column->count, sizeof *values);
    uint64_t *times_ns = nvpsim__arena_take(&make->scenario->arena, column->count, sizeof *times_ns);
    if (!values || !times_ns) {
        return false;
    }
    for (size_t i = 0; i < column->count; i++) {
        values[i] = column->values[i] * factor;
        times_ns[i] = column->times_ns[i];
    }
    *movement = (nvpsim_movement){ .state = NVPSIM_GIVEN,
                                   .kind = NVPSIM_RECORDED,
                                   .values = values,
                                   .times_ns = times_ns,
                                   .count = column->count,
                                   .end_ns = make->end_ns,
                                   .holds = !make->is_loop,
                                   .is_count = column->is_count };
    return true;
}

static bool is_yes(const char *word)
{
    static const char *const words[] = { "yes", "active", "supported", "enabled", "true" };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(word, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* A state: its word, the beginning of that, or NVML's own number. Words that nobody here knows are left out. */
static void choice_take(const nvpsim_key *key, const nvpsim_kept *kept, nvpsim_number *number)
{
    bool is_flag = strcmp(key->choices[0].word, "true") == 0 || strcmp(key->choices[0].word, "enabled") == 0;
    if (!kept->is_text) {
        *number = (nvpsim_number){ NVPSIM_GIVEN, (uint64_t)kept->number };
    } else if (is_flag) {
        *number = (nvpsim_number){ NVPSIM_GIVEN, is_yes(kept->text) };
    } else {
        const char *word = strcmp(kept->text, "low_double_precision") == 0 ? "low_dp" : kept->text;
        for (const nvpsim_choice *choice = key->choices; choice->word; choice++) {
            bool is_whole = strcasecmp(choice->word, word) == 0;
            if (is_whole || (number->state != NVPSIM_GIVEN && strncasecmp(choice->word, word, strlen(word)) == 0)) {
                *number = (nvpsim_number){ NVPSIM_GIVEN, choice->value };
            }
            if (is_whole) {
                break;
            }
        }
    }
}

static bool kept_take(const maker *make, const nvpsim_key *key, const nvpsim_kept *kept, nvpsim_device_spec *spec)
{
    void *member = (char *)spec + key->offset;
    char digits[32];
    if (key->kind == NVPSIM_KEY_TEXT) {
        snprintf(digits, sizeof digits, "%.0f", kept->number);
        const char *text = kept->is_text ? kept->text : digits;
        size_t length = strnlen(text, (size_t)key->high);
        *(nvpsim_text *)member = (nvpsim_text){ NVPSIM_GIVEN, nvpsim__arena_text(&make->scenario->arena, text, length) };
        return ((nvpsim_text *)member)->bytes != NULL;
    }
    if (key->kind == NVPSIM_KEY_CHOICE) {
        choice_take(key, kept, member);
    } else if (key->kind == NVPSIM_KEY_NUMBER && !kept->is_text && kept->number >= key->low && kept->number <= key->high) {
        *(nvpsim_number *)member = (nvpsim_number){ NVPSIM_GIVEN, (uint64_t)kept->number };
    }
    return true;
}

/* Values without a key of their own. */
static void other_take(const maker *make, const char *metric, const nvpsim_kept *kept, nvpsim_device_spec *spec)
{
    nvpsim_scenario *scenario = make->scenario;
    unsigned major, minor;
    if (strcmp(metric, "identity.compute_capability") == 0 && kept->is_text &&
        sscanf(kept->text, "%3u.%3u", &major, &minor) == 2) {
        spec->cuda_major = (nvpsim_number){ NVPSIM_GIVEN, major };
        spec->cuda_minor = (nvpsim_number){ NVPSIM_GIVEN, minor };
    } else if (strcmp(metric, "memory.unified") == 0 && kept->is_text && is_yes(kept->text)) { /* what was told is the host's */
        spec->memory_total = (nvpsim_number){ .state = NVPSIM_NOT_AVAILABLE };
    } else if (strcmp(metric, "nvlink.link_count") == 0 && kept->number >= 1 && kept->number <= 18) {
        scenario->nvlink_links = (nvpsim_number){ NVPSIM_GIVEN, (uint64_t)kept->number };
    } else if (strcmp(metric, "nvlink.speed_mbps") == 0 && kept->number >= 1 && kept->number <= 1e6) {
        scenario->nvlink_mbps = (nvpsim_number){ NVPSIM_GIVEN, (uint64_t)kept->number };
    }
}

static bool device_make(const maker *make, const nvpsim_recorded_device *device, nvpsim_device_spec *spec)
{
    bool ok = true;
    for (size_t i = 0; i < nvpsim__keys_device.count; i++) {
        const nvpsim_key *key = &nvpsim__keys_device.rows[i];
        if (key->kind == NVPSIM_KEY_MOVEMENT) {
            ((nvpsim_movement *)((char *)spec + key->offset))->state = NVPSIM_NOT_AVAILABLE;
        }
    }
    spec->power_supported.state = NVPSIM_NOT_AVAILABLE; /* left out, it would be there */
    for (size_t i = 0; ok && i < nvpsim__recording_row_count; i++) {
        const nvpsim_recording_row *row = &nvpsim__recording_rows[i];
        const nvpsim_key *key = row->key ? key_find(row->key) : NULL;
        if (row->kind == NVPSIM_ROW_MOVES && key) {
            ok = movement_make(make, &device->columns[i], 1, (nvpsim_movement *)((char *)spec + key->offset));
        } else if (row->kind == NVPSIM_ROW_MEMBER || row->kind == NVPSIM_ROW_COUNTS) {
            bool is_shared = strncmp(row->metric, "nvlink.", 7) == 0 && make->scenario->nvlink_links.value > 0;
            double factor = is_shared ? 1 / (double)make->scenario->nvlink_links.value : 1;
            ok = movement_make(make, &device->columns[i], factor, (nvpsim_movement *)((char *)spec + row->offset));
        } else if (device->kept[i].is_given && key) {
            ok = kept_take(make, key, &device->kept[i], spec);
        } else if (device->kept[i].is_given) {
            other_take(make, row->metric, &device->kept[i], spec);
        }
    }
    if (spec->fabric_state.state == NVPSIM_GIVEN) { /* which fabric it is, a recording does not say */
        spec->fabric_cluster_uuid = (nvpsim_text){ NVPSIM_GIVEN, "00000000000000000000000000000000" };
    }
    if (spec->performance.state != NVPSIM_GIVEN) {
        spec->performance_state.state = NVPSIM_NOT_AVAILABLE;
    }
    spec->energy_mj.state = spec->energy_counter_mj.state == NVPSIM_GIVEN ? NVPSIM_ABSENT : NVPSIM_NOT_AVAILABLE;
    if (ok && device->presence.count > 1) {
        ok = movement_make(make, &device->presence, 1, &spec->presence);
    }
    if (device->presence.count == 1 && device->presence.values[0] == NVPSIM_RECORDED_LOST) {
        spec->lost = (nvpsim_number){ NVPSIM_GIVEN, 1 };
    }
    return ok;
}

static bool process_make(const maker *make, const nvpsim_recorded_process *process, nvpsim_process_spec *spec)
{
    nvpsim_movement *loads[4] = { &spec->sm_percent, &spec->memory_percent, &spec->encoder_percent, &spec->decoder_percent };
    *spec = (nvpsim_process_spec){
        .pid_kind = NVPSIM_PID_FIXED,
        .pid = process->pid > PIDS_REAL ? process->pid : PIDS_MOVED + process->pid,
        .types = { NVPSIM_GIVEN, process->types },
        .from_ms = { NVPSIM_GIVEN, process->from_ns / NVPSIM_NS_PER_MS },
        .cycle_ns = make->is_loop ? make->end_ns : 0,
    };
    if (process->until_ns != UINT64_MAX) {
        spec->until_ms = (nvpsim_number){ NVPSIM_GIVEN, process->until_ns / NVPSIM_NS_PER_MS };
    }
    if (process->name) {
        const char *name = nvpsim__arena_text(&make->scenario->arena, process->name, strlen(process->name));
        spec->name = (nvpsim_text){ NVPSIM_GIVEN, name };
    }
    bool ok = (!process->name || spec->name.bytes) && movement_make(make, &process->memory_bytes, 1, &spec->used_bytes);
    for (int i = 0; ok && i < 4; i++) {
        ok = movement_make(make, &process->loads[i], 1, loads[i]);
    }
    return ok;
}

static bool processes_make(const maker *make, unsigned index, nvpsim_device_spec *spec)
{
    const nvpsim_recording *recording = make->recording;
    size_t count = 0;
    for (size_t i = 0; i < recording->process_count; i++) {
        count += recording->processes[i]->device == index;
    }
    nvpsim_process_spec *items = nvpsim__arena_take(&make->scenario->arena, count, sizeof *items);
    bool ok = items != NULL;
    size_t next = 0;
    for (size_t i = 0; ok && i < recording->process_count; i++) {
        if (recording->processes[i]->device == index) {
            ok = process_make(make, recording->processes[i], &items[next++]);
        }
    }
    spec->processes = (nvpsim_process_list){ items, count, true, 0 };
    return ok;
}

nvpsim_scenario *nvpsim__recording_scenario(const nvpsim_recording *recording, bool is_loop)
{
    nvpsim_scenario *scenario = calloc(1, sizeof *scenario);
    maker make = { recording, scenario, recording->now_ns + recording->last_step_ns, is_loop };
    bool ok = scenario != NULL;
    if (ok) {
        scenario->is_recording = true;
        scenario->source = nvpsim__arena_text(&scenario->arena, recording->path, strlen(recording->path));
        scenario->devices = nvpsim__arena_take(&scenario->arena, recording->device_count, sizeof *scenario->devices);
        scenario->devices_made = recording->device_count;
        ok = scenario->source && scenario->devices;
    }
    for (unsigned i = 0; ok && i < recording->device_count; i++) {
        ok = device_make(&make, recording->devices[i], &scenario->devices[i]) && processes_make(&make, i, &scenario->devices[i]);
    }
    if (!ok) {
        nvpsim__recording_no_memory((nvpsim_recording *)recording);
        nvpsim__scenario_free(scenario);
        return NULL;
    }
    return scenario;
}
