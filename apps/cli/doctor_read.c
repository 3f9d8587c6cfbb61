/*
 * Collects all facts, in this order: files first, because loading the library as root can create device nodes; then one child for
 * library and NVML; then one child for each device, side by side, so that devices that hang cost the time of one.
 */
#include <stdlib.h>
#include <string.h>

#include <nvpulse/function.h>
#include <nvpulse/nvml.h>

#include "cli.h"
#include "doctor.h"

/** So many devices are asked at a time: as many as big machines have, and no more processes than a small one can start in time. */
#define BATCH 16

static bool is_anything_asleep(const doctor_system *system)
{
    for (size_t i = 0; i < system->pci_count; i++) {
        if (doctor_pci_is_asleep(&system->pci[i])) {
            return true;
        }
    }
    return false;
}

static bool has_node(const doctor_system *system, doctor_node_kind kind)
{
    for (size_t i = 0; i < system->node_count; i++) {
        if (system->nodes[i].kind == kind && system->nodes[i].error == 0) {
            return true;
        }
    }
    return false;
}

static bool read_driver(doctor_report *report)
{
    size_t functions = nvp_function_count();
    size_t size = sizeof *report->driver + functions * sizeof *report->driver->functions;
    doctor_driver *driver = calloc(1, size);
    if (driver == NULL) {
        cli_no_memory(&cli_doctor_command);
        return false;
    }
    report->driver = driver;
    driver->function_count = functions;
    driver->control_error = -1;
    driver->asleep = is_anything_asleep(&report->system);
    driver->files_count = report->system.root[0] != '\0';
    if (has_node(&report->system, DOCTOR_NODE_CONTROL)) {
        doctor_path(&report->system, driver->control_path, sizeof driver->control_path, "/dev/nvidiactl");
    }
    doctor_probe probe = { .check = doctor_driver_check, .result = driver, .size = size };
    bool done = doctor_probe_run(&probe, 1, report->timeout_s);
    report->driver_end = probe.end;
    return done;
}

/* Without sleepers the driver counts; with them the bus does, and only those that are awake are asked. */
static bool list_devices(doctor_report *report)
{
    bool by_bus = report->driver->asleep;
    size_t count = by_bus ? report->system.pci_count : report->driver->count;
    if (count > DOCTOR_DEVICES_MAX) {
        return true; /* the findings say so */
    }
    report->devices = calloc(count + 1, sizeof *report->devices);
    if (report->devices == NULL) {
        cli_no_memory(&cli_doctor_command);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const doctor_pci *pci = by_bus ? &report->system.pci[i] : NULL;
        if (pci != NULL && strcmp(pci->driver, "nvidia") != 0) {
            continue; /* not the driver's */
        }
        doctor_patient *patient = &report->devices[report->device_count++];
        patient->device.by_bus_id = by_bus;
        patient->device.index = by_bus ? -1 : (int)i;
        if (pci != NULL) {
            memcpy(patient->device.bus_id, pci->bus_id, sizeof pci->bus_id);
            memcpy(patient->runtime_state, pci->runtime_state, sizeof pci->runtime_state);
        }
    }
    return true;
}

static bool is_asleep(const doctor_report *report, const doctor_patient *patient)
{
    const doctor_pci *pci = patient->device.by_bus_id ? doctor_pci_find(&report->system, patient->device.bus_id) : NULL;
    return pci != NULL && doctor_pci_is_asleep(pci);
}

/* Writes bus ids as the kernel does, and adds what the kernel knows. */
static void match_with_bus(const doctor_report *report, doctor_patient *patient)
{
    const doctor_pci *pci = doctor_files_count(report) ? doctor_pci_find(&report->system, patient->device.bus_id) : NULL;
    if (pci != NULL) {
        memcpy(patient->device.bus_id, pci->bus_id, sizeof pci->bus_id);
        memcpy(patient->runtime_state, pci->runtime_state, sizeof pci->runtime_state);
    }
}

/* Runs the checks of up to BATCH devices from `first` on; returns where the next ones begin, or 0 after a message. */
static size_t read_batch(doctor_report *report, size_t first)
{
    doctor_probe probes[BATCH];
    size_t places[BATCH];
    size_t count = 0;
    size_t next = first;
    for (; next < report->device_count && count < BATCH; next++) {
        doctor_device *device = &report->devices[next].device;
        if (!is_asleep(report, &report->devices[next])) {
            places[count] = next;
            probes[count++] = (doctor_probe){ .check = doctor_device_check, .result = device, .size = sizeof *device };
        }
    }
    if (!doctor_probe_run(probes, count, report->timeout_s)) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        doctor_patient *patient = &report->devices[places[i]];
        patient->end = probes[i].end;
        match_with_bus(report, patient);
    }
    return next;
}

static bool read_devices(doctor_report *report)
{
    if (!list_devices(report)) {
        return false;
    }
    for (size_t next = 0; next < report->device_count;) {
        next = read_batch(report, next);
        if (next == 0) {
            return false;
        }
    }
    return true;
}

bool doctor_report_read(doctor_report *report)
{
    doctor_system_read(&report->system);
    if (report->system.failed) {
        cli_no_memory(&cli_doctor_command);
        return false;
    }
    return read_driver(report) && (!doctor_is_open(report) || report->driver->step < DOCTOR_STEP_COUNTED || read_devices(report));
}

void doctor_report_free(doctor_report *report)
{
    doctor_system_free(&report->system);
    free(report->driver);
    free(report->devices);
    for (size_t i = 0; i < report->finding_count; i++) {
        free(report->findings[i].text);
    }
    free(report->findings);
    *report = (doctor_report){ 0 };
}
