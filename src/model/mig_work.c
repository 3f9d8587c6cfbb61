/*
 * The MIG devices of a GPU: found anew now and then, since they are made and destroyed while we run. Indexes have holes.
 */
#include <stdlib.h>
#include <string.h>

#include "model/device_work.h"

#define MIG_MAX 64u /* far more than any GPU can be divided into */

static void free_mig(struct nvp__mig_work *mig)
{
    if (mig != NULL) {
        nvp__reader_clear(&mig->reader);
        free(mig);
    }
}

void nvp__mig_work_free(struct nvp__device_work *work)
{
    for (size_t i = 0; i < work->mig_count; i++) {
        free_mig(work->migs[i]);
    }
    free(work->migs);
    work->migs = NULL;
    work->mig_count = 0;
}

/* Takes the MIG device with this UUID out of the list of those known before; NULL when it is new. */
static struct nvp__mig_work *take_known(struct nvp__mig_work **known, size_t count, const char *uuid)
{
    for (size_t i = 0; i < count; i++) {
        if (known[i] != NULL && strcmp(known[i]->uuid, uuid) == 0) {
            struct nvp__mig_work *found = known[i];
            known[i] = NULL;
            return found;
        }
    }
    return NULL;
}

static bool is_listed(struct nvp__mig_work *const *list, size_t count, const char *uuid)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i]->uuid, uuid) == 0) {
            return true;
        }
    }
    return false;
}

/* Slices that were destroyed can still be listed; what has no UUID, or one that another has, is not there. */
static struct nvp__mig_work *look(struct nvp__device_work *work, unsigned int index, struct nvp__mig_work **known,
                                  size_t known_count, struct nvp__mig_work *const *list, size_t count)
{
    nvmlDevice_t handle = NULL;
    char uuid[NVP__UUID_BYTES] = "";
    if (nvmlDeviceGetMigDeviceHandleByIndex(work->reader.handle, index, &handle) != NVML_SUCCESS ||
        nvmlDeviceGetUUID(handle, uuid, sizeof uuid) != NVML_SUCCESS || is_listed(list, count, uuid)) {
        return NULL;
    }
    struct nvp__mig_work *mig = take_known(known, known_count, uuid);
    if (mig == NULL) {
        mig = calloc(1, sizeof *mig);
        if (mig == NULL) {
            return NULL;
        }
        nvp__reader_init(&mig->reader, handle, true);
        memcpy(mig->uuid, uuid, sizeof uuid);
    }
    mig->index = index;
    mig->reader.handle = handle;
    mig->gpu_instance = mig->compute_instance = UINT32_MAX;
    nvmlDeviceGetGpuInstanceId(handle, &mig->gpu_instance);
    nvmlDeviceGetComputeInstanceId(handle, &mig->compute_instance);
    return mig;
}

void nvp__mig_work_find(struct nvp__device_work *work)
{
    unsigned int most = 0;
    bool on = nvp_reading_uint(&work->reader.readings[NVP_METRIC_MIG_MODE], 0) == 1;
    if (!on || nvmlDeviceGetMaxMigDeviceCount(work->reader.handle, &most) != NVML_SUCCESS || most == 0) {
        nvp__mig_work_free(work);
        return;
    }
    most = most > MIG_MAX ? MIG_MAX : most;
    struct nvp__mig_work **list = calloc(most, sizeof *list);
    if (list == NULL) {
        return; /* what was known stays */
    }
    size_t count = 0;
    for (unsigned int i = 0; i < most; i++) {
        struct nvp__mig_work *mig = look(work, i, work->migs, work->mig_count, list, count);
        if (mig != NULL) {
            list[count++] = mig;
        }
    }
    for (size_t i = 0; i < work->mig_count; i++) {
        free_mig(work->migs[i]);
    }
    free(work->migs);
    work->migs = list;
    work->mig_count = count;
}
