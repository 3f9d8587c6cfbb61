/*
 * Metrics as people name them in options.
 */
#ifndef CLI_METRIC_LIST_H
#define CLI_METRIC_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include <nvpulse/metric.h>

#include "cli.h"

/** Metrics, each once, in the order in which they were named. */
typedef struct cli_metric_list {
    size_t count;
    nvp_metric metrics[NVP_METRIC_COUNT];
} cli_metric_list;

/**
 * Adds what a comma separated list names: "power.draw_mw", nvidia-smi's "power.draw", "power.*" for a group, "all". The last two leave
 * out what is costly.
 *
 * @param option  the option that the list is of, without dashes
 * Returns false after a message when a word names nothing.
 */
bool cli_metric_list_add(cli_metric_list *list, const cli_command *command, const char *option, const char *names);

#endif
