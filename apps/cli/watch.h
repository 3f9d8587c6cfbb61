/*
 * What the commands share that show snapshots, once or again and again: asking, choosing devices, drawing anew, ending.
 * Knows nothing of what is shown.
 */
#ifndef CLI_WATCH_H
#define CLI_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <nvpulse/sampler.h>

#include "cli.h"

typedef struct cli_watch {
    const cli_command *command;
    nvp_snapshot_options options; /**< what to ask; what `ids` needs is added */
    const char *ids;              /**< devices to show, as cli_pick_mark() reads them, with their MIG devices; NULL: all */
    uint64_t interval_ms;         /**< 0: once */
    uint64_t apart_ms; /**< a first snapshot is taken so long before the one that is shown, for what is a rate; 0: none */
    bool for_programs; /**< the output is never drawn over, and has nothing between its rounds */
    bool verbose;      /**< when there is no driver, list the places that were tried */
    /** Prints what was chosen of a snapshot; returns an exit code. */
    int (*show)(nvp_snapshot *snapshot, void *context, FILE *out);
    void *context;
} cli_watch;

/** Does it all; returns the exit code. */
int cli_watch_run(const cli_watch *watch, FILE *out);

/** Says why there is no first snapshot; returns an exit code. */
int cli_watch_explain(const cli_command *command, nvp_status status, bool verbose);

/**
 * The part of the snapshot that a list of devices names, with their MIG devices and processes. With `is_first` a word that names none is
 * refused with a message; later the device may have gone. Returns CLI_OK and the part, or an exit code.
 */
int cli_watch_choose(const cli_command *command, const char *ids, bool is_first, nvp_snapshot *snapshot, nvp_snapshot **part);

/** A sampler of the GPUs that a list names, which also asks for what choosing devices needs; NULL after a message. */
nvp_sampler *cli_watch_sampler(const cli_command *command, const nvp_snapshot_options *options, const char *ids);

/** Prints the snapshot as JSON in one line; returns an exit code. */
int cli_watch_print_json(const cli_command *command, const nvp_snapshot *snapshot, FILE *out);

#endif
