/*
 * The tables of metrics and calls as the planner reads them.
 */
#ifndef NVP_MODEL_METRICS_H
#define NVP_MODEL_METRICS_H

#include <nvpulse/metric.h>

/** The calls of calls.def. */
enum nvp__call_id {
#define NVP_METRIC_CALL(id, ...) NVP__CALL_##id,
#include "model/calls.def"
    NVP__CALL_COUNT,
    NVP__CALL_NONE = NVP__CALL_COUNT
};

struct nvp__metric_call {
    const char *function;
    bool mig; /* a MIG device can be asked */
    unsigned int argument_count;
    unsigned int arguments[3]; /* behind the device */
};

extern const struct nvp__metric_call nvp__metric_calls[NVP__CALL_COUNT];

enum nvp__how {
    NVP__BY_NOTHING = 0,   /* ends the list of sources */
    NVP__BY_FIELD,         /* `id`: field id, with `scope`; the number times `factor` */
    NVP__BY_CALL,          /* `id`: call; the result, or its member; times `factor` */
    NVP__BY_BIT,           /* `id`: call; bit `scope` of the result */
    NVP__BY_RATE,          /* `id`: metric, a counter; its growth in a second */
    NVP__BY_EVENT,         /* `id`: nvp__event_value */
    NVP__BY_GPM,           /* `id`: metric id of GPM */
    NVP__BY_DERIVING,      /* `id`: call, or none; `scope`: nvp__derivation */
    NVP__BY_EACH_FAN,      /* `id`: call */
    NVP__BY_EACH_LINK,     /* `id`: field id with the link as scope; times `factor` */
    NVP__BY_EACH_LINK_CALL /* `id`: call with the link as argument */
};

enum nvp__event_value { NVP__EVENT_XID_COUNT, NVP__EVENT_LAST_XID, NVP__EVENT_LAST_XID_AT };
enum nvp__derivation { NVP__DERIVE_COMPUTE_CAPABILITY, NVP__DERIVE_UNIFIED };

struct nvp__source {
    enum nvp__how how;
    unsigned int id, scope, factor;
    const char *member; /* of a struct that a call answers; NULL: the answer itself */
    bool costly;        /* only when the metric was asked for by name */
};

#define NVP__SOURCES_MAX 2

struct nvp__metric {
    nvp_metric_info info;
    struct nvp__source sources[NVP__SOURCES_MAX + 1];
    int words; /* enum nvp__words */
};

extern const struct nvp__metric nvp__metrics[NVP_METRIC_COUNT];

/** Whether numbers of the metric stand for words; `metric` is a valid one. */
bool nvp__metric_has_words(nvp_metric metric);

#endif
