/*
 * What the facts come to: the library, its versions, NVML as a whole. Every finding says what is so and what to do about it, and
 * the verdict is that of the gravest. Asks nothing.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <nvpulse/nvml.h>

#include "doctor.h"

/** An init that takes longer is worth a word. */
#define SLOW_US 2000000

void doctor_find(doctor_report *report, doctor_severity severity, const char *section, const char *format, ...)
{
    doctor_finding *list = doctor_grow(report->findings, report->finding_count, sizeof *list);
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = list != NULL ? vasprintf(&text, format, arguments) : -1;
    va_end(arguments);
    report->findings = list != NULL ? list : report->findings;
    if (length < 0) {
        report->failed = true;
        return;
    }
    size_t place = report->finding_count++;
    for (; place > 0 && list[place - 1].severity < severity; place--) { /* the gravest first, in order otherwise */
        list[place] = list[place - 1];
    }
    list[place] = (doctor_finding){ severity, section, text };
}

bool doctor_files_count(const doctor_report *report)
{
    return !report->driver->simulated || report->driver->files_count;
}

bool doctor_is_open(const doctor_report *report)
{
    return report->driver->step >= DOCTOR_STEP_INIT && report->driver->init_status == NVP_SUCCESS;
}

const char *doctor_module_version(const doctor_report *report)
{
    const doctor_module *module = &report->system.module;
    return module->proc_version[0] != '\0' ? module->proc_version : module->sys_version;
}

/* The file is libnvidia-ml.so.VERSION; NVML's own version is CUDA's first number, a point and the same VERSION. */
void doctor_library_version(const doctor_report *report, char *version, size_t size)
{
    static const char stem[] = "libnvidia-ml.so.";
    const doctor_driver *driver = report->driver;
    const char *slash = strrchr(driver->path, '/');
    const char *name = slash != NULL ? slash + 1 : driver->path;
    const char *tail = strncmp(name, stem, strlen(stem)) == 0 ? name + strlen(stem) : "";
    const char *point = strchr(driver->nvml_version.text, '.');
    if (strchr(tail, '.') == NULL) { /* "1" is the version of the interface */
        tail = point != NULL ? point + 1 : driver->driver_version.text;
    }
    snprintf(version, size, "%s", tail);
}

bool doctor_versions_differ(const doctor_report *report)
{
    char version[96];
    doctor_library_version(report, version, sizeof version);
    const char *module = doctor_module_version(report);
    return doctor_files_count(report) && version[0] != '\0' && module[0] != '\0' && strcmp(version, module) != 0;
}

static const doctor_candidate *find_stub(const doctor_driver *driver)
{
    for (size_t i = 0; i < driver->candidate_count; i++) {
        if (strstr(driver->candidates[i].reason, "stub") != NULL) {
            return &driver->candidates[i];
        }
    }
    return NULL;
}

/* True when the container runtime was told to leave NVML out. */
static bool is_left_out(const doctor_system *system)
{
    const char *capabilities = doctor_variable_of(system, "NVIDIA_DRIVER_CAPABILITIES");
    return capabilities != NULL && strstr(capabilities, "utility") == NULL && strstr(capabilities, "all") == NULL;
}

static void judge_absence(doctor_report *report)
{
    const doctor_system *system = &report->system;
    const char *module = doctor_module_version(report);
    if (doctor_variable_of(system, "NVPULSE_NVML_PATH") != NULL) {
        doctor_find(report, DOCTOR_FAILURE, "library",
                    "NVPULSE_NVML_PATH names a library that cannot be used, and no other is tried in its place. "
                    "Correct the variable or unset it.");
    } else if (report->driver->find_status == NVP_ERROR_LIBRARY_BROKEN) {
        doctor_find(report, DOCTOR_FAILURE, "library",
                    "A library is there, but it cannot be loaded. Reinstall the driver's package that owns it.");
    } else if (system->wsl_count > 0) {
        doctor_find(report, DOCTOR_FAILURE, "library",
                    "No NVML library is found. Under WSL it comes with the NVIDIA driver for Windows, in /usr/lib/wsl/lib: "
                    "install that driver, and none inside WSL.");
    } else if (is_left_out(system)) {
        doctor_find(report, DOCTOR_FAILURE, "library",
                    "No NVML library is found: NVIDIA_DRIVER_CAPABILITIES is '%s', which leaves it out. Add 'utility' to it.",
                    doctor_variable_of(system, "NVIDIA_DRIVER_CAPABILITIES"));
    } else if (system->container_count > 0) {
        doctor_find(
            report, DOCTOR_FAILURE, "library",
            "No NVML library is found in this container. Start it with the NVIDIA runtime, as with 'docker run --gpus all'.");
    } else if (module[0] != '\0') {
        doctor_find(report, DOCTOR_FAILURE, "library",
                    "No NVML library is found, though the kernel module is loaded. Install the driver's user-space package of "
                    "version %s.",
                    module);
    } else {
        doctor_find(report, DOCTOR_FAILURE, "library",
                    "No NVML library is found. It comes with the NVIDIA display driver: install that, or name the file with "
                    "NVPULSE_NVML_PATH.");
    }
}

static void judge_library(doctor_report *report)
{
    const doctor_driver *driver = report->driver;
    if (driver->step < DOCTOR_STEP_FOUND) {
        char how[256];
        doctor_end_text(&report->driver_end, report->timeout_s, how, sizeof how);
        doctor_find(report, DOCTOR_FAILURE, "library",
                    "The library cannot be loaded: %s. Reinstall the driver's package that owns it, or name another file with "
                    "NVPULSE_NVML_PATH; LOGLEVEL=DEBUG shows what was tried.",
                    how);
        return;
    }
    const doctor_candidate *stub = find_stub(driver);
    if (stub != NULL) {
        doctor_find(report, driver->found ? DOCTOR_NOTE : DOCTOR_FAILURE, "library",
                    "%s is the stub that the CUDA toolkit has for linking; no program can run with it. Take its folder out of "
                    "LD_LIBRARY_PATH and of the loader's configuration.",
                    stub->path);
    }
    if (!driver->found) {
        judge_absence(report);
    } else if (driver->simulated) {
        doctor_find(report, DOCTOR_NOTE, "library", "The driver is simulated: this tells nothing about real GPUs.");
    }
}

static void judge_fallbacks(doctor_report *report)
{
    size_t served = 0;
    for (size_t i = 0; i < report->driver->function_count; i++) {
        served += report->driver->functions[i].served_by[0] != '\0';
    }
    if (served > 0) {
        doctor_find(
            report, DOCTOR_NOTE, "library",
            "%zu function%s that this driver lacks %s served by others; the fallbacks under Library say what is lost by that.",
            served, served == 1 ? "" : "s", served == 1 ? "is" : "are");
    }
}

static void judge_versions(doctor_report *report)
{
    if (!doctor_versions_differ(report)) {
        return;
    }
    char version[96];
    doctor_library_version(report, version, sizeof version);
    doctor_find(report, doctor_is_open(report) ? DOCTOR_WARNING : DOCTOR_FAILURE, "versions",
                "The kernel module is version %s and the library is version %s: the driver was changed while the module was "
                "loaded. %s",
                doctor_module_version(report), version,
                report->system.container_count > 0
                    ? "Restart the container; if that does not help, reload the modules on the host or reboot it."
                    : "Stop what uses the GPUs and reload the modules (modprobe -r nvidia_uvm nvidia_drm nvidia_modeset nvidia; "
                      "modprobe nvidia), or reboot.");
}

static void judge_failed_init(doctor_report *report)
{
    nvp_status status = report->driver->init_status;
    if (status == NVML_ERROR_GPU_NOT_FOUND) {
        doctor_find(report, DOCTOR_WARNING, "init", "The driver works and finds no GPU. %s", nvp_status_advice(status));
        return;
    }
    bool is_explained = report->finding_count > 0 && report->findings[0].severity == DOCTOR_FAILURE;
    doctor_find(report, DOCTOR_FAILURE, "init", "NVML cannot be opened: %s (%s).%s%s", nvp_status_text(status),
                nvp_status_name(status), is_explained ? "" : " ", is_explained ? "" : nvp_status_advice(status));
}

static void judge_init(doctor_report *report)
{
    const doctor_driver *driver = report->driver;
    char how[256];
    doctor_end_text(&report->driver_end, report->timeout_s, how, sizeof how);
    if (driver->step < DOCTOR_STEP_FOUND || !driver->found) {
        return;
    }
    if (driver->would_wake) {
        doctor_find(
            report, DOCTOR_NOTE, "init",
            "A GPU sleeps, and this driver cannot be opened without waking it, so nothing was asked. Use the GPU, and run "
            "this again while it is awake.");
    } else if (driver->step < DOCTOR_STEP_INIT) {
        doctor_find(report, DOCTOR_FAILURE, "init",
                    "NVML cannot be opened: %s. Look at the kernel log for lines with NVRM or Xid; if there are any, reboot.",
                    how);
    } else if (driver->init_status != NVP_SUCCESS) {
        judge_failed_init(report);
    } else if (driver->step < DOCTOR_STEP_ALL) {
        doctor_find(report, DOCTOR_FAILURE, "versions", "The driver fails after init: %s. Look at the kernel log.", how);
    } else if (driver->count_status != NVP_SUCCESS) {
        doctor_find(report, DOCTOR_FAILURE, "devices", "The devices cannot be counted: %s (%s). %s",
                    nvp_status_text(driver->count_status), nvp_status_name(driver->count_status),
                    nvp_status_advice(driver->count_status));
    }
    if (doctor_is_open(report) && driver->init_us > SLOW_US) {
        doctor_find(report, DOCTOR_NOTE, "init",
                    "Opening NVML took %.1f s. Where no program holds the GPUs open, persistence mode saves that time: start "
                    "nvidia-persistenced.",
                    (double)driver->init_us / 1e6);
    }
}

void doctor_judge(doctor_report *report)
{
    judge_library(report);
    judge_fallbacks(report);
    judge_versions(report);
    doctor_judge_system(report);
    judge_init(report);
    doctor_judge_devices(report);
}

int doctor_verdict(const doctor_report *report)
{
    static const int verdicts[] = {
        [DOCTOR_NOTE] = DOCTOR_HEALTHY, [DOCTOR_WARNING] = DOCTOR_DEGRADED, [DOCTOR_FAILURE] = DOCTOR_UNUSABLE
    };
    return report->finding_count > 0 ? verdicts[report->findings[0].severity] : DOCTOR_HEALTHY;
}

const char *doctor_verdict_word(int verdict)
{
    return verdict == DOCTOR_HEALTHY ? "healthy" : verdict == DOCTOR_DEGRADED ? "degraded" : "unusable";
}

const char *doctor_severity_word(doctor_severity severity)
{
    return severity == DOCTOR_NOTE ? "note" : severity == DOCTOR_WARNING ? "degraded" : "unusable";
}

const char *doctor_outcome_word(doctor_outcome outcome)
{
    static const char *const words[] = { "not_tried", "answered", "no_answer", "crashed" };
    return words[outcome];
}

void doctor_end_text(const doctor_end *end, unsigned int timeout_s, char *text, size_t size)
{
    if (end->outcome == DOCTOR_NO_ANSWER) {
        snprintf(text, size, "%s gave no answer within %u s", end->call, timeout_s);
    } else if (end->outcome == DOCTOR_CRASHED && end->signal != 0) {
        snprintf(text, size, "%s crashed with signal %d (%s)", end->call, end->signal, strsignal(end->signal));
    } else if (end->outcome == DOCTOR_CRASHED) {
        snprintf(text, size, "%s ended the process with status %d", end->call, end->exit_code);
    } else {
        snprintf(text, size, "%s", end->outcome == DOCTOR_ANSWERED ? "answered" : "not tried");
    }
}
