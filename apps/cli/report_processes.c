/*
 * The processes of a recording: each once, with the most that it used. The same process on two GPUs is two.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

static int compare_numbers(uint64_t one, uint64_t other)
{
    return (one > other) - (one < other);
}

static int compare_keys(const void *one, const void *other)
{
    const report_process *a = one, *b = other;
    int order = compare_numbers(a->pid, b->pid);
    order = order != 0 ? order : compare_numbers(a->start_time_us, b->start_time_us);
    order = order != 0 ? order : compare_numbers(a->gpu_index, b->gpu_index);
    return order != 0 ? order : compare_numbers(a->mig_index, b->mig_index);
}

static uint64_t number_of(const nvp_process *process, nvp_process_field field)
{
    return nvp_reading_uint(nvp_process_get(process, field), UINT64_MAX);
}

/* NULL when memory runs out. */
static report_process *find_process(report_summary *report, const nvp_process *process)
{
    const report_process key = { .pid = number_of(process, NVP_PROCESS_PID),
                                 .start_time_us = number_of(process, NVP_PROCESS_START_TIME_US),
                                 .gpu_index = number_of(process, NVP_PROCESS_GPU_INDEX),
                                 .mig_index = number_of(process, NVP_PROCESS_MIG_INDEX),
                                 .command = "",
                                 .user = "",
                                 .memory_bytes = -1,
                                 .sm_percent = -1,
                                 .cpu_percent = -1,
                                 .host_memory_bytes = -1 };
    report_process **found = tfind(&key, &report->process_tree, compare_keys);
    if (found != NULL) {
        return *found;
    }
    report_process *made = malloc(sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    *made = key;
    if (tsearch(made, &report->process_tree, compare_keys) == NULL) {
        free(made);
        return NULL;
    }
    report->process_count++;
    return made;
}

static void keep_highest(double *highest, const nvp_process *process, nvp_process_field field)
{
    double number = nvp_reading_number(nvp_process_get(process, field), -1);
    *highest = number > *highest ? number : *highest;
}

static void take_process(report_summary *report, const nvp_process *process, int64_t time_us)
{
    report_process *kept = find_process(report, process);
    if (kept == NULL) {
        report->failed = true;
        return;
    }
    const char *name = nvp_reading_text(nvp_process_get(process, NVP_PROCESS_NAME), "");
    report_set_text(report, &kept->command, nvp_reading_text(nvp_process_get(process, NVP_PROCESS_COMMAND), name));
    report_set_text(report, &kept->user, nvp_reading_text(nvp_process_get(process, NVP_PROCESS_USER), ""));
    kept->type |= nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_TYPE), 0);
    kept->is_foreign = nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_FOREIGN), 0) == 1;
    keep_highest(&kept->memory_bytes, process, NVP_PROCESS_GPU_MEMORY_BYTES);
    keep_highest(&kept->sm_percent, process, NVP_PROCESS_SM_PERCENT);
    keep_highest(&kept->cpu_percent, process, NVP_PROCESS_CPU_PERCENT);
    keep_highest(&kept->host_memory_bytes, process, NVP_PROCESS_HOST_MEMORY_BYTES);
    kept->first_us = kept->snapshots == 0 || time_us < kept->first_us ? time_us : kept->first_us;
    kept->last_us = kept->snapshots == 0 || time_us > kept->last_us ? time_us : kept->last_us;
    kept->snapshots++;
}

void report_take_processes(report_summary *report, const nvp_snapshot *snapshot)
{
    const nvp_process *process;
    for (size_t i = 0; (process = nvp_snapshot_process(snapshot, i)) != NULL; i++) {
        take_process(report, process, nvp_snapshot_time_us(snapshot));
    }
}

/** A walk over the tree. */
struct walk {
    const report_process **list;
    size_t count;
};

static void collect(const void *node, VISIT visit, void *context)
{
    struct walk *walk = context;
    if (visit == postorder || visit == leaf) { /* in the order of the keys */
        walk->list[walk->count++] = *(report_process *const *)node;
    }
}

static int compare_memory(const void *one, const void *other)
{
    const report_process *a = *(const report_process *const *)one, *b = *(const report_process *const *)other;
    int order = (a->memory_bytes < b->memory_bytes) - (a->memory_bytes > b->memory_bytes);
    return order != 0 ? order : compare_keys(a, b);
}

const report_process **report_processes(const report_summary *report)
{
    struct walk walk = { calloc(report->process_count + 1, sizeof *walk.list), 0 };
    if (walk.list != NULL) {
        twalk_r(report->process_tree, collect, &walk);
        qsort(walk.list, walk.count, sizeof *walk.list, compare_memory);
    }
    return walk.list;
}

static void free_text(char *text)
{
    if (text[0] != '\0') {
        free(text);
    }
}

static void free_process(void *node)
{
    report_process *process = node;
    free_text(process->command);
    free_text(process->user);
    free(process);
}

void report_free(report_summary *report)
{
    for (size_t i = 0; i < report->device_count; i++) {
        free_text(report->devices[i].uuid);
        free_text(report->devices[i].name);
        free(report->devices[i].stats);
        free(report->devices[i].points);
    }
    free(report->devices);
    free_text(report->host);
    free_text(report->driver);
    free_text(report->simulation);
    tdestroy(report->process_tree, free_process);
}
