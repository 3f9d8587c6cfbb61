/*
 * A report for programs: the numbers as the library keeps them, in the unit that each metric's name says.
 */
#include <stdlib.h>

#include "json.h"
#include "report.h"

static void put_stat(cli_json *json, const report_stat *stat)
{
    const nvp_metric_info *info = nvp_metric_get(stat->metric);
    char key[128];
    if (stat->item == REPORT_NO_ITEM) {
        snprintf(key, sizeof key, "%s", info->name);
    } else {
        snprintf(key, sizeof key, "%s[%u]", info->name, stat->item);
    }
    cli_json_open(json, key, '{');
    if (stat->samples == 0) {
        cli_json_null(json, "last");
        cli_json_text(json, "reason", nvp_reason_word(nvp_status_reason(stat->why)));
    } else {
        if (info->kind == NVP_METRIC_GAUGE) {
            cli_json_real(json, "mean", stat->mean);
            cli_json_real(json, "min", stat->min);
            cli_json_real(json, "max", stat->max);
        }
        cli_json_real(json, "first", stat->first);
        cli_json_real(json, "last", stat->last);
    }
    cli_json_number(json, "samples", (long long)stat->samples);
    cli_json_number(json, "na", (long long)stat->na);
    cli_json_close(json, '}');
}

static void put_device(cli_json *json, const report_device *device, const report_view *view)
{
    double energy_mj;
    const char *source;
    cli_json_open(json, NULL, '{');
    cli_json_number(json, "index", device->index);
    if (device->mig_index < 0) {
        cli_json_null(json, "mig_index");
    } else {
        cli_json_number(json, "mig_index", device->mig_index);
    }
    cli_json_known_text(json, "uuid", device->uuid);
    cli_json_known_text(json, "name", device->name);
    cli_json_number(json, "snapshots", (long long)device->snapshots);
    cli_json_open(json, "states", '{');
    for (nvp_device_state state = NVP_DEVICE_OK; state <= NVP_DEVICE_FAILED; state++) {
        cli_json_number(json, nvp_device_state_name(state), (long long)device->states[state]);
    }
    cli_json_close(json, '}');
    if (report_energy_mj(device, &energy_mj, &source)) {
        cli_json_real(json, "energy_j", energy_mj / 1e3);
        cli_json_real(json, "energy_wh", energy_mj / 3.6e6);
        cli_json_text(json, "energy_source", source);
    } else {
        cli_json_null(json, "energy_j");
        cli_json_null(json, "energy_wh");
        cli_json_null(json, "energy_source");
    }
    cli_json_open(json, "metrics", '{');
    for (size_t i = 0; i < device->stat_count; i++) {
        if (report_lists(view, device->stats[i].metric)) {
            put_stat(json, &device->stats[i]);
        }
    }
    cli_json_close(json, '}');
    cli_json_close(json, '}');
}

/* A negative number is one that was never known. */
static void put_highest(cli_json *json, const char *key, double number)
{
    if (number < 0) {
        cli_json_null(json, key);
    } else {
        cli_json_real(json, key, number);
    }
}

static void put_known(cli_json *json, const char *key, uint64_t number)
{
    if (number == UINT64_MAX) {
        cli_json_null(json, key);
    } else {
        cli_json_number(json, key, (long long)number);
    }
}

static void put_process(cli_json *json, const report_process *process)
{
    cli_json_open(json, NULL, '{');
    put_known(json, "pid", process->pid);
    put_known(json, "start_time_us", process->start_time_us);
    put_known(json, "gpu_index", process->gpu_index);
    put_known(json, "mig_index", process->mig_index);
    cli_json_text(json, "type", nvp_process_type_text(process->type));
    cli_json_bool(json, "foreign", process->is_foreign);
    cli_json_known_text(json, "user", process->user);
    cli_json_known_text(json, "command", process->command);
    put_highest(json, "max_gpu_memory_bytes", process->memory_bytes);
    put_highest(json, "max_sm_percent", process->sm_percent);
    put_highest(json, "max_cpu_percent", process->cpu_percent);
    put_highest(json, "max_host_memory_bytes", process->host_memory_bytes);
    cli_json_number(json, "first_us", process->first_us);
    cli_json_number(json, "last_us", process->last_us);
    cli_json_number(json, "snapshots", (long long)process->snapshots);
    cli_json_close(json, '}');
}

bool report_print_json(const report_summary *report, const report_view *view, FILE *out)
{
    cli_json json = CLI_JSON_INIT(out);
    const report_process **processes = report_processes(report);
    if (processes == NULL) {
        return false;
    }
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "schema", "nvpulse.report/1");
    cli_json_bool(&json, "simulated", report->simulation[0] != '\0');
    cli_json_known_text(&json, "simulation", report->simulation);
    cli_json_known_text(&json, "host", report->host);
    cli_json_known_text(&json, "driver_version", report->driver);
    cli_json_number(&json, "begin_us", report->begin_us);
    cli_json_number(&json, "end_us", report->end_us);
    cli_json_real(&json, "duration_s", (double)report->duration_us / 1e6);
    cli_json_number(&json, "snapshots", (long long)report->snapshots);
    cli_json_number(&json, "recordings", (long long)report->segments);
    cli_json_number(&json, "bad_lines", (long long)report->bad_lines);
    cli_json_open(&json, "devices", '[');
    for (size_t i = 0; i < report->device_count; i++) {
        put_device(&json, &report->devices[i], view);
    }
    cli_json_close(&json, ']');
    cli_json_open(&json, "processes", '[');
    for (size_t i = 0; i < report->process_count; i++) {
        put_process(&json, processes[i]);
    }
    cli_json_close(&json, ']');
    cli_json_close(&json, '}');
    fputc('\n', out);
    free(processes);
    return !json.failed;
}
