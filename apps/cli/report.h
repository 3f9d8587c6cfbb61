/*
 * The parts of `nvpulse report`: what is kept of a recording, how it is gathered, and how it is shown. What is kept does not grow with
 * the length of the recording.
 */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <nvpulse/snapshot.h>

#include "cli.h"
#include "metric_list.h"
#include "terminal.h"

/** A metric of a device that is no list has this item. */
#define REPORT_NO_ITEM UINT32_MAX

/** One metric of a device, or one item of it. */
typedef struct report_stat {
    nvp_metric metric;
    uint32_t item;
    nvp_kind kind;        /**< of its numbers */
    uint64_t samples, na; /**< how often there was a new number, and how often none */
    nvp_status why;       /**< of the last time that there was none */
    double mean, min, max, first, last;
    int64_t read_at_us; /**< of the last number */
} report_stat;

/** The part of a chart's time that is one point: the mean of the numbers in it. */
typedef struct report_point {
    double sum;
    uint64_t count;
} report_point;

/** The most points of a chart. When they do not suffice, each begins to stand for twice the time. */
#define REPORT_POINTS 1024

/** Energy, from the counter of the device and from its power. */
typedef struct report_energy {
    bool has_counter, has_power; /**< two readings at least */
    double counter_mj, power_mj;
    double last_counter_mj, last_power_mw;
    int64_t counter_at_us, power_at_us; /**< of the last reading in this segment; 0: none */
} report_energy;

typedef struct report_device {
    unsigned int index;
    int mig_index;
    char *uuid, *name; /**< "" as long as not known */
    uint64_t snapshots;
    uint64_t states[NVP_DEVICE_FAILED + 1];
    report_energy energy;
    report_stat *stats;
    size_t stat_count, stat_capacity;
    size_t cursor;        /**< behind the stat that was found last */
    report_point *points; /**< REPORT_POINTS for each chart */
} report_device;

typedef struct report_process {
    uint64_t pid, start_time_us, gpu_index, mig_index; /**< what it is known by; UINT64_MAX: none */
    uint64_t type;
    char *command, *user; /**< "" when not known */
    bool is_foreign;
    double memory_bytes, sm_percent, cpu_percent, host_memory_bytes; /**< the highest; negative: never known */
    int64_t first_us, last_us;
    uint64_t snapshots;
} report_process;

typedef struct report_summary {
    const cli_metric_list *charts;
    report_device *devices;
    size_t device_count;
    void *process_tree; /**< of report_process, by what they are known by */
    size_t process_count;
    char *host, *driver, *simulation; /**< "" when not known, or not simulated */
    uint64_t snapshots, bad_lines;
    uint64_t sequence;                     /**< of the snapshot before */
    int64_t time_us;                       /**< likewise */
    uint64_t segments;                     /**< a recording that was gone on with has several */
    int64_t begin_us, end_us, duration_us; /**< duration: without the time between segments */
    int64_t point_us;                      /**< the time that a point stands for */
    bool failed;                           /**< memory ran out */
} report_summary;

/** Takes one snapshot into the report. */
void report_take(report_summary *report, const nvp_snapshot *snapshot);

/** The parts of it: metrics, energy and charts of a device; processes. */
void report_take_device(report_summary *report, const nvp_device_sample *sample, int64_t time_us);
void report_take_processes(report_summary *report, const nvp_snapshot *snapshot);

/** Sets a text that is owned; keeps the old one when `text` is NULL or "". */
void report_set_text(report_summary *report, char **place, const char *text);

/** All processes in the order of their highest memory, to be freed; NULL when memory ran out. */
const report_process **report_processes(const report_summary *report);

/** The energy in mJ, and where it is from ("counter", "power"); false when it is not known. */
bool report_energy_mj(const report_device *device, double *energy_mj, const char **source);

void report_free(report_summary *report);

/** How to read and print. */
typedef struct report_view {
    const char *path;
    cli_terminal terminal;
    size_t chart_width;
    cli_metric_list charts, metrics; /**< to draw; to list, all when empty */
    enum { REPORT_PROCESSES_AUTO, REPORT_PROCESSES_ALL, REPORT_PROCESSES_NONE } processes;
} report_view;

/**
 * Reads a whole recording, line by line; bad lines are named and left out.
 *
 * @param ids  devices to take, as cli_pick_mark() reads them; NULL: all
 * Returns CLI_OK, or an exit code after a message.
 */
int report_read(report_summary *report, const char *path, const char *ids);

/** Print the report; false when memory ran out. */
bool report_print(const report_summary *report, const report_view *view, FILE *out);
bool report_print_json(const report_summary *report, const report_view *view, FILE *out);

/** Draws the charts of one device; part of report_print(). */
bool report_print_charts(const report_summary *report, const report_device *device, const report_view *view, FILE *out);

/** True when the metric is to be listed. */
bool report_lists(const report_view *view, nvp_metric metric);

#endif
