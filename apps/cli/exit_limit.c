/*
 * The library reads the variable once, at its first use; from then on it is only a nuisance to programs that are started.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#include "exit_limit.h"

#define VARIABLE "NVPULSE_EXIT_TIMEOUT_MS"
#define LONGEST_MS 86400000u
#define OURS "250"
#define OURS_MS 250u
/** What closing the driver may take beyond the calls that are waited for. */
#define CLOSING_MS 2000u

static bool is_ours;
static volatile sig_atomic_t exit_code;

void cli_exit_limit_set(void)
{
    is_ours = getenv(VARIABLE) == NULL && setenv(VARIABLE, OURS, 0) == 0;
}

static void leave(int signal_number)
{
    (void)signal_number;
    _exit(exit_code);
}

/* A signal and no thread: the one that closes the driver is the main thread, which a signal reaches inside a call. */
void cli_exit_limit_begin(int code)
{
    unsigned int limit_ms = cli_exit_limit_chosen(OURS_MS) + CLOSING_MS;
    struct itimerval timer = { .it_value = { .tv_sec = limit_ms / 1000, .tv_usec = limit_ms % 1000 * 1000 } };
    struct sigaction action = { .sa_handler = leave };
    sigset_t alarm;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    exit_code = code;
    struct itimerval running;
    bool is_running = getitimer(ITIMER_REAL, &running) == 0 && (running.it_value.tv_sec > 0 || running.it_value.tv_usec > 0);
    if (is_running) {
        return; /* the viewer is being left, and is in a greater hurry */
    }
    if (sigaction(SIGALRM, &action, NULL) == 0 && pthread_sigmask(SIG_UNBLOCK, &alarm, NULL) == 0) {
        setitimer(ITIMER_REAL, &timer, NULL);
    }
}

void cli_exit_limit_forget(void)
{
    if (is_ours) {
        unsetenv(VARIABLE);
    }
}

unsigned int cli_exit_limit_chosen(unsigned int otherwise_ms)
{
    const char *text = is_ours ? NULL : getenv(VARIABLE);
    unsigned long limit_ms = text == NULL ? otherwise_ms : strtoul(text, NULL, 10);
    return limit_ms > LONGEST_MS ? LONGEST_MS : (unsigned int)limit_ms;
}
