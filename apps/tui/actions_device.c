/*
 * Which GPU, and which process, is looked at closely.
 */
#include <stdio.h>
#include <stdlib.h>

#include "device.h"
#include "gpus.h"

static const nvp_device_sample *gpu_at(const tui_app *app, size_t place)
{
    const nvp_device_sample *device = nvp_snapshot_device(app->snapshot, place);
    return device != NULL && device->mig_index < 0 && tui_gpus_is_shown(app, device) ? device : NULL;
}

static size_t count_devices(const tui_app *app)
{
    return app->snapshot == NULL ? 0 : nvp_snapshot_device_count(app->snapshot);
}

const nvp_device_sample *tui_device_shown(const tui_app *app)
{
    const nvp_device_sample *first = NULL;
    for (size_t i = 0; i < count_devices(app); i++) {
        const nvp_device_sample *device = gpu_at(app, i);
        if (device != NULL && device->index == app->device) {
            return device;
        }
        first = first == NULL ? device : first;
    }
    return first;
}

bool tui_device_exists(const tui_app *app, int gpu)
{
    for (size_t i = 0; i < count_devices(app); i++) {
        const nvp_device_sample *device = gpu_at(app, i);
        if (device != NULL && device->index == (unsigned int)gpu) {
            return true;
        }
    }
    return false;
}

static unsigned int show(tui_app *app, unsigned int gpu)
{
    app->device = gpu;
    app->scroll = 0;
    return TUI_DRAW;
}

/* Digits in a row make a number, when there is such a GPU. */
unsigned int tui_action_show_gpu(tui_app *app, const tui_event *event)
{
    int digit = event->key - '0', longer = app->digits * 10 + digit;
    int gpu = app->digits > 0 && longer < 10000 && tui_device_exists(app, longer) ? longer : digit;
    if (!tui_device_exists(app, gpu)) {
        app->digits = -1;
        tui_say(app, TUI_NOTICE, "there is no GPU %d", gpu);
        return TUI_DRAW;
    }
    app->digits = gpu;
    return show(app, (unsigned int)gpu);
}

static unsigned int show_beside(tui_app *app, size_t step)
{
    const nvp_device_sample *shown = tui_device_shown(app);
    size_t count = count_devices(app), place = 0;
    if (shown == NULL) {
        return 0;
    }
    while (gpu_at(app, place) != shown) {
        place++;
    }
    do {
        place = (place + step) % count;
    } while (gpu_at(app, place) == NULL);
    return show(app, gpu_at(app, place)->index);
}

unsigned int tui_action_next_gpu(tui_app *app, const tui_event *event)
{
    (void)event;
    return show_beside(app, 1);
}

unsigned int tui_action_previous_gpu(tui_app *app, const tui_event *event)
{
    (void)event;
    return show_beside(app, count_devices(app) - 1);
}
