/*
 * A thread owns the samplers, asks the devices itself, and hands the newest snapshot over. When it hangs in the driver another one takes its
 * place, which leaves the device that hangs alone; the first one ends once it is let go.
 * Two samplers, since rates are those between two looks of the same one: a brief one, and a full one from when it is first wanted.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <nvpulse/driver.h>
#include <nvpulse/lifecycle.h>
#include <nvpulse/sampler.h>

#include "source.h"

/** A device that takes longer counts as stalled; the screen has to go on for the others. */
#define DEVICE_TIMEOUT_MS 1000

/** Lateness that is not worth a word. */
#define GRACE_MS 1500

/** Opening NVML may take that long where the driver has to wake many GPUs first. */
#define OPENING_MS 16000

/* What the overview shows and history keeps, and what tells one device from another; conditions of alerts bring their own. */
static const nvp_metric brief[] = {
    NVP_METRIC_IDENTITY_NAME,
    NVP_METRIC_IDENTITY_UUID,
    NVP_METRIC_IDENTITY_PCI_BUS_ID,
    NVP_METRIC_UTILIZATION_GPU_PERCENT,
    NVP_METRIC_MEMORY_USED_BYTES,
    NVP_METRIC_MEMORY_TOTAL_BYTES,
    NVP_METRIC_MEMORY_UNIFIED,
    NVP_METRIC_TEMPERATURE_GPU_C,
    NVP_METRIC_TEMPERATURE_SLOWDOWN_THRESHOLD_C,
    NVP_METRIC_POWER_DRAW_MW,
    NVP_METRIC_POWER_ENFORCED_LIMIT_MW,
    NVP_METRIC_FAN_SPEED_PERCENT,
    NVP_METRIC_CLOCKS_SM_MHZ,
    NVP_METRIC_CLOCKS_PERFORMANCE_STATE,
    NVP_METRIC_PCIE_RX_BYTES_PER_S,
    NVP_METRIC_PCIE_TX_BYTES_PER_S,
    NVP_METRIC_MIG_MODE,
};

struct live {
    tui_source base;
    nvp_sampler *samplers[2]; /* by scope; of the thread whose turn it is */
    nvp_metric *metrics;      /* those of the brief scope, the same */
    size_t metric_count;

    pthread_mutex_t mutex; /* for all below */
    pthread_cond_t changed;
    pthread_t thread;       /* whose turn it is */
    unsigned int turn;      /* of how many threads it is the last */
    unsigned int left_over; /* threads whose turn is over and that hang still */
    uint64_t interval_ms;
    tui_scope scope;
    nvp_sampler *busy; /* the one that is taking a sample */
    bool is_paused, is_ending, is_wanted_now, is_busy, has_news, is_readable, has_sampled;
    int64_t due_ms; /* when the next sample begins, or the one under way began */
    tui_taken newest;
};

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static nvp_sampler *sampler_for(struct live *live, tui_scope scope)
{
    nvp_snapshot_options options = NVP_SNAPSHOT_OPTIONS_INIT;
    options.timeout_ms = DEVICE_TIMEOUT_MS;
    options.flags = NVP_SNAPSHOT_OWN_THREAD;
    if (scope == TUI_SCOPE_BRIEF) {
        options.metrics = live->metrics;
        options.metric_count = live->metric_count;
        options.flags |= NVP_SNAPSHOT_PACED;
    }
    if (live->samplers[scope] == NULL && nvp_sampler_new(&options, &live->samplers[scope]) != NVP_SUCCESS) {
        live->samplers[scope] = NULL;
    }
    return live->samplers[scope];
}

/* One sample; the mutex is held, but not meanwhile. */
static tui_taken sample(struct live *live)
{
    tui_taken taken = { .status = NVP_ERROR_NO_MEMORY };
    nvp_sampler *sampler = sampler_for(live, live->scope);
    live->busy = sampler;
    live->is_wanted_now = false;
    live->is_busy = true;
    live->due_ms = now_ms();
    pthread_mutex_unlock(&live->mutex);
    if (sampler != NULL) {
        taken.status = nvp_sampler_sample(sampler, &taken.snapshot);
    }
    pthread_mutex_lock(&live->mutex);
    return taken;
}

/* Makes the descriptor readable; the mutex is held. */
static void wake(struct live *live)
{
    uint64_t one = 1;
    live->is_readable = write(live->base.fd, &one, sizeof one) == (ssize_t)sizeof one || live->is_readable;
}

static void publish(struct live *live, tui_taken taken)
{
    nvp_snapshot_free(live->newest.snapshot);
    live->newest = taken;
    live->has_news = true;
    wake(live);
}

/* The first sample may take long, or for ever: that the machine is a simulated one is said before it. */
static void tell_simulation(struct live *live)
{
    nvp_driver_info driver = NVP_DRIVER_INFO_INIT;
    if (nvp_driver_find() == NVP_SUCCESS && nvp_driver_get_info(&driver) == NVP_SUCCESS && driver.simulated) {
        pthread_mutex_lock(&live->mutex);
        wake(live);
        pthread_mutex_unlock(&live->mutex);
    }
}

/* Waits, with the mutex held, until a sample is due; false when the thread is to end. */
static bool wait_until_due(struct live *live)
{
    while (!live->is_ending) {
        int64_t left = live->due_ms - now_ms();
        if (live->is_wanted_now || (!live->is_paused && left <= 0)) {
            return true;
        }
        if (live->is_paused) {
            pthread_cond_wait(&live->changed, &live->mutex);
        } else {
            struct timespec until = { live->due_ms / 1000, live->due_ms % 1000 * 1000000 };
            pthread_cond_timedwait(&live->changed, &live->mutex, &until);
        }
    }
    return false;
}

/* Takes samples as long as it is this thread's turn; the mutex is held. */
static void take_turn(struct live *live, unsigned int turn)
{
    while (turn == live->turn && wait_until_due(live)) {
        tui_taken taken = sample(live);
        if (turn != live->turn) {
            nvp_snapshot_free(taken.snapshot);
            return;
        }
        live->is_busy = false;
        live->busy = NULL;
        live->has_sampled = live->has_sampled || taken.snapshot != NULL;
        int64_t now = now_ms(), next = live->due_ms + (int64_t)live->interval_ms;
        live->due_ms = next > now ? next : now + (int64_t)live->interval_ms; /* samples that were missed are left out */
        bool is_shut_out =
            live->has_sampled && taken.status == NVP_ERROR_TIMED_OUT; /* the one before was let go at that moment */
        if (!is_shut_out) {
            publish(live, taken);
        }
    }
}

static void *work(void *argument)
{
    struct live *live = argument;
    pthread_mutex_lock(&live->mutex);
    unsigned int turn = live->turn;
    pthread_mutex_unlock(&live->mutex);
    if (turn == 1) {
        tell_simulation(live);
    }
    pthread_mutex_lock(&live->mutex);
    take_turn(live, turn);
    bool is_last = turn == live->turn;
    live->left_over -= !is_last;
    pthread_mutex_unlock(&live->mutex);
    if (is_last) {
        nvp_sampler_free(live->samplers[TUI_SCOPE_BRIEF]);
        nvp_sampler_free(live->samplers[TUI_SCOPE_FULL]);
    }
    return NULL;
}

/* Starts the next thread; the mutex is held, so it finds its own number. */
static bool start(struct live *live)
{
    pthread_t thread;
    live->turn++;
    if (pthread_create(&thread, NULL, work, live) != 0) {
        live->turn--;
        return false;
    }
    live->thread = thread;
    return true;
}

/* The thread has been in the driver for too long: the next one does without it. The mutex is held. */
static void take_over(struct live *live)
{
    pthread_t stuck = live->thread;
    if (start(live)) {
        pthread_detach(stuck);
        live->left_over++;
        live->is_busy = false;
        live->busy = NULL;
        live->is_wanted_now = true;
    }
}

static bool take(tui_source *source, tui_taken *taken)
{
    struct live *live = (struct live *)source;
    uint64_t count;
    pthread_mutex_lock(&live->mutex);
    bool has = live->has_news;
    if (has) {
        *taken = live->newest;
        live->newest = (tui_taken){ .status = NVP_SUCCESS };
        live->has_news = false;
    }
    if (live->is_readable) {
        live->is_readable = read(live->base.fd, &count, sizeof count) < 0 && errno == EINTR;
    }
    pthread_mutex_unlock(&live->mutex);
    return has;
}

static void set(tui_source *source, uint64_t interval_ms, bool is_paused, tui_scope scope)
{
    struct live *live = (struct live *)source;
    pthread_mutex_lock(&live->mutex);
    int64_t soonest = now_ms() + (int64_t)interval_ms;
    if (!live->is_busy && (live->due_ms > soonest || interval_ms != live->interval_ms)) {
        live->due_ms = soonest;
    }
    if (scope != live->scope || (live->is_paused && !is_paused)) {
        live->is_wanted_now = true;
    }
    live->interval_ms = interval_ms;
    live->is_paused = is_paused;
    live->scope = scope;
    pthread_cond_signal(&live->changed);
    pthread_mutex_unlock(&live->mutex);
}

static void refresh(tui_source *source)
{
    struct live *live = (struct live *)source;
    pthread_mutex_lock(&live->mutex);
    live->is_wanted_now = true;
    pthread_cond_signal(&live->changed);
    pthread_mutex_unlock(&live->mutex);
}

/* How long a thread may wait for one device. One that hangs stops only one thread, even for good: it is left alone then. */
static int64_t patience_ms(void)
{
    return nvp_get_state() == NVP_STATE_OPEN ? DEVICE_TIMEOUT_MS : OPENING_MS;
}

/* A sample that comes in time wakes the screen before this does; so only lateness costs a wake-up, one each second. */
static int64_t overdue_ms(tui_source *source, int *next_ms)
{
    struct live *live = (struct live *)source;
    pthread_mutex_lock(&live->mutex);
    int64_t hanging = nvp_sampler_hanging_ms(live->busy), left = patience_ms() - hanging;
    if (left <= 0) {
        take_over(live);
    }
    int64_t late = now_ms() - live->due_ms;
    bool is_owed = live->is_busy || live->is_wanted_now || !live->is_paused;
    pthread_mutex_unlock(&live->mutex);
    if (!is_owed || late < -INT_MAX / 2) {
        *next_ms = -1;
        return 0;
    }
    int64_t limit = late < DEVICE_TIMEOUT_MS ? DEVICE_TIMEOUT_MS : GRACE_MS, next = late < limit ? limit - late : 1000;
    *next_ms = (int)(hanging > 0 && left > 0 && left < next ? left : next) + 1;
    return late < GRACE_MS ? 0 : late;
}

static bool join(struct live *live, unsigned int limit_ms)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(limit_ms % 1000) * 1000000;
    until.tv_sec += (time_t)(limit_ms / 1000) + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return pthread_timedjoin_np(live->thread, NULL, &until) == 0;
}

static void discard(struct live *live)
{
    nvp_snapshot_free(live->newest.snapshot);
    pthread_cond_destroy(&live->changed);
    pthread_mutex_destroy(&live->mutex);
    close(live->base.fd);
    free(live->metrics);
    free(live);
}

static bool close_live(tui_source *source, unsigned int limit_ms)
{
    struct live *live = (struct live *)source;
    pthread_mutex_lock(&live->mutex);
    live->is_ending = true;
    pthread_cond_signal(&live->changed);
    pthread_mutex_unlock(&live->mutex);
    if (!join(live, limit_ms)) {
        return false; /* it uses all of this, still */
    }
    pthread_mutex_lock(&live->mutex);
    bool is_used = live->left_over > 0;
    pthread_mutex_unlock(&live->mutex);
    if (!is_used) {
        discard(live);
    }
    return !is_used;
}

static const tui_source_class live_class = {
    .take = take,
    .set = set,
    .refresh = refresh,
    .overdue_ms = overdue_ms,
    .close = close_live,
};

/* The metrics of the brief scope and those beside them, each once. */
static bool choose_metrics(struct live *live, const nvp_metric *metrics, size_t count)
{
    bool is_chosen[NVP_METRIC_COUNT] = { false };
    live->metrics = reallocarray(NULL, NVP_METRIC_COUNT, sizeof *live->metrics);
    if (live->metrics == NULL) {
        return false;
    }
    for (size_t i = 0; i < sizeof brief / sizeof *brief + count; i++) {
        nvp_metric metric = i < sizeof brief / sizeof *brief ? brief[i] : metrics[i - sizeof brief / sizeof *brief];
        if (metric < NVP_METRIC_COUNT && !is_chosen[metric]) {
            is_chosen[metric] = true;
            live->metrics[live->metric_count++] = metric;
        }
    }
    return true;
}

tui_source *tui_source_live_open(uint64_t interval_ms, const nvp_metric *metrics, size_t metric_count)
{
    struct live *live = calloc(1, sizeof *live);
    if (live == NULL) {
        return NULL;
    }
    pthread_condattr_t clock;
    live->base = (tui_source){ &live_class, eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
    live->interval_ms = interval_ms;
    live->due_ms = now_ms();
    pthread_mutex_init(&live->mutex, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&live->changed, &clock);
    pthread_condattr_destroy(&clock);
    bool is_ready = choose_metrics(live, metrics, metric_count) && live->base.fd >= 0;
    pthread_mutex_lock(&live->mutex);
    is_ready = is_ready && start(live);
    pthread_mutex_unlock(&live->mutex);
    if (!is_ready) {
        discard(live);
        return NULL;
    }
    return &live->base;
}
