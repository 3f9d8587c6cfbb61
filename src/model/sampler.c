/*
 * Tells all lanes to go, waits for them no longer than the time-out, and lets the snapshot be made from what has come back.
 */
#include "model/sampler.h"

#include <stdlib.h>

#include <nvpulse/lifecycle.h>

#include "base/clock.h"
#include "lifecycle/lifecycle.h"
#include "model/snapshot.h"

#define DEFAULT_TIMEOUT_MS 2000u
#define OPENING_TIMEOUT_NS (15 * NVP__NS_PER_S)

static void take_choice(struct nvp__gpu_choice *choice, const nvp_snapshot_options *options)
{
    choice->some = options->gpus != NULL;
    for (size_t i = 0; i < options->gpu_count; i++) {
        nvp__gpu_choice_add(choice, options->gpus[i]);
    }
}

static nvp_status take_options(struct nvp__plan *plan, struct nvp__gpu_choice *choice, const nvp_snapshot_options *options)
{
    const nvp_snapshot_options defaults = NVP_SNAPSHOT_OPTIONS_INIT;
    options = options == NULL ? &defaults : options;
    if (options->struct_size != sizeof *options || (options->metrics == NULL && options->metric_count > 0) ||
        (options->gpus == NULL && options->gpu_count > 0)) {
        return NVP_ERROR_BAD_ARGUMENT;
    }
    take_choice(choice, options);
    plan->named = options->metrics != NULL;
    plan->flags = options->flags;
    plan->timeout_ns = (int64_t)(options->timeout_ms == 0 ? DEFAULT_TIMEOUT_MS : options->timeout_ms) * NVP__NS_PER_MS;
    for (size_t i = 0; i < options->metric_count; i++) {
        if ((unsigned int)options->metrics[i] >= NVP_METRIC_COUNT) {
            return NVP_ERROR_BAD_ARGUMENT;
        }
        nvp__metric_set_add(&plan->metrics, options->metrics[i]);
    }
    for (unsigned int m = 0; !plan->named && m < NVP_METRIC_COUNT; m++) {
        if (nvp__metrics[m].info.tier != NVP_TIER_COSTLY) {
            nvp__metric_set_add(&plan->metrics, m);
        }
    }
    return NVP_SUCCESS;
}

static bool wants(const struct nvp__plan *plan, nvp_metric metric)
{
    return nvp__metric_set_has(&plan->metrics, metric);
}

/* MIG devices cannot be found without the mode, nor memory be told right without knowing whose it is. */
static void add_needed(struct nvp__plan *plan)
{
    nvp__metric_set_add(&plan->metrics, NVP_METRIC_MIG_MODE);
    if (wants(plan, NVP_METRIC_MEMORY_TOTAL_BYTES) || wants(plan, NVP_METRIC_MEMORY_USED_BYTES) ||
        wants(plan, NVP_METRIC_MEMORY_FREE_BYTES)) {
        nvp__metric_set_add(&plan->metrics, NVP_METRIC_MEMORY_UNIFIED);
    }
}

static bool wants_events(const struct nvp__plan *plan)
{
    return wants(plan, NVP_METRIC_EVENT_XID_COUNT) || wants(plan, NVP_METRIC_EVENT_LAST_XID) ||
           wants(plan, NVP_METRIC_EVENT_LAST_XID_AT_US);
}

nvp_status nvp_sampler_new(const nvp_snapshot_options *options, nvp_sampler **result)
{
    struct nvp__plan plan = { .named = false };
    struct nvp__gpu_choice choice = { .some = false };
    nvp_status status = result == NULL ? NVP_ERROR_BAD_ARGUMENT : take_options(&plan, &choice, options);
    if (status != NVP_SUCCESS) {
        return status;
    }
    add_needed(&plan);
    nvp__lifecycle_set_up(); /* while there is one thread: with several the kernel takes milliseconds to register the guard's barrier */
    nvp_sampler *sampler = calloc(1, sizeof *sampler);
    if (sampler == NULL) {
        return NVP_ERROR_NO_MEMORY;
    }
    sampler->plan = plan;
    sampler->choice = choice;
    sampler->host = nvp__host_new();
    sampler->system = nvp__system_work_new(wants_events(&plan), &choice);
    if (sampler->system != NULL) {
        sampler->system_lane = nvp__lane_new(nvp__system_work_run, nvp__system_work_free, sampler->system);
    }
    if (sampler->host == NULL || sampler->system_lane == NULL) {
        if (sampler->system != NULL && sampler->system_lane == NULL) {
            nvp__system_work_free(sampler->system);
        }
        nvp_sampler_free(sampler);
        return NVP_ERROR_NO_MEMORY;
    }
    *result = sampler;
    return NVP_SUCCESS;
}

void nvp_sampler_free(nvp_sampler *sampler)
{
    if (sampler == NULL) {
        return;
    }
    nvp__lane_free(sampler->system_lane);
    for (size_t i = 0; i < sampler->gpu_count; i++) {
        nvp__lane_free(sampler->gpus[i].lane);
    }
    free(sampler->gpus);
    nvp__host_free(sampler->host);
    nvp_snapshot_free(sampler->before);
    free(sampler);
}

static nvp_status add_gpu(nvp_sampler *sampler, unsigned int index)
{
    struct nvp__gpu_lane *gpus = realloc(sampler->gpus, (sampler->gpu_count + 1) * sizeof *gpus);
    if (gpus == NULL) {
        return NVP_ERROR_NO_MEMORY;
    }
    sampler->gpus = gpus;
    struct nvp__gpu_lane gpu = { .work = nvp__device_work_new(&sampler->plan, index) };
    if (gpu.work == NULL) {
        return NVP_ERROR_NO_MEMORY;
    }
    gpu.lane = nvp__lane_new(nvp__device_work_run, nvp__device_work_free, gpu.work);
    if (gpu.lane == NULL) {
        nvp__device_work_free(gpu.work);
        return NVP_ERROR_NO_MEMORY;
    }
    gpus[sampler->gpu_count++] = gpu;
    return NVP_SUCCESS;
}

/* Opening NVML takes seconds where the driver has to wake many GPUs first: that is no reason to give up on it. */
static int64_t time_of_system(const struct nvp__plan *plan)
{
    bool is_open = nvp_get_state() == NVP_STATE_OPEN;
    return is_open || plan->timeout_ns > OPENING_TIMEOUT_NS ? plan->timeout_ns : OPENING_TIMEOUT_NS;
}

/* Asks the system how many GPUs there are. One that hung before is not waited for again: the number is that of before. */
static nvp_status ask_system(nvp_sampler *sampler)
{
    sampler->system_ready = false;
    if (nvp__lane_request(sampler->system_lane)) {
        sampler->system_ready = nvp__lane_wait(sampler->system_lane, nvp__clock_ns() + time_of_system(&sampler->plan));
    }
    if (!sampler->system_ready) {
        return sampler->seen > 0 ? NVP_SUCCESS : NVP_ERROR_TIMED_OUT;
    }
    unsigned int count = sampler->system->device_count < NVP__GPUS_MAX ? sampler->system->device_count : NVP__GPUS_MAX;
    nvp_status status = sampler->system->status;
    if (status != NVP_SUCCESS && sampler->seen == 0) {
        return status;
    }
    for (; sampler->seen < count; sampler->seen++) {
        status = nvp__gpu_choice_has(&sampler->choice, sampler->seen) ? add_gpu(sampler, sampler->seen) : NVP_SUCCESS;
        if (status != NVP_SUCCESS) {
            return status;
        }
    }
    return NVP_SUCCESS;
}

static void ask_devices(nvp_sampler *sampler)
{
    for (size_t i = 0; i < sampler->gpu_count; i++) {
        sampler->gpus[i].ready = nvp__lane_request(sampler->gpus[i].lane);
    }
    int64_t deadline_ns = nvp__clock_ns() + sampler->plan.timeout_ns;
    for (size_t i = 0; i < sampler->gpu_count; i++) {
        struct nvp__gpu_lane *gpu = &sampler->gpus[i];
        gpu->ready = gpu->ready && nvp__lane_wait(gpu->lane, deadline_ns);
    }
}

nvp_status nvp_sampler_sample(nvp_sampler *sampler, nvp_snapshot **snapshot)
{
    if (sampler == NULL || snapshot == NULL) {
        return NVP_ERROR_BAD_ARGUMENT;
    }
    nvp_status status = ask_system(sampler);
    if (status != NVP_SUCCESS) {
        return status;
    }
    ask_devices(sampler);
    nvp_snapshot *made = NULL;
    status = nvp__compose(sampler, &made);
    if (status != NVP_SUCCESS) {
        return status;
    }
    nvp_snapshot_free(sampler->before);
    sampler->before = nvp_snapshot_retain(made);
    *snapshot = made;
    return NVP_SUCCESS;
}

nvp_status nvp_snapshot_take(const nvp_snapshot_options *options, nvp_snapshot **snapshot)
{
    nvp_sampler *sampler;
    nvp_status status = snapshot == NULL ? NVP_ERROR_BAD_ARGUMENT : nvp_sampler_new(options, &sampler);
    if (status == NVP_SUCCESS) {
        status = nvp_sampler_sample(sampler, snapshot);
        nvp_sampler_free(sampler);
    }
    return status;
}
