/*
 * Reads metrics of one device with the fewest driver calls, and remembers what it was told. One thread at a time.
 */
#ifndef NVP_MODEL_READER_H
#define NVP_MODEL_READER_H

#include <nvpulse/metric.h>
#include <nvpulse/nvml.h>

#include "model/metrics.h"

/** A set of metrics. */
struct nvp__metric_set {
    uint64_t words[(NVP_METRIC_COUNT + 63) / 64];
};

static inline void nvp__metric_set_add(struct nvp__metric_set *set, unsigned int metric)
{
    set->words[metric / 64] |= UINT64_C(1) << (metric % 64);
}

static inline void nvp__metric_set_remove(struct nvp__metric_set *set, unsigned int metric)
{
    set->words[metric / 64] &= ~(UINT64_C(1) << (metric % 64));
}

static inline bool nvp__metric_set_has(const struct nvp__metric_set *set, unsigned int metric)
{
    return (set->words[metric / 64] >> (metric % 64) & 1) != 0;
}

/** The first metric of the set that is not below `from`; NVP_METRIC_COUNT when there is none. */
unsigned int nvp__metric_set_next(const struct nvp__metric_set *set, unsigned int from);

/** The two samples that the performance monitor compares; zeroes are a good start. */
struct nvp__gpm {
    uint64_t generation; /* that the samples belong to */
    nvp_status support;  /* whether the device has one; NVP_ERROR_NO_DATA: not asked yet */
    nvmlGpmSample_t older, newer;
    bool has_newer;
};

/** A device as the reader knows it. */
struct nvp__reader {
    nvmlDevice_t handle;
    bool mig;
    uint64_t generation;                    /* that `source` belongs to */
    nvp_status down;                        /* the device can be asked nothing more: lost, needs a reset */
    uint8_t source[NVP_METRIC_COUNT];       /* the source in use; behind the last one: none is supported */
    nvp_reading readings[NVP_METRIC_COUNT]; /* texts and items are owned */
    struct nvp__metric_set fresh;           /* those that were put since their time was set */
    struct {
        double value;
        int64_t at_us;
    } before[NVP_METRIC_COUNT]; /* of counters whose rate is asked for */
    struct nvp__gpm gpm;
};

/** Makes a reader of a device; every reading is N/A (no data). */
void nvp__reader_init(struct nvp__reader *reader, nvmlDevice_t handle, bool mig);

/** Frees texts, items and samples. */
void nvp__reader_clear(struct nvp__reader *reader);

/**
 * Reads the metrics of `set`: one nvmlDeviceGetFieldValues for all field values, one call for all metrics that share it; sources that are not
 * supported in this generation of NVML are passed over. With `costly` also sources that block. May block in the driver. A metric that
 * cannot be read is N/A with the reason. A lost device is asked nothing more in the same read.
 */
void nvp__reader_read(struct nvp__reader *reader, const struct nvp__metric_set *set, bool costly);

/** Gives everything that was read since the last call one time, that of its sample: what was read together has one age. */
void nvp__reader_set_time(struct nvp__reader *reader, int64_t time_us);

/** Puts a list in its place; `items` are taken over. */
void nvp__reader_put_list(struct nvp__reader *reader, unsigned int metric, nvp_reading *items, unsigned int count);

/** Puts a reading that is no list in its place, with a copy of its text. */
void nvp__reader_put(struct nvp__reader *reader, unsigned int metric, nvp_reading reading);

/**
 * The reading of a metric that an answer, or the part of it that the source names, comes to. `scratch` is initialised by the caller; a text of the
 * reading lives as long as `value` and `scratch`.
 */
nvp_reading nvp__reading_of(unsigned int metric, const struct nvp__source *source, const nvp_value *value, nvp_value *scratch,
                            int64_t read_at_us);

/** Reads GPM metrics: `metrics` are `count` metrics whose sources are of kind NVP__BY_GPM. */
void nvp__gpm_read(struct nvp__reader *reader, const unsigned int *metrics, size_t count);
/** Frees the samples. */
void nvp__gpm_clear(struct nvp__gpm *gpm);

/** True for answers that will not change in this generation: the next source is tried. */
bool nvp__is_unsupported(nvp_status status);
/** True when the library in use lacks the function: what is not there needs no line in the log each time that it is looked for. */
bool nvp__is_missing(const char *function);
/** True for answers after which the device is not asked again in the same read. */
bool nvp__is_down(nvp_status status);

#endif
