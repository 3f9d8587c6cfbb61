/*
 * `nvpulse processes`: who uses the GPUs.
 */
#include <stdlib.h>

#include "common.h"
#include "options.h"
#include "processes.h"
#include "size.h"
#include "users.h"
#include "watch.h"

enum { KEY_COLOR = 256, KEY_JSON, KEY_JSONL, KEY_CSV, KEY_PID, KEY_COMMAND };

#define USUAL_COLUMNS "gpu_index,pid,user,type,gpu_memory_bytes,sm_percent,cpu_percent,host_memory_bytes,running_time_s,command"

/** The load of the processor is a rate: two looks so far apart. */
#define APART_MS 200

static const cli_option options_table[] = {
    { 's', "sort", "FIELDS", "order by these fields, with commas; '-' before one: the largest first" },
    { 'c', "columns", "FIELDS", "show these fields, with commas" },
    { 'i', "id", "DEVICES", "on these: index, UUID or its beginning, PCI bus id, 0:1 for MIG; with commas" },
    { 'u', "user", "USERS", "of these users, by name or number, with commas" },
    { KEY_PID, "pid", "PIDS", "these process ids, with commas" },
    { KEY_COMMAND, "command", "TEXT", "with this in the command line; with * ? [ a pattern for all of it" },
    { 't', "type", "TYPES", "that compute (C), draw (G) or compute through MPS (M)" },
    { 'l', "loop", "SECONDS", "look again and again, so far apart, until Ctrl-C" },
    { KEY_JSON, "json", NULL, "print one JSON object with all fields, or those of --columns" },
    { KEY_JSONL, "jsonl", NULL, "print one JSON object for each process, each in a line" },
    { KEY_CSV, "csv", NULL, "print comma separated values, in the units that the names say" },
    { 'v', "verbose", NULL, "list what is N/A and why" },
    { 'w', "width", "COLUMNS", "fit the table into so many columns; 0: no limit" },
    { KEY_COLOR, "color", "WHEN", "use colors: auto (on a terminal), always or never" },
    { 'h', "help", NULL, "print this help" },
    CLI_OPTIONS_END,
};

static int run_processes(int argc, char **argv, FILE *out);

const cli_command cli_processes_command = {
    .name = "processes",
    .operands = "",
    .summary = "List the processes that use the GPUs",
    .details = "\n"
               "A process on two GPUs has two lines. A pid with a star is of another pid namespace, or not known here.\n"
               "Where the load of the processor is shown, two looks are taken, 0.2 seconds apart.\n"
               "\n"
               "Fields, whose unit may be left out; memory is gpu_memory_bytes:\n"
               "  pid, start_time_us, foreign, gpu_index, gpu_uuid, mig_index, gpu_instance, compute_instance, type,\n"
               "  gpu_memory_bytes, sm_percent, memory_percent, encoder_percent, decoder_percent, jpeg_percent,\n"
               "  ofa_percent, name, command, user, uid, parent_pid, cpu_percent, host_memory_bytes,\n"
               "  host_memory_percent, running_time_s, container_id, pod_uid, slurm_job\n"
               "\n"
               "Examples:\n"
               "  nvpulse processes --sort=-gpu_memory\n"
               "  nvpulse processes --user ada --type C --columns gpu,pid,gpu_memory,command\n"
               "  nvpulse processes --id 0 --command python --csv\n",
    .options = options_table,
    .run = run_processes,
};

/** The command line, read. */
struct request {
    process_view view;
    cli_common common;
    const char *columns, *order, *types;
    bool has_header;
};

static bool take_form(struct request *request, process_form form)
{
    if (request->view.form != PROCESS_TABLE && request->view.form != form) {
        cli_misuse(&cli_processes_command, "one of --json, --jsonl and --csv");
        return false;
    }
    request->view.form = form;
    return true;
}

/* Takes an option of the output; false after a message. */
static bool take_output_option(struct request *request, const cli_options *options, int key)
{
    switch (key) {
    case KEY_JSON:
        return take_form(request, PROCESS_JSON);
    case KEY_JSONL:
        return take_form(request, PROCESS_JSONL);
    case KEY_CSV:
        return take_form(request, PROCESS_CSV);
    case 'v':
        request->view.verbose = true;
        return true;
    default:
        return cli_common_take(&request->common, options, key);
    }
}

/* Takes one option; false after a message. */
static bool take_option(void *context, const cli_options *options, int key)
{
    struct request *request = context;
    switch (key) {
    case 's':
        request->order = options->argument;
        return true;
    case 'c':
        request->columns = options->argument;
        return true;
    case 'u':
        request->view.filter.users = options->argument;
        return cli_users_check(&cli_processes_command, "user", options->argument);
    case KEY_PID:
        request->view.filter.pids = options->argument;
        return process_pids_check(&cli_processes_command, options->argument);
    case KEY_COMMAND:
        request->view.filter.commands = options->argument;
        return true;
    case 't':
        return process_types_parse(&request->view.filter.types, &cli_processes_command, options->argument);
    default:
        return take_output_option(request, options, key);
    }
}

static void look_at_terminal(struct request *request)
{
    request->view.terminal = cli_common_terminal(&request->common);
}

static void take_all_columns(process_fields *columns)
{
    for (int field = 0; field < NVP_PROCESS_FIELD_COUNT && nvp_process_field_get((nvp_process_field)field) != NULL; field++) {
        columns->fields[columns->count++] = (nvp_process_field)field;
    }
}

/* Programs get everything unless they choose; people what fits. */
static bool complete(struct request *request)
{
    process_view *view = &request->view;
    bool is_for_people = view->form == PROCESS_TABLE;
    if (request->columns == NULL && !is_for_people) {
        take_all_columns(&view->columns);
    } else if (!process_fields_parse(&view->columns, &cli_processes_command, "columns",
                                     request->columns != NULL ? request->columns : USUAL_COLUMNS)) {
        return false;
    }
    return request->order == NULL || process_fields_parse(&view->order, &cli_processes_command, "sort", request->order);
}

static bool parse(struct request *request, int argc, char **argv)
{
    cli_options options;
    if (!cli_options_read(&options, &cli_processes_command, argc, argv, take_option, request)) {
        return false;
    }
    if (!request->common.help && !cli_options_no_more(&options, 0)) {
        return false;
    }
    return request->common.help || complete(request);
}

/* Devices whose processes are missing, or known from before only. */
static void print_notes(const nvp_snapshot *snapshot, bool is_for_people, FILE *out)
{
    const nvp_device_sample *device;
    char text[160];
    bool any = false;
    for (size_t i = 0; (device = nvp_snapshot_device(snapshot, i)) != NULL; i++) {
        if (device->mig_index >= 0 || device->state == NVP_DEVICE_OK || device->state == NVP_DEVICE_ASLEEP) {
            continue;
        }
        int length = snprintf(text, sizeof text, "GPU %u: %s", device->index, nvp_device_state_name(device->state));
        if (device->state == NVP_DEVICE_STALLED) {
            snprintf(text + length, sizeof text - (size_t)length, " %lld s", (long long)(device->stalled_us / 1000000));
        }
        any = true;
        is_for_people ? (void)fprintf(out, "%s\n", text) : (void)cli_fail(0, &cli_processes_command, "%s", text);
    }
    nvp_status status = nvp_snapshot_process_status(snapshot);
    if (!any && status != NVP_SUCCESS) {
        snprintf(text, sizeof text, "the list is not complete: %s (%s)", nvp_status_text(status), nvp_status_name(status));
        is_for_people ? (void)fprintf(out, "%s\n", text) : (void)cli_fail(0, &cli_processes_command, "%s", text);
    }
}

static bool print(struct request *request, const nvp_snapshot *snapshot, const nvp_process *const *processes, size_t count,
                  FILE *out)
{
    switch (request->view.form) {
    case PROCESS_JSON:
    case PROCESS_JSONL:
        return process_print_json(snapshot, processes, count, &request->view, out);
    case PROCESS_CSV:
        if (!request->has_header) {
            process_print_csv_header(&request->view, out);
            request->has_header = true;
        }
        return process_print_csv(processes, count, &request->view, out);
    default:
        look_at_terminal(request); /* it may have changed its size */
        return process_print_table(snapshot, processes, count, &request->view, out);
    }
}

static int show(nvp_snapshot *snapshot, void *context, FILE *out)
{
    struct request *request = context;
    size_t count = 0;
    const nvp_process **processes = process_select(snapshot, &request->view, &count);
    bool done = processes != NULL && print(request, snapshot, processes, count, out);
    if (done) {
        print_notes(snapshot, request->view.form == PROCESS_TABLE, out);
    }
    free(processes);
    return done ? CLI_OK : cli_no_memory(&cli_processes_command);
}

static int run_processes(int argc, char **argv, FILE *out)
{
    struct request request = { .common = { .color = CLI_AUTO } };
    if (!parse(&request, argc, argv)) {
        return CLI_USAGE;
    }
    if (request.common.help) {
        return cli_options_help(&cli_processes_command, out);
    }
    const process_view *view = &request.view;
    bool needs_cpu = process_fields_have(&view->columns, NVP_PROCESS_CPU_PERCENT) ||
                     process_fields_have(&view->order, NVP_PROCESS_CPU_PERCENT);
    cli_watch watch = {
        .command = &cli_processes_command,
        .options = NVP_SNAPSHOT_OPTIONS_INIT,
        .ids = request.common.ids,
        .interval_ms = request.common.interval_ms,
        .apart_ms = needs_cpu && request.common.interval_ms == 0 ? APART_MS : 0,
        .for_programs = view->form != PROCESS_TABLE,
        .verbose = view->verbose,
        .show = show,
        .context = &request,
    };
    const nvp_metric none[1] = { NVP_METRIC_IDENTITY_UUID };
    watch.options.metrics = none; /* no metric is needed */
    return cli_watch_run(&watch, out);
}
