/*
 * Devices for programs that read single metrics in their own thread: a list, a search, and a reader for each.
 */
#include <nvpulse/device.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/device_work.h"
#include "model/reading.h"
#include "model/system_work.h"

#define MIG_MAX 64u
#define GPUS_MAX 1024u

struct nvp_device {
    unsigned int index;
    int mig_index;
    nvp_status status;
    char uuid[NVP__UUID_BYTES];
    struct nvp__reader reader;
};

static nvp_device *make(unsigned int index, int mig_index, nvmlDevice_t handle, nvp_status status)
{
    nvp_device *device = calloc(1, sizeof *device);
    if (device == NULL) {
        return NULL;
    }
    device->index = index;
    device->mig_index = mig_index;
    device->status = status;
    nvp__reader_init(&device->reader, handle, mig_index >= 0);
    if (status == NVP_SUCCESS && nvmlDeviceGetUUID(handle, device->uuid, sizeof device->uuid) != NVML_SUCCESS) {
        device->uuid[0] = '\0';
    }
    return device;
}

void nvp_device_free(nvp_device *device)
{
    if (device != NULL) {
        nvp__reader_clear(&device->reader);
        free(device);
    }
}

static nvp_status append(nvp_device_list *list, nvp_device *device)
{
    nvp_device **devices = device == NULL ? NULL : realloc(list->devices, (list->count + 1) * sizeof *devices);
    if (devices == NULL) {
        nvp_device_free(device);
        return NVP_ERROR_NO_MEMORY;
    }
    list->devices = devices;
    devices[list->count++] = device;
    return NVP_SUCCESS;
}

/* The GPU is the last of the list. */
static nvp_status append_migs(nvp_device_list *list, unsigned int index, nvmlDevice_t parent)
{
    unsigned int most = 0;
    if (nvp_device_read_number(list->devices[list->count - 1], NVP_METRIC_MIG_MODE, NVML_DEVICE_MIG_DISABLE) !=
            NVML_DEVICE_MIG_ENABLE ||
        nvmlDeviceGetMaxMigDeviceCount(parent, &most) != NVML_SUCCESS) {
        return NVP_SUCCESS;
    }
    nvp_status status = NVP_SUCCESS;
    for (unsigned int i = 0; status == NVP_SUCCESS && i < most && i < MIG_MAX; i++) {
        nvmlDevice_t handle = NULL;
        if (nvmlDeviceGetMigDeviceHandleByIndex(parent, i, &handle) == NVML_SUCCESS) {
            status = append(list, make(index, (int)i, handle, NVP_SUCCESS));
        }
    }
    return status;
}

nvp_status nvp_device_list_get(nvp_device_list *list)
{
    if (list == NULL) {
        return NVP_ERROR_BAD_ARGUMENT;
    }
    nvp_device_list made = { 0, NULL };
    unsigned int count = 0;
    nvp_status status = nvp__device_count(&count);
    for (unsigned int i = 0; status == NVP_SUCCESS && i < count && i < GPUS_MAX; i++) {
        nvmlDevice_t handle = NULL;
        nvp_status found = (nvp_status)nvmlDeviceGetHandleByIndex(i, &handle);
        status = append(&made, make(i, -1, found == NVP_SUCCESS ? handle : NULL, found));
        if (status == NVP_SUCCESS && found == NVP_SUCCESS) {
            status = append_migs(&made, i, handle);
        }
    }
    if (status != NVP_SUCCESS) {
        nvp_device_list_free(&made);
        return status;
    }
    *list = made;
    return NVP_SUCCESS;
}

void nvp_device_list_free(nvp_device_list *list)
{
    if (list == NULL) {
        return;
    }
    for (size_t i = 0; i < list->count; i++) {
        nvp_device_free(list->devices[i]);
    }
    free(list->devices);
    *list = (nvp_device_list){ 0, NULL };
}

/* "3" or "3:1". */
static bool is_index(const nvp_device *device, const char *which)
{
    char text[32];
    if (device->mig_index < 0) {
        snprintf(text, sizeof text, "%u", device->index);
    } else {
        snprintf(text, sizeof text, "%u:%d", device->index, device->mig_index);
    }
    return strcmp(text, which) == 0;
}

/* With or without a domain of zero and leading zeroes, in any case. */
static bool is_bus_id(nvp_device *device, const char *which)
{
    if (device->mig_index >= 0 || device->status != NVP_SUCCESS || strchr(which, '.') == NULL) {
        return false;
    }
    nvp_value value = NVP_VALUE_INIT;
    const nvp_metric metric = NVP_METRIC_IDENTITY_PCI_BUS_ID;
    nvp_device_read(device, &metric, 1, &value);
    const char *bus_id = nvp_value_text(&value);
    bus_id += strspn(bus_id, "0:");
    which += strspn(which, "0:");
    bool same = *bus_id != '\0' && strcasecmp(bus_id, which) == 0;
    nvp_value_clear(&value);
    return same;
}

/* The place of the one device that `which` names; NVML_ERROR_NOT_FOUND for none, NVP_ERROR_BAD_ARGUMENT for several. */
static nvp_status pick(const nvp_device_list *list, const char *which, size_t *place)
{
    size_t length = strlen(which), beginnings = 0;
    for (size_t i = 0; i < list->count; i++) {
        nvp_device *device = list->devices[i];
        if (is_index(device, which) || strcasecmp(device->uuid, which) == 0 || is_bus_id(device, which)) {
            *place = i;
            return NVP_SUCCESS;
        }
        if (length > 0 && strncasecmp(device->uuid, which, length) == 0) {
            *place = i;
            beginnings++;
        }
    }
    return beginnings == 1 ? NVP_SUCCESS : beginnings == 0 ? (nvp_status)NVML_ERROR_NOT_FOUND : NVP_ERROR_BAD_ARGUMENT;
}

nvp_status nvp_device_find(const char *which, nvp_device **device)
{
    if (which == NULL || device == NULL) {
        return NVP_ERROR_BAD_ARGUMENT;
    }
    nvp_device_list list;
    nvp_status status = nvp_device_list_get(&list);
    if (status != NVP_SUCCESS) {
        return status;
    }
    size_t place = 0;
    status = pick(&list, which, &place);
    if (status == NVP_SUCCESS) {
        *device = list.devices[place];
        list.devices[place] = NULL;
    }
    nvp_device_list_free(&list);
    return status;
}

unsigned int nvp_device_index(const nvp_device *device)
{
    return device->index;
}

int nvp_device_mig_index(const nvp_device *device)
{
    return device->mig_index;
}

const char *nvp_device_uuid(const nvp_device *device)
{
    return device->uuid;
}

nvp_status nvp_device_status(const nvp_device *device)
{
    return device->status;
}

nvmlDevice_t nvp_device_handle(const nvp_device *device)
{
    return device->reader.handle;
}

static nvp_status take(nvp_metric metric, const nvp_reading *reading, nvp_value *value)
{
    char text[1024];
    switch (reading->kind) {
    case NVP_KIND_UINT:
        nvp_value_set_uint(value, reading->as.uint_value);
        return NVP_SUCCESS;
    case NVP_KIND_INT:
        nvp_value_set_int(value, reading->as.int_value);
        return NVP_SUCCESS;
    case NVP_KIND_REAL:
        nvp_value_set_real(value, reading->as.real_value);
        return NVP_SUCCESS;
    case NVP_KIND_TEXT:
        return nvp_value_set_text(value, reading->as.text);
    case NVP_KIND_LIST:
        nvp_metric_format(metric, reading, text, sizeof text);
        return nvp_value_set_text(value, text);
    default:
        nvp_value_set_na(value, reading->status);
        return NVP_SUCCESS;
    }
}

nvp_status nvp_device_read(nvp_device *device, const nvp_metric *metrics, size_t count, nvp_value *values)
{
    if (device == NULL || (count > 0 && (metrics == NULL || values == NULL))) {
        return NVP_ERROR_BAD_ARGUMENT;
    }
    struct nvp__metric_set set = { { 0 } };
    for (size_t i = 0; i < count; i++) {
        if ((unsigned int)metrics[i] >= NVP_METRIC_COUNT) {
            return NVP_ERROR_BAD_ARGUMENT;
        }
        nvp__metric_set_add(&set, metrics[i]);
    }
    nvp_status status = NVP_SUCCESS;
    if (device->reader.handle != NULL) {
        nvp__reader_read(&device->reader, &set, true);
    }
    for (size_t i = 0; i < count; i++) {
        nvp_reading absent = nvp__reading_na(device->status);
        const nvp_reading *reading = device->reader.handle != NULL ? &device->reader.readings[metrics[i]] : &absent;
        nvp_status taken = take(metrics[i], reading, &values[i]);
        status = taken != NVP_SUCCESS ? taken : status;
    }
    return status;
}

double nvp_device_read_number(nvp_device *device, nvp_metric metric, double otherwise)
{
    nvp_value value = NVP_VALUE_INIT;
    nvp_device_read(device, &metric, 1, &value);
    double number = nvp_value_number(&value, otherwise);
    nvp_value_clear(&value);
    return number;
}
