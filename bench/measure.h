/*
 * Timing and reporting for the benchmarks. Everything is measured in rounds, the subjects of a comparison taking turns.
 */
#ifndef NVP_BENCH_MEASURE_H
#define NVP_BENCH_MEASURE_H

#include <nvpulse/nvpulse.h>
#include <nvpulse/sim.h>

#include <stdbool.h>
#include <stdint.h>

/** Nanoseconds of the monotonic clock. */
int64_t now_ns(void);

/** A loop of `calls` calls of one subject. */
typedef void loop_fn(void *argument, unsigned int calls);

/** The least nanoseconds for one call over `rounds` rounds of each subject in turn; written to `best_ns`. */
void measure_in_turn(loop_fn *const *subjects, void *argument, size_t count, int rounds, unsigned int calls, double *best_ns);

/** The same on `threads` threads at once: each subject's slowest thread counts. At most 8 subjects and 8 threads. */
void measure_on_threads(loop_fn *const *subjects, void *argument, size_t count, int threads, int rounds, unsigned int calls,
                        double *best_ns);

/** The middle of `count` numbers; sorts them. */
double median(double *numbers, size_t count);
double largest(const double *numbers, size_t count);

/** Prints a heading, a plain row, and a row with a limit and whether it was met. */
void report_heading(const char *text);
void report_row(const char *what, double value, const char *unit);
void report_limit(const char *what, double value, double limit, const char *unit);

/** A symbol of the simulator as a function pointer; ends the program if it is missing. */
typedef void bench_fn(void);
bench_fn *bench_symbol(const char *name);

/** Adds a fault to the simulator: error code, latency, of one function. */
void bench_fault(const char *function, int error, uint64_t latency_ns);

/** Runs `body` in a child process; false when it did not end with exit code 0. */
bool in_child(void (*body)(void *argument), void *argument);

/** Memory shared with children. */
void *shared_memory(size_t size);

/** `drivers`: the folder of those that do nothing. */
void bench_guard(const char *drivers);
void bench_by_name(void);
void bench_compat(const char *simulators);
/** `drivers`: as above. `all`: every adapter is printed, else the slowest. */
void bench_adapters(const char *drivers, bool all);
void bench_ending(void);
void bench_model(void);
/** Paths of the shim and of the driver behind it. */
void bench_shim(const char *shim, const char *driver);
void bench_sim(const char *driver);
void bench_status(const char *nvpulse);

#endif
