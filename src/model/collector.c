/*
 * A thread that takes a sample at an even pace while a span is under way, and adds it to every such span.
 */
#include <nvpulse/collector.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <nvpulse/sampler.h>

#include "base/clock.h"
#include "base/thread.h"
#include "model/spans.h"

#define DEFAULT_INTERVAL_MS 1000u
#define DEFAULT_TIMEOUT_MS 2000u

struct nvp_collector {
    pid_t process;
    int64_t interval_ns, timeout_ns;
    nvp_sampler *sampler; /* the thread's */

    pthread_mutex_t lock; /* of everything below */
    pthread_cond_t changed;
    bool started, ending, sampling;
    unsigned int users; /* the owner and the thread */
    pthread_t thread;
    int64_t due_ns;         /* when the next sample is to be taken */
    int64_t last_sample_ns; /* when the last one began; 0: there was none */
    struct nvp__spans spans;
};

static void free_memory(nvp_collector *collector)
{
    nvp_sampler_free(collector->sampler);
    nvp__spans_clear(&collector->spans);
    free(collector);
}

/* Called with the lock held, which is given back; the last user frees. */
static void leave(nvp_collector *collector)
{
    bool last = --collector->users == 0;
    pthread_mutex_unlock(&collector->lock);
    if (last) {
        pthread_cond_destroy(&collector->changed);
        pthread_mutex_destroy(&collector->lock);
        free_memory(collector);
    }
}

static bool is_ours(const nvp_collector *collector)
{
    return collector->process == getpid();
}

/* A sampler that also knows the UUIDs, by which devices are told from each other. */
static nvp_status make_sampler(const nvp_snapshot_options *given, nvp_sampler **sampler)
{
    if (given == NULL || given->metrics == NULL || given->struct_size != sizeof(*given)) {
        return nvp_sampler_new(given, sampler);
    }
    nvp_snapshot_options options = *given;
    nvp_metric *metrics = calloc(given->metric_count + 1, sizeof(*metrics));
    if (metrics == NULL) {
        return NVP_ERROR_NO_MEMORY;
    }
    memcpy(metrics, given->metrics, given->metric_count * sizeof(*metrics));
    metrics[options.metric_count++] = NVP_METRIC_IDENTITY_UUID;
    options.metrics = metrics;
    nvp_status status = nvp_sampler_new(&options, sampler);
    free(metrics);
    return status;
}

nvp_status nvp_collector_new(const nvp_collector_options *options, nvp_collector **collector)
{
    const nvp_collector_options defaults = NVP_COLLECTOR_OPTIONS_INIT;
    options = options == NULL ? &defaults : options;
    bool hangs = options->struct_size == sizeof(*options) && options->snapshot != NULL &&
                 (options->snapshot->flags & NVP_SNAPSHOT_OWN_THREAD) != 0; /* nobody could take over */
    if (collector == NULL || options->struct_size != sizeof(*options) || hangs) {
        return NVP_ERROR_BAD_ARGUMENT;
    }
    nvp_collector *made = calloc(1, sizeof(*made));
    if (made == NULL) {
        return NVP_ERROR_NO_MEMORY;
    }
    nvp_status status = make_sampler(options->snapshot, &made->sampler);
    if (status == NVP_SUCCESS && !nvp__condition_make(&made->changed)) {
        nvp_sampler_free(made->sampler);
        status = NVP_ERROR_NO_MEMORY;
    }
    if (status != NVP_SUCCESS) {
        free(made);
        return status;
    }
    unsigned int timeout_ms = options->snapshot == NULL ? 0 : options->snapshot->timeout_ms;
    pthread_mutex_init(&made->lock, NULL); /* cannot fail on Linux without attributes */
    made->process = getpid();
    made->users = 1;
    made->interval_ns = (int64_t)(options->interval_ms == 0 ? DEFAULT_INTERVAL_MS : options->interval_ms) * NVP__NS_PER_MS;
    made->timeout_ns = (int64_t)(timeout_ms == 0 ? DEFAULT_TIMEOUT_MS : timeout_ms) * NVP__NS_PER_MS;
    *collector = made;
    return NVP_SUCCESS;
}

void nvp_collector_free(nvp_collector *collector)
{
    if (collector == NULL) {
        return;
    }
    if (!is_ours(
            collector)) { /* the thread is the parent's: what it was changing cannot be touched, nor what it was waiting for */
        if (pthread_mutex_trylock(&collector->lock) == 0 && !collector->sampling) {
            free_memory(collector);
        }
        return;
    }
    pthread_mutex_lock(&collector->lock);
    collector->ending = true;
    pthread_cond_broadcast(&collector->changed);
    if (collector->started && collector->sampling) {
        pthread_detach(collector->thread);
    } else if (collector->started) {
        pthread_mutex_unlock(&collector->lock);
        pthread_join(collector->thread, NULL);
        pthread_mutex_lock(&collector->lock);
    }
    leave(collector);
}

/* Takes a sample without the lock, and adds it to the spans that had begun before it. */
static void take_sample(nvp_collector *collector)
{
    nvp_snapshot *snapshot = NULL;
    int64_t began_ns = nvp__clock_ns();
    collector->sampling = true;
    collector->last_sample_ns = began_ns;
    pthread_mutex_unlock(&collector->lock);
    nvp_status status = nvp_sampler_sample(collector->sampler, &snapshot);
    pthread_mutex_lock(&collector->lock);
    collector->sampling = false;
    for (size_t i = 0; i < collector->spans.active_count; i++) {
        nvp_collection *span = collector->spans.active[i];
        if (nvp__collection_started_ns(span) <= began_ns) {
            nvp__collection_add(span, status, snapshot, collector->process);
        }
    }
    nvp_snapshot_free(snapshot);
    /* A sample that took too long is not made up for. A span that began meanwhile has asked for one already. */
    int64_t next_ns = began_ns + collector->interval_ns;
    collector->due_ns = collector->due_ns > began_ns && collector->due_ns < next_ns ? collector->due_ns : next_ns;
    collector->ending = collector->ending || status == NVP_ERROR_SHUTTING_DOWN;
    pthread_cond_broadcast(&collector->changed);
}

static void *run(void *argument)
{
    nvp_collector *collector = argument;
    pthread_mutex_lock(&collector->lock);
    while (!collector->ending) {
        if (collector->spans.active_count == 0) {
            pthread_cond_wait(&collector->changed, &collector->lock);
        } else if (nvp__clock_ns() < collector->due_ns) {
            struct timespec due = nvp__timespec_of(collector->due_ns);
            pthread_cond_timedwait(&collector->changed, &collector->lock, &due);
        } else {
            take_sample(collector);
        }
    }
    leave(collector);
    return NULL;
}

static bool start_thread(nvp_collector *collector)
{
    if (collector->started) {
        return true;
    }
    collector->started = nvp__thread_start(&collector->thread, run, collector);
    collector->users += collector->started;
    return collector->started;
}

/* Spans that begin one after the other in no time do not each get a sample. */
static void ask_for_sample(nvp_collector *collector)
{
    int64_t now_ns = nvp__clock_ns();
    int64_t earliest_ns = collector->last_sample_ns == 0 ? now_ns : collector->last_sample_ns + collector->interval_ns / 4;
    int64_t soon_ns = earliest_ns > now_ns ? earliest_ns : now_ns;
    if (collector->spans.active_count == 1 || collector->due_ns > soon_ns || collector->due_ns <= collector->last_sample_ns) {
        collector->due_ns = soon_ns;
    }
    pthread_cond_broadcast(&collector->changed);
}

nvp_status nvp_collector_start(nvp_collector *collector, const char *tag)
{
    if (collector == NULL || !nvp__tag_fits(tag)) {
        return NVP_ERROR_BAD_ARGUMENT;
    }
    if (!is_ours(collector)) {
        return NVP_ERROR_FORKED;
    }
    pthread_mutex_lock(&collector->lock);
    nvp_status status = start_thread(collector) ? nvp__spans_begin(&collector->spans, tag) : NVP_ERROR_NO_MEMORY;
    if (status == NVP_SUCCESS) {
        ask_for_sample(collector);
    }
    pthread_mutex_unlock(&collector->lock);
    return status;
}

nvp_status nvp_collector_stop(nvp_collector *collector, const char *tag)
{
    if (collector == NULL) {
        return NVP_ERROR_BAD_ARGUMENT;
    }
    if (!is_ours(collector)) {
        return NVP_ERROR_FORKED;
    }
    pthread_mutex_lock(&collector->lock);
    bool found = nvp__spans_end(&collector->spans, tag);
    pthread_cond_broadcast(&collector->changed);
    pthread_mutex_unlock(&collector->lock);
    return found ? NVP_SUCCESS : NVP_ERROR_NO_SUCH_FIELD;
}

nvp_status nvp_collector_reset(nvp_collector *collector)
{
    if (collector == NULL) {
        return NVP_ERROR_BAD_ARGUMENT;
    }
    if (!is_ours(collector)) {
        return NVP_ERROR_FORKED;
    }
    pthread_mutex_lock(&collector->lock);
    nvp__spans_begin_anew(&collector->spans);
    ask_for_sample(collector);
    pthread_mutex_unlock(&collector->lock);
    return NVP_SUCCESS;
}

/* Wants a sample now, whatever the interval. Tells the thread once: those who wait for the same sample must not wake each other. */
static void demand_sample(nvp_collector *collector)
{
    if (!collector->sampling && collector->due_ns != 0) {
        collector->due_ns = 0;
        pthread_cond_broadcast(&collector->changed);
    }
}

/* The span, after its first sample or the time-out. Others may begin and end it meanwhile: it is looked for each time. */
static nvp_collection *await_span(nvp_collector *collector, const char *tag)
{
    struct timespec deadline = nvp__timespec_of(nvp__clock_ns() + collector->timeout_ns);
    for (bool waiting = true;;) {
        bool is_active;
        nvp_collection *span = nvp__spans_find(&collector->spans, tag, &is_active);
        if (span == NULL || !is_active || !nvp__collection_is_new(span) || collector->ending || !waiting) {
            return span;
        }
        demand_sample(collector);
        waiting = pthread_cond_timedwait(&collector->changed, &collector->lock, &deadline) == 0;
    }
}

nvp_status nvp_collector_collect(nvp_collector *collector, const char *tag, nvp_collection **collection)
{
    if (collector == NULL || collection == NULL) {
        return NVP_ERROR_BAD_ARGUMENT;
    }
    if (!is_ours(collector)) {
        return NVP_ERROR_FORKED;
    }
    pthread_mutex_lock(&collector->lock);
    nvp_collection *span = await_span(collector, tag);
    nvp_collection *copy = span != NULL ? nvp__collection_copy(span, nvp__clock_ns()) : NULL;
    pthread_mutex_unlock(&collector->lock);
    if (copy == NULL) {
        return span == NULL ? NVP_ERROR_NO_SUCH_FIELD : NVP_ERROR_NO_MEMORY;
    }
    *collection = copy;
    return NVP_SUCCESS;
}
