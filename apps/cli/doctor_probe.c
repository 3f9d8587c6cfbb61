/*
 * A process for each check, not a thread: a thread that hangs inside the kernel keeps its whole process from ending, and one that
 * crashes takes it along, while a child can be killed, or left behind when even that does not help. Nothing here touches
 * the driver, so the fork is safe: the parent has one thread and an unopened library.
 * A child writes into memory that it shares with the parent, so that what it found before it hung or crashed is kept.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "doctor_probe.h"

/** How long a child that was killed may take to end; one that is stuck in the kernel never does. */
#define PATIENCE_NS UINT64_C(200000000)
/** Of what a check writes to its standard output and error, so much is kept. */
#define SAID_MAX (64 * 1024)

struct doctor_trace {
    _Atomic uint64_t begun_ns; /* when the call began; relaxed: nothing else depends on it */
    atomic_bool done;          /* stored with release after the result */
    char call[96];
};

/** What parent and child share: the trace, and the result behind it. */
struct shared {
    doctor_trace trace;
    _Alignas(max_align_t) unsigned char result[];
};

/** A child that runs, seen from the parent. */
struct child {
    pid_t pid;
    int alive, output; /* reading ends of pipes: the first ends with the child, the second carries what it writes; -1: closed */
    struct shared *shared;
    size_t shared_size;
    char *said;
    size_t said_length;
    bool late;
};

#define CHILD_NONE { -1, -1, -1, NULL, 0, NULL, 0, false }

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void doctor_trace_call(doctor_trace *trace, const char *call)
{
    snprintf(trace->call, sizeof trace->call, "%s", call);
    atomic_store_explicit(&trace->begun_ns, now_ns(), memory_order_relaxed);
}

static void close_end(int *descriptor)
{
    if (*descriptor >= 0) {
        close(*descriptor);
        *descriptor = -1;
    }
}

/* Never returns. The child must not hold the parent's output: a reader of it would wait for a child that is stuck. */
static void be_child(const doctor_probe *probe, struct shared *shared, int output, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(EXIT_FAILURE);
    }
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    probe->check(&shared->trace, shared->result);
    atomic_store_explicit(&shared->trace.done, true, memory_order_release);
    _exit(EXIT_SUCCESS);
}

static bool share(struct child *child, const doctor_probe *probe)
{
    size_t size = sizeof(struct shared) + probe->size;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return false;
    }
    child->shared = memory;
    child->shared_size = size;
    memcpy(child->shared->result, probe->result, probe->size);
    return true;
}

static bool start(struct child *child, const doctor_probe *probe)
{
    int alive[2] = { -1, -1 };
    int output[2] = { -1, -1 };
    pid_t parent = getpid();
    bool ready = share(child, probe) && pipe2(alive, O_CLOEXEC) == 0 && pipe2(output, O_CLOEXEC) == 0 &&
                 fcntl(output[0], F_SETFL, O_NONBLOCK) == 0;
    if (ready) {
        doctor_trace_call(&child->shared->trace, "");
        child->pid = fork();
    }
    if (child->pid == 0) {
        be_child(probe, child->shared, output[1], parent);
    }
    close_end(&alive[1]);
    close_end(&output[1]);
    child->alive = alive[0];
    child->output = output[0];
    return child->pid > 0;
}

/* Reads what is there; what is too much is thrown away, so that the child never waits for a reader. False when nothing came. */
static bool listen_to(struct child *child)
{
    char piece[4096];
    ssize_t length = read(child->output, piece, sizeof piece);
    if (length <= 0) {
        if (length == 0 || (errno != EINTR && errno != EAGAIN)) {
            close_end(&child->output);
        }
        return false;
    }
    size_t room = SAID_MAX - child->said_length;
    size_t kept = (size_t)length < room ? (size_t)length : room;
    char *said = realloc(child->said, child->said_length + kept + 1);
    if (said != NULL) {
        memcpy(said + child->said_length, piece, kept);
        child->said = said;
        child->said_length += kept;
        said[child->said_length] = '\0';
    }
    return true;
}

/* When the time of a child is over, as far as is known now. */
static uint64_t deadline_of(const struct child *child, unsigned int timeout_s)
{
    return atomic_load_explicit(&child->shared->trace.begun_ns, memory_order_relaxed) + timeout_s * UINT64_C(1000000000);
}

/* Waits until something happens to one of the children, or until `until_ns`. */
static void wait_for_news(struct child *children, size_t count, struct pollfd *polled, uint64_t until_ns)
{
    for (size_t i = 0; i < count; i++) { /* poll() passes over negative descriptors */
        polled[2 * i] = (struct pollfd){ children[i].alive, POLLIN, 0 };
        polled[2 * i + 1] = (struct pollfd){ children[i].output, POLLIN, 0 };
    }
    uint64_t now = now_ns();
    uint64_t wait_ms = until_ns > now ? (until_ns - now + 999999) / 1000000 : 0;
    if (poll(polled, (nfds_t)(2 * count), (int)(wait_ms < 60000 ? wait_ms : 60000)) <= 0) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (polled[2 * i + 1].revents != 0) {
            listen_to(&children[i]);
        }
        if (polled[2 * i].revents != 0) {
            close_end(&children[i].alive);
        }
    }
}

/* Waits until every child has ended or is late. */
static void attend(struct child *children, size_t count, struct pollfd *polled, unsigned int timeout_s)
{
    for (;;) {
        uint64_t until_ns = UINT64_MAX;
        uint64_t now = now_ns();
        for (size_t i = 0; i < count; i++) {
            if (children[i].alive < 0 || children[i].late) {
                continue;
            }
            uint64_t deadline_ns = deadline_of(&children[i], timeout_s);
            children[i].late = deadline_ns <= now;
            if (!children[i].late && deadline_ns < until_ns) {
                until_ns = deadline_ns;
            }
        }
        if (until_ns == UINT64_MAX) {
            return;
        }
        wait_for_news(children, count, polled, until_ns);
    }
}

/* Kills what is left, and waits a moment for it to end. */
static void clear_away(struct child *children, size_t count, struct pollfd *polled)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (children[i].pid > 0 && children[i].alive >= 0) {
            kill(children[i].pid, SIGKILL);
            any = true;
        }
    }
    for (uint64_t until_ns = now_ns() + PATIENCE_NS; any && now_ns() < until_ns;) {
        wait_for_news(children, count, polled, until_ns);
        any = false;
        for (size_t i = 0; i < count; i++) {
            any = any || children[i].alive >= 0;
        }
    }
}

/* What came of one child, which has ended or is left behind. */
static void conclude(struct child *child, doctor_probe *probe)
{
    while (child->output >= 0 && listen_to(child)) {
    }
    doctor_end *end = &probe->end;
    int status = 0;
    *end = (doctor_end){ DOCTOR_NOT_TRIED, 0, 0, "" };
    if (child->pid <= 0) {
        return;
    }
    bool ended = waitpid(child->pid, &status, child->alive < 0 ? 0 : WNOHANG) == child->pid;
    bool done = atomic_load_explicit(&child->shared->trace.done, memory_order_acquire);
    memcpy(probe->result, child->shared->result, probe->size);
    memcpy(end->call, child->shared->trace.call, sizeof end->call);
    end->call[sizeof end->call - 1] = '\0';
    end->outcome = done ? DOCTOR_ANSWERED : child->late || !ended ? DOCTOR_NO_ANSWER : DOCTOR_CRASHED;
    if (end->outcome == DOCTOR_CRASHED) {
        end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        end->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    }
}

static void repeat(char *said)
{
    char *rest = said;
    for (char *line; rest != NULL && (line = strsep(&rest, "\n")) != NULL;) {
        if (line[0] != '\0') {
            cli_fail(0, &cli_doctor_command, "%s", line);
        }
    }
}

static void release(struct child *child)
{
    close_end(&child->alive);
    close_end(&child->output);
    if (child->shared != NULL) {
        munmap(child->shared, child->shared_size);
    }
    free(child->said);
}

bool doctor_probe_run(doctor_probe *probes, size_t count, unsigned int timeout_s)
{
    if (count == 0) {
        return true;
    }
    struct child *children = calloc(count, sizeof *children);
    struct pollfd *polled = calloc(count, 2 * sizeof *polled);
    bool started = children != NULL && polled != NULL;
    size_t begun = 0;
    while (started && begun < count) {
        children[begun] = (struct child)CHILD_NONE;
        started = start(&children[begun], &probes[begun]);
        begun++;
    }
    if (!started) {
        cli_fail(0, &cli_doctor_command, "a check cannot be started: %s", strerror(errno));
    } else {
        attend(children, count, polled, timeout_s);
    }
    if (children != NULL && polled != NULL) {
        clear_away(children, begun, polled);
    }
    for (size_t i = 0; i < begun; i++) {
        conclude(&children[i], &probes[i]);
        repeat(children[i].said);
        release(&children[i]);
    }
    free(children);
    free(polled);
    return started;
}
