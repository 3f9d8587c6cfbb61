/*
 * Tags, and which span is inside which.
 */
#include "model/spans.h"

#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"

#define TAG_LENGTH_MAX 64u
#define PATH_SIZE (NVP__SPANS_ACTIVE_MAX * (TAG_LENGTH_MAX + 1))

bool nvp__tag_fits(const char *tag)
{
    size_t length = tag == NULL ? 0 : strnlen(tag, TAG_LENGTH_MAX + 1);
    if (length == 0 || length > TAG_LENGTH_MAX || memchr(tag, '/', length) != NULL) {
        return false;
    }
    for (size_t at = 0, bytes; at < length; at += bytes) {
        bytes = nvp__utf8_character(tag + at, length - at);
        if (bytes == 0) {
            return false;
        }
    }
    return true;
}

/* Whether `tag` is the whole or the last part of a span's tag. */
static bool is_called(const nvp_collection *collection, const char *tag)
{
    const char *whole = nvp_collection_tag(collection);
    const char *last = strrchr(whole, '/');
    return strcmp(whole, tag) == 0 || (last != NULL && strcmp(last + 1, tag) == 0);
}

/* Takes a span that ended out of the list. */
static nvp_collection *take_stopped(struct nvp__spans *spans, size_t place)
{
    nvp_collection *taken = spans->stopped[place];
    spans->stopped_count--;
    memmove(spans->stopped + place, spans->stopped + place + 1, (spans->stopped_count - place) * sizeof(spans->stopped[0]));
    return taken;
}

/* The span with this whole tag, begun anew, or a new one; NULL when memory ran out. */
static nvp_collection *begin_span(struct nvp__spans *spans, const char *path)
{
    for (size_t i = 0; i < spans->stopped_count; i++) {
        if (strcmp(nvp_collection_tag(spans->stopped[i]), path) == 0) {
            nvp_collection *again = take_stopped(spans, i);
            nvp__collection_clear(again, nvp__clock_ns());
            return again;
        }
    }
    return nvp__collection_new(path, nvp__clock_ns());
}

nvp_status nvp__spans_begin(struct nvp__spans *spans, const char *tag)
{
    char path[PATH_SIZE];
    size_t length = 0;
    if (spans->active_count == NVP__SPANS_ACTIVE_MAX) {
        return NVP_ERROR_BAD_ARGUMENT;
    }
    if (spans->active_count > 0) {
        const char *outer = nvp_collection_tag(spans->active[spans->active_count - 1]);
        length = strlen(outer);
        memcpy(path, outer, length);
        path[length++] = '/';
    }
    memcpy(path + length, tag, strlen(tag) + 1);
    nvp_collection *span = begin_span(spans, path);
    if (span == NULL) {
        return NVP_ERROR_NO_MEMORY;
    }
    spans->active[spans->active_count++] = span;
    return NVP_SUCCESS;
}

/* The innermost span under way with this tag, or the innermost one for NULL: its place and one more; 0 when there is none. */
static size_t find_active(const struct nvp__spans *spans, const char *tag)
{
    size_t place = spans->active_count;
    while (place > 0 && tag != NULL && !is_called(spans->active[place - 1], tag)) {
        place--;
    }
    return place;
}

static void end_innermost(struct nvp__spans *spans)
{
    nvp_collection *span = spans->active[--spans->active_count];
    if (spans->stopped_count == NVP__SPANS_STOPPED_MAX) {
        nvp_collection_free(take_stopped(spans, 0));
    }
    nvp__collection_end(span, nvp__clock_ns());
    spans->stopped[spans->stopped_count++] = span;
}

bool nvp__spans_end(struct nvp__spans *spans, const char *tag)
{
    size_t place = find_active(spans, tag);
    while (place > 0 && spans->active_count >= place) {
        end_innermost(spans);
    }
    return place > 0;
}

nvp_collection *nvp__spans_find(const struct nvp__spans *spans, const char *tag, bool *is_active)
{
    size_t place = find_active(spans, tag);
    *is_active = place > 0;
    if (place > 0) {
        return spans->active[place - 1];
    }
    for (size_t i = spans->stopped_count; i > 0 && tag != NULL; i--) {
        if (is_called(spans->stopped[i - 1], tag)) {
            return spans->stopped[i - 1];
        }
    }
    return NULL;
}

static void forget_stopped(struct nvp__spans *spans)
{
    while (spans->stopped_count > 0) {
        nvp_collection_free(spans->stopped[--spans->stopped_count]);
    }
}

void nvp__spans_begin_anew(struct nvp__spans *spans)
{
    forget_stopped(spans);
    for (size_t i = 0; i < spans->active_count; i++) {
        nvp__collection_clear(spans->active[i], nvp__clock_ns());
    }
}

void nvp__spans_clear(struct nvp__spans *spans)
{
    forget_stopped(spans);
    while (spans->active_count > 0) {
        nvp_collection_free(spans->active[--spans->active_count]);
    }
}
