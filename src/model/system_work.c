/*
 * The driver as a whole. Versions are asked once in a generation, the number of GPUs each time: it costs one cheap call.
 */
#include "model/system_work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nvpulse/driver.h>
#include <nvpulse/lifecycle.h>
#include <nvpulse/query.h>

#include "base/clock.h"
#include "model/reading.h"

struct nvp__system_work *nvp__system_work_new(bool events_wanted, const struct nvp__gpu_choice *choice)
{
    struct nvp__system_work *work = calloc(1, sizeof *work);
    if (work != NULL) {
        work->events_wanted = events_wanted;
        work->choice = *choice;
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

static void ask(struct nvp__system_work *work, nvp_host_field field, const char *function)
{
    const nvp_query_options quiet = { sizeof quiet, NVP_QUERY_SILENT, NULL };
    nvp_value value = NVP_VALUE_INIT;
    nvp_status status = nvp_query(function, NULL, 0, &quiet, &value);
    char cuda[32];
    const char *text = nvp_value_text(&value);
    if (value.kind == NVP_KIND_INT || value.kind == NVP_KIND_UINT) { /* 12040 is 12.4 */
        int version = (int)nvp_value_number(&value, 0);
        snprintf(cuda, sizeof cuda, "%d.%d", version / 1000, version % 1000 / 10);
        text = cuda;
        value.status = version > 0 ? value.status : NVP_ERROR_SENTINEL;
    }
    put(work, field, status != NVP_SUCCESS ? status : value.status, text);
    nvp_value_clear(&value);
}

static void read_versions(struct nvp__system_work *work)
{
    ask(work, NVP_HOST_DRIVER_VERSION, "nvmlSystemGetDriverVersion");
    ask(work, NVP_HOST_NVML_VERSION, "nvmlSystemGetNVMLVersion");
    ask(work, NVP_HOST_CUDA_VERSION, "nvmlSystemGetCudaDriverVersion_v2");
    nvp_driver_info info = NVP_DRIVER_INFO_INIT;
    nvp_driver_get_info(&info);
    put(work, NVP_HOST_SIMULATION, info.simulated ? NVP_SUCCESS : NVP_ERROR_NO_DATA,
        info.simulation == NULL ? "" : info.simulation);
}

nvp_status nvp__device_count(unsigned int *count)
{
    const nvp_query_options quiet = { sizeof quiet, NVP_QUERY_SILENT | NVP_QUERY_KEEP_ERRORS, NULL };
    nvp_value value = NVP_VALUE_INIT;
    nvp_status status = nvp_query("nvmlDeviceGetCount_v2", NULL, 0, &quiet, &value);
    *count = status == NVP_SUCCESS ? (unsigned int)nvp_value_number(&value, 0) : 0;
    nvp_value_clear(&value);
    return status;
}

void nvp__system_work_run(void *context)
{
    struct nvp__system_work *work = context;
    unsigned int count = 0;
    nvp_status status = nvp__device_count(&count);
    if (status == NVP_SUCCESS && work->generation != nvp_generation()) {
        work->generation = nvp_generation();
        read_versions(work);
    }
    work->status = status;
    work->device_count = status == NVP_SUCCESS ? count : work->device_count;
    /* A single sample has nothing to count from; registering would only cost time. */
    if (status == NVP_SUCCESS && work->events_wanted && work->samples++ > 0) {
        nvp__events_look(&work->events, count, &work->choice);
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
