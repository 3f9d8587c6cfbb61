/*
 * One round of a read: what the sources in use need, each thing asked for once. Only the reader uses this.
 */
#ifndef NVP_MODEL_ROUND_H
#define NVP_MODEL_ROUND_H

#include <nvpulse/query.h>

#include "model/reader.h"

#define NVP__NO_METRIC 0xffffu

/** What a round asks: chains of metrics behind each call and each field. */
struct nvp__round {
    uint16_t first_of_call[NVP__CALL_COUNT];
    uint16_t next[NVP_METRIC_COUNT]; /* in the chain of a call or of a field; of a list: its first field */
    nvp_field *fields;               /* room for all that can be wanted */
    uint16_t *first_of_field;
    size_t field_count;
    unsigned int links; /* items of a list of links */
    unsigned int gpm[NVP_METRIC_COUNT];
    size_t gpm_count;
};

/** The source of a metric that is in use. */
static inline const struct nvp__source *nvp__source_of(const struct nvp__reader *reader, unsigned int metric)
{
    return &nvp__metrics[metric].sources[reader->source[metric]];
}

/** Asks for all metrics of `set`; those that have to be asked of their next source go to `again`. False when memory ran out. */
bool nvp__round_ask(struct nvp__reader *reader, const struct nvp__metric_set *set, bool costly, struct nvp__metric_set *again);

/** Puts an answer into its place, or turns to the next source when this one is not supported; then the metric goes to `again`. */
void nvp__settle(struct nvp__reader *reader, unsigned int metric, nvp_reading reading, struct nvp__metric_set *again);

/** Asks a call; `argument` takes the place of its arguments when it is not negative. Clear the result. */
nvp_value nvp__ask(const struct nvp__reader *reader, const struct nvp__metric_call *call, int argument);

/** The number of items of a list: fans or links; 0 with a status when it cannot be known. */
unsigned int nvp__item_count(struct nvp__reader *reader, enum nvp__how how, nvp_status *status);

/** Reads what is made from other readings: rates, lists, whether memory is unified. Comes last in a round. */
void nvp__read_dependent(struct nvp__reader *reader, const struct nvp__metric_set *set, const struct nvp__round *round,
                         struct nvp__metric_set *again);

#endif
