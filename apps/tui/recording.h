/*
 * A file with a snapshot a line, of which only where lines begin is kept. Used by one thread.
 */
#ifndef TUI_RECORDING_H
#define TUI_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nvpulse/snapshot.h>

typedef struct tui_recording tui_recording;

/** Opens a recording whose beginning has a snapshot. NULL with one line in `message`. Close it with tui_recording_close(). */
tui_recording *tui_recording_open(const char *path, char *message, size_t size);

/** Looks at the next part of the file for lines; false when all that is there now is known. A file that was cut is begun anew. */
bool tui_recording_index(tui_recording *recording);

/** Whole lines that are known so far, and which share of the file they are: 1 for all of it. */
size_t tui_recording_count(const tui_recording *recording);
double tui_recording_share(const tui_recording *recording);

/** Reads line `at`; NULL when it is none, or no snapshot. */
nvp_snapshot *tui_recording_read(tui_recording *recording, size_t at);

/** The same, of the nearest line from `*at` on that can be read, in the direction of `step` and then in the other one. */
nvp_snapshot *tui_recording_read_near(tui_recording *recording, size_t *at, int step);

/** The same, from `*at` on to the end alone. */
nvp_snapshot *tui_recording_read_ahead(tui_recording *recording, size_t *at);

/** The last line, among those that are known, that is not later than this time; 0 when all are. */
size_t tui_recording_find(tui_recording *recording, int64_t time_us);

/** NULL is allowed. */
void tui_recording_close(tui_recording *recording);

#endif
