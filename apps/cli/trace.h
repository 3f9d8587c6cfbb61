/*
 * The parts of `nvpulse trace`: what is kept of a trace, by function and by process, and how it is shown.
 */
#ifndef CLI_TRACE_H
#define CLI_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <nvpulse/trace.h>

#include "cli.h"
#include "terminal.h"

/** How often a function answered one error. */
typedef struct trace_error {
    nvp_status status;
    uint64_t calls;
} trace_error;

/** The calls of one function, of all processes or of one. */
typedef struct trace_entry {
    char function[96];
    uint64_t pid; /**< 0: all */
    uint64_t calls, failed, total_ns, max_ns;
    int64_t first_us, last_us;
    trace_error *errors; /**< the most frequent first, once it is sorted */
    size_t error_count;
} trace_entry;

/** What the rows are sorted by, in the order of trace_order_names. */
typedef enum trace_order { TRACE_TOTAL, TRACE_CALLS, TRACE_MEAN, TRACE_MAX, TRACE_ERRORS, TRACE_FIRST, TRACE_NAME } trace_order;
extern const char *const trace_order_names[];

typedef struct trace_summary {
    bool by_pid;
    void *tree; /**< of trace_entry, by process and function */
    trace_entry **entries;
    size_t entry_count, entry_capacity;
    uint64_t *pids; /**< sorted */
    size_t pid_count;
    uint64_t calls, failed, bad_lines;
    int64_t begin_us, end_us; /**< of the first call, and the end of the last */
} trace_summary;

/** Takes one call; false when memory ran out. */
bool trace_take(trace_summary *trace, const nvp_trace_call *call);

/** Sorts the entries, and the errors of each. */
void trace_sort(trace_summary *trace, trace_order order);

/** The mean of the time that the calls took. */
double trace_mean_ns(const trace_entry *entry);

void trace_free(trace_summary *trace);

/** Print the summary; false when memory ran out. */
bool trace_print(const trace_summary *trace, const cli_terminal *terminal, FILE *out);
bool trace_print_json(const trace_summary *trace, FILE *out);

#endif
