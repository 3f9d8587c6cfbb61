/*
 * Snapshots: devices side by side, growth with devices and processes, driver calls made. Each machine in a child process of its own.
 */
#include "measure.h"

#include <nvpulse/sampler.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SAMPLES 15

struct machine {
    unsigned int devices, processes; /* of the process that is listed on device 0; 0: those of the profile */
    bool measured;                   /* calls take as long as on real machines */
};

static struct {
    double first_ms, sample_ms, calls_of_device;
} * result;

static void write_machine(const char *path, const struct machine *machine)
{
    FILE *file = fopen(path, "w");
    bool written = file != NULL && fprintf(file, "base: h100x8\nlatency: %s\nsystem: {num_devices: %u}\n",
                                           machine->measured ? "measured" : "none", machine->devices) > 0;
    if (written && machine->processes > 0) {
        written =
            fprintf(file, "processes:\n  - {name: many, device: 0, count: %u, used_memory_mib: 1}\n", machine->processes) > 0;
    } else if (written && machine->devices != 8) { /* those of the profile are on devices that may not be there */
        written = fprintf(file, "processes:\n  - {name: one, device: 0, used_memory_mib: 100}\n") > 0;
    }
    if (!written || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

static uint64_t calls_of_devices(void)
{
    nvpsim_call_count_fn *count = (nvpsim_call_count_fn *)bench_symbol("nvpsim_call_count");
    return count(NULL) - count("nvmlDeviceGetCount_v2") - count("nvmlEventSetWait_v2");
}

static double take_ms(nvp_sampler *sampler, size_t *devices)
{
    nvp_snapshot *snapshot = NULL;
    int64_t begin_ns = now_ns();
    if (nvp_sampler_sample(sampler, &snapshot) != NVP_SUCCESS) {
        exit(1);
    }
    double elapsed_ms = (double)(now_ns() - begin_ns) / 1e6;
    *devices = nvp_snapshot_device_count(snapshot);
    nvp_snapshot_free(snapshot);
    return elapsed_ms;
}

static void sample_machine(void *path)
{
    double ms[SAMPLES];
    size_t devices;
    nvp_sampler *sampler = NULL;
    setenv("NVPULSE_SIM_SCENARIO", path, 1);
    if (nvp_sampler_new(NULL, &sampler) != NVP_SUCCESS) {
        exit(1);
    }
    result->first_ms = take_ms(sampler, &devices);
    take_ms(sampler, &devices);
    uint64_t before = calls_of_devices();
    for (int i = 0; i < SAMPLES; i++) {
        ms[i] = take_ms(sampler, &devices);
    }
    result->calls_of_device = (double)(calls_of_devices() - before) / SAMPLES / (double)devices;
    result->sample_ms = median(ms, SAMPLES);
    nvp_sampler_free(sampler);
}

static void measure(const char *path, struct machine machine)
{
    write_machine(path, &machine);
    in_child(sample_machine, (void *)(uintptr_t)path);
}

static void side_by_side(const char *path)
{
    measure(path, (struct machine){ .devices = 1, .measured = true });
    double one_ms = result->sample_ms;
    report_row("one GPU with latencies as measured on real machines", one_ms, "ms");
    report_row("driver calls of a GPU in a sample, processes included", result->calls_of_device, "calls");
    measure(path, (struct machine){ .devices = 8, .measured = true });
    report_row("eight GPUs", result->sample_ms, "ms");
    report_limit("eight as part of one", result->sample_ms / one_ms, 1.3, "x");
}

static void growth(const char *path)
{
    measure(path, (struct machine){ .devices = 8 });
    double eight_ms = result->sample_ms;
    report_row("eight GPUs without latencies", eight_ms, "ms");
    measure(path, (struct machine){ .devices = 64 });
    report_row("64 GPUs", result->sample_ms, "ms");
    report_limit("for each of 64 as part of that for each of 8", result->sample_ms / 8 / eight_ms, 1.5, "x");
    measure(path, (struct machine){ .devices = 1, .processes = 1000 });
    double thousand_ms = result->sample_ms;
    measure(path, (struct machine){ .devices = 1, .processes = 10000 });
    report_row("10,000 processes on one GPU", result->sample_ms, "ms");
    report_limit("for each of 10,000 as part of that for each of 1,000", result->sample_ms / 10 / thousand_ms, 1.5, "x");
}

void bench_model(void)
{
    char path[] = "/tmp/nvpulse-bench-XXXXXX";
    int file = mkstemp(path);
    if (file < 0) {
        perror(path);
        return;
    }
    close(file);
    result = shared_memory(sizeof(*result));
    report_heading("snapshots, one after the other");
    side_by_side(path);
    growth(path);
    unlink(path);
}
