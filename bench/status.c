/*
 * `nvpulse status` on eight simulated GPUs: wall time and memory, beside the start of any program.
 */
#include "measure.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUNS 21

struct run {
    double wall_ms;
    double resident_mib;
};

static struct run run_program(const char *program, const char *argument)
{
    int status = 0;
    struct rusage usage = { .ru_maxrss = 0 };
    fflush(stdout);
    int64_t begin_ns = now_ns();
    pid_t child = vfork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, STDOUT_FILENO);
        execl(program, program, argument, (char *)NULL);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "nvpulse-bench: %s failed\n", program);
        exit(1);
    }
    return (struct run){ (double)(now_ns() - begin_ns) / 1e6, (double)usage.ru_maxrss / 1024.0 };
}

void bench_status(const char *nvpulse)
{
    double status_ms[RUNS];
    double nothing_ms[RUNS];
    double resident_mib[RUNS];
    for (int i = 0; i < RUNS; i++) {
        struct run run = run_program(nvpulse, "status");
        status_ms[i] = run.wall_ms;
        resident_mib[i] = run.resident_mib;
        nothing_ms[i] = run_program("/bin/true", NULL).wall_ms;
    }
    report_heading("nvpulse status, eight simulated GPUs");
    report_row("starting /bin/true", median(nothing_ms, RUNS), "ms");
    report_limit("nvpulse status, median", median(status_ms, RUNS), 15.0, "ms");
    report_limit("most memory resident", largest(resident_mib, RUNS), 8.0, "MiB");
}
