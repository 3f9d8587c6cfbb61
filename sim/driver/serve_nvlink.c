/*
 * Answers about NVLink and the fabric.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "driver/serve.h"

/* Which links a driver counts grew over time; it sees no more of a device's. */
unsigned nvpsim__nvlinks(const nvpsim_device *device)
{
    unsigned known = nvpsim__driver_known[NVPSIM_KNOWN_NVLINKS];
    return device->nvlinks < known ? device->nvlinks : known;
}

static nvmlReturn_t link_check(const nvpsim_device *device, unsigned int link, const void *out)
{
    if (!out || link >= nvpsim__driver_known[NVPSIM_KNOWN_NVLINKS])
        return NVML_ERROR_INVALID_ARGUMENT;
    return device->nvlinks > 0 ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

/* As link_check, and the link is active. */
static nvmlReturn_t active_check(const nvpsim_device *device, unsigned int link, const void *out)
{
    nvmlReturn_t result = link_check(device, link, out);
    return result == NVML_SUCCESS && link >= nvpsim__nvlinks(device) ? NVML_ERROR_NOT_SUPPORTED : result;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetNvLinkState(nvmlDevice_t device, unsigned int link, nvmlEnableState_t *isActive)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    nvmlReturn_t result = link_check(own, link, isActive);
    if (result == NVML_SUCCESS)
        *isActive = link < nvpsim__nvlinks(own) ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED;
    return result;
}

unsigned nvpsim__nvlink_version(void)
{
    static const unsigned numbers[] = { NVML_NVLINK_VERSION_INVALID, NVML_NVLINK_VERSION_1_0, NVML_NVLINK_VERSION_2_0,
                                        NVML_NVLINK_VERSION_3_0,     NVML_NVLINK_VERSION_4_0, NVML_NVLINK_VERSION_5_0,
                                        NVML_NVLINK_VERSION_6_0 };
    uint64_t version = nvpsim__world->scenario->nvlink_version.value;
    return version < sizeof numbers / sizeof numbers[0] ? numbers[version] : NVML_NVLINK_VERSION_INVALID;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetNvLinkVersion(nvmlDevice_t device, unsigned int link, unsigned int *version)
{
    nvmlReturn_t result = active_check(nvpsim__device_of(device), link, version);
    if (result == NVML_SUCCESS)
        *version = nvpsim__nvlink_version();
    return result;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetNvLinkCapability(nvmlDevice_t device, unsigned int link,
                                                         nvmlNvLinkCapability_t capability, unsigned int *capResult)
{
    nvmlReturn_t result = active_check(nvpsim__device_of(device), link, capResult);
    if (result != NVML_SUCCESS)
        return result;
    if ((unsigned)capability >= NVML_NVLINK_CAP_COUNT)
        return NVML_ERROR_INVALID_ARGUMENT;
    *capResult = capability != NVML_NVLINK_CAP_SLI_BRIDGE;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetNvLinkErrorCounter(nvmlDevice_t device, unsigned int link,
                                                           nvmlNvLinkErrorCounter_t counter, unsigned long long *counterValue)
{
    nvmlReturn_t result = active_check(nvpsim__device_of(device), link, counterValue);
    if (result != NVML_SUCCESS)
        return result;
    if ((unsigned)counter >= nvpsim__driver_known[NVPSIM_KNOWN_NVLINK_ERRORS])
        return NVML_ERROR_INVALID_ARGUMENT;
    *counterValue = 0;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceResetNvLinkErrorCounters(nvmlDevice_t device, unsigned int link)
{
    nvmlReturn_t result = active_check(nvpsim__device_of(device), link, device);
    return result == NVML_SUCCESS ? nvpsim__may_change() : result;
}

/* Links fan out over the switches; without any, over the other devices. NULL for a switch. */
static const nvpsim_device *peer_of(const nvpsim_device *device, unsigned link)
{
    unsigned count = nvpsim__world->device_count;
    if (nvpsim__world->scenario->switch_count > 0 || count < 2)
        return NULL;
    return &nvpsim__world->devices[(device->index + 1 + link % (count - 1)) % count];
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetNvLinkRemoteDeviceType(nvmlDevice_t device, unsigned int link,
                                                               nvmlIntNvLinkDeviceType_t *pNvLinkDeviceType)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    nvmlReturn_t result = active_check(own, link, pNvLinkDeviceType);
    if (result != NVML_SUCCESS)
        return result;
    if (nvpsim__world->scenario->switch_count > 0)
        *pNvLinkDeviceType = NVML_NVLINK_DEVICE_TYPE_SWITCH;
    else
        *pNvLinkDeviceType = peer_of(own, link) ? NVML_NVLINK_DEVICE_TYPE_GPU : NVML_NVLINK_DEVICE_TYPE_UNKNOWN;
    return NVML_SUCCESS;
}

static bool remote_bus(const nvpsim_device *device, unsigned link, nvpsim_bus_id *bus)
{
    const nvpsim_scenario *scenario = nvpsim__world->scenario;
    if (scenario->switch_count > 0)
        return nvpsim__bus_id_parse(scenario->switches[link % scenario->switch_count].bus_id.bytes, bus);
    const nvpsim_device *peer = peer_of(device, link);
    if (peer)
        *bus = peer->bus;
    return peer != NULL;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetNvLinkRemotePciInfo_v2(nvmlDevice_t device, unsigned int link, nvmlPciInfo_t *pci)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    nvpsim_bus_id bus;
    nvmlReturn_t result = active_check(own, link, pci);
    if (result != NVML_SUCCESS)
        return result;
    if (!remote_bus(own, link, &bus))
        return NVML_ERROR_NOT_SUPPORTED;
    nvmlPciInfo_t info = { .domain = bus.domain, .bus = bus.bus, .device = bus.device };
    const nvpsim_device *peer = peer_of(own, link);
    if (peer && peer->spec->pci_device_id.state == NVPSIM_GIVEN)
        info.pciDeviceId = (unsigned)peer->spec->pci_device_id.value;
    snprintf(info.busIdLegacy, sizeof info.busIdLegacy, "%04X:%02X:%02X.%X", bus.domain & 0xffffu, bus.bus & 0xffu,
             bus.device & 0x1fu, bus.function & 7u);
    snprintf(info.busId, sizeof info.busId, "%08X:%02X:%02X.%X", bus.domain, bus.bus, bus.device, bus.function);
    *pci = info;
    return NVML_SUCCESS;
}

/* The first form is 52 bytes long: no more may be written. */
nvmlReturn_t nvpsim__serve_nvmlDeviceGetNvLinkRemotePciInfo(nvmlDevice_t device, unsigned int link, nvmlPciInfo_t *pci)
{
    nvmlPciInfo_t info;
    nvmlReturn_t result = nvpsim__serve_nvmlDeviceGetNvLinkRemotePciInfo_v2(device, link, pci ? &info : NULL);
    if (result != NVML_SUCCESS)
        return result;
    nvp_PciInfo_v2_t old = { .domain = info.domain, .bus = info.bus, .device = info.device, .pciDeviceId = info.pciDeviceId };
    memcpy(old.busId, info.busIdLegacy, sizeof old.busId);
    memcpy(pci, &old, sizeof old);
    return NVML_SUCCESS;
}

static bool has_fabric(const nvpsim_device *device)
{
    return device->spec->fabric_cluster_uuid.state == NVPSIM_GIVEN;
}

/* Sixteen bytes from hexadecimal digits; other characters are passed over, what is missing is zero. */
static void uuid_bytes(const char *text, unsigned char *bytes)
{
    unsigned digits = 0;
    memset(bytes, 0, NVML_GPU_FABRIC_UUID_LEN);
    for (; *text && digits < 2 * NVML_GPU_FABRIC_UUID_LEN; text++) {
        if (!isxdigit((unsigned char)*text))
            continue;
        unsigned digit = *text <= '9' ? (unsigned)(*text - '0') : ((unsigned)*text | 0x20u) - 'a' + 10;
        bytes[digits / 2] = (unsigned char)((unsigned)bytes[digits / 2] << 4 | digit);
        digits++;
    }
}

static nvmlGpuFabricState_t fabric_state(const nvpsim_device *device)
{
    const nvpsim_number *state = &device->spec->fabric_state;
    return state->state == NVPSIM_GIVEN ? (nvmlGpuFabricState_t)state->value : NVML_GPU_FABRIC_STATE_COMPLETED;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetGpuFabricInfo(nvmlDevice_t device, nvmlGpuFabricInfo_t *gpuFabricInfo)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!gpuFabricInfo)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (!has_fabric(own))
        return NVML_ERROR_NOT_SUPPORTED;
    uuid_bytes(own->spec->fabric_cluster_uuid.bytes, gpuFabricInfo->clusterUuid);
    gpuFabricInfo->status = NVML_SUCCESS;
    gpuFabricInfo->cliqueId = (unsigned)own->spec->fabric_clique.value;
    gpuFabricInfo->state = fabric_state(own);
    return NVML_SUCCESS;
}

/* The second version ends before the summary: its size is what may be written. */
nvmlReturn_t nvpsim__serve_nvmlDeviceGetGpuFabricInfoV(nvmlDevice_t device, nvmlGpuFabricInfoV_t *gpuFabricInfo)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    unsigned version;
    if (!gpuFabricInfo)
        return NVML_ERROR_INVALID_ARGUMENT;
    memcpy(&version, gpuFabricInfo, sizeof version);
    bool is_third = version == nvmlGpuFabricInfo_v3 && nvpsim__driver_since(580, 65, 6);
    if (version != nvmlGpuFabricInfo_v2 && !is_third)
        return nvpsim__version_mismatch();
    if (!has_fabric(own))
        return NVML_ERROR_NOT_SUPPORTED;
    nvmlGpuFabricInfo_v3_t info;
    memset(&info, 0, sizeof info);
    info.version = version;
    uuid_bytes(own->spec->fabric_cluster_uuid.bytes, info.clusterUuid);
    info.status = NVML_SUCCESS;
    info.cliqueId = (unsigned)own->spec->fabric_clique.value;
    info.state = fabric_state(own);
    info.healthMask = NVML_GPU_FABRIC_HEALTH_MASK_DEGRADED_BW_FALSE << NVML_GPU_FABRIC_HEALTH_MASK_SHIFT_DEGRADED_BW;
    info.healthSummary = NVML_GPU_FABRIC_HEALTH_SUMMARY_HEALTHY;
    memcpy(gpuFabricInfo, &info, is_third ? sizeof info : sizeof(nvmlGpuFabricInfo_v2_t));
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetC2cModeInfoV(nvmlDevice_t device, nvmlC2cModeInfo_v1_t *c2cModeInfo)
{
    (void)device;
    if (!c2cModeInfo)
        return NVML_ERROR_INVALID_ARGUMENT;
    c2cModeInfo->isC2cEnabled = 0;
    return NVML_SUCCESS;
}
