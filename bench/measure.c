/*
 * Timing and reporting for the benchmarks.
 */
#include "measure.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SUBJECTS_MAX 8
#define THREADS_MAX 8

int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void measure_in_turn(loop_fn *const *subjects, void *argument, size_t count, int rounds, unsigned int calls, double *best_ns)
{
    for (int round = 0; round < rounds; round++) {
        for (size_t i = 0; i < count; i++) {
            int64_t begin_ns = now_ns();
            subjects[i](argument, calls);
            double each_ns = (double)(now_ns() - begin_ns) / calls;
            best_ns[i] = round == 0 || each_ns < best_ns[i] ? each_ns : best_ns[i];
        }
    }
}

struct crew {
    loop_fn *const *subjects;
    void *argument;
    size_t count;
    int rounds;
    unsigned int calls;
    pthread_barrier_t barrier;
    double best_ns[THREADS_MAX][SUBJECTS_MAX];
};

struct member {
    struct crew *crew;
    int index;
};

static void *work(void *argument)
{
    struct member *member = argument;
    struct crew *crew = member->crew;
    for (int round = 0; round < crew->rounds; round++) {
        for (size_t i = 0; i < crew->count; i++) {
            double *best_ns = &crew->best_ns[member->index][i];
            pthread_barrier_wait(&crew->barrier);
            int64_t begin_ns = now_ns();
            crew->subjects[i](crew->argument, crew->calls);
            double each_ns = (double)(now_ns() - begin_ns) / crew->calls;
            *best_ns = round == 0 || each_ns < *best_ns ? each_ns : *best_ns;
        }
    }
    return NULL;
}

void measure_on_threads(loop_fn *const *subjects, void *argument, size_t count, int threads, int rounds, unsigned int calls,
                        double *best_ns)
{
    struct crew crew = { .subjects = subjects, .argument = argument, .count = count, .rounds = rounds, .calls = calls };
    struct member members[THREADS_MAX];
    pthread_t handles[THREADS_MAX];
    if (threads > THREADS_MAX || count > SUBJECTS_MAX) {
        abort();
    }
    pthread_barrier_init(&crew.barrier, NULL, (unsigned int)threads);
    for (int i = 0; i < threads; i++) {
        members[i] = (struct member){ &crew, i };
        if (pthread_create(&handles[i], NULL, work, &members[i]) != 0) {
            abort();
        }
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(handles[i], NULL);
    }
    for (size_t i = 0; i < count; i++) {
        best_ns[i] = crew.best_ns[0][i];
        for (int j = 1; j < threads; j++) {
            best_ns[i] = crew.best_ns[j][i] > best_ns[i] ? crew.best_ns[j][i] : best_ns[i];
        }
    }
    pthread_barrier_destroy(&crew.barrier);
}

static int compare(const void *one, const void *other)
{
    double a = *(const double *)one;
    double b = *(const double *)other;
    return (a > b) - (a < b);
}

double median(double *numbers, size_t count)
{
    qsort(numbers, count, sizeof(*numbers), compare);
    return numbers[count / 2];
}

double largest(const double *numbers, size_t count)
{
    double most = numbers[0];
    for (size_t i = 1; i < count; i++) {
        most = numbers[i] > most ? numbers[i] : most;
    }
    return most;
}

void report_heading(const char *text)
{
    printf("\n%s\n", text);
}

void report_row(const char *what, double value, const char *unit)
{
    printf("  %-58s %10.2f %s\n", what, value, unit);
}

void report_limit(const char *what, double value, double limit, const char *unit)
{
    printf("  %-58s %10.2f %-8s limit %8.2f  %s\n", what, value, unit, limit, value <= limit ? "met" : "MISSED");
}

bench_fn *bench_symbol(const char *name)
{
    void *symbol = nvp_symbol(name);
    bench_fn *function;
    if (symbol == NULL) {
        fprintf(stderr, "nvpulse-bench: %s is missing: the benchmarks need the simulated driver\n", name);
        exit(1);
    }
    memcpy(&function, &symbol, sizeof(function));
    return function;
}

void bench_fault(const char *function, int error, uint64_t latency_ns)
{
    nvpsim_fault fault = {
        .struct_size = sizeof(fault), .function = function, .device = -1, .error = error, .latency_ns = latency_ns
    };
    ((nvpsim_add_fault_fn *)bench_symbol("nvpsim_add_fault"))(&fault);
}

bool in_child(void (*body)(void *argument), void *argument)
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        body(argument);
        exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void *shared_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        perror("nvpulse-bench: mmap");
        exit(1);
    }
    return memory;
}
