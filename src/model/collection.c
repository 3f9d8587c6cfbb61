/*
 * Statistics of a span: one row for each device that was ever seen in it.
 */
#include "model/collection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define UUID_SIZE 96

struct collected {
    nvp_collected_device device;
    char uuid[UUID_SIZE];
    nvp_statistic metrics[NVP_METRIC_COUNT];
    nvp_statistic process[NVP_PROCESS_FIELD_COUNT];
};

struct nvp_collection {
    char *tag;
    int64_t started_at_us;
    int64_t started_ns, ended_ns; /* 0: under way */
    uint64_t sample_count;
    nvp_status status;
    bool tried;
    nvp_statistic host[NVP_HOST_FIELD_COUNT];
    struct collected **devices; /* each by itself, so that rows stay where they are */
    size_t device_count;
};

nvp_collection *nvp__collection_new(const char *tag, int64_t now_ns)
{
    nvp_collection *collection = calloc(1, sizeof(*collection));
    char *copy = strdup(tag);
    if (collection == NULL || copy == NULL) {
        free(collection);
        free(copy);
        return NULL;
    }
    collection->tag = copy;
    nvp__collection_clear(collection, now_ns);
    return collection;
}

static void forget_devices(nvp_collection *collection)
{
    for (size_t i = 0; i < collection->device_count; i++) {
        free(collection->devices[i]);
    }
    free(collection->devices);
    collection->devices = NULL;
    collection->device_count = 0;
}

void nvp__collection_clear(nvp_collection *collection, int64_t now_ns)
{
    char *tag = collection->tag;
    forget_devices(collection);
    *collection =
        (nvp_collection){ .tag = tag, .started_at_us = nvp__wall_us(), .started_ns = now_ns, .status = NVP_ERROR_NO_DATA };
}

void nvp_collection_free(nvp_collection *collection)
{
    if (collection != NULL) {
        forget_devices(collection);
        free(collection->tag);
        free(collection);
    }
}

/* The row of a device: by its UUID, which stays, or by its index where it has none. */
static struct collected *find_row(const nvp_collection *collection, const nvp_device_sample *device, const char *uuid)
{
    for (size_t i = 0; i < collection->device_count; i++) {
        struct collected *row = collection->devices[i];
        bool same_place = row->device.index == device->index && row->device.mig_index == device->mig_index;
        if (uuid[0] != '\0' && row->uuid[0] != '\0' ? strcmp(row->uuid, uuid) == 0 : same_place) {
            return row;
        }
    }
    return NULL;
}

/* A new row at the end; NULL when memory ran out. */
static struct collected *add_row(nvp_collection *collection)
{
    struct collected *row = calloc(1, sizeof(*row));
    struct collected **devices = realloc(collection->devices, (collection->device_count + 1) * sizeof(struct collected *));
    if (devices != NULL) {
        collection->devices = devices;
    }
    if (row == NULL || devices == NULL) {
        free(row);
        return NULL;
    }
    collection->devices[collection->device_count++] = row;
    return row;
}

/* NULL when memory ran out: the device is looked for again in the next sample. */
static struct collected *row_of(nvp_collection *collection, const nvp_device_sample *device)
{
    const char *uuid = nvp_reading_text(nvp_device_sample_get(device, NVP_METRIC_IDENTITY_UUID), "");
    uuid = strlen(uuid) < UUID_SIZE ? uuid : "";
    struct collected *row = find_row(collection, device, uuid);
    row = row != NULL ? row : add_row(collection);
    if (row == NULL) {
        return NULL;
    }
    if (uuid[0] != '\0') {
        memcpy(row->uuid, uuid, strlen(uuid) + 1);
    }
    row->device = (nvp_collected_device){ device->index, device->mig_index, row->uuid, device->state };
    return row;
}

static void add_value(nvp_statistic *statistic, const nvp_reading *reading, bool is_counter)
{
    double value = nvp_reading_number(reading, NAN);
    if (!isfinite(value) || (statistic->count > 0 && reading->read_at_us == statistic->last_at_us)) {
        return;
    }
    if (statistic->count == 0) {
        *statistic = (nvp_statistic){ .min = value, .max = value, .first = value, .first_at_us = reading->read_at_us };
    } else if (is_counter) { /* one that was reset has grown by what it shows now */
        statistic->delta += value >= statistic->last ? value - statistic->last : value;
    } else {
        statistic->delta = value - statistic->first;
    }
    statistic->count++;
    statistic->mean += (value - statistic->mean) / (double)statistic->count;
    statistic->min = value < statistic->min ? value : statistic->min;
    statistic->max = value > statistic->max ? value : statistic->max;
    statistic->last = value;
    statistic->last_at_us = reading->read_at_us;
}

static bool has_metric(nvp_metric metric)
{
    const nvp_metric_info *info = nvp_metric_get(metric);
    return info != NULL && info->kind != NVP_METRIC_LABEL && !info->is_list;
}

/* What can be used more or less of. */
static bool has_process_field(nvp_process_field field)
{
    return (field >= NVP_PROCESS_GPU_MEMORY_BYTES && field <= NVP_PROCESS_OFA_PERCENT) || field == NVP_PROCESS_CPU_PERCENT ||
           field == NVP_PROCESS_HOST_MEMORY_BYTES || field == NVP_PROCESS_HOST_MEMORY_PERCENT;
}

static bool has_host_field(nvp_host_field field)
{
    return field >= NVP_HOST_CPU_COUNT && field < NVP_HOST_FIELD_COUNT;
}

static void add_device(nvp_collection *collection, const nvp_device_sample *device)
{
    struct collected *row = row_of(collection, device);
    for (int i = 0; row != NULL && device->state == NVP_DEVICE_OK && i < NVP_METRIC_COUNT; i++) {
        nvp_metric metric = (nvp_metric)i;
        if (has_metric(metric)) {
            add_value(&row->metrics[i], nvp_device_sample_get(device, metric),
                      nvp_metric_get(metric)->kind == NVP_METRIC_COUNTER);
        }
    }
}

/* The row of the GPU, or of the MIG device, that a process runs on. */
static struct collected *row_of_process(const nvp_collection *collection, const nvp_process *process)
{
    uint64_t index = nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_GPU_INDEX), UINT64_MAX);
    uint64_t mig_index = nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_MIG_INDEX), UINT64_MAX);
    for (size_t i = 0; i < collection->device_count; i++) {
        const nvp_collected_device *device = &collection->devices[i]->device;
        if (device->index == index && (mig_index == UINT64_MAX ? device->mig_index < 0 : device->mig_index == (int)mig_index)) {
            return collection->devices[i];
        }
    }
    return NULL;
}

static void add_process(nvp_collection *collection, const nvp_process *process)
{
    struct collected *row = row_of_process(collection, process);
    for (int i = 0; row != NULL && row->device.state == NVP_DEVICE_OK && i < NVP_PROCESS_FIELD_COUNT; i++) {
        if (has_process_field((nvp_process_field)i)) {
            add_value(&row->process[i], nvp_process_get(process, (nvp_process_field)i), false);
        }
    }
}

/* A pid of another namespace may be the same number and is somebody else. */
static bool is_process(const nvp_process *process, pid_t pid)
{
    return nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_PID), 0) == (uint64_t)pid &&
           nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_FOREIGN), 1) == 0;
}

void nvp__collection_add(nvp_collection *collection, nvp_status status, const nvp_snapshot *snapshot, pid_t process)
{
    collection->status = status;
    collection->tried = true;
    if (snapshot == NULL) {
        return;
    }
    collection->sample_count++;
    for (size_t i = 0; i < nvp_snapshot_device_count(snapshot); i++) {
        add_device(collection, nvp_snapshot_device(snapshot, i));
    }
    for (size_t i = 0; i < nvp_snapshot_process_count(snapshot); i++) {
        if (is_process(nvp_snapshot_process(snapshot, i), process)) {
            add_process(collection, nvp_snapshot_process(snapshot, i));
        }
    }
    for (int i = 0; i < NVP_HOST_FIELD_COUNT; i++) {
        if (has_host_field((nvp_host_field)i)) {
            add_value(&collection->host[i], nvp_snapshot_host(snapshot, (nvp_host_field)i), false);
        }
    }
}

void nvp__collection_end(nvp_collection *collection, int64_t now_ns)
{
    collection->ended_ns = now_ns;
}

bool nvp__collection_is_new(const nvp_collection *collection)
{
    return !collection->tried;
}

int64_t nvp__collection_started_ns(const nvp_collection *collection)
{
    return collection->started_ns;
}

nvp_collection *nvp__collection_copy(const nvp_collection *collection, int64_t now_ns)
{
    nvp_collection *copy = nvp__collection_new(collection->tag, now_ns);
    if (copy == NULL) {
        return NULL;
    }
    char *tag = copy->tag;
    *copy = *collection;
    copy->tag = tag;
    copy->ended_ns = collection->ended_ns == 0 ? now_ns : collection->ended_ns;
    copy->device_count = 0;
    copy->devices = calloc(collection->device_count + 1, sizeof(struct collected *));
    for (size_t i = 0; copy->devices != NULL && i < collection->device_count; i++) {
        struct collected *row = malloc(sizeof(*row));
        if (row == NULL) {
            nvp_collection_free(copy);
            return NULL;
        }
        *row = *collection->devices[i];
        row->device.uuid = row->uuid;
        copy->devices[copy->device_count++] = row;
    }
    if (copy->devices == NULL) {
        nvp_collection_free(copy);
        return NULL;
    }
    return copy;
}

const char *nvp_collection_tag(const nvp_collection *collection)
{
    return collection == NULL ? "" : collection->tag;
}

int64_t nvp_collection_started_at_us(const nvp_collection *collection)
{
    return collection == NULL ? 0 : collection->started_at_us;
}

double nvp_collection_duration_s(const nvp_collection *collection)
{
    return collection == NULL ? 0 : (double)(collection->ended_ns - collection->started_ns) / (double)NVP__NS_PER_S;
}

uint64_t nvp_collection_sample_count(const nvp_collection *collection)
{
    return collection == NULL ? 0 : collection->sample_count;
}

nvp_status nvp_collection_status(const nvp_collection *collection)
{
    return collection == NULL ? NVP_ERROR_NO_DATA : collection->status;
}

size_t nvp_collection_device_count(const nvp_collection *collection)
{
    return collection == NULL ? 0 : collection->device_count;
}

const nvp_collected_device *nvp_collection_device(const nvp_collection *collection, size_t place)
{
    return place < nvp_collection_device_count(collection) ? &collection->devices[place]->device : NULL;
}

const nvp_statistic *nvp_collection_metric(const nvp_collection *collection, size_t place, nvp_metric metric)
{
    return place < nvp_collection_device_count(collection) && has_metric(metric) ? &collection->devices[place]->metrics[metric]
                                                                                 : NULL;
}

const nvp_statistic *nvp_collection_process(const nvp_collection *collection, size_t place, nvp_process_field field)
{
    bool there = place < nvp_collection_device_count(collection) && has_process_field(field);
    return there ? &collection->devices[place]->process[field] : NULL;
}

const nvp_statistic *nvp_collection_host(const nvp_collection *collection, nvp_host_field field)
{
    return collection != NULL && has_host_field(field) ? &collection->host[field] : NULL;
}
