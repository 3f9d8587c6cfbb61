/*
 * What a scenario file says, as plain data: read once, then constant.
 * Holds what was written, not what follows from it; that is the business of world/.
 */
#ifndef NVPSIM_SCENARIO_SCENARIO_H
#define NVPSIM_SCENARIO_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum {
    NVPSIM_DEVICES_MAX = 1024,
    NVPSIM_PROCESSES_MAX = 20000, /* of one scenario, after `count` */
    NVPSIM_FAULTS_MAX = 64,
    NVPSIM_LIST_MAX = 4096, /* entries of any list in a file */
    NVPSIM_UNUSED_MAX = 64, /* more than there are keys that are read and not used */
};

/** Whether a key was given. "N/A" in a file means: this hardware does not have it. */
typedef enum nvpsim_state { NVPSIM_ABSENT, NVPSIM_NOT_AVAILABLE, NVPSIM_GIVEN } nvpsim_state;

typedef struct nvpsim_number {
    nvpsim_state state;
    uint64_t value;
} nvpsim_number;

typedef struct nvpsim_text {
    nvpsim_state state;
    const char *bytes; /* valid when given; ends with a zero, may hold any other byte */
} nvpsim_text;

typedef enum nvpsim_movement_kind {
    NVPSIM_CONSTANT,
    NVPSIM_SINE,
    NVPSIM_SQUARE,
    NVPSIM_STEPS,
    NVPSIM_WALK,
    NVPSIM_RECORDED, /* not written by anyone: from a recording */
} nvpsim_movement_kind;

/** How a value moves over time. A constant has low == high. */
typedef struct nvpsim_movement {
    nvpsim_state state;
    nvpsim_movement_kind kind;
    double low, high;
    uint64_t period_ms;   /* sine, square: one cycle; steps, walk: the time of one step */
    double phase;         /* fraction of the cycle by which the start is shifted */
    double spread;        /* further shift for each device index */
    double duty;          /* square: fraction of the cycle spent high */
    double step;          /* walk: the largest change in one step */
    uint64_t seed;        /* walk */
    const double *values; /* recorded: NaN where there was none */
    size_t count;
    const uint64_t *times_ns; /* recorded: when each value begins; the first at 0 */
    uint64_t end_ns;          /* recorded: when it begins anew, or stays as it is */
    bool holds;               /* recorded: it stays */
    bool is_count;            /* recorded: a sum, which grows between two times, and goes on growing when it begins anew */
} nvpsim_movement;

typedef struct nvpsim_numbers {
    const uint64_t *values;
    size_t count;
} nvpsim_numbers;

/** One memory clock and the graphics clocks that go with it, in MHz, as in the file. */
typedef struct nvpsim_clock_pair {
    nvpsim_number memory_mhz;
    nvpsim_numbers graphics_mhz;
} nvpsim_clock_pair;

typedef struct nvpsim_clock_pairs {
    const nvpsim_clock_pair *items;
    size_t count;
    bool given;
} nvpsim_clock_pairs;

enum { NVPSIM_PROCESS_COMPUTE = 1, NVPSIM_PROCESS_GRAPHICS = 2, NVPSIM_PROCESS_MPS = 4 };
enum { NVPSIM_PID_SIMULATED, NVPSIM_PID_FIXED, NVPSIM_PID_SELF };

typedef struct nvpsim_process_spec {
    int pid_kind;
    uint32_t pid;
    nvpsim_number types; /* NVPSIM_PROCESS_* or-ed */
    nvpsim_text name;
    nvpsim_movement used_bytes;
    nvpsim_movement sm_percent, memory_percent, encoder_percent, decoder_percent;
    nvpsim_number count, from_ms, until_ms;
    nvpsim_number gpu_instance, compute_instance;
    uint64_t cycle_ns; /* of a recording that begins anew: the times above are within it; 0: they are not */
    bool on_all_devices;
    nvpsim_numbers devices; /* of the list at top level */
} nvpsim_process_spec;

typedef struct nvpsim_process_list {
    const nvpsim_process_spec *items;
    size_t count;
    bool given;
    size_t capacity; /* of a list that live control has made: there is room behind `count`; else 0 */
} nvpsim_process_list;

enum {
    NVPSIM_ECC_DEVICE,
    NVPSIM_ECC_L1,
    NVPSIM_ECC_L2,
    NVPSIM_ECC_REGISTER,
    NVPSIM_ECC_TEXTURE,
    NVPSIM_ECC_TOTAL,
    NVPSIM_ECC_PLACES
};
enum { NVPSIM_ECC_VOLATILE, NVPSIM_ECC_AGGREGATE };
enum { NVPSIM_ECC_SINGLE_BIT, NVPSIM_ECC_DOUBLE_BIT };

enum { NVPSIM_THROTTLE_REASONS = 9 };

/** A way to cut a GPU: what one GPU instance of this profile has. */
typedef struct nvpsim_mig_profile_spec {
    nvpsim_text name;     /* such as 1g.5gb */
    nvpsim_number number; /* NVML_GPU_INSTANCE_PROFILE_... */
    nvpsim_number id, instances, slices, memory_slices, multiprocessors, memory_bytes;
    nvpsim_number copy_engines, decoders, encoders, jpegs, ofas;
} nvpsim_mig_profile_spec;

/** A MIG device: a compute instance of a GPU instance. */
typedef struct nvpsim_mig_device_spec {
    nvpsim_text profile, uuid;
    nvpsim_number index, gpu_instance, compute_instance, compute_slices, start;
} nvpsim_mig_device_spec;

/** The translation of nvml-mock's `dynamic_metrics`; it takes the place of the constants beside it. */
typedef struct nvpsim_dynamic_metrics {
    nvpsim_number seed;
    nvpsim_number base_c, variance_c, ramp_c, ramp_period_s;
    nvpsim_number base_mw, variance_mw;
    nvpsim_number pattern, gpu_min, gpu_max, memory_min, memory_max, burst_period_s;
} nvpsim_dynamic_metrics;

enum { NVPSIM_PATTERN_STEADY, NVPSIM_PATTERN_IDLE, NVPSIM_PATTERN_BUSY, NVPSIM_PATTERN_BURST };

/** All that a file can say about one device. Choices hold NVML's own numbers. */
typedef struct nvpsim_device_spec {
    nvpsim_text name, serial, uuid, board_part_number, vbios_version, bus_id;
    nvpsim_text inforom_image, inforom_oem, inforom_ecc, inforom_power;
    nvpsim_text gsp_version, fabric_cluster_uuid, chassis_serial, license_product;
    nvpsim_number brand, architecture, cuda_major, cuda_minor, cores, minor, board_id, multi_gpu_board, module_id;
    nvpsim_number memory_total, memory_reserved, memory_bus_bits, bar1_total;
    nvpsim_movement memory_used, bar1_used;
    nvpsim_number pci_device_id, pci_subsystem_id;
    nvpsim_number pcie_max_gen, pcie_gen, pcie_max_width, pcie_width, pcie_replays;
    nvpsim_movement pcie_tx_kbps, pcie_rx_kbps;
    nvpsim_number power_supported, power_mode, power_default_mw, power_enforced_mw, power_min_mw, power_max_mw;
    nvpsim_number power_idle_mw, power_state, power_source, energy_mj;
    nvpsim_movement power_mw;
    nvpsim_movement gpu_c, memory_c;
    nvpsim_number shutdown_c, slowdown_c, max_operating_c, target_c, memory_max_c, ambient_c, full_load_c, thermal_time_ms;
    nvpsim_number fan_count, fan_min_percent, fan_max_percent, fan_max_rpm;
    nvpsim_movement fan_percent, fan_target_percent;
    nvpsim_movement graphics_mhz, sm_mhz, memory_mhz, video_mhz;
    nvpsim_number graphics_idle_mhz, graphics_max_mhz, graphics_app_mhz, graphics_app_default_mhz, sm_max_mhz;
    nvpsim_number memory_idle_mhz, memory_max_mhz, memory_app_mhz, memory_app_default_mhz, video_max_mhz;
    nvpsim_number throttle[NVPSIM_THROTTLE_REASONS];
    nvpsim_clock_pairs supported_clocks;
    nvpsim_number performance_state;
    nvpsim_movement gpu_percent, memory_percent, encoder_percent, decoder_percent, jpeg_percent, ofa_percent;
    nvpsim_number encoder_sessions, encoder_fps, encoder_latency_us, fbc_sessions, fbc_fps, fbc_latency_us;
    nvpsim_number ecc_current, ecc_pending, ecc_default;
    nvpsim_number ecc_errors[2][2][NVPSIM_ECC_PLACES];
    nvpsim_number retired_single, retired_double, retired_pending;
    nvpsim_numbers retired_single_pages, retired_double_pages;
    nvpsim_number remapped_correctable, remapped_uncorrectable, remapped_pending, remapped_failure;
    nvpsim_number banks_max, banks_high, banks_partial, banks_low, banks_none;
    nvpsim_number display_mode, display_active, persistence_mode, compute_mode;
    nvpsim_number mig_current, mig_pending, mig_max_instances, mig_parent_readable;
    const nvpsim_mig_profile_spec *mig_profiles;
    size_t mig_profile_count;
    const nvpsim_mig_device_spec *mig_devices;
    size_t mig_device_count;
    nvpsim_number operation_current, operation_pending;
    nvpsim_number accounting_mode, accounting_size, virtualization, gsp_mode;
    nvpsim_number fabric_clique, fabric_state, slot_number, tray_index, host_id, peer_type;
    nvpsim_number topology_level, numa_node, addressing_mode, driver_model, driver_model_pending, license_state;
    nvpsim_number host_vgpu_mode;
    nvpsim_number lost, failure_mode, failure_after_calls;
    nvpsim_number plug_present, plug_from_ms, plug_until_ms, flap_period_ms, flap_lost_ms, flap_from_ms;
    nvpsim_dynamic_metrics dynamic;
    nvpsim_movement presence, performance, clock_reasons, energy_counter_mj; /* these and the next only from recordings */
    nvpsim_movement byte_counters[4];                                        /* PCIe TX and RX, NVLink TX and RX of one link */
    nvpsim_movement nvlink_tx_kbps, nvlink_rx_kbps;                          /* of one link */
    nvpsim_process_list processes;
} nvpsim_device_spec;

/* NVML's numbers of nvmlDeviceAddressingMode_t. */
enum { NVPSIM_ADDRESSING_NONE, NVPSIM_ADDRESSING_HMM, NVPSIM_ADDRESSING_ATS };

enum { NVPSIM_FAILURE_HEALTHY, NVPSIM_FAILURE_LOST };

/** A fault as written; driver/ turns it into a running one. */
typedef struct nvpsim_fault_spec {
    int function; /* id of base/function.h, or -1 for any */
    int device;   /* or -1 for any */
    nvpsim_number error, latency_ms, hang, after_calls, times, from_ms, until_ms;
} nvpsim_fault_spec;

/** Something that happens to a device at a time. */
typedef struct nvpsim_event_spec {
    nvpsim_number at_ms, device, type, data; /* type: nvmlEventType... */
} nvpsim_event_spec;

typedef struct nvpsim_switch_spec {
    nvpsim_text bus_id, uuid;
} nvpsim_switch_spec;

typedef struct nvpsim_root_complex {
    nvpsim_text id;
    nvpsim_number numa_node;
    nvpsim_text cpus;
    const char *const *bus_ids;
    size_t bus_id_count;
} nvpsim_root_complex;

typedef struct nvpsim_scenario {
    nvpsim_arena arena;
    const char *source; /* file name, or "profile NAME" */
    nvpsim_text name, description, base;
    nvpsim_number clock, seed, handles, latency, driver_lock, privileged, device_count;
    nvpsim_number nvlink_version, nvlink_links, nvlink_mbps, c2c_enabled;
    nvpsim_movement nvlink_tx_kbps, nvlink_rx_kbps;
    nvpsim_switch_spec *switches;
    size_t switch_count;
    nvpsim_root_complex *root_complexes;
    size_t root_complex_count;
    nvpsim_number cores_per_numa;
    nvpsim_device_spec defaults;
    nvpsim_device_spec *devices;
    size_t devices_made;
    nvpsim_process_list processes;
    const nvpsim_process_spec *base_processes; /* the list above is that of the profile, when it is this */
    nvpsim_fault_spec *faults;
    size_t fault_count;
    nvpsim_event_spec *events;
    size_t event_count;
    bool is_recording;                     /* what was recorded is not checked like what was written */
    const char *unused[NVPSIM_UNUSED_MAX]; /* keys that were read and mean nothing here, each once, in the order of the file */
    size_t unused_count;
} nvpsim_scenario;

enum { NVPSIM_CLOCK_REAL, NVPSIM_CLOCK_STEPPED };
enum { NVPSIM_LATENCY_NONE, NVPSIM_LATENCY_MEASURED };
enum { NVPSIM_HANDLES_STABLE, NVPSIM_HANDLES_FRESH };
enum { NVPSIM_PRIVILEGED_AUTO, NVPSIM_PRIVILEGED_NO, NVPSIM_PRIVILEGED_YES };

enum { NVPSIM_MESSAGE_SIZE = 1024 };

/**
 * Reads a scenario file with the profile that it is based on, or a built-in profile.
 * NULL on failure, with one line in `message` (NVPSIM_MESSAGE_SIZE bytes) that says where and why.
 */
nvpsim_scenario *nvpsim__scenario_read_file(const char *path, char *message);

typedef struct nvpsim_replay {
    double speed; /* as many seconds of the recording in one of the simulation */
    bool is_loop; /* it begins anew; else its last snapshot stays */
} nvpsim_replay;

/** The same from a recording: snapshots as JSON, one a line (docs/snapshot.schema.json). */
nvpsim_scenario *nvpsim__scenario_read_recording(const char *path, const nvpsim_replay *how, char *message);

nvpsim_scenario *nvpsim__scenario_read_profile(const char *name, char *message);

/** The entry of `mig.profiles` with a name, or NULL. */
const nvpsim_mig_profile_spec *nvpsim__mig_profile_find(const nvpsim_device_spec *device, const char *name);

/** Checks that no single key can make; false with one line in `message`. */
bool nvpsim__scenario_check(const nvpsim_scenario *scenario, char *message);

/** Turns `dynamic_metrics` of nvml-mock into movements. */
void nvpsim__dynamic_apply(nvpsim_device_spec *device);

typedef struct nvpsim_bus_id {
    unsigned domain, bus, device, function;
} nvpsim_bus_id;

/** Reads "0000:1b:00.0", with a domain of up to 8 digits, or "1b:00.0". */
bool nvpsim__bus_id_parse(const char *text, nvpsim_bus_id *id);

/** Names the keys that were read and mean nothing here, joined by ", "; "" when there is none. Cut to `size` with "...". */
void nvpsim__scenario_unused(const nvpsim_scenario *scenario, char *text, size_t size);

/** Frees a scenario; NULL is allowed. */
void nvpsim__scenario_free(nvpsim_scenario *scenario);

/** A built-in profile: its name, its one-line summary and its text. NULL past the end or for an unknown name. */
typedef struct nvpsim_profile {
    const char *name;
    const char *summary;
    const unsigned char *text;
    size_t size;
} nvpsim_profile;

const nvpsim_profile *nvpsim__profile_at(size_t index);
const nvpsim_profile *nvpsim__profile_find(const char *name);

#endif
