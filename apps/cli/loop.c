/*
 * Waits on a descriptor that the signal handler writes to, so that a signal between two steps is not missed, whichever thread gets it.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "loop.h"

static const int ending_signals[] = { SIGINT, SIGTERM, SIGHUP };

static int event = -1;
static volatile sig_atomic_t ended_by;

static void end(int number)
{
    int error = errno;
    uint64_t one = 1;
    ended_by = number;
    if (write(event, &one, sizeof one) < 0) { /* its counter is full: it is readable already */
        errno = 0;
    }
    errno = error;
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool catch_signal(int number)
{
    struct sigaction old, mine = { .sa_handler = end, .sa_flags = SA_RESTART | (int)SA_RESETHAND };
    if (sigaction(number, NULL, &old) != 0) {
        return false;
    }
    return old.sa_handler == SIG_IGN || sigaction(number, &mine, NULL) == 0;
}

bool cli_loop_begin(cli_loop *loop, uint64_t interval_ms, bool watches_output)
{
    *loop = (cli_loop){
        .interval_ms = interval_ms, .next_ms = now_ms(), .end_ms = INT64_MAX, .descriptor = -1, .watches_output = watches_output
    };
    event = event < 0 ? eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : event;
    bool done = event >= 0;
    for (size_t i = 0; i < sizeof ending_signals / sizeof *ending_signals; i++) {
        done = done && catch_signal(ending_signals[i]);
    }
    return done;
}

void cli_loop_end_after(cli_loop *loop, uint64_t span_ms)
{
    loop->end_ms = now_ms() + (int64_t)span_ms;
}

/* Until the next round is due or the loop ends, in the type of poll(); what is longer is waited for in parts. */
static int left_ms(const cli_loop *loop)
{
    int64_t left = (loop->next_ms < loop->end_ms ? loop->next_ms : loop->end_ms) - now_ms();
    return left <= 0 ? 0 : left > 60000 ? 60000 : (int)left;
}

bool cli_loop_wait(cli_loop *loop)
{
    struct pollfd watched[3] = {
        { .fd = event, .events = POLLIN },
        { .fd = loop->watches_output ? STDOUT_FILENO : -1 }, /* POLLERR and POLLHUP are always reported */
        { .fd = loop->descriptor, .events = POLLIN },
    };
    int64_t now = now_ms(), interval = (int64_t)loop->interval_ms;
    loop->next_ms += interval;
    if (loop->next_ms <= now) { /* rounds that were missed are left out */
        loop->next_ms += (now - loop->next_ms) / interval * interval;
    }
    for (;;) {
        int left = left_ms(loop), ready = poll(watched, 3, left);
        if (ended_by != 0 || (ready > 0 && (watched[1].revents != 0 || watched[2].revents != 0))) {
            return false;
        }
        if (ready < 0 && errno != EINTR) {
            return false;
        }
        if (left == 0) {
            return loop->next_ms < loop->end_ms;
        }
    }
}

int cli_loop_signal(void)
{
    return ended_by;
}
