/*
 * What the checks of the devices come to: the state of each, and what to do about those that fail. Asks nothing.
 */
#include <string.h>

#include <nvpulse/nvml.h>

#include "doctor.h"

/** What each state is called, and what to do about it; NULL where nothing has to be done. */
static const struct {
    const char *word, *text, *advice;
} states[] = {
    [DOCTOR_DEVICE_OK] = { "ok", "ok", NULL },
    [DOCTOR_DEVICE_ASLEEP] = { "asleep", "asleep", NULL },
    [DOCTOR_DEVICE_UNREACHED] = { "unreached", "not reached", NULL },
    [DOCTOR_DEVICE_LOST] = { "lost", "lost",
                             "It fell off the bus: the kernel log has the reason (lines with Xid 79). Reboot; if it comes back, "
                             "look at "
                             "power, heat and the slot." },
    [DOCTOR_DEVICE_NEEDS_RESET] = { "reset_required", "needs a reset",
                                    "Stop what uses it, then reset it ('nvidia-smi --gpu-reset -i NUMBER' as root) or reboot." },
    [DOCTOR_DEVICE_NO_PERMISSION] = { "no_permission", "no permission",
                                      "Look at its node under Device nodes; in a container, give it the device." },
    [DOCTOR_DEVICE_FAILED] = { "failed", "failed", "" }, /* what the status advises */
    [DOCTOR_DEVICE_NO_ANSWER] = { "no_answer", "no answer",
                                  "It hangs: look at the kernel log for lines with NVRM or Xid, then reset it or reboot." },
    [DOCTOR_DEVICE_CRASHED] = { "crashed", "crashed",
                                "A crash inside the driver's library is a bug of it: note its version, and try another one." },
};

static doctor_state state_of(const doctor_patient *patient)
{
    const doctor_device *device = &patient->device;
    nvp_reason reason = nvp_status_reason(device->status);
    switch (patient->end.outcome) {
    case DOCTOR_NOT_TRIED:
        return DOCTOR_DEVICE_ASLEEP;
    case DOCTOR_NO_ANSWER:
        return DOCTOR_DEVICE_NO_ANSWER;
    case DOCTOR_CRASHED:
        return DOCTOR_DEVICE_CRASHED;
    default:
        break;
    }
    if (device->status == NVP_SUCCESS) {
        return DOCTOR_DEVICE_OK;
    }
    if (reason == NVP_REASON_GPU_LOST) {
        return DOCTOR_DEVICE_LOST;
    }
    if (reason == NVP_REASON_RESET_REQUIRED) {
        return DOCTOR_DEVICE_NEEDS_RESET;
    }
    if (device->by_bus_id && !device->opened) {
        return DOCTOR_DEVICE_UNREACHED;
    }
    return reason == NVP_REASON_NO_PERMISSION ? DOCTOR_DEVICE_NO_PERMISSION : DOCTOR_DEVICE_FAILED;
}

const char *doctor_state_word(doctor_state state)
{
    return states[state].word;
}

void doctor_state_text(const doctor_patient *patient, unsigned int timeout_s, char *text, size_t size)
{
    const doctor_device *device = &patient->device;
    char how[256];
    switch (patient->state) {
    case DOCTOR_DEVICE_OK:
        snprintf(text, size, "%s", states[patient->state].text);
        break;
    case DOCTOR_DEVICE_ASLEEP:
        snprintf(text, size, "%s, and left so", states[patient->state].text);
        break;
    case DOCTOR_DEVICE_NO_ANSWER:
    case DOCTOR_DEVICE_CRASHED:
        doctor_end_text(&patient->end, timeout_s, how, sizeof how);
        snprintf(text, size, "%s", how);
        break;
    default:
        snprintf(text, size, "%s (%s answered %s)", states[patient->state].text, device->call, nvp_status_name(device->status));
        break;
    }
}

/* "GPU 3 (0000:18:00.0)": as much of it as is known. */
static void write_name(const doctor_patient *patient, char *name, size_t size)
{
    const doctor_device *device = &patient->device;
    if (device->index >= 0 && device->bus_id[0] != '\0') {
        snprintf(name, size, "GPU %d (%s)", device->index, device->bus_id);
    } else if (device->index >= 0) {
        snprintf(name, size, "GPU %d", device->index);
    } else {
        snprintf(name, size, "The GPU at %s", device->bus_id);
    }
}

static void judge_device(doctor_report *report, const doctor_patient *patient, doctor_severity severity)
{
    char name[80];
    char text[512];
    const char *advice = states[patient->state].advice;
    write_name(patient, name, sizeof name);
    doctor_state_text(patient, report->timeout_s, text, sizeof text);
    if (patient->state == DOCTOR_DEVICE_ASLEEP) {
        doctor_find(report, DOCTOR_NOTE, "devices", "%s sleeps (runtime state %s). It was not asked, because that would wake it.",
                    name, patient->runtime_state);
    } else if (patient->state == DOCTOR_DEVICE_UNREACHED) {
        doctor_find(
            report, DOCTOR_NOTE, "devices",
            "%s cannot be opened by itself while another GPU sleeps (%s answered %s). Run this again while all are awake.", name,
            patient->device.call, nvp_status_name(patient->device.status));
    } else if (advice != NULL) {
        doctor_find(report, severity, "devices", "%s: %s. %s", name, text,
                    advice[0] != '\0' ? advice : nvp_status_advice(patient->device.status));
    }
}

void doctor_judge_devices(doctor_report *report)
{
    size_t failed = 0;
    if (!doctor_is_open(report) || report->driver->step < DOCTOR_STEP_COUNTED) {
        return;
    }
    for (size_t i = 0; i < report->device_count; i++) {
        report->devices[i].state = state_of(&report->devices[i]);
        failed += states[report->devices[i].state].advice != NULL;
    }
    doctor_severity severity = failed > 0 && failed == report->device_count ? DOCTOR_FAILURE : DOCTOR_WARNING;
    for (size_t i = 0; i < report->device_count; i++) {
        judge_device(report, &report->devices[i], severity);
    }
    if (report->driver->count > DOCTOR_DEVICES_MAX) {
        doctor_find(report, DOCTOR_FAILURE, "devices", "The driver counts %u devices, which cannot be: its library is damaged.",
                    report->driver->count);
    } else if (report->device_count == 0 && report->driver->count_status == NVP_SUCCESS) {
        doctor_find(report, DOCTOR_WARNING, "devices", "The driver works and shows no GPU. %s",
                    report->system.container_count > 0 && doctor_files_count(report)
                        ? "Look at which GPUs this container is given."
                        : "Check that one is on the bus and supported by this driver.");
    }
}
