/*
 * What the parts of `nvpulse select` share: what is wanted, and how each device stands to it.
 */
#ifndef CLI_SELECT_H
#define CLI_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <nvpulse/snapshot.h>

#include "cli.h"

/** An amount of memory: bytes, or a share of all memory of the device. */
typedef struct select_amount {
    bool is_share;
    uint64_t bytes;
    double percent;
} select_amount;

/** What a device must have. */
typedef struct select_rules {
    bool has_free_memory, has_total_memory, has_gpu_percent, has_memory_percent;
    select_amount free_memory;
    uint64_t total_memory;
    double gpu_percent, memory_percent; /**< at most */
    double tolerance_percent;
    const char *free_users; /**< names or numbers with commas between them; NULL: none */
    bool mig;               /**< MIG devices instead of whole GPUs */
} select_rules;

/** A device that was looked at. */
typedef struct select_candidate {
    const nvp_device_sample *device;
    size_t place;            /**< in the snapshot */
    nvp_reading free_memory; /**< with what the free users use */
    nvp_reading gpu_percent; /**< 0 when only free users use it */
    bool meets, strictly;    /**< within the tolerance; without it */
    char why[120];           /**< why not */
} select_candidate;

/** Metrics that selecting looks at. */
extern const nvp_metric select_metrics[];
extern const size_t select_metric_count;

/**
 * Devices that CUDA would show to a program whose CUDA_VISIBLE_DEVICES has this value, in CUDA's order. An invalid entry ends the list, and
 * so does one of the other kind (index, UUID); a device that is named twice makes it empty.
 *
 * @param value   NULL: the variable is not set
 * @param places  gets places in the snapshot; room for all its devices
 * Returns how many there are.
 */
size_t select_visible(const nvp_snapshot *snapshot, const char *value, size_t *places);

/** Judges a device. */
void select_judge(const select_rules *rules, const nvp_snapshot *snapshot, size_t place, select_candidate *candidate);

/** Orders candidates: those that meet the rules first, strictly before within the tolerance, then by free memory and utilization. */
void select_sort(select_candidate *candidates, size_t count);

/** The devices that were looked at, the best first. Start from { 0 }; free `items` in the end. */
typedef struct select_candidates {
    select_candidate *items;
    size_t count, good; /**< all of them; those that meet the rules, which come first */
} select_candidates;

/** Takes a snapshot of what selecting needs; the statuses of nvp_snapshot_take(). */
nvp_status select_snapshot(bool wake, nvp_snapshot **snapshot);

/** Judges and sorts the devices that are visible (see select_visible()); false when memory ran out. */
bool select_look(const select_rules *rules, const nvp_snapshot *snapshot, const char *visible, select_candidates *candidates);

/** How the selection is written. */
typedef struct select_view {
    bool uuid, null, json;
    const char *separator;
} select_view;

/** The name of a device in CUDA_VISIBLE_DEVICES: its index, or its UUID; always that for a MIG device. */
void select_name(const select_candidate *candidate, bool uuid, char *text, size_t size);

/** Writes the first `count` candidates; false when memory ran out. */
bool select_print(const select_view *view, const select_candidate *candidates, size_t count, FILE *out);

#endif
