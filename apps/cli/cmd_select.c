/*
 * `nvpulse select`: names devices for a job, or runs the job on them. Takes one snapshot, judges each device that CUDA would show, and
 * answers with the best.
 */
#include <stdlib.h>
#include <string.h>

#include <nvpulse/lifecycle.h>
#include <nvpulse/nvml.h>

#include "become.h"
#include "driver.h"
#include "options.h"
#include "select.h"
#include "size.h"
#include "users.h"

#define VARIABLE "CUDA_VISIBLE_DEVICES"

/** No machine has so many devices. */
#define MANY 4096

enum {
    KEY_FREE = 256,
    KEY_TOTAL,
    KEY_GPU,
    KEY_MEMORY,
    KEY_MIN,
    KEY_MAX,
    KEY_TOLERANCE,
    KEY_USERS,
    KEY_ANY,
    KEY_INHERIT,
    KEY_MIG,
    KEY_WAKE,
    KEY_SEPARATOR,
    KEY_JSON
};

static const cli_option options_table[] = {
    { KEY_FREE, "min-free-memory", "SIZE", "with so much memory free: 8GiB, or a share such as 50%" },
    { KEY_TOTAL, "min-total-memory", "SIZE", "with so much memory in all" },
    { KEY_GPU, "max-gpu-utilization", "PERCENT", "at most so busy" },
    { KEY_MEMORY, "max-memory-utilization", "PERCENT", "with memory at most so busy" },
    { 't', "tolerance", "PERCENT", "take the limits above by so much less strictly" },
    { KEY_USERS, "free-users", "USER", "devices used by these users alone count as free; several with commas" },
    { KEY_USERS, "free-accounts", "USER", "the same" },
    { 'n', "count", "NUMBER", "exactly so many devices" },
    { KEY_MIN, "min-count", "NUMBER", "at least so many (1)" },
    { KEY_MAX, "max-count", "NUMBER", "at most so many" },
    { KEY_INHERIT, "inherit", NULL, "only devices in CUDA_VISIBLE_DEVICES, when that is set (the default)" },
    { KEY_ANY, "any", NULL, "any device, whatever CUDA_VISIBLE_DEVICES says" },
    { KEY_MIG, "mig", NULL, "MIG devices instead of whole GPUs" },
    { KEY_WAKE, "wake", NULL, "suspended devices, too: they are woken" },
    { 'f', "output", "FORM", "index or uuid; a MIG device is always named by UUID" },
    { 's', "separator", "TEXT", "between the names, instead of a comma" },
    { '0', "null", NULL, "end each name with a NUL" },
    { KEY_JSON, "json", NULL, "print JSON" },
    { 'v', "verbose", NULL, "say why each other device was not selected" },
    { 'h', "help", NULL, "print this help" },
    CLI_OPTIONS_END,
};

static int run_select(int argc, char **argv, FILE *out);

const cli_command cli_select_command = {
    .name = "select",
    .operands = "[-- COMMAND [ARGUMENT...]]",
    .summary = "Select devices for a job, or run it on them",
    .details = "\n"
               "The devices with the most free memory and the least utilization come first. COMMAND runs with\n"
               "CUDA_VISIBLE_DEVICES set; its exit status is that of nvpulse. When there are not enough devices,\n"
               "nothing is printed or run, and the exit status is 5. On a device that shares the memory of the host,\n"
               "what the host has available counts as free.\n"
               "\n"
               "Examples:\n"
               "  nvpulse select --min-free-memory 8GiB --max-gpu-utilization 10\n"
               "  nvpulse select --count 2 --min-free-memory 50% -- python3 train.py\n"
               "  export CUDA_VISIBLE_DEVICES=\"$(nvpulse select --count 1 --output uuid)\"\n",
    .options = options_table,
    .operands_end_options = true,
    .run = run_select,
};

/** The command line, read. */
struct request {
    select_rules rules;
    select_view view;
    unsigned long least, most;
    char **command;
    bool any, wake, verbose, has_output, has_form, help;
};

static bool take_amount(select_amount *amount, bool *has, const cli_options *options)
{
    *has = true;
    amount->is_share = strchr(options->argument, '%') != NULL;
    return amount->is_share ? cli_options_percent(options, "min-free-memory", 100, &amount->percent)
                            : cli_options_bytes(options, "min-free-memory", &amount->bytes);
}

/* The constraints; false after a message. `*known` tells whether the key was one of theirs. */
static bool take_rule(struct request *request, const cli_options *options, int key, bool *known)
{
    select_rules *rules = &request->rules;
    switch (key) {
    case KEY_FREE:
        return take_amount(&rules->free_memory, &rules->has_free_memory, options);
    case KEY_TOTAL:
        rules->has_total_memory = true;
        return cli_options_bytes(options, "min-total-memory", &rules->total_memory);
    case KEY_GPU:
        rules->has_gpu_percent = true;
        return cli_options_percent(options, "max-gpu-utilization", 100, &rules->gpu_percent);
    case KEY_MEMORY:
        rules->has_memory_percent = true;
        return cli_options_percent(options, "max-memory-utilization", 100, &rules->memory_percent);
    case 't':
        return cli_options_percent(options, "tolerance", 1000, &rules->tolerance_percent);
    case KEY_USERS:
        rules->free_users = options->argument;
        return cli_users_check(&cli_select_command, "free-users", options->argument);
    case KEY_MIG:
        return rules->mig = true;
    default:
        return *known = false;
    }
}

static bool take_count(struct request *request, const cli_options *options, int key)
{
    switch (key) {
    case 'n':
        if (!cli_options_number(options, "count", MANY, &request->least)) {
            return false;
        }
        request->most = request->least;
        return true;
    case KEY_MIN:
        return cli_options_number(options, "min-count", MANY, &request->least);
    default:
        return cli_options_number(options, "max-count", MANY, &request->most);
    }
}

/* Takes one option; false after a message. */
static bool take_option(void *context, const cli_options *options, int key)
{
    struct request *request = context;
    static const char *const forms[] = { "index", "uuid", NULL };
    bool known = true, taken = take_rule(request, options, key, &known);
    int choice;
    if (known) {
        return taken;
    }
    switch (key) {
    case 'n':
    case KEY_MIN:
    case KEY_MAX:
        return take_count(request, options, key);
    case KEY_INHERIT:
    case KEY_ANY:
        request->any = key == KEY_ANY;
        return true;
    case KEY_WAKE:
        return request->wake = true;
    case 'f':
        choice = cli_options_choice(options, "output", forms);
        request->has_output = true;
        request->view.uuid = choice == 1;
        return choice >= 0;
    case 's':
        request->view.separator = options->argument;
        return request->has_form = true;
    case '0':
        return request->has_form = request->view.null = true;
    case KEY_JSON:
        return request->has_form = request->view.json = true;
    case 'v':
        return request->verbose = true;
    case 'h':
        return request->help = true;
    default:
        return false;
    }
}

static bool parse(struct request *request, int argc, char **argv)
{
    cli_options options;
    int count;
    if (!cli_options_read(&options, &cli_select_command, argc, argv, take_option, request)) {
        return false;
    }
    char **operands = cli_options_operands(&options, &count);
    request->command = count > 0 ? operands : NULL;
    if (request->help) {
        return true;
    }
    if (count > 0 && strcmp(operands[-1], "--") != 0) {
        cli_misuse(&cli_select_command, "unexpected operand '%s'; a command to run goes after '--'", operands[0]);
    } else if (count > 0 && request->has_form) {
        cli_misuse(&cli_select_command, "--separator, --null and --json do not go with a command");
    } else if (request->least > request->most || request->most == 0) {
        cli_misuse(&cli_select_command, "at least %lu devices and at most %lu: there is no such number", request->least,
                   request->most);
    } else {
        return true;
    }
    return false;
}

/* What CUDA shows; NULL: everything. */
static const char *visible(const struct request *request)
{
    return request->any ? NULL : getenv(VARIABLE);
}

/* Says on stderr why the others were not selected. */
static void explain(const select_candidates *candidates)
{
    for (size_t i = 0; i < candidates->count; i++) {
        const select_candidate *candidate = &candidates->items[i];
        char place[32] = "";
        if (candidate->device->mig_index >= 0) {
            snprintf(place, sizeof place, ":%d", candidate->device->mig_index);
        }
        if (!candidate->meets) {
            cli_fail(0, &cli_select_command, "device %u%s: %s", candidate->device->index, place, candidate->why);
        }
    }
}

static int refuse(const struct request *request, const select_candidates *candidates)
{
    cli_fail(0, &cli_select_command, "%zu of %zu devices%s can be selected, %lu wanted%s", candidates->good, candidates->count,
             visible(request) != NULL ? " in " VARIABLE : "", request->least,
             request->verbose || candidates->good == candidates->count ? "" : "; --verbose says why");
    return CLI_UNMET;
}

/* Sets the variable for the command; the order of indices is the PCI bus's. False when memory ran out. */
static bool set_variable(const struct request *request, const select_candidates *candidates, size_t count)
{
    bool uuid = !request->has_output || request->view.uuid, done;
    char *list = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&list, &length);
    if (file == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        char name[128];
        select_name(&candidates->items[i], uuid, name, sizeof name);
        fprintf(file, "%s%s", i > 0 ? "," : "", name);
    }
    done = fclose(file) == 0 && setenv(VARIABLE, list, 1) == 0;
    done = done && (uuid || setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1) == 0);
    free(list);
    return done;
}

static int answer(const struct request *request, const select_candidates *candidates, FILE *out)
{
    size_t count = candidates->good < request->most ? candidates->good : request->most;
    if (request->verbose) {
        explain(candidates);
    }
    if (candidates->good < request->least) {
        return refuse(request, candidates);
    }
    if (request->command == NULL) {
        return select_print(&request->view, candidates->items, count, out) ? CLI_OK : cli_no_memory(&cli_select_command);
    }
    if (!set_variable(request, candidates, count)) {
        return cli_no_memory(&cli_select_command);
    }
    cli_driver_close(); /* the program begins without open device files */
    return cli_become(&cli_select_command, request->command);
}

static int select_devices(const struct request *request, FILE *out)
{
    select_candidates candidates = { NULL, 0, 0 };
    nvp_snapshot *snapshot = NULL;
    nvp_status status = cli_driver_open();
    if (status == NVML_ERROR_GPU_NOT_FOUND) { /* the driver works, but finds no GPU of its own */
        return refuse(request, &candidates);
    }
    if (status != NVP_SUCCESS) {
        return cli_driver_explain(&cli_select_command, status, request->verbose);
    }
    status = select_snapshot(request->wake, &snapshot);
    int code = CLI_FAILED;
    if (status != NVP_SUCCESS) {
        cli_fail(code, &cli_select_command, "the GPUs cannot be asked: %s (%s)", nvp_status_text(status),
                 nvp_status_name(status));
    } else if (!select_look(&request->rules, snapshot, visible(request), &candidates)) {
        cli_no_memory(&cli_select_command);
    } else {
        code = answer(request, &candidates, out);
    }
    free(candidates.items);
    nvp_snapshot_free(snapshot);
    return code;
}

static int run_select(int argc, char **argv, FILE *out)
{
    struct request request = { .view = { .separator = "," }, .least = 1, .most = MANY };
    if (!parse(&request, argc, argv)) {
        return CLI_USAGE;
    }
    if (request.help) {
        return cli_options_help(&cli_select_command, out);
    }
    return select_devices(&request, out);
}
