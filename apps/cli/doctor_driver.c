/*
 * What the children ask: the library, NVML as a whole, one device. Tells the parent before each call what comes, and writes
 * down each answer at once, because the next call may be the last.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <nvpulse/driver.h>
#include <nvpulse/function.h>
#include <nvpulse/lifecycle.h>
#include <nvpulse/query.h>

#include "doctor_driver.h"

/** Asked of every device: what any program asks first. */
static const struct {
    const char *name;
    bool takes_sensor;
} device_calls[] = {
    { "nvmlDeviceGetPciInfo_v3", false }, { "nvmlDeviceGetUUID", false },       { "nvmlDeviceGetName", false },
    { "nvmlDeviceGetMemoryInfo", false }, { "nvmlDeviceGetTemperature", true }, { "nvmlDeviceGetPerformanceState", false },
};

static void copy_candidates(doctor_driver *driver)
{
    nvp_candidate from;
    for (size_t i = 0; i < DOCTOR_CANDIDATES_MAX && nvp_driver_get_candidate(i, &from) == NVP_SUCCESS; i++) {
        doctor_candidate *to = &driver->candidates[i];
        snprintf(to->path, sizeof to->path, "%s", from.path);
        snprintf(to->origin, sizeof to->origin, "%s", from.origin);
        snprintf(to->reason, sizeof to->reason, "%s", from.reason != NULL ? from.reason : "");
        driver->candidate_count = i + 1;
    }
}

static void copy_functions(doctor_driver *driver)
{
    for (size_t i = 0; i < driver->function_count; i++) {
        const nvp_function *function = nvp_function_at(i);
        const nvp_fallback *fallback = nvp_function_fallback(function);
        doctor_function *to = &driver->functions[i];
        to->exported = nvp_function_available(function);
        if (fallback != NULL) {
            snprintf(to->served_by, sizeof to->served_by, "%s", fallback->served_by);
            snprintf(to->lost, sizeof to->lost, "%s", fallback->lost);
        }
    }
}

static void find_library(doctor_trace *trace, doctor_driver *driver)
{
    doctor_trace_call(trace, "loading the library");
    driver->find_status = nvp_driver_find();
    nvp_driver_info info = NVP_DRIVER_INFO_INIT;
    nvp_driver_get_info(&info);
    driver->found = info.loaded;
    driver->simulated = info.simulated;
    driver->exported_count = info.function_count;
    snprintf(driver->path, sizeof driver->path, "%s", info.path != NULL ? info.path : "");
    snprintf(driver->origin, sizeof driver->origin, "%s", info.origin != NULL ? info.origin : "");
    snprintf(driver->simulation, sizeof driver->simulation, "%s", info.simulation != NULL ? info.simulation : "");
    const char *shim = nvp_driver_shim();
    snprintf(driver->shim, sizeof driver->shim, "%s", shim != NULL ? shim : "");
    copy_candidates(driver);
    if (driver->found) {
        copy_functions(driver);
    }
    driver->step = DOCTOR_STEP_FOUND;
}

/* Permissions do not tell what a device control group refuses; opening does, and opening this node wakes no GPU. */
static void open_control_node(doctor_trace *trace, doctor_driver *driver)
{
    char call[96];
    snprintf(call, sizeof call, "opening %.80s", driver->control_path);
    doctor_trace_call(trace, call);
    int file = open(driver->control_path, O_RDWR | O_CLOEXEC | O_NOCTTY);
    driver->control_error = file >= 0 ? 0 : errno;
    if (file >= 0) {
        close(file);
    }
}

static uint64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* Opens NVML; with `asleep` so that no GPU is attached, and only where that can be had. */
static nvp_status init(doctor_trace *trace, bool asleep)
{
    doctor_trace_call(trace, "nvmlInit");
    return asleep ? nvp_init_with_flags(NVML_INIT_FLAG_NO_ATTACH) : nvp_init();
}

static void read_version(doctor_trace *trace, const char *call, doctor_version *version)
{
    nvp_value value = NVP_VALUE_INIT;
    doctor_trace_call(trace, call);
    nvp_query(call, NULL, 0, NULL, &value);
    version->status = value.status;
    if (nvp_check(&value, NVP_KIND_TEXT)) {
        snprintf(version->text, sizeof version->text, "%s", nvp_value_text(&value));
    } else if (nvp_check(&value, NVP_KIND_NUMBER)) { /* CUDA's: 1000 times the first number and 10 times the second */
        long long number = (long long)nvp_value_number(&value, 0);
        snprintf(version->text, sizeof version->text, "%lld.%lld", number / 1000, number % 1000 / 10);
    }
    nvp_value_clear(&value);
}

static void read_versions(doctor_trace *trace, doctor_driver *driver)
{
    read_version(trace, "nvmlSystemGetDriverVersion", &driver->driver_version);
    read_version(trace, "nvmlSystemGetNVMLVersion", &driver->nvml_version);
    read_version(trace, "nvmlSystemGetCudaDriverVersion_v2", &driver->cuda_version);
    if (driver->cuda_version.status == NVML_ERROR_FUNCTION_NOT_FOUND) {
        read_version(trace, "nvmlSystemGetCudaDriverVersion", &driver->cuda_version);
    }
}

void doctor_driver_check(doctor_trace *trace, void *result)
{
    doctor_driver *driver = result;
    find_library(trace, driver);
    bool files_count = !driver->simulated || driver->files_count;
    if (files_count && driver->control_path[0] != '\0') {
        open_control_node(trace, driver);
    }
    driver->step = DOCTOR_STEP_OPENED;
    if (!driver->found) {
        return;
    }
    driver->asleep = driver->asleep && files_count;
    driver->would_wake = driver->asleep && !nvp_function_available(nvp_function_find("nvmlInitWithFlags"));
    if (driver->would_wake) {
        return;
    }
    uint64_t begun_us = now_us();
    driver->init_status = init(trace, driver->asleep);
    driver->init_us = now_us() - begun_us;
    driver->step = DOCTOR_STEP_INIT;
    if (driver->init_status != NVP_SUCCESS) {
        return;
    }
    if (!driver->asleep) { /* otherwise the bus tells, because counting may look at every GPU */
        doctor_trace_call(trace, "nvmlDeviceGetCount");
        driver->count_status = (nvp_status)nvmlDeviceGetCount(&driver->count);
    }
    driver->step = DOCTOR_STEP_COUNTED;
    read_versions(trace, driver);
    driver->step = DOCTOR_STEP_ALL;
}

static void note_failure(doctor_device *device, const char *call, nvp_status status)
{
    device->status = status;
    snprintf(device->call, sizeof device->call, "%s", call);
}

static bool open_device(doctor_trace *trace, doctor_device *device, nvmlDevice_t *handle)
{
    nvp_status status = init(trace, device->by_bus_id);
    if (status != NVP_SUCCESS) {
        note_failure(device, "nvmlInit", status);
        return false;
    }
    const char *call = device->by_bus_id ? "nvmlDeviceGetHandleByPciBusId" : "nvmlDeviceGetHandleByIndex";
    doctor_trace_call(trace, call);
    status = (nvp_status)(device->by_bus_id ? nvmlDeviceGetHandleByPciBusId(device->bus_id, handle)
                                            : nvmlDeviceGetHandleByIndex((unsigned int)device->index, handle));
    if (status != NVP_SUCCESS) {
        note_failure(device, call, status);
        return false;
    }
    device->opened = true;
    return true;
}

/* True for an answer that says nothing against the device: much is not offered, or not to everyone. */
static bool is_answer(const nvp_value *value)
{
    switch (value->reason) {
    case NVP_REASON_NONE:
    case NVP_REASON_NOT_SUPPORTED:
    case NVP_REASON_NO_PERMISSION:
    case NVP_REASON_FUNCTION_MISSING:
    case NVP_REASON_SENTINEL:
    case NVP_REASON_NO_DATA:
        return true;
    default:
        return false;
    }
}

static void keep(doctor_device *device, const char *call, const nvp_value *value)
{
    nvp_value field = NVP_VALUE_INIT;
    if (strcmp(call, "nvmlDeviceGetName") == 0) {
        snprintf(device->name, sizeof device->name, "%s", nvp_value_text(value));
    } else if (strcmp(call, "nvmlDeviceGetUUID") == 0) {
        snprintf(device->uuid, sizeof device->uuid, "%s", nvp_value_text(value));
    } else if (nvp_value_field(value, "busId", &field) == NVP_SUCCESS) {
        snprintf(device->bus_id, sizeof device->bus_id, "%.31s", nvp_value_text(&field));
    }
    nvp_value_clear(&field);
}

void doctor_device_check(doctor_trace *trace, void *result)
{
    doctor_device *device = result;
    nvmlDevice_t handle = NULL;
    if (!open_device(trace, device, &handle)) {
        return;
    }
    for (size_t i = 0; i < sizeof device_calls / sizeof *device_calls && device->status == NVP_SUCCESS; i++) {
        const char *call = device_calls[i].name;
        const nvp_arg args[] = { nvp_arg_handle(handle), nvp_arg_uint(NVML_TEMPERATURE_GPU) };
        nvp_value value = NVP_VALUE_INIT;
        doctor_trace_call(trace, call);
        nvp_query(call, args, device_calls[i].takes_sensor ? 2 : 1, NULL, &value);
        if (is_answer(&value)) {
            keep(device, call, &value);
        } else {
            note_failure(device, call, value.status);
        }
        nvp_value_clear(&value);
    }
    if (device->by_bus_id && device->status == NVP_SUCCESS) {
        unsigned int index = 0;
        doctor_trace_call(trace, "nvmlDeviceGetIndex");
        device->index = nvmlDeviceGetIndex(handle, &index) == NVML_SUCCESS ? (int)index : -1;
    }
}
