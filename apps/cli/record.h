/*
 * The parts of `nvpulse record`: the file, and the program that runs beside it.
 */
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "cli.h"
#include "loop.h"

/** What happens to a file that is there already. */
typedef enum record_mode { RECORD_REFUSE, RECORD_APPEND, RECORD_FORCE } record_mode;

/** A recording that is being written. Start from zeroes. */
typedef struct record_file {
    const char *path;
    FILE *out;      /**< standard output, for the path "-"; else NULL */
    int descriptor; /**< else of the file */
    record_mode mode;
    bool is_new, is_regular, begun;
    size_t lines;
} record_file;

/** Opens the file and changes nothing in it yet. Returns CLI_OK, or an exit code after a message. */
int record_file_open(record_file *file, const char *path, record_mode mode, FILE *out);

/**
 * Writes one line, whose newline the caller has put at its end, with a single write. What cannot be written as a whole is cut off again.
 * Returns CLI_OK; CLI_NO_OUTPUT after a message. False in `*goes_on` when nothing more can be written.
 */
int record_file_write(record_file *file, const char *line, size_t length, bool *goes_on);

/** Closes it. A new file without a line is removed again. Returns CLI_OK, or CLI_NO_OUTPUT after a message. */
int record_file_close(record_file *file);

/** A program that runs while it is recorded. One in the process. */
typedef struct record_child {
    pid_t pid; /**< 0: none */
} record_child;

/** Starts it. Returns CLI_OK, or CLI_NOT_FOUND or CLI_NOT_EXECUTABLE after a message. */
int record_child_start(record_child *child, char **words);

/**
 * From now on signals that would end the loop are passed on to the program, which decides what they mean, and the loop ends with the
 * program. Returns false when the system refuses.
 */
bool record_child_watch(const record_child *child, cli_loop *loop);

/** Waits for its end, whatever it takes. Returns its exit status as a shell tells it. */
int record_child_wait(const record_child *child);

#endif
