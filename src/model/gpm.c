/*
 * The performance monitor: metrics between two samples of the device, taken at two reads of the same reader.
 * The first read has nothing to compare with: no data.
 */
#include <stdlib.h>
#include <string.h>

#include <nvpulse/lifecycle.h>

#include "base/clock.h"
#include "model/reader.h"
#include "model/reading.h"

void nvp__gpm_clear(struct nvp__gpm *gpm)
{
    /* Samples of an earlier generation went with it. */
    if (gpm->generation == nvp_generation()) {
        if (gpm->older != NULL) {
            nvmlGpmSampleFree(gpm->older);
        }
        if (gpm->newer != NULL) {
            nvmlGpmSampleFree(gpm->newer);
        }
    }
    *gpm = (struct nvp__gpm){ .support = NVP_ERROR_NO_DATA };
}

static nvp_status ask_support(nvmlDevice_t device)
{
    if (nvp__is_missing("nvmlGpmQueryDeviceSupport")) {
        return NVML_ERROR_FUNCTION_NOT_FOUND;
    }
    nvmlGpmSupport_t support = { .version = NVML_GPM_SUPPORT_VERSION };
    nvmlReturn_t answer = nvmlGpmQueryDeviceSupport(device, &support);
    if (answer != NVML_SUCCESS) {
        return (nvp_status)answer;
    }
    return support.isSupportedDevice != 0 ? NVP_SUCCESS : (nvp_status)NVML_ERROR_NOT_SUPPORTED;
}

/* Support is asked once in a generation, and so are the samples made. */
static nvp_status prepare(struct nvp__reader *reader)
{
    struct nvp__gpm *gpm = &reader->gpm;
    if (gpm->generation != reader->generation) {
        *gpm = (struct nvp__gpm){ .support = NVP_ERROR_NO_DATA, .generation = reader->generation };
    }
    if (gpm->support == NVP_ERROR_NO_DATA) {
        gpm->support = ask_support(reader->handle);
    }
    nvmlReturn_t answer = NVML_SUCCESS;
    if (gpm->support == NVP_SUCCESS && gpm->older == NULL) {
        answer = nvmlGpmSampleAlloc(&gpm->older);
    }
    if (gpm->support == NVP_SUCCESS && answer == NVML_SUCCESS && gpm->newer == NULL) {
        answer = nvmlGpmSampleAlloc(&gpm->newer);
    }
    return answer != NVML_SUCCESS ? (nvp_status)answer : gpm->support;
}

/* The sample that was the newer one becomes the older one. */
static nvp_status take_sample(struct nvp__reader *reader, bool *comparable)
{
    struct nvp__gpm *gpm = &reader->gpm;
    nvmlGpmSample_t spare = gpm->older;
    nvmlReturn_t answer = nvmlGpmSampleGet(reader->handle, spare);
    if (answer != NVML_SUCCESS) {
        return (nvp_status)answer;
    }
    *comparable = gpm->has_newer;
    gpm->older = gpm->newer;
    gpm->newer = spare;
    gpm->has_newer = true;
    return NVP_SUCCESS;
}

static nvp_status compare(struct nvp__reader *reader, const unsigned int *metrics, size_t count)
{
    nvmlGpmMetricsGet_t *request = calloc(1, sizeof *request);
    if (request == NULL) {
        return NVP_ERROR_NO_MEMORY;
    }
    request->version = NVML_GPM_METRICS_GET_VERSION;
    request->sample1 = reader->gpm.older;
    request->sample2 = reader->gpm.newer;
    request->numMetrics = (unsigned int)count;
    for (size_t i = 0; i < count; i++) {
        request->metrics[i].metricId = nvp__metrics[metrics[i]].sources[0].id;
    }
    nvmlReturn_t answer = nvmlGpmMetricsGet(request);
    int64_t now_us = nvp__wall_us();
    for (size_t i = 0; answer == NVML_SUCCESS && i < count; i++) {
        nvmlReturn_t own = request->metrics[i].nvmlReturn;
        nvp__reader_put(reader, metrics[i],
                        own == NVML_SUCCESS ? nvp__reading_real(request->metrics[i].value, now_us)
                                            : nvp__reading_na((nvp_status)own));
    }
    free(request);
    return (nvp_status)answer;
}

void nvp__gpm_read(struct nvp__reader *reader, const unsigned int *metrics, size_t count)
{
    if (count == 0) {
        return;
    }
    bool comparable = false;
    nvp_status status = reader->down != NVP_SUCCESS ? reader->down : prepare(reader);
    if (status == NVP_SUCCESS) {
        status = take_sample(reader, &comparable);
    }
    if (status == NVP_SUCCESS) {
        status = comparable ? compare(reader, metrics, count) : NVP_ERROR_NO_DATA;
    }
    for (size_t i = 0; status != NVP_SUCCESS && i < count; i++) {
        nvp__reader_put(reader, metrics[i], nvp__reading_na(status));
    }
}
