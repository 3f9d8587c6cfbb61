/*
 * The planner. A round collects what the sources in use need, asks each thing once, and hands the answers out; metrics whose source turned out
 * not to be supported go into the next round with their next source.
 */
#include "model/reader.h"

#include <stdlib.h>
#include <string.h>

#include <nvpulse/lifecycle.h>
#include <nvpulse/query.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "model/reading.h"

#define NONE 0xffffu
#define LINKS_MAX 64u
#define FIELDS_MAX 128u /* different field values of one batch; the table has fewer */

/* What one round asks: chains of metrics behind each call and each field. */
struct round {
    uint16_t first_of_call[NVP__CALL_COUNT];
    uint16_t next[NVP_METRIC_COUNT]; /* in the chain of a call or of a field */
    nvp_field fields[FIELDS_MAX];
    uint16_t first_of_field[FIELDS_MAX];
    size_t field_count;
    unsigned int gpm[NVP_METRIC_COUNT];
    size_t gpm_count;
};

unsigned int nvp__metric_set_next(const struct nvp__metric_set *set, unsigned int from)
{
    for (unsigned int word = from / 64; word < NVP__COUNT_OF(set->words); word++, from = word * 64) {
        uint64_t left = set->words[word] & (UINT64_MAX << (from % 64));
        if (left != 0) {
            return word * 64 + (unsigned int)__builtin_ctzll(left);
        }
    }
    return NVP_METRIC_COUNT;
}

void nvp__reader_init(struct nvp__reader *reader, nvmlDevice_t handle, bool mig)
{
    memset(reader, 0, sizeof *reader);
    reader->handle = handle;
    reader->mig = mig;
    reader->gpm.support = NVP_ERROR_NO_DATA;
    for (size_t i = 0; i < NVP_METRIC_COUNT; i++) {
        reader->readings[i] = nvp__reading_na(NVP_ERROR_NO_DATA);
    }
}

static void drop(nvp_reading *reading)
{
    if (reading->kind == NVP_KIND_TEXT) {
        free((char *)(uintptr_t)reading->as.text);
    } else if (reading->kind == NVP_KIND_LIST) {
        free((nvp_reading *)(uintptr_t)reading->as.items);
    }
    *reading = nvp__reading_na(NVP_ERROR_NO_DATA);
}

void nvp__reader_clear(struct nvp__reader *reader)
{
    for (size_t i = 0; i < NVP_METRIC_COUNT; i++) {
        drop(&reader->readings[i]);
    }
    nvp__gpm_clear(&reader->gpm);
}

void nvp__reader_put(struct nvp__reader *reader, unsigned int metric, nvp_reading reading)
{
    nvp_reading *place = &reader->readings[metric];
    if (reading.kind == NVP_KIND_TEXT && place->kind == NVP_KIND_TEXT && strcmp(reading.as.text, place->as.text) == 0) {
        place->read_at_us = reading.read_at_us;
        return;
    }
    if (reading.kind == NVP_KIND_TEXT) {
        reading = nvp__reading_text(strdup(reading.as.text), reading.read_at_us);
    }
    if (reading.kind == NVP_KIND_NA) {
        reading.read_at_us = nvp__wall_us();
    }
    drop(place);
    *place = reading;
}

static const struct nvp__source *source_of(const struct nvp__reader *reader, unsigned int metric)
{
    return &nvp__metrics[metric].sources[reader->source[metric]];
}

/* What a MIG device can be asked: a few calls, no field values. */
static bool is_for_mig(const struct nvp__source *source)
{
    return source->how == NVP__BY_CALL && nvp__metric_calls[source->id].mig;
}

/* False when the batch is full. */
static bool want_field(struct round *round, unsigned int metric, unsigned int id, unsigned int scope)
{
    size_t place = 0;
    while (place < round->field_count && (round->fields[place].field_id != id || round->fields[place].scope_id != scope)) {
        place++;
    }
    if (place == FIELDS_MAX) {
        return false;
    }
    if (place == round->field_count) {
        round->fields[place] = (nvp_field)NVP_FIELD_OF(id, scope);
        round->first_of_field[place] = NONE;
        round->field_count++;
    }
    round->next[metric] = round->first_of_field[place];
    round->first_of_field[place] = (uint16_t)metric;
    return true;
}

static void want_call(struct round *round, unsigned int metric, unsigned int call)
{
    round->next[metric] = round->first_of_call[call];
    round->first_of_call[call] = (uint16_t)metric;
}

static bool is_list_source(enum nvp__how how)
{
    return how == NVP__BY_EACH_FAN || how == NVP__BY_EACH_LINK || how == NVP__BY_EACH_LINK_CALL;
}

/* Sorts the metrics by what they need; those that nothing can give any more are settled here. */
static void collect(struct nvp__reader *reader, const struct nvp__metric_set *set, bool costly, struct round *round)
{
    memset(round->first_of_call, 0xff, sizeof round->first_of_call);
    round->field_count = 0;
    round->gpm_count = 0;
    for (unsigned int m = nvp__metric_set_next(set, 0); m < NVP_METRIC_COUNT; m = nvp__metric_set_next(set, m + 1)) {
        const struct nvp__source *source = source_of(reader, m);
        if (reader->mig && !is_for_mig(source)) {
            nvp__reader_put(reader, m, nvp__reading_na(NVML_ERROR_NOT_SUPPORTED));
        } else if (source->costly && !costly) {
            nvp__reader_put(reader, m, nvp__reading_na(NVP_ERROR_NO_DATA));
        } else if (source->how == NVP__BY_FIELD) {
            if (!want_field(round, m, source->id, source->scope)) {
                nvp__reader_put(reader, m, nvp__reading_na(NVP_ERROR_NO_MEMORY));
            }
        } else if (source->how == NVP__BY_CALL || source->how == NVP__BY_BIT) {
            want_call(round, m, source->id);
        } else if (source->how == NVP__BY_DERIVING && source->id != NVP__CALL_NONE) {
            want_call(round, m, source->id);
        } else if (source->how == NVP__BY_GPM) {
            round->gpm[round->gpm_count++] = m;
        }
    }
}

/* Puts an answer into its place, or turns to the next source when this one is not supported; then the metric stays in `again`. */
static void settle(struct nvp__reader *reader, unsigned int metric, nvp_reading reading, struct nvp__metric_set *again)
{
    if (reading.kind == NVP_KIND_NA && nvp__is_down(reading.status)) {
        reader->down = reading.status;
    }
    if (reading.kind == NVP_KIND_NA && nvp__is_unsupported(reading.status)) {
        const struct nvp__source *next = source_of(reader, metric) + 1;
        reader->source[metric]++;
        if (next->how != NVP__BY_NOTHING) {
            nvp__metric_set_add(again, metric);
            return;
        }
    }
    nvp__reader_put(reader, metric, reading);
}

static void hand_out(struct nvp__reader *reader, const struct round *round, unsigned int first, const nvp_value *value,
                     int64_t at_us, struct nvp__metric_set *again)
{
    for (unsigned int m = first; m != NONE; m = round->next[m]) {
        nvp_value scratch = NVP_VALUE_INIT;
        settle(reader, m, nvp__reading_of(m, source_of(reader, m), value, &scratch, at_us), again);
        nvp_value_clear(&scratch);
    }
}

static void ask_fields(struct nvp__reader *reader, struct round *round, struct nvp__metric_set *again)
{
    if (round->field_count == 0) {
        return;
    }
    nvp_status status = nvp_query_fields(reader->handle, round->fields, round->field_count);
    int64_t now_us = nvp__wall_us();
    for (size_t i = 0; i < round->field_count; i++) {
        if (status == NVP_ERROR_NO_MEMORY) {
            nvp_value_set_na(&round->fields[i].value, status);
        }
        hand_out(reader, round, round->first_of_field[i], &round->fields[i].value, now_us, again);
    }
}

static nvp_value ask(const struct nvp__reader *reader, const struct nvp__metric_call *call, int argument)
{
    const nvp_query_options quiet = { sizeof quiet, NVP_QUERY_SILENT, NULL };
    nvp_arg args[4] = { nvp_arg_handle(reader->handle) };
    for (unsigned int i = 0; i < call->argument_count; i++) {
        args[i + 1] = nvp_arg_uint(argument < 0 ? call->arguments[i] : (unsigned int)argument);
    }
    nvp_value value = NVP_VALUE_INIT;
    size_t count = call->argument_count + 1;
    nvp_status status = nvp_query(call->function, args, count, &quiet, &value);
    if (status != NVP_SUCCESS) {
        nvp_value_set_na(&value, status);
    }
    return value;
}

static void ask_calls(struct nvp__reader *reader, const struct round *round, struct nvp__metric_set *again)
{
    for (unsigned int call = 0; call < NVP__CALL_COUNT; call++) {
        if (round->first_of_call[call] == NONE) {
            continue;
        }
        nvp_value value = NVP_VALUE_INIT;
        if (reader->down != NVP_SUCCESS) {
            nvp_value_set_na(&value, reader->down);
        } else {
            value = ask(reader, &nvp__metric_calls[call], -1);
        }
        hand_out(reader, round, round->first_of_call[call], &value, nvp__wall_us(), again);
        nvp_value_clear(&value);
    }
}

/* The number of items of a list: fans or links; 0 with a status when it cannot be known. */
static unsigned int item_count(struct nvp__reader *reader, enum nvp__how how, nvp_status *status)
{
    unsigned int counter = how == NVP__BY_EACH_FAN ? NVP_METRIC_FAN_COUNT : NVP_METRIC_NVLINK_LINK_COUNT;
    if (!nvp_reading_has(&reader->readings[counter])) {
        struct nvp__metric_set one = { { 0 } };
        nvp__metric_set_add(&one, counter);
        nvp__reader_read(reader, &one, false);
    }
    const nvp_reading *count = &reader->readings[counter];
    *status = nvp_reading_has(count) ? NVML_ERROR_NOT_SUPPORTED : count->status;
    uint64_t number = nvp_reading_uint(count, 0);
    return number > LINKS_MAX ? LINKS_MAX : (unsigned int)number;
}

static void fill_items(struct nvp__reader *reader, unsigned int metric, const struct nvp__source *source, nvp_reading *items,
                       unsigned int count)
{
    nvp_field fields[LINKS_MAX];
    for (unsigned int i = 0; i < count; i++) {
        fields[i] = (nvp_field)NVP_FIELD_OF(source->id, i);
    }
    bool by_field = source->how == NVP__BY_EACH_LINK;
    nvp_status status = by_field ? nvp_query_fields(reader->handle, fields, count) : NVP_SUCCESS;
    for (unsigned int i = 0; i < count; i++) {
        nvp_value value = by_field ? fields[i].value : ask(reader, &nvp__metric_calls[source->id], (int)i);
        if (status == NVP_ERROR_NO_MEMORY) {
            nvp_value_set_na(&value, status);
        }
        nvp_value scratch = NVP_VALUE_INIT;
        items[i] = nvp__reading_of(metric, source, &value, &scratch, nvp__wall_us());
        items[i] = items[i].kind == NVP_KIND_TEXT ? nvp__reading_na(NVP_ERROR_NO_SUCH_FIELD) : items[i]; /* items own no text */
        nvp_value_clear(&scratch);
        nvp_value_clear(&value);
    }
}

static bool any_value(const nvp_reading *items, unsigned int count)
{
    for (unsigned int i = 0; i < count; i++) {
        if (nvp_reading_has(&items[i])) {
            return true;
        }
    }
    return false;
}

/* A list in which no item has a value is N/A for the reason of the first. */
static void read_list(struct nvp__reader *reader, unsigned int metric, struct nvp__metric_set *again)
{
    const struct nvp__source *source = source_of(reader, metric);
    nvp_status status;
    unsigned int count = item_count(reader, source->how, &status);
    nvp_reading *items = count > 0 && reader->down == NVP_SUCCESS ? calloc(count, sizeof *items) : NULL;
    if (items == NULL) {
        status = reader->down != NVP_SUCCESS ? reader->down : count > 0 ? NVP_ERROR_NO_MEMORY : status;
        settle(reader, metric, nvp__reading_na(status), again);
        return;
    }
    fill_items(reader, metric, source, items, count);
    if (!any_value(items, count)) {
        settle(reader, metric, nvp__reading_na(items[0].status), again);
        free(items);
        return;
    }
    nvp_reading list = { .kind = NVP_KIND_LIST, .count = count, .as.items = items, .read_at_us = nvp__wall_us() };
    nvp__reader_put(reader, metric, list);
}

/* The growth of a counter in a second, since the last time that its rate was asked for. */
static void read_rate(struct nvp__reader *reader, unsigned int metric, struct nvp__metric_set *again)
{
    unsigned int counter = source_of(reader, metric)->id;
    const nvp_reading *now = &reader->readings[counter];
    if (!nvp_reading_has(now)) {
        settle(reader, metric, nvp__reading_na(now->status), again);
        return;
    }
    double value = nvp_reading_number(now, 0), before = reader->before[counter].value;
    int64_t elapsed_us = now->read_at_us - reader->before[counter].at_us;
    bool known = reader->before[counter].at_us > 0 && elapsed_us > 0 && value >= before;
    nvp__reader_put(reader, metric,
                    known ? nvp__reading_real((value - before) * 1e6 / (double)elapsed_us, now->read_at_us)
                          : nvp__reading_na(NVP_ERROR_NO_DATA));
    reader->before[counter].value = value;
    reader->before[counter].at_us = now->read_at_us;
}

/* Memory that the driver does not tell of, on a device without a BAR1 window: it shares the memory of the host. */
static void derive_unified(struct nvp__reader *reader)
{
    struct nvp__metric_set needed = { { 0 } };
    nvp__metric_set_add(&needed, NVP_METRIC_MEMORY_TOTAL_BYTES);
    nvp__reader_read(reader, &needed, false);
    const nvp_reading *total = &reader->readings[NVP_METRIC_MEMORY_TOTAL_BYTES];
    nvp_reading answer = nvp__reading_uint(0, nvp__wall_us());
    if (total->kind == NVP_KIND_NA && total->status != NVML_ERROR_NOT_SUPPORTED) {
        answer = nvp__reading_na(total->status);
    } else if (total->kind == NVP_KIND_NA) {
        needed = (struct nvp__metric_set){ { 0 } };
        nvp__metric_set_add(&needed, NVP_METRIC_MEMORY_BAR1_TOTAL_BYTES);
        nvp__reader_read(reader, &needed, false);
        answer.as.uint_value = reader->readings[NVP_METRIC_MEMORY_BAR1_TOTAL_BYTES].status == NVML_ERROR_NOT_SUPPORTED;
    }
    nvp__reader_put(reader, NVP_METRIC_MEMORY_UNIFIED, answer);
}

/* What is made from other readings comes last in a round. */
static void read_dependent(struct nvp__reader *reader, const struct nvp__metric_set *set, struct nvp__metric_set *again)
{
    for (unsigned int m = nvp__metric_set_next(set, 0); m < NVP_METRIC_COUNT; m = nvp__metric_set_next(set, m + 1)) {
        const struct nvp__source *source = source_of(reader, m);
        if (reader->mig || nvp__metric_set_has(again, m)) {
            continue;
        }
        if (source->how == NVP__BY_RATE) {
            read_rate(reader, m, again);
        } else if (is_list_source(source->how)) {
            read_list(reader, m, again);
        } else if (m == NVP_METRIC_MEMORY_UNIFIED) {
            derive_unified(reader);
        }
    }
}

/* Counters whose rate is asked for are read, too. What no source can give any more is left alone: it keeps its reason. */
static struct nvp__metric_set complete(struct nvp__reader *reader, const struct nvp__metric_set *set)
{
    struct nvp__metric_set wanted = { { 0 } };
    for (unsigned int m = nvp__metric_set_next(set, 0); m < NVP_METRIC_COUNT; m = nvp__metric_set_next(set, m + 1)) {
        const struct nvp__source *source = source_of(reader, m);
        if (source->how == NVP__BY_NOTHING) {
            reader->readings[m].read_at_us = nvp__wall_us();
            continue;
        }
        nvp__metric_set_add(&wanted, m);
        if (source->how == NVP__BY_RATE && source_of(reader, source->id)->how != NVP__BY_NOTHING) {
            nvp__metric_set_add(&wanted, source->id);
        }
    }
    return wanted;
}

static void notice_generation(struct nvp__reader *reader)
{
    uint64_t generation = nvp_generation();
    if (reader->generation != generation) {
        memset(reader->source, 0, sizeof reader->source);
        memset(reader->before, 0, sizeof reader->before);
        reader->generation = generation;
    }
}

void nvp__reader_read(struct nvp__reader *reader, const struct nvp__metric_set *set, bool costly)
{
    notice_generation(reader);
    struct nvp__metric_set wanted = complete(reader, set);
    struct round round;
    reader->down = NVP_SUCCESS;
    for (int rounds = 0; rounds <= NVP__SOURCES_MAX && nvp__metric_set_next(&wanted, 0) < NVP_METRIC_COUNT; rounds++) {
        struct nvp__metric_set again = { { 0 } };
        collect(reader, &wanted, costly, &round);
        ask_fields(reader, &round, &again);
        ask_calls(reader, &round, &again);
        nvp__gpm_read(reader, round.gpm, round.gpm_count);
        read_dependent(reader, &wanted, &again);
        wanted = again;
    }
}
