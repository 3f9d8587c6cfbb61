/*
 * What the parts of `nvpulse query` share: the columns that were asked for, and how a row is written.
 */
#ifndef CLI_QUERY_H
#define CLI_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <nvpulse/snapshot.h>

#include "cli.h"

/** Where the value of a column comes from. */
typedef enum query_source {
    QUERY_METRIC,
    QUERY_TIMESTAMP,
    QUERY_DRIVER_VERSION,
    QUERY_COUNT,
    QUERY_INDEX,
    QUERY_PID,
    QUERY_PROCESS_NAME,
    QUERY_PROCESS_MEMORY
} query_source;

/** A property that can be asked for. */
typedef struct query_field {
    const char *names; /**< joined by '|'; the header shows the first */
    query_source source;
    nvp_metric metric; /**< QUERY_METRIC */
    const char *unit;  /**< "" for none */
    const char *help;
    bool says_yes; /**< its state is "Yes" or "No", whatever the words of the metric are */
} query_field;

/** What is listed: one row for each GPU, or for each process that computes. */
typedef enum query_kind { QUERY_GPUS, QUERY_APPS } query_kind;

/** Columns, in the order in which they were asked for. Start from { 0 }; end with query_columns_free(). */
typedef struct query_columns {
    query_kind kind;
    query_field *fields;
    size_t count;
} query_columns;

/** Reads a list such as "name,power.draw"; returns CLI_OK, or an exit code after a message. */
int query_columns_parse(query_columns *columns, const cli_command *command, query_kind kind, const char *list);

/** The metrics that the columns need; at least one. NULL when memory runs out; freed by the caller. */
nvp_metric *query_columns_metrics(const query_columns *columns, size_t *count);

void query_columns_free(query_columns *columns);

/** Lists all properties, as nvidia-smi's --help-query-gpu does. */
void query_fields_help(query_kind kind, FILE *out);

/** The output: csv with or without header and units, or JSON. */
typedef struct query_format {
    enum { QUERY_CSV, QUERY_JSON, QUERY_JSONL } form;
    bool no_header, no_units; /**< the header is written once: then there is no more of it */
} query_format;

/** Reads a list such as "csv,noheader,nounits"; false after a message. */
bool query_format_parse(query_format *format, const cli_command *command, const char *list);

/** One row: a device, and for QUERY_APPS a process on it. */
typedef struct query_row {
    const nvp_snapshot *snapshot;
    const nvp_device_sample *device; /**< for a process the GPU, also when it runs on a MIG device of it */
    const nvp_process *process;
} query_row;

/** How a cell is written. */
typedef enum query_cell_kind {
    QUERY_CELL_NA,     /**< the text says why, in brackets */
    QUERY_CELL_NUMBER, /**< the text is a decimal number */
    QUERY_CELL_TEXT
} query_cell_kind;

/** Writes the value of a column without its unit, as nvidia-smi does. */
query_cell_kind query_cell(const query_row *row, const query_field *field, char *text, size_t size);

/** Writes the header of CSV, the first time. */
void query_print_header(const query_columns *columns, query_format *format, FILE *out);
/** Begins a round: what JSON needs. */
void query_print_begin(const query_format *format, FILE *out);
/** Writes a row; false when memory ran out. `first` in this round. */
bool query_print_row(const query_columns *columns, const query_format *format, const query_row *row, bool first, FILE *out);
void query_print_end(const query_format *format, FILE *out);

/**
 * Writes a round: the header before the first, a row for each device that `ids` names (NULL: each GPU), or for each process on these. Returns the exit code: that of the
 * first device that could not be asked, or NVML_ERROR_NOT_FOUND after a message when `ids` names none.
 */
int query_print_round(const query_columns *columns, query_format *format, const char *ids, const nvp_snapshot *snapshot,
                      FILE *out);

/** nvidia-smi's exit code for everything that has none of its own. */
#define QUERY_EXIT_OTHER 255

/** The exit code of nvidia-smi for a status. */
int query_exit_code(nvp_status status);

#endif
