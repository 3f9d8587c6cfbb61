/*
 * What a span of a collector adds up. Knows nothing of threads: whoever adds holds the lock of the collector.
 */
#ifndef NVP_MODEL_COLLECTION_H
#define NVP_MODEL_COLLECTION_H

#include <sys/types.h>

#include <nvpulse/collector.h>

/** An empty span; `tag` is copied. NULL when memory ran out. */
nvp_collection *nvp__collection_new(const char *tag, int64_t now_ns);

/** Begins anew: nothing has been collected. */
void nvp__collection_clear(nvp_collection *collection, int64_t now_ns);

/** Adds an attempt to take a sample; `snapshot` is NULL when it failed. `process` is the one whose use is added up. */
void nvp__collection_add(nvp_collection *collection, nvp_status status, const nvp_snapshot *snapshot, pid_t process);

/** Notes the end of the span. */
void nvp__collection_end(nvp_collection *collection, int64_t now_ns);

/** True while nobody has tried to take a sample. */
bool nvp__collection_is_new(const nvp_collection *collection);

/** On the monotonic clock. */
int64_t nvp__collection_started_ns(const nvp_collection *collection);

/** A copy that ends now, unless it has ended before. NULL when memory ran out. */
nvp_collection *nvp__collection_copy(const nvp_collection *collection, int64_t now_ns);

#endif
