/*
 * How groups of readings stand in the JSON of a snapshot: the metrics of a device, the fields of the host, those of a process. Writer and
 * reader both go by this, so that they agree. Reserved beside the names of fields: "read_at_us", "na", "ages_us".
 */
#ifndef NVP_MODEL_FORM_H
#define NVP_MODEL_FORM_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include <nvpulse/snapshot.h>

#define NVP__SNAPSHOT_SCHEMA "nvpulse.snapshot/1"

/** What a number is written as. */
enum nvp__style {
    NVP__AS_NUMBER,
    NVP__AS_WORD, /* of a metric, where it has one */
    NVP__AS_BOOL, /* where it is 0 or 1 */
    NVP__AS_TYPES /* NVP_PROCESS_TYPE_... as a list of words */
};

struct nvp__form {
    unsigned int count;
    const char *(*name)(unsigned int field);
    bool (*find)(const char *name, unsigned int *field);
    unsigned int (*kinds)(unsigned int field); /* that its value may be of; with NVP_KIND_LIST a list of the others */
    enum nvp__style (*style)(unsigned int field);
    bool (*is_of_host)(unsigned int field); /* read with the host: by the second of the base times */
    bool na_has_time;                       /* N/A was asked for with the rest, too */
};

extern const struct nvp__form nvp__form_metrics, nvp__form_host, nvp__form_process;

/** When the readings of a group were made, if their ages do not say otherwise; and the moment that ages count back from. */
struct nvp__base_times {
    int64_t read_at_us, host_read_at_us, now_us;
};

static inline int64_t nvp__base_time(const struct nvp__form *form, unsigned int field, struct nvp__base_times times)
{
    return form->is_of_host(field) ? times.host_read_at_us : times.read_at_us;
}

/** When a reading was made, if its age does not say otherwise; `base_us` is that of its group or of its list. */
static inline int64_t nvp__usual_time(const nvp_reading *reading, bool na_has_time, int64_t base_us)
{
    return reading->kind == NVP_KIND_NA && !na_has_time ? 0 : base_us;
}

/** JSON has no place for it: N/A, or a number that is none. */
static inline bool nvp__form_is_null(const nvp_reading *reading)
{
    return reading->kind == NVP_KIND_NA || (reading->kind == NVP_KIND_REAL && !isfinite(reading->as.real_value));
}

/** Never asked: what the reader takes for granted when it finds nothing. */
static inline bool nvp__form_is_left_out(const nvp_reading *reading)
{
    return reading->kind == NVP_KIND_NA && reading->status == NVP_ERROR_NO_DATA && reading->read_at_us == 0;
}

/** The words of NVP__AS_TYPES, in the order of their bits from bit 0. */
#define NVP__TYPE_COUNT 3u
extern const char *const nvp__type_words[NVP__TYPE_COUNT];

#endif
