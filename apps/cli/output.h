/*
 * Standard output, collected and written in one piece: at the end, or after each round of a loop. So every failure is noticed with its
 * cause, and a reader never sees half a table.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/**
 * Makes sure that descriptors 0 to 2 are taken, so that nothing opened later (a driver's device file) can stand in for a closed
 * standard output. Writing to one that was closed still fails.
 */
void cli_output_guard(void);

/** The stream that collects; NULL when memory runs out. One in the process. */
FILE *cli_output_open(void);

/**
 * Writes what was collected so far to standard output, and forgets it. For a command that goes on: false means that it ends now, with
 * `*code`: CLI_OK for a reader that has gone away, else CLI_NO_OUTPUT after a message. Nothing more is written then.
 */
bool cli_output_flush(FILE *out, int *code);

/** Throws away what was collected since the last flush. */
void cli_output_drop(FILE *out);

/**
 * Writes what was collected and closes the stream and standard output. A reader that has gone away ends it quietly. Returns CLI_OK, or
 * CLI_NO_OUTPUT or CLI_FAILED after a message.
 */
int cli_output_close(FILE *out);

#endif
