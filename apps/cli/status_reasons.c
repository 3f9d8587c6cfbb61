/*
 * The list behind `nvpulse status --verbose`: what is N/A, on which GPUs, and why. Equal rows of several GPUs are one row.
 */
#include <string.h>

#include "status_report.h"
#include "table.h"

static const char *const quantity_names[STATUS_QUANTITY_COUNT] = {
    [STATUS_DEVICE] = "all",
    [STATUS_NAME] = "name",
    [STATUS_GPU_PERCENT] = "GPU utilization",
    [STATUS_MEMORY_PERCENT] = "memory utilization",
    [STATUS_USED_BYTES] = "used memory",
    [STATUS_TOTAL_BYTES] = "total memory",
    [STATUS_TEMPERATURE_C] = "temperature",
    [STATUS_POWER_MW] = "power",
    [STATUS_POWER_LIMIT_MW] = "power limit",
    [STATUS_FAN_PERCENT] = "fan speed",
    [STATUS_COMPUTE_PROCESSES] = "compute processes",
    [STATUS_GRAPHICS_PROCESSES] = "graphics processes",
    [STATUS_MPS_PROCESSES] = "MPS processes",
    [STATUS_PROCESS_MEMORY] = "memory of a process",
    [STATUS_PROCESS_NAME] = "name of a process",
};

/* What is N/A with a device that cannot be used needs no rows of its own. */
static bool same_reason(const status_device *a, const status_device *b, status_quantity quantity)
{
    const nvp_value *value_a = &a->values[quantity], *value_b = &b->values[quantity];
    bool same_row = quantity == STATUS_DEVICE || status_device_is_down(a) == status_device_is_down(b);
    return same_row && value_a->reason == value_b->reason && value_a->status == value_b->status;
}

/* True when an earlier device has the same reason, whose row names this one, too. */
static bool already_listed(const status_report *report, size_t device, status_quantity quantity)
{
    for (size_t i = 0; i < device; i++) {
        if (same_reason(&report->devices[i], &report->devices[device], quantity)) {
            return true;
        }
    }
    return false;
}

/* Writes the indexes of the devices that share the reason of `device`, such as "0-3,6". */
static void list_devices(const status_report *report, size_t device, status_quantity quantity, char *text, size_t size)
{
    const status_device *first = &report->devices[device];
    size_t used = 0;
    for (size_t i = device; i < report->device_count && used + 1 < size; i++) {
        if (!same_reason(&report->devices[i], first, quantity)) {
            continue;
        }
        size_t last = i;
        while (last + 1 < report->device_count && same_reason(&report->devices[last + 1], first, quantity)) {
            last++;
        }
        const char *comma = used > 0 ? "," : "";
        int length =
            last > i ? snprintf(text + used, size - used, "%s%u-%u", comma, report->devices[i].index, report->devices[last].index)
                     : snprintf(text + used, size - used, "%s%u", comma, report->devices[i].index);
        used += length > 0 ? (size_t)length : 0;
        i = last;
    }
}

static void add_rows(cli_table *table, const status_report *report, status_quantity quantity)
{
    for (size_t i = 0; i < report->device_count; i++) {
        const nvp_value *value = &report->devices[i].values[quantity];
        bool is_said = quantity != STATUS_DEVICE && status_device_is_down(&report->devices[i]);
        if (is_said || value->reason == NVP_REASON_NONE || already_listed(report, i, quantity)) {
            continue;
        }
        char devices[256];
        list_devices(report, i, quantity, devices, sizeof devices);
        cli_table_add(table, CLI_PLAIN, quantity_names[quantity]);
        cli_table_add(table, CLI_PLAIN, devices);
        cli_table_add(table, CLI_PLAIN, nvp_reason_text(value->reason));
        cli_table_add(table, CLI_DIM, nvp_status_name(value->status));
    }
}

bool status_reasons_print(const status_report *report, const cli_terminal *terminal, FILE *out)
{
    static const cli_column columns[] = {
        { "N/A", CLI_LEFT, 0, 10, false },
        { "GPU", CLI_LEFT, 0, 3, false },
        { "Reason", CLI_LEFT, 0, 10, false },
        { "Status", CLI_LEFT, 1, 8, false },
    };
    cli_table table = CLI_TABLE_INIT(columns, terminal);
    for (status_quantity quantity = 0; quantity < STATUS_QUANTITY_COUNT; quantity++) {
        add_rows(&table, report, quantity);
    }
    bool done = true;
    if (table.cell_count > 0 || table.failed) {
        fputc('\n', out);
        done = cli_table_print(&table, terminal, out);
    }
    cli_table_free(&table);
    return done;
}
