/*
 * Which devices the option --id names: indexes, 0:1 for a MIG device, UUIDs or their beginnings, PCI addresses or their ends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "gpus.h"

static const nvp_device_sample *parent_of(const nvp_snapshot *snapshot, const nvp_device_sample *device)
{
    const nvp_device_sample *gpu;
    for (size_t i = 0; (gpu = nvp_snapshot_device(snapshot, i)) != NULL; i++) {
        if (gpu->index == device->index && gpu->mig_index < 0) {
            return gpu;
        }
    }
    return NULL;
}

/* `word` ends at `length`; it is no number. */
static bool is_named(const nvp_device_sample *device, const char *word, size_t length)
{
    const char *uuid = nvp_reading_text(nvp_device_sample_get(device, NVP_METRIC_IDENTITY_UUID), "");
    const char *address = nvp_reading_text(nvp_device_sample_get(device, NVP_METRIC_IDENTITY_PCI_BUS_ID), "");
    size_t all = strlen(address);
    return strncmp(uuid, word, length) == 0 ||
           (length <= all && length >= 4 && strncasecmp(address + all - length, word, length) == 0);
}

/* Whether one word of the list means a device, or the GPU that it is a part of. */
static bool means(const nvp_snapshot *snapshot, const char *word, size_t length, const nvp_device_sample *device)
{
    char *end;
    unsigned long index = strtoul(word, &end, 10);
    if (length == 0) {
        return false;
    }
    if (word[0] >= '0' && word[0] <= '9' && end == word + length) {
        return index == device->index;
    }
    if (word[0] >= '0' && word[0] <= '9' && *end == ':' && end[1] >= '0' && end[1] <= '9') {
        unsigned long mig = strtoul(end + 1, &end, 10);
        if (end == word + length && device->mig_index >= 0 && index == device->index && mig == (unsigned long)device->mig_index) {
            return true;
        }
    }
    const nvp_device_sample *parent = device->mig_index < 0 ? NULL : parent_of(snapshot, device);
    return is_named(device, word, length) || (parent != NULL && is_named(parent, word, length));
}

bool tui_gpus_is_shown(const tui_app *app, const nvp_device_sample *device)
{
    const char *next = app->request->gpus;
    if (next == NULL) {
        return true;
    }
    for (size_t length; *next != '\0'; next += length + (next[length] == ',')) {
        length = strcspn(next, ",");
        if (means(app->snapshot, next, length, device)) {
            return true;
        }
    }
    return false;
}

bool tui_gpus_missing(const tui_app *app, char *word, size_t size)
{
    const char *next = app->request->gpus != NULL ? app->request->gpus : "";
    for (size_t length; *next != '\0'; next += length + (next[length] == ',')) {
        const nvp_device_sample *device;
        bool is_there = false;
        length = strcspn(next, ",");
        for (size_t i = 0; !is_there && (device = nvp_snapshot_device(app->snapshot, i)) != NULL; i++) {
            is_there = means(app->snapshot, next, length, device);
        }
        if (!is_there) {
            snprintf(word, size, "%.*s", (int)length, next);
            return true;
        }
    }
    return false;
}
