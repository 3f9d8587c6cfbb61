/*
 * Control files of simulations: where they lie, and which is meant. What stands in them is the simulator's own business.
 */
#ifndef CLI_SIM_CONTROL_H
#define CLI_SIM_CONTROL_H

#include "cli.h"

/**
 * The control file of the simulation with a process id, in a folder that only the user can write to, which is made when it is missing.
 * The caller frees it; NULL after a message.
 */
char *sim_control_path(const cli_command *command, long pid);

/** Removes the control files of simulations that have ended. */
void sim_control_tidy(const cli_command *command);

/** The control file of the only simulation of this user that runs. The caller frees it; NULL after a message. */
char *sim_control_only(const cli_command *command);

/** `nvpulse sim ctl`: argv[0] is "ctl". */
int sim_ctl(int argc, char **argv, FILE *out);

/** Loads the simulated driver at a path into this process, to ask it; false after a message. */
bool sim_load(const cli_command *command, const char *library);

#endif
