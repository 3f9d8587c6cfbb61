/*
 * A file of JSON, one value a line, however long it is: recordings, traces. A line that is bad is named by its number and left out; a last
 * line that was cut by a kill is no more than a note. Knows nothing of what is in a line.
 */
#ifndef CLI_LINES_H
#define CLI_LINES_H

#include <stddef.h>
#include <stdint.h>

#include <nvpulse/status.h>

#include "cli.h"

typedef struct cli_lines {
    const cli_command *command; /**< whose messages they are */
    const char *thing;          /**< what a line is: "a snapshot" */
    /**
     * Takes one line, without its newline and never blank. NVP_SUCCESS; NVP_ERROR_BAD_DATA with one line in `message` for a line that is to be
     * left out; anything else ends it.
     */
    nvp_status (*take)(void *context, const char *line, size_t length, char *message, size_t size);
    void *context;
    uint64_t bad; /**< lines that were left out */
} cli_lines;

/** Reads all lines of a file; "-" is standard input. Returns CLI_OK, or an exit code after a message. */
int cli_lines_read(cli_lines *lines, const char *path);

/** What a path is called in messages. */
const char *cli_lines_name(const char *path);

#endif
