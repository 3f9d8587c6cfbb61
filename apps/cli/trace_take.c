/*
 * Gathers calls by function. What is kept grows with the number of functions and processes, and not with that of calls.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"

static int compare_keys(const void *one, const void *other)
{
    const trace_entry *a = one, *b = other;
    if (a->pid != b->pid) {
        return a->pid < b->pid ? -1 : 1;
    }
    return strcmp(a->function, b->function);
}

static bool keep_entry(trace_summary *trace, trace_entry *entry)
{
    if (trace->entry_count == trace->entry_capacity) {
        size_t capacity = trace->entry_capacity > 0 ? 2 * trace->entry_capacity : 64;
        trace_entry **entries = realloc(trace->entries, capacity * sizeof(trace_entry *));
        if (entries == NULL) {
            return false;
        }
        trace->entries = entries;
        trace->entry_capacity = capacity;
    }
    trace->entries[trace->entry_count++] = entry;
    return true;
}

/* The entry of a call, made if it is the first; NULL when memory ran out. */
static trace_entry *entry_of(trace_summary *trace, const nvp_trace_call *call)
{
    trace_entry *fresh = calloc(1, sizeof *fresh);
    if (fresh == NULL) {
        return NULL;
    }
    snprintf(fresh->function, sizeof fresh->function, "%s", call->function);
    fresh->pid = trace->by_pid ? call->pid : 0;
    trace_entry **place = tsearch(fresh, &trace->tree, compare_keys);
    if (place == NULL) {
        free(fresh);
        return NULL;
    }
    trace_entry *entry = *place;
    if (entry != fresh) {
        free(fresh);
        return entry;
    }
    if (!keep_entry(trace, entry)) {
        tdelete(entry, &trace->tree, compare_keys);
        free(entry);
        return NULL;
    }
    entry->first_us = call->time_us;
    entry->last_us = call->time_us;
    return entry;
}

static bool count_error(trace_entry *entry, nvp_status status)
{
    size_t i = 0;
    while (i < entry->error_count && entry->errors[i].status != status) {
        i++;
    }
    if (i == entry->error_count) {
        trace_error *errors = realloc(entry->errors, (i + 1) * sizeof *errors);
        if (errors == NULL) {
            return false;
        }
        entry->errors = errors;
        entry->errors[entry->error_count++] = (trace_error){ .status = status };
    }
    entry->errors[i].calls++;
    return true;
}

static bool keep_pid(trace_summary *trace, uint64_t pid)
{
    size_t low = 0, high = trace->pid_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (trace->pids[middle] < pid) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low < trace->pid_count && trace->pids[low] == pid) {
        return true;
    }
    uint64_t *pids = realloc(trace->pids, (trace->pid_count + 1) * sizeof *pids);
    if (pids == NULL) {
        return false;
    }
    memmove(pids + low + 1, pids + low, (trace->pid_count - low) * sizeof *pids);
    pids[low] = pid;
    trace->pids = pids;
    trace->pid_count++;
    return true;
}

bool trace_take(trace_summary *trace, const nvp_trace_call *call)
{
    trace_entry *entry = entry_of(trace, call);
    if (entry == NULL || !keep_pid(trace, call->pid) || (call->result != NVP_SUCCESS && !count_error(entry, call->result))) {
        return false;
    }
    int64_t end_us = call->time_us + (int64_t)(call->duration_ns / 1000);
    trace->begin_us = trace->calls == 0 || call->time_us < trace->begin_us ? call->time_us : trace->begin_us;
    trace->end_us = trace->calls == 0 || end_us > trace->end_us ? end_us : trace->end_us;
    trace->calls++;
    trace->failed += call->result != NVP_SUCCESS;
    entry->calls++;
    entry->failed += call->result != NVP_SUCCESS;
    entry->total_ns += call->duration_ns;
    entry->max_ns = call->duration_ns > entry->max_ns ? call->duration_ns : entry->max_ns;
    entry->first_us = call->time_us < entry->first_us ? call->time_us : entry->first_us;
    entry->last_us = call->time_us > entry->last_us ? call->time_us : entry->last_us;
    return true;
}

double trace_mean_ns(const trace_entry *entry)
{
    return entry->calls > 0 ? (double)entry->total_ns / (double)entry->calls : 0;
}

const char *const trace_order_names[] = { "total", "calls", "mean", "max", "errors", "first", "name", NULL };

/* What an entry is sorted by: the greatest comes first. */
static double weight(const trace_entry *entry, trace_order order)
{
    switch (order) {
    case TRACE_TOTAL:
        return (double)entry->total_ns;
    case TRACE_CALLS:
        return (double)entry->calls;
    case TRACE_MEAN:
        return trace_mean_ns(entry);
    case TRACE_MAX:
        return (double)entry->max_ns;
    case TRACE_ERRORS:
        return (double)entry->failed;
    case TRACE_FIRST:
        return -(double)entry->first_us;
    default:
        return 0;
    }
}

static int compare_entries(const void *one, const void *other, void *context)
{
    const trace_entry *a = *(trace_entry *const *)one, *b = *(trace_entry *const *)other;
    trace_order order = *(const trace_order *)context;
    double first = weight(a, order), second = weight(b, order);
    if (first != second) {
        return first > second ? -1 : 1;
    }
    int by_name = strcmp(a->function, b->function);
    return by_name != 0 ? by_name : compare_keys(a, b);
}

static int compare_errors(const void *one, const void *other)
{
    const trace_error *a = one, *b = other;
    if (a->calls != b->calls) {
        return a->calls > b->calls ? -1 : 1;
    }
    return a->status < b->status ? -1 : a->status > b->status;
}

void trace_sort(trace_summary *trace, trace_order order)
{
    if (trace->entry_count > 0) {
        qsort_r(trace->entries, trace->entry_count, sizeof *trace->entries, compare_entries, &order);
    }
    for (size_t i = 0; i < trace->entry_count; i++) {
        if (trace->entries[i]->error_count > 0) {
            qsort(trace->entries[i]->errors, trace->entries[i]->error_count, sizeof(trace_error), compare_errors);
        }
    }
}

static void free_entry(void *entry)
{
    free(((trace_entry *)entry)->errors);
    free(entry);
}

void trace_free(trace_summary *trace)
{
    tdestroy(trace->tree, free_entry);
    free(trace->entries);
    free(trace->pids);
    *trace = (trace_summary){ .by_pid = trace->by_pid };
}
