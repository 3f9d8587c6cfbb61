/*
 * The answers behind the entry points: nvpsim__serve_<function>, one for each, called after the checks of driver/call.h.
 * When the first parameter is an nvmlDevice_t, it is valid and not lost. A file that defines an answer takes the place of
 * the general one in defaults.c.
 */
#ifndef NVPSIM_DRIVER_SERVE_H
#define NVPSIM_DRIVER_SERVE_H

#include "driver/generation.h"
#include "driver/session.h"

#define NVP_FUNCTION(name, group, version, first_driver, first_release, flags, shape, parameters, arguments)                     \
    nvmlReturn_t nvpsim__serve_##name parameters;
#include "abi/functions.def"

/** The device behind a checked handle. */
static inline nvpsim_device *nvpsim__device_of(nvmlDevice_t handle)
{
    return nvpsim__handle_device(handle);
}

/** The MIG device behind a checked handle; NULL for a whole GPU. */
static inline const nvpsim_slice *nvpsim__slice_of(nvmlDevice_t handle)
{
    return handle->slice;
}

/** Whether the driver shows the device cut into MIG devices. Then loads of the whole cannot be told. */
static inline bool nvpsim__is_cut(const nvpsim_device *device)
{
    return device->spec->mig_current.state == NVPSIM_GIVEN && device->spec->mig_current.value != 0 &&
           nvpsim__driver_since(450, 51, 0);
}

/** SUCCESS, or NO_PERMISSION when memory and processes of the whole are hidden while it is cut. */
nvmlReturn_t nvpsim__whole_readable(nvmlDevice_t handle);

/** NVML's index of a device in this session: not that of the scenario, when devices before it are not plugged in. */
unsigned nvpsim__place_of(const nvpsim_device *device);

/** The handle of a MIG device in this session; NULL without a session. */
nvmlDevice_t nvpsim__slice_handle(const nvpsim_slice *slice);

enum { NVPSIM_UUID_SIZE = 112 };

/** The UUID of a device or MIG device, as this driver writes it: NVPSIM_UUID_SIZE bytes. */
void nvpsim__uuid_put(nvmlDevice_t handle, char *text);

/** The simulated time of this moment. */
static inline uint64_t nvpsim__now_ns(void)
{
    return nvpsim__clock_ns(&nvpsim__world->clock);
}

static inline uint64_t nvpsim__wall_us(uint64_t now_ns)
{
    return nvpsim__clock_wall_us(&nvpsim__world->clock, now_ns);
}

/** A device handle that is not the first parameter: the device, or NULL. */
nvpsim_device *nvpsim__device_find(nvmlDevice_t handle);

/** Writes text: INVALID_ARGUMENT for NULL, INSUFFICIENT_SIZE when it does not fit with its final zero. */
nvmlReturn_t nvpsim__put_text(char *buffer, unsigned length, const char *text);
/** The same for a text of the scenario; NOT_SUPPORTED when it is absent or "N/A". */
nvmlReturn_t nvpsim__put_spec_text(char *buffer, unsigned length, nvpsim_text text);
/** Writes a number of the scenario; NOT_SUPPORTED when it is absent or "N/A". */
nvmlReturn_t nvpsim__put_number(unsigned *out, nvpsim_number number);

/** SUCCESS, or NO_PERMISSION when this process may not change the device. */
nvmlReturn_t nvpsim__may_change(void);

/** ARGUMENT_VERSION_MISMATCH for a driver that knows it, else INVALID_ARGUMENT. */
nvmlReturn_t nvpsim__version_mismatch(void);

/**
 * The protocol of lists: `count` in is the room, out the number. Answers SUCCESS when the items fit and are to be written,
 * INSUFFICIENT_SIZE when they do not.
 */
nvmlReturn_t nvpsim__list_room(unsigned *count, const void *items, unsigned available);

/** Errors by NVML's numbers of error and counter type, at an NVPSIM_ECC_ place. */
uint64_t nvpsim__ecc_count(const nvpsim_device *device, unsigned error, unsigned counter, unsigned place);

/** How many active links of a device the driver sees. */
unsigned nvpsim__nvlinks(const nvpsim_device *device);

/** The nvmlNvlinkVersion_t of the device's links. */
unsigned nvpsim__nvlink_version(void);

#endif
