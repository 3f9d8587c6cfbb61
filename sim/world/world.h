/*
 * The simulated machine: devices and processes, and what can be read from them at a time.
 * Built from a scenario. Reading takes no lock; the few things that a caller can set are atomics, and the curves of power and
 * temperature are replaced as a whole (world/motion.c). What live control changes in a device makes a new one, which takes the
 * place of the old (world/replace.c).
 */
#ifndef NVPSIM_WORLD_WORLD_H
#define NVPSIM_WORLD_WORLD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"
#include "scenario/scenario.h"
#include "world/track.h"

/** Where a device is: answering, fallen off the bus, or not plugged in. */
typedef enum nvpsim_presence { NVPSIM_HERE, NVPSIM_LOST, NVPSIM_AWAY } nvpsim_presence;

enum { NVPSIM_CPU_WORDS = 16, NVPSIM_NVLINKS_MAX = 18, NVPSIM_FANS_MAX = 16 };

typedef enum nvpsim_engine {
    NVPSIM_ENGINE_GPU,
    NVPSIM_ENGINE_MEMORY,
    NVPSIM_ENGINE_ENCODER,
    NVPSIM_ENGINE_DECODER,
    NVPSIM_ENGINE_JPEG,
    NVPSIM_ENGINE_OFA,
    NVPSIM_ENGINES
} nvpsim_engine;

typedef enum nvpsim_clock_domain {
    NVPSIM_GRAPHICS,
    NVPSIM_SM,
    NVPSIM_MEMORY_CLOCK,
    NVPSIM_VIDEO,
    NVPSIM_CLOCK_DOMAINS
} nvpsim_clock_domain;

typedef enum nvpsim_direction { NVPSIM_TX, NVPSIM_RX } nvpsim_direction;

/** A MIG device. Devices that share a GPU instance share its memory. */
typedef struct nvpsim_slice {
    const nvpsim_mig_device_spec *spec;
    const nvpsim_mig_profile_spec *profile;
    unsigned index, gpu_instance, compute_instance, compute_slices, start;
    char uuid[80];
} nvpsim_slice;

typedef struct nvpsim_process {
    int pid_kind;
    uint32_t pid;
    unsigned types;
    const char *name; /* NULL: that of the real process */
    uint64_t from_ns, until_ns;
    uint64_t cycle_ns;         /* of a recording that begins anew; 0: none */
    bool is_ended;             /* by live control */
    double high_bytes;         /* the most that it ever uses */
    nvpsim_track *used_bytes;  /* NULL: not available */
    nvpsim_track *percent[4];  /* of NVPSIM_ENGINE_GPU .. DECODER; NULL: an even share of the device's */
    double share;              /* that even share */
    const nvpsim_slice *slice; /* NULL: of the whole device */
} nvpsim_process;

/** The curves that depend on the power limit, from `since_ns` on. Earlier ones stay, for samples of the past. */
typedef struct nvpsim_motion {
    const struct nvpsim_motion *previous;
    uint64_t since_ns;
    unsigned limit_mw;
    nvpsim_track *power_mw;     /* NULL: not available */
    nvpsim_track *gpu_c;        /* steady; NULL: not available */
    double gap_c;               /* how far the temperature was from steady at the start */
    double energy_before_mj;    /* at `since_ns` */
    double integral_before_mws; /* of power_mw at `since_ns` */
} nvpsim_motion;

/** What callers can set. Relaxed atomics: each stands for itself. */
typedef struct nvpsim_settings {
    _Atomic unsigned persistence, compute_mode, ecc_pending, mig_pending, accounting, operation_pending, auto_boost;
    _Atomic unsigned driver_model_pending;
    _Atomic uint64_t accounting_cleared_ns;
    _Atomic int graphics_offset_mhz, memory_offset_mhz;
    _Atomic unsigned graphics_low_mhz, graphics_high_mhz; /* locked range; 0: not locked */
    _Atomic unsigned memory_low_mhz, memory_high_mhz;
    _Atomic unsigned graphics_app_mhz, memory_app_mhz;
    _Atomic unsigned fan_percent[NVPSIM_FANS_MAX]; /* set by hand; 0: automatic */
    _Atomic bool ecc_volatile_cleared, ecc_aggregate_cleared;
} nvpsim_settings;

/**
 * A device as it is from `since_ns` on. What it was before is behind `previous`: answers about the past, and sums that never
 * fall, need it.
 */
typedef struct nvpsim_device {
    unsigned index;
    uint64_t seed;
    uint64_t since_ns;
    struct nvpsim_device *previous;
    double bytes_before[4]; /* PCIe TX and RX, NVLink TX and RX: what had been moved at `since_ns` */
    const nvpsim_device_spec *spec;
    nvpsim_device_spec *own_spec; /* the same, when the device has to free it */
    uint64_t made_ns;             /* real time of a live change; 0: with the world */
    nvpsim_bus_id bus;
    char bus_id[32], bus_id_legacy[16];
    char uuid[80];
    unsigned minor, numa_node;
    unsigned long cpus[NVPSIM_CPU_WORDS];
    bool is_unsteady;               /* was, is or will be lost or away: see nvpsim__device_presence() */
    nvpsim_track *byte_counters[4]; /* likewise: PCIe TX and RX, NVLink TX and RX */
    nvpsim_track *performance, *clock_reasons, *energy_counter_mj; /* of a recording; else NULL */
    nvpsim_track *presence; /* an nvpsim_presence over time; NULL: as the numbers of the spec say */
    uint64_t memory_total, memory_reserved;
    nvpsim_track *memory_used; /* NULL: what the processes use; else no less than that, but in a recording */
    bool is_recorded;          /* what a recording says holds, also where it was read at two moments */
    nvpsim_track *bar1_used;
    nvpsim_track *engines[NVPSIM_ENGINES]; /* percent; NULL: not available */
    nvpsim_track *clocks[NVPSIM_CLOCK_DOMAINS];
    nvpsim_track *pcie_kbps[2];
    nvpsim_track *nvlink_kbps[2]; /* of one link */
    unsigned nvlinks;
    nvpsim_track *memory_c;
    nvpsim_track *fan_percent, *fan_target_percent; /* NULL: follows the temperature */
    unsigned fans;
    double idle_mw;
    _Atomic(nvpsim_motion *) motion; /* release on replacement, acquire on reading */
    nvpsim_settings *settings;       /* of the slot */
    nvpsim_slice *slices;            /* MIG devices, by index; NULL when the device is not cut */
    size_t slice_count;
    nvpsim_process *processes;
    size_t process_count;
} nvpsim_device;

/** The place of a device: it stays while the device in it is exchanged. */
typedef struct nvpsim_slot {
    _Atomic(nvpsim_device *) device; /* release on replacement, acquire on reading; NULL: none was added here yet */
    nvpsim_settings settings;
} nvpsim_slot;

typedef struct nvpsim_world {
    nvpsim_scenario *scenario;
    nvpsim_clock clock;
    nvpsim_slot *slots; /* NVPSIM_DEVICES_MAX of them */
    _Atomic unsigned device_count;
    uint64_t seed;
} nvpsim_world;

/** The device that stands in a slot now. */
static inline nvpsim_device *nvpsim__slot_device(nvpsim_slot *slot)
{
    return atomic_load_explicit(&slot->device, memory_order_acquire);
}

/** How many devices the scenario has, plugged in or not, and one of them. */
static inline unsigned nvpsim__world_count(nvpsim_world *world)
{
    return atomic_load_explicit(&world->device_count, memory_order_acquire);
}

static inline nvpsim_device *nvpsim__world_device(nvpsim_world *world, unsigned index)
{
    return nvpsim__slot_device(&world->slots[index]);
}

/** What the device was at a time: itself, or one that it has taken the place of. */
static inline const nvpsim_device *nvpsim__device_at(const nvpsim_device *device, uint64_t now_ns)
{
    while (__builtin_expect(now_ns < device->since_ns, 0) && device->previous) {
        device = device->previous;
    }
    return device;
}

/** Builds the machine; takes over the scenario on success. NULL with a line in `message` (NVPSIM_MESSAGE_SIZE) on failure. */
nvpsim_world *nvpsim__world_make(nvpsim_scenario *scenario, bool stepped_clock, char *message);
/** A device from its spec, which must stay, as it is from a time on. NULL with a line in `message`. */
nvpsim_device *nvpsim__device_make(nvpsim_world *world, unsigned index, const nvpsim_device_spec *spec, uint64_t since_ns,
                                   char *message);
/** Frees a device with what it was before, but not its MIG devices, which all that it was share. NULL is allowed. */
void nvpsim__device_free(nvpsim_device *device);

/**
 * A device that is to take the place of the one in its slot from now on, or to stand in the first empty slot; not seen by anyone
 * yet. It takes over `spec`, which must come from malloc. NULL with a line in `message`; then `spec` stays the caller's.
 */
nvpsim_device *nvpsim__device_succeed(nvpsim_world *world, unsigned index, nvpsim_device_spec *spec, uint64_t now_ns,
                                      char *message);
/** Undoes that, before it was published; `spec` stays the caller's. NULL is allowed. */
void nvpsim__device_discard(nvpsim_device *device);
/** Puts it into its slot. `may_forget`: no call is under way, so the oldest past can go. False when out of memory. */
bool nvpsim__device_publish(nvpsim_world *world, nvpsim_device *device, bool may_forget);
/** Ends the running processes with a name or, without one, a pid, on a device that nobody sees yet; false: there is none. */
bool nvpsim__process_end(nvpsim_device *device, const char *name, uint32_t pid, uint64_t now_ns);

/** What callers can set, as the spec has it, or where the spec differs from that of the device before. */
void nvpsim__settings_make(nvpsim_device *device);
void nvpsim__settings_follow(nvpsim_device *device, const nvpsim_device *before);

/** Frees the machine and its scenario; NULL is allowed. No reader may be left. */
void nvpsim__world_free(nvpsim_world *world);

/* Readings. Times are simulated nanoseconds. "true" means available and written. */

/** Whether a device falls off the bus for good, and whether it is ever anything but there. */
bool nvpsim__spec_is_lost(const nvpsim_device_spec *spec);
bool nvpsim__spec_is_unsteady(const nvpsim_device_spec *spec);

nvpsim_presence nvpsim__device_presence(const nvpsim_device *device, uint64_t now_ns);
/** Whether it was lost or away at any time from `from_ns` to `to_ns`, both included. */
bool nvpsim__device_was_gone(const nvpsim_device *device, uint64_t from_ns, uint64_t to_ns);
/** When it is lost or taken away next, after a time; all ones: never. */
uint64_t nvpsim__device_next_loss(const nvpsim_device *device, uint64_t after_ns);

bool nvpsim__device_load(const nvpsim_device *device, nvpsim_engine engine, uint64_t now_ns, double *percent);
bool nvpsim__device_power(const nvpsim_device *device, uint64_t now_ns, double *power_mw);
bool nvpsim__device_energy(const nvpsim_device *device, uint64_t now_ns, double *energy_mj);
bool nvpsim__device_temperature(const nvpsim_device *device, uint64_t now_ns, double *gpu_c);
bool nvpsim__device_memory_temperature(const nvpsim_device *device, uint64_t now_ns, double *memory_c);
bool nvpsim__device_fan(const nvpsim_device *device, unsigned fan, uint64_t now_ns, double *percent);
bool nvpsim__device_fan_target(const nvpsim_device *device, unsigned fan, uint64_t now_ns, double *percent);
bool nvpsim__device_clock(const nvpsim_device *device, nvpsim_clock_domain domain, uint64_t now_ns, unsigned *mhz);
bool nvpsim__device_clock_max(const nvpsim_device *device, nvpsim_clock_domain domain, unsigned *mhz);
bool nvpsim__device_pcie(const nvpsim_device *device, nvpsim_direction direction, uint64_t now_ns, double *kbps);
bool nvpsim__device_pcie_bytes(const nvpsim_device *device, nvpsim_direction direction, uint64_t now_ns, double *bytes);
/** The integral of one of the device's tracks between two times, over all that the device was meanwhile; `member`: its offset. */
double nvpsim__device_integral(const nvpsim_device *device, size_t member, uint64_t from_ns, uint64_t to_ns);
bool nvpsim__device_nvlink_bytes(const nvpsim_device *device, nvpsim_direction direction, uint64_t now_ns, double *bytes);
/** The mask of reasons for slow clocks that was recorded. */
bool nvpsim__device_clock_reasons(const nvpsim_device *device, uint64_t now_ns, uint64_t *mask);
unsigned nvpsim__device_performance_state(const nvpsim_device *device, uint64_t now_ns);
/** True when the load would draw more than the limit lets it. */
bool nvpsim__device_is_power_capped(const nvpsim_device *device, uint64_t now_ns);

typedef struct nvpsim_memory {
    uint64_t total, reserved, used, free;
} nvpsim_memory;

/** The parts always add up to the total, and the processes never use more than `used`. False: no device memory. */
bool nvpsim__device_memory(const nvpsim_device *device, uint64_t now_ns, nvpsim_memory *memory);

/** Memory of the GPU instance that a MIG device belongs to. */
nvpsim_memory nvpsim__slice_memory(const nvpsim_device *device, const nvpsim_slice *slice, uint64_t now_ns);

/** MIG devices of a device from the scenario, with MIG on; used by world/build.c. False when out of memory. */
bool nvpsim__slices_make(const nvpsim_world *world, nvpsim_device *device);

/** The MIG device with these ids, or NULL. */
const nvpsim_slice *nvpsim__slice_find(const nvpsim_device *device, uint64_t gpu_instance, uint64_t compute_instance);

/** A UUID of a device or MIG device after its prefix: the same for the same seed, text and number. */
void nvpsim__uuid_make(char *uuid, size_t size, const char *prefix, uint64_t seed, const char *text, unsigned number);

/** A track of memory, in bytes. */
uint64_t nvpsim__memory_bytes(const nvpsim_track *track, uint64_t now_ns);

bool nvpsim__process_is_running(const nvpsim_process *process, uint64_t now_ns);
uint32_t nvpsim__process_pid(const nvpsim_process *process);
bool nvpsim__process_memory(const nvpsim_process *process, uint64_t now_ns, uint64_t *used_bytes);
double nvpsim__process_load(const nvpsim_device *device, const nvpsim_process *process, nvpsim_engine engine, uint64_t now_ns);

/** The enforced power limit. */
unsigned nvpsim__device_limit_mw(const nvpsim_device *device);
/** Sets the power limit from a time on; false when out of memory. The caller keeps other changes out. */
bool nvpsim__device_set_limit(nvpsim_device *device, uint64_t now_ns, unsigned limit_mw);

/** First motion of a device, and the end of all; used by world/build.c. */
bool nvpsim__motion_start(nvpsim_device *device);
/** Joins the curves of a device to those of the one before it, from `since_ns` on; false when out of memory. */
bool nvpsim__motion_continue(nvpsim_device *device, const nvpsim_device *before);
/** Frees the curves that hold only before a time. */
void nvpsim__motion_forget(nvpsim_device *device, uint64_t before_ns);
void nvpsim__motion_free_all(nvpsim_device *device);

/** Processes of a device from the scenario; used by world/build.c. */
bool nvpsim__processes_make(nvpsim_world *world, nvpsim_device *device, char *message);

#endif
