/*
 * Collects in the background: mean, smallest, largest and last value of each metric over spans of a program's run that it names, such as
 * the epochs of a training. Spans nest: "train", and in it "epoch", is "train/epoch".
 * Everything here is safe from any thread and waits for no driver, but for what nvp_collector_collect() says. After fork() a collector of the
 * parent can only be freed in the child; everything else answers NVP_ERROR_FORKED.
 */
#ifndef NVPULSE_COLLECTOR_H
#define NVPULSE_COLLECTOR_H

#include <stddef.h>
#include <stdint.h>

#include <nvpulse/snapshot.h>

NVP_BEGIN_DECLS

/** A collector; opaque. */
typedef struct nvp_collector nvp_collector;

/** What was collected over a span; opaque, and never changed once it is given out. */
typedef struct nvp_collection nvp_collection;

/** How to collect. NULL, or all zero but struct_size: once in a second, what a snapshot has by default. */
typedef struct nvp_collector_options {
    size_t struct_size;       /**< sizeof(nvp_collector_options) */
    unsigned int interval_ms; /**< from one sample to the next, in milliseconds; 0: 1000 */
    const nvp_snapshot_options *
        snapshot; /**< metrics, flags and time-out; copied; NULL: the defaults of a snapshot. NVP_SNAPSHOT_OWN_THREAD is refused */
} nvp_collector_options;

#define NVP_COLLECTOR_OPTIONS_INIT { sizeof(nvp_collector_options), 0, NULL }

/**
 * Makes a collector. Its thread begins with the first span and samples only while there is one; it does not keep the process from ending.
 * Returns NVP_SUCCESS, NVP_ERROR_BAD_ARGUMENT or NVP_ERROR_NO_MEMORY. Does not open NVML.
 */
NVP_API nvp_status nvp_collector_new(const nvp_collector_options *options, nvp_collector **collector);

/** Ends the thread and frees, at once: a thread inside the driver is left behind and ends when its call returns. NULL is allowed. */
NVP_API void nvp_collector_free(nvp_collector *collector);

/**
 * Begins a span inside the innermost one, and soon takes its first sample. A span that ended before begins anew under its name.
 *
 * @param tag  not empty, at most 64 bytes of UTF-8, without '/'
 * Returns NVP_SUCCESS; NVP_ERROR_BAD_ARGUMENT, also for the 33rd span inside another; NVP_ERROR_NO_MEMORY; NVP_ERROR_FORKED.
 */
NVP_API nvp_status nvp_collector_start(nvp_collector *collector, const char *tag);

/**
 * Ends a span, and all that are inside it. What it collected is kept until it begins anew, or until 64 more have ended.
 *
 * @param tag  "epoch", or the whole "train/epoch"; NULL for the innermost one
 * Returns NVP_SUCCESS; NVP_ERROR_NO_SUCH_FIELD when no such span is under way; NVP_ERROR_BAD_ARGUMENT; NVP_ERROR_FORKED.
 */
NVP_API nvp_status nvp_collector_stop(nvp_collector *collector, const char *tag);

/** Forgets what was collected; spans under way begin anew now. Returns NVP_SUCCESS, NVP_ERROR_BAD_ARGUMENT or NVP_ERROR_FORKED. */
NVP_API nvp_status nvp_collector_reset(nvp_collector *collector);

/**
 * Gives what a span has collected so far, or had collected when it ended. Waits for the first sample of a span under way that has none
 * yet, no longer than the time-out of the options (2 seconds by default). A span that ended before its first sample has none.
 *
 * @param tag         as for nvp_collector_stop(); spans under way are looked for first, then the one that ended last
 * @param collection  freed by the caller with nvp_collection_free(); it is independent of the collector
 * Returns NVP_SUCCESS; NVP_ERROR_NO_SUCH_FIELD when there is no such span; NVP_ERROR_BAD_ARGUMENT; NVP_ERROR_NO_MEMORY; NVP_ERROR_FORKED.
 */
NVP_API nvp_status nvp_collector_collect(nvp_collector *collector, const char *tag, nvp_collection **collection);

/** Frees a collection with all that was read from it. NULL is allowed. */
NVP_API void nvp_collection_free(nvp_collection *collection);

/**
 * A metric over a span. Counted is each value that was read anew; N/A is not, nor is a device that is not OK. The first
 * value may be older than the span where a metric is read less often than samples are taken. Samples are taken at an even pace, so the mean
 * over the values is that over the time, gaps left out.
 */
typedef struct nvp_statistic {
    uint64_t count;      /**< values; 0: everything else is 0, too */
    double mean;         /**< of the values, in the unit of the metric like all that follows */
    double min;          /**< smallest value */
    double max;          /**< largest value */
    double first;        /**< first value */
    double last;         /**< last value */
    double delta;        /**< of a counter its growth from the first to the last value, resets left out; else last - first */
    int64_t first_at_us; /**< when the first value was read, in microseconds since 1970 */
    int64_t last_at_us;  /**< when the last value was read */
} nvp_statistic;

/** A device of a collection. */
typedef struct nvp_collected_device {
    unsigned int index;     /**< of the GPU; of the parent for a MIG device; as it was last */
    int mig_index;          /**< of the MIG device below its GPU; -1 for a GPU */
    const char *uuid;       /**< "" when the driver would not tell */
    nvp_device_state state; /**< how it stood in the last sample */
} nvp_collected_device;

/** The whole tag, such as "train/epoch". Lives as long as the collection, as does everything below. */
NVP_API const char *nvp_collection_tag(const nvp_collection *collection);
/** When the span began, in microseconds since 1970. */
NVP_API int64_t nvp_collection_started_at_us(const nvp_collection *collection);
/** From the beginning of the span to its end, or to the moment at which this was collected, in seconds. */
NVP_API double nvp_collection_duration_s(const nvp_collection *collection);
/** How many samples were taken. */
NVP_API uint64_t nvp_collection_sample_count(const nvp_collection *collection);
/** Whether the last attempt to take a sample succeeded, or why not: NVP_ERROR_NO_DATA when there was none. */
NVP_API nvp_status nvp_collection_status(const nvp_collection *collection);
/** The number of devices that were seen, those included that have gone meanwhile. */
NVP_API size_t nvp_collection_device_count(const nvp_collection *collection);
/** Device `place` from 0, in the order in which they were seen first; NULL past the end. */
NVP_API const nvp_collected_device *nvp_collection_device(const nvp_collection *collection, size_t place);
/** A metric of a device; NULL past the end, for labels and for lists, which have no mean. For states it is that of their number. */
NVP_API const nvp_statistic *nvp_collection_metric(const nvp_collection *collection, size_t place, nvp_metric metric);
/** What the calling program itself used of a device: GPU memory, utilization, CPU and host memory; NULL past the end and for other fields. */
NVP_API const nvp_statistic *nvp_collection_process(const nvp_collection *collection, size_t place, nvp_process_field field);
/** A field of the host; NULL for those that are text. */
NVP_API const nvp_statistic *nvp_collection_host(const nvp_collection *collection, nvp_host_field field);

NVP_END_DECLS

#endif
