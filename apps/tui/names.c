/*
 * A short list, searched from its beginning: only a device that does not say its name is looked for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

static const char *said_by(const nvp_device_sample *device)
{
    return nvp_reading_text(nvp_device_sample_get(device, NVP_METRIC_IDENTITY_NAME), NULL);
}

static tui_name *find(const tui_names *names, const nvp_device_sample *device)
{
    for (size_t i = 0; i < names->count; i++) {
        if (names->list[i].index == device->index && names->list[i].mig_index == device->mig_index) {
            return &names->list[i];
        }
    }
    return NULL;
}

static tui_name *add(tui_names *names, const nvp_device_sample *device)
{
    tui_name *list = reallocarray(names->list, names->count + 1, sizeof *list);
    if (list == NULL) {
        return NULL;
    }
    names->list = list;
    list[names->count] = (tui_name){ .index = device->index, .mig_index = device->mig_index };
    return &list[names->count++];
}

/* Whether all that say their names say those that are known: then a driver that was opened anew still numbers them so. */
static bool are_known(const tui_names *names, const nvp_snapshot *snapshot)
{
    const nvp_device_sample *device;
    for (size_t i = 0; (device = nvp_snapshot_device(snapshot, i)) != NULL; i++) {
        const char *text = said_by(device);
        const tui_name *name = text != NULL ? find(names, device) : NULL;
        if (text != NULL && (name == NULL || strncmp(name->text, text, sizeof name->text - 1) != 0)) {
            return false;
        }
    }
    return true;
}

void tui_names_learn(tui_names *names, const nvp_snapshot *snapshot)
{
    const nvp_device_sample *device;
    if (names->generation != nvp_snapshot_generation(snapshot)) {
        names->generation = nvp_snapshot_generation(snapshot);
        names->count =
            are_known(names, snapshot) ? names->count : 0; /* the loss of a GPU leads there, and its name is still its name */
    }
    for (size_t i = 0; (device = nvp_snapshot_device(snapshot, i)) != NULL; i++) {
        const char *text = said_by(device);
        if (text == NULL) {
            continue;
        }
        /* They come in the same order each time. */
        bool is_in_place =
            i < names->count && names->list[i].index == device->index && names->list[i].mig_index == device->mig_index;
        tui_name *name = is_in_place ? &names->list[i] : find(names, device);
        name = name != NULL ? name : add(names, device);
        if (name != NULL && strncmp(name->text, text, sizeof name->text - 1) != 0) {
            snprintf(name->text, sizeof name->text, "%s", text);
        }
    }
}

const char *tui_names_of(const tui_names *names, const nvp_device_sample *device)
{
    const char *text = said_by(device);
    const tui_name *known = text == NULL ? find(names, device) : NULL;
    return text != NULL ? text : known != NULL ? known->text : "GPU";
}

void tui_names_free(tui_names *names)
{
    free(names->list);
    *names = (tui_names){ 0 };
}
