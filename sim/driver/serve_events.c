/*
 * Event sets: events of the scenario, when their time has come, and events that a test posts. Waiting takes real time.
 * A set keeps what it has not delivered yet, the newest first lost when too much comes.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "driver/events.h"
#include "driver/live.h"
#include "driver/serve.h"

enum { SETS_MAX = 256, QUEUE_MAX = 64, XID_OFF_THE_BUS = 79 };

#define LOOK_EVERY_NS (50 * NVPSIM_NS_PER_MS) /* at the control file, while a call waits */

typedef struct event {
    unsigned device; /* index */
    uint64_t type, data;
} event;

struct nvmlEventSet_st {
    bool is_open;
    uint64_t types[NVPSIM_DEVICES_MAX]; /* registered, by device */
    uint64_t seen_ns;                   /* events of the scenario up to this time have been taken */
    event queue[QUEUE_MAX];
    unsigned first, count;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all below */
static pthread_cond_t changed;
static struct nvmlEventSet_st sets[SETS_MAX];

static void changed_make(void)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

__attribute__((constructor)) static void events_start(void)
{
    changed_make();
}

void nvpsim__events_forked(void)
{
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    changed_make();
}

/* Under the lock. The open set that a caller's handle is; NULL for anything else. */
static struct nvmlEventSet_st *set_find(nvmlEventSet_t handle)
{
    uintptr_t offset = (uintptr_t)handle - (uintptr_t)sets;
    if (offset >= sizeof sets || offset % sizeof sets[0] != 0) {
        return NULL;
    }
    return handle->is_open ? handle : NULL;
}

void nvpsim__event_sets_close(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < SETS_MAX; i++) {
        sets[i].is_open = false;
    }
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

void nvpsim__event_sets_wake(void)
{
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void queue_put(struct nvmlEventSet_st *set, event what)
{
    if (set->count < QUEUE_MAX) {
        set->queue[(set->first + set->count) % QUEUE_MAX] = what;
        set->count++;
    }
}

int nvpsim__event_post(const nvpsim_device *device, uint64_t type, uint64_t data)
{
    int reached = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < SETS_MAX; i++) {
        if (sets[i].is_open && (sets[i].types[device->index] & type)) {
            queue_put(&sets[i], (event){ device->index, type, data });
            reached++;
        }
    }
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return reached;
}

/* Under the lock. A device that is lost or taken away is reported by the driver as an Xid. */
static void losses_fill(struct nvmlEventSet_st *set, uint64_t now_ns)
{
    for (unsigned i = 0; i < nvpsim__world_count(nvpsim__world); i++) {
        const nvpsim_device *device = nvpsim__world_device(nvpsim__world, i);
        if (!device->is_unsteady || !(set->types[i] & nvmlEventTypeXidCriticalError)) {
            continue;
        }
        uint64_t at_ns = nvpsim__device_next_loss(device, set->seen_ns);
        for (int j = 0; j < QUEUE_MAX && at_ns <= now_ns; j++) {
            queue_put(set, (event){ i, nvmlEventTypeXidCriticalError, XID_OFF_THE_BUS });
            at_ns = nvpsim__device_next_loss(device, at_ns);
        }
    }
}

/* Under the lock. Events of the scenario that became due since the set last looked. */
static void queue_fill(struct nvmlEventSet_st *set, uint64_t now_ns)
{
    const nvpsim_scenario *scenario = nvpsim__world->scenario;
    for (size_t i = 0; i < scenario->event_count; i++) {
        const nvpsim_event_spec *spec = &scenario->events[i];
        uint64_t at_ns = spec->at_ms.value * NVPSIM_NS_PER_MS;
        if (at_ns > set->seen_ns && at_ns <= now_ns && (set->types[spec->device.value] & spec->type.value)) {
            queue_put(set, (event){ (unsigned)spec->device.value, spec->type.value, spec->data.value });
        }
    }
    losses_fill(set, now_ns);
    set->seen_ns = now_ns > set->seen_ns ? now_ns : set->seen_ns;
}

/* Under the lock. How long until an event of the scenario is due by the real clock; all ones: none, or the clock is stepped. */
static uint64_t wait_ns(const struct nvmlEventSet_st *set)
{
    const nvpsim_scenario *scenario = nvpsim__world->scenario;
    uint64_t least = UINT64_MAX, now_ns = nvpsim__now_ns();
    for (unsigned i = 0; !nvpsim__world->clock.stepped && i < nvpsim__world_count(nvpsim__world); i++) {
        const nvpsim_device *device = nvpsim__world_device(nvpsim__world, i);
        uint64_t at_ns = set->types[i] && device->is_unsteady ? nvpsim__device_next_loss(device, set->seen_ns) : UINT64_MAX;
        if (at_ns != UINT64_MAX) {
            uint64_t left = at_ns > now_ns ? at_ns - now_ns : 1;
            least = left < least ? left : least;
        }
    }
    for (size_t i = 0; !nvpsim__world->clock.stepped && i < scenario->event_count; i++) {
        uint64_t at_ns = scenario->events[i].at_ms.value * NVPSIM_NS_PER_MS;
        if (at_ns > set->seen_ns) {
            uint64_t left = at_ns > now_ns ? at_ns - now_ns : 1;
            least = left < least ? left : least;
        }
    }
    return least;
}

static uint64_t real_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NVPSIM_NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Under the lock, which is given up meanwhile. */
static void sleep_until(uint64_t until_ns)
{
    struct timespec until = { (time_t)(until_ns / NVPSIM_NS_PER_S), (long)(until_ns % NVPSIM_NS_PER_S) };
    pthread_cond_timedwait(&changed, &lock, &until);
}

static nvmlReturn_t event_wait(nvmlEventSet_t handle, unsigned timeout_ms, event *what)
{
    uint64_t end_ns = real_ns() + (uint64_t)timeout_ms * NVPSIM_NS_PER_MS;
    nvmlReturn_t result = NVML_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&lock);
    for (struct nvmlEventSet_st *set = set_find(handle); set; set = set_find(handle)) {
        queue_fill(set, nvpsim__now_ns());
        if (set->count > 0) {
            *what = set->queue[set->first];
            set->first = (set->first + 1) % QUEUE_MAX;
            set->count--;
            result = NVML_SUCCESS;
            break;
        }
        uint64_t now_ns = real_ns(), due_ns = wait_ns(set);
        result = NVML_ERROR_TIMEOUT;
        if (now_ns >= end_ns) {
            break;
        }
        bool is_controlled = nvpsim__journal_is_open();
        due_ns = is_controlled && due_ns > LOOK_EVERY_NS ? LOOK_EVERY_NS : due_ns;
        sleep_until(due_ns < end_ns - now_ns ? now_ns + due_ns : end_ns);
        if (is_controlled) { /* who waits makes no calls that could look */
            pthread_mutex_unlock(&lock);
            nvpsim__journal_look();
            pthread_mutex_lock(&lock);
        }
    }
    pthread_mutex_unlock(&lock);
    return result;
}

nvmlReturn_t nvpsim__serve_nvmlEventSetCreate(nvmlEventSet_t *set)
{
    if (!set) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    nvmlReturn_t result =
        nvpsim__driver_knows_error(NVML_ERROR_INSUFFICIENT_RESOURCES) ? NVML_ERROR_INSUFFICIENT_RESOURCES : NVML_ERROR_UNKNOWN;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < SETS_MAX && result != NVML_SUCCESS; i++) {
        if (!sets[i].is_open) {
            memset(&sets[i], 0, sizeof sets[i]);
            sets[i].is_open = true;
            sets[i].seen_ns = nvpsim__now_ns();
            *set = &sets[i];
            result = NVML_SUCCESS;
        }
    }
    pthread_mutex_unlock(&lock);
    return result;
}

nvmlReturn_t nvpsim__serve_nvmlEventSetFree(nvmlEventSet_t set)
{
    pthread_mutex_lock(&lock);
    struct nvmlEventSet_st *open = set_find(set);
    if (open) {
        open->is_open = false;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    return open ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

/* Which events drivers know grew over time; hardware adds its own. */
static uint64_t supported_types(const nvpsim_device *device)
{
    uint64_t types = nvmlEventTypeXidCriticalError | nvmlEventTypePState | nvmlEventTypeClock;
    if (device->spec->ecc_current.state == NVPSIM_GIVEN) {
        types |= nvmlEventTypeSingleBitEccError | nvmlEventTypeDoubleBitEccError;
    }
    if (nvpsim__driver_since(450, 51, 0)) {
        types |= nvmlEventTypePowerSourceChange | nvmlEventMigConfigChange;
    }
    return types;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetSupportedEventTypes(nvmlDevice_t device, unsigned long long *eventTypes)
{
    if (!eventTypes) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *eventTypes = supported_types(nvpsim__device_of(device));
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceRegisterEvents(nvmlDevice_t device, unsigned long long eventTypes, nvmlEventSet_t set)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    nvmlReturn_t result = NVML_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&lock);
    struct nvmlEventSet_st *open = set_find(set);
    if (open) {
        result = eventTypes & ~supported_types(own) ? NVML_ERROR_NOT_SUPPORTED : NVML_SUCCESS;
    }
    if (result == NVML_SUCCESS) {
        open->types[own->index] |= eventTypes;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

nvmlReturn_t nvpsim__serve_nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t *data, unsigned int timeoutms)
{
    event what;
    if (!data) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    nvmlReturn_t result = event_wait(set, timeoutms, &what);
    const nvpsim_session *live = atomic_load_explicit(&nvpsim__session_live, memory_order_acquire);
    if (result == NVML_SUCCESS && !live) {
        result = NVML_ERROR_UNINITIALIZED;
    }
    if (result == NVML_SUCCESS) {
        *data = (nvmlEventData_t){ .device = &live->handles[what.device],
                                   .eventType = what.type,
                                   .eventData = what.data,
                                   .gpuInstanceId = UINT32_MAX,
                                   .computeInstanceId = UINT32_MAX };
    }
    return result;
}

/* The first form ends before the instances: no more may be written. */
nvmlReturn_t nvpsim__serve_nvmlEventSetWait(nvmlEventSet_t set, nvmlEventData_t *data, unsigned int timeoutms)
{
    nvmlEventData_t all;
    nvmlReturn_t result = nvpsim__serve_nvmlEventSetWait_v2(set, data ? &all : NULL, timeoutms);
    if (result == NVML_SUCCESS) {
        memcpy(data, &all, sizeof(nvp_EventData_v1_t));
    }
    return result;
}
