/*
 * The spans of a collector: those under way, each inside the one before it, and those that have ended. Knows nothing of threads: whoever
 * calls holds the lock of the collector.
 */
#ifndef NVP_MODEL_SPANS_H
#define NVP_MODEL_SPANS_H

#include "model/collection.h"

#define NVP__SPANS_ACTIVE_MAX 32u
#define NVP__SPANS_STOPPED_MAX 64u

/** Zeroes are a good start. */
struct nvp__spans {
    nvp_collection *active[NVP__SPANS_ACTIVE_MAX]; /* the outermost one comes first */
    size_t active_count;
    nvp_collection *stopped[NVP__SPANS_STOPPED_MAX]; /* the one that ended first comes first */
    size_t stopped_count;
};

/** Whether a tag is one of a single span: not empty, not long, valid UTF-8 without '/'. NULL is none. */
bool nvp__tag_fits(const char *tag);

/** Begins a span inside the innermost one; `tag` fits. Returns NVP_SUCCESS, NVP_ERROR_BAD_ARGUMENT or NVP_ERROR_NO_MEMORY. */
nvp_status nvp__spans_begin(struct nvp__spans *spans, const char *tag);

/** Ends a span under way and all inside it; `tag` is the whole tag, its last part, or NULL for the innermost. False when there is none. */
bool nvp__spans_end(struct nvp__spans *spans, const char *tag);

/** The span with this tag, one under way first, then the one that ended last; NULL when there is none. */
nvp_collection *nvp__spans_find(const struct nvp__spans *spans, const char *tag, bool *is_active);

/** Forgets the spans that have ended, and what those under way have collected. */
void nvp__spans_begin_anew(struct nvp__spans *spans);

/** Frees all. */
void nvp__spans_clear(struct nvp__spans *spans);

#endif
