/*
 * Signals as something to read from a descriptor, for the whole process.
 */
#ifndef TUI_SIGNALS_H
#define TUI_SIGNALS_H

#include <stdbool.h>

/** Blocks what tui_signals_open() gives, in this thread and those that it makes. To be called before any other thread exists. */
void tui_signals_block(void);

/** Lets them do again what they did; those that have arrived meanwhile and are not read are forgotten. */
void tui_signals_restore(void);

/** A descriptor to read `struct signalfd_siginfo` from, without waiting; -1 when the system refuses. */
int tui_signals_open(void);

/** Stops the process as SIGTSTP does, and returns when it goes on. */
void tui_signals_stop(void);

/** From now on the process has `limit_ms` to end by itself; then it is ended with `code`, whatever it waits for. */
void tui_signals_end_within(unsigned int limit_ms, int code);

#endif
