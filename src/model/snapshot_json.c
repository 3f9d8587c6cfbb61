/*
 * A snapshot as JSON. What is written here is what docs/snapshot.schema.json describes and what snapshot_read.c reads back: the same
 * snapshot always gives the same text.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/out.h"
#include "model/form.h"
#include "model/snapshot.h"

/* Members of an object are put one after the other; `separator` is "" before the first. */
struct members {
    struct nvp__out *out;
    const char *separator;
};

static void put_int(struct nvp__out *out, int64_t number)
{
    nvp__out_text(out, number < 0 ? "-" : "");
    nvp__out_uint(out, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

/* With a point or an exponent, by which the reader knows a REAL. */
static void put_real(struct nvp__out *out, double number)
{
    char text[64];
    struct nvp__out short_out = nvp__out_over(text, sizeof(text));
    nvp__out_json_real(&short_out, number);
    nvp__out_text(out, text);
    nvp__out_text(out, strpbrk(text, ".en") == NULL ? ".0" : "");
}

/* `name`, or `name[index]` for an index that is not negative; then the colon. */
static void put_key(struct members *members, const char *name, int64_t index)
{
    nvp__out_text(members->out, members->separator);
    nvp__out_text(members->out, "\"");
    nvp__out_text(members->out, name);
    if (index >= 0) {
        nvp__out_format(members->out, "[%" PRId64 "]", index);
    }
    nvp__out_text(members->out, "\":");
    members->separator = ",";
}

/* {"reason":"gpu_lost","status":15} */
static void put_reason(struct nvp__out *out, nvp_reason reason, nvp_status status)
{
    nvp__out_text(out, "{\"reason\":\"");
    nvp__out_text(out, nvp_reason_word(reason));
    nvp__out_text(out, "\",\"status\":");
    put_int(out, status);
    nvp__out_text(out, "}");
}

static void put_status(struct nvp__out *out, nvp_status status)
{
    if (status == NVP_SUCCESS) {
        nvp__out_text(out, "null");
    } else {
        put_reason(out, nvp_status_reason(status), status);
    }
}

/* ["compute","mps"]; bits that have no word as one number behind them. */
static void put_types(struct nvp__out *out, uint64_t types)
{
    const char *separator = "";
    nvp__out_text(out, "[");
    for (unsigned int bit = 0; bit < NVP__TYPE_COUNT; bit++) {
        if ((types >> bit & 1) != 0) {
            nvp__out_text(out, separator);
            nvp__out_json_text(out, nvp__type_words[bit]);
            separator = ",";
        }
    }
    if (types >> NVP__TYPE_COUNT != 0) {
        nvp__out_text(out, separator);
        nvp__out_uint(out, types >> NVP__TYPE_COUNT << NVP__TYPE_COUNT);
    }
    nvp__out_text(out, "]");
}

static void put_uint(struct nvp__out *out, const struct nvp__form *form, unsigned int field, uint64_t number)
{
    enum nvp__style style = form->style(field);
    const char *word = style == NVP__AS_WORD ? nvp_metric_word((nvp_metric)field, number) : NULL;
    if (word != NULL) {
        nvp__out_json_text(out, word);
    } else if (style == NVP__AS_BOOL && number <= 1) {
        nvp__out_text(out, number == 1 ? "true" : "false");
    } else if (style == NVP__AS_TYPES) {
        put_types(out, number);
    } else {
        nvp__out_uint(out, number);
    }
}

static void put_value(struct nvp__out *out, const struct nvp__form *form, unsigned int field, const nvp_reading *reading)
{
    if (nvp__form_is_null(reading)) {
        nvp__out_text(out, "null");
        return;
    }
    switch (reading->kind) {
    case NVP_KIND_INT:
        put_int(out, reading->as.int_value);
        break;
    case NVP_KIND_REAL:
        put_real(out, reading->as.real_value);
        break;
    case NVP_KIND_TEXT:
        nvp__out_json_text(out, reading->as.text);
        break;
    case NVP_KIND_LIST:
        nvp__out_text(out, "[");
        for (uint32_t i = 0; i < reading->count; i++) {
            nvp__out_text(out, i == 0 ? "" : ",");
            put_value(out, form, field, &reading->as.items[i]);
        }
        nvp__out_text(out, "]");
        break;
    default:
        put_uint(out, form, field, reading->as.uint_value);
        break;
    }
}

static void put_na(struct members *na, const char *name, int64_t index, const nvp_reading *reading)
{
    if (nvp__form_is_left_out(reading)) {
        return;
    }
    if (nvp__form_is_null(reading)) {
        bool is_number = reading->kind == NVP_KIND_REAL;
        nvp_reason reason = is_number ? NVP_REASON_SENTINEL : reading->reason;
        put_key(na, name, index);
        put_reason(na->out, reason, is_number ? NVP_ERROR_SENTINEL : reading->status);
    } else if (reading->kind == NVP_KIND_LIST) {
        for (uint32_t i = 0; i < reading->count; i++) {
            put_na(na, name, i, &reading->as.items[i]);
        }
    }
}

/* The age of a reading that was not made at the usual time; null when it never was. */
static void put_age(struct members *ages, const char *name, int64_t index, const nvp_reading *reading, int64_t now_us)
{
    nvp__out_text(ages->out, ages->separator[0] == '{' ? ",\"ages_us\":" : "");
    put_key(ages, name, index);
    if (reading->read_at_us == 0) {
        nvp__out_text(ages->out, "null");
    } else {
        put_int(ages->out, (int64_t)((uint64_t)now_us - (uint64_t)reading->read_at_us));
    }
}

static void put_ages(struct members *ages, const struct nvp__form *form, unsigned int field, const nvp_reading *reading,
                     struct nvp__base_times times)
{
    if (nvp__form_is_left_out(reading)) {
        return;
    }
    if (reading->read_at_us != nvp__usual_time(reading, form->na_has_time, nvp__base_time(form, field, times))) {
        put_age(ages, form->name(field), -1, reading, times.now_us);
    }
    for (uint32_t i = 0; reading->kind == NVP_KIND_LIST && i < reading->count; i++) {
        const nvp_reading *item = &reading->as.items[i];
        if (item->read_at_us != nvp__usual_time(item, false, reading->read_at_us)) {
            put_age(ages, form->name(field), i, item, times.now_us);
        }
    }
}

static void put_values(struct members *values, const struct nvp__form *form, const nvp_reading readings[])
{
    for (unsigned int i = 0; i < form->count; i++) {
        if (!nvp__form_is_left_out(&readings[i])) {
            put_key(values, form->name(i), -1);
            put_value(values->out, form, i, &readings[i]);
        }
    }
}

/* ,"na":{...} and, where there are any, ,"ages_us":{...} */
static void put_beside(struct nvp__out *out, const struct nvp__form *form, const nvp_reading readings[],
                       struct nvp__base_times times)
{
    struct members na = { out, "" }, ages = { out, "{" };
    nvp__out_text(out, ",\"na\":{");
    for (unsigned int i = 0; i < form->count; i++) {
        put_na(&na, form->name(i), -1, &readings[i]);
    }
    nvp__out_text(out, "}");
    for (unsigned int i = 0; i < form->count; i++) {
        put_ages(&ages, form, i, &readings[i], times);
    }
    nvp__out_text(out, ages.separator[0] == '{' ? "" : "}");
}

/* When most of the readings were made that have a value and were read with the host, or not with the host; any time if no time is most. */
static int64_t base_of(const struct nvp__form *form, const nvp_reading readings[], bool of_host)
{
    int64_t time_us = 0;
    size_t votes = 0;
    for (unsigned int i = 0; i < form->count; i++) {
        if (form->is_of_host(i) != of_host || nvp__form_is_null(&readings[i])) {
            continue;
        }
        if (votes == 0) {
            time_us = readings[i].read_at_us;
        }
        votes = readings[i].read_at_us == time_us ? votes + 1 : votes - 1;
    }
    return time_us;
}

/* The fields of the host or of a process, and when they were read. */
static void put_fields(struct nvp__out *out, const struct nvp__form *form, const nvp_reading readings[],
                       struct nvp__base_times times)
{
    struct members values = { out, "" };
    put_values(&values, form, readings);
    put_key(&values, "read_at_us", -1);
    put_int(out, times.read_at_us);
    put_beside(out, form, readings, times);
}

static void put_host(struct nvp__out *out, const nvp_snapshot *snapshot, int64_t read_at_us)
{
    nvp__out_text(out, ",\"host\":{");
    put_fields(out, &nvp__form_host, snapshot->host, (struct nvp__base_times){ read_at_us, 0, snapshot->time_us });
    nvp__out_text(out, "}");
}

static void put_device(struct nvp__out *out, const nvp_device_sample *device)
{
    struct members values = { out, "" };
    nvp_reading room[NVP_METRIC_COUNT];
    const nvp_reading *metrics = nvp__device_readings(device, room);
    struct nvp__base_times times = { base_of(&nvp__form_metrics, metrics, false), 0, device->sampled_at_us };
    nvp__out_text(out, "{\"index\":");
    nvp__out_uint(out, device->index);
    nvp__out_text(out, ",\"mig_index\":");
    if (device->mig_index < 0) {
        nvp__out_text(out, "null");
    } else {
        put_int(out, device->mig_index);
    }
    nvp__out_text(out, ",\"state\":\"");
    nvp__out_text(out, nvp_device_state_name(device->state));
    nvp__out_text(out, "\",\"status\":");
    put_status(out, device->status);
    nvp__out_text(out, ",\"stalled_us\":");
    put_int(out, device->stalled_us);
    nvp__out_text(out, ",\"sampled_at_us\":");
    put_int(out, device->sampled_at_us);
    nvp__out_text(out, ",\"read_at_us\":");
    put_int(out, times.read_at_us);
    nvp__out_text(out, ",\"metrics\":{");
    put_values(&values, &nvp__form_metrics, metrics);
    nvp__out_text(out, "}");
    put_beside(out, &nvp__form_metrics, metrics, times);
    nvp__out_text(out, "}");
}

static void put_process(struct nvp__out *out, const nvp_process *process, int64_t host_read_at_us, int64_t now_us)
{
    struct nvp__base_times times = { base_of(&nvp__form_process, process->fields, false), host_read_at_us, now_us };
    nvp__out_text(out, "{");
    put_fields(out, &nvp__form_process, process->fields, times);
    nvp__out_text(out, "}");
}

/* Microseconds since 1970 as "2026-12-01T08:00:00.123456Z"; null for a year that has no four digits. */
static void put_time(struct nvp__out *out, int64_t time_us)
{
    int64_t fraction_us = ((time_us % 1000000) + 1000000) % 1000000;
    time_t seconds = (time_t)(time_us / 1000000 - (time_us % 1000000 < 0));
    struct tm utc;
    char text[32];
    if (gmtime_r(&seconds, &utc) == NULL || utc.tm_year < -900 || utc.tm_year > 8099) {
        nvp__out_text(out, "null");
        return;
    }
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &utc);
    nvp__out_format(out, "\"%s.%06" PRId64 "Z\"", text, fraction_us);
}

static void put_head(struct nvp__out *out, const nvp_snapshot *snapshot)
{
    nvp__out_text(out, "{\"schema\":\"" NVP__SNAPSHOT_SCHEMA "\",\"sequence\":");
    nvp__out_uint(out, snapshot->sequence);
    nvp__out_text(out, ",\"generation\":");
    nvp__out_uint(out, snapshot->generation);
    nvp__out_text(out, ",\"time_us\":");
    put_int(out, snapshot->time_us);
    nvp__out_text(out, ",\"time\":");
    put_time(out, snapshot->time_us);
    nvp__out_text(out, ",\"simulated\":");
    nvp__out_text(out, nvp_reading_has(&snapshot->host[NVP_HOST_SIMULATION]) ? "true" : "false");
}

/* A guess that is rather too large, so that the text need not move. */
static size_t likely_length(const nvp_snapshot *snapshot)
{
    return 1024 + snapshot->device_count * 12288 + snapshot->process_count * 1024;
}

nvp_status nvp_snapshot_to_json(const nvp_snapshot *snapshot, char **text, size_t *length)
{
    if (snapshot == NULL || text == NULL || length == NULL) {
        return NVP_ERROR_BAD_ARGUMENT;
    }
    struct nvp__out out = nvp__out_growing(likely_length(snapshot));
    int64_t host_read_at_us = base_of(&nvp__form_host, snapshot->host, false);
    put_head(&out, snapshot);
    put_host(&out, snapshot, host_read_at_us);
    nvp__out_text(&out, ",\"devices\":[");
    for (size_t i = 0; i < snapshot->device_count; i++) {
        nvp__out_text(&out, i == 0 ? "" : ",");
        put_device(&out, &snapshot->devices[i]);
    }
    nvp__out_text(&out, "],\"process_status\":");
    put_status(&out, snapshot->process_status);
    nvp__out_text(&out, ",\"processes\":[");
    for (size_t i = 0; i < snapshot->process_count; i++) {
        nvp__out_text(&out, i == 0 ? "" : ",");
        put_process(&out, &snapshot->processes[i], host_read_at_us, snapshot->time_us);
    }
    nvp__out_text(&out, "]}");
    size_t written = out.length;
    char *made = nvp__out_take(&out);
    if (made == NULL) {
        return NVP_ERROR_NO_MEMORY;
    }
    *text = made;
    *length = written;
    return NVP_SUCCESS;
}
