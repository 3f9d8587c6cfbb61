/*
 * Handlers would run in whichever thread the kernel chooses, also in one of the driver's; so there are none, but the one that ends.
 */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "signals.h"

static const int taken[] = { SIGWINCH, SIGTSTP, SIGCONT, SIGHUP, SIGTERM, SIGINT, SIGQUIT };

static sigset_t before;
static volatile sig_atomic_t end_code;

static void fill(sigset_t *set)
{
    sigemptyset(set);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        sigaddset(set, taken[i]);
    }
}

void tui_signals_block(void)
{
    sigset_t set;
    fill(&set);
    pthread_sigmask(SIG_BLOCK, &set, &before);
}

void tui_signals_restore(void)
{
    sigset_t set;
    struct timespec now = { 0, 0 };
    fill(&set);
    while (sigtimedwait(&set, NULL, &now) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int tui_signals_open(void)
{
    sigset_t set;
    fill(&set);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void tui_signals_stop(void)
{
    sigset_t set;
    struct sigaction usual = { .sa_handler = SIG_DFL }, old;
    sigemptyset(&set);
    sigaddset(&set, SIGTSTP);
    sigaction(SIGTSTP, &usual, &old);
    raise(SIGTSTP);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL); /* here it stops, and here it goes on */
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    sigaction(SIGTSTP, &old, NULL);
}

static void end(int number)
{
    (void)number;
    _exit(end_code);
}

void tui_signals_end_within(unsigned int limit_ms, int code)
{
    struct sigaction action = { .sa_handler = end };
    struct itimerval timer = { { 0, 0 }, { limit_ms / 1000, (suseconds_t)(limit_ms % 1000) * 1000 } };
    sigset_t set;
    end_code = code;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigaction(SIGALRM, &action, NULL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}
