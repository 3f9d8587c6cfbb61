/*
 * `nvpulse sim`: runs any program on a simulated driver. Checks what it can before the program starts, then becomes it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <nvpulse/driver.h>
#include <nvpulse/log.h>
#include <nvpulse/sim.h>

#include "become.h"
#include "options.h"
#include "sim_control.h"
#include "sim_drivers.h"
#include "suggest.h"

static const cli_option options_table[] = {
    { 'p', "profile", "NAME", "simulate this machine; --list names them" },
    { 's', "scenario", "FILE", "simulate the machine that FILE describes" },
    { 'r', "replay", "FILE", "simulate what 'nvpulse record' has written to FILE" },
    { 'S', "speed", "FACTOR", "replay as many times as fast; 1 by default" },
    { 'L', "loop", NULL, "replay again and again; else the last snapshot stays" },
    { 'd', "driver", "VERSION", "the driver's version, or its first numbers; the newest by default" },
    { 'c', "clock", "KIND", "real: values move with time (the default); stepped: they stand still" },
    { 'C', "control", NULL, "let 'nvpulse sim ctl' change the simulation while COMMAND runs" },
    { 'f', "control-file", "FILE", "the same, with this file, which must not exist" },
    { 'l', "list", NULL, "list the simulated drivers and the profiles" },
    { 'h', "help", NULL, "print this help" },
    CLI_OPTIONS_END,
};

static int run_sim(int argc, char **argv, FILE *out);

const cli_command cli_sim_command = {
    .name = "sim",
    .operands = "-- COMMAND [ARGUMENT...]",
    .summary = "Run any program on a simulated driver",
    .details = "\n"
               "COMMAND finds the simulated libnvidia-ml.so.1 first in its library path. Its exit status is that of\n"
               "nvpulse; 126 and 127 mean that it could not be run or was not found.\n"
               "\n"
               "'nvpulse sim ctl --help' says how a simulation is changed while it runs.\n"
               "\n"
               "Examples:\n"
               "  nvpulse sim -- nvpulse status\n"
               "  nvpulse sim --profile rtx4090x2 --driver 470 -- nvpulse call nvmlDeviceGetName --gpu 1\n"
               "  nvpulse sim --replay day.jsonl --speed 60 -- my-monitor\n"
               "  nvpulse sim --control -- my-monitor\n"
               "  nvpulse sim --list\n",
    .options = options_table,
    .operands_end_options = true,
    .run = run_sim,
};

/** The command line, read. */
struct request {
    const char *profile, *scenario, *driver, *clock, *control_file, *replay, *speed;
    char **command;
    int command_count;
    bool control, loop, list, help;
};

/* The simulator reads it again; here a mistake can still be told before COMMAND starts. */
static bool check_speed(const char *word)
{
    char *rest;
    double speed = strtod(word, &rest);
    if (rest != word && *rest == '\0' && speed >= 0.001 && speed <= 100000) {
        return true;
    }
    cli_misuse(&cli_sim_command, "--speed must be a number from 0.001 to 100000, not '%s'", word);
    return false;
}

/* Takes one option; false after a message. */
static bool take_option(void *context, const cli_options *options, int key)
{
    struct request *request = context;
    static const char *const clocks[] = { "real", "stepped", NULL };
    switch (key) {
    case 'p':
        request->profile = options->argument;
        return true;
    case 's':
        request->scenario = options->argument;
        return true;
    case 'r':
        request->replay = options->argument;
        return true;
    case 'S':
        request->speed = options->argument;
        return check_speed(options->argument);
    case 'L':
        return request->loop = true;
    case 'd':
        request->driver = options->argument;
        return true;
    case 'c':
        request->clock = options->argument;
        return cli_options_choice(options, "clock", clocks) >= 0;
    case 'C':
        return request->control = true;
    case 'f':
        request->control_file = options->argument;
        return request->control = true;
    case 'l':
        return request->list = true;
    case 'h':
        return request->help = true;
    default:
        return false;
    }
}

static bool parse(struct request *request, int argc, char **argv)
{
    cli_options options;
    if (!cli_options_read(&options, &cli_sim_command, argc, argv, take_option, request)) {
        return false;
    }
    request->command = cli_options_operands(&options, &request->command_count);
    if (request->help) {
        return true;
    }
    if ((request->profile != NULL) + (request->scenario != NULL) + (request->replay != NULL) > 1) {
        cli_misuse(&cli_sim_command, "--profile, --scenario and --replay exclude each other");
    } else if (request->replay == NULL && (request->speed != NULL || request->loop)) {
        cli_misuse(&cli_sim_command, "%s is for --replay", request->loop ? "--loop" : "--speed");
    } else if (request->list && request->command_count > 0) {
        cli_misuse(&cli_sim_command, "--list takes no command");
    } else if (!request->list && request->command_count == 0) {
        cli_misuse(&cli_sim_command, "a command is missing, as in '" CLI_NAME " sim -- " CLI_NAME " status'");
    } else {
        return true;
    }
    return false;
}

static const char *profile_name(size_t index)
{
    nvpsim_profile_name_fn *name = (nvpsim_profile_name_fn *)nvp_symbol("nvpsim_profile_name");
    return name != NULL ? name(index) : NULL;
}

static const char *profile_summary(size_t index)
{
    nvpsim_profile_summary_fn *summary = (nvpsim_profile_summary_fn *)nvp_symbol("nvpsim_profile_summary");
    const char *text = summary != NULL ? summary(index) : NULL;
    return text != NULL ? text : "";
}

static bool check_profile(const char *profile)
{
    cli_suggestion suggestion = CLI_SUGGESTION_FOR(profile);
    const char *name;
    for (size_t i = 0; (name = profile_name(i)) != NULL; i++) {
        if (strcmp(name, profile) == 0) {
            return true;
        }
        cli_suggestion_offer(&suggestion, name);
    }
    if (suggestion.nearest != NULL) {
        cli_misuse(&cli_sim_command, "there is no profile '%s'; did you mean '%s'?", profile, suggestion.nearest);
    } else {
        cli_misuse(&cli_sim_command, "there is no profile '%s'; '" CLI_NAME " sim --list' lists them", profile);
    }
    return false;
}

static bool check_scenario(const char *scenario)
{
    char message[1024] = "";
    nvpsim_check_scenario_fn *check = (nvpsim_check_scenario_fn *)nvp_symbol("nvpsim_check_scenario");
    if (check != NULL && check(scenario, message, sizeof message) != 0) {
        cli_fail(CLI_USAGE, &cli_sim_command, "%s", message);
        return false;
    }
    nvp_log_level level = nvp_log_get_level(); /* OFF: nobody has asked for a level */
    if (message[0] != '\0' && (level <= NVP_LOG_WARNING || level == NVP_LOG_OFF)) {
        fprintf(stderr, CLI_NAME " sim: warning: %s\n", message);
    }
    return true;
}

static bool check_recording(const char *recording)
{
    char message[1024] = "";
    nvpsim_check_recording_fn *check = (nvpsim_check_recording_fn *)nvp_symbol("nvpsim_check_recording");
    if (check != NULL && check(recording, message, sizeof message) != 0) {
        cli_fail(CLI_USAGE, &cli_sim_command, "%s", message);
        return false;
    }
    return true;
}

/* Sets or, for NULL, removes a variable. */
static bool put(const char *name, const char *value)
{
    return (value != NULL ? setenv(name, value, 1) : unsetenv(name)) == 0;
}

/* Tells the simulated driver what to simulate; what the command line leaves open stays as the environment has it. */
static bool set_environment(const struct request *request, const char *folder)
{
    bool done = cli_prepend_library_path(folder);
    const char *named[3] = { request->profile, request->scenario, request->replay };
    bool is_other = named[0] != NULL || named[1] != NULL || named[2] != NULL;
    for (int i = 0; is_other && i < 3; i++) {
        static const char *const names[3] = { "NVPULSE_SIM_PROFILE", "NVPULSE_SIM_SCENARIO", "NVPULSE_SIM_REPLAY" };
        char *path = named[i] != NULL && i > 0 ? realpath(named[i], NULL) : NULL;
        done = done && (named[i] == NULL || i == 0 || path != NULL) && put(names[i], path != NULL ? path : named[i]);
        free(path);
    }
    if (is_other) {
        done = done && put("NVPULSE_SIM_CONTROL", NULL); /* that of another simulation */
        done = done && put("NVPULSE_SIM_REPLAY_SPEED", request->speed);
        done = done && put("NVPULSE_SIM_REPLAY_END", request->loop ? "loop" : NULL);
    }
    if (request->clock != NULL) {
        done = done && put("NVPULSE_SIM_CLOCK", request->clock);
    }
    return done;
}

/* The file must have its place in the file system before COMMAND changes its folder. The caller frees it; NULL after a message. */
static char *control_file_path(const char *name)
{
    char *folder = name[0] == '/' ? NULL : realpath(".", NULL), *path = NULL;
    int length = name[0] == '/' ? asprintf(&path, "%s", name) : (folder != NULL ? asprintf(&path, "%s/%s", folder, name) : -1);
    free(folder);
    if (length < 0) {
        cli_no_memory(&cli_sim_command);
        return NULL;
    }
    return path;
}

/* Makes the control file, for the simulation that the environment has by now; false after a message. */
static bool make_control(const struct request *request)
{
    char message[1024] = "out of memory", *path;
    nvpsim_control_create_fn *create = (nvpsim_control_create_fn *)nvp_symbol("nvpsim_control_create");
    if (request->control_file != NULL) {
        path = control_file_path(request->control_file);
    } else {
        path = sim_control_path(&cli_sim_command, (long)getpid());
        if (path != NULL) {
            sim_control_tidy(&cli_sim_command);
        }
    }
    if (path == NULL) {
        return false;
    }
    bool done = create != NULL && create(path, message, sizeof message) == 0 && put("NVPULSE_SIM_CONTROL", path);
    if (!done) {
        cli_fail(CLI_FAILED, &cli_sim_command, "%s", message);
    }
    free(path);
    return done;
}

static int list(const sim_drivers *drivers, FILE *out)
{
    const char *name;
    fprintf(out, "Drivers in %s:\n", drivers->folder);
    for (size_t i = 0; i < drivers->count; i++) {
        fprintf(out, "  %s%s\n", drivers->versions[i], i + 1 == drivers->count ? "  (default)" : "");
    }
    fputs("Profiles:\n", out);
    for (size_t i = 0; (name = profile_name(i)) != NULL; i++) {
        fprintf(out, "  %-12s  %s\n", name, profile_summary(i));
    }
    return CLI_OK;
}

static int run_on(const struct request *request, const sim_drivers *drivers, const char *version, FILE *out)
{
    char *folder = sim_drivers_path(drivers, version, false), *library = sim_drivers_path(drivers, version, true);
    int code;
    if (folder == NULL || library == NULL) {
        code = cli_no_memory(&cli_sim_command);
    } else if (!sim_load(&cli_sim_command, library)) {
        code = CLI_FAILED;
    } else if (request->list) {
        code = list(drivers, out);
    } else if ((request->profile != NULL && !check_profile(request->profile)) ||
               (request->scenario != NULL && !check_scenario(request->scenario)) ||
               (request->replay != NULL && !check_recording(request->replay))) {
        code = CLI_USAGE;
    } else if (!set_environment(request, folder)) {
        code = cli_fail(CLI_FAILED, &cli_sim_command, "the environment cannot be set: %s", strerror(errno));
    } else if (request->control && !make_control(request)) {
        code = CLI_FAILED;
    } else {
        code = cli_become(&cli_sim_command, request->command);
    }
    free(folder);
    free(library);
    return code;
}

static int run_sim(int argc, char **argv, FILE *out)
{
    struct request request = { 0 };
    if (argc > 1 && strcmp(argv[1], "ctl") == 0) {
        return sim_ctl(argc - 1, argv + 1, out);
    }
    if (!parse(&request, argc, argv)) {
        return CLI_USAGE;
    }
    if (request.help) {
        return cli_options_help(&cli_sim_command, out);
    }
    sim_drivers drivers = SIM_DRIVERS_INIT;
    int code = CLI_FAILED;
    if (sim_drivers_find(&drivers)) {
        const char *version = sim_drivers_choose(&drivers, request.driver);
        code = version == NULL ? CLI_USAGE : run_on(&request, &drivers, version, out);
    }
    sim_drivers_free(&drivers);
    return code;
}
