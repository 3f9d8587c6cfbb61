/*
 * `nvpulse query`: nvidia-smi's query mode, so that a script goes on to work when one word of it changes. Reads the command line, takes
 * snapshots, and answers with nvidia-smi's exit codes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <nvpulse/nvml.h>
#include <nvpulse/sampler.h>

#include "driver.h"
#include "loop.h"
#include "options.h"
#include "output.h"
#include "query.h"
#include "size.h"
#include "watch.h"

/** In nvidia-smi's words, and where it writes them. */
#define NO_DEVICES "No devices were found\n"

enum { KEY_GPU = 256, KEY_APPS, KEY_FORMAT, KEY_LOOP_MS, KEY_HELP_GPU, KEY_HELP_APPS, KEY_WAKE };

static const cli_option options_table[] = {
    { KEY_GPU, "query-gpu", "FIELDS", "a row for each GPU, with these properties, such as name,power.draw" },
    { KEY_APPS, "query-compute-apps", "FIELDS", "a row for each process that computes, such as pid,used_memory" },
    { KEY_FORMAT, "format", "FORMAT", "csv (the default), json or jsonl; with ,noheader and ,nounits for csv" },
    { 'i', "id", "GPU", "only these: index, UUID or its beginning, PCI bus id; several with commas" },
    { 'l', "loop", "SECONDS", "again and again, until Ctrl-C; every 5 seconds when no number follows" },
    { KEY_LOOP_MS, "loop-ms", "MILLISECONDS", "the same in milliseconds; also -lms" },
    { 'f', "filename", "FILE", "write into FILE" },
    { KEY_WAKE, "wake", NULL, "ask suspended GPUs, too, which wakes them" },
    { KEY_HELP_GPU, "help-query-gpu", NULL, "list the properties of a GPU" },
    { KEY_HELP_APPS, "help-query-compute-apps", NULL, "list the properties of a process" },
    { 'h', "help", NULL, "print this help" },
    CLI_OPTIONS_END,
};

static int run_query(int argc, char **argv, FILE *out);

const cli_command cli_query_command = {
    .name = "query",
    .operands = "",
    .summary = "Query GPUs in the way of nvidia-smi, with its names and formats",
    .details = "\n"
               "In a script, 'nvidia-smi --query-gpu=...' becomes 'nvpulse query --query-gpu=...'; the rest stays.\n"
               "Exit codes are nvidia-smi's: 2 wrong command line, 4 no permission, 6 no such GPU, 9 no driver,\n"
               "10 no answer in time, 12 no library, 15 GPU lost, 255 anything else.\n"
               "\n"
               "Examples:\n"
               "  nvpulse query --query-gpu=name,power.draw,memory.used --format=csv\n"
               "  nvpulse query --query-gpu=index,utilization.gpu --format=csv,noheader,nounits -i 0,1 -lms 500\n"
               "  nvpulse query --query-compute-apps=pid,process_name,used_memory --format=json\n",
    .options = options_table,
    .run = run_query,
};

/** The command line, read. */
struct request {
    query_columns columns;
    query_format format;
    const char *ids, *file;
    uint64_t interval_ms; /**< 0: once */
    bool has_query, wake, help, help_gpu, help_apps;
};

/* nvidia-smi takes -lms for --loop-ms, and -l without a number; getopt_long does not. */
static void translate_arguments(int argc, char **argv)
{
    static char loop_ms[] = "--loop-ms", loop_default[] = "--loop=5";
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        bool is_loop = strcmp(argv[i], "-l") == 0 || strcmp(argv[i], "--loop") == 0;
        if (strcmp(argv[i], "-lms") == 0) {
            argv[i] = loop_ms;
        } else if (is_loop && (i + 1 == argc || argv[i + 1][0] == '-')) {
            argv[i] = loop_default;
        }
    }
}

static bool take_query(struct request *request, query_kind kind, const char *list, int *code)
{
    if (request->has_query) {
        *code = cli_misuse(&cli_query_command, "one of --query-gpu and --query-compute-apps, once");
        return false;
    }
    request->has_query = true;
    *code = query_columns_parse(&request->columns, &cli_query_command, kind, list);
    return *code == CLI_OK;
}

/* "5", "=5" (of "-l=5"), "ms=500" (of "-lms=500"); and the number of --loop-ms. */
static bool take_interval(struct request *request, const cli_options *options, bool milliseconds)
{
    const char *text = options->argument;
    char *end = NULL;
    milliseconds = milliseconds || strncmp(text, "ms", 2) == 0;
    text += strncmp(text, "ms", 2) == 0 ? 2 : 0;
    text += *text == '=';
    errno = 0;
    unsigned long number = text[0] >= '0' && text[0] <= '9' ? strtoul(text, &end, 10) : 0;
    if (milliseconds && end != NULL && *end == '\0' && errno == 0 && number > 0) {
        request->interval_ms = number;
        return true;
    }
    if (!milliseconds && cli_parse_milliseconds(text, &request->interval_ms) && request->interval_ms > 0) {
        return true;
    }
    cli_misuse(&cli_query_command, "--%s: '%s' is no time that can be waited", milliseconds ? "loop-ms" : "loop", text);
    return false;
}

/* Takes one option; false after a message. */
static bool take_option(struct request *request, const cli_options *options, int key, int *code)
{
    const char *text = options->argument;
    switch (key) {
    case KEY_GPU:
        return take_query(request, QUERY_GPUS, text, code);
    case KEY_APPS:
        return take_query(request, QUERY_APPS, text, code);
    case KEY_FORMAT:
        return query_format_parse(&request->format, &cli_query_command, text);
    case 'i': /* "-i=0" works with nvidia-smi, too */
        request->ids = text + (text[0] == '=');
        return true;
    case 'l':
    case KEY_LOOP_MS:
        return take_interval(request, options, key == KEY_LOOP_MS);
    case 'f':
        request->file = text + (text[0] == '=');
        return true;
    case KEY_WAKE:
        return request->wake = true;
    case KEY_HELP_GPU:
        return request->help_gpu = true;
    case KEY_HELP_APPS:
        return request->help_apps = true;
    case 'h':
        return request->help = true;
    default:
        return false;
    }
}

static int parse(struct request *request, int argc, char **argv)
{
    cli_options options;
    int code = CLI_USAGE, count;
    translate_arguments(argc, argv);
    cli_options_begin(&options, &cli_query_command, argc, argv);
    for (int key; (key = cli_options_next(&options)) != CLI_OPTIONS_DONE;) {
        code = CLI_USAGE;
        if (!take_option(request, &options, key, &code)) {
            return code;
        }
    }
    char **operands = cli_options_operands(&options, &count);
    if (request->help || request->help_gpu || request->help_apps) {
        return CLI_OK;
    }
    if (count > 0) {
        return cli_misuse(&cli_query_command, "unexpected operand '%s'", operands[0]);
    }
    if (!request->has_query) {
        return cli_misuse(&cli_query_command, "what to query is missing: --query-gpu=FIELDS or --query-compute-apps=FIELDS");
    }
    return CLI_OK;
}

/* Writes what a round has printed; false ends the loop, and `code` says why when it is an error. */
static bool flush(const struct request *request, FILE *file, FILE *out, int *code)
{
    int failure = CLI_OK;
    if (request->file == NULL) {
        bool goes_on = cli_output_flush(out, &failure);
        *code = failure != CLI_OK ? QUERY_EXIT_OTHER : *code;
        return goes_on;
    }
    if (fflush(file) == 0 && !ferror(file)) {
        return true;
    }
    cli_fail(QUERY_EXIT_OTHER, &cli_query_command, "cannot write %s: %s", request->file, strerror(errno));
    *code = QUERY_EXIT_OTHER;
    return false;
}

static nvp_sampler *new_sampler(const struct request *request)
{
    nvp_snapshot_options options = NVP_SNAPSHOT_OPTIONS_INIT;
    nvp_metric *metrics = query_columns_metrics(&request->columns, &options.metric_count);
    options.metrics = metrics;
    options.flags |= request->columns.kind == QUERY_GPUS ? (unsigned int)NVP_SNAPSHOT_NO_PROCESSES : 0;
    options.flags |= request->wake ? (unsigned int)NVP_SNAPSHOT_WAKE : 0;
    nvp_sampler *sampler = NULL;
    if (metrics == NULL) {
        cli_no_memory(&cli_query_command);
    } else {
        sampler = cli_watch_sampler(&cli_query_command, &options, request->ids);
    }
    free(metrics);
    return sampler;
}

/* One snapshot and its rows. */
static int sample(struct request *request, nvp_sampler *sampler, FILE *file)
{
    nvp_snapshot *snapshot = NULL;
    nvp_status status = nvp_sampler_sample(sampler, &snapshot);
    if (status != NVP_SUCCESS) {
        cli_fail(0, &cli_query_command, "the GPUs cannot be asked: %s (%s)", nvp_status_text(status), nvp_status_name(status));
        return query_exit_code(status);
    }
    if (nvp_reading_uint(nvp_snapshot_host(snapshot, NVP_HOST_GPU_COUNT), 0) == 0) {
        fputs(NO_DEVICES, file);
        nvp_snapshot_free(snapshot);
        return NVML_ERROR_NOT_FOUND;
    }
    int code = query_print_round(&request->columns, &request->format, request->ids, snapshot, file);
    nvp_snapshot_free(snapshot);
    return code;
}

static int query_into(struct request *request, FILE *file, FILE *out)
{
    nvp_sampler *sampler = new_sampler(request);
    if (sampler == NULL) {
        return QUERY_EXIT_OTHER;
    }
    cli_loop loop;
    bool loops = request->interval_ms > 0;
    if (loops && !cli_loop_begin(&loop, request->interval_ms, request->file == NULL)) {
        nvp_sampler_free(sampler);
        return cli_fail(QUERY_EXIT_OTHER, &cli_query_command, "the loop cannot begin: %s", strerror(errno));
    }
    int code = sample(request, sampler, file);
    bool goes_on = flush(request, file, out, &code) && loops && code != NVML_ERROR_NOT_FOUND;
    while (goes_on && cli_loop_wait(&loop)) { /* a driver that fails meanwhile is asked again in the next round */
        code = sample(request, sampler, file);
        goes_on = flush(request, file, out, &code);
    }
    nvp_sampler_free(sampler);
    return code;
}

static int query(struct request *request, FILE *out)
{
    nvp_status status = cli_driver_open();
    if (status == NVML_ERROR_GPU_NOT_FOUND) { /* the driver works, but finds no GPU of its own */
        fputs(NO_DEVICES, out);
        return NVML_ERROR_NOT_FOUND;
    }
    if (status != NVP_SUCCESS) {
        cli_driver_explain(&cli_query_command, status, false);
        return query_exit_code(status);
    }
    FILE *file = request->file == NULL ? out : fopen(request->file, "we");
    if (file == NULL) {
        return cli_fail(QUERY_EXIT_OTHER, &cli_query_command, "cannot write %s: %s", request->file, strerror(errno));
    }
    int code = query_into(request, file, out);
    if (file != out && fclose(file) != 0) {
        code = cli_fail(QUERY_EXIT_OTHER, &cli_query_command, "cannot write %s: %s", request->file, strerror(errno));
    }
    return code;
}

static int run_query(int argc, char **argv, FILE *out)
{
    struct request request = { 0 };
    int code = parse(&request, argc, argv);
    if (code != CLI_OK) {
        code = code == CLI_FAILED ? QUERY_EXIT_OTHER : code;
    } else if (request.help) {
        code = cli_options_help(&cli_query_command, out);
    } else if (request.help_gpu || request.help_apps) {
        query_fields_help(request.help_gpu ? QUERY_GPUS : QUERY_APPS, out);
    } else {
        code = query(&request, out);
    }
    query_columns_free(&request.columns);
    return code;
}
