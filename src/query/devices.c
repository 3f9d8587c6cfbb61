/*
 * The registry of handles. Additions are under a lock; look-ups take none, since entries are never removed.
 * The lock is held only inside the guard, so a forked child that may query finds it free.
 */
#include "query/devices.h"

#include "base/log.h"
#include "driver/library.h"

#include <nvpulse/lifecycle.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES_MAX 1024 /* GPUs and MIG devices; more are served, but only until NVML is opened again */
#define SLOTS 4096       /* a power of two, well above both maxima */
#define HANDLES_MAX 2048

typedef nvmlReturn_t uuid_fn(nvmlDevice_t device, char *uuid, unsigned int length);
typedef nvmlReturn_t by_uuid_fn(const char *uuid, nvmlDevice_t *device);

struct device {
    nvmlDevice_t visible; /* what the program holds; constant */
    char uuid[NVML_DEVICE_UUID_V2_BUFFER_SIZE];
    _Atomic(nvmlDevice_t) raw;    /* the driver's value; valid when the generation is the present one */
    _Atomic(uint64_t) generation; /* stored after raw */
};

/* A handle of another kind and the session that it belongs to. */
struct other {
    _Atomic(const void *) handle; /* NULL: free; never changes once set */
    _Atomic(uint64_t) generation;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct device *devices[DEVICES_MAX];        /* under lock */
static size_t device_count;                        /* under lock */
static _Atomic(struct device *) by_visible[SLOTS]; /* entries are added under lock, never changed */
static struct other others[SLOTS];                 /* added under lock */
static size_t other_count;                         /* under lock */

static size_t slot_of(const void *handle)
{
    uint64_t bits = (uint64_t)(uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(bits >> 40) & (SLOTS - 1);
}

static struct device *find_visible(nvmlDevice_t visible)
{
    for (size_t slot = slot_of(visible);; slot = (slot + 1) & (SLOTS - 1)) {
        struct device *device = atomic_load_explicit(&by_visible[slot], memory_order_acquire);
        if (device == NULL || device->visible == visible) {
            return device;
        }
    }
}

static void set_raw(struct device *device, nvmlDevice_t raw)
{
    atomic_store_explicit(&device->raw, raw, memory_order_relaxed);
    atomic_store_explicit(&device->generation, nvp_generation(), memory_order_release);
}

static bool is_current(const struct device *device)
{
    return atomic_load_explicit(&device->generation, memory_order_acquire) == nvp_generation();
}

/* Under the lock. */
static struct device *find_uuid(const char *uuid)
{
    for (size_t i = 0; i < device_count; i++) {
        if (strcmp(devices[i]->uuid, uuid) == 0) {
            return devices[i];
        }
    }
    return NULL;
}

/* Under the lock. A driver can give a new device the address that another had in an earlier session: then ours is unique. */
static struct device *add_device(nvmlDevice_t raw, const char *uuid)
{
    struct device *device = device_count < DEVICES_MAX ? calloc(1, sizeof(*device)) : NULL;
    if (device == NULL) {
        nvp__log(NVP_LOG_WARNING, "query", "too many devices: %s cannot be found again when NVML is opened anew", uuid);
        return NULL;
    }
    device->visible = find_visible(raw) == NULL ? raw : (nvmlDevice_t)(void *)device;
    memcpy(device->uuid, uuid, strlen(uuid) + 1);
    devices[device_count++] = device;
    size_t slot = slot_of(device->visible);
    while (atomic_load_explicit(&by_visible[slot], memory_order_relaxed) != NULL) {
        slot = (slot + 1) & (SLOTS - 1);
    }
    atomic_store_explicit(&by_visible[slot], device, memory_order_release);
    return device;
}

static nvmlDevice_t remember(nvmlDevice_t raw)
{
    char uuid[NVML_DEVICE_UUID_V2_BUFFER_SIZE] = "";
    uuid_fn *get_uuid = (uuid_fn *)nvp__exported_at(NVP_FN_nvmlDeviceGetUUID);
    if (get_uuid == NULL || get_uuid(raw, uuid, sizeof(uuid) - 1) != NVML_SUCCESS || uuid[0] == '\0') {
        nvp__handles_note(raw); /* good for this session only */
        return raw;
    }
    uuid[sizeof(uuid) - 1] = '\0';
    pthread_mutex_lock(&lock);
    struct device *device = find_uuid(uuid);
    device = device != NULL ? device : add_device(raw, uuid);
    if (device != NULL) {
        set_raw(device, raw);
    }
    pthread_mutex_unlock(&lock);
    return device != NULL ? device->visible : raw;
}

nvmlDevice_t nvp__devices_visible(nvmlDevice_t raw)
{
    struct device *device = find_visible(raw);
    bool known = device != NULL ? is_current(device) && atomic_load_explicit(&device->raw, memory_order_relaxed) == raw
                                : nvp__handles_known(raw);
    return known ? raw : remember(raw);
}

nvmlReturn_t nvp__devices_current(nvmlDevice_t visible, nvmlDevice_t *raw)
{
    *raw = visible;
    if (visible == NULL) {
        return NVML_SUCCESS; /* the driver itself refuses that */
    }
    struct device *device = find_visible(visible);
    if (device == NULL) {
        return nvp__handles_known(visible) ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!is_current(device)) {
        by_uuid_fn *find = (by_uuid_fn *)nvp__exported_at(NVP_FN_nvmlDeviceGetHandleByUUID);
        nvmlDevice_t found = NULL;
        if (find == NULL || find(device->uuid, &found) != NVML_SUCCESS) {
            return NVML_ERROR_GPU_IS_LOST;
        }
        set_raw(device, found);
    }
    *raw = atomic_load_explicit(&device->raw, memory_order_relaxed);
    return NVML_SUCCESS;
}

/* The entry of a handle, or the free one where it belongs. */
static struct other *find_other(const void *handle)
{
    for (size_t slot = slot_of(handle);; slot = (slot + 1) & (SLOTS - 1)) {
        const void *held = atomic_load_explicit(&others[slot].handle, memory_order_acquire);
        if (held == handle || held == NULL) {
            return &others[slot];
        }
    }
}

void nvp__handles_note(const void *handle)
{
    pthread_mutex_lock(&lock);
    struct other *other = find_other(handle);
    bool is_new = atomic_load(&other->handle) == NULL;
    if (!is_new || other_count < HANDLES_MAX) {
        other_count += is_new;
        atomic_store(&other->generation, nvp_generation());
        atomic_store_explicit(&other->handle, handle, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
}

bool nvp__handles_known(const void *handle)
{
    struct other *other = find_other(handle);
    return atomic_load(&other->handle) == handle && atomic_load(&other->generation) == nvp_generation();
}
