/*
 * One sample of a GPU: find it, let it sleep if it sleeps, read what is due, then its MIG devices and its processes.
 */
#include "model/device_work.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nvpulse/lifecycle.h>

#include "base/clock.h"
#include "base/root.h"
#include "model/reading.h"

static const int64_t interval_ns[NVP_TIER_COSTLY + 1] = {
    [NVP_TIER_STATIC] = INT64_MAX / 2,    [NVP_TIER_HOT] = 0,    [NVP_TIER_WARM] = 2 * NVP__NS_PER_S,
    [NVP_TIER_SLOW] = 10 * NVP__NS_PER_S, [NVP_TIER_COSTLY] = 0,
};

struct nvp__device_work *nvp__device_work_new(const struct nvp__plan *plan, unsigned int index)
{
    struct nvp__device_work *work = calloc(1, sizeof *work);
    if (work != NULL) {
        work->plan = *plan;
        work->index = index;
        nvp__reader_init(&work->reader, NULL, false);
    }
    return work;
}

void nvp__device_work_free(void *context)
{
    struct nvp__device_work *work = context;
    nvp__mig_work_free(work);
    nvp__gpu_processes_free(&work->processes);
    nvp__reader_clear(&work->reader);
    free(work);
}

/* Whether the kernel has suspended the PCI device: asking it would wake it. */
static bool is_suspended(struct nvp__device_work *work, const char *bus_id)
{
    size_t length = strlen(bus_id);
    if (length < strlen("0000:00:00.0")) {
        return false;
    }
    char address[16], state[32];
    snprintf(address, sizeof address, "%s", bus_id + length - strlen("0000:00:00.0"));
    for (char *c = address; *c != '\0'; c++) {
        *c = (char)tolower((unsigned char)*c);
    }
    ssize_t got = nvp__root_read(state, sizeof state, "/sys/bus/pci/devices/%s/power/runtime_status", address);
    work->never_sleeps = got < 0 && errno == ENOENT;
    return got > 0 && strncmp(state, "suspended", strlen("suspended")) == 0;
}

static void set_state(struct nvp__device_work *work, nvp_device_state state, nvp_status status)
{
    work->state = state;
    work->status = status;
}

/* A GPU that was there and is not any more is lost; one that never was cannot be used. */
static bool find_device(struct nvp__device_work *work)
{
    if (work->found) {
        return true;
    }
    nvmlDevice_t handle = NULL;
    nvmlReturn_t answer = nvmlDeviceGetHandleByIndex(work->index, &handle);
    if (answer != NVML_SUCCESS) {
        set_state(work, nvp__is_down((nvp_status)answer) ? NVP_DEVICE_LOST : NVP_DEVICE_FAILED, (nvp_status)answer);
        return false;
    }
    nvmlDeviceGetUUID(handle, work->uuid, sizeof work->uuid);
    work->reader.handle = handle;
    work->found = true;
    return true;
}

/* Reads what its tier says; a new generation of NVML makes everything due. */
static struct nvp__metric_set due(struct nvp__device_work *work, int64_t now_ns)
{
    if (work->generation != nvp_generation()) {
        work->generation = nvp_generation();
        memset(work->due_ns, 0, sizeof work->due_ns);
    }
    bool now[NVP_TIER_COSTLY + 1], is_unpaced = work->plan.named && (work->plan.flags & NVP_SNAPSHOT_PACED) == 0;
    for (int tier = 0; tier <= NVP_TIER_COSTLY; tier++) {
        now[tier] = now_ns >= work->due_ns[tier] || (is_unpaced && tier != NVP_TIER_STATIC);
        work->due_ns[tier] = now[tier] ? now_ns + interval_ns[tier] : work->due_ns[tier];
    }
    struct nvp__metric_set set = { { 0 } };
    const struct nvp__metric_set *all = &work->plan.metrics;
    for (unsigned int m = nvp__metric_set_next(all, 0); m < NVP_METRIC_COUNT; m = nvp__metric_set_next(all, m + 1)) {
        if (now[nvp__metrics[m].info.tier]) {
            nvp__metric_set_add(&set, m);
        }
    }
    return set;
}

static bool is_asleep(struct nvp__device_work *work)
{
    if ((work->plan.flags & NVP_SNAPSHOT_WAKE) != 0 || (work->never_sleeps && work->generation == nvp_generation())) {
        return false;
    }
    const nvp_reading *bus_id = &work->reader.readings[NVP_METRIC_IDENTITY_PCI_BUS_ID];
    if (bus_id->kind != NVP_KIND_TEXT) {
        struct nvp__metric_set one = { { 0 } };
        nvp__metric_set_add(&one, NVP_METRIC_IDENTITY_PCI_BUS_ID);
        nvp__reader_read(&work->reader, &one, false);
    }
    return bus_id->kind == NVP_KIND_TEXT && is_suspended(work, bus_id->as.text);
}

/* What is measured is not known of a device that sleeps; what it is stays known. */
static void fall_asleep(struct nvp__device_work *work)
{
    const struct nvp__metric_set *all = &work->plan.metrics;
    for (unsigned int m = nvp__metric_set_next(all, 0); m < NVP_METRIC_COUNT; m = nvp__metric_set_next(all, m + 1)) {
        if (nvp__metrics[m].info.tier != NVP_TIER_STATIC || !nvp_reading_has(&work->reader.readings[m])) {
            nvp__reader_put(&work->reader, m, nvp__reading_na(NVP_ERROR_ASLEEP));
        }
    }
    work->processes.count = 0;
    work->processes.status = NVP_SUCCESS;
    memset(work->due_ns, 0, sizeof work->due_ns);
    set_state(work, NVP_DEVICE_ASLEEP, NVP_ERROR_ASLEEP);
}

/* A device whose every answer is the same error cannot be asked at all. */
static void judge(struct nvp__device_work *work, const struct nvp__metric_set *asked)
{
    if (work->reader.down != NVP_SUCCESS) {
        set_state(work, NVP_DEVICE_LOST, work->reader.down);
        return;
    }
    nvp_status error = NVP_SUCCESS;
    for (unsigned int m = nvp__metric_set_next(asked, 0); m < NVP_METRIC_COUNT; m = nvp__metric_set_next(asked, m + 1)) {
        const nvp_reading *reading = &work->reader.readings[m];
        if (nvp_reading_has(reading)) {
            set_state(work, NVP_DEVICE_OK, NVP_SUCCESS);
            return;
        }
        error = nvp__is_unsupported(reading->status) || reading->status == NVP_ERROR_NO_DATA ? error : reading->status;
    }
    set_state(work, error == NVP_SUCCESS ? NVP_DEVICE_OK : NVP_DEVICE_FAILED, error);
}

static void read_mig_devices(struct nvp__device_work *work, const struct nvp__metric_set *set)
{
    if (nvp__metric_set_has(set, NVP_METRIC_MIG_MODE)) {
        nvp__mig_work_find(work);
    }
    for (size_t i = 0; i < work->mig_count; i++) {
        struct nvp__reader *reader = &work->migs[i]->reader;
        bool is_new = reader->generation == 0;
        nvp__reader_read(reader, is_new ? &work->plan.metrics : set, false);
    }
}

void nvp__device_work_run(void *context)
{
    struct nvp__device_work *work = context;
    if (!find_device(work)) {
        return;
    }
    if (is_asleep(work)) {
        fall_asleep(work);
        work->sampled_at_us = nvp__wall_us();
        return;
    }
    struct nvp__metric_set set = due(work, nvp__clock_ns());
    nvp__reader_read(&work->reader, &set, work->plan.named);
    judge(work, &set);
    if (work->state == NVP_DEVICE_LOST) {
        work->processes.count = 0;
        work->processes.status = work->status;
        memset(work->due_ns, 0, sizeof work->due_ns);
    } else {
        read_mig_devices(work, &set);
        if ((work->plan.flags & NVP_SNAPSHOT_NO_PROCESSES) == 0) {
            nvp__gpu_processes_read(&work->processes, work->reader.handle);
        }
    }
    work->sampled_at_us = nvp__wall_us();
    nvp__reader_set_time(&work->reader, work->sampled_at_us);
    for (size_t i = 0; i < work->mig_count; i++) {
        nvp__reader_set_time(&work->migs[i]->reader, work->sampled_at_us);
    }
}
