/*
 * A snapshot from JSON. The text may come from anywhere: whatever it says becomes the same object that a sampler makes, or one message
 * with the byte at which it went wrong.
 */
#include <limits.h>
#include <string.h>

#include "base/compiler.h"
#include "base/out.h"
#include "model/form_read.h"
#include "model/reading.h"
#include "model/snapshot.h"

/* More than any machine has: a text must not make the reader allocate many times its own size. */
#define DEVICES_MAX 4096u
#define PROCESSES_MAX 262144u

/* The members of the whole, before they are put where they belong. */
struct whole {
    uint64_t sequence, generation;
    int64_t time_us;
    unsigned int schema, host, devices, processes;
    nvp_reading process_status;
};

struct device {
    uint64_t index;
    int64_t mig_index;
    nvp_device_state state;
    nvp_reading status;
    int64_t stalled_us, sampled_at_us, read_at_us;
    unsigned int metrics, na;
};

static bool take_schema(struct nvp__json *json, unsigned int at, void *into)
{
    char name[64];
    (void)into;
    if (!nvp__json_is_text(json, at)) {
        return nvp__json_fail(json, at, "the name of a schema is expected");
    }
    nvp__json_word(json, at, name, sizeof(name));
    return strcmp(name, NVP__SNAPSHOT_SCHEMA) == 0
               ? true
               : nvp__json_fail(json, at, "the schema is '%s' and not '%s',", name, NVP__SNAPSHOT_SCHEMA);
}

static bool take_mig_index(struct nvp__json *json, unsigned int at, void *into)
{
    int64_t *index = into;
    if (nvp__json_is_null(json, at)) {
        *index = -1;
        return true;
    }
    if (!nvp__json_int64(json, at, index)) {
        return false;
    }
    return *index >= 0 && *index <= INT_MAX ? true : nvp__json_fail(json, at, "mig_index: not the index of a MIG device");
}

static bool take_index(struct nvp__json *json, unsigned int at, void *into)
{
    uint64_t *index = into;
    if (!nvp__json_uint64(json, at, index)) {
        return false;
    }
    return *index <= INT_MAX ? true : nvp__json_fail(json, at, "index: not the index of a GPU");
}

static bool take_state(struct nvp__json *json, unsigned int at, void *into)
{
    char word[32] = "";
    if (nvp__json_is_text(json, at)) {
        nvp__json_word(json, at, word, sizeof(word));
    }
    for (int i = NVP_DEVICE_OK; i <= NVP_DEVICE_FAILED; i++) {
        if (strcmp(nvp_device_state_name((nvp_device_state)i), word) == 0) {
            *(nvp_device_state *)into = (nvp_device_state)i;
            return true;
        }
    }
    return nvp__json_fail(json, at, "state: not the state of a device");
}

/* Room for the elements of an array; `name` is for messages. */
static void *room_for(struct nvp__json *json, nvp_snapshot *snapshot, unsigned int whole, const char *name, unsigned int most,
                      size_t size)
{
    if (!nvp__json_is_array(json, whole)) {
        nvp__json_fail(json, whole, "%s: a list is expected", name);
        return NULL;
    }
    unsigned int count = nvp__json_size(json, whole);
    if (count > most) {
        nvp__json_fail(json, whole, "%s: %u are more than %u,", name, count, most);
        return NULL;
    }
    void *room = nvp__arena_new(&snapshot->arena, count, size);
    if (room == NULL) {
        nvp__json_no_memory(json);
    }
    return room;
}

static bool read_metrics(struct nvp__json *json, nvp_snapshot *snapshot, unsigned int whole, const struct device *parts,
                         nvp_device_sample *device)
{
    nvp_reading *metrics = nvp__snapshot_metrics(snapshot);
    if (metrics == NULL) {
        return nvp__json_no_memory(json);
    }
    device->metrics = metrics;
    struct nvp__group group = { .form = &nvp__form_metrics, .arena = &snapshot->arena, .readings = metrics };
    if (!nvp__group_values(json, parts->metrics, &group)) {
        return false;
    }
    group.na = parts->na; /* they stand beside the object of the metrics, not in it */
    group.ages = 0;
    group.times.read_at_us = parts->read_at_us;
    group.times.now_us = parts->sampled_at_us;
    for (unsigned int at = nvp__json_first(json, whole); at != 0; at = nvp__json_next(json, whole, at)) {
        char name[16];
        nvp__json_word(json, at, name, sizeof(name));
        group.ages = strcmp(name, "ages_us") == 0 ? at + 1 : group.ages;
    }
    return nvp__group_finish(json, &group);
}

static bool read_device(struct nvp__json *json, nvp_snapshot *snapshot, unsigned int whole, nvp_device_sample *device)
{
    static const struct nvp__json_member members[] = {
        { "index", take_index, offsetof(struct device, index) },
        { "mig_index", take_mig_index, offsetof(struct device, mig_index) },
        { "state", take_state, offsetof(struct device, state) },
        { "status", nvp__take_reason, offsetof(struct device, status) },
        { "stalled_us", nvp__take_int64, offsetof(struct device, stalled_us) },
        { "sampled_at_us", nvp__take_int64, offsetof(struct device, sampled_at_us) },
        { "read_at_us", nvp__take_int64, offsetof(struct device, read_at_us) },
        { "metrics", nvp__take_token, offsetof(struct device, metrics) },
        { "na", nvp__take_token, offsetof(struct device, na) },
    };
    struct device parts = { 0 };
    if (!nvp__json_members(json, whole, members, NVP__COUNT_OF(members), &parts)) {
        return false;
    }
    *device = (nvp_device_sample){
        .index = (unsigned int)parts.index,
        .mig_index = (int)parts.mig_index,
        .state = parts.state,
        .status = parts.status.status,
        .stalled_us = parts.stalled_us,
        .sampled_at_us = parts.sampled_at_us,
    };
    return read_metrics(json, snapshot, whole, &parts, device);
}

static bool read_devices(struct nvp__json *json, nvp_snapshot *snapshot, unsigned int whole)
{
    nvp_device_sample *devices = room_for(json, snapshot, whole, "devices", DEVICES_MAX, sizeof(*devices));
    snapshot->devices = devices;
    if (devices == NULL) {
        return false;
    }
    for (unsigned int at = nvp__json_first(json, whole); at != 0; at = nvp__json_next(json, whole, at)) {
        if (!read_device(json, snapshot, at, &devices[snapshot->device_count])) {
            return false;
        }
        snapshot->device_count++;
    }
    return true;
}

/* The fields of the host or of a process, with what stands among them. */
static bool read_fields(struct nvp__json *json, unsigned int whole, struct nvp__group *group)
{
    for (unsigned int i = 0; i < group->form->count; i++) {
        group->readings[i] = nvp__reading_na(NVP_ERROR_NO_DATA);
    }
    return nvp__group_values(json, whole, group) && nvp__group_finish(json, group);
}

static bool read_processes(struct nvp__json *json, nvp_snapshot *snapshot, unsigned int whole, int64_t host_read_at_us)
{
    nvp_process *processes = room_for(json, snapshot, whole, "processes", PROCESSES_MAX, sizeof(*processes));
    snapshot->processes = processes;
    if (processes == NULL) {
        return false;
    }
    for (unsigned int at = nvp__json_first(json, whole); at != 0; at = nvp__json_next(json, whole, at)) {
        struct nvp__group group = { .form = &nvp__form_process, .arena = &snapshot->arena };
        group.readings = processes[snapshot->process_count].fields;
        group.times.host_read_at_us = host_read_at_us;
        group.times.now_us = snapshot->time_us;
        if (!read_fields(json, at, &group)) {
            return false;
        }
        snapshot->process_count++;
    }
    return true;
}

static bool read_whole(struct nvp__json *json, nvp_snapshot *snapshot)
{
    static const struct nvp__json_member members[] = {
        { "schema", take_schema, offsetof(struct whole, schema) },
        { "sequence", nvp__take_uint64, offsetof(struct whole, sequence) },
        { "generation", nvp__take_uint64, offsetof(struct whole, generation) },
        { "time_us", nvp__take_int64, offsetof(struct whole, time_us) },
        { "host", nvp__take_token, offsetof(struct whole, host) },
        { "devices", nvp__take_token, offsetof(struct whole, devices) },
        { "process_status", nvp__take_reason, offsetof(struct whole, process_status) },
        { "processes", nvp__take_token, offsetof(struct whole, processes) },
    };
    struct whole parts = { 0 };
    if (!nvp__json_members(json, 0, members, NVP__COUNT_OF(members), &parts)) {
        return false;
    }
    snapshot->sequence = parts.sequence;
    snapshot->generation = parts.generation;
    snapshot->time_us = parts.time_us;
    snapshot->process_status = parts.process_status.status;
    struct nvp__group host = { .form = &nvp__form_host, .arena = &snapshot->arena, .readings = snapshot->host };
    host.times.now_us = parts.time_us;
    return read_fields(json, parts.host, &host) && read_devices(json, snapshot, parts.devices) &&
           read_processes(json, snapshot, parts.processes, host.times.read_at_us);
}

nvp_status nvp_snapshot_from_json(const char *text, size_t length, nvp_snapshot **snapshot, char *message, size_t size)
{
    struct nvp__json json;
    nvp__out_over(message, message != NULL ? size : 0);
    if (text == NULL || snapshot == NULL) {
        return NVP_ERROR_BAD_ARGUMENT;
    }
    nvp_snapshot *made = nvp__snapshot_new();
    if (made == NULL) {
        return NVP_ERROR_NO_MEMORY;
    }
    bool done = nvp__json_open(&json, text, length, message, message != NULL ? size : 0) && read_whole(&json, made);
    nvp__json_close(&json);
    if (!done) {
        nvp_snapshot_free(made);
        return json.status;
    }
    *snapshot = made;
    return NVP_SUCCESS;
}
