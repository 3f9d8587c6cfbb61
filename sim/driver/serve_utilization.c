/*
 * Answers about how busy the engines are.
 */
#include "driver/serve.h"

/* The driver looks back over a sixth of a second. */
enum { SAMPLING_PERIOD_US = 167000 };

nvmlReturn_t nvpsim__serve_nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *utilization)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    uint64_t now_ns = nvpsim__now_ns();
    double gpu, memory;
    if (!utilization) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (nvpsim__is_cut(own) || !nvpsim__device_load(own, NVPSIM_ENGINE_GPU, now_ns, &gpu) ||
        !nvpsim__device_load(own, NVPSIM_ENGINE_MEMORY, now_ns, &memory)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    utilization->gpu = (unsigned)gpu;
    utilization->memory = (unsigned)memory;
    return NVML_SUCCESS;
}

static nvmlReturn_t engine_put(nvmlDevice_t device, nvpsim_engine engine, unsigned int *utilization,
                               unsigned int *samplingPeriodUs)
{
    double percent;
    if (!utilization || !samplingPeriodUs) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    const nvpsim_device *own = nvpsim__device_of(device);
    if (nvpsim__is_cut(own) || !nvpsim__device_load(own, engine, nvpsim__now_ns(), &percent)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *utilization = (unsigned)percent;
    *samplingPeriodUs = SAMPLING_PERIOD_US;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetEncoderUtilization(nvmlDevice_t device, unsigned int *utilization,
                                                           unsigned int *samplingPeriodUs)
{
    return engine_put(device, NVPSIM_ENGINE_ENCODER, utilization, samplingPeriodUs);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetDecoderUtilization(nvmlDevice_t device, unsigned int *utilization,
                                                           unsigned int *samplingPeriodUs)
{
    return engine_put(device, NVPSIM_ENGINE_DECODER, utilization, samplingPeriodUs);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetJpgUtilization(nvmlDevice_t device, unsigned int *utilization,
                                                       unsigned int *samplingPeriodUs)
{
    return engine_put(device, NVPSIM_ENGINE_JPEG, utilization, samplingPeriodUs);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetOfaUtilization(nvmlDevice_t device, unsigned int *utilization,
                                                       unsigned int *samplingPeriodUs)
{
    return engine_put(device, NVPSIM_ENGINE_OFA, utilization, samplingPeriodUs);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetEncoderStats(nvmlDevice_t device, unsigned int *sessionCount, unsigned int *averageFps,
                                                     unsigned int *averageLatency)
{
    const nvpsim_device_spec *spec = nvpsim__device_of(device)->spec;
    if (!sessionCount || !averageFps || !averageLatency) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *sessionCount = (unsigned)spec->encoder_sessions.value;
    *averageFps = (unsigned)spec->encoder_fps.value;
    *averageLatency = (unsigned)spec->encoder_latency_us.value;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetEncoderSessions(nvmlDevice_t device, unsigned int *sessionCount,
                                                        nvmlEncoderSessionInfo_t *sessionInfos)
{
    (void)device;
    return nvpsim__list_room(sessionCount, sessionInfos, 0);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetEncoderCapacity(nvmlDevice_t device, nvmlEncoderType_t encoderQueryType,
                                                        unsigned int *encoderCapacity)
{
    double load;
    if (!encoderCapacity || (unsigned)encoderQueryType > 2) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!nvpsim__device_load(nvpsim__device_of(device), NVPSIM_ENGINE_ENCODER, nvpsim__now_ns(), &load)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *encoderCapacity = 100 - (unsigned)load;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetFBCStats(nvmlDevice_t device, nvmlFBCStats_t *fbcStats)
{
    const nvpsim_device_spec *spec = nvpsim__device_of(device)->spec;
    if (!fbcStats) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    fbcStats->sessionsCount = (unsigned)spec->fbc_sessions.value;
    fbcStats->averageFPS = (unsigned)spec->fbc_fps.value;
    fbcStats->averageLatency = (unsigned)spec->fbc_latency_us.value;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetFBCSessions(nvmlDevice_t device, unsigned int *sessionCount,
                                                    nvmlFBCSessionInfo_t *sessionInfo)
{
    (void)device;
    return nvpsim__list_room(sessionCount, sessionInfo, 0);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetDynamicPstatesInfo(nvmlDevice_t device, nvmlGpuDynamicPstatesInfo_t *pDynamicPstatesInfo)
{
    static const nvpsim_engine engines[] = { NVPSIM_ENGINE_GPU, NVPSIM_ENGINE_MEMORY, NVPSIM_ENGINE_DECODER };
    uint64_t now_ns = nvpsim__now_ns();
    nvmlGpuDynamicPstatesInfo_t info = { .flags = 0 };
    if (!pDynamicPstatesInfo) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++) {
        double load;
        if (!nvpsim__device_load(nvpsim__device_of(device), engines[i], now_ns, &load)) {
            continue;
        }
        info.utilization[i].bIsPresent = 1;
        info.utilization[i].percentage = (unsigned)load;
    }
    *pDynamicPstatesInfo = info;
    return NVML_SUCCESS;
}
