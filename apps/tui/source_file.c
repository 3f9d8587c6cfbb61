/*
 * A recording: a snapshot a line. A thread reads it, so that neither a long file nor a slow disk stops the screen: it keeps where each
 * line begins, reads the one that is wanted, and plays. A last line without its end is still being written, and waits for it.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "recording.h"
#include "source.h"

/** Graphs begin with so many snapshots before the one that was jumped to. */
#define BEFORE_MAX 48

/** Longer gaps are shortened to this, in microseconds of the recording. */
#define GAP_MAX_US 10000000

/** So often a file is looked at when the system tells of no changes. */
#define LOOK_MS 1000

#define SPEED_MIN (1.0 / 8)
#define SPEED_MAX 64.0

struct file_source {
    tui_source base;
    pthread_t thread;
    tui_recording *recording; /* of the thread */
    int wake, changes;        /* eventfd; inotify, -1 when there is none */

    pthread_mutex_t mutex; /* for all below */
    bool is_ending, is_paused, has_news, has_request;
    tui_seek request;
    long request_amount;
    double speed;
    tui_position position;
    tui_taken newest;
};

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void ring(int descriptor)
{
    uint64_t one = 1;
    if (write(descriptor, &one, sizeof one) < 0) {
        errno = 0; /* its counter is full: it is readable already */
    }
}

static void quiet(int descriptor)
{
    char bytes[4096];
    while (descriptor >= 0 && read(descriptor, bytes, sizeof bytes) > 0) {
    }
    errno = 0;
}

static void free_taken(tui_taken *taken)
{
    for (size_t i = 0; i < taken->before_count; i++) {
        nvp_snapshot_free(taken->before[i]);
    }
    free(taken->before);
    nvp_snapshot_free(taken->snapshot);
    *taken = (tui_taken){ 0 };
}

/* What the thread knows of where it is. */
struct place {
    size_t at;
    int64_t time_us;
    nvp_snapshot *next; /* the one behind it, read ahead to know when it is due; NULL: not yet */
    size_t next_at;
    int64_t due_ms;
};

static void publish(struct file_source *file, const struct place *place, tui_taken taken)
{
    pthread_mutex_lock(&file->mutex);
    if (file->has_news && !taken.is_jump) { /* the jump was not taken yet, and is made now */
        taken.is_jump = file->newest.is_jump;
        taken.before = file->newest.before;
        taken.before_count = file->newest.before_count;
        file->newest.before = NULL;
        file->newest.before_count = 0;
    }
    free_taken(&file->newest);
    file->newest = taken;
    file->has_news = true;
    file->position.at = place->at;
    file->position.time_us = place->time_us;
    pthread_mutex_unlock(&file->mutex);
    ring(file->base.fd);
}

/* Tells how far the file is known; the screen is woken when someone may want to see it. */
static void publish_count(struct file_source *file)
{
    pthread_mutex_lock(&file->mutex);
    size_t count = tui_recording_count(file->recording);
    bool has_changed = count != file->position.count;
    file->position.count = count;
    file->position.share = tui_recording_share(file->recording);
    pthread_mutex_unlock(&file->mutex);
    if (has_changed && tui_recording_share(file->recording) >= 1) {
        ring(file->base.fd);
    }
}

static void forget_next(struct place *place)
{
    nvp_snapshot_free(place->next);
    place->next = NULL;
}

/* The snapshots before a place, the oldest first. */
static void read_before(const struct file_source *file, size_t at, tui_taken *taken)
{
    size_t count = at < BEFORE_MAX ? at : BEFORE_MAX;
    taken->before = reallocarray(NULL, count + 1, sizeof *taken->before);
    for (size_t i = at - count; taken->before != NULL && i < at; i++) {
        nvp_snapshot *snapshot = tui_recording_read(file->recording, i);
        if (snapshot != NULL) {
            taken->before[taken->before_count++] = snapshot;
        }
    }
}

/* Shows the snapshot at a place, or the nearest one that can be read, first in the direction of `step`. */
static void jump(struct file_source *file, struct place *place, size_t at, int step)
{
    tui_taken taken = { .is_jump = true };
    size_t found = at;
    taken.snapshot = tui_recording_read_near(file->recording, &found, step);
    if (taken.snapshot == NULL) {
        return;
    }
    forget_next(place);
    read_before(file, found, &taken);
    place->at = found;
    place->time_us = nvp_snapshot_time_us(taken.snapshot);
    publish(file, place, taken);
}

static void index_all(struct file_source *file)
{
    while (tui_recording_index(file->recording)) {
    }
    publish_count(file);
}

static void obey(struct file_source *file, struct place *place, tui_seek seek, long amount)
{
    int step = amount < 0 ? -1 : 1;
    size_t count = tui_recording_count(file->recording), at = place->at;
    if (count == 0) {
        return;
    }
    switch (seek) {
    case TUI_SEEK_SAMPLES:
        at = step < 0 ? at - ((size_t)-amount < at ? (size_t)-amount : at) : at + (size_t)amount;
        at = at < count ? at : count - 1;
        break;
    case TUI_SEEK_SECONDS:
        if (step > 0) {
            index_all(file);
        }
        at = tui_recording_find(file->recording, place->time_us + (int64_t)amount * 1000000);
        break;
    case TUI_SEEK_FIRST:
        at = 0;
        break;
    case TUI_SEEK_LAST:
        index_all(file);
        at = tui_recording_count(file->recording) - 1;
        step = -1;
        break;
    }
    if (at != place->at) {
        jump(file, place, at, step);
    }
}

/* Plays: shows the next snapshot when it is due. Returns for how long nothing is due, in milliseconds; -1: for ever. */
static int play(struct file_source *file, struct place *place, double speed)
{
    if (place->next == NULL) {
        place->next_at = place->at + 1;
        place->next = tui_recording_read_ahead(file->recording, &place->next_at);
        if (place->next == NULL) {
            return -1;
        }
        double gap_us = (double)(nvp_snapshot_time_us(place->next) - place->time_us);
        place->due_ms = now_ms() + (int64_t)(fmin(fmax(gap_us, 0), GAP_MAX_US) / speed / 1000);
    }
    int64_t left = place->due_ms - now_ms();
    if (left > 0) {
        return (int)left;
    }
    tui_taken taken = { .snapshot = place->next };
    place->next = NULL;
    place->at = place->next_at;
    place->time_us = nvp_snapshot_time_us(taken.snapshot);
    publish(file, place, taken);
    return 0;
}

/* Waits until something is asked for, the file changes, or `wait_ms` is over. */
static void wait_for_something(struct file_source *file, int wait_ms)
{
    struct pollfd watched[] = { { .fd = file->wake, .events = POLLIN }, { .fd = file->changes, .events = POLLIN } };
    bool looks = file->changes < 0 && (wait_ms < 0 || wait_ms > LOOK_MS);
    poll(watched, 2, looks ? LOOK_MS : wait_ms);
    quiet(file->wake);
    quiet(file->changes);
}

/** What is wanted of the thread. */
struct wish {
    bool is_ending, is_paused, has_request;
    tui_seek request;
    long amount;
    double speed;
};

static struct wish take_wish(struct file_source *file)
{
    pthread_mutex_lock(&file->mutex);
    struct wish wish = {
        file->is_ending, file->is_paused, file->has_request, file->request, file->request_amount, file->speed,
    };
    file->has_request = false;
    file->request_amount = 0;
    pthread_mutex_unlock(&file->mutex);
    return wish;
}

static void *work(void *argument)
{
    struct file_source *file = argument;
    struct place place = { 0 };
    double speed = 1;
    jump(file, &place, 0, 1);
    for (;;) {
        struct wish wish = take_wish(file);
        if (wish.is_ending) {
            break;
        }
        if (wish.has_request) {
            obey(file, &place, wish.request, wish.amount);
        }
        if (wish.speed < speed || wish.speed > speed || wish.is_paused) {
            forget_next(&place); /* it is due at another time now */
            speed = wish.speed;
        }
        bool has_more = tui_recording_index(file->recording);
        publish_count(file);
        if (place.at >= tui_recording_count(file->recording)) { /* the file was cut */
            jump(file, &place, 0, 1);
        }
        int wait_ms = wish.is_paused ? -1 : play(file, &place, wish.speed);
        if (!has_more && wait_ms != 0) {
            wait_for_something(file, wait_ms);
        }
    }
    forget_next(&place);
    return NULL;
}

static bool take(tui_source *source, tui_taken *taken)
{
    struct file_source *file = (struct file_source *)source;
    quiet(file->base.fd);
    pthread_mutex_lock(&file->mutex);
    bool has = file->has_news;
    if (has) {
        *taken = file->newest;
        file->newest = (tui_taken){ 0 };
        file->has_news = false;
    }
    pthread_mutex_unlock(&file->mutex);
    return has;
}

static void set(tui_source *source, uint64_t interval_ms, bool is_paused, tui_scope scope)
{
    struct file_source *file = (struct file_source *)source;
    (void)interval_ms;
    (void)scope;
    pthread_mutex_lock(&file->mutex);
    file->is_paused = is_paused;
    pthread_mutex_unlock(&file->mutex);
    ring(file->wake);
}

static void refresh(tui_source *source)
{
    ring(((struct file_source *)source)->wake);
}

static int64_t overdue_ms(tui_source *source, int *next_ms)
{
    (void)source;
    *next_ms = -1;
    return 0;
}

/* Steps that have not been made yet add up; whatever else is asked for takes their place. */
static void seek(tui_source *source, tui_seek kind, long amount)
{
    struct file_source *file = (struct file_source *)source;
    pthread_mutex_lock(&file->mutex);
    bool adds_up = file->has_request && file->request == kind;
    file->request_amount = adds_up ? file->request_amount + amount : amount;
    file->request = kind;
    file->has_request = true;
    pthread_mutex_unlock(&file->mutex);
    ring(file->wake);
}

static void set_speed(tui_source *source, double factor)
{
    struct file_source *file = (struct file_source *)source;
    pthread_mutex_lock(&file->mutex);
    file->speed = fmin(fmax(file->speed * factor, SPEED_MIN), SPEED_MAX);
    pthread_mutex_unlock(&file->mutex);
    ring(file->wake);
}

static tui_position position(tui_source *source)
{
    struct file_source *file = (struct file_source *)source;
    pthread_mutex_lock(&file->mutex);
    tui_position position = file->position;
    position.speed = file->speed;
    pthread_mutex_unlock(&file->mutex);
    return position;
}

static void discard(struct file_source *file)
{
    free_taken(&file->newest);
    tui_recording_close(file->recording);
    pthread_mutex_destroy(&file->mutex);
    const int descriptors[] = { file->base.fd, file->wake, file->changes };
    for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++) {
        if (descriptors[i] >= 0) {
            close(descriptors[i]);
        }
    }
    free(file);
}

static bool close_file(tui_source *source, unsigned int limit_ms)
{
    struct file_source *file = (struct file_source *)source;
    struct timespec until;
    pthread_mutex_lock(&file->mutex);
    file->is_ending = true;
    pthread_mutex_unlock(&file->mutex);
    ring(file->wake);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(limit_ms % 1000) * 1000000;
    until.tv_sec += (time_t)(limit_ms / 1000) + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (pthread_timedjoin_np(file->thread, NULL, &until) != 0) {
        return false; /* the disk does not answer */
    }
    discard(file);
    return true;
}

static const tui_source_class file_class = {
    .take = take,
    .set = set,
    .refresh = refresh,
    .overdue_ms = overdue_ms,
    .close = close_file,
    .seek = seek,
    .set_speed = set_speed,
    .position = position,
};

tui_source *tui_source_file_open(const char *path, char *message, size_t size)
{
    struct file_source *file = calloc(1, sizeof *file);
    if (file == NULL || (file->recording = tui_recording_open(path, message, size)) == NULL) {
        if (file == NULL) {
            snprintf(message, size, "out of memory");
        }
        free(file);
        return NULL;
    }
    file->base = (tui_source){ &file_class, eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
    file->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    file->changes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (file->changes >= 0 && inotify_add_watch(file->changes, path, IN_MODIFY | IN_CLOSE_WRITE) < 0) {
        close(file->changes);
        file->changes = -1;
    }
    file->speed = 1;
    pthread_mutex_init(&file->mutex, NULL);
    if (file->base.fd < 0 || file->wake < 0 || pthread_create(&file->thread, NULL, work, file) != 0) {
        snprintf(message, size, "%s", strerror(errno));
        discard(file);
        return NULL;
    }
    return &file->base;
}
