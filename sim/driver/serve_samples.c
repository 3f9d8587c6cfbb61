/*
 * Answers with a history: samples of a device, utilisation of its processes.
 * Samples stand at whole steps of the simulated time, so the same clock gives the same samples.
 */
#include "driver/serve.h"

#define SAMPLE_STEP_NS (100 * NVPSIM_NS_PER_MS)
#define PROCESS_STEP_NS NVPSIM_NS_PER_S
enum { SAMPLES_KEPT = 120 };

static bool sample_at(const nvpsim_device *device, nvmlSamplingType_t type, uint64_t at_ns, unsigned *value)
{
    double number = 0;
    bool ok = false;
    switch (type) {
    case NVML_TOTAL_POWER_SAMPLES:
        ok = nvpsim__device_power(device, at_ns, &number);
        break;
    case NVML_GPU_UTILIZATION_SAMPLES:
        ok = nvpsim__device_load(device, NVPSIM_ENGINE_GPU, at_ns, &number);
        break;
    case NVML_MEMORY_UTILIZATION_SAMPLES:
        ok = nvpsim__device_load(device, NVPSIM_ENGINE_MEMORY, at_ns, &number);
        break;
    case NVML_ENC_UTILIZATION_SAMPLES:
        ok = nvpsim__device_load(device, NVPSIM_ENGINE_ENCODER, at_ns, &number);
        break;
    case NVML_DEC_UTILIZATION_SAMPLES:
        ok = nvpsim__device_load(device, NVPSIM_ENGINE_DECODER, at_ns, &number);
        break;
    case NVML_JPG_UTILIZATION_SAMPLES:
        ok = nvpsim__device_load(device, NVPSIM_ENGINE_JPEG, at_ns, &number);
        break;
    case NVML_OFA_UTILIZATION_SAMPLES:
        ok = nvpsim__device_load(device, NVPSIM_ENGINE_OFA, at_ns, &number);
        break;
    case NVML_PROCESSOR_CLK_SAMPLES:
        return nvpsim__device_clock(device, NVPSIM_GRAPHICS, at_ns, value);
    case NVML_MEMORY_CLK_SAMPLES:
        return nvpsim__device_clock(device, NVPSIM_MEMORY_CLOCK, at_ns, value);
    default:
        break;
    }
    *value = (unsigned)number;
    return ok;
}

/* Steps that lie after `last_seen_us`, the newest SAMPLES_KEPT of them: numbers first to last, both included. False: none. */
static bool steps_since(unsigned long long last_seen_us, uint64_t now_ns, uint64_t *first, uint64_t *last)
{
    *last = now_ns / SAMPLE_STEP_NS;
    *first = *last >= SAMPLES_KEPT ? *last - SAMPLES_KEPT + 1 : 0;
    while (*first <= *last && nvpsim__wall_us(*first * SAMPLE_STEP_NS) <= last_seen_us) {
        ++*first;
    }
    return *first <= *last;
}

/* Without an array the room that is needed at most is told, and the answer is success. */
nvmlReturn_t nvpsim__serve_nvmlDeviceGetSamples(nvmlDevice_t device, nvmlSamplingType_t type,
                                                unsigned long long lastSeenTimeStamp, nvmlValueType_t *sampleValType,
                                                unsigned int *sampleCount, nvmlSample_t *samples)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    uint64_t now_ns = nvpsim__now_ns(), first, last;
    unsigned value;
    if (!sampleValType || !sampleCount || (unsigned)type >= nvpsim__driver_known[NVPSIM_KNOWN_SAMPLING_TYPES]) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    bool is_load = type != NVML_TOTAL_POWER_SAMPLES && type != NVML_PROCESSOR_CLK_SAMPLES && type != NVML_MEMORY_CLK_SAMPLES;
    if ((is_load && nvpsim__is_cut(own)) || !sample_at(own, type, now_ns, &value)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    if (!samples) {
        *sampleCount = SAMPLES_KEPT;
        *sampleValType = NVML_VALUE_TYPE_UNSIGNED_INT;
        return NVML_SUCCESS;
    }
    if (*sampleCount == 0) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!steps_since(lastSeenTimeStamp, now_ns, &first, &last)) {
        return NVML_ERROR_NOT_FOUND;
    }
    if (last - first + 1 > *sampleCount) {
        first = last - *sampleCount + 1;
    }
    for (uint64_t step = first; step <= last; step++) {
        nvmlSample_t *sample = &samples[step - first];
        *sample = (nvmlSample_t){ .timeStamp = nvpsim__wall_us(step * SAMPLE_STEP_NS) };
        sample_at(own, type, step * SAMPLE_STEP_NS, &value);
        sample->sampleValue.uiVal = value;
    }
    *sampleCount = (unsigned)(last - first + 1);
    *sampleValType = NVML_VALUE_TYPE_UNSIGNED_INT;
    return NVML_SUCCESS;
}

typedef struct usage {
    unsigned pid;
    unsigned percent[4]; /* by nvpsim_engine, GPU to decoder */
} usage;

static usage usage_of(const nvpsim_device *device, const nvpsim_process *process, uint64_t at_ns)
{
    usage of = { .pid = nvpsim__process_pid(process) };
    for (int i = 0; i < 4; i++) {
        of.percent[i] = (unsigned)nvpsim__process_load(device, process, (nvpsim_engine)i, at_ns);
    }
    return of;
}

/* Processes that ran at the last whole step, when that is newer than what the caller has seen. */
static unsigned usages_count(const nvpsim_device *device, unsigned long long last_seen_us, uint64_t at_ns)
{
    unsigned count = 0;
    if (nvpsim__wall_us(at_ns) <= last_seen_us) {
        return 0;
    }
    for (size_t i = 0; i < device->process_count; i++) {
        count += nvpsim__process_is_running(&device->processes[i], at_ns);
    }
    return count;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetProcessUtilization(nvmlDevice_t device, nvmlProcessUtilizationSample_t *utilization,
                                                           unsigned int *processSamplesCount,
                                                           unsigned long long lastSeenTimeStamp)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    uint64_t at_ns = nvpsim__now_ns() / PROCESS_STEP_NS * PROCESS_STEP_NS;
    if (!processSamplesCount) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (nvpsim__is_cut(own)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    unsigned room = utilization ? *processSamplesCount : 0, count = usages_count(own, lastSeenTimeStamp, at_ns);
    if (count == 0 && own->process_count > 0) {
        return NVML_ERROR_NOT_FOUND;
    }
    *processSamplesCount = count;
    if (count > room) {
        return NVML_ERROR_INSUFFICIENT_SIZE;
    }
    unsigned put = 0;
    for (size_t i = 0; i < own->process_count; i++) {
        if (!nvpsim__process_is_running(&own->processes[i], at_ns)) {
            continue;
        }
        usage of = usage_of(own, &own->processes[i], at_ns);
        utilization[put++] = (nvmlProcessUtilizationSample_t){ .pid = of.pid,
                                                               .timeStamp = nvpsim__wall_us(at_ns),
                                                               .smUtil = of.percent[NVPSIM_ENGINE_GPU],
                                                               .memUtil = of.percent[NVPSIM_ENGINE_MEMORY],
                                                               .encUtil = of.percent[NVPSIM_ENGINE_ENCODER],
                                                               .decUtil = of.percent[NVPSIM_ENGINE_DECODER] };
    }
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetProcessesUtilizationInfo(nvmlDevice_t device,
                                                                 nvmlProcessesUtilizationInfo_t *procesesUtilInfo)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    uint64_t at_ns = nvpsim__now_ns() / PROCESS_STEP_NS * PROCESS_STEP_NS;
    nvmlProcessesUtilizationInfo_t *info = procesesUtilInfo;
    if (!info) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (info->version != nvmlProcessesUtilizationInfo_v1) {
        return nvpsim__version_mismatch();
    }
    if (nvpsim__is_cut(own)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    unsigned count = usages_count(own, info->lastSeenTimeStamp, at_ns);
    if (count == 0 && own->process_count > 0) {
        return NVML_ERROR_NOT_FOUND;
    }
    nvmlReturn_t result = nvpsim__list_room(&info->processSamplesCount, info->procUtilArray, count);
    unsigned put = 0;
    for (size_t i = 0; result == NVML_SUCCESS && count > 0 && i < own->process_count; i++) {
        if (!nvpsim__process_is_running(&own->processes[i], at_ns)) {
            continue;
        }
        usage of = usage_of(own, &own->processes[i], at_ns);
        info->procUtilArray[put++] = (nvmlProcessUtilizationInfo_v1_t){ .timeStamp = nvpsim__wall_us(at_ns),
                                                                        .pid = of.pid,
                                                                        .smUtil = of.percent[NVPSIM_ENGINE_GPU],
                                                                        .memUtil = of.percent[NVPSIM_ENGINE_MEMORY],
                                                                        .encUtil = of.percent[NVPSIM_ENGINE_ENCODER],
                                                                        .decUtil = of.percent[NVPSIM_ENGINE_DECODER] };
    }
    return result;
}
