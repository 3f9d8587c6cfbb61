/*
 * The process lists of a device, merged into one. Knows nothing of the host's side, but whether it knows a pid.
 */
#include "model/gpu_processes.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <nvpulse/function.h>
#include <nvpulse/lifecycle.h>

#include "base/answer.h"
#include "base/clock.h"
#include "base/compiler.h"
#include "base/root.h"
#include "base/utf8.h"
#include "model/reading.h"

#define ROOM_FIRST 64u
#define ROOM_SPARE 8u
#define ROOM_MAX (1u << 20)
#define TRIES 8 /* so often may a list outgrow its room while it is read */

struct nvp__gpu_row {
    unsigned int gpu_instance, compute_instance, pid, type;
    uint64_t memory; /* UINT64_MAX: not available */
};

typedef nvmlReturn_t list_fn(nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_t *infos);

static const struct list {
    const char *name;
    list_fn *read;
    unsigned int type, mark;
} lists[] = {
    { "nvmlDeviceGetComputeRunningProcesses_v3", nvp_nvmlDeviceGetComputeRunningProcesses_v3, NVP_PROCESS_TYPE_COMPUTE,
      NVP__NO_COMPUTE_LIST },
    { "nvmlDeviceGetGraphicsRunningProcesses_v3", nvp_nvmlDeviceGetGraphicsRunningProcesses_v3, NVP_PROCESS_TYPE_GRAPHICS,
      NVP__NO_GRAPHICS_LIST },
    { "nvmlDeviceGetMPSComputeRunningProcesses_v3", nvp_nvmlDeviceGetMPSComputeRunningProcesses_v3, NVP_PROCESS_TYPE_MPS,
      NVP__NO_MPS_LIST },
};

_Static_assert(NVP__COUNT_OF(lists) == NVP__COUNT_OF(((struct nvp__gpu_processes *)NULL)->rooms), "a room for each list");

#define NO_LIST (NVP__NO_COMPUTE_LIST | NVP__NO_GRAPHICS_LIST | NVP__NO_MPS_LIST)

bool nvp__gpu_is_unsupported(nvp_status status)
{
    return status == NVML_ERROR_NOT_SUPPORTED || status == NVML_ERROR_FUNCTION_NOT_FOUND ||
           status == NVML_ERROR_ARGUMENT_VERSION_MISMATCH || status == NVML_ERROR_DEPRECATED;
}

/* Calling what is missing would be reported; here it is no surprise. */
static bool is_served(const char *name)
{
    const nvp_function *function = nvp_function_find(name);
    return nvp_function_available(function) || nvp_function_fallback(function) != NULL;
}

static void begin_generation(struct nvp__gpu_processes *processes)
{
    static const struct {
        const char *name;
        unsigned int mark;
    } others[] = { { "nvmlDeviceGetProcessesUtilizationInfo", NVP__NO_LOADS_WITH_MEDIA },
                   { "nvmlDeviceGetProcessUtilization", NVP__NO_LOADS },
                   { "nvmlSystemGetProcessName", NVP__NO_NAMES } };
    uint64_t generation = nvp_generation();
    if (processes->generation == generation) {
        return;
    }
    processes->generation = generation;
    processes->loads_refused = NVML_ERROR_FUNCTION_NOT_FOUND;
    processes->unsupported = nvp_function_available(nvp_function_find(others[0].name)) ? 0 : NVP__NO_MEDIA;
    for (size_t i = 0; i < NVP__COUNT_OF(lists); i++) {
        processes->unsupported |= is_served(lists[i].name) ? 0 : lists[i].mark;
    }
    for (size_t i = 0; i < NVP__COUNT_OF(others); i++) {
        processes->unsupported |= is_served(others[i].name) ? 0 : others[i].mark;
    }
}

void *nvp__gpu_answer_room(struct nvp__gpu_processes *processes, size_t count, size_t size)
{
    size_t bytes = count * size; /* `count` is bounded by ROOM_MAX */
    if (bytes > processes->answer_size) {
        free(processes->answer);
        processes->answer = malloc(bytes);
        processes->answer_size = processes->answer != NULL ? bytes : 0;
    }
    return processes->answer != NULL ? memset(processes->answer, 0, bytes) : NULL;
}

unsigned int nvp__gpu_larger_room(unsigned int room, unsigned int needed)
{
    unsigned int next = needed > room ? needed + needed / 4 + ROOM_FIRST : (room == 0 ? ROOM_FIRST : room * 2);
    if (room >= ROOM_MAX) {
        return 0;
    }
    return needed > ROOM_MAX || next > ROOM_MAX ? ROOM_MAX : next;
}

static bool reserve_rows(struct nvp__gpu_processes *processes, size_t more)
{
    size_t needed = processes->row_count + more;
    if (needed > processes->row_capacity) {
        size_t capacity = needed + needed / 2;
        struct nvp__gpu_row *rows = reallocarray(processes->rows, capacity, sizeof *rows);
        if (rows == NULL) {
            return false;
        }
        processes->rows = rows;
        processes->row_capacity = capacity;
    }
    return true;
}

/* Impossible pids have been seen in the records of several releases. */
static bool take_rows(struct nvp__gpu_processes *processes, const nvmlProcessInfo_t *infos, unsigned int count, unsigned int type)
{
    if (!reserve_rows(processes, count)) {
        return false;
    }
    for (unsigned int i = 0; i < count; i++) {
        if (infos[i].pid > 0 && infos[i].pid <= INT_MAX) {
            processes->rows[processes->row_count++] = (struct nvp__gpu_row){ .gpu_instance = infos[i].gpuInstanceId,
                                                                             .compute_instance = infos[i].computeInstanceId,
                                                                             .pid = infos[i].pid,
                                                                             .type = type,
                                                                             .memory = infos[i].usedGpuMemory };
        }
    }
    return true;
}

/* A list that has outgrown its room once keeps what it has; there are drivers that want more room than they fill. */
static unsigned int room_for_next(struct nvp__gpu_processes *processes, const struct list *list, unsigned int room,
                                  unsigned int count, bool has_grown)
{
    unsigned int next = count + count / 2 + ROOM_SPARE;
    processes->grown |= has_grown ? list->mark : 0;
    next = (processes->grown & list->mark) != 0 && next < room ? room : next;
    return next < ROOM_MAX ? next : ROOM_MAX;
}

static nvp_status read_list(struct nvp__gpu_processes *processes, nvmlDevice_t device, const struct list *list)
{
    unsigned int *kept = &processes->rooms[list - lists];
    unsigned int room = *kept == 0 ? ROOM_FIRST : *kept;
    for (int i = 0; i < TRIES && room > 0; i++) {
        nvmlProcessInfo_t *infos = nvp__gpu_answer_room(processes, room, sizeof *infos);
        unsigned int count = room;
        if (infos == NULL) {
            return NVP_ERROR_NO_MEMORY;
        }
        nvmlReturn_t answer = list->read(device, &count, infos);
        if (answer == NVML_SUCCESS) {
            count = count < room ? count : room;
            *kept = room_for_next(processes, list, room, count, i > 0);
            return take_rows(processes, infos, count, list->type) ? NVP_SUCCESS : NVP_ERROR_NO_MEMORY;
        }
        if (answer != NVML_ERROR_INSUFFICIENT_SIZE) {
            return nvp__status_of_answer(answer);
        }
        room = nvp__gpu_larger_room(room, count);
    }
    return NVML_ERROR_INSUFFICIENT_SIZE;
}

/* What one list refuses another one may tell; what the device refuses as a whole is not asked three times. */
static nvp_status read_lists(struct nvp__gpu_processes *processes, nvmlDevice_t device)
{
    nvp_status status = NVP_SUCCESS;
    processes->row_count = 0;
    for (size_t i = 0; i < NVP__COUNT_OF(lists); i++) {
        if ((processes->unsupported & lists[i].mark) != 0) {
            continue;
        }
        nvp_status answer = read_list(processes, device, &lists[i]);
        if (nvp__gpu_is_unsupported(answer)) {
            processes->unsupported |= lists[i].mark;
        } else if (answer != NVP_SUCCESS) {
            status = status == NVP_SUCCESS ? answer : status;
            if (answer != NVML_ERROR_NO_PERMISSION) {
                break;
            }
        }
    }
    return (processes->unsupported & NO_LIST) == NO_LIST ? NVML_ERROR_NOT_SUPPORTED : status;
}

static int compare_numbers(uint64_t one, uint64_t other)
{
    return (one > other) - (one < other);
}

static int compare_rows(const void *one, const void *other)
{
    const struct nvp__gpu_row *a = one, *b = other;
    int order = compare_numbers(a->gpu_instance, b->gpu_instance);
    order = order != 0 ? order : compare_numbers(a->compute_instance, b->compute_instance);
    return order != 0 ? order : compare_numbers(a->pid, b->pid);
}

/* A process that is in several lists has the same memory in each: it is no sum. A number is better than none. */
static size_t merge_rows(struct nvp__gpu_row *rows, size_t count)
{
    size_t kept = 0;
    if (count > 0) {
        qsort(rows, count, sizeof *rows, compare_rows);
    }
    for (size_t i = 0; i < count; i++) {
        struct nvp__gpu_row *last = kept > 0 ? &rows[kept - 1] : NULL;
        if (last == NULL || compare_rows(last, &rows[i]) != 0) {
            rows[kept++] = rows[i];
            continue;
        }
        last->type |= rows[i].type;
        bool better = last->memory == UINT64_MAX || (rows[i].memory != UINT64_MAX && rows[i].memory > last->memory);
        last->memory = better ? rows[i].memory : last->memory;
    }
    return kept;
}

static int compare_with_row(const struct nvp__gpu_process *process, const struct nvp__gpu_row *row)
{
    const struct nvp__gpu_row own = { process->gpu_instance, process->compute_instance, process->pid, 0, 0 };
    return compare_rows(&own, row);
}

static void name_process(const struct nvp__gpu_processes *processes, struct nvp__gpu_process *process)
{
    char name[NVP__PROCESS_NAME_BYTES] = "";
    bool asks = (processes->unsupported & NVP__NO_NAMES) == 0 && !nvp__root_exists("/proc/%u", process->pid);
    if (asks && nvp_nvmlSystemGetProcessName(process->pid, name, sizeof name) == NVML_SUCCESS) {
        nvp__utf8_clean(name, strnlen(name, sizeof name), process->name, sizeof process->name);
    }
}

/* `known`: the same process in the look before, or NULL. */
static void fill_process(struct nvp__gpu_process *process, const struct nvp__gpu_row *row, const struct nvp__gpu_process *known,
                         int64_t read_at_us)
{
    *process = (struct nvp__gpu_process){ .pid = row->pid,
                                          .gpu_instance = row->gpu_instance,
                                          .compute_instance = row->compute_instance,
                                          .type = row->type,
                                          .read_at_us = read_at_us };
    process->memory =
        row->memory == UINT64_MAX ? nvp__reading_na(NVP_ERROR_SENTINEL) : nvp__reading_uint(row->memory, read_at_us);
    if (known != NULL) {
        memcpy(process->load, known->load, sizeof process->load);
        memcpy(process->name, known->name, sizeof process->name);
        return;
    }
    for (size_t i = 0; i < NVP__LOAD_COUNT; i++) {
        process->load[i] = nvp__reading_na(NVP_ERROR_NO_DATA);
    }
}

/* Both lists have the same order, so one walk finds who was there before. */
static nvp_status make_list(struct nvp__gpu_processes *processes)
{
    size_t count = merge_rows(processes->rows, processes->row_count);
    if (count > processes->capacity) {
        size_t capacity = count + count / 2;
        struct nvp__gpu_process *list = reallocarray(processes->list, capacity, sizeof *list);
        if (list == NULL) {
            return NVP_ERROR_NO_MEMORY;
        }
        processes->list = list;
        processes->capacity = capacity;
    }
    int64_t read_at_us = nvp__wall_us();
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const struct nvp__gpu_row *row = &processes->rows[i];
        int order = -1;
        while (at < processes->before_count && (order = compare_with_row(&processes->before[at], row)) < 0) {
            at++;
        }
        const struct nvp__gpu_process *known = at < processes->before_count && order == 0 ? &processes->before[at] : NULL;
        fill_process(&processes->list[i], row, known, read_at_us);
        if (known == NULL) {
            name_process(processes, &processes->list[i]);
        }
    }
    processes->count = count;
    return NVP_SUCCESS;
}

static void keep_as_before(struct nvp__gpu_processes *processes)
{
    struct nvp__gpu_process *list = processes->list;
    size_t capacity = processes->capacity;
    processes->list = processes->before;
    processes->capacity = processes->before_capacity;
    processes->before = list;
    processes->before_count = processes->count;
    processes->before_capacity = capacity;
    processes->count = 0;
}

nvp_status nvp__gpu_processes_read(struct nvp__gpu_processes *processes, nvmlDevice_t device)
{
    begin_generation(processes);
    keep_as_before(processes);
    nvp_status status = read_lists(processes, device);
    nvp_status made = make_list(processes);
    if (made == NVP_SUCCESS) {
        nvp__gpu_loads_read(processes, device);
    }
    processes->status = made != NVP_SUCCESS ? made : status;
    return processes->status;
}

void nvp__gpu_processes_free(struct nvp__gpu_processes *processes)
{
    free(processes->list);
    free(processes->before);
    free(processes->rows);
    free(processes->answer);
    *processes = (struct nvp__gpu_processes){ 0 };
}
