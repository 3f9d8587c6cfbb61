/*
 * The list of all commands. Each is described by its own file.
 */
#include "cli.h"

const cli_command *const cli_commands[] = {
    &cli_status_command, &cli_top_command,    &cli_processes_command, &cli_query_command,      &cli_select_command,
    &cli_record_command, &cli_report_command, &cli_call_command,      &cli_doctor_command,     &cli_sim_command,
    &cli_shim_command,   &cli_trace_command,  &cli_help_command,      &cli_completion_command,
};
const size_t cli_command_count = sizeof cli_commands / sizeof *cli_commands;
