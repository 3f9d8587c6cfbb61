/*
 * Takes snapshots with one sampler, so that rates are known from the second round on and a device that hangs is waited for once.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <nvpulse/lifecycle.h>
#include <nvpulse/nvml.h>

#include "driver.h"
#include "loop.h"
#include "output.h"
#include "part.h"
#include "screen.h"
#include "watch.h"

/** What a run works with. */
struct run {
    const cli_watch *watch;
    nvp_sampler *sampler;
    FILE *out;
    bool is_first, redraws;
};

int cli_watch_print_json(const cli_command *command, const nvp_snapshot *snapshot, FILE *out)
{
    char *text = NULL;
    size_t length = 0;
    if (nvp_snapshot_to_json(snapshot, &text, &length) != NVP_SUCCESS) {
        return cli_no_memory(command);
    }
    fwrite(text, 1, length, out);
    fputc('\n', out);
    free(text);
    return CLI_OK;
}

nvp_sampler *cli_watch_sampler(const cli_command *command, const nvp_snapshot_options *wanted, const char *ids)
{
    nvp_snapshot_options options = *wanted;
    bool adds = options.metrics != NULL && ids != NULL && cli_pick_needs_metrics(ids);
    size_t count = options.metric_count + cli_pick_metric_count;
    nvp_metric *metrics = adds ? reallocarray(NULL, count, sizeof *metrics) : NULL;
    nvp_sampler *sampler = NULL;
    if (metrics != NULL) {
        memcpy(metrics, options.metrics, options.metric_count * sizeof *metrics);
        memcpy(metrics + options.metric_count, cli_pick_metrics, cli_pick_metric_count * sizeof *metrics);
        options.metrics = metrics;
        options.metric_count = count;
    }
    unsigned int *gpus = ids == NULL ? NULL : cli_pick_gpus(ids, options.flags & NVP_SNAPSHOT_WAKE, &options.gpu_count);
    options.gpus = gpus;
    if ((adds && metrics == NULL) || nvp_sampler_new(&options, &sampler) != NVP_SUCCESS) {
        cli_no_memory(command);
    }
    free(gpus);
    free(metrics);
    return sampler;
}

int cli_watch_explain(const cli_command *command, nvp_status status, bool verbose)
{
    if (status == NVP_ERROR_NO_MEMORY) {
        return cli_no_memory(command);
    }
    if (nvp_get_state() != NVP_STATE_OPEN && status != NVP_ERROR_TIMED_OUT) { /* NVML's own codes do not tell everything */
        nvp_status opened = cli_driver_open();
        status = opened != NVP_SUCCESS ? opened : status;
    }
    if (nvp_get_state() == NVP_STATE_OPEN) {
        return cli_fail(CLI_FAILED, command, "the GPUs cannot be counted: %s (%s)", nvp_status_text(status),
                        nvp_status_name(status));
    }
    return cli_driver_explain(command, status, verbose);
}

/* What there is instead of the first snapshot. */
static int explain(const struct run *run, nvp_status status)
{
    const cli_watch *watch = run->watch;
    if (status == NVML_ERROR_GPU_NOT_FOUND && !watch->for_programs) { /* the driver works, but finds no GPU of its own */
        fputs("no NVIDIA GPUs found\n", run->out);
        return CLI_OK;
    }
    return cli_watch_explain(watch->command, status, watch->verbose);
}

/* A driver that fails meanwhile is asked again in the next round. */
static int note(const struct run *run, nvp_status status)
{
    if (run->watch->for_programs) {
        cli_fail(CLI_FAILED, run->watch->command, "%s (%s)", nvp_status_text(status), nvp_status_name(status));
    } else {
        fprintf(run->out, "the GPUs cannot be asked: %s (%s)\n", nvp_status_text(status), nvp_status_name(status));
    }
    return CLI_FAILED;
}

int cli_watch_choose(const cli_command *command, const char *ids, bool is_first, nvp_snapshot *snapshot, nvp_snapshot **part)
{
    const char *missing = NULL;
    cli_match match = CLI_MATCH_ONE;
    if (cli_part(snapshot, ids, part, &match, &missing) != NVP_SUCCESS) {
        return cli_no_memory(command);
    }
    if (match != CLI_MATCH_ONE && is_first) {
        nvp_snapshot_free(*part);
        *part = NULL;
        return cli_pick_refuse(command, match, missing);
    }
    return CLI_OK;
}

static int show(const struct run *run, nvp_snapshot *snapshot, FILE *out)
{
    if (run->watch->ids == NULL) {
        return run->watch->show(snapshot, run->watch->context, out);
    }
    nvp_snapshot *part = NULL;
    int code = cli_watch_choose(run->watch->command, run->watch->ids, run->is_first, snapshot, &part);
    if (code == CLI_OK) {
        code = run->watch->show(part, run->watch->context, out);
    }
    nvp_snapshot_free(part);
    return code;
}

/* One round: its exit code. */
static int look(const struct run *run)
{
    nvp_snapshot *snapshot = NULL;
    nvp_status status = nvp_sampler_sample(run->sampler, &snapshot);
    if (status != NVP_SUCCESS) {
        return run->is_first ? explain(run, status) : note(run, status);
    }
    int code = show(run, snapshot, run->out);
    nvp_snapshot_free(snapshot);
    return code;
}

/* The same, drawn over what the round before has drawn. */
static int look_and_draw(struct run *run)
{
    FILE *out = run->out;
    char *text = NULL;
    size_t length = 0;
    run->out = open_memstream(&text, &length);
    if (run->out == NULL) {
        run->out = out;
        return cli_no_memory(run->watch->command);
    }
    int code = look(run);
    bool is_whole = fclose(run->out) == 0;
    run->out = out;
    if (is_whole && length > 0) {
        cli_screen_draw(text, run->is_first, out);
    }
    free(text);
    return is_whole ? code : cli_no_memory(run->watch->command);
}

static int round_of(struct run *run)
{
    if (run->redraws) {
        return look_and_draw(run);
    }
    if (!run->is_first && !run->watch->for_programs) {
        fputc('\n', run->out);
    }
    return look(run);
}

static void sleep_ms(uint64_t span_ms)
{
    struct timespec left = { (time_t)(span_ms / 1000), (long)(span_ms % 1000) * 1000000 };
    nanosleep(&left, NULL); /* a signal that does not end the program may shorten it */
}

/* What is a rate needs two looks. A failure shows itself in the second one. */
static void warm_up(const struct run *run)
{
    nvp_snapshot *snapshot = NULL;
    if (run->watch->apart_ms > 0 && nvp_sampler_sample(run->sampler, &snapshot) == NVP_SUCCESS) {
        nvp_snapshot_free(snapshot);
        sleep_ms(run->watch->apart_ms);
    }
}

static int run_rounds(struct run *run)
{
    cli_loop loop;
    warm_up(run);
    int code = round_of(run), failure = CLI_OK;
    if (run->watch->interval_ms == 0 || code != CLI_OK) {
        return code;
    }
    run->is_first = false;
    bool goes_on = cli_output_flush(run->out, &failure);
    if (goes_on && !cli_loop_begin(&loop, run->watch->interval_ms, true)) {
        return cli_fail(CLI_FAILED, run->watch->command, "signals cannot be caught");
    }
    while (goes_on && cli_loop_wait(&loop)) {
        code = round_of(run);
        goes_on = cli_output_flush(run->out, &failure);
    }
    return failure != CLI_OK ? failure : code;
}

int cli_watch_run(const cli_watch *watch, FILE *out)
{
    struct run run = { watch, cli_watch_sampler(watch->command, &watch->options, watch->ids), out, true, false };
    if (run.sampler == NULL) {
        return CLI_FAILED;
    }
    run.redraws = watch->interval_ms > 0 && !watch->for_programs && cli_screen_can_draw();
    int code = run_rounds(&run);
    nvp_sampler_free(run.sampler);
    return code;
}
