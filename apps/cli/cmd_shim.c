/*
 * `nvpulse shim`: runs a program that knows nothing of nvpulse with the shim in front of the driver's library.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "become.h"
#include "options.h"
#include "sim_drivers.h"

/* From the folder of the program to the installed shim; CMake knows better. */
#ifndef SHIM_INSTALLED
#define SHIM_INSTALLED "../lib/nvpulse/shim"
#endif

/* A day, as the shim has it. */
#define DEADLINE_MAX_MS 86400000ul

static const cli_option options_table[] = {
    { 't', "trace", "FILE", "write each call as a line of JSON behind FILE; %p in it becomes the pid" },
    { 'd', "deadline-ms", "N", "a call that does not return within N ms answers NVML_ERROR_TIMEOUT" },
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
               "fork are safe; a driver that is upgraded or reset is opened again. --trace and --deadline-ms set\n"
               "NVPULSE_TRACE and NVPULSE_DEADLINE_MS; 'nvpulse trace FILE' tells what is in a trace. The exit status\n"
               "is that of COMMAND; 126 and 127 mean that it could not be run or was not found.\n"
               "\n"
               "Examples:\n"
               "  nvpulse shim -- nvtop\n"
               "  nvpulse shim --trace calls.jsonl -- nvtop; nvpulse trace calls.jsonl\n"
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

/** The command line, read. */
struct request {
    const char *trace;
    char deadline_ms[24]; /**< "": none */
    bool print, help;
};

static bool set(const char *name, const char *value)
{
    return value == NULL || value[0] == '\0' || setenv(name, value, 1) == 0;
}

/* Relative to this folder, wherever the program goes; to be freed. NULL after a message. */
static char *absolute(const char *path)
{
    char *folder = path[0] == '/' ? strdup("") : realpath(".", NULL), *whole = NULL;
    if (folder == NULL || asprintf(&whole, "%s%s%s", folder, path[0] == '/' ? "" : "/", path) < 0) {
        cli_fail(0, &cli_shim_command, "the current folder cannot be told: %s", strerror(errno));
        whole = NULL;
    }
    free(folder);
    return whole;
}

/* The shim itself goes on without a trace: the program that it serves has not asked for one. Where each process has a file of its own
   (%p), their folder has to be there. `path` is absolute. */
static bool can_write(const char *path)
{
    char *folder = strndup(path, (size_t)(strrchr(path, '/') - path) + 1);
    bool exists = access(path, F_OK) == 0;
    bool can = folder != NULL && (exists || errno == ENOENT) && access(exists ? path : folder, W_OK) == 0;
    if (!can) {
        cli_fail(0, &cli_shim_command, "--trace: cannot write %s: %s", path, strerror(errno));
    }
    free(folder);
    return can;
}

static int run_on(const char *folder, const struct request *request, char **command)
{
    char *trace = request->trace != NULL ? absolute(request->trace) : NULL;
    if (request->trace != NULL && (trace == NULL || !can_write(trace))) {
        free(trace);
        return CLI_FAILED;
    }
    bool is_set =
        cli_prepend_library_path(folder) && set("NVPULSE_TRACE", trace) && set("NVPULSE_DEADLINE_MS", request->deadline_ms);
    free(trace);
    if (!is_set) {
        return cli_fail(CLI_FAILED, &cli_shim_command, "the environment cannot be set: %s", strerror(errno));
    }
    return cli_become(&cli_shim_command, command);
}

/* Takes one option; false after a message. */
static bool take_option(void *context, const cli_options *options, int key)
{
    struct request *request = context;
    unsigned long ms;
    switch (key) {
    case 't':
        request->trace = options->argument;
        if (request->trace[0] == '\0') {
            cli_misuse(&cli_shim_command, "--trace: the name of a file is missing");
        }
        return request->trace[0] != '\0';
    case 'd':
        if (!cli_options_number(options, "deadline-ms", DEADLINE_MAX_MS, &ms)) {
            return false;
        }
        if (ms == 0) {
            cli_misuse(&cli_shim_command, "--deadline-ms: at least 1");
        }
        snprintf(request->deadline_ms, sizeof request->deadline_ms, "%lu", ms);
        return ms > 0;
    case 'p':
        request->print = true;
        return true;
    case 'h':
        request->help = true;
        return true;
    default:
        return false;
    }
}

static int run_shim(int argc, char **argv, FILE *out)
{
    cli_options options;
    struct request request = { 0 };
    if (!cli_options_read(&options, &cli_shim_command, argc, argv, take_option, &request)) {
        return CLI_USAGE;
    }
    if (request.help) {
        return cli_options_help(&cli_shim_command, out);
    }
    int count;
    char **command = cli_options_operands(&options, &count);
    if (request.print ? count > 0 : count == 0) {
        return cli_misuse(&cli_shim_command,
                          request.print ? "--print takes no command" : "a command is missing, as in 'nvpulse shim -- nvtop'");
    }
    char *folder = find_folder();
    int code = folder == NULL ? CLI_FAILED : CLI_OK;
    if (folder != NULL && request.print) {
        fprintf(out, "%s\n", folder);
    } else if (folder != NULL) {
        code = run_on(folder, &request, command);
    }
    free(folder);
    return code;
}
