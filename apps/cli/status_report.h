/*
 * What `nvpulse status` shows: read in full first, printed afterwards. Every number is a value or N/A with its reason.
 */
#ifndef CLI_STATUS_REPORT_H
#define CLI_STATUS_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <nvpulse/driver.h>
#include <nvpulse/nvml.h>
#include <nvpulse/value.h>

#include "terminal.h"

/** What is read of each device, in the order in which `-v` lists what is N/A. */
typedef enum status_quantity {
    STATUS_DEVICE, /**< nothing to read: N/A when the device as a whole cannot be used */
    STATUS_NAME,
    STATUS_GPU_PERCENT,
    STATUS_MEMORY_PERCENT,
    STATUS_USED_BYTES,
    STATUS_TOTAL_BYTES,
    STATUS_TEMPERATURE_C,
    STATUS_POWER_MW,
    STATUS_POWER_LIMIT_MW,
    STATUS_FAN_PERCENT,
    STATUS_COMPUTE_PROCESSES, /**< their number, as are the next two */
    STATUS_GRAPHICS_PROCESSES,
    STATUS_MPS_PROCESSES,
    STATUS_PROCESS_MEMORY, /**< N/A when that of a process is */
    STATUS_PROCESS_NAME,   /**< likewise */
    STATUS_QUANTITY_COUNT
} status_quantity;

/** How a process uses a GPU; several can be true. */
enum { STATUS_COMPUTE = 1 << 0, STATUS_GRAPHICS = 1 << 1, STATUS_MPS = 1 << 2 };

typedef struct status_process {
    unsigned int pid;
    unsigned int uses;
    nvp_value used_bytes;
    nvp_value name;
} status_process;

typedef struct status_device {
    unsigned int index;
    nvmlDevice_t handle;
    nvp_value values[STATUS_QUANTITY_COUNT];
    unsigned int slowdown_c; /**< where the GPU slows down by heat; 0: unknown */
    status_process *processes;
    size_t process_count;
} status_device;

typedef struct status_report {
    nvp_driver_info driver;
    nvp_value driver_version, nvml_version, cuda_version;
    status_device *devices;
    size_t device_count;
    bool reserved_is_unknown; /**< the driver does not tell it from the rest */
} status_report;

#define STATUS_REPORT_INIT                                                                                                       \
    {                                                                                                                            \
        NVP_DRIVER_INFO_INIT, NVP_VALUE_INIT, NVP_VALUE_INIT, NVP_VALUE_INIT, NULL, 0, false                                     \
    }

/** How to print. */
typedef struct status_view {
    cli_terminal terminal;
    bool verbose;
    enum { STATUS_PROCESSES_AUTO, STATUS_PROCESSES_ALL, STATUS_PROCESSES_NONE } processes;
} status_view;

/** Reads everything; NVML is open. Returns NVP_SUCCESS, or what made it impossible to read anything. */
nvp_status status_report_read(status_report *report);

/** Reads who uses the device into its list; part of status_report_read(). */
nvp_status status_processes_read(status_device *device);

/** True when the device as a whole cannot be used; `values[STATUS_DEVICE]` tells why. */
bool status_device_is_down(const status_device *device);

/** Prints the report; false when memory ran out. */
bool status_report_print(const status_report *report, const status_view *view, FILE *out);

/** Print the devices and the processes; parts of status_report_print(). */
bool status_device_table_print(const status_report *report, const cli_terminal *terminal, FILE *out);
bool status_process_table_print(const status_report *report, const cli_terminal *terminal, FILE *out);

/** Prints what is N/A and why; part of status_report_print(). */
bool status_reasons_print(const status_report *report, const cli_terminal *terminal, FILE *out);

void status_report_free(status_report *report);

#endif
