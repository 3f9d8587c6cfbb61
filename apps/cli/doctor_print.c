/*
 * The report for people: sections, then the findings, and the verdict at the very end, where a terminal still shows it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <nvpulse/function.h>

#include "cli.h"
#include "doctor.h"
#include "doctor_section.h"
#include "text.h"

static size_t count_missing(const doctor_driver *driver)
{
    size_t missing = 0;
    for (size_t i = 0; i < driver->function_count; i++) {
        missing += !driver->functions[i].exported && driver->functions[i].served_by[0] == '\0';
    }
    return missing;
}

static void print_functions(doctor_section *section, const doctor_driver *driver, bool verbose)
{
    size_t missing = count_missing(driver);
    doctor_fact(section, "Functions", CLI_PLAIN, "%zu of the %zu that nvpulse knows", driver->exported_count,
                driver->function_count);
    for (size_t i = 0; i < driver->function_count; i++) {
        const doctor_function *function = &driver->functions[i];
        if (function->served_by[0] != '\0') {
            doctor_fact(section, "Fallback", CLI_PLAIN, "%s is served by %s; lost: %s", nvp_function_at(i)->name,
                        function->served_by, function->lost);
        }
    }
    if (missing > 0 && !verbose) {
        doctor_fact(section, "Missing", CLI_PLAIN, "%zu; --verbose lists them", missing);
    }
    for (size_t i = 0; i < driver->function_count && verbose; i++) {
        if (!driver->functions[i].exported && driver->functions[i].served_by[0] == '\0') {
            doctor_fact(section, "Missing", CLI_DIM, "%s (since driver %s)", nvp_function_at(i)->name,
                        nvp_function_at(i)->first_release);
        }
    }
}

static void print_library(doctor_section *section, const doctor_report *report, bool verbose)
{
    const doctor_driver *driver = report->driver;
    doctor_section_begin(section, "Library", 11);
    if (driver->step < DOCTOR_STEP_FOUND) {
        char how[256];
        doctor_end_text(&report->driver_end, report->timeout_s, how, sizeof how);
        doctor_fact(section, "In use", CLI_RED, "none: %s", how);
    } else if (driver->found) {
        doctor_fact(section, "In use", CLI_PLAIN, "%s", driver->path);
        doctor_fact(section, "Found by", CLI_PLAIN, "%s",
                    strcmp(driver->origin, "default") == 0 ? "the dynamic loader's own search" : driver->origin);
    } else {
        doctor_fact(section, "In use", CLI_RED, "none: %s (%s)", nvp_status_text(driver->find_status),
                    nvp_status_name(driver->find_status));
    }
    if (driver->shim[0] != '\0') {
        doctor_fact(section, "Shim", CLI_PLAIN, "in force: programs get %s, %s%s", driver->shim,
                    driver->found ? "over " : "which finds no library", driver->path);
    }
    for (size_t i = 0; i < driver->candidate_count; i++) {
        const doctor_candidate *candidate = &driver->candidates[i];
        if (candidate->reason[0] != '\0') {
            doctor_fact(section, "Passed over", CLI_DIM, "%s (%s): %s", candidate->path, candidate->origin, candidate->reason);
        }
    }
    if (driver->found) {
        print_functions(section, driver, verbose);
    }
}

static void print_version(doctor_section *section, const char *label, const doctor_report *report, const doctor_version *version)
{
    bool is_known = version->text[0] != '\0';
    bool is_asked = report->driver->step >= DOCTOR_STEP_ALL;
    doctor_fact(section, label, CLI_PLAIN, "%s%s%s%s", is_known ? version->text : "N/A", is_known ? "" : " (",
                is_known   ? ""
                : is_asked ? nvp_reason_text(nvp_status_reason(version->status))
                           : "not asked",
                is_known ? "" : ")");
}

static void print_versions(doctor_section *section, const doctor_report *report)
{
    const doctor_driver *driver = report->driver;
    char library[96];
    doctor_library_version(report, library, sizeof library);
    const char *module = doctor_module_version(report);
    doctor_section_begin(section, "Versions", 13);
    print_version(section, "Driver", report, &driver->driver_version);
    print_version(section, "NVML", report, &driver->nvml_version);
    print_version(section, "CUDA", report, &driver->cuda_version);
    doctor_fact(section, "Library", CLI_PLAIN, "%s", library[0] != '\0' ? library : "N/A (unknown)");
    if (!doctor_files_count(report)) {
        doctor_fact(section, "Kernel module", CLI_PLAIN, "N/A (simulated)");
    } else {
        doctor_fact(section, "Kernel module", doctor_versions_differ(report) ? CLI_RED : CLI_PLAIN, "%s%s",
                    module[0] != '\0' ? module : "N/A (not loaded)",
                    doctor_versions_differ(report) ? ", which differs from the library" : "");
    }
}

static void print_node(doctor_section *section, const doctor_node *node)
{
    if (node->error != 0) {
        doctor_fact(section, node->path, node->kind == DOCTOR_NODE_UVM ? CLI_PLAIN : CLI_YELLOW, "%s",
                    node->error == ENOENT ? "missing" : strerror(node->error));
        return;
    }
    char mode[11];
    doctor_mode_text(node->mode, mode);
    bool is_usable = node->readable && node->writable;
    doctor_fact(section, node->path, is_usable || node->kind == DOCTOR_NODE_OTHER ? CLI_PLAIN : CLI_YELLOW, "%s %s:%s, %s%s%s",
                mode, node->owner, node->group,
                is_usable        ? "read and write"
                : node->readable ? "read only"
                : node->writable ? "write only"
                                 : "no access",
                node->helpful_group[0] != '\0' ? "; for members of the group " : "", node->helpful_group);
}

static void print_nodes(doctor_section *section, const doctor_report *report)
{
    const doctor_system *system = &report->system;
    size_t width = 0;
    for (size_t i = 0; i < system->node_count; i++) {
        width = strlen(system->nodes[i].path) > width ? strlen(system->nodes[i].path) : width;
    }
    char title[96];
    snprintf(title, sizeof title, "Device nodes, for %s", system->user);
    doctor_section_begin(section, title, width);
    for (size_t i = 0; i < system->node_count; i++) {
        print_node(section, &system->nodes[i]);
    }
}

static void print_bus(doctor_section *section, const doctor_report *report)
{
    const doctor_system *system = &report->system;
    doctor_section_begin(section, "NVIDIA GPUs on the PCI bus", 12);
    for (size_t i = 0; i < system->pci_count; i++) {
        const doctor_pci *pci = &system->pci[i];
        doctor_fact(section, pci->bus_id, CLI_PLAIN, "driver %s, %s", pci->driver[0] != '\0' ? pci->driver : "none",
                    pci->runtime_state[0] != '\0' ? pci->runtime_state : "runtime state unknown");
    }
    if (system->pci_count == 0) {
        doctor_fact(section, "none", CLI_PLAIN, "%s", "");
    }
}

static void print_signs(doctor_section *section, const char *label, const doctor_sign *signs, size_t count)
{
    if (count == 0) {
        doctor_fact(section, label, CLI_PLAIN, "no sign of one");
    }
    for (size_t i = 0; i < count; i++) {
        doctor_fact(section, label, CLI_PLAIN, "%s", signs[i].text);
    }
}

static void print_environment(doctor_section *section, const doctor_report *report)
{
    const doctor_system *system = &report->system;
    doctor_section_begin(section, "Environment", 10);
    doctor_fact(section, "System", CLI_PLAIN, "%s", system->kernel);
    print_signs(section, "Container", system->container, system->container_count);
    print_signs(section, "WSL", system->wsl, system->wsl_count);
    for (size_t i = 0; i < system->variable_count; i++) {
        doctor_fact(section, "Variable", CLI_PLAIN, "%s=%s", system->variables[i].name, system->variables[i].value);
    }
}

static void print_init(doctor_section *section, const doctor_report *report)
{
    const doctor_driver *driver = report->driver;
    char how[256];
    doctor_end_text(&report->driver_end, report->timeout_s, how, sizeof how);
    doctor_section_begin(section, "Init", 10);
    if (driver->step < DOCTOR_STEP_INIT) {
        bool is_tried = driver->found && report->driver_end.outcome > DOCTOR_ANSWERED;
        doctor_fact(section, "Status", is_tried ? CLI_RED : CLI_PLAIN, "%s", is_tried ? how : "not tried");
        return;
    }
    doctor_fact(section, "Status", driver->init_status == NVP_SUCCESS ? CLI_GREEN : CLI_RED, "%s (%s)",
                nvp_status_text(driver->init_status), nvp_status_name(driver->init_status));
    doctor_fact(section, "Time", CLI_PLAIN, "%.2f ms", (double)driver->init_us / 1e3);
    if (driver->asleep) {
        doctor_fact(section, "Attached", CLI_PLAIN, "nothing, so as not to wake a GPU");
    }
    if (doctor_is_open(report) && driver->step < DOCTOR_STEP_ALL) {
        doctor_fact(section, "After it", CLI_RED, "%s", how);
    }
}

static void print_devices(doctor_section *section, const doctor_report *report)
{
    doctor_section_begin(section, "Devices", 7);
    for (size_t i = 0; i < report->device_count; i++) {
        const doctor_patient *patient = &report->devices[i];
        const doctor_device *device = &patient->device;
        char label[16] = "GPU";
        char state[512];
        if (device->index >= 0) {
            snprintf(label, sizeof label, "GPU %d", device->index);
        }
        doctor_state_text(patient, report->timeout_s, state, sizeof state);
        doctor_fact(section, label,
                    patient->state == DOCTOR_DEVICE_OK          ? CLI_GREEN
                    : patient->state <= DOCTOR_DEVICE_UNREACHED ? CLI_PLAIN
                                                                : CLI_RED,
                    "%s%s%s%s%s", device->bus_id, device->bus_id[0] != '\0' ? ", " : "", device->name,
                    device->name[0] != '\0' ? ": " : "", state);
    }
    if (report->device_count == 0) {
        doctor_fact(section, "none", CLI_PLAIN, "%s", doctor_is_open(report) ? "" : "NVML is not open");
    }
}

static void print_findings(doctor_section *section, const doctor_report *report)
{
    static const cli_style styles[] = { [DOCTOR_NOTE] = CLI_PLAIN, [DOCTOR_WARNING] = CLI_YELLOW, [DOCTOR_FAILURE] = CLI_RED };
    int verdict = doctor_verdict(report);
    if (report->finding_count > 0) {
        doctor_section_begin(section, "Findings", 8);
    }
    for (size_t i = 0; i < report->finding_count; i++) {
        const doctor_finding *finding = &report->findings[i];
        doctor_fact(section, doctor_severity_word(finding->severity), styles[finding->severity], "%s", finding->text);
    }
    cli_style style = verdict == DOCTOR_HEALTHY ? CLI_GREEN : verdict == DOCTOR_DEGRADED ? CLI_YELLOW : CLI_RED;
    fprintf(section->out, "\nVerdict: %s%s%s\n", cli_terminal_style(section->terminal, style), doctor_verdict_word(verdict),
            cli_terminal_reset(section->terminal, style));
}

bool doctor_print(const doctor_report *report, const doctor_view *view, FILE *out)
{
    doctor_section section = { out, &view->terminal, 0, false };
    fprintf(out, CLI_NAME " " NVP_VERSION ", libnvpulse %s\n", nvp_version());
    if (report->driver->simulated) {
        char *clean = cli_text_clean(report->driver->simulation, view->terminal.utf8);
        section.failed = clean == NULL;
        fprintf(out, "%sSIMULATED: %s%s\n", cli_terminal_style(&view->terminal, CLI_YELLOW), clean != NULL ? clean : "",
                cli_terminal_reset(&view->terminal, CLI_YELLOW));
        free(clean);
    }
    print_library(&section, report, view->verbose);
    print_versions(&section, report);
    if (doctor_files_count(report)) {
        print_bus(&section, report);
        print_nodes(&section, report);
    }
    print_environment(&section, report);
    print_init(&section, report);
    print_devices(&section, report);
    print_findings(&section, report);
    return !section.failed;
}
