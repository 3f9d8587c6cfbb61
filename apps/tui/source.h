/*
 * Where snapshots come from: the seam between the screen and the live machine, a recorded file, or a server.
 * A source never makes the screen wait: it works in a thread of its own, or answers at once, and its descriptor becomes readable when
 * there is something to take. All functions are for the screen's thread.
 */
#ifndef TUI_SOURCE_H
#define TUI_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nvpulse/snapshot.h>

/** What a screen needs of each device. */
typedef enum tui_scope {
    TUI_SCOPE_BRIEF, /**< what the overview shows */
    TUI_SCOPE_FULL   /**< every metric but the costly ones */
} tui_scope;

/** What was taken from a source. */
typedef struct tui_taken {
    nvp_snapshot *snapshot; /**< a reference for the caller; NULL when sampling failed, or nothing is there */
    nvp_status status;      /**< why there is no snapshot */
    bool is_jump;           /**< it does not follow the one before: graphs begin anew, with those in `before` */
    nvp_snapshot **before;  /**< references for the caller, who frees the list too; the oldest first */
    size_t before_count;
} tui_taken;

/** Ways through a recording. */
typedef enum tui_seek { TUI_SEEK_SAMPLES, TUI_SEEK_SECONDS, TUI_SEEK_FIRST, TUI_SEEK_LAST } tui_seek;

/** Where a recording stands. */
typedef struct tui_position {
    size_t at, count; /**< the snapshot, from 0; how many are known */
    double share;     /**< of the file that is known; 1: all */
    int64_t time_us;
    double speed;
} tui_position;

typedef struct tui_source tui_source;

/** What a kind of source does. */
typedef struct tui_source_class {
    /** The newest snapshot, or failure, since the last call; false when there is none. Makes the descriptor quiet. */
    bool (*take)(tui_source *source, tui_taken *taken);
    /** The time between snapshots, whether there are any at all for now, and what of the devices. Takes effect at once. */
    void (*set)(tui_source *source, uint64_t interval_ms, bool is_paused, tui_scope scope);
    /** Asks for a snapshot now. */
    void (*refresh)(tui_source *source);
    /** For how long the source has owed a snapshot, in milliseconds; 0 when it is in time. `*next_ms`: when to ask again; -1: never. */
    int64_t (*overdue_ms)(tui_source *source, int *next_ms);
    /** Ends and frees; false when it is stuck in the driver after `limit_ms` and has been left behind. */
    bool (*close)(tui_source *source, unsigned int limit_ms);

    /* Of recordings alone; NULL otherwise. A pause of set() stops the playing. */
    /** Goes to another snapshot: so many samples or seconds on (back: negative), or to an end. */
    void (*seek)(tui_source *source, tui_seek kind, long amount);
    void (*set_speed)(tui_source *source, double factor);
    tui_position (*position)(tui_source *source);
} tui_source_class;

/** The common part, first member of every source. */
struct tui_source {
    const tui_source_class *class;
    int fd; /**< readable when take() has something */
};

/** This machine; `metrics` are sampled whatever the screen needs. NULL when the system refuses. Signals must be blocked: its threads inherit the mask. */
tui_source *tui_source_live_open(uint64_t interval_ms, const nvp_metric *metrics, size_t metric_count);

/** A recording. NULL with one line in `message`, which begins with the path or names it. Signals as above. */
tui_source *tui_source_file_open(const char *path, char *message, size_t size);

#endif
