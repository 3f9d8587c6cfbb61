/*
 * The host side of a process record.
 *
 * Whose pid is it? A driver tells pids of the machine's first pid namespace, newer ones those of the caller's. In the first namespace both are
 * the same: a pid that /proc knows is that process. Elsewhere (in a container without the host's pids) an old driver's pid can be that of
 * some other process here. There a process counts only when it is proved to use the GPU, by a device file of the driver that it has open;
 * every other pid is foreign: its host fields are N/A, and it must not be signalled. So is a pid that /proc does not know. One that was known
 * in an earlier look and has ended is not foreign.
 */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "model/host.h"
#include "model/proc.h"
#include "model/reading.h"

/* Shorter spans measure the length of a tick. */
#define CPU_SPAN_S 0.1
/* So new is what a paced look leaves as it is. */
#define KEPT_S 0.9

static void set(struct nvp__host_process *process, nvp_process_field field, nvp_reading reading)
{
    process->fields[nvp__host_place(field)] = reading;
}

static nvp_reading clean_text_of(const struct nvp__host *host, struct nvp__arena *arena, const char *raw, size_t length)
{
    char text[NVP__COMMAND_BYTES];
    nvp__utf8_clean(raw, length, text, sizeof text);
    return text[0] == '\0' ? nvp__reading_na(NVP_ERROR_NO_DATA)
                           : nvp__reading_text(nvp__arena_text(arena, text, strlen(text)), host->now_us);
}

/* Measured over a span that is long enough; in between the last number stays. */
static void set_cpu(const struct nvp__host *host, struct nvp__host_process *process, const struct nvp__proc *proc)
{
    bool same = process->is_known && process->start_ticks == proc->start_ticks;
    double span_s = host->uptime_s - process->cpu_at_s;
    if (host->has_uptime && (!same || span_s >= CPU_SPAN_S)) {
        process->has_cpu_percent = same && proc->cpu_ticks >= process->cpu_ticks;
        process->cpu_percent =
            process->has_cpu_percent ? (double)(proc->cpu_ticks - process->cpu_ticks) / host->ticks_per_s / span_s * 100 : 0;
        process->cpu_ticks = proc->cpu_ticks;
        process->cpu_at_s = host->uptime_s;
    }
    if (host->has_uptime && process->has_cpu_percent) {
        set(process, NVP_PROCESS_CPU_PERCENT, nvp__reading_real(process->cpu_percent, host->now_us));
    }
}

/* A moment passes between the uptime and the process; a clock that differs by more is another one's (in some containers). */
static void set_times(const struct nvp__host *host, struct nvp__host_process *process, const struct nvp__proc *proc)
{
    double start_s = (double)proc->start_ticks / host->ticks_per_s;
    double running_s = host->uptime_s - start_s;
    if (host->has_boot_time) {
        uint64_t start_us = host->boot_time_s * 1000000 + (uint64_t)(start_s * 1e6);
        set(process, NVP_PROCESS_START_TIME_US, nvp__reading_uint(start_us, host->now_us));
    }
    if (host->has_uptime && running_s > -10) {
        set(process, NVP_PROCESS_RUNNING_TIME_S, nvp__reading_real(running_s > 0 ? running_s : 0, host->now_us));
    }
}

static void set_memory(const struct nvp__host *host, struct nvp__host_process *process, const struct nvp__proc *proc)
{
    set(process, NVP_PROCESS_HOST_MEMORY_BYTES, nvp__reading_uint(proc->resident_bytes, host->now_us));
    if (host->has_memory) {
        double percent = (double)proc->resident_bytes / (double)host->memory_bytes * 100;
        set(process, NVP_PROCESS_HOST_MEMORY_PERCENT, nvp__reading_real(percent, host->now_us));
    }
}

static void set_all(struct nvp__host_process *process, nvp_status status)
{
    for (size_t i = 0; i < NVP__HOST_SIDE_COUNT; i++) {
        process->fields[i] = nvp__reading_na(status);
    }
}

static void take(struct nvp__host *host, struct nvp__host_process *process, const struct nvp__proc *proc,
                 struct nvp__arena *arena)
{
    if (proc->is_whole) {
        nvp__identity_take(host, process, proc);
    }
    nvp__identity_put(process, arena);
    set_times(host, process, proc);
    set_cpu(host, process, proc);
    set_memory(host, process, proc);
    set(process, NVP_PROCESS_PARENT_PID, nvp__reading_uint(proc->parent_pid, host->now_us));
    process->start_ticks = proc->start_ticks;
    process->is_known = true;
}

/* What the driver calls it; all that is told of a process that /proc does not know. */
static void take_name(const struct nvp__host *host, struct nvp__host_process *process, const char *name, struct nvp__arena *arena)
{
    char program[NVP__PROCESS_NAME_BYTES];
    size_t length = name == NULL ? 0 : strlen(name);
    if (length == 0) {
        return;
    }
    set(process, NVP_PROCESS_COMMAND, clean_text_of(host, arena, name, length));
    nvp__utf8_clean(name, length, program, sizeof program);
    if (strstr(program, ":\\") == NULL) {
        program[strcspn(program, " ")] = '\0'; /* arguments */
    }
    const char *name_alone = nvp__without_folder(program);
    set(process, NVP_PROCESS_NAME, clean_text_of(host, arena, name_alone, strlen(name_alone)));
}

/* Whether the pid that the driver told is that of the process in /proc; the proof holds as long as the process lives. */
static nvp_status prove(const struct nvp__host *host, struct nvp__host_process *process, const struct nvp__proc *proc)
{
    bool same = process->is_known && process->start_ticks == proc->start_ticks;
    if (host->trusts_pids || (same && process->uses_gpu)) {
        return NVP_SUCCESS;
    }
    nvp_status status = nvp__proc_uses_gpu(process->pid);
    process->uses_gpu = status == NVP_SUCCESS;
    return status;
}

static void read_process(struct nvp__host *host, struct nvp__host_process *process, const char *name, struct nvp__arena *arena)
{
    struct nvp__proc proc;
    const struct nvp__proc_known known = { process->start_ticks, process->identity.program };
    nvp_status status = nvp__proc_read(process->pid, nvp__identity_is_fresh(host, process) ? &known : NULL, &proc);
    bool is_here = status != NVML_ERROR_NOT_FOUND || process->is_known;
    if (status == NVP_SUCCESS) {
        status = prove(host, process, &proc);
        is_here = status == NVP_SUCCESS;
    } else if (!host->trusts_pids && !process->is_known) {
        is_here = false; /* nothing is proved */
    }
    set_all(process, status == NVP_SUCCESS || (is_here && status == NVML_ERROR_NOT_FOUND) ? NVP_ERROR_NO_DATA : status);
    set(process, NVP_PROCESS_FOREIGN, nvp__reading_uint(!is_here, host->now_us));
    process->is_known = process->is_known && is_here;
    if (status == NVP_SUCCESS) {
        take(host, process, &proc, arena);
        process->read_at_s = host->uptime_s;
    } else {
        take_name(host, process, name, arena);
    }
}

static bool is_new_enough(const struct nvp__host *host, const struct nvp__host_process *process)
{
    double age_s = host->uptime_s - process->read_at_s;
    return host->is_paced && nvp__identity_is_fresh(host, process) && age_s >= 0 && age_s < KEPT_S;
}

void nvp__host_process(struct nvp__host *host, unsigned int pid, const char *name, struct nvp__arena *arena, nvp_reading fields[])
{
    struct nvp__host_process spare = { .pid = pid };
    struct nvp__host_process *process = nvp__host_table_get(host, pid);
    process = process != NULL ? process : &spare; /* without memory nothing is remembered */
    if (process->look != host->look) {
        if (is_new_enough(host, process)) {
            nvp__identity_put(process, arena); /* all else has no text */
        } else {
            read_process(host, process, name, arena);
        }
        process->look = host->look;
    }
    if (process == &spare) {
        free(spare.identity.texts); /* the fields have copies */
    }
    fields[NVP_PROCESS_START_TIME_US] = process->fields[nvp__host_place(NVP_PROCESS_START_TIME_US)];
    fields[NVP_PROCESS_FOREIGN] = process->fields[nvp__host_place(NVP_PROCESS_FOREIGN)];
    memcpy(&fields[NVP_PROCESS_NAME], &process->fields[nvp__host_place(NVP_PROCESS_NAME)],
           (NVP_PROCESS_FIELD_COUNT - NVP_PROCESS_NAME) * sizeof *fields);
}
