/*
 * The parts of `nvpulse call`: what was asked for, the arguments, the result, the list of functions.
 */
#ifndef CLI_CALL_H
#define CLI_CALL_H

#include <stdbool.h>
#include <stdio.h>

#include <nvpulse/function.h>
#include <nvpulse/query.h>

#include "cli.h"

/** The most parameters that a function has, with room for newer ones; and the most options --gpu or --unit. */
#define CALL_PARAMETERS_MAX 16

/** Handles named on the command line, taken in order. */
typedef struct call_names {
    const char *names[CALL_PARAMETERS_MAX];
    size_t count, used;
} call_names;

/** The command line, read. */
typedef struct call_request {
    const nvp_function *function;
    call_names gpus, units;
    char **operands; /**< behind the function's name */
    int operand_count;
    uint64_t limit_ms; /**< for the driver to answer; CLI_NO_LIMIT: none */
    bool json, list, allow_write, verbose, help;
} call_request;

/** What is given for one parameter that the caller supplies. */
typedef struct call_slot {
    nvp_parameter parameter;
    const char *text; /**< as on the command line; NULL: nothing was given */
    nvp_arg arg;
    nvmlFieldValue_t *fields; /**< behind `arg` for a list of fields; owned */
} call_slot;

typedef struct call_arguments {
    call_slot slots[CALL_PARAMETERS_MAX];
    size_t count;
} call_arguments;

/** Matches what was given with the parameters and reads numbers and names; false after a message with the usage. */
bool call_arguments_read(call_arguments *arguments, call_request *request);

/** Turns the named GPUs and units into handles; NVML is open. Returns NVP_SUCCESS or the driver's answer, after a message. */
nvp_status call_arguments_resolve(call_arguments *arguments);

void call_arguments_free(call_arguments *arguments);

/** Reads a number for a parameter: decimal, hexadecimal, the name of a constant, or several of them joined by '|'. */
bool call_number_read(const char *text, nvp_arg *number);

/** How the driver's handles of that type are named on the command line; false when they cannot be. */
bool call_handle_is_device(const nvp_parameter *parameter);
bool call_handle_is_unit(const nvp_parameter *parameter);

/** True for the list of fields of nvmlDeviceGetFieldValues(). */
bool call_parameter_is_fields(const nvp_parameter *parameter);

/** Prints how to call a function: its parameters, their types and the names they take. */
void call_usage_print(const nvp_function *function, FILE *out);

/** Prints the result as one JSON object, or for people; false when memory ran out. */
bool call_result_print(const call_request *request, const nvp_value *result, FILE *out);

/** `--list`: prints the functions that match `pattern`, or all for NULL; returns the exit code. */
int call_list_print(const char *pattern, bool json, FILE *out);

#endif
