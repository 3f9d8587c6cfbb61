/*
 * The tables of keys, made from keys/, and the words that choices allow.
 * The numbers behind words are NVML's own.
 */
#define NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

#include "scenario/movement_form.h"

static const nvpsim_choice choice_switch[] = { { "enabled", 1 }, { "disabled", 0 }, { NULL, 0 } };
static const nvpsim_choice choice_flag[] = { { "true", 1 }, { "false", 0 }, { NULL, 0 } };
static const nvpsim_choice choice_clock[] = { { "real", NVPSIM_CLOCK_REAL }, { "stepped", NVPSIM_CLOCK_STEPPED }, { NULL, 0 } };
static const nvpsim_choice choice_handles[] = { { "stable", NVPSIM_HANDLES_STABLE },
                                                { "fresh", NVPSIM_HANDLES_FRESH },
                                                { NULL, 0 } };
static const nvpsim_choice choice_latency[] = { { "none", NVPSIM_LATENCY_NONE },
                                                { "measured", NVPSIM_LATENCY_MEASURED },
                                                { NULL, 0 } };
static const nvpsim_choice choice_privileged[] = {
    { "auto", NVPSIM_PRIVILEGED_AUTO }, { "true", NVPSIM_PRIVILEGED_YES }, { "false", NVPSIM_PRIVILEGED_NO }, { NULL, 0 }
};
static const nvpsim_choice choice_movement_kind[] = { { "constant", NVPSIM_CONSTANT }, { "sine", NVPSIM_SINE },
                                                      { "square", NVPSIM_SQUARE },     { "steps", NVPSIM_STEPS },
                                                      { "walk", NVPSIM_WALK },         { NULL, 0 } };
static const nvpsim_choice choice_pattern[] = { { "steady", NVPSIM_PATTERN_STEADY },
                                                { "idle", NVPSIM_PATTERN_IDLE },
                                                { "busy", NVPSIM_PATTERN_BUSY },
                                                { "burst", NVPSIM_PATTERN_BURST },
                                                { NULL, 0 } };
static const nvpsim_choice choice_process_type[] = { { "C", NVPSIM_PROCESS_COMPUTE },
                                                     { "G", NVPSIM_PROCESS_GRAPHICS },
                                                     { "C+G", NVPSIM_PROCESS_COMPUTE | NVPSIM_PROCESS_GRAPHICS },
                                                     { "M", NVPSIM_PROCESS_MPS },
                                                     { "M+C", NVPSIM_PROCESS_MPS | NVPSIM_PROCESS_COMPUTE },
                                                     { "compute", NVPSIM_PROCESS_COMPUTE },
                                                     { "graphics", NVPSIM_PROCESS_GRAPHICS },
                                                     { "mps", NVPSIM_PROCESS_MPS },
                                                     { NULL, 0 } };
static const nvpsim_choice choice_failure_mode[] = {
    { "healthy", NVPSIM_FAILURE_HEALTHY }, { "lost", NVPSIM_FAILURE_LOST }, { "fallen_off_bus", NVPSIM_FAILURE_LOST }, { NULL, 0 }
};
static const nvpsim_choice choice_brand[] = { { "unknown", NVML_BRAND_UNKNOWN },
                                              { "quadro", NVML_BRAND_QUADRO },
                                              { "tesla", NVML_BRAND_TESLA },
                                              { "nvs", NVML_BRAND_NVS },
                                              { "grid", NVML_BRAND_GRID },
                                              { "geforce", NVML_BRAND_GEFORCE },
                                              { "titan", NVML_BRAND_TITAN },
                                              { "quadro_rtx", NVML_BRAND_QUADRO_RTX },
                                              { "nvidia_rtx", NVML_BRAND_NVIDIA_RTX },
                                              { "nvidia", NVML_BRAND_NVIDIA },
                                              { "geforce_rtx", NVML_BRAND_GEFORCE_RTX },
                                              { "titan_rtx", NVML_BRAND_TITAN_RTX },
                                              { NULL, 0 } };
static const nvpsim_choice choice_architecture[] = { { "kepler", NVML_DEVICE_ARCH_KEPLER },
                                                     { "maxwell", NVML_DEVICE_ARCH_MAXWELL },
                                                     { "pascal", NVML_DEVICE_ARCH_PASCAL },
                                                     { "volta", NVML_DEVICE_ARCH_VOLTA },
                                                     { "turing", NVML_DEVICE_ARCH_TURING },
                                                     { "ampere", NVML_DEVICE_ARCH_AMPERE },
                                                     { "ada", NVML_DEVICE_ARCH_ADA },
                                                     { "hopper", NVML_DEVICE_ARCH_HOPPER },
                                                     { "blackwell", NVML_DEVICE_ARCH_BLACKWELL },
                                                     { "unknown", NVML_DEVICE_ARCH_UNKNOWN },
                                                     { NULL, 0 } };
static const nvpsim_choice choice_compute_mode[] = { { "default", NVML_COMPUTEMODE_DEFAULT },
                                                     { "exclusive_thread", NVML_COMPUTEMODE_EXCLUSIVE_THREAD },
                                                     { "prohibited", NVML_COMPUTEMODE_PROHIBITED },
                                                     { "exclusive_process", NVML_COMPUTEMODE_EXCLUSIVE_PROCESS },
                                                     { NULL, 0 } };
static const nvpsim_choice choice_fabric_state[] = { { "not_supported", NVML_GPU_FABRIC_STATE_NOT_SUPPORTED },
                                                     { "not_started", NVML_GPU_FABRIC_STATE_NOT_STARTED },
                                                     { "in_progress", NVML_GPU_FABRIC_STATE_IN_PROGRESS },
                                                     { "completed", NVML_GPU_FABRIC_STATE_COMPLETED },
                                                     { "auto", NVML_GPU_FABRIC_STATE_COMPLETED },
                                                     { NULL, 0 } };
static const nvpsim_choice choice_operation_mode[] = {
    { "all_on", NVML_GOM_ALL_ON }, { "compute", NVML_GOM_COMPUTE }, { "low_dp", NVML_GOM_LOW_DP }, { NULL, 0 }
};
static const nvpsim_choice choice_pstate[] = { { "P0", 0 },   { "P1", 1 },   { "P2", 2 },   { "P3", 3 },   { "P4", 4 },
                                               { "P5", 5 },   { "P6", 6 },   { "P7", 7 },   { "P8", 8 },   { "P9", 9 },
                                               { "P10", 10 }, { "P11", 11 }, { "P12", 12 }, { "P13", 13 }, { "P14", 14 },
                                               { "P15", 15 }, { NULL, 0 } };
static const nvpsim_choice choice_power_source[] = { { "ac", NVML_POWER_SOURCE_AC },
                                                     { "battery", NVML_POWER_SOURCE_BATTERY },
                                                     { NULL, 0 } };
static const nvpsim_choice choice_addressing[] = {
    { "none", NVPSIM_ADDRESSING_NONE }, { "hmm", NVPSIM_ADDRESSING_HMM }, { "ats", NVPSIM_ADDRESSING_ATS }, { NULL, 0 }
};
static const nvpsim_choice choice_driver_model[] = {
    { "WDDM", NVML_DRIVER_WDDM }, { "TCC", NVML_DRIVER_WDM }, { "MCDM", NVML_DRIVER_MCDM }, { NULL, 0 }
};
static const nvpsim_choice choice_event_type[] = { { "xid", nvmlEventTypeXidCriticalError },
                                                   { "single_bit_ecc", nvmlEventTypeSingleBitEccError },
                                                   { "double_bit_ecc", nvmlEventTypeDoubleBitEccError },
                                                   { "pstate", nvmlEventTypePState },
                                                   { "clock", nvmlEventTypeClock },
                                                   { "power_source", nvmlEventTypePowerSourceChange },
                                                   { "mig_config", nvmlEventMigConfigChange },
                                                   { NULL, 0 } };
static const nvpsim_choice choice_host_vgpu_mode[] = { { "non_sriov", NVML_HOST_VGPU_MODE_NON_SRIOV },
                                                       { "sriov", NVML_HOST_VGPU_MODE_SRIOV },
                                                       { NULL, 0 } };
static const nvpsim_choice choice_license_state[] = { { "licensed", 1 }, { "unlicensed", 0 }, { NULL, 0 } };
static const nvpsim_choice choice_peer_type[] = { { "direct_connected", 0 }, { "switch_connected", 1 }, { NULL, 0 } };
static const nvpsim_choice choice_topology_level[] = { { "internal", NVML_TOPOLOGY_INTERNAL },
                                                       { "single", NVML_TOPOLOGY_SINGLE },
                                                       { "multiple", NVML_TOPOLOGY_MULTIPLE },
                                                       { "hostbridge", NVML_TOPOLOGY_HOSTBRIDGE },
                                                       { "node", NVML_TOPOLOGY_NODE },
                                                       { "system", NVML_TOPOLOGY_SYSTEM },
                                                       { NULL, 0 } };
static const nvpsim_choice choice_virtualization[] = {
    { "none", NVML_GPU_VIRTUALIZATION_MODE_NONE },           { "passthrough", NVML_GPU_VIRTUALIZATION_MODE_PASSTHROUGH },
    { "vgpu", NVML_GPU_VIRTUALIZATION_MODE_VGPU },           { "host_vgpu", NVML_GPU_VIRTUALIZATION_MODE_HOST_VGPU },
    { "host_vsga", NVML_GPU_VIRTUALIZATION_MODE_HOST_VSGA }, { NULL, 0 }
};

/* Each file of keys is expanded with TARGET set to the struct that its members belong to. */
#define TEXT(path, member, most, help) { #path, NVPSIM_KEY_TEXT, offsetof(TARGET, member), 0, most, "", NULL, NULL },
#define NUMBER(path, member, low, high, unit, help)                                                                              \
    { #path, NVPSIM_KEY_NUMBER, offsetof(TARGET, member), low, high, unit, NULL, NULL },
#define CHOICE(path, member, choices, help)                                                                                      \
    { #path, NVPSIM_KEY_CHOICE, offsetof(TARGET, member), 0, 0, "", choice_##choices, NULL },
#define MOVEMENT(path, member, low, high, unit, help)                                                                            \
    { #path, NVPSIM_KEY_MOVEMENT, offsetof(TARGET, member), low, high, unit, NULL, NULL },
#define CUSTOM(path, reader, help) { #path, NVPSIM_KEY_CUSTOM, 0, 0, 0, "", NULL, nvpsim__read_##reader },
#define UNUSED(path) { #path, NVPSIM_KEY_UNUSED, 0, 0, 0, "", NULL, NULL },

#define TARGET nvpsim_scenario
static const nvpsim_key top_rows[] = {
#include "scenario/keys/top.def"
};
#undef TARGET
#define TARGET nvpsim_device_spec
static const nvpsim_key device_rows[] = {
#include "scenario/keys/device.def"
};
#undef TARGET
#define TARGET nvpsim_process_spec
static const nvpsim_key process_rows[] = {
#include "scenario/keys/process.def"
};
#undef TARGET
#define TARGET nvpsim_fault_spec
static const nvpsim_key fault_rows[] = {
#include "scenario/keys/fault.def"
};
#undef TARGET
#define TARGET nvpsim_movement_form
static const nvpsim_key movement_rows[] = {
#include "scenario/keys/movement.def"
};
#undef TARGET
#define TARGET nvpsim_event_spec
static const nvpsim_key event_rows[] = {
#include "scenario/keys/event.def"
};
#undef TARGET
#define TARGET nvpsim_mig_profile_spec
static const nvpsim_key mig_profile_rows[] = {
#include "scenario/keys/mig_profile.def"
};
#undef TARGET
#define TARGET nvpsim_mig_device_spec
static const nvpsim_key mig_device_rows[] = {
#include "scenario/keys/mig_device.def"
};
#undef TARGET

#define ROWS(rows, allowed)                                                                                                      \
    {                                                                                                                            \
        rows, sizeof rows / sizeof rows[0], allowed                                                                              \
    }
const nvpsim_keys nvpsim__keys_top = ROWS(top_rows, false);
const nvpsim_keys nvpsim__keys_device = ROWS(device_rows, true);
const nvpsim_keys nvpsim__keys_process = ROWS(process_rows, false);
const nvpsim_keys nvpsim__keys_fault = ROWS(fault_rows, false);
const nvpsim_keys nvpsim__keys_event = ROWS(event_rows, false);
const nvpsim_keys nvpsim__keys_movement = ROWS(movement_rows, false);
const nvpsim_keys nvpsim__keys_mig_profile = ROWS(mig_profile_rows, false);
const nvpsim_keys nvpsim__keys_mig_device = ROWS(mig_device_rows, false);
