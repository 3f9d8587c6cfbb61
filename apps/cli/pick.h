/*
 * The devices that a user means: by index, UUID, PCI bus id, or the place of a MIG device.
 * Looks at snapshots alone; takes one itself where it has to know which devices there are.
 */
#ifndef CLI_PICK_H
#define CLI_PICK_H

#include <stdbool.h>
#include <stddef.h>

#include <nvpulse/snapshot.h>

#include "cli.h"

/** Metrics that picking looks at; a command that names its metrics adds these, when cli_pick_needs_metrics(). All are cheap. */
extern const nvp_metric cli_pick_metrics[];
extern const size_t cli_pick_metric_count;

/** What a word means in a snapshot. */
typedef enum cli_match { CLI_MATCH_ONE, CLI_MATCH_NONE, CLI_MATCH_SEVERAL } cli_match;

/**
 * Finds the device that a word names. Upper and lower case are the same.
 *
 *   0                     GPU by index
 *   0:1                   MIG device by the index of its GPU and its own
 *   GPU-5a16...           GPU by UUID or a beginning of it; the letters GPU- may be left out when four digits or more follow
 *   MIG-5a16...           MIG device by UUID or a beginning of it
 *   MIG-GPU-5a16.../3/0   MIG device by the UUID of its GPU (whole or a beginning), GPU instance and compute instance
 *   0000:3b:00.0, 3b:00.0 GPU by PCI bus id
 *
 * @param length  of the word, which need not end there
 * @param place   gets the place in the snapshot for CLI_MATCH_ONE
 */
cli_match cli_pick_match(const nvp_snapshot *snapshot, const char *word, size_t length, size_t *place);

/** Whether a comma separated list names a device otherwise than by index. */
bool cli_pick_needs_metrics(const char *list);

/**
 * Marks the devices of a comma separated list. With `with_mig` the MIG devices of a chosen GPU are chosen, too.
 *
 * @param chosen  one for each device of the snapshot, all false at first
 * @param missing gets a word of the list that names no device, or several (static memory of the last call); NULL allowed
 * Returns CLI_MATCH_ONE when every word names one; else what was wrong with `missing`. Devices that were found are marked all the same.
 */
cli_match cli_pick_mark(const nvp_snapshot *snapshot, const char *list, bool with_mig, bool *chosen, const char **missing);

/**
 * The indices of the GPUs that a list can mean, for nvp_snapshot_options: no other one need be asked anything. Where the list has indices alone
 * nothing is asked here; otherwise every GPU is asked who it is, with `flags` (NVP_SNAPSHOT_WAKE or 0). Freed by the caller. NULL when that
 * is not known, because a word names no device, or there is no driver: then whoever asks all of them finds out why.
 */
unsigned int *cli_pick_gpus(const char *list, unsigned int flags, size_t *count);

/** Says that `--id` names no device, or several, and which there are: all devices are asked for that. Returns CLI_USAGE. */
int cli_pick_refuse(const cli_command *command, cli_match match, const char *missing);

#endif
