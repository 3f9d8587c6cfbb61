/*
 * Prints one metric of every GPU, again and again. Rates, such as pcie.tx_bytes_per_s, are there from the second line on.
 * usage: watch_metric [METRIC [COUNT [MILLISECONDS]]]     docs/reference/metrics.md lists the metrics
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <nvpulse/nvpulse.h>

static void print_line(const nvp_snapshot *snapshot, nvp_metric metric)
{
    for (size_t i = 0; i < nvp_snapshot_device_count(snapshot); i++) {
        const nvp_device_sample *device = nvp_snapshot_device(snapshot, i);
        char text[64];

        if (device->state == NVP_DEVICE_OK) {
            nvp_metric_format(metric, nvp_device_sample_get(device, metric), text, sizeof(text));
        } else {
            snprintf(text, sizeof(text), "(%s)", nvp_device_state_name(device->state));
        }
        printf("%s%s", i == 0 ? "" : "  ", text);
    }
    putchar('\n');
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const nvp_metric_info *info = nvp_metric_find(argc > 1 ? argv[1] : "power.draw_mw");
    long count = argc > 2 ? strtol(argv[2], NULL, 10) : 10;
    long milliseconds = argc > 3 ? strtol(argv[3], NULL, 10) : 1000;
    struct timespec pause = { milliseconds / 1000, milliseconds % 1000 * 1000000 };
    nvp_snapshot_options options = NVP_SNAPSHOT_OPTIONS_INIT;
    nvp_sampler *sampler = NULL;

    if (info == NULL) {
        fprintf(stderr, "there is no metric %s\n", argv[1]);
        return 2;
    }
    options.metrics = &info->metric; /* only this one: the driver is asked for nothing else */
    options.metric_count = 1;
    options.flags = NVP_SNAPSHOT_NO_PROCESSES;
    nvp_status status = nvp_sampler_new(&options, &sampler);
    for (long i = 0; i < count && status == NVP_SUCCESS; i++) {
        nvp_snapshot *snapshot = NULL;
        status = nvp_sampler_sample(sampler, &snapshot);
        if (status == NVP_SUCCESS) {
            print_line(snapshot, info->metric);
        }
        nvp_snapshot_free(snapshot);
        if (i + 1 < count) {
            nanosleep(&pause, NULL);
        }
    }
    nvp_sampler_free(sampler);
    if (status != NVP_SUCCESS) {
        fprintf(stderr, "%s. %s\n", nvp_status_text(status), nvp_status_advice(status));
    }
    return status == NVP_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
