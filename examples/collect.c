/*
 * Collects in the background while a program works, and prints what that cost: least, mean and most of a few metrics, and the energy.
 * usage: collect [SECONDS]     a minute by default
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <nvpulse/nvpulse.h>

/* Metrics that are named are read in every sample, and no others are. */
static const nvp_metric metrics[] = { NVP_METRIC_UTILIZATION_GPU_PERCENT, NVP_METRIC_MEMORY_USED_BYTES, NVP_METRIC_POWER_DRAW_MW,
                                      NVP_METRIC_TEMPERATURE_GPU_C, NVP_METRIC_POWER_ENERGY_MJ };
enum { COUNT = sizeof(metrics) / sizeof(metrics[0]), SHOWN = COUNT - 1 };

/* Stands for the work of a program, such as an epoch of a training. */
static void work(double seconds)
{
    struct timespec time = { (time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9) };
    nanosleep(&time, NULL);
}

static void print_device(const nvp_collection *collection, size_t place)
{
    const nvp_statistic *energy = nvp_collection_metric(collection, place, NVP_METRIC_POWER_ENERGY_MJ);

    printf("GPU %u\n", nvp_collection_device(collection, place)->index);
    for (size_t i = 0; i < SHOWN; i++) {
        const nvp_metric_info *info = nvp_metric_get(metrics[i]);
        const nvp_statistic *metric = nvp_collection_metric(collection, place, metrics[i]);
        const char *unit = info->smi_unit[0] != '\0' ? info->smi_unit : info->unit;
        double divisor = info->smi_divisor; /* from mW to W, from bytes to MiB, ... */
        if (metric->count == 0) {
            printf("  %-24s N/A\n", info->name);
        } else {
            printf("  %-24s min %.1f  mean %.1f  max %.1f %s\n", info->name, metric->min / divisor, metric->mean / divisor,
                   metric->max / divisor, unit);
        }
    }
    if (energy->count > 1) {
        printf("  %-24s %.1f J\n", "energy", energy->delta / 1000);
    }
}

int main(int argc, char **argv)
{
    nvp_snapshot_options snapshot = NVP_SNAPSHOT_OPTIONS_INIT;
    nvp_collector_options options = NVP_COLLECTOR_OPTIONS_INIT;
    nvp_collector *collector = NULL;
    nvp_collection *collection = NULL;

    snapshot.metrics = metrics;
    snapshot.metric_count = COUNT;
    snapshot.flags = NVP_SNAPSHOT_NO_PROCESSES;
    options.snapshot = &snapshot;
    options.interval_ms = 100;
    nvp_status status = nvp_collector_new(&options, &collector);
    if (status == NVP_SUCCESS) {
        nvp_collector_start(collector, "work");
        work(argc > 1 ? strtod(argv[1], NULL) : 60);
        status = nvp_collector_collect(collector, "work", &collection);
    }
    if (status == NVP_SUCCESS && nvp_collection_sample_count(collection) == 0) {
        status = nvp_collection_status(collection);
    }
    if (status != NVP_SUCCESS) {
        fprintf(stderr, "%s. %s\n", nvp_status_text(status), nvp_status_advice(status));
    } else {
        printf("%llu samples in %.1f s\n", (unsigned long long)nvp_collection_sample_count(collection),
               nvp_collection_duration_s(collection));
    }
    for (size_t i = 0; i < nvp_collection_device_count(collection); i++) {
        print_device(collection, i);
    }
    nvp_collection_free(collection);
    nvp_collector_free(collector);
    return status == NVP_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
