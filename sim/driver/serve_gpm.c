/*
 * GPM: metrics between two samples, on hardware from Hopper on. A sample is a moment; what lies between two is told by the
 * curves of the device. Of the caller's list, no more entries are written than it says that there are.
 */
#include "driver/serve.h"

enum { SAMPLES_MAX = 256 };

struct nvmlGpmSample_st {
    atomic_bool is_taken;
    nvpsim_slot *slot; /* of the device; NULL until a sample was taken */
    uint64_t at_ns;
};

static struct nvmlGpmSample_st samples[SAMPLES_MAX];

static struct nvmlGpmSample_st *sample_find(nvmlGpmSample_t handle)
{
    uintptr_t offset = (uintptr_t)handle - (uintptr_t)samples;
    bool is_own = offset < sizeof samples && offset % sizeof samples[0] == 0;
    return is_own && atomic_load_explicit(&handle->is_taken, memory_order_acquire) ? handle : NULL;
}

static bool is_capable(const nvpsim_device *device)
{
    const nvpsim_number *architecture = &device->spec->architecture;
    return architecture->state == NVPSIM_GIVEN && architecture->value >= NVML_DEVICE_ARCH_HOPPER &&
           architecture->value != NVML_DEVICE_ARCH_UNKNOWN;
}

nvmlReturn_t nvpsim__serve_nvmlGpmQueryDeviceSupport(nvmlDevice_t device, nvmlGpmSupport_t *gpmSupport)
{
    if (!gpmSupport) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (gpmSupport->version != NVML_GPM_SUPPORT_VERSION) {
        return nvpsim__version_mismatch();
    }
    gpmSupport->isSupportedDevice = is_capable(nvpsim__device_of(device));
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlGpmSampleAlloc(nvmlGpmSample_t *gpmSample)
{
    if (!gpmSample) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    for (int i = 0; i < SAMPLES_MAX; i++) {
        bool is_taken = false;
        if (atomic_compare_exchange_strong(&samples[i].is_taken, &is_taken, true)) {
            samples[i].slot = NULL;
            *gpmSample = &samples[i];
            return NVML_SUCCESS;
        }
    }
    return NVML_ERROR_MEMORY;
}

nvmlReturn_t nvpsim__serve_nvmlGpmSampleFree(nvmlGpmSample_t gpmSample)
{
    struct nvmlGpmSample_st *sample = sample_find(gpmSample);
    if (!sample) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    atomic_store_explicit(&sample->is_taken, false, memory_order_release);
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlGpmSampleGet(nvmlDevice_t device, nvmlGpmSample_t gpmSample)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    struct nvmlGpmSample_st *sample = sample_find(gpmSample);
    if (!sample) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!is_capable(own)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    sample->slot = atomic_load_explicit(&device->slot, memory_order_relaxed);
    sample->at_ns = nvpsim__now_ns();
    return NVML_SUCCESS;
}

/** The curve behind a metric, as its place in a device, and what is made of its mean. */
typedef struct source {
    size_t member;
    double factor;
    char *short_name, *long_name, *unit;
} source;

/* False: a metric that this simulation does not have. */
static bool source_of(const nvpsim_device *device, unsigned metric, source *from)
{
    const size_t gpu = offsetof(nvpsim_device, engines[NVPSIM_ENGINE_GPU]);
    const double mib_a_second = 1000.0 / (1 << 20);
    switch (metric) {
    case NVML_GPM_METRIC_GRAPHICS_UTIL:
        *from = (source){ gpu, 1, "graphics_util", "Graphics engine utilisation", "%" };
        break;
    case NVML_GPM_METRIC_SM_UTIL:
        *from = (source){ gpu, 0.95, "sm_util", "SM utilisation", "%" };
        break;
    case NVML_GPM_METRIC_SM_OCCUPANCY:
        *from = (source){ gpu, 0.5, "sm_occupancy", "SM occupancy", "%" };
        break;
    case NVML_GPM_METRIC_ANY_TENSOR_UTIL:
        *from = (source){ gpu, 0.4, "tensor_util", "Tensor core utilisation", "%" };
        break;
    case NVML_GPM_METRIC_DRAM_BW_UTIL:
        *from = (source){ offsetof(nvpsim_device, engines[NVPSIM_ENGINE_MEMORY]), 1, "dram_bw_util", "DRAM bandwidth utilisation",
                          "%" };
        break;
    case NVML_GPM_METRIC_PCIE_TX_PER_SEC:
        *from = (source){ offsetof(nvpsim_device, pcie_kbps[NVPSIM_TX]), mib_a_second, "pcie_tx", "PCIe traffic out of the GPU",
                          "MiB/s" };
        break;
    case NVML_GPM_METRIC_PCIE_RX_PER_SEC:
        *from = (source){ offsetof(nvpsim_device, pcie_kbps[NVPSIM_RX]), mib_a_second, "pcie_rx", "PCIe traffic into the GPU",
                          "MiB/s" };
        break;
    case NVML_GPM_METRIC_NVLINK_TOTAL_RX_PER_SEC:
        *from = (source){ offsetof(nvpsim_device, nvlink_kbps[NVPSIM_RX]), mib_a_second * device->nvlinks, "nvlink_rx",
                          "NVLink traffic in", "MiB/s" };
        break;
    case NVML_GPM_METRIC_NVLINK_TOTAL_TX_PER_SEC:
        *from = (source){ offsetof(nvpsim_device, nvlink_kbps[NVPSIM_TX]), mib_a_second * device->nvlinks, "nvlink_tx",
                          "NVLink traffic out", "MiB/s" };
        break;
    default:
        return false;
    }
    return *(nvpsim_track *const *)((const char *)device + from->member) != NULL;
}

static double mean_between(const nvpsim_device *device, size_t member, uint64_t from_ns, uint64_t to_ns)
{
    return nvpsim__device_integral(device, member, from_ns, to_ns) / ((double)(to_ns - from_ns) / (double)NVPSIM_NS_PER_S);
}

static void metric_read(const struct nvmlGpmSample_st *first, const struct nvmlGpmSample_st *second, nvmlGpmMetric_t *metric)
{
    source from;
    const nvpsim_device *device = nvpsim__slot_device(second->slot);
    if (metric->metricId == 0 || metric->metricId >= nvpsim__driver_known[NVPSIM_KNOWN_GPM_METRICS]) {
        metric->nvmlReturn = NVML_ERROR_INVALID_ARGUMENT;
        return;
    }
    if (!source_of(device, metric->metricId, &from)) {
        metric->nvmlReturn = NVML_ERROR_NOT_SUPPORTED;
        return;
    }
    metric->nvmlReturn = NVML_SUCCESS;
    metric->value = mean_between(device, from.member, first->at_ns, second->at_ns) * from.factor;
    metric->metricInfo.shortName = from.short_name;
    metric->metricInfo.longName = from.long_name;
    metric->metricInfo.unit = from.unit;
}

nvmlReturn_t nvpsim__serve_nvmlGpmMetricsGet(nvmlGpmMetricsGet_t *metricsGet)
{
    if (!metricsGet) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (metricsGet->version != NVML_GPM_METRICS_GET_VERSION) {
        return nvpsim__version_mismatch();
    }
    const struct nvmlGpmSample_st *first = sample_find(metricsGet->sample1), *second = sample_find(metricsGet->sample2);
    bool fits = metricsGet->numMetrics > 0 && metricsGet->numMetrics <= nvpsim__driver_known[NVPSIM_KNOWN_GPM_METRICS];
    if (!fits || !first || !second || !first->slot || first->slot != second->slot || second->at_ns <= first->at_ns) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    for (unsigned i = 0; i < metricsGet->numMetrics; i++) {
        metric_read(first, second, &metricsGet->metrics[i]);
    }
    return NVML_SUCCESS;
}
