/*
 * `nvpulse sim ctl`: changes a simulation that runs. The simulated driver checks the change and writes it; this finds both.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <nvpulse/driver.h>
#include <nvpulse/sim.h>

#include "options.h"
#include "sim_control.h"
#include "sim_drivers.h"

static const cli_option options_table[] = {
    { 'P', "pid", "PID", "the simulation that was started with --control and has this process id" },
    { 'f', "control-file", "FILE", "the simulation with this control file" },
    { 'h', "help", NULL, "print this help" },
    CLI_OPTIONS_END,
};

static const cli_command ctl_command = {
    .name = "sim ctl",
    .operands = "CHANGE...",
    .summary = "Change a simulation that runs",
    .details = "\n"
               "Changes:\n"
               "  set [devices[N].]KEY=VALUE...     keys of devices as in a scenario; without N all devices\n"
               "  reset [devices[N].]KEY...         as the scenario has it again\n"
               "  device lose|return|remove|add N   fall off the bus, come back, be taken out, be plugged in again\n"
               "  device add [KEY=VALUE...]         plug in one more device\n"
               "  process add KEY=VALUE...          keys of a process as in a scenario\n"
               "  process end PID|NAME\n"
               "  fault add KEY=VALUE...            keys of a fault as in a scenario\n"
               "  fault clear                       remove all faults and let go what hangs\n"
               "  event KIND DEVICE [DATA]          such as: event xid 1 79\n"
               "  clock step TIME                   such as 500ms or 2s, when the clock is stepped\n"
               "\n"
               "Without an option the simulation is the one that this command runs in, or the only one that runs.\n"
               "\n"
               "Examples:\n"
               "  nvpulse sim ctl set 'devices[1].thermal.temperature_gpu_c=97' utilization.gpu=5\n"
               "  nvpulse sim ctl fault add function=nvmlDeviceGetPowerUsage error=TIMEOUT\n",
    .options = options_table,
    .operands_end_options = true,
};

/** The command line, read. */
struct request {
    const char *file;
    unsigned long pid;
    bool help;
};

static bool take_option(struct request *request, const cli_options *options, int key)
{
    switch (key) {
    case 'P':
        return cli_options_number(options, "pid", 0x7fffffff, &request->pid);
    case 'f':
        request->file = options->argument;
        return true;
    case 'h':
        return request->help = true;
    default:
        return false;
    }
}

/* The control file that is meant; the caller frees it. NULL after a message. */
static char *choose(const struct request *request)
{
    const char *around = getenv("NVPULSE_SIM_CONTROL");
    if (request->file == NULL && request->pid > 0) {
        return sim_control_path(&ctl_command, (long)request->pid);
    }
    const char *named = request->file != NULL ? request->file : around;
    if (named == NULL || named[0] == '\0') {
        return sim_control_only(&ctl_command);
    }
    char *copy = strdup(named);
    if (copy == NULL) {
        cli_no_memory(&ctl_command);
    }
    return copy;
}

bool sim_load(const cli_command *command, const char *library)
{
    setenv("NVPULSE_NVML_PATH", library, 1);
    nvp_driver_info info = NVP_DRIVER_INFO_INIT;
    nvp_candidate candidate;
    nvp_driver_find();
    nvp_driver_get_info(&info);
    if (info.loaded && info.simulated) {
        return true;
    }
    bool tried = nvp_driver_get_candidate(0, &candidate) == NVP_SUCCESS && candidate.reason != NULL;
    cli_fail(0, command, "%s is no simulated driver: %s", library, tried ? candidate.reason : "it has no marker");
    return false;
}

/* Has the newest simulated driver make the change: they all know the same keys. */
static int change(const char *path, char **words, int count)
{
    char message[1024] = "";
    sim_drivers drivers = SIM_DRIVERS_INIT;
    const char *version = sim_drivers_find(&drivers) ? sim_drivers_choose(&drivers, NULL) : NULL;
    char *library = version != NULL ? sim_drivers_path(&drivers, version, true) : NULL;
    int code = CLI_FAILED;
    setenv("NVPULSE_SIM_CONTROL", path, 1); /* before the driver is loaded, which tells what it simulates */
    if (library != NULL && sim_load(&ctl_command, library)) {
        nvpsim_control_fn *control = (nvpsim_control_fn *)nvp_symbol("nvpsim_control");
        if (control == NULL) {
            cli_fail(CLI_FAILED, &ctl_command, "%s cannot be controlled", library);
        } else if (control(path, (size_t)count, (const char *const *)words, message, sizeof message) != 0) {
            code = cli_fail(CLI_USAGE, &ctl_command, "%s", message);
        } else {
            code = CLI_OK;
        }
    }
    free(library);
    sim_drivers_free(&drivers);
    return code;
}

int sim_ctl(int argc, char **argv, FILE *out)
{
    struct request request = { 0 };
    cli_options options;
    int count;
    cli_options_begin(&options, &ctl_command, argc, argv);
    for (int key; (key = cli_options_next(&options)) != CLI_OPTIONS_DONE;) {
        if (!take_option(&request, &options, key)) {
            return CLI_USAGE;
        }
    }
    if (request.help) {
        return cli_options_help(&ctl_command, out);
    }
    char **words = cli_options_operands(&options, &count);
    if (count == 0) {
        return cli_misuse(&ctl_command, "a change is missing, as in '" CLI_NAME " sim ctl set utilization.gpu=5'");
    }
    char *path = choose(&request);
    if (path == NULL) {
        return CLI_FAILED;
    }
    int code = access(path, R_OK | W_OK) == 0 ? change(path, words, count)
                                              : cli_fail(CLI_FAILED, &ctl_command, "control file %s: %s", path, strerror(errno));
    free(path);
    return code;
}
