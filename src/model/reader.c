/*
 * What a reader knows, and the rounds of a read: metrics whose source turned out not to be supported go into the next round with their next one.
 */
#include "model/reader.h"

#include <stdlib.h>
#include <string.h>

#include <nvpulse/lifecycle.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "model/reading.h"
#include "model/round.h"

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
    nvp__metric_set_add(&reader->fresh, metric);
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

void nvp__reader_put_list(struct nvp__reader *reader, unsigned int metric, nvp_reading *items, unsigned int count)
{
    drop(&reader->readings[metric]);
    nvp__metric_set_add(&reader->fresh, metric);
    reader->readings[metric] =
        (nvp_reading){ .kind = NVP_KIND_LIST, .count = count, .as.items = items, .read_at_us = nvp__wall_us() };
}

void nvp__reader_set_time(struct nvp__reader *reader, int64_t time_us)
{
    const struct nvp__metric_set *fresh = &reader->fresh;
    for (unsigned int m = nvp__metric_set_next(fresh, 0); m < NVP_METRIC_COUNT; m = nvp__metric_set_next(fresh, m + 1)) {
        nvp_reading *reading = &reader->readings[m];
        reading->read_at_us = time_us;
        for (uint32_t i = 0; reading->kind == NVP_KIND_LIST && i < reading->count; i++) {
            nvp_reading *item = (nvp_reading *)(uintptr_t)&reading->as.items[i]; /* the reader's own */
            item->read_at_us = item->kind == NVP_KIND_NA ? 0 : time_us;
        }
    }
    reader->fresh = (struct nvp__metric_set){ { 0 } };
}

/* Counters whose rate is asked for are read, too. What no source can give any more is left alone: it keeps its reason. */
static struct nvp__metric_set complete(struct nvp__reader *reader, const struct nvp__metric_set *set)
{
    struct nvp__metric_set wanted = { { 0 } };
    for (unsigned int m = nvp__metric_set_next(set, 0); m < NVP_METRIC_COUNT; m = nvp__metric_set_next(set, m + 1)) {
        const struct nvp__source *source = nvp__source_of(reader, m);
        if (source->how == NVP__BY_NOTHING) {
            reader->readings[m].read_at_us = nvp__wall_us();
            nvp__metric_set_add(&reader->fresh, m);
            continue;
        }
        nvp__metric_set_add(&wanted, m);
        if (source->how == NVP__BY_RATE && nvp__source_of(reader, source->id)->how != NVP__BY_NOTHING) {
            nvp__metric_set_add(&wanted, source->id);
        }
    }
    return wanted;
}

static void notice_generation(struct nvp__reader *reader)
{
    uint64_t generation = nvp_generation();
    /* While NVML is closed, what is asked next opens it: that is a new generation, too. */
    if (reader->generation != generation || nvp_get_state() == NVP_STATE_COLD) {
        memset(reader->source, 0, sizeof reader->source);
        memset(reader->before, 0, sizeof reader->before);
        reader->generation = generation;
    }
}

static void fail_all(struct nvp__reader *reader, const struct nvp__metric_set *set, nvp_status status)
{
    for (unsigned int m = nvp__metric_set_next(set, 0); m < NVP_METRIC_COUNT; m = nvp__metric_set_next(set, m + 1)) {
        nvp__reader_put(reader, m, nvp__reading_na(status));
    }
}

void nvp__reader_read(struct nvp__reader *reader, const struct nvp__metric_set *set, bool costly)
{
    notice_generation(reader);
    struct nvp__metric_set wanted = complete(reader, set);
    reader->down = NVP_SUCCESS;
    for (int rounds = 0; rounds <= NVP__SOURCES_MAX && nvp__metric_set_next(&wanted, 0) < NVP_METRIC_COUNT; rounds++) {
        struct nvp__metric_set again = { { 0 } };
        if (!nvp__round_ask(reader, &wanted, costly, &again)) {
            fail_all(reader, &wanted, NVP_ERROR_NO_MEMORY);
        }
        wanted = again;
    }
}
