/*
 * Values of a device, and those of their forms that several drawings share.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bar.h"
#include "format.h"
#include "gpu.h"
#include "gpus.h"
#include "text.h"

static double metric(const nvp_device_sample *device, nvp_metric which)
{
    return nvp_reading_number(nvp_device_sample_get(device, which), NAN);
}

/* Since when a call has not returned, by the clock on the wall and as a span. */
static void describe_stall(const tui_app *app, const nvp_device_sample *device, char *text, size_t size)
{
    char span[24], clock[16];
    time_t since = (time_t)((nvp_snapshot_time_us(app->snapshot) - device->stalled_us) / 1000000);
    struct tm local;
    localtime_r(&since, &local);
    strftime(clock, sizeof clock, "%H:%M:%S", &local);
    tui_format_span((double)device->stalled_us / 1e6, span, sizeof span);
    snprintf(text, size, "STALLED %s, since %s", span, clock);
}

void tui_gpus_describe_fault(const tui_app *app, const nvp_device_sample *device, char *text, size_t size)
{
    text[0] = '\0';
    if (device->state == NVP_DEVICE_STALLED) {
        describe_stall(app, device, text, size);
    } else if (device->state == NVP_DEVICE_LOST) {
        snprintf(text, size, "LOST: %s", nvp_status_text(device->status));
    } else if (device->state == NVP_DEVICE_ASLEEP) {
        snprintf(text, size, "asleep");
    } else if (device->state == NVP_DEVICE_FAILED) {
        snprintf(text, size, "FAILED: %s", nvp_status_text(device->status));
    }
}

/* What says nothing about which GPU it is. */
static const char *short_name(const char *name)
{
    static const char *const prefixes[] = { "NVIDIA ", "GeForce ", "Tesla " };
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t length = strlen(prefixes[i]);
        name += strncmp(name, prefixes[i], length) == 0 && name[length] != '\0' ? length : 0;
    }
    const char *mig = strstr(name, "MIG "); /* below its GPU, whose name it begins with */
    return mig != NULL ? mig : name;
}

struct tui_gpu_reading tui_gpu_read(const tui_app *app, const nvp_device_sample *device)
{
    struct tui_gpu_reading reading = {
        .device = device,
        .name = short_name(tui_names_of(&app->names, device)),
        .gpu = metric(device, NVP_METRIC_UTILIZATION_GPU_PERCENT),
        .used = metric(device, NVP_METRIC_MEMORY_USED_BYTES),
        .total = metric(device, NVP_METRIC_MEMORY_TOTAL_BYTES),
        .temperature = metric(device, NVP_METRIC_TEMPERATURE_GPU_C),
        .slowdown = metric(device, NVP_METRIC_TEMPERATURE_SLOWDOWN_THRESHOLD_C),
        .power = metric(device, NVP_METRIC_POWER_DRAW_MW) / 1000,
        .limit = metric(device, NVP_METRIC_POWER_ENFORCED_LIMIT_MW) / 1000,
        .fan = metric(device, NVP_METRIC_FAN_SPEED_PERCENT),
        .sm_mhz = metric(device, NVP_METRIC_CLOCKS_SM_MHZ),
    };
    reading.memory = reading.used * 100 / reading.total;
    bool is_mig = device->mig_index >= 0;
    size_t length = tui_format_number(device->index, 0, is_mig ? ":" : "", reading.label, sizeof reading.label);
    if (is_mig) {
        tui_format_number(device->mig_index, 0, "", reading.label + length, sizeof reading.label - length);
    }
    tui_gpus_describe_fault(app, device, reading.fault, sizeof reading.fault);
    return reading;
}

int tui_gpu_put_label(tui_canvas *canvas, int row, int column, const struct tui_gpu_reading *reading)
{
    int width = tui_text_width(reading->label), more = width > TUI_GPU_LABEL_COLUMNS ? width - TUI_GPU_LABEL_COLUMNS : 0;
    tui_canvas_put_right(canvas, row, column, TUI_GPU_LABEL_COLUMNS + more, TUI_STRONG, reading->label);
    return more;
}

tui_style tui_gpu_fault_style(const nvp_device_sample *device)
{
    return device->state == NVP_DEVICE_ASLEEP ? TUI_DIM : TUI_ALERT;
}

tui_style tui_gpu_heat_style(const struct tui_gpu_reading *reading)
{
    double limit = isnan(reading->slowdown) ? 95 : reading->slowdown;
    return isnan(reading->temperature)          ? TUI_DIM
           : reading->temperature >= limit - 3  ? TUI_BAD
           : reading->temperature >= limit - 15 ? TUI_WARN
                                                : TUI_PLAIN;
}

void tui_gpu_format_memory(const struct tui_gpu_reading *reading, char *text, size_t size)
{
    size_t length = tui_format_bytes(reading->used, text, size - 1);
    text[length++] = '/';
    tui_format_bytes(reading->total, text + length, size - length);
}

void tui_gpu_format_power(const struct tui_gpu_reading *reading, char *text, size_t size)
{
    bool has_both = !isnan(reading->power) && !isnan(reading->limit);
    size_t length = tui_format_number(reading->power, 0, has_both ? "/" : "W", text, size);
    if (has_both) {
        tui_format_number(reading->limit, 0, "W", text + length, size - length);
    }
}

void tui_gpu_put_bar(tui_canvas *canvas, int row, int column, int width, double percent, tui_style style)
{
    char text[16];
    tui_bar_draw(canvas, row, column, width - 5, percent, style);
    tui_format_number(percent, 0, "%", text, sizeof text);
    tui_canvas_put_right(canvas, row, column + width - 5, 5, isnan(percent) ? TUI_DIM : TUI_PLAIN, text);
}
