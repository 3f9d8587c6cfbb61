/*
 * Collects all facts, in this order: files first, because loading the library as root can create device nodes; then one child for
 * library and NVML; then children for the devices, side by side, so that devices that hang cost the time of one.
 */
#include <stdlib.h>
#include <string.h>

#include <nvpulse/function.h>
#include <nvpulse/nvml.h>

#include "cli.h"
#include "doctor.h"

/** So many processes ask devices at a time: one for each that a big machine has, and no more than a small one can start in time. */
#define CHILDREN 16

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

/** Devices that one child asks one after the other: opening NVML costs more than asking, and grows with the number of devices. */
struct group {
    size_t count, done; /**< of the devices; while the child is at device `done` */
    doctor_device devices[];
};

static void check_group(doctor_trace *trace, void *result)
{
    for (struct group *group = result; group->done < group->count; group->done++) {
        doctor_device_check(trace, &group->devices[group->done]);
    }
}

static bool make_group(const doctor_report *report, const size_t *places, size_t count, doctor_probe *probe)
{
    struct group *group = calloc(1, sizeof *group + count * sizeof *group->devices);
    if (group == NULL) {
        cli_no_memory(&cli_doctor_command);
        return false;
    }
    group->count = count;
    for (size_t i = 0; i < count; i++) {
        group->devices[i] = report->devices[places[i]].device;
    }
    *probe = (doctor_probe){ .check = check_group, .result = group, .size = sizeof *group + count * sizeof *group->devices };
    return true;
}

/* Takes over what a child has found; returns how many of its devices are done with. Where one ended it, the rest has still to be asked. */
static size_t take_group(doctor_report *report, const size_t *places, const doctor_probe *probe)
{
    const struct group *group = probe->result;
    size_t taken = group->done < group->count ? group->done + 1 : group->count;
    for (size_t i = 0; i < taken; i++) {
        doctor_patient *patient = &report->devices[places[i]];
        patient->device = group->devices[i];
        patient->end = probe->end;
        if (i < group->done) {
            patient->end = (doctor_end){ .outcome = DOCTOR_ANSWERED };
        }
        match_with_bus(report, patient);
    }
    return taken;
}

/* Asks the devices at these places in up to CHILDREN groups side by side; those that have still to be asked are left in `places`. */
static bool read_round(doctor_report *report, size_t *places, size_t *count)
{
    doctor_probe probes[CHILDREN] = { 0 };
    size_t groups = *count < CHILDREN ? *count : CHILDREN, left = 0;
    bool done = true;
    for (size_t g = 0; g < groups && done; g++) {
        size_t first = *count * g / groups;
        done = make_group(report, &places[first], *count * (g + 1) / groups - first, &probes[g]);
    }
    done = done && doctor_probe_run(probes, groups, report->timeout_s);
    for (size_t g = 0; g < groups && done; g++) {
        size_t first = *count * g / groups, end = *count * (g + 1) / groups;
        first += take_group(report, &places[first], &probes[g]);
        memmove(&places[left], &places[first], (end - first) * sizeof *places);
        left += end - first;
    }
    for (size_t g = 0; g < groups; g++) {
        free(probes[g].result);
    }
    *count = left;
    return done;
}

static bool read_devices(doctor_report *report)
{
    if (!list_devices(report)) {
        return false;
    }
    size_t count = 0, *places = calloc(report->device_count + 1, sizeof *places);
    if (places == NULL) {
        cli_no_memory(&cli_doctor_command);
        return false;
    }
    for (size_t i = 0; i < report->device_count; i++) {
        if (!is_asleep(report, &report->devices[i])) {
            places[count++] = i;
        }
    }
    bool done = true;
    while (done && count > 0) {
        done = read_round(report, places, &count);
    }
    free(places);
    return done;
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
