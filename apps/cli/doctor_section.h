/*
 * A section of the report for people: a title, and facts with a label each. Long facts continue on further lines and are never cut:
 * what is cut off would be missed in a bug report.
 */
#ifndef CLI_DOCTOR_SECTION_H
#define CLI_DOCTOR_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <nvpulse/base.h>

#include "terminal.h"

/** The section that is being printed. */
typedef struct doctor_section {
    FILE *out;
    const cli_terminal *terminal;
    size_t label_width;
    bool failed; /**< memory ran out: something is missing */
} doctor_section;

/** Begins a section after an empty line; its labels are padded to that width. */
void doctor_section_begin(doctor_section *section, const char *title, size_t label_width);

/** Prints a fact; an empty one is its label alone. Label and text are made harmless. */
void doctor_fact(doctor_section *section, const char *label, cli_style style, const char *format, ...) NVP_PRINTF(4, 5);

#endif
