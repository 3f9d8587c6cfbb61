/*
 * `nvpulse record`: snapshots into a file, one a line, until something ends it.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <nvpulse/sampler.h>

#include "common.h"
#include "metric_list.h"
#include "options.h"
#include "record.h"
#include "size.h"
#include "watch.h"

enum { KEY_NO_PROCESSES = 256 };

#define COUNT_MAX 1000000000ul

/* What tells of a training run without asking the driver for much. */
#define DEFAULT_METRICS                                                                                                          \
    "utilization.*,memory.total_bytes,memory.used_bytes,temperature.gpu_c,temperature.memory_c,"                                 \
    "power.draw_mw,power.enforced_limit_mw,power.energy_mj,clocks.graphics_mhz,clocks.sm_mhz,clocks.memory_mhz,"                 \
    "clocks.event_reasons,clocks.performance_state,fan.speed_percent,pcie.rx_bytes_per_s,pcie.tx_bytes_per_s,"                   \
    "nvlink.rx_bytes_per_s,nvlink.tx_bytes_per_s,ecc.uncorrected_volatile,event.xid_count,event.last_xid"
/* What a device is known by. */
#define ALWAYS_METRICS "identity.name,identity.uuid,identity.pci_bus_id"

static const cli_option options_table[] = {
    { 'o', "output", "FILE", "write to this file; - is standard output" },
    { 'l', "loop", "SECONDS", "take a snapshot so often; every second unless given" },
    { 'n', "count", "N", "end after so many snapshots" },
    { 'd', "duration", "TIME", "end after so long: 90 (seconds), 5m, 1h" },
    { 'm', "metrics", "LIST", "record these: names, group.*, all; with commas" },
    { 'i', "id", "DEVICES", "only these: index, UUID or its beginning, PCI bus id, 0:1 for MIG; with commas" },
    { KEY_NO_PROCESSES, "no-processes", NULL, "leave the processes out" },
    { 'a', "append", NULL, "go on behind a recording that is there" },
    { 'f', "force", NULL, "overwrite a file that is there" },
    { 'h', "help", NULL, "print this help" },
    CLI_OPTIONS_END,
};

static int run_record(int argc, char **argv, FILE *out);

const cli_command cli_record_command = {
    .name = "record",
    .operands = "[-- COMMAND [ARGUMENT...]]",
    .summary = "Record what the GPUs do, alone or while a command runs",
    .details = "\n"
               "One snapshot is one line of JSON. Each is written at once and as a whole: a recording that is\n"
               "killed loses nothing but perhaps its last line. 'nvpulse report FILE' tells what is in it.\n"
               "With a COMMAND the recording ends when that ends, with its exit status.\n"
               "\n"
               "Examples:\n"
               "  nvpulse record --output run.jsonl -- python3 train.py\n"
               "  nvpulse record --output day.jsonl --loop 10 --duration 24h\n"
               "  nvpulse record --output power.jsonl --metrics 'power.*,temperature.gpu_c' --no-processes\n"
               "  nvpulse record --output - --count 60 | nvpulse report -\n",
    .options = options_table,
    .operands_end_options = true,
    .run = run_record,
};

/** The command line, read. */
struct request {
    cli_common common;
    const char *path, *metric_names;
    char **command; /**< NULL: none */
    record_mode mode;
    uint64_t duration_ms; /**< 0: no end */
    unsigned long count;  /**< 0: no end */
    bool no_processes, append, force;
    cli_metric_list metrics;
};

static bool take_count(struct request *request, const cli_options *options)
{
    if (!cli_options_number(options, "count", COUNT_MAX, &request->count)) {
        return false;
    }
    if (request->count == 0) {
        cli_misuse(&cli_record_command, "--count: at least one");
    }
    return request->count > 0;
}

/* Takes one option; false after a message. */
static bool take_option(void *context, const cli_options *options, int key)
{
    struct request *request = context;
    switch (key) {
    case 'o':
        request->path = options->argument;
        return true;
    case 'n':
        return take_count(request, options);
    case 'd':
        return cli_options_milliseconds(options, "duration", &request->duration_ms);
    case 'm':
        request->metric_names = options->argument;
        return true;
    case KEY_NO_PROCESSES:
        request->no_processes = true;
        return true;
    case 'a':
        request->append = true;
        return true;
    case 'f':
        request->force = true;
        return true;
    default:
        return cli_common_take(&request->common, options, key);
    }
}

static bool check(struct request *request)
{
    if (request->path == NULL || request->path[0] == '\0') {
        cli_misuse(&cli_record_command, "where to write is missing: --output FILE");
        return false;
    }
    if (request->append && request->force) {
        cli_misuse(&cli_record_command, "--append and --force contradict each other");
        return false;
    }
    request->mode = request->append ? RECORD_APPEND : request->force ? RECORD_FORCE : RECORD_REFUSE;
    const char *names = request->metric_names != NULL ? request->metric_names : DEFAULT_METRICS;
    return cli_metric_list_add(&request->metrics, &cli_record_command, "metrics", ALWAYS_METRICS) &&
           cli_metric_list_add(&request->metrics, &cli_record_command, "metrics", names);
}

static bool parse(struct request *request, int argc, char **argv)
{
    cli_options options;
    if (!cli_options_read(&options, &cli_record_command, argc, argv, take_option, request)) {
        return false;
    }
    int count;
    char **operands = cli_options_operands(&options, &count);
    request->command = count > 0 ? operands : NULL;
    return request->common.help || check(request);
}

/** A recording that is under way. */
struct recording {
    const struct request *request;
    nvp_sampler *sampler;
    nvp_snapshot *first; /**< taken, and not written yet */
    record_file file;
    record_child child;
    nvp_status trouble; /**< what the last snapshot failed with */
    unsigned long taken;
    bool goes_on;
    int code;
};

static void write_snapshot(struct recording *recording, nvp_snapshot *snapshot)
{
    nvp_snapshot *part = NULL;
    char *text = NULL;
    size_t length = 0;
    if (recording->request->common.ids != NULL &&
        cli_watch_choose(&cli_record_command, recording->request->common.ids, false, snapshot, &part) != CLI_OK) {
        return;
    }
    if (nvp_snapshot_to_json(part != NULL ? part : snapshot, &text, &length) == NVP_SUCCESS) {
        text[length] = '\n'; /* in place of the NUL */
        recording->code = record_file_write(&recording->file, text, length + 1, &recording->goes_on);
        recording->taken++;
    } else {
        cli_no_memory(&cli_record_command); /* this one is lost; the next may succeed */
    }
    free(text);
    nvp_snapshot_free(part);
    unsigned long count = recording->request->count;
    recording->goes_on = recording->goes_on && (count == 0 || recording->taken < count);
}

/* A driver that fails meanwhile is asked again in the next round, and told of once. */
static void sample(struct recording *recording)
{
    nvp_snapshot *snapshot = recording->first;
    nvp_status status = snapshot != NULL ? NVP_SUCCESS : nvp_sampler_sample(recording->sampler, &snapshot);
    recording->first = NULL;
    if (status == NVP_SUCCESS) {
        write_snapshot(recording, snapshot);
        nvp_snapshot_free(snapshot);
    } else if (status != recording->trouble) {
        cli_fail(CLI_FAILED, &cli_record_command, "the GPUs cannot be asked: %s (%s); trying on", nvp_status_text(status),
                 nvp_status_name(status));
    }
    recording->trouble = status;
}

/* The first snapshot shows whether there is a driver and whether the devices are there, before anything is written or started. */
static int take_first(struct recording *recording)
{
    const struct request *request = recording->request;
    nvp_status status = nvp_sampler_sample(recording->sampler, &recording->first);
    if (status != NVP_SUCCESS) {
        return cli_watch_explain(&cli_record_command, status, false);
    }
    nvp_snapshot *part = NULL;
    int code = request->common.ids == NULL
                   ? CLI_OK
                   : cli_watch_choose(&cli_record_command, request->common.ids, true, recording->first, &part);
    nvp_snapshot_free(part);
    return code;
}

static int begin(struct recording *recording, FILE *out)
{
    const struct request *request = recording->request;
    int code = take_first(recording);
    if (code == CLI_OK) {
        code = record_file_open(&recording->file, request->path, request->mode, out);
    }
    if (code == CLI_OK && request->command != NULL) {
        code = record_child_start(&recording->child, request->command);
    }
    return code;
}

/* Rounds until something ends them, and one more at the end, so that what came after the last round is not lost. */
static int loop_on(struct recording *recording)
{
    const struct request *request = recording->request;
    cli_loop loop;
    bool has_child = recording->child.pid > 0;
    bool watches_output = recording->file.out != NULL && !has_child;
    if (!cli_loop_begin(&loop, request->common.interval_ms, watches_output) ||
        (has_child && !record_child_watch(&recording->child, &loop))) {
        return cli_fail(CLI_FAILED, &cli_record_command, "signals cannot be caught");
    }
    if (request->duration_ms > 0) {
        cli_loop_end_after(&loop, request->duration_ms);
    }
    recording->goes_on = true;
    do {
        sample(recording);
    } while (recording->goes_on && cli_loop_wait(&loop));
    if (recording->goes_on) {
        sample(recording);
    }
    return recording->code;
}

static int record(const struct request *request, FILE *out)
{
    struct recording recording = { .request = request, .file.descriptor = -1 };
    const nvp_snapshot_options options = {
        .struct_size = sizeof options,
        .metrics = request->metrics.metrics,
        .metric_count = request->metrics.count,
        .flags = request->no_processes ? NVP_SNAPSHOT_NO_PROCESSES : 0,
    };
    recording.sampler = cli_watch_sampler(&cli_record_command, &options, request->common.ids);
    if (recording.sampler == NULL) {
        return CLI_FAILED;
    }
    int code = begin(&recording, out);
    if (code == CLI_OK) {
        code = loop_on(&recording);
    }
    int closed = record_file_close(&recording.file);
    code = code != CLI_OK ? code : closed;
    if (recording.child.pid > 0) {
        int child_code = record_child_wait(&recording.child);
        code = child_code != 0 ? child_code : code;
    }
    nvp_snapshot_free(recording.first);
    nvp_sampler_free(recording.sampler);
    return code;
}

static int run_record(int argc, char **argv, FILE *out)
{
    struct request request = { .common = { .interval_ms = 1000 } };
    if (!parse(&request, argc, argv)) {
        return CLI_USAGE;
    }
    if (request.common.help) {
        return cli_options_help(&cli_record_command, out);
    }
    signal(SIGXFSZ, SIG_IGN); /* a limit of the size of files is an error of the write */
    return record(&request, out);
}
