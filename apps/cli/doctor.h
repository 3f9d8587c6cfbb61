/*
 * What `nvpulse doctor` has found out, what it makes of that, and how it is printed: read first, judged then, printed last.
 */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include <stdio.h>

#include "doctor_driver.h"
#include "doctor_probe.h"
#include "doctor_system.h"
#include "terminal.h"

/** Exit codes; nvpulse-doctor(1) documents them. 1 and 2 are verdicts here, so that other failures need codes of their own. */
enum { DOCTOR_HEALTHY = 0, DOCTOR_DEGRADED = 1, DOCTOR_UNUSABLE = 2, DOCTOR_USAGE = 64, DOCTOR_NO_RESOURCES = 71 };

/** A driver that counts more devices than this talks nonsense. */
#define DOCTOR_DEVICES_MAX 4096

/** How a device is. */
typedef enum doctor_state {
    DOCTOR_DEVICE_OK,
    DOCTOR_DEVICE_ASLEEP,    /**< not asked, so as not to wake it */
    DOCTOR_DEVICE_UNREACHED, /**< could not be opened by itself while another one sleeps */
    DOCTOR_DEVICE_LOST,      /**< fell off the bus */
    DOCTOR_DEVICE_NEEDS_RESET,
    DOCTOR_DEVICE_NO_PERMISSION,
    DOCTOR_DEVICE_FAILED,    /**< a call failed for another reason */
    DOCTOR_DEVICE_NO_ANSWER, /**< a call did not return */
    DOCTOR_DEVICE_CRASHED    /**< a call ended the process that made it */
} doctor_state;

/** A device with what became of its check. */
typedef struct doctor_patient {
    doctor_device device;
    char runtime_state[32]; /**< "" when unknown */
    doctor_end end;
    doctor_state state;
} doctor_patient;

typedef enum doctor_severity { DOCTOR_NOTE, DOCTOR_WARNING, DOCTOR_FAILURE } doctor_severity;

/** Something worth saying: what is so, and what to do about it. */
typedef struct doctor_finding {
    doctor_severity severity;
    const char *section; /**< the key of its part in the JSON object */
    char *text;
} doctor_finding;

typedef struct doctor_report {
    unsigned int timeout_s;
    doctor_system system;
    doctor_driver *driver;
    doctor_end driver_end;
    doctor_patient *devices;
    size_t device_count;
    doctor_finding *findings; /**< the gravest first */
    size_t finding_count;
    bool failed; /**< memory ran out */
} doctor_report;

/** How to print. */
typedef struct doctor_view {
    cli_terminal terminal;
    bool verbose;
} doctor_view;

/** Reads everything; false when the system lacks what that needs, after a message. */
bool doctor_report_read(doctor_report *report);
void doctor_report_free(doctor_report *report);

/** True when the files of the system belong to the driver in use: a simulated one has nothing to do with them. */
bool doctor_files_count(const doctor_report *report);
/** True when init has succeeded. */
bool doctor_is_open(const doctor_report *report);
/** Writes the version in the name of the library's file, such as "550.163.01"; "" when it has none. */
void doctor_library_version(const doctor_report *report, char *version, size_t size);
/** The version of the kernel module, "" when none is loaded. */
const char *doctor_module_version(const doctor_report *report);
/** True when kernel module and user-space part are known to be of different versions. */
bool doctor_versions_differ(const doctor_report *report);

/** Fills `findings` and decides the state of each device. */
void doctor_judge(doctor_report *report);
void doctor_judge_system(doctor_report *report);
void doctor_judge_devices(doctor_report *report);
/** Adds a finding; for the parts of doctor_judge(). */
void doctor_find(doctor_report *report, doctor_severity severity, const char *section, const char *format, ...) NVP_PRINTF(4, 5);

/** The exit code that the findings come to, and its word. */
int doctor_verdict(const doctor_report *report);
const char *doctor_verdict_word(int verdict);
/** The same for one finding: "note", "degraded" or "unusable". */
const char *doctor_severity_word(doctor_severity severity);
/** A stable word for programs, such as "no_answer". */
const char *doctor_outcome_word(doctor_outcome outcome);
const char *doctor_state_word(doctor_state state);
/** For people: how a check ended badly, such as "nvmlInit gave no answer within 5 s". */
void doctor_end_text(const doctor_end *end, unsigned int timeout_s, char *text, size_t size);
/** For people: how a device is, such as "lost (nvmlDeviceGetName answered NVML_ERROR_GPU_IS_LOST)". */
void doctor_state_text(const doctor_patient *patient, unsigned int timeout_s, char *text, size_t size);

/** Print the report; false when memory ran out. */
bool doctor_print(const doctor_report *report, const doctor_view *view, FILE *out);
bool doctor_print_json(const doctor_report *report, FILE *out);

#endif
