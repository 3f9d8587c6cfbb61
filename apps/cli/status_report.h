/*
 * What `nvpulse status` prints of a snapshot. Every number is a value or N/A with its reason.
 */
#ifndef CLI_STATUS_REPORT_H
#define CLI_STATUS_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <nvpulse/snapshot.h>

#include "terminal.h"

/** How to print. */
typedef struct status_view {
    cli_terminal terminal;
    bool verbose;
    enum { STATUS_PROCESSES_AUTO, STATUS_PROCESSES_ALL, STATUS_PROCESSES_NONE } processes;
} status_view;

/** The most metrics that status_metrics() gives. */
#define STATUS_METRICS_MAX 16

/** The metrics that are needed for a view; returns their number. */
size_t status_metrics(const status_view *view, nvp_metric metrics[STATUS_METRICS_MAX]);

/** Prints the report; false when memory ran out. */
bool status_report_print(const nvp_snapshot *snapshot, const status_view *view, FILE *out);

/** Print the devices and the processes; parts of status_report_print(). */
bool status_device_table_print(const nvp_snapshot *snapshot, const status_view *view, FILE *out);
bool status_process_table_print(const nvp_snapshot *snapshot, const cli_terminal *terminal, FILE *out);

/** Prints which GPUs have their clocks held down by heat, the power brake or the hardware; part of status_report_print(). */
bool status_slowed_print(const nvp_snapshot *snapshot, const cli_terminal *terminal, FILE *out);

/** Prints what is N/A and why; part of status_report_print(). */
bool status_reasons_print(const nvp_snapshot *snapshot, const cli_terminal *terminal, FILE *out);

/** True when the device, a MIG device with its GPU, is the one that the process uses. */
bool status_uses(const nvp_process *process, const nvp_device_sample *device);

/** Writes "1", or "1:0" for a MIG device. Returns the length, as snprintf() does. */
int status_device_name(unsigned int index, int mig_index, char *text, size_t size);

#endif
