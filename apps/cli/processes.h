/*
 * The parts of `nvpulse processes`: which fields are shown, which processes, in which order, and in which form.
 */
#ifndef CLI_PROCESSES_H
#define CLI_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <nvpulse/snapshot.h>

#include "cli.h"
#include "table.h"
#include "terminal.h"

/** Fields in an order, each with a direction. */
typedef struct process_fields {
    size_t count;
    nvp_process_field fields[NVP_PROCESS_FIELD_COUNT];
    bool descends[NVP_PROCESS_FIELD_COUNT];
} process_fields;

/** What to show. */
typedef struct process_filter {
    const char *users;    /**< names or numbers with commas; NULL: all */
    const char *pids;     /**< numbers with commas; NULL: all */
    const char *commands; /**< a part of the command line, or a shell pattern for all of it; NULL: all */
    unsigned int types;   /**< NVP_PROCESS_TYPE_... or-ed; 0: all */
} process_filter;

typedef enum process_form { PROCESS_TABLE, PROCESS_JSON, PROCESS_JSONL, PROCESS_CSV } process_form;

/** How to print. */
typedef struct process_view {
    cli_terminal terminal;
    process_form form;
    process_fields columns, order;
    process_filter filter;
    bool verbose;
} process_view;

/** Reads a comma separated list of fields: their names, with or without the unit. Returns false after a message. */
bool process_fields_parse(process_fields *fields, const cli_command *command, const char *option, const char *names);

bool process_fields_have(const process_fields *fields, nvp_process_field field);

/** The column of a field in a table; `leaves` and `least` are those of the usual columns. */
cli_column process_column(nvp_process_field field);

/** Writes a field for people; false when it is N/A. */
bool process_format(const nvp_process *process, nvp_process_field field, char *text, size_t size);

/** Reads types: C, G and M, with or without commas. Returns false after a message. */
bool process_types_parse(unsigned int *types, const cli_command *command, const char *letters);

/** True when the numbers of --pid can be read; false after a message. */
bool process_pids_check(const cli_command *command, const char *pids);

/** The processes that pass the filter, in order, to be freed; their number goes to `count`. NULL when memory ran out. */
const nvp_process **process_select(const nvp_snapshot *snapshot, const process_view *view, size_t *count);

/** Print processes; false when memory ran out. */
bool process_print_table(const nvp_snapshot *snapshot, const nvp_process *const *processes, size_t count,
                         const process_view *view, FILE *out);
bool process_print_json(const nvp_snapshot *snapshot, const nvp_process *const *processes, size_t count, const process_view *view,
                        FILE *out);
bool process_print_csv(const nvp_process *const *processes, size_t count, const process_view *view, FILE *out);

/** The line of names above CSV. */
void process_print_csv_header(const process_view *view, FILE *out);

#endif
