/*
 * Prints snapshots of the machine as JSON, one a line, and checks that each comes back as it was: read and written again it is the
 * same text. What is printed is compared with docs/snapshot.schema.json by test_schema.py.
 * Usage: snapshot-lines COUNT [METRIC...]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nvpulse/nvpulse.h>
#include <nvpulse/sampler.h>

#define METRICS_MAX 64

static int fail(const char *what, nvp_status status)
{
    fprintf(stderr, "%s: %s\n", what, nvp_status_name(status));
    return 1;
}

static int print_and_read_back(const nvp_snapshot *snapshot)
{
    char *text = NULL, *again = NULL, message[256];
    size_t length = 0, same_length = 0;
    nvp_snapshot *back = NULL;
    nvp_status status = nvp_snapshot_to_json(snapshot, &text, &length);
    if (status != NVP_SUCCESS) {
        return fail("writing", status);
    }
    puts(text);
    status = nvp_snapshot_from_json(text, length, &back, message, sizeof(message));
    if (status != NVP_SUCCESS) {
        return fail(message, status);
    }
    status = nvp_snapshot_to_json(back, &again, &same_length);
    if (status != NVP_SUCCESS || same_length != length || strcmp(text, again) != 0) {
        fprintf(stderr, "the second text differs:\n%s\n", again);
        return 1;
    }
    nvp_snapshot_free(back);
    free(text);
    free(again);
    return 0;
}

int main(int argc, char **argv)
{
    nvp_metric metrics[METRICS_MAX];
    nvp_snapshot_options options = NVP_SNAPSHOT_OPTIONS_INIT;
    nvp_sampler *sampler = NULL;
    for (int i = 2; i < argc && options.metric_count < METRICS_MAX; i++) {
        const nvp_metric_info *info = nvp_metric_find(argv[i]);
        if (info == NULL) {
            fprintf(stderr, "no metric %s\n", argv[i]);
            return 2;
        }
        options.metrics = metrics;
        metrics[options.metric_count++] = info->metric;
    }
    nvp_status status = nvp_sampler_new(&options, &sampler);
    int failed = status == NVP_SUCCESS ? 0 : fail("sampler", status);
    long count = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
    for (long i = 0; failed == 0 && i < count; i++) {
        nvp_snapshot *snapshot = NULL;
        status = nvp_sampler_sample(sampler, &snapshot);
        failed = status == NVP_SUCCESS ? print_and_read_back(snapshot) : fail("sample", status);
        nvp_snapshot_free(snapshot);
    }
    nvp_sampler_free(sampler);
    return failed;
}
