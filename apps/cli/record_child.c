/*
 * The program that is recorded: its end is told by SIGCHLD, through a descriptor that the loop watches. What the terminal sends goes to
 * the program by itself; what somebody sends to the recorder is passed on.
 */
#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "become.h"
#include "record.h"

static const int passed_on[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 };

static int ended = -1; /* becomes readable when a child ends */
static volatile sig_atomic_t child_pid;

static void note_end(int number)
{
    int error = errno;
    uint64_t one = 1;
    (void)number;
    if (write(ended, &one, sizeof one) < 0) { /* its counter is full: it is readable already */
        errno = 0;
    }
    errno = error;
}

/* The kernel sends what a terminal is told (Ctrl-C) to every program in the foreground. */
static void pass_on(int number, siginfo_t *about, void *context)
{
    int error = errno;
    (void)context;
    if (about->si_code != SI_KERNEL) {
        kill((pid_t)child_pid, number);
    }
    errno = error;
}

int record_child_start(record_child *child, char **words)
{
    sigset_t defaults;
    struct sigaction action = { .sa_handler = note_end, .sa_flags = SA_RESTART | SA_NOCLDSTOP };
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGXFSZ);
    ended = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (ended < 0 || sigaction(SIGCHLD, &action, NULL) != 0) {
        return cli_fail(CLI_FAILED, &cli_record_command, "signals cannot be caught");
    }
    int code = cli_spawn(&cli_record_command, words, &defaults, &child->pid);
    child_pid = code == CLI_OK ? child->pid : 0;
    return code;
}

bool record_child_watch(const record_child *child, cli_loop *loop)
{
    bool done = child->pid > 0;
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++) {
        struct sigaction old, mine = { .sa_sigaction = pass_on, .sa_flags = SA_RESTART | SA_SIGINFO };
        done = done && sigaction(passed_on[i], NULL, &old) == 0;
        if (done && old.sa_handler != SIG_IGN) {
            done = sigaction(passed_on[i], &mine, NULL) == 0;
        }
    }
    signal(SIGPIPE, SIG_IGN); /* a reader that goes away ends the recording, not the program */
    loop->descriptor = ended;
    return done;
}

int record_child_wait(const record_child *child)
{
    int status = 0;
    while (waitpid(child->pid, &status, 0) < 0) {
        if (errno != EINTR) {
            return CLI_FAILED;
        }
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
