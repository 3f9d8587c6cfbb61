/*
 * The driver as a whole. Versions are asked once in a generation, the number of GPUs each time: it costs one cheap call.
 */
#include "model/system_work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nvpulse/driver.h>
#include <nvpulse/lifecycle.h>

#include "base/clock.h"
#include "model/reading.h"

#define VERSION_BYTES 80 /* NVML's own limit for versions */

struct nvp__system_work *nvp__system_work_new(bool events_wanted)
{
    struct nvp__system_work *work = calloc(1, sizeof *work);
    if (work != NULL) {
        work->events_wanted = events_wanted;
        for (size_t i = 0; i < NVP_HOST_FIELD_COUNT; i++) {
            work->host[i] = nvp__reading_na(NVP_ERROR_NO_DATA);
        }
    }
    return work;
}

static void put(struct nvp__system_work *work, nvp_host_field field, nvp_status status, const char *text)
{
    nvp_reading *place = &work->host[field];
    if (place->kind == NVP_KIND_TEXT) {
        free((char *)(uintptr_t)place->as.text);
    }
    *place = status == NVP_SUCCESS ? nvp__reading_text(strdup(text), nvp__wall_us()) : nvp__reading_na(status);
}

static void read_versions(struct nvp__system_work *work)
{
    char text[VERSION_BYTES] = "";
    put(work, NVP_HOST_DRIVER_VERSION, (nvp_status)nvmlSystemGetDriverVersion(text, sizeof text), text);
    put(work, NVP_HOST_NVML_VERSION, (nvp_status)nvmlSystemGetNVMLVersion(text, sizeof text), text);
    int cuda = 0;
    nvp_status status = (nvp_status)nvmlSystemGetCudaDriverVersion_v2(&cuda);
    snprintf(text, sizeof text, "%d.%d", cuda / 1000, cuda % 1000 / 10);
    put(work, NVP_HOST_CUDA_VERSION, status == NVP_SUCCESS && cuda <= 0 ? NVP_ERROR_SENTINEL : status, text);
    nvp_driver_info info = NVP_DRIVER_INFO_INIT;
    nvp_driver_get_info(&info);
    put(work, NVP_HOST_SIMULATION, info.simulated ? NVP_SUCCESS : NVP_ERROR_NO_DATA,
        info.simulation == NULL ? "" : info.simulation);
}

void nvp__system_work_run(void *context)
{
    struct nvp__system_work *work = context;
    unsigned int count = 0;
    nvp_status status = (nvp_status)nvmlDeviceGetCount_v2(&count);
    if (status == NVP_SUCCESS && work->generation != nvp_generation()) {
        work->generation = nvp_generation();
        read_versions(work);
    }
    work->status = status;
    work->device_count = status == NVP_SUCCESS ? count : work->device_count;
    /* A single sample has nothing to count from; registering would only cost time. */
    if (status == NVP_SUCCESS && work->events_wanted && work->samples++ > 0) {
        nvp__events_look(&work->events, count);
    }
}

void nvp__system_work_free(void *context)
{
    struct nvp__system_work *work = context;
    nvp__events_free(&work->events);
    for (size_t i = 0; i < NVP_HOST_FIELD_COUNT; i++) {
        if (work->host[i].kind == NVP_KIND_TEXT) {
            free((char *)(uintptr_t)work->host[i].as.text);
        }
    }
    free(work);
}
