/*
 * GPM metrics: the struct has grown from 98 entries to 210 and 333 under the same name and version number, with the count of the
 * entries in use before them. A driver touches the entries in use and no more; one that knows 98 need not expect a larger count.
 */
#include "compat/adapters.h"

#include "base/compiler.h"
#include "compat/driver.h"

#include <string.h>

#define OLDEST_ROOM NVP__COUNT_OF(((nvp_GpmMetricsGet_v1_t *)NULL)->metrics)

static void swap(nvmlGpmMetric_t *one, nvmlGpmMetric_t *other, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        nvmlGpmMetric_t kept = one[i];
        one[i] = other[i];
        other[i] = kept;
    }
}

/* Part after part is brought to the front of a copy, which is as large as any driver may think it is. */
static nvmlReturn_t in_parts(nvmlGpmMetricsGet_t *request)
{
    nvmlGpmMetricsGet_t copy;
    size_t total = request->numMetrics;
    memset(&copy, 0, sizeof(copy));
    memcpy(&copy, request, offsetof(nvmlGpmMetricsGet_t, metrics) + total * sizeof(copy.metrics[0]));
    for (size_t done = 0; done < total; done += OLDEST_ROOM) {
        size_t count = total - done < OLDEST_ROOM ? total - done : OLDEST_ROOM;
        nvmlReturn_t status;
        if (done > 0) {
            swap(copy.metrics, copy.metrics + done, count);
        }
        copy.numMetrics = (unsigned int)count;
        status = NVP__OWN(nvmlGpmMetricsGet)(&copy);
        if (done > 0) {
            swap(copy.metrics, copy.metrics + done, count);
        }
        if (status != NVML_SUCCESS) {
            return status;
        }
    }
    memcpy(request->metrics, copy.metrics, total * sizeof(copy.metrics[0]));
    return NVML_SUCCESS;
}

nvmlReturn_t nvp__compat_gpm_metrics(nvmlGpmMetricsGet_t *request)
{
    if (request == NULL || request->numMetrics <= OLDEST_ROOM) {
        return NVP__OWN(nvmlGpmMetricsGet)(request);
    }
    return request->numMetrics <= NVML_GPM_METRIC_MAX ? in_parts(request) : NVML_ERROR_INVALID_ARGUMENT;
}
