/*
 * One round of `nvpulse query`: which devices and processes have a row, and what the exit code says of them.
 */
#include <stdlib.h>

#include <nvpulse/nvml.h>

#include "pick.h"
#include "query.h"

/** What a round of the query works with. */
struct round {
    const query_columns *columns;
    const query_format *format;
    const nvp_snapshot *snapshot;
    bool *chosen; /**< for each device */
    FILE *out;
    size_t rows;
    int code;
};

/* The exit code that a device deserves that could not be asked. */
static int device_code(const nvp_device_sample *device)
{
    switch (device->state) {
    case NVP_DEVICE_LOST: /* also one that needs a reset */
        return device->status != NVP_SUCCESS ? query_exit_code(device->status) : NVML_ERROR_GPU_IS_LOST;
    case NVP_DEVICE_STALLED:
        return NVML_ERROR_TIMEOUT;
    case NVP_DEVICE_FAILED:
        return query_exit_code(device->status);
    default:
        return CLI_OK;
    }
}

static void print_row(struct round *round, const nvp_device_sample *device, const nvp_process *process)
{
    query_row row = { round->snapshot, device, process };
    if (!query_print_row(round->columns, round->format, &row, round->rows == 0, round->out)) {
        cli_no_memory(&cli_query_command);
        round->code = QUERY_EXIT_OTHER;
    }
    round->rows++;
}

static void print_gpus(struct round *round)
{
    const nvp_device_sample *device;
    for (size_t i = 0; (device = nvp_snapshot_device(round->snapshot, i)) != NULL; i++) {
        if (round->chosen[i]) {
            print_row(round, device, NULL);
        }
    }
}

/* The GPU of a process, when it, or the MIG device of it that the process runs on, was chosen. */
static const nvp_device_sample *gpu_of(const struct round *round, const nvp_process *process)
{
    uint64_t index = nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_GPU_INDEX), UINT64_MAX);
    uint64_t mig = nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_MIG_INDEX), UINT64_MAX);
    const nvp_device_sample *device, *gpu = NULL;
    bool chosen = false;
    for (size_t i = 0; (device = nvp_snapshot_device(round->snapshot, i)) != NULL; i++) {
        bool is_gpu = device->mig_index < 0;
        if (device->index == index && (is_gpu || (uint64_t)device->mig_index == mig)) {
            gpu = is_gpu ? device : gpu;
            chosen = chosen || round->chosen[i];
        }
    }
    return chosen ? gpu : NULL;
}

static void print_apps(struct round *round)
{
    const nvp_process *process;
    for (size_t i = 0; (process = nvp_snapshot_process(round->snapshot, i)) != NULL; i++) {
        uint64_t type = nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_TYPE), 0);
        const nvp_device_sample *gpu = gpu_of(round, process);
        if (gpu != NULL && (type & (NVP_PROCESS_TYPE_COMPUTE | NVP_PROCESS_TYPE_MPS)) != 0) {
            print_row(round, gpu, process);
        }
    }
}

/* Marks what -i names, or every GPU. An exit code after a message, when there is nothing that it names. */
static int choose(const char *ids, const nvp_snapshot *snapshot, bool *chosen)
{
    const nvp_device_sample *device;
    const char *missing = NULL;
    if (ids == NULL) {
        for (size_t i = 0; (device = nvp_snapshot_device(snapshot, i)) != NULL; i++) {
            chosen[i] = device->mig_index < 0;
        }
        return CLI_OK;
    }
    cli_match match = cli_pick_mark(snapshot, ids, false, chosen, &missing);
    if (match == CLI_MATCH_ONE) {
        return CLI_OK;
    }
    cli_pick_refuse(&cli_query_command, match, missing);
    return NVML_ERROR_NOT_FOUND;
}

int query_print_round(const query_columns *columns, query_format *format, const char *ids, const nvp_snapshot *snapshot,
                      FILE *out)
{
    size_t count = nvp_snapshot_device_count(snapshot);
    struct round round = { columns, format, snapshot, calloc(count + 1, sizeof(bool)), out, 0, CLI_OK };
    if (round.chosen == NULL) {
        cli_no_memory(&cli_query_command);
        return QUERY_EXIT_OTHER;
    }
    round.code = choose(ids, snapshot, round.chosen);
    if (round.code == CLI_OK) {
        query_print_header(columns, format, out);
        query_print_begin(format, out);
        (columns->kind == QUERY_GPUS ? print_gpus : print_apps)(&round);
        query_print_end(format, out);
        for (size_t i = 0; i < count; i++) {
            int code = round.chosen[i] ? device_code(nvp_snapshot_device(snapshot, i)) : CLI_OK;
            round.code = round.code == CLI_OK ? code : round.code;
        }
    }
    free(round.chosen);
    return round.code;
}
