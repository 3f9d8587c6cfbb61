/*
 * The planner: collects what the sources in use need, asks each thing once, and hands the answers out.
 */
#include "model/round.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "model/reading.h"

/* What a MIG device can be asked: a few calls, no field values. */
static bool is_for_mig(const struct nvp__source *source)
{
    return source->how == NVP__BY_CALL && nvp__metric_calls[source->id].mig;
}

static size_t add_field(struct nvp__round *round, unsigned int id, unsigned int scope)
{
    round->fields[round->field_count] = (nvp_field)NVP_FIELD_OF(id, scope);
    round->first_of_field[round->field_count] = NVP__NO_METRIC;
    return round->field_count++;
}

static void want_field(struct nvp__round *round, unsigned int metric, unsigned int id, unsigned int scope)
{
    size_t place = 0;
    while (place < round->field_count && (round->fields[place].field_id != id || round->fields[place].scope_id != scope)) {
        place++;
    }
    if (place == round->field_count) {
        add_field(round, id, scope);
    }
    round->next[metric] = round->first_of_field[place];
    round->first_of_field[place] = (uint16_t)metric;
}

static void want_links(struct nvp__round *round, unsigned int metric, unsigned int id)
{
    round->next[metric] = (uint16_t)round->field_count;
    for (unsigned int link = 0; link < round->links; link++) {
        add_field(round, id, link);
    }
}

static void want_call(struct nvp__round *round, unsigned int metric, unsigned int call)
{
    round->next[metric] = round->first_of_call[call];
    round->first_of_call[call] = (uint16_t)metric;
}

/* Makes room for every field that the set can want, and learns how many links there are when a list of them is in it. */
static bool make_room(struct nvp__reader *reader, const struct nvp__metric_set *set, struct nvp__round *round)
{
    size_t fields = 1;
    *round = (struct nvp__round){ .links = 0 };
    for (unsigned int m = nvp__metric_set_next(set, 0); !reader->mig && m < NVP_METRIC_COUNT;
         m = nvp__metric_set_next(set, m + 1)) {
        enum nvp__how how = nvp__source_of(reader, m)->how;
        if (how == NVP__BY_EACH_LINK && round->links == 0) {
            nvp_status status;
            round->links = nvp__item_count(reader, how, &status);
        }
        fields += how == NVP__BY_FIELD ? 1 : how == NVP__BY_EACH_LINK ? round->links : 0;
    }
    round->fields = calloc(fields, sizeof *round->fields);
    round->first_of_field = calloc(fields, sizeof *round->first_of_field);
    return round->fields != NULL && round->first_of_field != NULL;
}

/* Sorts the metrics by what they need; those that nothing can give any more are settled here. */
static void collect(struct nvp__reader *reader, const struct nvp__metric_set *set, bool costly, struct nvp__round *round)
{
    memset(round->first_of_call, 0xff, sizeof round->first_of_call);
    for (unsigned int m = nvp__metric_set_next(set, 0); m < NVP_METRIC_COUNT; m = nvp__metric_set_next(set, m + 1)) {
        const struct nvp__source *source = nvp__source_of(reader, m);
        if (reader->mig && !is_for_mig(source)) {
            nvp__reader_put(reader, m, nvp__reading_na(NVML_ERROR_NOT_SUPPORTED));
        } else if (source->costly && !costly) {
            nvp__reader_put(reader, m, nvp__reading_na(NVP_ERROR_NO_DATA));
        } else if (source->how == NVP__BY_FIELD) {
            want_field(round, m, source->id, source->scope);
        } else if (source->how == NVP__BY_EACH_LINK) {
            want_links(round, m, source->id);
        } else if (source->how == NVP__BY_CALL || source->how == NVP__BY_BIT) {
            want_call(round, m, source->id);
        } else if (source->how == NVP__BY_DERIVING && source->id != NVP__CALL_NONE) {
            want_call(round, m, source->id);
        } else if (source->how == NVP__BY_GPM) {
            round->gpm[round->gpm_count++] = m;
        }
    }
}

void nvp__settle(struct nvp__reader *reader, unsigned int metric, nvp_reading reading, struct nvp__metric_set *again)
{
    if (reading.kind == NVP_KIND_NA && nvp__is_down(reading.status)) {
        reader->down = reading.status;
    }
    if (reading.kind == NVP_KIND_NA && nvp__is_unsupported(reading.status)) {
        const struct nvp__source *next = nvp__source_of(reader, metric) + 1;
        reader->source[metric]++;
        if (next->how != NVP__BY_NOTHING) {
            nvp__metric_set_add(again, metric);
            return;
        }
    }
    nvp__reader_put(reader, metric, reading);
}

static void hand_out(struct nvp__reader *reader, const struct nvp__round *round, unsigned int first, const nvp_value *value,
                     int64_t at_us, struct nvp__metric_set *again)
{
    for (unsigned int m = first; m != NVP__NO_METRIC; m = round->next[m]) {
        nvp_value scratch = NVP_VALUE_INIT;
        nvp__settle(reader, m, nvp__reading_of(m, nvp__source_of(reader, m), value, &scratch, at_us), again);
        nvp_value_clear(&scratch);
    }
}

static void ask_fields(struct nvp__reader *reader, struct nvp__round *round, struct nvp__metric_set *again)
{
    if (round->field_count == 0) {
        return;
    }
    bool missing = nvp__is_missing("nvmlDeviceGetFieldValues"); /* before 390 */
    nvp_status status =
        missing ? (nvp_status)NVML_ERROR_FUNCTION_NOT_FOUND : nvp_query_fields(reader->handle, round->fields, round->field_count);
    int64_t now_us = nvp__wall_us();
    for (size_t i = 0; i < round->field_count; i++) {
        if (missing || status == NVP_ERROR_NO_MEMORY) {
            nvp_value_set_na(&round->fields[i].value, status);
        }
        hand_out(reader, round, round->first_of_field[i], &round->fields[i].value, now_us, again);
    }
}

nvp_value nvp__ask(const struct nvp__reader *reader, const struct nvp__metric_call *call, int argument)
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

static void ask_calls(struct nvp__reader *reader, const struct nvp__round *round, struct nvp__metric_set *again)
{
    for (unsigned int call = 0; call < NVP__CALL_COUNT; call++) {
        if (round->first_of_call[call] == NVP__NO_METRIC) {
            continue;
        }
        nvp_value value = NVP_VALUE_INIT;
        if (reader->down != NVP_SUCCESS) {
            nvp_value_set_na(&value, reader->down);
        } else {
            value = nvp__ask(reader, &nvp__metric_calls[call], -1);
        }
        hand_out(reader, round, round->first_of_call[call], &value, nvp__wall_us(), again);
        nvp_value_clear(&value);
    }
}

bool nvp__round_ask(struct nvp__reader *reader, const struct nvp__metric_set *set, bool costly, struct nvp__metric_set *again)
{
    struct nvp__round round;
    bool room = make_room(reader, set, &round);
    if (room) {
        collect(reader, set, costly, &round);
        ask_fields(reader, &round, again);
        ask_calls(reader, &round, again);
        nvp__gpm_read(reader, round.gpm, round.gpm_count);
        nvp__read_dependent(reader, set, &round, again);
    }
    free(round.fields);
    free(round.first_of_field);
    return room;
}
