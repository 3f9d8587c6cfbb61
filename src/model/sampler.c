/*
 * Has the crew ask the system and the devices, waits no longer than the time-out, and lets the snapshot be made from what has come back.
 */
#include "model/sampler.h"

#include <stdlib.h>

#include <nvpulse/lifecycle.h>

#include "base/clock.h"
#include "lifecycle/lifecycle.h"
#include "model/snapshot.h"

#define DEFAULT_TIMEOUT_MS 2000u
#define OPENING_TIMEOUT_NS (15 * NVP__NS_PER_S)
#define SYSTEM_JOB 0u

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

/* What is read on the way to a metric is in the snapshot, too. */
static struct nvp__metric_set with_needed(const struct nvp__metric_set *metrics)
{
    struct nvp__metric_set all = *metrics;
    nvp__metric_set_add(&all, NVP_METRIC_IDENTITY_PCI_BUS_ID); /* which device can be asleep */
    for (unsigned int m = nvp__metric_set_next(metrics, 0); m < NVP_METRIC_COUNT; m = nvp__metric_set_next(metrics, m + 1)) {
        for (const struct nvp__source *source = nvp__metrics[m].sources; source->how != NVP__BY_NOTHING; source++) {
            bool of_links = source->how == NVP__BY_EACH_LINK || source->how == NVP__BY_EACH_LINK_CALL;
            unsigned int needed = source->how == NVP__BY_RATE       ? source->id
                                  : source->how == NVP__BY_EACH_FAN ? NVP_METRIC_FAN_COUNT
                                  : of_links                        ? NVP_METRIC_NVLINK_LINK_COUNT
                                                                    : m;
            nvp__metric_set_add(&all, needed);
        }
    }
    if (nvp__metric_set_has(&all, NVP_METRIC_MEMORY_UNIFIED)) {
        nvp__metric_set_add(&all, NVP_METRIC_MEMORY_TOTAL_BYTES);
        nvp__metric_set_add(&all, NVP_METRIC_MEMORY_BAR1_TOTAL_BYTES);
    }
    return all;
}

/* A snapshot has places for what can have a value: a few of the metrics, often. */
static void give_places(struct nvp__plan *plan)
{
    struct nvp__metric_set all = with_needed(&plan->metrics);
    plan->place_count = 1;
    for (unsigned int m = nvp__metric_set_next(&all, 0); m < NVP_METRIC_COUNT; m = nvp__metric_set_next(&all, m + 1)) {
        plan->listed[plan->place_count] = (uint16_t)m;
        plan->places[m] = (uint16_t)plan->place_count++;
    }
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
    give_places(&plan);
    nvp__lifecycle_set_up(); /* while there is one thread: with several the kernel takes milliseconds to register the guard's barrier */
    nvp_sampler *sampler = calloc(1, sizeof *sampler);
    if (sampler == NULL) {
        return NVP_ERROR_NO_MEMORY;
    }
    sampler->plan = plan;
    sampler->choice = choice;
    sampler->host = nvp__host_new();
    sampler->crew = nvp__crew_new();
    sampler->system = sampler->crew != NULL ? nvp__system_work_new(wants_events(&plan), &choice) : NULL;
    if (sampler->system != NULL && !nvp__crew_add(sampler->crew, nvp__system_work_run, nvp__system_work_free, sampler->system)) {
        nvp__system_work_free(sampler->system);
        sampler->system = NULL;
    }
    if (sampler->host == NULL || sampler->system == NULL) {
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
    nvp__crew_free(sampler->crew);
    free(sampler->gpus);
    nvp__host_free(sampler->host);
    nvp_snapshot_free(sampler->before);
    free(sampler);
}

static nvp_status add_gpu(nvp_sampler *sampler, unsigned int index)
{
    struct nvp__gpu *gpus = realloc(sampler->gpus, (sampler->gpu_count + 1) * sizeof *gpus);
    if (gpus == NULL) {
        return NVP_ERROR_NO_MEMORY;
    }
    sampler->gpus = gpus;
    struct nvp__gpu gpu = { .work = nvp__device_work_new(&sampler->plan, index) };
    if (gpu.work == NULL) {
        return NVP_ERROR_NO_MEMORY;
    }
    if (!nvp__crew_add(sampler->crew, nvp__device_work_run, nvp__device_work_free, gpu.work)) {
        nvp__device_work_free(gpu.work);
        return NVP_ERROR_NO_MEMORY;
    }
    gpus[sampler->gpu_count++] = gpu;
    return NVP_SUCCESS;
}

/* Opening NVML takes seconds where the driver has to wake many GPUs first: that is no reason to give up on it. */
static int64_t time_of_opening(const struct nvp__plan *plan)
{
    bool is_open = nvp_get_state() == NVP_STATE_OPEN;
    return is_open || plan->timeout_ns > OPENING_TIMEOUT_NS ? plan->timeout_ns : OPENING_TIMEOUT_NS;
}

static bool run_jobs(nvp_sampler *sampler, size_t from, size_t end, int64_t timeout_ns)
{
    bool own_hands = (sampler->plan.flags & NVP_SNAPSHOT_OWN_THREAD) != 0;
    return nvp__crew_run(sampler->crew, from, end - from, nvp__clock_ns() + timeout_ns, own_hands);
}

/* Has GPUs from `first` on asked, and the system with them when it was not yet. False for a thread that was shut out meanwhile. */
static bool ask(nvp_sampler *sampler, size_t first, bool with_system, int64_t timeout_ns)
{
    size_t from = with_system ? SYSTEM_JOB : nvp__job_of_gpu(first), end = nvp__job_of_gpu(sampler->gpu_count);
    if (!run_jobs(sampler, from, end, timeout_ns)) {
        return false;
    }
    if (with_system) {
        sampler->system_ready = nvp__crew_has_done(sampler->crew, SYSTEM_JOB);
    }
    for (size_t i = first; i < sampler->gpu_count; i++) {
        sampler->gpus[i].ready = nvp__crew_has_done(sampler->crew, nvp__job_of_gpu(i));
    }
    return true;
}

/* Makes jobs for the GPUs that the system tells of. When it cannot tell, the number is that of before. */
static nvp_status take_count(nvp_sampler *sampler)
{
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

/*
 * The system first, which opens NVML and may find GPUs. While it is open and GPUs are known, all are asked in one go. False for a thread that
 * was shut out meanwhile: the sampler, which may be gone, is another's.
 */
static bool ask_all(nvp_sampler *sampler, nvp_status *status)
{
    size_t known = sampler->gpu_count;
    if (known > 0 && nvp_get_state() == NVP_STATE_OPEN) {
        if (!ask(sampler, 0, !sampler->system_is_fresh, sampler->plan.timeout_ns)) {
            return false;
        }
    } else {
        if (!run_jobs(sampler, SYSTEM_JOB, SYSTEM_JOB + 1, time_of_opening(&sampler->plan))) {
            return false;
        }
        sampler->system_ready = nvp__crew_has_done(sampler->crew, SYSTEM_JOB);
        sampler->system_is_fresh = sampler->system_ready;
        known = 0;
    }
    *status = take_count(sampler);
    return *status != NVP_SUCCESS || known >= sampler->gpu_count || ask(sampler, known, false, sampler->plan.timeout_ns);
}

static nvp_status make_snapshot(nvp_sampler *sampler, nvp_snapshot **snapshot)
{
    nvp_snapshot *made = NULL;
    nvp_status status = nvp__compose(sampler, &made);
    sampler->system_is_fresh = false;
    if (status == NVP_SUCCESS) {
        nvp_snapshot_free(sampler->before);
        sampler->before = nvp_snapshot_retain(made);
        *snapshot = made;
    }
    return status;
}

nvp_status nvp_sampler_sample(nvp_sampler *sampler, nvp_snapshot **snapshot)
{
    if (sampler == NULL || snapshot == NULL) {
        return NVP_ERROR_BAD_ARGUMENT;
    }
    if (!nvp__crew_enter(sampler->crew)) {
        return NVP_ERROR_TIMED_OUT;
    }
    nvp_status status;
    if (!ask_all(sampler, &status)) {
        return NVP_ERROR_TIMED_OUT;
    }
    status = status == NVP_SUCCESS ? make_snapshot(sampler, snapshot) : status;
    nvp__crew_leave(sampler->crew);
    return status;
}

int64_t nvp_sampler_hanging_ms(nvp_sampler *sampler)
{
    int64_t since_ns = sampler == NULL ? 0 : nvp__crew_own_since(sampler->crew);
    return since_ns == 0 ? 0 : (nvp__clock_ns() - since_ns) / NVP__NS_PER_MS;
}

nvp_status nvp_snapshot_take(const nvp_snapshot_options *options, nvp_snapshot **snapshot)
{
    nvp_sampler *sampler;
    nvp_status status = snapshot == NULL ? NVP_ERROR_BAD_ARGUMENT : nvp_sampler_new(options, &sampler);
    if (status == NVP_SUCCESS) {
        sampler->plan.flags &= ~(unsigned int)NVP_SNAPSHOT_OWN_THREAD; /* nobody could take over */
        status = nvp_sampler_sample(sampler, snapshot);
        nvp_sampler_free(sampler);
    }
    return status;
}
