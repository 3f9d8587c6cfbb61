/*
 * Agreement of calls that answer one struct or a few numbers.
 */
#include "agree.h"

#include <stdio.h>

#define OURS(name) #name, (any_fn *)nvp_##name

/* The older struct, written as the newer one, with the long bus id that its numbers make. */
static nvmlReturn_t call_pci_v2(any_fn *function, const struct subject *subject, void *object)
{
    nvp_PciInfo_v2_t older = { .domain = 0 };
    nvmlPciInfo_t *newer = object;
    nvmlReturn_t status = call_plain(function, subject, &older);
    memcpy(newer->busIdLegacy, older.busId, sizeof(older.busId));
    snprintf(newer->busId, sizeof(newer->busId), "%08X:%02X:%02X.0", older.domain, older.bus & 0xff, older.device & 0xff);
    newer->domain = older.domain;
    newer->bus = older.bus;
    newer->device = older.device;
    newer->pciDeviceId = older.pciDeviceId;
    newer->pciSubSystemId = older.pciSubSystemId;
    return status;
}

static nvmlReturn_t call_two_numbers(any_fn *function, const struct subject *subject, void *object)
{
    unsigned int *numbers = object;
    return ((nvmlReturn_t(*)(nvmlDevice_t, unsigned int *, unsigned int *))function)(subject->device, &numbers[0], &numbers[1]);
}

static nvmlReturn_t call_temperature(any_fn *function, const struct subject *subject, void *object)
{
    nvmlTemperature_v1_t *answer = object;
    unsigned int celsius = 0;
    nvmlReturn_t status = ((nvmlReturn_t(*)(nvmlDevice_t, nvmlTemperatureSensors_t, unsigned int *))function)(
        subject->device, NVML_TEMPERATURE_GPU, &celsius);
    answer->temperature = (int)celsius;
    return status;
}

/* Processes have numbers beyond those of the system. */
static unsigned int pid_of(const struct subject *subject)
{
    return 4200000 + subject->number;
}

static nvmlReturn_t call_accounting_v1(any_fn *function, const struct subject *subject, void *object)
{
    return ((nvmlReturn_t(*)(nvmlDevice_t, unsigned int, void *))function)(subject->device, pid_of(subject), object);
}

static nvmlReturn_t call_accounting_v2(any_fn *function, const struct subject *subject, void *object)
{
    ((nvmlAccountingStats_v2_t *)object)->pid = pid_of(subject);
    return call_plain(function, subject, object);
}

static size_t arguments_accounting_v2(const struct subject *subject, nvp_arg *arguments)
{
    static nvmlAccountingStats_v2_t stats;
    stats = (nvmlAccountingStats_v2_t){ .pid = pid_of(subject) };
    arguments[0] = nvp_arg_handle(subject->device);
    arguments[1] = nvp_arg_data(&stats, sizeof(stats));
    return 2;
}

/* The driver's function for a fan speed without a number tells that of the first fan. */
static nvmlReturn_t call_fan(any_fn *function, const struct subject *subject, void *object)
{
    nvmlReturn_t status = call_plain(function, subject, object);
    return status == NVML_SUCCESS && subject->number > 0 ? NVML_ERROR_NOT_SUPPORTED : status;
}

/* Of a GPU instance that the device has. */
static nvmlReturn_t call_compute_profile(any_fn *function, const struct subject *subject, void *object)
{
    return ((nvmlReturn_t(*)(nvmlGpuInstance_t, unsigned int, unsigned int, void *))function)(instance_on(subject->device),
                                                                                              subject->number, 0, object);
}

static size_t arguments_compute_profile(const struct subject *subject, nvp_arg *arguments)
{
    arguments[0] = nvp_arg_handle(instance_on(subject->device));
    arguments[1] = nvp_arg_uint(subject->number);
    arguments[2] = nvp_arg_uint(0);
    return 3;
}

static size_t arguments_instance(const struct subject *subject, nvp_arg *arguments)
{
    arguments[0] = nvp_arg_uint(subject->number);
    return 1;
}

#define LICENCE_LOST " licenseExpiry "
#define ON_ALL .answered_on = "h100x8"

const struct agreement struct_agreements[] = {
    { OURS(nvmlDeviceGetPciInfo_v3), .type = "nvmlPciInfo_t", .call = call_plain, ON_ALL,
      .sources = { { "nvmlDeviceGetPciInfo_v2", NULL, 0, call_pci_v2 } } },
    { OURS(nvmlDeviceGetPciInfoExt), .type = "nvmlPciInfoExt_v1_t", .word = nvmlPciInfoExt_v1, .call = call_plain, ON_ALL,
      .sources = { { "nvmlDeviceGetPciInfo_v3", "nvmlPciInfo_t", 0, call_plain },
                   { "nvmlDeviceGetPciInfo_v2", "nvmlPciInfo_t", 0, call_pci_v2 } } },
    { OURS(nvmlDeviceGetMemoryInfo_v2), .type = "nvmlMemory_v2_t", .word = nvmlMemory_v2, .call = call_plain, ON_ALL,
      .sources = { { "nvmlDeviceGetMemoryInfo", "nvmlMemory_t", 0, call_plain } } },
    { OURS(nvmlDeviceGetTemperatureV), .type = "nvmlTemperature_v1_t", .word = nvmlTemperature_v1, .call = call_plain, ON_ALL,
      .sources = { { "nvmlDeviceGetTemperature", NULL, 0, call_temperature } } },
    { OURS(nvmlDeviceGetFanSpeed_v2), .numbers = 1, .width = 4, .call = call_numbered, .arguments = arguments_numbered, .last = 2,
      .answered_on = "rtx4090x2", .sources = { { "nvmlDeviceGetFanSpeed", NULL, 0, call_fan } } },
    { OURS(nvmlDeviceGetAccountingStats_v2), .type = "nvmlAccountingStats_v2_t", .call = call_accounting_v2,
      .arguments = arguments_accounting_v2, .last = 9, .made = " pid ", ON_ALL,
      .sources = { { "nvmlDeviceGetAccountingStats", "nvmlAccountingStats_t", 0, call_accounting_v1 } } },
    { OURS(nvmlDeviceGetGpuFabricInfoV), .type = "nvmlGpuFabricInfo_v3_t", .word = nvmlGpuFabricInfo_v3, .call = call_plain,
      .made = " healthMask healthSummary ", ON_ALL,
      .sources = { { "nvmlDeviceGetGpuFabricInfo", "nvmlGpuFabricInfo_t", 0, call_plain } } },
    { OURS(nvmlDeviceGetGridLicensableFeatures_v2), .type = "nvp_GridLicensableFeatures_v3_t", .call = call_plain, ON_ALL,
      .sources = { { "nvmlDeviceGetGridLicensableFeatures", "nvp_GridLicensableFeatures_v2_t", 0, call_plain } } },
    { OURS(nvmlDeviceGetGridLicensableFeatures_v3), .type = "nvp_GridLicensableFeatures_v4_t", .call = call_plain, ON_ALL,
      .sources = { { "nvmlDeviceGetGridLicensableFeatures_v2", "nvp_GridLicensableFeatures_v3_t", 0, call_plain },
                   { "nvmlDeviceGetGridLicensableFeatures", "nvp_GridLicensableFeatures_v2_t", 0, call_plain } } },
    { OURS(nvmlDeviceGetGridLicensableFeatures_v4), .type = "nvmlGridLicensableFeatures_t", .call = call_plain, ON_ALL,
      .made = LICENCE_LOST,
      .sources = { { "nvmlDeviceGetGridLicensableFeatures_v3", "nvp_GridLicensableFeatures_v4_t", 0, call_plain },
                   { "nvmlDeviceGetGridLicensableFeatures_v2", "nvp_GridLicensableFeatures_v3_t", 0, call_plain },
                   { "nvmlDeviceGetGridLicensableFeatures", "nvp_GridLicensableFeatures_v2_t", 0, call_plain } } },
    { OURS(nvmlVgpuInstanceGetLicenseInfo), .type = "nvp_VgpuLicenseInfo_v1_t", .call = call_instance,
      .arguments = arguments_instance, .last = 3, .made = " licenseExpiry currentState ",
      .sources = { { "nvmlVgpuInstanceGetLicenseStatus", "nvp_VgpuLicenseInfo_v1_t", 0, call_instance } } },
    { OURS(nvmlVgpuInstanceGetLicenseInfo_v2), .type = "nvmlVgpuLicenseInfo_t", .call = call_instance,
      .arguments = arguments_instance, .last = 3, .made = " licenseExpiry currentState ",
      .sources = { { "nvmlVgpuInstanceGetLicenseStatus", "nvmlVgpuLicenseInfo_t", 0, call_instance } } },
    { OURS(nvmlDeviceGetGpuInstanceProfileInfoV), .type = "nvmlGpuInstanceProfileInfo_v2_t",
      .word = nvmlGpuInstanceProfileInfo_v2, .call = call_numbered, .arguments = arguments_numbered, .last = 14,
      .answered_on = "a100-mig",
      .sources = { { "nvmlDeviceGetGpuInstanceProfileInfo", "nvmlGpuInstanceProfileInfo_t", 0, call_numbered } } },
    { OURS(nvmlGpuInstanceGetComputeInstanceProfileInfoV), .type = "nvmlComputeInstanceProfileInfo_v2_t",
      .word = nvmlComputeInstanceProfileInfo_v2, .call = call_compute_profile, .arguments = arguments_compute_profile, .last = 9,
      .answered_on = "a100-mig",
      .sources = { { "nvmlGpuInstanceGetComputeInstanceProfileInfo", "nvmlComputeInstanceProfileInfo_t", 0,
                     call_compute_profile } } },
    { OURS(nvmlDeviceGetDriverModel_v2), .numbers = 2, .width = 4, .call = call_two_numbers, .answered_on = "wddm",
      .sources = { { "nvmlDeviceGetDriverModel", NULL, 0, call_two_numbers } } },
    { OURS(nvmlDeviceGetCurrentClocksEventReasons), .numbers = 1, .width = 8, .call = call_plain, ON_ALL,
      .sources = { { "nvmlDeviceGetCurrentClocksThrottleReasons", NULL, 0, call_plain } } },
    { OURS(nvmlDeviceGetSupportedClocksEventReasons), .numbers = 1, .width = 8, .call = call_plain, ON_ALL,
      .sources = { { "nvmlDeviceGetSupportedClocksThrottleReasons", NULL, 0, call_plain } } },
    { OURS(nvmlSystemGetCudaDriverVersion_v2), .numbers = 1, .width = 4, .call = call_system, .arguments = arguments_none, ON_ALL,
      .sources = { { "nvmlSystemGetCudaDriverVersion", NULL, 0, call_system } } },
    { OURS(nvmlGetExcludedDeviceCount), .numbers = 1, .width = 4, .call = call_system, .arguments = arguments_none, ON_ALL,
      .sources = { { "nvmlGetBlacklistDeviceCount", NULL, 0, call_system } } },
    { OURS(nvmlGetExcludedDeviceInfoByIndex), .type = "nvmlExcludedDeviceInfo_t", .call = call_instance,
      .arguments = arguments_instance, .last = 1,
      .sources = { { "nvmlGetBlacklistDeviceInfoByIndex", NULL, 0, call_instance } } },
    { NULL },
};
