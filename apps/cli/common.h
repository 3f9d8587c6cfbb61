/*
 * The options that several commands have: --id, --loop, --json, --width, --color, --help. Read once for all.
 */
#ifndef CLI_COMMON_H
#define CLI_COMMON_H

#include <stdint.h>

#include "options.h"
#include "terminal.h"

/** What the command line says; zeroes are the defaults. */
typedef struct cli_common {
    const char *ids;      /**< devices, as cli_pick_mark() reads them; NULL: all */
    uint64_t interval_ms; /**< between rounds; 0: one only */
    cli_when color;
    unsigned long width;
    bool has_width, json, help;
} cli_common;

/**
 * Takes an option by its long name, whatever its letter; a command takes options of its own first. False after a message, and for
 * CLI_OPTIONS_BAD, which has had its message.
 */
bool cli_common_take(cli_common *common, const cli_options *options, int key);

/** The terminal as it is, but for what the command line says. */
cli_terminal cli_common_terminal(const cli_common *common);

#endif
