/*
 * From snapshots to what is kept of them. A number counts once, however often it stands in the recording: slow metrics keep theirs for
 * several snapshots, and so does a device that is stalled.
 */
#include <stdlib.h>
#include <string.h>

#include "report.h"

void report_set_text(report_summary *report, char **place, const char *text)
{
    if (text == NULL || text[0] == '\0' || strcmp(*place, text) == 0) {
        return;
    }
    char *copy = strdup(text);
    if (copy == NULL) {
        report->failed = true;
        return;
    }
    if ((*place)[0] != '\0') {
        free(*place);
    }
    *place = copy;
}

/* The place of a metric; found at once when the metrics come in the same order as before. NULL when memory runs out. */
static report_stat *find_stat(report_summary *report, report_device *device, nvp_metric metric, uint32_t item)
{
    for (size_t i = 0; i < device->stat_count; i++) {
        size_t place = (device->cursor + i) % device->stat_count;
        if (device->stats[place].metric == metric && device->stats[place].item == item) {
            device->cursor = place + 1;
            return &device->stats[place];
        }
    }
    if (device->stat_count == device->stat_capacity) {
        size_t capacity = device->stat_capacity == 0 ? 64 : device->stat_capacity * 2;
        report_stat *stats = reallocarray(device->stats, capacity, sizeof *stats);
        if (stats == NULL) {
            report->failed = true;
            return NULL;
        }
        device->stats = stats;
        device->stat_capacity = capacity;
    }
    report_stat *stat = &device->stats[device->stat_count++];
    *stat = (report_stat){ .metric = metric, .item = item };
    device->cursor = device->stat_count;
    return stat;
}

static void take_number(report_stat *stat, const nvp_reading *reading)
{
    double number = nvp_reading_number(reading, 0);
    stat->samples++;
    stat->mean += (number - stat->mean) / (double)stat->samples;
    stat->min = stat->samples == 1 || number < stat->min ? number : stat->min;
    stat->max = stat->samples == 1 || number > stat->max ? number : stat->max;
    stat->first = stat->samples == 1 ? number : stat->first;
    stat->last = number;
    stat->kind = reading->kind;
    stat->read_at_us = reading->read_at_us;
}

static bool is_number(const nvp_reading *reading)
{
    return (reading->kind & NVP_KIND_NUMBER) != 0;
}

/* Numbers of a device that cannot be asked are those from before. Returns true for a new number. */
static bool take_reading(report_summary *report, report_device *device, nvp_metric metric, uint32_t item,
                         const nvp_reading *reading, bool is_up)
{
    bool is_unknown = reading->kind == NVP_KIND_NA && reading->status == NVP_ERROR_NO_DATA; /* not recorded, or not yet */
    if (is_unknown || (reading->kind != NVP_KIND_NA && !is_number(reading))) {
        return false;
    }
    report_stat *stat = find_stat(report, device, metric, item);
    if (stat == NULL) {
        return false;
    }
    if (!is_up || reading->kind == NVP_KIND_NA) {
        stat->na++;
        stat->why = is_up ? reading->status : NVP_ERROR_TIMED_OUT;
        return false;
    }
    if (stat->samples > 0 && reading->read_at_us != 0 && reading->read_at_us == stat->read_at_us) {
        return false;
    }
    take_number(stat, reading);
    return true;
}

/* The counter is exact; the power is what there is without it. Neither is counted over a time in which nothing was recorded. */
static void take_energy(report_energy *energy, nvp_metric metric, const nvp_reading *reading)
{
    double number = nvp_reading_number(reading, 0);
    int64_t at_us = reading->read_at_us;
    if (metric == NVP_METRIC_POWER_ENERGY_MJ) {
        if (energy->counter_at_us != 0 && number >= energy->last_counter_mj) { /* a driver that is loaded anew counts from 0 */
            energy->counter_mj += number - energy->last_counter_mj;
            energy->has_counter = true;
        }
        energy->last_counter_mj = number;
        energy->counter_at_us = at_us;
    } else if (metric == NVP_METRIC_POWER_DRAW_MW) {
        if (energy->power_at_us != 0 && at_us > energy->power_at_us) {
            double span_s = (double)(at_us - energy->power_at_us) / 1e6;
            energy->power_mj += (number + energy->last_power_mw) / 2 * span_s;
            energy->has_power = true;
        }
        energy->last_power_mw = number;
        energy->power_at_us = at_us;
    }
}

/* Makes each point stand for twice the time until `time_us` has a place. */
static size_t point_at(report_summary *report, int64_t time_us)
{
    int64_t since_us = time_us > report->begin_us ? time_us - report->begin_us : 0;
    while (since_us / report->point_us >= REPORT_POINTS) {
        for (size_t i = 0; i < report->device_count; i++) {
            report_point *points = report->devices[i].points;
            for (size_t chart = 0; points != NULL && chart < report->charts->count; chart++, points += REPORT_POINTS) {
                for (size_t place = 0; place < REPORT_POINTS; place++) {
                    report_point *to = &points[place / 2], from = points[place];
                    points[place] = (report_point){ 0, 0 };
                    to->sum += from.sum;
                    to->count += from.count;
                }
            }
        }
        report->point_us *= 2;
    }
    return (size_t)(since_us / report->point_us);
}

static void take_point(report_summary *report, report_device *device, nvp_metric metric, double number, int64_t time_us)
{
    for (size_t chart = 0; chart < report->charts->count; chart++) {
        if (report->charts->metrics[chart] != metric) {
            continue;
        }
        if (device->points == NULL) {
            device->points = calloc(report->charts->count * REPORT_POINTS, sizeof *device->points);
        }
        if (device->points == NULL) {
            report->failed = true;
            return;
        }
        report_point *point = &device->points[chart * REPORT_POINTS + point_at(report, time_us)];
        point->sum += number;
        point->count++;
    }
}

static void take_metric(report_summary *report, report_device *device, nvp_metric metric, const nvp_reading *reading, bool is_up,
                        int64_t time_us)
{
    if (reading->kind == NVP_KIND_LIST) {
        for (uint32_t i = 0; i < reading->count; i++) {
            take_reading(report, device, metric, i, &reading->as.items[i], is_up);
        }
        return;
    }
    if (take_reading(report, device, metric, REPORT_NO_ITEM, reading, is_up)) {
        take_energy(&device->energy, metric, reading);
        take_point(report, device, metric, nvp_reading_number(reading, 0), time_us);
    }
}

/* By its UUID, wherever it stands; by its place as long as that is not known. */
static report_device *find_device(report_summary *report, const nvp_device_sample *sample, const char *uuid)
{
    for (size_t i = 0; i < report->device_count; i++) {
        report_device *device = &report->devices[i];
        bool same_place = device->index == sample->index && device->mig_index == sample->mig_index;
        bool is_known = uuid[0] != '\0' && device->uuid[0] != '\0';
        if (is_known ? strcmp(device->uuid, uuid) == 0 : same_place) {
            return device;
        }
    }
    report_device *devices = reallocarray(report->devices, report->device_count + 1, sizeof *devices);
    if (devices == NULL) {
        report->failed = true;
        return NULL;
    }
    report->devices = devices;
    report_device *device = &devices[report->device_count++];
    *device = (report_device){ .index = sample->index, .mig_index = sample->mig_index, .uuid = "", .name = "" };
    return device;
}

void report_take_device(report_summary *report, const nvp_device_sample *sample, int64_t time_us)
{
    const char *uuid = nvp_reading_text(nvp_device_sample_get(sample, NVP_METRIC_IDENTITY_UUID), "");
    report_device *device = find_device(report, sample, uuid);
    if (device == NULL) {
        return;
    }
    report_set_text(report, &device->uuid, uuid);
    report_set_text(report, &device->name, nvp_reading_text(nvp_device_sample_get(sample, NVP_METRIC_IDENTITY_NAME), ""));
    device->snapshots++;
    device->states[sample->state <= NVP_DEVICE_FAILED ? sample->state : NVP_DEVICE_FAILED]++;
    for (unsigned int metric = 0; metric < NVP_METRIC_COUNT; metric++) {
        const nvp_metric_info *info = nvp_metric_get((nvp_metric)metric);
        const nvp_reading *reading = nvp_device_sample_get(sample, (nvp_metric)metric);
        if (info != NULL && reading != NULL && info->kind != NVP_METRIC_LABEL) {
            take_metric(report, device, info->metric, reading, sample->state == NVP_DEVICE_OK, time_us);
        }
    }
}

/* A recorder that was started anew counts from 1. */
static void begin_segment(report_summary *report)
{
    report->segments++;
    for (size_t i = 0; i < report->device_count; i++) {
        report->devices[i].energy.counter_at_us = report->devices[i].energy.power_at_us = 0;
    }
}

void report_take(report_summary *report, const nvp_snapshot *snapshot)
{
    int64_t time_us = nvp_snapshot_time_us(snapshot);
    uint64_t sequence = nvp_snapshot_sequence(snapshot);
    if (report->snapshots == 0) {
        report->begin_us = report->end_us = time_us;
        report->point_us = 1000;
    }
    if (report->snapshots == 0 || sequence <= report->sequence || time_us < report->time_us) {
        begin_segment(report);
    } else {
        report->duration_us += time_us - report->time_us;
    }
    report->snapshots++;
    report->sequence = sequence;
    report->time_us = time_us;
    report->begin_us = time_us < report->begin_us ? time_us : report->begin_us;
    report->end_us = time_us > report->end_us ? time_us : report->end_us;
    report_set_text(report, &report->host, nvp_reading_text(nvp_snapshot_host(snapshot, NVP_HOST_NAME), ""));
    report_set_text(report, &report->driver, nvp_reading_text(nvp_snapshot_host(snapshot, NVP_HOST_DRIVER_VERSION), ""));
    const nvp_reading *simulation = nvp_snapshot_host(snapshot, NVP_HOST_SIMULATION);
    const char *what = nvp_reading_text(simulation, "");
    report_set_text(report, &report->simulation, nvp_reading_has(simulation) && what[0] == '\0' ? "not a real driver" : what);
    const nvp_device_sample *device;
    for (size_t i = 0; (device = nvp_snapshot_device(snapshot, i)) != NULL; i++) {
        report_take_device(report, device, time_us);
    }
    report_take_processes(report, snapshot);
}

bool report_energy_mj(const report_device *device, double *energy_mj, const char **source)
{
    bool has_counter = device->energy.has_counter;
    *energy_mj = has_counter ? device->energy.counter_mj : device->energy.power_mj;
    *source = has_counter ? "counter" : "power";
    return has_counter || device->energy.has_power;
}
