/*
 * One event set for all GPUs that are asked. It belongs to a generation of NVML: when that is over the set is made anew, the counts go on.
 */
#include "model/events.h"

#include <stdlib.h>

#include <nvpulse/lifecycle.h>

#include "base/clock.h"
#include "model/metrics.h"
#include "model/reading.h"

#define FIRST_RETRY_NS NVP__NS_PER_S
#define LONGEST_RETRY_NS (60 * NVP__NS_PER_S)
#define EVENTS_AT_ONCE 256 /* taken in one look; more wait for the next */

static void fail(struct nvp__events *events, nvp_status status, int64_t now_ns)
{
    events->status = status;
    events->retry_after_ns = events->retry_after_ns == 0 ? FIRST_RETRY_NS : events->retry_after_ns * 2;
    events->retry_after_ns = events->retry_after_ns > LONGEST_RETRY_NS ? LONGEST_RETRY_NS : events->retry_after_ns;
    events->retry_at_ns = now_ns + events->retry_after_ns;
}

static void forget_set(struct nvp__events *events)
{
    if (events->set != NULL && events->generation == nvp_generation()) {
        nvmlEventSetFree(events->set);
    }
    events->set = NULL;
    for (size_t i = 0; i < events->count; i++) {
        events->records[i].status = NVP_ERROR_NO_DATA;
    }
}

static bool grow(struct nvp__events *events, unsigned int count)
{
    if (count <= events->count) {
        return true;
    }
    struct nvp__event_record *records = realloc(events->records, count * sizeof *records);
    if (records == NULL) {
        return false;
    }
    for (size_t i = events->count; i < count; i++) {
        records[i] = (struct nvp__event_record){ .status = NVP_ERROR_NO_DATA };
    }
    events->records = records;
    events->count = count;
    return true;
}

static nvp_status open_set(struct nvp__events *events)
{
    if (events->set != NULL && events->generation != nvp_generation()) {
        forget_set(events);
    }
    if (events->set != NULL) {
        return NVP_SUCCESS;
    }
    nvmlReturn_t answer = nvmlEventSetCreate(&events->set);
    events->generation = nvp_generation();
    return (nvp_status)answer;
}

static void register_device(struct nvp__events *events, unsigned int index)
{
    struct nvp__event_record *record = &events->records[index];
    if (record->status != NVP_ERROR_NO_DATA) {
        return; /* registered, or refused in this generation */
    }
    nvmlReturn_t answer = nvmlDeviceGetHandleByIndex(index, &record->device);
    if (answer == NVML_SUCCESS) {
        answer = nvmlDeviceRegisterEvents(record->device, nvmlEventTypeXidCriticalError, events->set);
    }
    record->status = (nvp_status)answer;
}

static void take_event(struct nvp__events *events, const nvmlEventData_t *event, int64_t now_us)
{
    for (size_t i = 0; i < events->count; i++) {
        struct nvp__event_record *record = &events->records[i];
        if (record->device == event->device && (event->eventType & nvmlEventTypeXidCriticalError) != 0) {
            record->xid_count++;
            record->last_xid = event->eventData;
            record->last_xid_at_us = now_us;
        }
    }
}

void nvp__events_look(struct nvp__events *events, unsigned int count, const struct nvp__gpu_choice *choice)
{
    int64_t now_ns = nvp__clock_ns(), now_us = nvp__wall_us();
    if (now_ns < events->retry_at_ns || count == 0) {
        return;
    }
    nvp_status status = grow(events, count) ? open_set(events) : NVP_ERROR_NO_MEMORY;
    if (status != NVP_SUCCESS) {
        fail(events, status, now_ns);
        return;
    }
    for (unsigned int i = 0; i < count; i++) {
        if (nvp__gpu_choice_has(choice, i)) {
            register_device(events, i);
        }
    }
    nvmlReturn_t answer = NVML_SUCCESS;
    for (int taken = 0; taken < EVENTS_AT_ONCE && answer == NVML_SUCCESS; taken++) {
        nvmlEventData_t event = { 0 };
        answer = nvmlEventSetWait(events->set, &event, 0);
        if (answer == NVML_SUCCESS) {
            take_event(events, &event, now_us);
        }
    }
    if (answer != NVML_SUCCESS && answer != NVML_ERROR_TIMEOUT) {
        forget_set(events);
        fail(events, (nvp_status)answer, now_ns);
        return;
    }
    events->status = NVP_SUCCESS;
    events->retry_after_ns = 0;
    for (unsigned int i = 0; i < count; i++) {
        events->records[i].looked_at_us = now_us;
    }
}

nvp_reading nvp__events_reading(const struct nvp__events *events, unsigned int index, unsigned int metric)
{
    if (index >= events->count || events->status != NVP_SUCCESS) {
        return nvp__reading_na(events->status);
    }
    const struct nvp__event_record *record = &events->records[index];
    if (record->status != NVP_SUCCESS) {
        return nvp__reading_na(record->status);
    }
    switch (nvp__metrics[metric].sources[0].id) {
    case NVP__EVENT_XID_COUNT:
        return nvp__reading_uint(record->xid_count, record->looked_at_us);
    case NVP__EVENT_LAST_XID:
        return record->xid_count == 0 ? nvp__reading_na(NVP_ERROR_NO_DATA)
                                      : nvp__reading_uint(record->last_xid, record->looked_at_us);
    default:
        return record->xid_count == 0 ? nvp__reading_na(NVP_ERROR_NO_DATA)
                                      : nvp__reading_uint((uint64_t)record->last_xid_at_us, record->looked_at_us);
    }
}

void nvp__events_free(struct nvp__events *events)
{
    forget_set(events);
    free(events->records);
}
