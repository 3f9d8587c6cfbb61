/*
 * Readings that are made from others: the rate of a counter, the items of a list, whose memory it is.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "model/reading.h"
#include "model/round.h"

#define ITEMS_MAX 64u /* of a list: far more than any device has */

unsigned int nvp__item_count(struct nvp__reader *reader, enum nvp__how how, nvp_status *status)
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
    return number > ITEMS_MAX ? ITEMS_MAX : (unsigned int)number;
}

static bool is_list_source(enum nvp__how how)
{
    return how == NVP__BY_EACH_FAN || how == NVP__BY_EACH_LINK || how == NVP__BY_EACH_LINK_CALL;
}

/* An item of a list: asked for by itself, or in the batch of this round. */
static nvp_reading item_of(struct nvp__reader *reader, const struct nvp__round *round, unsigned int metric, unsigned int item)
{
    const struct nvp__source *source = nvp__source_of(reader, metric);
    nvp_value asked = NVP_VALUE_INIT, scratch = NVP_VALUE_INIT;
    const nvp_value *value = &round->fields[round->next[metric] + item].value;
    if (source->how != NVP__BY_EACH_LINK) {
        asked = nvp__ask(reader, &nvp__metric_calls[source->id], (int)item);
        value = &asked;
    }
    nvp_reading reading = nvp__reading_of(metric, source, value, &scratch, nvp__wall_us());
    nvp_value_clear(&scratch);
    nvp_value_clear(&asked);
    return reading.kind == NVP_KIND_TEXT ? nvp__reading_na(NVP_ERROR_NO_SUCH_FIELD) : reading; /* items own no text */
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
static void read_list(struct nvp__reader *reader, const struct nvp__round *round, unsigned int metric,
                      struct nvp__metric_set *again)
{
    nvp_status status;
    unsigned int count = nvp__item_count(reader, nvp__source_of(reader, metric)->how, &status);
    nvp_reading *items = count > 0 && reader->down == NVP_SUCCESS ? calloc(count, sizeof *items) : NULL;
    if (items == NULL) {
        status = reader->down != NVP_SUCCESS ? reader->down : count > 0 ? NVP_ERROR_NO_MEMORY : status;
        nvp__settle(reader, metric, nvp__reading_na(status), again);
        return;
    }
    for (unsigned int i = 0; i < count; i++) {
        items[i] = item_of(reader, round, metric, i);
    }
    if (!any_value(items, count)) {
        nvp__settle(reader, metric, nvp__reading_na(items[0].status), again);
        free(items);
        return;
    }
    nvp__reader_put_list(reader, metric, items, count);
}

/* The growth of a counter in a second, since the last time that its rate was asked for. */
static void read_rate(struct nvp__reader *reader, unsigned int metric, struct nvp__metric_set *again)
{
    unsigned int counter = nvp__source_of(reader, metric)->id;
    const nvp_reading *now = &reader->readings[counter];
    if (!nvp_reading_has(now)) {
        nvp__settle(reader, metric, nvp__reading_na(now->status), again);
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

static void read_one(struct nvp__reader *reader, nvp_metric metric)
{
    struct nvp__metric_set one = { { 0 } };
    nvp__metric_set_add(&one, metric);
    nvp__reader_read(reader, &one, false);
}

/* Memory that the driver does not tell of, on a device without a BAR1 window: it shares the memory of the host. */
static void derive_unified(struct nvp__reader *reader, const struct nvp__metric_set *set)
{
    if (!nvp__metric_set_has(set, NVP_METRIC_MEMORY_TOTAL_BYTES)) { /* else it was read in this round */
        read_one(reader, NVP_METRIC_MEMORY_TOTAL_BYTES);
    }
    const nvp_reading *total = &reader->readings[NVP_METRIC_MEMORY_TOTAL_BYTES];
    nvp_reading answer = nvp__reading_uint(0, nvp__wall_us());
    if (total->kind == NVP_KIND_NA && total->status != NVML_ERROR_NOT_SUPPORTED) {
        answer = nvp__reading_na(total->status);
    } else if (total->kind == NVP_KIND_NA) {
        read_one(reader, NVP_METRIC_MEMORY_BAR1_TOTAL_BYTES);
        answer.as.uint_value = reader->readings[NVP_METRIC_MEMORY_BAR1_TOTAL_BYTES].status == NVML_ERROR_NOT_SUPPORTED;
    }
    nvp__reader_put(reader, NVP_METRIC_MEMORY_UNIFIED, answer);
}

void nvp__read_dependent(struct nvp__reader *reader, const struct nvp__metric_set *set, const struct nvp__round *round,
                         struct nvp__metric_set *again)
{
    for (unsigned int m = nvp__metric_set_next(set, 0); m < NVP_METRIC_COUNT; m = nvp__metric_set_next(set, m + 1)) {
        const struct nvp__source *source = nvp__source_of(reader, m);
        if (reader->mig || nvp__metric_set_has(again, m)) {
            continue;
        }
        if (source->how == NVP__BY_RATE) {
            read_rate(reader, m, again);
        } else if (is_list_source(source->how)) {
            read_list(reader, round, m, again);
        } else if (m == NVP_METRIC_MEMORY_UNIFIED) {
            derive_unified(reader, set);
        }
    }
}
