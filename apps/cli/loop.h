/*
 * Doing something again and again until Ctrl-C, a signal that ends, or a reader that goes away.
 * Knows nothing of what is done.
 */
#ifndef CLI_LOOP_H
#define CLI_LOOP_H

#include <stdbool.h>
#include <stdint.h>

/** A loop that is under way; one in the process. */
typedef struct cli_loop {
    uint64_t interval_ms;
    int64_t next_ms; /**< when the next round is due, on the monotonic clock */
    int64_t end_ms;  /**< the loop ends then, on the same clock; INT64_MAX: never. May be set after the begin */
    int descriptor;  /**< the loop ends when it is readable; -1: none. May be set after the begin */
    bool watches_output;
} cli_loop;

/**
 * Begins: from now on SIGINT, SIGTERM and SIGHUP end the loop instead of the program; a second one ends the program at once. One that was
 * ignored when the program began (nohup) stays so. Returns false when the system refuses.
 *
 * @param interval_ms     time from the begin of one round to the begin of the next, in milliseconds; at least 1
 * @param watches_output  the loop also ends when nobody reads standard output any more
 */
bool cli_loop_begin(cli_loop *loop, uint64_t interval_ms, bool watches_output);

/**
 * Sleeps until the next round is due; false when the loop is to end. Rounds do not drift; one that took too long makes the next ones
 * late, but is not caught up by several in a row.
 */
bool cli_loop_wait(cli_loop *loop);

/** Makes the loop end so long after now. */
void cli_loop_end_after(cli_loop *loop, uint64_t span_ms);

/** The number of the signal that has ended the loop; 0 when none has. For long work inside a round. */
int cli_loop_signal(void);

#endif
