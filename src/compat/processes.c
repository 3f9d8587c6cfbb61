/*
 * Lists of the processes on a device: three versions of a call for each kind of process, and one call for all kinds. Every list is
 * read into memory with room to spare and copied into the caller's layout, which is the beginning of the longest record.
 */
#include "compat/adapters.h"

#include "compat/driver.h"
#include "compat/records.h"
#include "compat/room.h"

#include <string.h>

#define STACK_SIZE 4096
#define ROOM_FIRST (1u << 14) /* records asked for at once; a caller may announce any number */
#define ROOM_MAX (1u << 20)

#define DETAILS NVP_FN_nvmlDeviceGetRunningProcessDetailList
#define V1_SIZE sizeof(nvmlProcessInfo_v1_t)
#define V2_SIZE sizeof(nvmlProcessInfo_v2_t)

typedef nvmlReturn_t list_fn(nvmlDevice_t device, unsigned int *count, void *records);

/* A list as the library gives it. */
struct source {
    enum nvp__function_index index;
    unsigned int mode;    /* for the call for all kinds */
    size_t declared_size; /* of a record, by the header */
    bool doubtful;        /* versions 2 and 3: releases and interposers have written other sizes under these names */
};

static nvmlReturn_t ask(const struct source *source, nvmlDevice_t device, unsigned int *count, void *records)
{
    if (source->index != DETAILS) {
        return ((list_fn *)nvp__exported_at(source->index))(device, count, records);
    }
    nvmlProcessDetailList_v1_t list = { .version = nvmlProcessDetailList_v1,
                                        .mode = source->mode,
                                        .numProcArrayEntries = count != NULL ? *count : 0,
                                        .procArray = records };
    nvmlReturn_t status = NVP__OWN(nvmlDeviceGetRunningProcessDetailList)(device, count != NULL ? &list : NULL);
    if ((status == NVML_SUCCESS || status == NVML_ERROR_INSUFFICIENT_SIZE) && count != NULL) {
        *count = list.numProcArrayEntries;
    }
    return status;
}

/* Zero until it was proved. */
static size_t known_distance(const struct source *source)
{
    size_t seen = nvp__compat_evidence(source->index);
    return source->doubtful ? (seen == 16 || seen == 24 || seen == 32 ? seen : 0) : source->declared_size;
}

/* The releases whose header has a longer record in version 3 are those that export the one of these and not yet the other. */
static size_t expected_distance(const struct source *source)
{
    bool is_v3 = source->index == NVP_FN_nvmlDeviceGetComputeRunningProcesses_v3 ||
                 source->index == NVP_FN_nvmlDeviceGetGraphicsRunningProcesses_v3 ||
                 source->index == NVP_FN_nvmlDeviceGetMPSComputeRunningProcesses_v3;
    bool longer =
        is_v3 && nvp__exported_at(NVP_FN_nvmlDeviceGetConfComputeMemSizeInfo) != NULL && nvp__exported_at(DETAILS) == NULL;
    return longer ? sizeof(nvp_ProcessInfo_v3_t) : source->declared_size;
}

static size_t learn_distance(const struct source *source, const void *memory, size_t size, unsigned int count, unsigned int room)
{
    bool proved;
    size_t distance = nvp__records_distance(memory, size, count, room, expected_distance(source), &proved);
    if (proved && distance == source->declared_size) {
        nvp__compat_found_plain(source->index, (unsigned int)distance);
    } else if (proved) {
        nvp__compat_found_different(source->index, (unsigned int)distance);
    }
    return distance;
}

static unsigned int copy(const void *memory, size_t distance, unsigned int count, void *to, size_t size)
{
    unsigned int kept = 0;
    for (unsigned int i = 0; i < count; i++) {
        nvmlProcessDetail_v1_t process;
        if (nvp__records_read(memory, distance, i, &process)) {
            memcpy((unsigned char *)to + kept++ * size, &process, size);
        }
    }
    return kept;
}

/* One call with room for `room` records; on success `count` of them are in `to`, else it is what the library has answered. */
static nvmlReturn_t read_list(const struct source *source, nvmlDevice_t device, unsigned int room, unsigned int *count, void *to,
                              size_t record_size)
{
    _Alignas(16) unsigned char stack[STACK_SIZE];
    size_t distance = known_distance(source);
    size_t size = room * (distance != 0 ? distance : NVP__RECORD_ROOM);
    unsigned char *memory = nvp__room_get(stack, sizeof(stack), size);
    if (memory == NULL) {
        return NVML_ERROR_MEMORY;
    }
    if (distance == 0) {
        nvp__records_fill(memory, size);
    }
    *count = room;
    nvmlReturn_t status = ask(source, device, count, memory);
    if (status == NVML_SUCCESS) {
        unsigned int found = *count < room ? *count : room;
        distance = distance != 0 ? distance : learn_distance(source, memory, size, found, room);
        *count = copy(memory, distance, found, to, record_size);
    }
    nvp__room_put(stack, memory);
    return status;
}

static unsigned int larger_room(unsigned int room, unsigned int needed, unsigned int most)
{
    unsigned long long next = needed > room ? needed + needed / 4ull : room * 2ull;
    next = next < most ? next : most;
    return (unsigned int)(next < ROOM_MAX ? next : ROOM_MAX);
}

static nvmlReturn_t list(const struct source *source, nvmlDevice_t device, unsigned int *count, void *to, size_t record_size)
{
    if (count == NULL || to == NULL || *count == 0) {
        return ask(source, device, count, to);
    }
    unsigned int room = *count < ROOM_FIRST ? *count : ROOM_FIRST;
    unsigned int found;
    nvmlReturn_t status = read_list(source, device, room, &found, to, record_size);
    while (status == NVML_ERROR_INSUFFICIENT_SIZE && room < *count && room < ROOM_MAX) {
        room = larger_room(room, found, *count);
        status = read_list(source, device, room, &found, to, record_size);
    }
    if (status == NVML_SUCCESS || status == NVML_ERROR_INSUFFICIENT_SIZE) {
        *count = found;
    }
    return status;
}

#define LIST(name, mode, size, index, declared, doubtful)                                                                        \
    nvmlReturn_t nvp__compat_##name(nvmlDevice_t device, unsigned int *count, void *infos)                                       \
    {                                                                                                                            \
        static const struct source source = { index, mode, declared, doubtful };                                                 \
        return list(&source, device, count, infos, size);                                                                        \
    }

#define LISTS(kind, mode, function)                                                                                              \
    LIST(kind##_v1_from_v2, mode, V1_SIZE, NVP_FN_##function##_v2, V2_SIZE, true)                                                \
    LIST(kind##_v1_from_v3, mode, V1_SIZE, NVP_FN_##function##_v3, V2_SIZE, true)                                                \
    LIST(kind##_v1_from_details, mode, V1_SIZE, DETAILS, sizeof(nvmlProcessDetail_v1_t), false)                                  \
    LIST(kind##_v2_watched, mode, V2_SIZE, NVP_FN_##function##_v2, V2_SIZE, true)                                                \
    LIST(kind##_v2_from_v3, mode, V2_SIZE, NVP_FN_##function##_v3, V2_SIZE, true)                                                \
    LIST(kind##_v2_from_details, mode, V2_SIZE, DETAILS, sizeof(nvmlProcessDetail_v1_t), false)                                  \
    LIST(kind##_v2_from_v1, mode, V2_SIZE, NVP_FN_##function, V1_SIZE, false)                                                    \
    LIST(kind##_v3_watched, mode, V2_SIZE, NVP_FN_##function##_v3, V2_SIZE, true)                                                \
    LIST(kind##_v3_from_v2, mode, V2_SIZE, NVP_FN_##function##_v2, V2_SIZE, true)                                                \
    LIST(kind##_v3_from_details, mode, V2_SIZE, DETAILS, sizeof(nvmlProcessDetail_v1_t), false)                                  \
    LIST(kind##_v3_from_v1, mode, V2_SIZE, NVP_FN_##function, V1_SIZE, false)

LISTS(compute, NVML_PROCESS_MODE_COMPUTE, nvmlDeviceGetComputeRunningProcesses)
LISTS(graphics, NVML_PROCESS_MODE_GRAPHICS, nvmlDeviceGetGraphicsRunningProcesses)
LISTS(mps, NVML_PROCESS_MODE_MPS, nvmlDeviceGetMPSComputeRunningProcesses)

/* The best list of one kind that the library exports; NULL when it has none. */
static const struct source *best_list(unsigned int mode)
{
#define BEST(function)                                                                                                           \
    {                                                                                                                            \
        { NVP_FN_##function##_v3, 0, V2_SIZE, true }, { NVP_FN_##function##_v2, 0, V2_SIZE, true },                              \
        {                                                                                                                        \
            NVP_FN_##function, 0, V1_SIZE, false                                                                                 \
        }                                                                                                                        \
    }
    static const struct source lists[][3] = { [NVML_PROCESS_MODE_COMPUTE] = BEST(nvmlDeviceGetComputeRunningProcesses),
                                              [NVML_PROCESS_MODE_GRAPHICS] = BEST(nvmlDeviceGetGraphicsRunningProcesses),
                                              [NVML_PROCESS_MODE_MPS] = BEST(nvmlDeviceGetMPSComputeRunningProcesses) };
    for (size_t i = 0; i < 3; i++) {
        if (nvp__exported_at(lists[mode][i].index) != NULL) {
            return &lists[mode][i];
        }
    }
    return NULL;
}

nvmlReturn_t nvp__compat_details_from_lists(nvmlDevice_t device, nvmlProcessDetailList_v1_t *details)
{
    if (details == NULL) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (details->version != nvmlProcessDetailList_v1) {
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    }
    if (details->mode > NVML_PROCESS_MODE_MPS) {
        return details->mode == NVML_PROCESS_MODE_ALL ? NVML_ERROR_NOT_SUPPORTED : NVML_ERROR_INVALID_ARGUMENT;
    }
    const struct source *source = best_list(details->mode);
    unsigned int count = details->numProcArrayEntries;
    if (source == NULL) {
        return NVML_ERROR_FUNCTION_NOT_FOUND;
    }
    nvmlReturn_t status = list(source, device, &count, details->procArray, sizeof(nvmlProcessDetail_v1_t));
    if (status == NVML_SUCCESS || status == NVML_ERROR_INSUFFICIENT_SIZE) {
        details->numProcArrayEntries = count;
    }
    return status;
}
