/*
 * The selection as names with a separator between them, or as JSON.
 */
#include "json.h"
#include "select.h"

void select_name(const select_candidate *candidate, bool uuid, char *text, size_t size)
{
    const nvp_device_sample *device = candidate->device;
    if (uuid || device->mig_index >= 0) {
        snprintf(text, size, "%s", nvp_reading_text(nvp_device_sample_get(device, NVP_METRIC_IDENTITY_UUID), ""));
    } else {
        snprintf(text, size, "%u", device->index);
    }
}

static void put_number(cli_json *json, const char *key, const nvp_reading *reading)
{
    if (nvp_reading_has(reading)) {
        cli_json_number(json, key, (long long)nvp_reading_number(reading, 0));
    } else {
        cli_json_null(json, key);
    }
}

static void put_device(cli_json *json, const select_candidate *candidate)
{
    const nvp_device_sample *device = candidate->device;
    cli_json_open(json, NULL, '{');
    cli_json_number(json, "index", device->index);
    if (device->mig_index >= 0) {
        cli_json_number(json, "mig_index", device->mig_index);
    } else {
        cli_json_null(json, "mig_index");
    }
    cli_json_known_text(json, "uuid", nvp_reading_text(nvp_device_sample_get(device, NVP_METRIC_IDENTITY_UUID), NULL));
    cli_json_known_text(json, "name", nvp_reading_text(nvp_device_sample_get(device, NVP_METRIC_IDENTITY_NAME), NULL));
    put_number(json, "free_memory_bytes", &candidate->free_memory);
    put_number(json, "total_memory_bytes", nvp_device_sample_get(device, NVP_METRIC_MEMORY_TOTAL_BYTES));
    put_number(json, "gpu_utilization_percent", &candidate->gpu_percent);
    put_number(json, "memory_utilization_percent", nvp_device_sample_get(device, NVP_METRIC_UTILIZATION_MEMORY_PERCENT));
    cli_json_close(json, '}');
}

static bool print_json(const select_candidate *candidates, size_t count, FILE *out)
{
    cli_json json = CLI_JSON_INIT(out);
    cli_json_open(&json, NULL, '{');
    cli_json_open(&json, "devices", '[');
    for (size_t i = 0; i < count; i++) {
        put_device(&json, &candidates[i]);
    }
    cli_json_close(&json, ']');
    cli_json_close(&json, '}');
    fputs("\n", out);
    return !json.failed;
}

bool select_print(const select_view *view, const select_candidate *candidates, size_t count, FILE *out)
{
    if (view->json) {
        return print_json(candidates, count, out);
    }
    for (size_t i = 0; i < count; i++) {
        char name[128];
        select_name(&candidates[i], view->uuid, name, sizeof name);
        fputs(i > 0 && !view->null ? view->separator : "", out);
        fputs(name, out);
        if (view->null) {
            fputc('\0', out);
        }
    }
    fputs(view->null ? "" : "\n", out);
    return true;
}
