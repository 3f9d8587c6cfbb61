/*
 * The rows of the table of processes: which, in which order, which one is selected, which are tagged.
 * Rows point into the snapshot that they were made from. Knows nothing of drawing and keys.
 */
#ifndef TUI_PROCESSES_H
#define TUI_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nvpulse/snapshot.h>

#include "columns.h"

/** What makes a process on a device the same one in the next snapshot. */
typedef struct tui_process_key {
    uint64_t pid, start_time_us; /**< start time 0: not known */
    unsigned int gpu;
    int mig; /**< -1: the whole GPU */
} tui_process_key;

typedef struct tui_row {
    const nvp_process *process;
    tui_process_key key;
    double memory_total; /**< bytes of its device; 0: not known */
    double number;       /**< what it is ordered by, see tui_column_number() */
    const char *text;    /**< the same, of columns of texts */
    uint64_t branches;   /**< tree: bit n: a line goes on at depth n; see depth */
    unsigned int depth;  /**< tree: how deep; 0: at the top */
    bool is_last;        /**< tree: the last child of its parent */
    bool is_tagged;
} tui_row;

/** What is shown, and how. */
typedef struct tui_choice {
    tui_column sort;
    bool is_descending, is_tree;
    const char *user;                /**< NULL or "": of all */
    int gpu;                         /**< -1: of all */
    const struct tui_filter *filter; /**< NULL: none */
    /** Whether processes of a device are to be listed; NULL: of all. */
    bool (*is_shown)(const void *context, const nvp_device_sample *device);
    const void *context;
} tui_choice;

typedef struct tui_processes {
    tui_row *rows;
    size_t count, capacity;
    size_t total; /**< before the choice */
    size_t selected, top;
    bool has_moved; /**< the selection belongs to a process, not to a place */
    tui_process_key selected_key;
    tui_process_key *tags;
    size_t tag_count, tag_capacity;
} tui_processes;

tui_process_key tui_process_key_of(const nvp_process *process);
bool tui_process_key_equal(const tui_process_key *one, const tui_process_key *other);

/** Makes the rows anew. The selection stays with its process. False when memory runs out: then there are no rows. */
bool tui_processes_build(tui_processes *processes, const nvp_snapshot *snapshot, const tui_choice *choice);

/** Moves the selection. */
void tui_processes_select(tui_processes *processes, size_t place);
void tui_processes_move(tui_processes *processes, long distance);

/** Scrolls so that the selection is among `rows` rows. */
void tui_processes_scroll(tui_processes *processes, int rows);

/** The selected row; NULL when there is none. */
const tui_row *tui_processes_selected(const tui_processes *processes);

/** Tags the selected row, or takes its tag away. */
void tui_processes_toggle_tag(tui_processes *processes);
void tui_processes_untag_all(tui_processes *processes);

void tui_processes_free(tui_processes *processes);

#endif
