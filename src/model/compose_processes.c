/*
 * The processes of a snapshot: what the driver said of them in the jobs, and what the host says of them now.
 */
#include <string.h>

#include "model/reading.h"
#include "model/sampler.h"
#include "model/snapshot.h"

static size_t count_before(const nvp_snapshot *before, unsigned int index)
{
    size_t count = 0;
    for (size_t i = 0; i < nvp_snapshot_process_count(before); i++) {
        count += nvp_reading_uint(&before->processes[i].fields[NVP_PROCESS_GPU_INDEX], UINT64_MAX) == index;
    }
    return count;
}

static size_t count_processes(const nvp_sampler *sampler)
{
    size_t count = 0;
    for (size_t i = 0; i < sampler->gpu_count; i++) {
        const struct nvp__gpu *gpu = &sampler->gpus[i];
        count += gpu->ready ? gpu->work->processes.count : count_before(sampler->before, gpu->work->index);
    }
    return count;
}

/* The MIG device with these instances; NULL when the process runs on the whole GPU, or when it was made a moment ago. */
static const struct nvp__mig_work *mig_of(const struct nvp__device_work *work, const struct nvp__gpu_process *process)
{
    for (size_t i = 0; process->gpu_instance != NVP__NO_INSTANCE && i < work->mig_count; i++) {
        const struct nvp__mig_work *mig = work->migs[i];
        if (mig->gpu_instance == process->gpu_instance && mig->compute_instance == process->compute_instance) {
            return mig;
        }
    }
    return NULL;
}

static nvp_reading instance(unsigned int id, int64_t at_us)
{
    return id == NVP__NO_INSTANCE ? nvp__reading_na(NVML_ERROR_NOT_SUPPORTED) : nvp__reading_uint(id, at_us);
}

static void fill_gpu_side(nvp_snapshot *snapshot, const struct nvp__device_work *work, const struct nvp__gpu_process *process,
                          nvp_reading *fields)
{
    int64_t at_us = process->read_at_us;
    const struct nvp__mig_work *mig = mig_of(work, process);
    const char *uuid = mig != NULL ? mig->uuid : work->uuid;
    fields[NVP_PROCESS_PID] = nvp__reading_uint(process->pid, at_us);
    fields[NVP_PROCESS_GPU_INDEX] = nvp__reading_uint(work->index, at_us);
    fields[NVP_PROCESS_GPU_UUID] = uuid[0] == '\0'
                                       ? nvp__reading_na(NVP_ERROR_NO_DATA)
                                       : nvp__reading_text(nvp__arena_text(&snapshot->arena, uuid, strlen(uuid)), at_us);
    fields[NVP_PROCESS_MIG_INDEX] = instance(mig != NULL ? mig->index : NVP__NO_INSTANCE, at_us);
    fields[NVP_PROCESS_GPU_INSTANCE] = instance(process->gpu_instance, at_us);
    fields[NVP_PROCESS_COMPUTE_INSTANCE] = instance(process->compute_instance, at_us);
    fields[NVP_PROCESS_TYPE] = nvp__reading_uint(process->type, at_us);
    fields[NVP_PROCESS_GPU_MEMORY_BYTES] = process->memory;
    for (int i = 0; i < NVP__LOAD_COUNT; i++) {
        fields[NVP_PROCESS_SM_PERCENT + i] = process->load[i];
    }
}

static void add_of_device(nvp_sampler *sampler, nvp_snapshot *snapshot, const struct nvp__device_work *work)
{
    for (size_t i = 0; i < work->processes.count; i++) {
        const struct nvp__gpu_process *process = &work->processes.list[i];
        nvp_reading *fields = snapshot->processes[snapshot->process_count++].fields;
        fill_gpu_side(snapshot, work, process, fields);
        nvp__host_process(sampler->host, process->pid, process->name, &snapshot->arena, fields);
    }
}

/* A device that is stalled keeps the processes that it had; what the host says of them is new. */
static void add_from_before(nvp_sampler *sampler, nvp_snapshot *snapshot, unsigned int index)
{
    for (size_t i = 0; i < nvp_snapshot_process_count(sampler->before); i++) {
        const nvp_reading *before = sampler->before->processes[i].fields;
        if (nvp_reading_uint(&before[NVP_PROCESS_GPU_INDEX], UINT64_MAX) != index) {
            continue;
        }
        nvp_reading *fields = snapshot->processes[snapshot->process_count++].fields;
        for (int field = 0; field < NVP_PROCESS_FIELD_COUNT; field++) {
            fields[field] = nvp__reading_copy(&snapshot->arena, &before[field]);
        }
        unsigned int pid = (unsigned int)nvp_reading_uint(&before[NVP_PROCESS_PID], 0);
        nvp__host_process(sampler->host, pid, nvp_reading_text(&before[NVP_PROCESS_NAME], ""), &snapshot->arena, fields);
    }
}

/* The first device that refuses its list makes the whole incomplete; one that has no such list does not. */
static void note_status(nvp_snapshot *snapshot, nvp_status status)
{
    if (snapshot->process_status == NVP_SUCCESS && status != NVP_SUCCESS && status != NVML_ERROR_NOT_SUPPORTED) {
        snapshot->process_status = status;
    }
}

nvp_status nvp__compose_processes(nvp_sampler *sampler, nvp_snapshot *snapshot)
{
    if ((sampler->plan.flags & NVP_SNAPSHOT_NO_PROCESSES) != 0) {
        snapshot->process_status = NVP_ERROR_NO_DATA;
        return NVP_SUCCESS;
    }
    snapshot->processes = nvp__arena_new(&snapshot->arena, count_processes(sampler), sizeof *snapshot->processes);
    if (snapshot->processes == NULL) {
        return NVP_ERROR_NO_MEMORY;
    }
    for (size_t i = 0; i < sampler->gpu_count; i++) {
        const struct nvp__gpu *gpu = &sampler->gpus[i];
        if (gpu->ready) {
            add_of_device(sampler, snapshot, gpu->work);
            note_status(snapshot, gpu->work->processes.status);
        } else {
            add_from_before(sampler, snapshot, gpu->work->index);
            note_status(snapshot, NVP_ERROR_TIMED_OUT);
        }
    }
    nvp__host_end(sampler->host);
    return NVP_SUCCESS;
}
