/*
 * The adapters: each has the signature of the function that it stands for, with the layout that this function really has, and calls
 * another function of the library in its place. They run inside the in-flight guard, check arguments as the real function would,
 * and leave the caller's memory untouched when they fail. `watched` ones call the function itself.
 */
#ifndef NVP_COMPAT_ADAPTERS_H
#define NVP_COMPAT_ADAPTERS_H

#undef NVPULSE_NVML_TYPES_ONLY
#include <nvpulse/nvml.h>

/** accounting.c */
nvmlReturn_t nvp__compat_accounting_v1_from_v2(nvmlDevice_t device, unsigned int pid, nvmlAccountingStats_t *stats);
nvmlReturn_t nvp__compat_accounting_v2_from_v1(nvmlDevice_t device, nvmlAccountingStats_v2_t *stats);

/** affinity.c */
nvmlReturn_t nvp__compat_cpu_affinity_340(nvmlDevice_t device, unsigned int size, unsigned long *set);
nvmlReturn_t nvp__compat_cpu_affinity_from_scope(nvmlDevice_t device, unsigned int size, unsigned long *set);
nvmlReturn_t nvp__compat_cpu_affinity_scope_from_plain(nvmlDevice_t device, unsigned int size, unsigned long *set,
                                                       nvmlAffinityScope_t scope);

/** errors.c */
nvmlReturn_t nvp__compat_retired_v1_from_v2(nvmlDevice_t device, nvmlPageRetirementCause_t cause, unsigned int *count,
                                            unsigned long long *addresses);
nvmlReturn_t nvp__compat_retired_v2_from_v1(nvmlDevice_t device, nvmlPageRetirementCause_t cause, unsigned int *count,
                                            unsigned long long *addresses, unsigned long long *timestamps_us);
nvmlReturn_t nvp__compat_ecc_detail_from_counter(nvmlDevice_t device, nvmlMemoryErrorType_t error, nvmlEccCounterType_t counter,
                                                 nvmlEccErrorCounts_t *counts);
nvmlReturn_t nvp__compat_ecc_counter_from_detail(nvmlDevice_t device, nvmlMemoryErrorType_t error, nvmlEccCounterType_t counter,
                                                 nvmlMemoryLocation_t location, unsigned long long *count);

/** events.c */
nvmlReturn_t nvp__compat_event_v1_from_v2(nvmlEventSet_t set, nvp_EventData_v1_t *data, unsigned int timeout_ms);
nvmlReturn_t nvp__compat_event_v2_from_v1(nvmlEventSet_t set, nvmlEventData_t *data, unsigned int timeout_ms);

/** fabric.c: the struct is of version 2 or 3, by its word */
nvmlReturn_t nvp__compat_fabric_from_v(nvmlDevice_t device, nvmlGpuFabricInfo_t *info);
nvmlReturn_t nvp__compat_fabric_v_from_plain(nvmlDevice_t device, nvmlGpuFabricInfo_v3_t *info);
nvmlReturn_t nvp__compat_fabric_v_watched(nvmlDevice_t device, nvmlGpuFabricInfo_v3_t *info);

/** fields.c */
nvmlReturn_t nvp__compat_clear_fields_199(nvmlDevice_t device, int count, nvmlFieldValue_t *values);
nvmlReturn_t nvp__compat_clear_fields_251(nvmlDevice_t device, int count, nvmlFieldValue_t *values);
nvmlReturn_t nvp__compat_get_fields_199(nvmlDevice_t device, int count, nvmlFieldValue_t *values);
nvmlReturn_t nvp__compat_get_fields_251(nvmlDevice_t device, int count, nvmlFieldValue_t *values);

/** gpm.c */
nvmlReturn_t nvp__compat_gpm_metrics(nvmlGpmMetricsGet_t *request);

/** identity.c */
nvmlReturn_t nvp__compat_uuid_struct_from_text(const nvmlUUID_v1_t *uuid, nvmlDevice_t *device);
nvmlReturn_t nvp__compat_uuid_text_from_struct(const char *uuid, nvmlDevice_t *device);

/** licences.c: `features` has the layout of the version that is wanted */
nvmlReturn_t nvp__compat_grid_v1_from_v2(nvmlDevice_t device, void *features);
nvmlReturn_t nvp__compat_grid_v1_from_v3(nvmlDevice_t device, void *features);
nvmlReturn_t nvp__compat_grid_v1_from_v4(nvmlDevice_t device, void *features);
nvmlReturn_t nvp__compat_grid_v2_from_v1(nvmlDevice_t device, void *features);
nvmlReturn_t nvp__compat_grid_v2_from_v3(nvmlDevice_t device, void *features);
nvmlReturn_t nvp__compat_grid_v2_from_v4(nvmlDevice_t device, void *features);
nvmlReturn_t nvp__compat_grid_v3_from_v1(nvmlDevice_t device, void *features);
nvmlReturn_t nvp__compat_grid_v3_from_v2(nvmlDevice_t device, void *features);
nvmlReturn_t nvp__compat_grid_v3_from_v4(nvmlDevice_t device, void *features);
nvmlReturn_t nvp__compat_grid_v4_from_v1(nvmlDevice_t device, void *features);
nvmlReturn_t nvp__compat_grid_v4_from_v2(nvmlDevice_t device, void *features);
nvmlReturn_t nvp__compat_grid_v4_from_v3(nvmlDevice_t device, void *features);
nvmlReturn_t nvp__compat_licence_status_from_v1(nvmlVgpuInstance_t instance, unsigned int *licensed);
nvmlReturn_t nvp__compat_licence_status_from_v2(nvmlVgpuInstance_t instance, unsigned int *licensed);
nvmlReturn_t nvp__compat_licence_v1_from_status(nvmlVgpuInstance_t instance, nvp_VgpuLicenseInfo_v1_t *info);
nvmlReturn_t nvp__compat_licence_v1_from_v2(nvmlVgpuInstance_t instance, nvp_VgpuLicenseInfo_v1_t *info);
nvmlReturn_t nvp__compat_licence_v2_from_status(nvmlVgpuInstance_t instance, nvmlVgpuLicenseInfo_t *info);
nvmlReturn_t nvp__compat_licence_v2_from_v1(nvmlVgpuInstance_t instance, nvmlVgpuLicenseInfo_t *info);

/** memory.c */
nvmlReturn_t nvp__compat_memory_v1_from_v2(nvmlDevice_t device, nvmlMemory_t *memory);
nvmlReturn_t nvp__compat_memory_v2_from_v1(nvmlDevice_t device, nvmlMemory_v2_t *memory);

/** mig.c */
nvmlReturn_t nvp__compat_attributes_v1_from_v2(nvmlDevice_t device, nvp_DeviceAttributes_v1_t *attributes);
nvmlReturn_t nvp__compat_attributes_v2_from_v1(nvmlDevice_t device, nvmlDeviceAttributes_t *attributes);
nvmlReturn_t nvp__compat_placements_v1_from_v2(nvmlDevice_t device, unsigned int profile_id,
                                               nvmlGpuInstancePlacement_t *placements, unsigned int *count);
nvmlReturn_t nvp__compat_placements_v2_from_v1(nvmlDevice_t device, unsigned int profile_id,
                                               nvmlGpuInstancePlacement_t *placements, unsigned int *count);
nvmlReturn_t nvp__compat_ci_info_v1_from_v2(nvmlComputeInstance_t instance, nvp_ComputeInstanceInfo_v1_t *info);
nvmlReturn_t nvp__compat_ci_info_v2_from_v1(nvmlComputeInstance_t instance, nvmlComputeInstanceInfo_t *info);

/** pci.c */
nvmlReturn_t nvp__compat_pci_v1_from_v2(nvmlDevice_t device, nvp_PciInfo_v1_t *pci);
nvmlReturn_t nvp__compat_pci_v1_from_v3(nvmlDevice_t device, nvp_PciInfo_v1_t *pci);
nvmlReturn_t nvp__compat_pci_v1_from_ext(nvmlDevice_t device, nvp_PciInfo_v1_t *pci);
nvmlReturn_t nvp__compat_pci_v2_from_v1(nvmlDevice_t device, nvp_PciInfo_v2_t *pci);
nvmlReturn_t nvp__compat_pci_v2_from_v3(nvmlDevice_t device, nvp_PciInfo_v2_t *pci);
nvmlReturn_t nvp__compat_pci_v2_from_ext(nvmlDevice_t device, nvp_PciInfo_v2_t *pci);
nvmlReturn_t nvp__compat_pci_v3_from_v1(nvmlDevice_t device, nvmlPciInfo_t *pci);
nvmlReturn_t nvp__compat_pci_v3_from_v2(nvmlDevice_t device, nvmlPciInfo_t *pci);
nvmlReturn_t nvp__compat_pci_v3_from_ext(nvmlDevice_t device, nvmlPciInfo_t *pci);
nvmlReturn_t nvp__compat_pci_ext_from_v1(nvmlDevice_t device, nvmlPciInfoExt_v1_t *pci);
nvmlReturn_t nvp__compat_pci_ext_from_v2(nvmlDevice_t device, nvmlPciInfoExt_v1_t *pci);
nvmlReturn_t nvp__compat_pci_ext_from_v3(nvmlDevice_t device, nvmlPciInfoExt_v1_t *pci);
nvmlReturn_t nvp__compat_remote_pci_v1_from_v2(nvmlDevice_t device, unsigned int link, nvp_PciInfo_v2_t *pci);
nvmlReturn_t nvp__compat_remote_pci_v2_from_v1(nvmlDevice_t device, unsigned int link, nvmlPciInfo_t *pci);

/** power.c */
nvmlReturn_t nvp__compat_power_limit_v1_from_v2(nvmlDevice_t device, unsigned int limit_mw);
nvmlReturn_t nvp__compat_power_limit_v2_from_v1(nvmlDevice_t device, nvmlPowerValue_v2_t *value);
nvmlReturn_t nvp__compat_profiles_set_from_update(nvmlDevice_t device, nvmlWorkloadPowerProfileRequestedProfiles_v1_t *profiles);
nvmlReturn_t nvp__compat_profiles_clear_from_update(nvmlDevice_t device,
                                                    nvmlWorkloadPowerProfileRequestedProfiles_v1_t *profiles);
nvmlReturn_t nvp__compat_profiles_update_from_both(nvmlDevice_t device, nvmlWorkloadPowerProfileUpdateProfiles_v1_t *update);

/** processes.c: `infos` has the layout of the version that is wanted */
#define NVP__LIST_ADAPTER(name) nvmlReturn_t nvp__compat_##name(nvmlDevice_t device, unsigned int *count, void *infos);
#define NVP__LIST_ADAPTERS(kind)                                                                                                 \
    NVP__LIST_ADAPTER(kind##_v1_from_v2)                                                                                         \
    NVP__LIST_ADAPTER(kind##_v1_from_v3)                                                                                         \
    NVP__LIST_ADAPTER(kind##_v1_from_details)                                                                                    \
    NVP__LIST_ADAPTER(kind##_v2_watched)                                                                                         \
    NVP__LIST_ADAPTER(kind##_v2_from_v3)                                                                                         \
    NVP__LIST_ADAPTER(kind##_v2_from_details)                                                                                    \
    NVP__LIST_ADAPTER(kind##_v2_from_v1)                                                                                         \
    NVP__LIST_ADAPTER(kind##_v3_watched)                                                                                         \
    NVP__LIST_ADAPTER(kind##_v3_from_v2)                                                                                         \
    NVP__LIST_ADAPTER(kind##_v3_from_details)                                                                                    \
    NVP__LIST_ADAPTER(kind##_v3_from_v1)
NVP__LIST_ADAPTERS(compute)
NVP__LIST_ADAPTERS(graphics)
NVP__LIST_ADAPTERS(mps)
nvmlReturn_t nvp__compat_details_from_lists(nvmlDevice_t device, nvmlProcessDetailList_v1_t *details);

/** profiles.c: `info` is of version 2 or 3, by its word */
nvmlReturn_t nvp__compat_gi_profile_from_v(nvmlDevice_t device, unsigned int profile, nvmlGpuInstanceProfileInfo_t *info);
nvmlReturn_t nvp__compat_gi_profile_v_from_plain(nvmlDevice_t device, unsigned int profile, void *info);
nvmlReturn_t nvp__compat_gi_profile_v_watched(nvmlDevice_t device, unsigned int profile, void *info);
nvmlReturn_t nvp__compat_gi_profile_by_id(nvmlDevice_t device, unsigned int profile_id, void *info);
nvmlReturn_t nvp__compat_ci_profile_from_v(nvmlGpuInstance_t instance, unsigned int profile, unsigned int engine,
                                           nvmlComputeInstanceProfileInfo_t *info);
nvmlReturn_t nvp__compat_ci_profile_v_from_plain(nvmlGpuInstance_t instance, unsigned int profile, unsigned int engine,
                                                 void *info);
nvmlReturn_t nvp__compat_ci_profile_v_watched(nvmlGpuInstance_t instance, unsigned int profile, unsigned int engine, void *info);

/** thermal.c */
nvmlReturn_t nvp__compat_temperature_from_v(nvmlDevice_t device, nvmlTemperatureSensors_t sensor, unsigned int *celsius);
nvmlReturn_t nvp__compat_temperature_v_from_plain(nvmlDevice_t device, nvmlTemperature_v1_t *temperature);
nvmlReturn_t nvp__compat_fan_speed_v1_from_v2(nvmlDevice_t device, unsigned int *percent);
nvmlReturn_t nvp__compat_fan_speed_v2_from_v1(nvmlDevice_t device, unsigned int fan, unsigned int *percent);

/** utilization.c */
nvmlReturn_t nvp__compat_process_use_info_from_v1(nvmlDevice_t device, nvmlProcessesUtilizationInfo_v1_t *info);
nvmlReturn_t nvp__compat_process_use_v1_from_info(nvmlDevice_t device, nvmlProcessUtilizationSample_t *samples,
                                                  unsigned int *count, unsigned long long since_us);
nvmlReturn_t nvp__compat_vgpu_process_use_info_from_v1(nvmlDevice_t device, nvmlVgpuProcessesUtilizationInfo_v1_t *info);
nvmlReturn_t nvp__compat_vgpu_process_use_v1_from_info(nvmlDevice_t device, unsigned long long since_us, unsigned int *count,
                                                       nvmlVgpuProcessUtilizationSample_t *samples);
nvmlReturn_t nvp__compat_vgpu_use_info_from_v1(nvmlDevice_t device, nvmlVgpuInstancesUtilizationInfo_v1_t *info);
nvmlReturn_t nvp__compat_vgpu_use_v1_from_info(nvmlDevice_t device, unsigned long long since_us, nvmlValueType_t *type,
                                               unsigned int *count, nvmlVgpuInstanceUtilizationSample_t *samples);

/** vgpu.c: `list` is of version 1 or 2, by its word */
nvmlReturn_t nvp__compat_active_vgpus_of_instance(nvmlGpuInstance_t instance, nvmlActiveVgpuInstanceInfo_v1_t *info);
nvmlReturn_t nvp__compat_supported_placements_watched(nvmlDevice_t device, nvmlVgpuTypeId_t type,
                                                      nvmlVgpuPlacementList_v2_t *list);
nvmlReturn_t nvp__compat_creatable_placements_watched(nvmlDevice_t device, nvmlVgpuTypeId_t type,
                                                      nvmlVgpuPlacementList_v2_t *list);

#endif
