/*
 * The report for programs: one JSON object whose keys are described in nvpulse-doctor(1) and stay. What is not known is null.
 */
#include <string.h>
#include <sys/stat.h>

#include <nvpulse/function.h>

#include "doctor.h"
#include "json.h"

static void put_status(cli_json *json, bool is_known, nvp_status status)
{
    if (is_known) {
        cli_json_number(json, "status", status);
        cli_json_known_text(json, "status_name", nvp_status_name(status));
    } else {
        cli_json_null(json, "status");
        cli_json_null(json, "status_name");
    }
}

/* The call that did not return, or NULL. */
static const char *bad_call(const doctor_end *end)
{
    return end->outcome > DOCTOR_ANSWERED ? end->call : NULL;
}

static void put_functions(cli_json *json, const doctor_driver *driver)
{
    cli_json_open(json, "fallbacks", '[');
    for (size_t i = 0; i < driver->function_count; i++) {
        const doctor_function *function = &driver->functions[i];
        if (function->served_by[0] == '\0') {
            continue;
        }
        cli_json_open(json, NULL, '{');
        cli_json_known_text(json, "wanted", nvp_function_at(i)->name);
        cli_json_known_text(json, "served_by", function->served_by);
        cli_json_known_text(json, "lost", function->lost);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    cli_json_open(json, "missing", '[');
    for (size_t i = 0; i < driver->function_count && driver->found; i++) {
        if (!driver->functions[i].exported && driver->functions[i].served_by[0] == '\0') {
            cli_json_known_text(json, NULL, nvp_function_at(i)->name);
        }
    }
    cli_json_close(json, ']');
}

static void put_library(cli_json *json, const doctor_report *report)
{
    const doctor_driver *driver = report->driver;
    cli_json_open(json, "library", '{');
    cli_json_bool(json, "found", driver->found);
    put_status(json, driver->step >= DOCTOR_STEP_FOUND, driver->find_status);
    cli_json_known_text(json, "path", driver->path);
    cli_json_known_text(json, "origin", driver->origin);
    cli_json_known_text(json, "simulation", driver->simulation);
    cli_json_known_text(json, "shim", driver->shim);
    cli_json_number(json, "functions_known", (long long)driver->function_count);
    cli_json_number(json, "functions_exported", (long long)driver->exported_count);
    cli_json_open(json, "candidates", '[');
    for (size_t i = 0; i < driver->candidate_count; i++) {
        cli_json_open(json, NULL, '{');
        cli_json_known_text(json, "path", driver->candidates[i].path);
        cli_json_known_text(json, "origin", driver->candidates[i].origin);
        cli_json_known_text(json, "reason", driver->candidates[i].reason);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    put_functions(json, driver);
    cli_json_close(json, '}');
}

static void put_versions(cli_json *json, const doctor_report *report)
{
    char library[96];
    doctor_library_version(report, library, sizeof library);
    cli_json_open(json, "versions", '{');
    cli_json_known_text(json, "nvpulse", nvp_version());
    cli_json_known_text(json, "driver", report->driver->driver_version.text);
    cli_json_known_text(json, "nvml", report->driver->nvml_version.text);
    cli_json_known_text(json, "cuda", report->driver->cuda_version.text);
    cli_json_known_text(json, "library", library);
    cli_json_close(json, '}');
    cli_json_open(json, "module", '{');
    cli_json_bool(json, "loaded", doctor_module_version(report)[0] != '\0');
    cli_json_known_text(json, "proc_version", report->system.module.proc_version);
    cli_json_known_text(json, "sys_version", report->system.module.sys_version);
    cli_json_bool(json, "mismatch", doctor_versions_differ(report));
    cli_json_close(json, '}');
}

static void put_bus(cli_json *json, const doctor_system *system)
{
    cli_json_open(json, "pci", '[');
    for (size_t i = 0; i < system->pci_count; i++) {
        cli_json_open(json, NULL, '{');
        cli_json_known_text(json, "bus_id", system->pci[i].bus_id);
        cli_json_known_text(json, "driver", system->pci[i].driver);
        cli_json_known_text(json, "runtime_state", system->pci[i].runtime_state);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void put_node(cli_json *json, const doctor_node *node)
{
    bool exists = node->error == 0;
    char mode[8];
    snprintf(mode, sizeof mode, "%04o", (unsigned int)(node->mode & 07777));
    cli_json_open(json, NULL, '{');
    cli_json_known_text(json, "path", node->path);
    cli_json_bool(json, "exists", exists);
    cli_json_bool(json, "is_device", S_ISCHR(node->mode));
    cli_json_known_text(json, "mode", exists ? mode : NULL);
    cli_json_known_text(json, "owner", node->owner);
    cli_json_known_text(json, "group", node->group);
    cli_json_bool(json, "readable", node->readable);
    cli_json_bool(json, "writable", node->writable);
    cli_json_known_text(json, "helpful_group", node->helpful_group);
    cli_json_close(json, '}');
}

static void put_signs(cli_json *json, const char *key, const doctor_sign *signs, size_t count)
{
    cli_json_open(json, key, '[');
    for (size_t i = 0; i < count; i++) {
        cli_json_known_text(json, NULL, signs[i].text);
    }
    cli_json_close(json, ']');
}

static void put_environment(cli_json *json, const doctor_system *system)
{
    cli_json_open(json, "environment", '{');
    cli_json_known_text(json, "kernel", system->kernel);
    cli_json_known_text(json, "user", system->user);
    put_signs(json, "container", system->container, system->container_count);
    put_signs(json, "wsl", system->wsl, system->wsl_count);
    cli_json_open(json, "variables", '{');
    for (size_t i = 0; i < system->variable_count; i++) {
        cli_json_text(json, system->variables[i].name, system->variables[i].value);
    }
    cli_json_close(json, '}');
    cli_json_close(json, '}');
}

static void put_init(cli_json *json, const doctor_report *report)
{
    const doctor_driver *driver = report->driver;
    bool is_known = driver->step >= DOCTOR_STEP_INIT;
    bool is_tried = driver->found && !driver->would_wake;
    cli_json_open(json, "init", '{');
    cli_json_known_text(json, "outcome", doctor_outcome_word(is_tried ? report->driver_end.outcome : DOCTOR_NOT_TRIED));
    put_status(json, is_known, driver->init_status);
    cli_json_known_text(json, "call", bad_call(&report->driver_end));
    if (is_known) {
        cli_json_number(json, "elapsed_us", (long long)driver->init_us);
    } else {
        cli_json_null(json, "elapsed_us");
    }
    cli_json_bool(json, "attaches_nothing", driver->asleep);
    cli_json_close(json, '}');
}

static void put_device(cli_json *json, const doctor_patient *patient)
{
    const doctor_device *device = &patient->device;
    cli_json_open(json, NULL, '{');
    if (device->index >= 0) {
        cli_json_number(json, "index", device->index);
    } else {
        cli_json_null(json, "index");
    }
    cli_json_known_text(json, "bus_id", device->bus_id);
    cli_json_known_text(json, "uuid", device->uuid);
    cli_json_known_text(json, "name", device->name);
    cli_json_known_text(json, "runtime_state", patient->runtime_state);
    cli_json_known_text(json, "state", doctor_state_word(patient->state));
    put_status(json, patient->end.outcome == DOCTOR_ANSWERED, device->status);
    cli_json_known_text(json, "call", bad_call(&patient->end) != NULL ? bad_call(&patient->end) : device->call);
    cli_json_close(json, '}');
}

static void put_findings(cli_json *json, const doctor_report *report)
{
    cli_json_open(json, "findings", '[');
    for (size_t i = 0; i < report->finding_count; i++) {
        cli_json_open(json, NULL, '{');
        cli_json_known_text(json, "severity", doctor_severity_word(report->findings[i].severity));
        cli_json_known_text(json, "section", report->findings[i].section);
        cli_json_known_text(json, "text", report->findings[i].text);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

bool doctor_print_json(const doctor_report *report, FILE *out)
{
    cli_json json = CLI_JSON_INIT(out);
    int verdict = doctor_verdict(report);
    cli_json_open(&json, NULL, '{');
    cli_json_known_text(&json, "verdict", doctor_verdict_word(verdict));
    cli_json_number(&json, "exit_status", verdict);
    cli_json_bool(&json, "simulated", report->driver->simulated);
    cli_json_number(&json, "timeout_s", report->timeout_s);
    put_library(&json, report);
    put_versions(&json, report);
    put_bus(&json, &report->system);
    cli_json_open(&json, "nodes", '[');
    for (size_t i = 0; i < report->system.node_count; i++) {
        put_node(&json, &report->system.nodes[i]);
    }
    cli_json_close(&json, ']');
    put_environment(&json, &report->system);
    put_init(&json, report);
    cli_json_open(&json, "devices", '[');
    for (size_t i = 0; i < report->device_count; i++) {
        put_device(&json, &report->devices[i]);
    }
    cli_json_close(&json, ']');
    put_findings(&json, report);
    cli_json_close(&json, '}');
    fputc('\n', out);
    return !json.failed;
}
