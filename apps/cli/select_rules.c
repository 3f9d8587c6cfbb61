/*
 * How a device stands to what is wanted, and which of two is better. A value that is not known meets no constraint on it.
 */
#include <stdlib.h>
#include <string.h>

#include <nvpulse/nvml.h>

#include "select.h"

#define GIB 1073741824.0

/** Free memory counts in steps of so many bytes, so that a few MiB do not decide before the utilization does. */
#define MEMORY_STEP (256u * 1048576u)

const nvp_metric select_metrics[] = {
    NVP_METRIC_IDENTITY_NAME,
    NVP_METRIC_MEMORY_FREE_BYTES,
    NVP_METRIC_MEMORY_TOTAL_BYTES,
    NVP_METRIC_MEMORY_UNIFIED,
    NVP_METRIC_MIG_MODE,
    NVP_METRIC_MODE_COMPUTE,
    NVP_METRIC_UTILIZATION_GPU_PERCENT,
    NVP_METRIC_UTILIZATION_MEMORY_PERCENT,
};
const size_t select_metric_count = sizeof select_metrics / sizeof *select_metrics;

/** A device with what else the judgement needs. */
struct view {
    const select_rules *rules;
    const nvp_snapshot *snapshot;
    const nvp_device_sample *device;
    const nvp_device_sample *gpu; /**< the device itself, or the GPU that it is a part of */
    size_t processes, strangers;  /**< on it; of other users than the free ones */
    uint64_t free_users_bytes;    /**< memory of the others */
};

static nvp_reading copy_of(const nvp_reading *reading)
{
    return reading != NULL ? *reading : (nvp_reading){ .kind = NVP_KIND_NA, .status = NVP_ERROR_NO_DATA };
}

/* Where the memory is that of the host, the driver tells none: then what the host can give counts as free. */
static nvp_reading free_memory_of(const nvp_snapshot *snapshot, const nvp_device_sample *device)
{
    bool is_unified = nvp_reading_uint(nvp_device_sample_get(device, NVP_METRIC_MEMORY_UNIFIED), 0) == 1;
    return copy_of(is_unified ? nvp_snapshot_host(snapshot, NVP_HOST_MEMORY_AVAILABLE_BYTES)
                              : nvp_device_sample_get(device, NVP_METRIC_MEMORY_FREE_BYTES));
}

static bool is_word(const char *word, const char *list)
{
    size_t length = strlen(word);
    for (const char *one = list; length > 0 && one != NULL;) {
        const char *comma = strchrnul(one, ',');
        if ((size_t)(comma - one) == length && memcmp(one, word, length) == 0) {
            return true;
        }
        one = *comma == ',' ? comma + 1 : NULL;
    }
    return false;
}

/* By name, or by number. */
static bool is_of_free_user(const select_rules *rules, const nvp_process *process)
{
    char number[24] = "";
    const nvp_reading *uid = nvp_process_get(process, NVP_PROCESS_UID);
    if (rules->free_users == NULL || nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_FOREIGN), 1) != 0) {
        return false;
    }
    if (nvp_reading_has(uid)) {
        snprintf(number, sizeof number, "%llu", (unsigned long long)nvp_reading_uint(uid, 0));
    }
    return is_word(nvp_reading_text(nvp_process_get(process, NVP_PROCESS_USER), ""), rules->free_users) ||
           is_word(number, rules->free_users);
}

static bool runs_on(const nvp_process *process, const nvp_device_sample *device)
{
    uint64_t mig = nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_MIG_INDEX), UINT64_MAX);
    return nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_GPU_INDEX), UINT64_MAX) == device->index &&
           (device->mig_index < 0 || (uint64_t)device->mig_index == mig);
}

static void count_processes(struct view *view)
{
    const nvp_process *process;
    for (size_t i = 0; (process = nvp_snapshot_process(view->snapshot, i)) != NULL; i++) {
        if (!runs_on(process, view->device)) {
            continue;
        }
        view->processes++;
        if (is_of_free_user(view->rules, process)) {
            view->free_users_bytes += nvp_reading_uint(nvp_process_get(process, NVP_PROCESS_GPU_MEMORY_BYTES), 0);
        } else {
            view->strangers++;
        }
    }
}

static struct view view_of(const select_rules *rules, const nvp_snapshot *snapshot, size_t place)
{
    struct view view = { .rules = rules, .snapshot = snapshot, .device = nvp_snapshot_device(snapshot, place) };
    view.gpu = view.device;
    for (size_t i = place; view.gpu->mig_index >= 0 && i > 0; i--) { /* it stands before its parts */
        view.gpu = nvp_snapshot_device(snapshot, i - 1);
    }
    count_processes(&view);
    return view;
}

/* Whether a program can be started on it at all; `why` says why not. */
static bool is_usable(const struct view *view, char *why, size_t size)
{
    uint64_t mode = nvp_reading_uint(nvp_device_sample_get(view->gpu, NVP_METRIC_MODE_COMPUTE), NVML_COMPUTEMODE_DEFAULT);
    bool divided = nvp_reading_uint(nvp_device_sample_get(view->device, NVP_METRIC_MIG_MODE), 0) == 1;
    if (view->device->state != NVP_DEVICE_OK) {
        snprintf(why, size, "it is %s", nvp_device_state_name(view->device->state));
    } else if (mode == NVML_COMPUTEMODE_PROHIBITED) {
        snprintf(why, size, "its compute mode is Prohibited");
    } else if (mode == NVML_COMPUTEMODE_EXCLUSIVE_PROCESS && view->processes > 0) {
        snprintf(why, size, "its compute mode is Exclusive_Process, and a process uses it");
    } else if (view->device->mig_index < 0 && divided) {
        snprintf(why, size, "it is divided into MIG devices (--mig selects among these)");
    } else {
        return true;
    }
    return false;
}

static bool has_enough_memory(const struct view *view, const select_candidate *candidate, double factor, char *why, size_t size)
{
    const select_rules *rules = view->rules;
    const nvp_reading *total = nvp_device_sample_get(view->device, NVP_METRIC_MEMORY_TOTAL_BYTES);
    double all = nvp_reading_number(total, -1), free_bytes = nvp_reading_number(&candidate->free_memory, -1);
    double wanted = rules->free_memory.is_share ? all * rules->free_memory.percent / 100 : (double)rules->free_memory.bytes;
    if ((rules->has_total_memory && all < 0) || (rules->has_free_memory && (free_bytes < 0 || all < 0))) {
        snprintf(why, size, "its memory is not known");
    } else if (rules->has_total_memory && all < (double)rules->total_memory * factor) {
        snprintf(why, size, "it has %.1f GiB of memory, %.1f GiB wanted", all / GIB, (double)rules->total_memory / GIB);
    } else if (rules->has_free_memory && free_bytes < wanted * factor) {
        snprintf(why, size, "it has %.1f GiB of memory free, %.1f GiB wanted", free_bytes / GIB, wanted / GIB);
    } else {
        return true;
    }
    return false;
}

static bool is_idle_enough(const nvp_reading *load, bool asked, double most, double factor, const char *what, char *why,
                           size_t size)
{
    double percent = nvp_reading_number(load, -1);
    if (!asked || (percent >= 0 && percent <= most * factor)) {
        return true;
    }
    if (percent < 0) {
        snprintf(why, size, "its %s utilization is not known", what);
    } else {
        snprintf(why, size, "its %s utilization is %.0f %%, at most %.0f %% wanted", what, percent, most);
    }
    return false;
}

/* Whether the constraints hold, relaxed by `tolerance` percent. */
static bool meets(const struct view *view, const select_candidate *candidate, double tolerance, char *why, size_t size)
{
    const select_rules *rules = view->rules;
    double more = 1 + tolerance / 100, less = tolerance < 100 ? 1 - tolerance / 100 : 0;
    nvp_reading memory = copy_of(nvp_device_sample_get(view->device, NVP_METRIC_UTILIZATION_MEMORY_PERCENT));
    if (rules->free_users != NULL && view->processes > 0 && view->strangers == 0) {
        memory = (nvp_reading){ .kind = NVP_KIND_UINT };
    }
    return has_enough_memory(view, candidate, less, why, size) &&
           is_idle_enough(&candidate->gpu_percent, rules->has_gpu_percent, rules->gpu_percent, more, "GPU", why, size) &&
           is_idle_enough(&memory, rules->has_memory_percent, rules->memory_percent, more, "memory", why, size);
}

void select_judge(const select_rules *rules, const nvp_snapshot *snapshot, size_t place, select_candidate *candidate)
{
    struct view view = view_of(rules, snapshot, place);
    char ignored[sizeof candidate->why];
    *candidate = (select_candidate){ .device = view.device, .place = place };
    candidate->free_memory = free_memory_of(snapshot, view.device);
    candidate->gpu_percent = copy_of(nvp_device_sample_get(view.device, NVP_METRIC_UTILIZATION_GPU_PERCENT));
    if (candidate->free_memory.kind == NVP_KIND_UINT) {
        candidate->free_memory.as.uint_value += view.free_users_bytes;
    }
    if (rules->free_users != NULL && view.processes > 0 && view.strangers == 0) {
        candidate->gpu_percent = (nvp_reading){ .kind = NVP_KIND_UINT };
    }
    candidate->meets = is_usable(&view, candidate->why, sizeof candidate->why) &&
                       meets(&view, candidate, rules->tolerance_percent, candidate->why, sizeof candidate->why);
    candidate->strictly = candidate->meets && meets(&view, candidate, 0, ignored, sizeof ignored);
}

static int compare(uint64_t first, uint64_t second)
{
    return first < second ? -1 : first > second;
}

static int compare_candidates(const void *first, const void *second)
{
    const select_candidate *one = first, *other = second;
    int order = compare(other->meets, one->meets);
    order = order != 0 ? order : compare(other->strictly, one->strictly);
    order = order != 0 ? order
                       : compare(nvp_reading_uint(&other->free_memory, 0) / MEMORY_STEP,
                                 nvp_reading_uint(&one->free_memory, 0) / MEMORY_STEP);
    order = order != 0 ? order : compare(nvp_reading_uint(&one->gpu_percent, 101), nvp_reading_uint(&other->gpu_percent, 101));
    return order != 0 ? order : compare(one->place, other->place);
}

void select_sort(select_candidate *candidates, size_t count)
{
    qsort(candidates, count, sizeof *candidates, compare_candidates);
}
