/*
 * Waking a thread costs more than a quick job does, so there is one thread for all of them, unless the last times say that this takes too
 * long, or the wait shows it: then there are more, twice as many each time. The threads sleep on a condition; nothing wakes them in between.
 * A caller that works with its own hands spares even the one; as long as a job is stuck, it only waits.
 */
#include "base/crew.h"

#include "base/clock.h"
#include "base/thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/** What one thread may take for all jobs before others help; a job that takes as long has a thread of its own. */
#define PATIENCE_NS NVP__NS_PER_MS
/** The same of a caller that works with its own hands: it would rather be spared the threads. */
#define OWN_PATIENCE_NS (10 * NVP__NS_PER_MS)

struct job {
    void (*work)(void *context);
    void (*destroy)(void *context);
    void *context;
    bool is_queued;        /* no thread has taken it yet */
    int64_t busy_since_ns; /* from the request to its end; 0: idle */
    int64_t took_ns;       /* the last time */
    uint64_t asked, done;  /* the run in which it was last asked for, and the one for which it was done */
};

struct worker {
    pthread_t thread;
    bool is_busy;
};

struct nvp__crew {
    pthread_mutex_t lock; /* of everything below */
    pthread_cond_t more;  /* for the threads: a wake-up was given out, or the end has come */
    pthread_cond_t done;  /* for the caller: all jobs of the run are back */
    pid_t process;
    bool is_ending;
    bool is_taken;        /* a caller is in, and not in a job */
    int64_t own_since_ns; /* since when it has been in a job with its own hands; 0: it is not */
    unsigned int users;   /* the owner, the threads, and callers that are in a job */
    struct job *jobs;
    size_t job_count, next; /* next: before it no job is queued */
    struct worker *workers; /* room for one for each job */
    size_t worker_count, sleeping, wake_ups;
    uint64_t run;
    size_t left; /* jobs of the run that are not back */
};

/* A thread has to know its place without a pointer into an array that grows. */
struct beginning {
    struct nvp__crew *crew;
    size_t place;
};

struct nvp__crew *nvp__crew_new(void)
{
    struct nvp__crew *crew = calloc(1, sizeof *crew);
    if (crew == NULL) {
        return NULL;
    }
    if (!nvp__condition_make(&crew->done)) {
        free(crew);
        return NULL;
    }
    pthread_cond_init(&crew->more, NULL); /* neither can fail on Linux without attributes */
    pthread_mutex_init(&crew->lock, NULL);
    crew->users = 1;
    crew->process = getpid();
    return crew;
}

/* For one more job, and a thread of its own. */
static bool make_room(struct nvp__crew *crew)
{
    struct job *jobs = reallocarray(crew->jobs, crew->job_count + 1, sizeof *jobs);
    if (jobs == NULL) {
        return false;
    }
    crew->jobs = jobs;
    struct worker *workers = reallocarray(crew->workers, crew->job_count + 1, sizeof *workers);
    if (workers == NULL) {
        return false;
    }
    crew->workers = workers;
    return true;
}

bool nvp__crew_add(struct nvp__crew *crew, void (*work)(void *context), void (*destroy)(void *context), void *context)
{
    pthread_mutex_lock(&crew->lock);
    bool has_room = make_room(crew);
    if (has_room) {
        crew->jobs[crew->job_count++] = (struct job){ .work = work, .destroy = destroy, .context = context };
    }
    pthread_mutex_unlock(&crew->lock);
    return has_room;
}

static void free_memory(struct nvp__crew *crew)
{
    free(crew->workers);
    free(crew->jobs);
    free(crew);
}

/* Called with the lock held, which is given back; the last user frees. */
static void leave(struct nvp__crew *crew)
{
    bool is_last = --crew->users == 0;
    pthread_mutex_unlock(&crew->lock);
    if (is_last) {
        pthread_cond_destroy(&crew->more);
        pthread_cond_destroy(&crew->done);
        pthread_mutex_destroy(&crew->lock);
        for (size_t i = 0; i < crew->job_count; i++) {
            crew->jobs[i].destroy(crew->jobs[i].context);
        }
        free_memory(crew);
    }
}

/* A thread has taken it and is not back. */
static bool is_under_way(const struct job *job)
{
    return job->busy_since_ns != 0 && !job->is_queued;
}

/* Whether a job is queued: then `next` is the first one. */
static bool find_queued(struct nvp__crew *crew)
{
    while (crew->next < crew->job_count && !crew->jobs[crew->next].is_queued) {
        crew->next++;
    }
    return crew->next < crew->job_count;
}

/* Does the job `next`; the lock is given back meanwhile. */
static void do_next(struct nvp__crew *crew)
{
    size_t number = crew->next++; /* the array may move meanwhile */
    struct job job = crew->jobs[number];
    crew->jobs[number].is_queued = false;
    pthread_mutex_unlock(&crew->lock);
    int64_t began_ns = nvp__clock_ns();
    job.work(job.context);
    int64_t took_ns = nvp__clock_ns() - began_ns;
    pthread_mutex_lock(&crew->lock);
    crew->jobs[number].took_ns = took_ns;
    crew->jobs[number].busy_since_ns = 0;
    crew->jobs[number].done = job.asked;
    if (job.asked == crew->run && --crew->left == 0) {
        pthread_mutex_unlock(&crew->lock); /* or the caller would wake only to wait for it */
        pthread_cond_signal(&crew->done);
        pthread_mutex_lock(&crew->lock);
    }
}

static void sleep_until_woken(struct nvp__crew *crew)
{
    crew->sleeping++;
    while (crew->wake_ups == 0 && !crew->is_ending) {
        pthread_cond_wait(&crew->more, &crew->lock);
    }
    crew->sleeping--;
    crew->wake_ups -= crew->wake_ups > 0;
}

static void *run_worker(void *argument)
{
    struct beginning begin = *(struct beginning *)argument;
    struct nvp__crew *crew = begin.crew;
    free(argument);
    pthread_mutex_lock(&crew->lock);
    while (!crew->is_ending) {
        if (find_queued(crew)) {
            crew->workers[begin.place].is_busy = true;
            do_next(crew);
            crew->workers[begin.place].is_busy = false;
        } else {
            sleep_until_woken(crew);
        }
    }
    leave(crew);
    return NULL;
}

static bool start_worker(struct nvp__crew *crew)
{
    struct beginning *begin = crew->worker_count < crew->job_count ? malloc(sizeof *begin) : NULL;
    if (begin == NULL) {
        return false;
    }
    *begin = (struct beginning){ crew, crew->worker_count };
    struct worker *worker = &crew->workers[crew->worker_count];
    *worker = (struct worker){ .is_busy = false };
    if (!nvp__thread_start(&worker->thread, run_worker, begin)) {
        free(begin);
        return false;
    }
    crew->worker_count++;
    crew->users++;
    return true;
}

/* Sends so many more threads to work, as far as there are any to be had. */
static void send_workers(struct nvp__crew *crew, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (crew->sleeping > crew->wake_ups) {
            crew->wake_ups++;
            pthread_cond_signal(&crew->more);
        } else if (!start_worker(crew)) {
            return;
        }
    }
}

/*
 * Queues what is not under way, what no thread has come to yet since it was last asked for included. Returns how many threads that should
 * take, going by the last time: a job that takes longer than our patience is worth one of its own, and no more.
 */
static size_t queue(struct nvp__crew *crew, size_t first, size_t count, int64_t patience_ns)
{
    int64_t now_ns = nvp__clock_ns(), expected_ns = 0;
    crew->run++;
    crew->left = 0;
    for (size_t i = first; i < first + count; i++) {
        struct job *job = &crew->jobs[i];
        if (is_under_way(job)) {
            continue;
        }
        expected_ns += job->took_ns < patience_ns ? job->took_ns : patience_ns;
        job->busy_since_ns = job->is_queued ? job->busy_since_ns : now_ns;
        job->asked = crew->run;
        job->is_queued = true;
        crew->left++;
    }
    crew->next = crew->next < first ? crew->next : first;
    size_t threads = (size_t)(expected_ns / patience_ns) + 1;
    return threads < crew->left ? threads : crew->left;
}

/* Without a single thread nothing will ever come back: then it was not asked for. */
static void take_back(struct nvp__crew *crew)
{
    for (size_t i = 0; i < crew->job_count; i++) {
        crew->jobs[i].is_queued = false;
        crew->jobs[i].busy_since_ns = 0;
    }
    crew->left = 0;
}

/* Waits for the threads, and sends more where they take too long. */
static void wait_for_all(struct nvp__crew *crew, size_t threads, int64_t deadline_ns)
{
    for (int64_t now_ns = nvp__clock_ns(); crew->left > 0 && now_ns < deadline_ns; now_ns = nvp__clock_ns()) {
        int64_t look_ns = find_queued(crew) && deadline_ns - now_ns > PATIENCE_NS ? now_ns + PATIENCE_NS : deadline_ns;
        struct timespec until = nvp__timespec_of(look_ns);
        if (pthread_cond_timedwait(&crew->done, &crew->lock, &until) != 0 && find_queued(crew)) {
            send_workers(crew, threads);
            threads = threads < crew->job_count ? threads * 2 : threads;
        }
    }
}

/*
 * Does what is queued, with others when that takes too long. While it is in a job another caller may come in, who then goes on alone: false.
 * Called with the lock held, which is given back in that case.
 */
static bool work(struct nvp__crew *crew, int64_t deadline_ns)
{
    uint64_t run = crew->run;
    int64_t now_ns = nvp__clock_ns(), look_ns = now_ns + OWN_PATIENCE_NS;
    crew->users++;
    for (; now_ns < deadline_ns && find_queued(crew); now_ns = nvp__clock_ns()) {
        if (now_ns > look_ns) {
            send_workers(crew, crew->worker_count + 1);
            look_ns = now_ns + PATIENCE_NS;
        }
        crew->is_taken = false;
        crew->own_since_ns = now_ns;
        do_next(crew);
        if (crew->is_taken || crew->run != run || crew->is_ending) {
            leave(crew);
            return false;
        }
        crew->is_taken = true;
    }
    crew->own_since_ns = 0;
    if (find_queued(crew)) {
        send_workers(crew, 1); /* too late for us */
    }
    crew->users--;
    return true;
}

static bool is_any_stuck(const struct nvp__crew *crew)
{
    for (size_t i = 0; i < crew->job_count; i++) {
        if (is_under_way(&crew->jobs[i])) {
            return true;
        }
    }
    return false;
}

bool nvp__crew_enter(struct nvp__crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    bool is_free = !crew->is_taken;
    crew->is_taken = true;
    crew->own_since_ns = is_free ? 0 : crew->own_since_ns;
    pthread_mutex_unlock(&crew->lock);
    return is_free;
}

void nvp__crew_leave(struct nvp__crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    crew->is_taken = false;
    pthread_mutex_unlock(&crew->lock);
}

bool nvp__crew_run(struct nvp__crew *crew, size_t first, size_t count, int64_t deadline_ns, bool own_hands)
{
    pthread_mutex_lock(&crew->lock);
    bool works = own_hands && !is_any_stuck(crew);
    size_t threads = queue(crew, first, count, works ? OWN_PATIENCE_NS : PATIENCE_NS);
    send_workers(crew, works && threads > 0 ? threads - 1 : threads);
    if (works && !work(crew, deadline_ns)) {
        return false;
    }
    if (crew->worker_count == 0) {
        take_back(crew);
    }
    wait_for_all(crew, threads, deadline_ns);
    pthread_mutex_unlock(&crew->lock);
    return true;
}

bool nvp__crew_has_done(struct nvp__crew *crew, size_t job)
{
    pthread_mutex_lock(&crew->lock);
    bool has_done = crew->jobs[job].busy_since_ns == 0 && crew->jobs[job].done == crew->run;
    pthread_mutex_unlock(&crew->lock);
    return has_done;
}

int64_t nvp__crew_busy_since(struct nvp__crew *crew, size_t job)
{
    pthread_mutex_lock(&crew->lock);
    int64_t since_ns = crew->jobs[job].busy_since_ns;
    pthread_mutex_unlock(&crew->lock);
    return since_ns;
}

int64_t nvp__crew_own_since(struct nvp__crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    int64_t since_ns = crew->own_since_ns;
    pthread_mutex_unlock(&crew->lock);
    return since_ns;
}

/* The threads and what they held are the parent's. What a job had in hand is in no state to be freed. */
static void free_in_child(struct nvp__crew *crew)
{
    for (size_t i = 0; i < crew->job_count; i++) {
        if (crew->jobs[i].busy_since_ns == 0) {
            crew->jobs[i].destroy(crew->jobs[i].context);
        }
    }
    free_memory(crew);
}

void nvp__crew_free(struct nvp__crew *crew)
{
    if (crew == NULL) {
        return;
    }
    if (crew->process != getpid()) {
        free_in_child(crew);
        return;
    }
    pthread_mutex_lock(&crew->lock);
    crew->is_ending = true;
    pthread_cond_broadcast(&crew->more);
    for (size_t i = 0; i < crew->worker_count; i++) {
        struct worker worker = crew->workers[i];
        if (worker.is_busy) {
            pthread_detach(worker.thread);
            continue;
        }
        pthread_mutex_unlock(&crew->lock); /* it ends without beginning anything more */
        pthread_join(worker.thread, NULL);
        pthread_mutex_lock(&crew->lock);
    }
    leave(crew);
}
