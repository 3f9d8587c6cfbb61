/*
 * How much each process and each virtual GPU uses the engines: arrays with a count, or (first in 550) versioned structs that point
 * at an array of larger entries, with JPEG and optical flow.
 */
#include "compat/adapters.h"

#include "compat/driver.h"
#include "compat/room.h"

#include <string.h>

#define ENTRIES_ON_STACK 64
#define ENTRIES_MAX (1u << 20)

static bool carries_count(nvmlReturn_t status)
{
    return status == NVML_SUCCESS || status == NVML_ERROR_INSUFFICIENT_SIZE;
}

static unsigned int least(unsigned int one, unsigned int other)
{
    return one < other ? one : other;
}

/*
 * From the array to the struct. The older entries are smaller, so they are read into the caller's own array and widened there, from
 * the last to the first.
 */

nvmlReturn_t nvp__compat_process_use_info_from_v1(nvmlDevice_t device, nvmlProcessesUtilizationInfo_v1_t *info)
{
    if (info == NULL) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (info->version != nvmlProcessesUtilizationInfo_v1) {
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    }
    unsigned int count = info->processSamplesCount;
    unsigned char *bytes = (unsigned char *)info->procUtilArray;
    nvmlReturn_t status = NVP__OWN(nvmlDeviceGetProcessUtilization)(device, (void *)bytes, &count, info->lastSeenTimeStamp);
    count = status == NVML_SUCCESS ? least(count, info->processSamplesCount) : count;
    for (unsigned int i = status == NVML_SUCCESS ? count : 0; i-- > 0;) {
        nvmlProcessUtilizationSample_t older;
        memcpy(&older, bytes + i * sizeof(older), sizeof(older));
        info->procUtilArray[i] = (nvmlProcessUtilizationInfo_v1_t){ .timeStamp = older.timeStamp,
                                                                    .pid = older.pid,
                                                                    .smUtil = older.smUtil,
                                                                    .memUtil = older.memUtil,
                                                                    .encUtil = older.encUtil,
                                                                    .decUtil = older.decUtil,
                                                                    .jpgUtil = NVP__COMPAT_UNKNOWN_U32,
                                                                    .ofaUtil = NVP__COMPAT_UNKNOWN_U32 };
    }
    info->processSamplesCount = carries_count(status) ? count : info->processSamplesCount;
    return status;
}

nvmlReturn_t nvp__compat_vgpu_process_use_info_from_v1(nvmlDevice_t device, nvmlVgpuProcessesUtilizationInfo_v1_t *info)
{
    if (info == NULL) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (info->version != nvmlVgpuProcessesUtilizationInfo_v1) {
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    }
    unsigned int count = info->vgpuProcessCount;
    unsigned char *bytes = (unsigned char *)info->vgpuProcUtilArray;
    nvmlReturn_t status = NVP__OWN(nvmlDeviceGetVgpuProcessUtilization)(device, info->lastSeenTimeStamp, &count, (void *)bytes);
    count = status == NVML_SUCCESS ? least(count, info->vgpuProcessCount) : count;
    for (unsigned int i = status == NVML_SUCCESS ? count : 0; i-- > 0;) {
        nvmlVgpuProcessUtilizationSample_t older;
        memcpy(&older, bytes + i * sizeof(older), sizeof(older));
        nvmlVgpuProcessUtilizationInfo_v1_t *to = &info->vgpuProcUtilArray[i];
        *to = (nvmlVgpuProcessUtilizationInfo_v1_t){ .timeStamp = older.timeStamp,
                                                     .vgpuInstance = older.vgpuInstance,
                                                     .pid = older.pid,
                                                     .smUtil = older.smUtil,
                                                     .memUtil = older.memUtil,
                                                     .encUtil = older.encUtil,
                                                     .decUtil = older.decUtil,
                                                     .jpgUtil = NVP__COMPAT_UNKNOWN_U32,
                                                     .ofaUtil = NVP__COMPAT_UNKNOWN_U32 };
        memcpy(to->processName, older.processName, sizeof(to->processName));
    }
    info->vgpuProcessCount = carries_count(status) ? count : info->vgpuProcessCount;
    return status;
}

nvmlReturn_t nvp__compat_vgpu_use_info_from_v1(nvmlDevice_t device, nvmlVgpuInstancesUtilizationInfo_v1_t *info)
{
    if (info == NULL) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (info->version != nvmlVgpuInstancesUtilizationInfo_v1) {
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    }
    unsigned int count = info->vgpuInstanceCount;
    nvmlValueType_t type = info->sampleValType;
    unsigned char *bytes = (unsigned char *)info->vgpuUtilArray;
    nvmlReturn_t status = NVP__OWN(nvmlDeviceGetVgpuUtilization)(device, info->lastSeenTimeStamp, &type, &count, (void *)bytes);
    count = status == NVML_SUCCESS ? least(count, info->vgpuInstanceCount) : count;
    for (unsigned int i = status == NVML_SUCCESS ? count : 0; i-- > 0;) {
        nvmlVgpuInstanceUtilizationSample_t older;
        memcpy(&older, bytes + i * sizeof(older), sizeof(older));
        info->vgpuUtilArray[i] = (nvmlVgpuInstanceUtilizationInfo_v1_t){ .timeStamp = older.timeStamp,
                                                                         .vgpuInstance = older.vgpuInstance,
                                                                         .smUtil = older.smUtil,
                                                                         .memUtil = older.memUtil,
                                                                         .encUtil = older.encUtil,
                                                                         .decUtil = older.decUtil,
                                                                         .jpgUtil = { .ullVal = NVP__COMPAT_UNKNOWN_U64 },
                                                                         .ofaUtil = { .ullVal = NVP__COMPAT_UNKNOWN_U64 } };
    }
    if (status == NVML_SUCCESS) {
        info->sampleValType = type;
    }
    info->vgpuInstanceCount = carries_count(status) ? count : info->vgpuInstanceCount;
    return status;
}

/* From the struct to the array. The newer entries are larger, so that they need memory of their own. */

struct loan {
    void *few; /* the stack's */
    size_t few_size;
    void *memory;
    unsigned int room;
};

static nvmlReturn_t borrow(struct loan *loan, const void *samples, const unsigned int *count, size_t entry_size)
{
    if (count == NULL) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    loan->room = samples != NULL ? least(*count, ENTRIES_MAX) : 0;
    loan->memory = nvp__room_get(loan->few, loan->few_size, loan->room * entry_size);
    return loan->memory != NULL ? NVML_SUCCESS : NVML_ERROR_MEMORY;
}

/* How many entries have been given. */
static unsigned int given(const struct loan *loan, nvmlReturn_t status, unsigned int said)
{
    return status == NVML_SUCCESS ? least(said, loan->room) : 0;
}

static nvmlReturn_t give_back(const struct loan *loan, nvmlReturn_t status, unsigned int said, unsigned int *count)
{
    if (carries_count(status)) {
        *count = status == NVML_SUCCESS ? given(loan, status, said) : said;
    }
    nvp__room_put(loan->few, loan->memory);
    return status;
}

nvmlReturn_t nvp__compat_process_use_v1_from_info(nvmlDevice_t device, nvmlProcessUtilizationSample_t *samples,
                                                  unsigned int *count, unsigned long long since_us)
{
    nvmlProcessUtilizationInfo_v1_t few[ENTRIES_ON_STACK];
    struct loan loan = { .few = few, .few_size = sizeof(few) };
    nvmlReturn_t status = borrow(&loan, samples, count, sizeof(few[0]));
    if (status != NVML_SUCCESS) {
        return status;
    }
    const nvmlProcessUtilizationInfo_v1_t *entries = loan.memory;
    nvmlProcessesUtilizationInfo_v1_t info = { .version = nvmlProcessesUtilizationInfo_v1,
                                               .processSamplesCount = loan.room,
                                               .lastSeenTimeStamp = since_us,
                                               .procUtilArray = loan.room > 0 ? loan.memory : NULL };
    status = NVP__OWN(nvmlDeviceGetProcessesUtilizationInfo)(device, &info);
    for (unsigned int i = 0; i < given(&loan, status, info.processSamplesCount); i++) {
        samples[i] = (nvmlProcessUtilizationSample_t){ .pid = entries[i].pid,
                                                       .timeStamp = entries[i].timeStamp,
                                                       .smUtil = entries[i].smUtil,
                                                       .memUtil = entries[i].memUtil,
                                                       .encUtil = entries[i].encUtil,
                                                       .decUtil = entries[i].decUtil };
    }
    return give_back(&loan, status, info.processSamplesCount, count);
}

nvmlReturn_t nvp__compat_vgpu_process_use_v1_from_info(nvmlDevice_t device, unsigned long long since_us, unsigned int *count,
                                                       nvmlVgpuProcessUtilizationSample_t *samples)
{
    nvmlVgpuProcessUtilizationInfo_v1_t few[ENTRIES_ON_STACK];
    struct loan loan = { .few = few, .few_size = sizeof(few) };
    nvmlReturn_t status = borrow(&loan, samples, count, sizeof(few[0]));
    if (status != NVML_SUCCESS) {
        return status;
    }
    const nvmlVgpuProcessUtilizationInfo_v1_t *entries = loan.memory;
    nvmlVgpuProcessesUtilizationInfo_v1_t info = { .version = nvmlVgpuProcessesUtilizationInfo_v1,
                                                   .vgpuProcessCount = loan.room,
                                                   .lastSeenTimeStamp = since_us,
                                                   .vgpuProcUtilArray = loan.room > 0 ? loan.memory : NULL };
    status = NVP__OWN(nvmlDeviceGetVgpuProcessesUtilizationInfo)(device, &info);
    for (unsigned int i = 0; i < given(&loan, status, info.vgpuProcessCount); i++) {
        samples[i] = (nvmlVgpuProcessUtilizationSample_t){ .vgpuInstance = entries[i].vgpuInstance,
                                                           .pid = entries[i].pid,
                                                           .timeStamp = entries[i].timeStamp,
                                                           .smUtil = entries[i].smUtil,
                                                           .memUtil = entries[i].memUtil,
                                                           .encUtil = entries[i].encUtil,
                                                           .decUtil = entries[i].decUtil };
        memcpy(samples[i].processName, entries[i].processName, sizeof(samples[i].processName));
    }
    return give_back(&loan, status, info.vgpuProcessCount, count);
}

nvmlReturn_t nvp__compat_vgpu_use_v1_from_info(nvmlDevice_t device, unsigned long long since_us, nvmlValueType_t *type,
                                               unsigned int *count, nvmlVgpuInstanceUtilizationSample_t *samples)
{
    nvmlVgpuInstanceUtilizationInfo_v1_t few[ENTRIES_ON_STACK];
    struct loan loan = { .few = few, .few_size = sizeof(few) };
    nvmlReturn_t status = type != NULL ? borrow(&loan, samples, count, sizeof(few[0])) : NVML_ERROR_INVALID_ARGUMENT;
    if (status != NVML_SUCCESS) {
        return status;
    }
    const nvmlVgpuInstanceUtilizationInfo_v1_t *entries = loan.memory;
    nvmlVgpuInstancesUtilizationInfo_v1_t info = { .version = nvmlVgpuInstancesUtilizationInfo_v1,
                                                   .vgpuInstanceCount = loan.room,
                                                   .lastSeenTimeStamp = since_us,
                                                   .vgpuUtilArray = loan.room > 0 ? loan.memory : NULL };
    status = NVP__OWN(nvmlDeviceGetVgpuInstancesUtilizationInfo)(device, &info);
    for (unsigned int i = 0; i < given(&loan, status, info.vgpuInstanceCount); i++) {
        samples[i] = (nvmlVgpuInstanceUtilizationSample_t){ .vgpuInstance = entries[i].vgpuInstance,
                                                            .timeStamp = entries[i].timeStamp,
                                                            .smUtil = entries[i].smUtil,
                                                            .memUtil = entries[i].memUtil,
                                                            .encUtil = entries[i].encUtil,
                                                            .decUtil = entries[i].decUtil };
    }
    if (status == NVML_SUCCESS) {
        *type = info.sampleValType;
    }
    return give_back(&loan, status, info.vgpuInstanceCount, count);
}
