/*
 * Answers about the system: versions, process names, units, excluded devices.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "driver/serve.h"

nvmlReturn_t nvpsim__serve_nvmlInit(void)
{
    return nvpsim__session_open();
}

nvmlReturn_t nvpsim__serve_nvmlInit_v2(void)
{
    return nvpsim__session_open();
}

/* Real libraries do not reject flags that they do not know. */
nvmlReturn_t nvpsim__serve_nvmlInitWithFlags(unsigned int flags)
{
    (void)flags;
    return nvpsim__session_open();
}

nvmlReturn_t nvpsim__serve_nvmlShutdown(void)
{
    return nvpsim__session_close();
}

nvmlReturn_t nvpsim__serve_nvmlSystemGetDriverVersion(char *version, unsigned int length)
{
    return nvpsim__put_text(version, length, nvpsim__generation.version);
}

/* From 535 on this needs no init. */
nvmlReturn_t nvpsim__serve_nvmlSystemGetNVMLVersion(char *version, unsigned int length)
{
    if (!nvpsim__driver_since(535, 0, 0) && !atomic_load_explicit(&nvpsim__session_live, memory_order_acquire)) {
        return NVML_ERROR_UNINITIALIZED;
    }
    char text[NVML_SYSTEM_NVML_VERSION_BUFFER_SIZE];
    snprintf(text, sizeof text, "%u.%s", nvpsim__generation.cuda / 1000, nvpsim__generation.version);
    return nvpsim__put_text(version, length, text);
}

nvmlReturn_t nvpsim__serve_nvmlSystemGetCudaDriverVersion(int *cudaDriverVersion)
{
    if (!cudaDriverVersion) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *cudaDriverVersion = (int)nvpsim__generation.cuda;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlSystemGetCudaDriverVersion_v2(int *cudaDriverVersion)
{
    return nvpsim__serve_nvmlSystemGetCudaDriverVersion(cudaDriverVersion);
}

static const char *scenario_name(unsigned int pid)
{
    uint64_t now_ns = nvpsim__now_ns();
    for (unsigned i = 0; i < nvpsim__world_count(nvpsim__world); i++) {
        const nvpsim_device *device = nvpsim__world_device(nvpsim__world, i);
        for (size_t j = 0; j < device->process_count; j++) {
            const nvpsim_process *process = &device->processes[j];
            if (process->name && nvpsim__process_pid(process) == pid && nvpsim__process_is_running(process, now_ns)) {
                return process->name;
            }
        }
    }
    return NULL;
}

/* The command line of a real process, its first word only. */
static bool real_name(unsigned int pid, char *name, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/cmdline", pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    ssize_t length = read(file, name, size - 1);
    close(file);
    if (length <= 0) {
        return false;
    }
    name[length] = '\0';
    return true;
}

/* A name that is too long for the buffer is cut, as the driver does it. */
nvmlReturn_t nvpsim__serve_nvmlSystemGetProcessName(unsigned int pid, char *name, unsigned int length)
{
    char real[1024];
    if (!name || length == 0) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    const char *text = scenario_name(pid);
    if (!text && real_name(pid, real, sizeof real)) {
        text = real;
    }
    if (!text) {
        return NVML_ERROR_NOT_FOUND;
    }
    snprintf(name, length, "%s", text);
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlSystemGetHicVersion(unsigned int *hwbcCount, nvmlHwbcEntry_t *hwbcEntries)
{
    return nvpsim__list_room(hwbcCount, hwbcEntries, 0);
}

static nvmlReturn_t put_zero(unsigned int *out)
{
    if (!out) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *out = 0;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlUnitGetCount(unsigned int *unitCount)
{
    return put_zero(unitCount);
}

nvmlReturn_t nvpsim__serve_nvmlUnitGetHandleByIndex(unsigned int index, nvmlUnit_t *unit)
{
    (void)index;
    (void)unit;
    return NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvpsim__serve_nvmlGetExcludedDeviceCount(unsigned int *deviceCount)
{
    return put_zero(deviceCount);
}

nvmlReturn_t nvpsim__serve_nvmlGetBlacklistDeviceCount(unsigned int *deviceCount)
{
    return put_zero(deviceCount);
}

nvmlReturn_t nvpsim__serve_nvmlGetExcludedDeviceInfoByIndex(unsigned int index, nvmlExcludedDeviceInfo_t *info)
{
    (void)index;
    (void)info;
    return NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvpsim__serve_nvmlGetBlacklistDeviceInfoByIndex(unsigned int index, nvmlBlacklistDeviceInfo_t *info)
{
    (void)index;
    (void)info;
    return NVML_ERROR_INVALID_ARGUMENT;
}
