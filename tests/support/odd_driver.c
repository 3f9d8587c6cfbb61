/*
 * A driver that talks nonsense: sentinels, text that is not UTF-8, counts that lie, lists that never stop growing,
 * numbers that no header knows. Exports few functions, so that missing ones can be tried as well.
 */
#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define TEXT_NEEDED 2000
#define CLOCKS_NEEDED 500

EXPORT nvmlReturn_t nvmlInit_v2(void);
EXPORT nvmlReturn_t nvmlShutdown(void);
EXPORT nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device);
EXPORT nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length);
EXPORT nvmlReturn_t nvmlDeviceGetSerial(nvmlDevice_t device, char *serial, unsigned int length);
EXPORT nvmlReturn_t nvmlDeviceGetVbiosVersion(nvmlDevice_t device, char *version, unsigned int length);
EXPORT nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned int *power);
EXPORT nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t device, unsigned long long *energy);
EXPORT nvmlReturn_t nvmlDeviceGetSupportedEventTypes(nvmlDevice_t device, unsigned long long *types);
EXPORT nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory);
EXPORT nvmlReturn_t nvmlDeviceGetPerformanceState(nvmlDevice_t device, nvmlPstates_t *state);
EXPORT nvmlReturn_t nvmlDeviceGetFanSpeed(nvmlDevice_t device, unsigned int *speed);
EXPORT nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int *index);
EXPORT nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_t *infos);
EXPORT nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_t *infos);
EXPORT nvmlReturn_t nvmlDeviceGetSupportedMemoryClocks(nvmlDevice_t device, unsigned int *count, unsigned int *clocks);
EXPORT nvmlReturn_t nvmlDeviceGetCpuAffinity(nvmlDevice_t device, unsigned int size, unsigned long *set);
EXPORT nvmlReturn_t nvmlDeviceGetProcessesUtilizationInfo(nvmlDevice_t device, nvmlProcessesUtilizationInfo_t *info);
EXPORT nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int count, nvmlFieldValue_t *values);
EXPORT nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned int *minor);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void lock_for_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void unlock_after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

/* Takes a lock that this driver also holds across fork(). */
nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned int *minor)
{
    (void)device;
    pthread_mutex_lock(&lock);
    *minor = 3;
    pthread_mutex_unlock(&lock);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlInit_v2(void)
{
    static bool registered;
    if (!registered) {
        registered = true;
        pthread_atfork(lock_for_fork, unlock_after_fork, unlock_after_fork);
    }
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlShutdown(void)
{
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device)
{
    static char devices[4];
    *device = (nvmlDevice_t)(void *)&devices[index % 4];
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length)
{
    static const char text[] = "G\xff\xc3(\xf0\x9f\x98\x80\xed\xa0\x80";
    (void)device;
    memcpy(name, text, length < sizeof(text) ? length : sizeof(text));
    return NVML_SUCCESS;
}

/* A text that fills the whole buffer, without its end. */
nvmlReturn_t nvmlDeviceGetSerial(nvmlDevice_t device, char *serial, unsigned int length)
{
    (void)device;
    memset(serial, 'x', length);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetVbiosVersion(nvmlDevice_t device, char *version, unsigned int length)
{
    (void)device;
    if (length <= TEXT_NEEDED) {
        return NVML_ERROR_INSUFFICIENT_SIZE;
    }
    memset(version, 'v', TEXT_NEEDED);
    version[TEXT_NEEDED] = '\0';
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned int *power)
{
    (void)device;
    *power = 0xffffffffu;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t device, unsigned long long *energy)
{
    (void)device;
    *energy = ~0ull;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetSupportedEventTypes(nvmlDevice_t device, unsigned long long *types)
{
    (void)device;
    *types = ~0ull;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory)
{
    (void)device;
    *memory = (nvmlMemory_t){ .total = 1000, .free = 0, .used = ~0ull };
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetPerformanceState(nvmlDevice_t device, nvmlPstates_t *state)
{
    unsigned int number = 77;
    (void)device;
    memcpy(state, &number, sizeof(number));
    return NVML_SUCCESS;
}

static nvmlReturn_t answer(unsigned int number)
{
    nvmlReturn_t status;
    memcpy(&status, &number, sizeof(status));
    return status;
}

nvmlReturn_t nvmlDeviceGetFanSpeed(nvmlDevice_t device, unsigned int *speed)
{
    (void)device;
    (void)speed;
    return answer(4242);
}

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int *index)
{
    (void)device;
    (void)index;
    return answer(0xfffffff0u);
}

/* Claims to have written more than there was room for. */
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_t *infos)
{
    (void)device;
    for (unsigned int i = 0; i < *count; i++) {
        infos[i] =
            (nvmlProcessInfo_t){ .pid = i + 1, .usedGpuMemory = ~0ull, .gpuInstanceId = 0xffffffffu, .computeInstanceId = 0 };
    }
    *count += 1000;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_t *infos)
{
    (void)device;
    (void)infos;
    *count = *count * 2 + 1;
    return NVML_ERROR_INSUFFICIENT_SIZE;
}

/* Does not say how much it needs. */
nvmlReturn_t nvmlDeviceGetSupportedMemoryClocks(nvmlDevice_t device, unsigned int *count, unsigned int *clocks)
{
    (void)device;
    if (*count < CLOCKS_NEEDED) {
        return NVML_ERROR_INSUFFICIENT_SIZE;
    }
    for (unsigned int i = 0; i < CLOCKS_NEEDED; i++) {
        clocks[i] = i;
    }
    *count = CLOCKS_NEEDED;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCpuAffinity(nvmlDevice_t device, unsigned int size, unsigned long *set)
{
    (void)device;
    memset(set, 0, size * sizeof(*set));
    set[0] = ~0ul;
    set[1] = 1;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetProcessesUtilizationInfo(nvmlDevice_t device, nvmlProcessesUtilizationInfo_t *info)
{
    enum { NEEDED = 100 };
    (void)device;
    if (info->version != nvmlProcessesUtilizationInfo_v1) {
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    }
    if (info->processSamplesCount < NEEDED) {
        info->processSamplesCount = NEEDED;
        return NVML_ERROR_INSUFFICIENT_SIZE;
    }
    for (unsigned int i = 0; i < NEEDED; i++) {
        info->procUtilArray[i] =
            (nvmlProcessUtilizationInfo_v1_t){ .pid = i + 1, .timeStamp = info->lastSeenTimeStamp, .smUtil = i };
    }
    info->processSamplesCount = NEEDED;
    return NVML_SUCCESS;
}

static void fill(nvmlFieldValue_t *field)
{
    field->nvmlReturn = NVML_SUCCESS;
    switch (field->fieldId) {
    case 1:
        field->valueType = NVML_VALUE_TYPE_DOUBLE;
        field->value.dVal = 1.5;
        field->timestamp = 123456;
        field->latencyUsec = 7;
        break;
    case 2:
        field->valueType = NVML_VALUE_TYPE_DOUBLE;
        field->value.dVal = NAN;
        break;
    case 3:
        field->valueType = NVML_VALUE_TYPE_UNSIGNED_INT;
        field->value.uiVal = 0xffffffffu;
        break;
    case 4:
        field->valueType = NVML_VALUE_TYPE_SIGNED_INT;
        field->value.siVal = -5;
        break;
    case 5:
        field->valueType = NVML_VALUE_TYPE_UNSIGNED_SHORT;
        field->value.usVal = field->scopeId & 0xffffu;
        break;
    case 6:
        field->nvmlReturn = NVML_ERROR_NOT_SUPPORTED;
        break;
    case 7: { /* a type that no header knows */
        unsigned int number = 99;
        memcpy(&field->valueType, &number, sizeof(number));
        break;
    }
    case 8:
        field->valueType = NVML_VALUE_TYPE_SIGNED_LONG_LONG;
        field->value.sllVal = -1;
        break;
    case 9: { /* no nvmlReturn_t, and the number of a status of nvpulse's own */
        int number = -3;
        memcpy(&field->nvmlReturn, &number, sizeof(number));
        break;
    }
    default:
        break;
    }
}

nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int count, nvmlFieldValue_t *values)
{
    (void)device;
    if (values[0].fieldId == 1000) {
        return NVML_ERROR_GPU_IS_LOST;
    }
    for (int i = 0; i < count; i++) {
        if (values[i].fieldId < 100) { /* others are left alone */
            fill(&values[i]);
        }
    }
    return NVML_SUCCESS;
}
