/*
 * Standard output, written in one piece at the end, so that every failure is noticed with its cause.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stddef.h>

/**
 * Makes sure that descriptors 0 to 2 are taken, so that nothing opened later (a driver's device file) can stand in for a closed
 * standard output. Writing to one that was closed still fails.
 */
void cli_output_guard(void);

/**
 * Writes everything to standard output and closes it. A reader that has gone away ends it quietly. Returns CLI_OK, or
 * CLI_NO_OUTPUT after a message.
 */
int cli_output_write(const char *text, size_t length);

#endif
