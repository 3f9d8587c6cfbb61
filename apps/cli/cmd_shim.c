/*
 * `nvpulse shim`: runs a program that knows nothing of nvpulse with the shim in front of the driver's library.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "become.h"
#include "options.h"
#include "sim_drivers.h"

/* From the folder of the program to the installed shim; CMake knows better. */
#ifndef SHIM_INSTALLED
#define SHIM_INSTALLED "../lib/nvpulse/shim"
#endif

static const cli_option options_table[] = {
    { 'p', "print", NULL, "print the folder of the shim, for LD_LIBRARY_PATH" },
    { 'h', "help", NULL, "print this help" },
    CLI_OPTIONS_END,
};

static int run_shim(int argc, char **argv, FILE *out);

const cli_command cli_shim_command = {
    .name = "shim",
    .operands = "-- COMMAND [ARGUMENT...]",
    .summary = "Run any program on the safe libnvidia-ml.so.1",
    .details = "\n"
               "COMMAND finds nvpulse's libnvidia-ml.so.1 first in its library path, and that finds the driver's own.\n"
               "A function that the driver lacks is served by another one or answers that it is not found; exit and\n"
               "fork are safe; a driver that is upgraded or reset is opened again. The exit status is that of COMMAND;\n"
               "126 and 127 mean that it could not be run or was not found.\n"
               "\n"
               "Examples:\n"
               "  nvpulse shim -- nvtop\n"
               "  nvpulse sim --driver 390 -- nvpulse shim -- gpustat\n",
    .options = options_table,
    .operands_end_options = true,
    .run = run_shim,
};

/* The folder of the shim, to be freed; NULL after a message. */
static char *find_folder(void)
{
    char *own = sim_own_path();
    char *folder = own != NULL ? sim_folder_beside(own, "../shim") : NULL;
    if (folder == NULL && own != NULL) {
        folder = sim_folder_beside(own, SHIM_INSTALLED);
    }
    if (folder == NULL) {
        cli_fail(0, &cli_shim_command, "the shim is not installed beside %s (../shim or " SHIM_INSTALLED ")",
                 own != NULL ? own : CLI_NAME);
    }
    free(own);
    return folder;
}

static int run_on(const char *folder, char **command)
{
    if (!cli_prepend_library_path(folder)) {
        return cli_fail(CLI_FAILED, &cli_shim_command, "the environment cannot be set: %s", strerror(errno));
    }
    return cli_become(&cli_shim_command, command);
}

static int run_shim(int argc, char **argv, FILE *out)
{
    cli_options options;
    bool print = false;
    cli_options_begin(&options, &cli_shim_command, argc, argv);
    for (int key; (key = cli_options_next(&options)) != CLI_OPTIONS_DONE;) {
        switch (key) {
        case 'p':
            print = true;
            break;
        case 'h':
            return cli_options_help(&cli_shim_command, out);
        default:
            return CLI_USAGE;
        }
    }
    int count;
    char **command = cli_options_operands(&options, &count);
    if (print ? count > 0 : count == 0) {
        return cli_misuse(&cli_shim_command,
                          print ? "--print takes no command" : "a command is missing, as in 'nvpulse shim -- nvtop'");
    }
    char *folder = find_folder();
    int code = folder == NULL ? CLI_FAILED : CLI_OK;
    if (folder != NULL && print) {
        fprintf(out, "%s\n", folder);
    } else if (folder != NULL) {
        code = run_on(folder, command);
    }
    free(folder);
    return code;
}
