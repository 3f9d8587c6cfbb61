/*
 * Answers about NVLink.
 */
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
    if (!out || link >= nvpsim__driver_known[NVPSIM_KNOWN_NVLINKS]) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
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
    if (result == NVML_SUCCESS) {
        *isActive = link < nvpsim__nvlinks(own) ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED;
    }
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
    if (result == NVML_SUCCESS) {
        *version = nvpsim__nvlink_version();
    }
    return result;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetNvLinkCapability(nvmlDevice_t device, unsigned int link,
                                                         nvmlNvLinkCapability_t capability, unsigned int *capResult)
{
    nvmlReturn_t result = active_check(nvpsim__device_of(device), link, capResult);
    if (result != NVML_SUCCESS) {
        return result;
    }
    if ((unsigned)capability >= NVML_NVLINK_CAP_COUNT) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    *capResult = capability != NVML_NVLINK_CAP_SLI_BRIDGE;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetNvLinkErrorCounter(nvmlDevice_t device, unsigned int link,
                                                           nvmlNvLinkErrorCounter_t counter, unsigned long long *counterValue)
{
    nvmlReturn_t result = active_check(nvpsim__device_of(device), link, counterValue);
    if (result != NVML_SUCCESS) {
        return result;
    }
    if ((unsigned)counter >= nvpsim__driver_known[NVPSIM_KNOWN_NVLINK_ERRORS]) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
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
    unsigned count = nvpsim__world_count(nvpsim__world);
    if (nvpsim__world->scenario->switch_count > 0 || count < 2) {
        return NULL;
    }
    return nvpsim__world_device(nvpsim__world, (device->index + 1 + link % (count - 1)) % count);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetNvLinkRemoteDeviceType(nvmlDevice_t device, unsigned int link,
                                                               nvmlIntNvLinkDeviceType_t *pNvLinkDeviceType)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    nvmlReturn_t result = active_check(own, link, pNvLinkDeviceType);
    if (result != NVML_SUCCESS) {
        return result;
    }
    if (nvpsim__world->scenario->switch_count > 0) {
        *pNvLinkDeviceType = NVML_NVLINK_DEVICE_TYPE_SWITCH;
    } else {
        *pNvLinkDeviceType = peer_of(own, link) ? NVML_NVLINK_DEVICE_TYPE_GPU : NVML_NVLINK_DEVICE_TYPE_UNKNOWN;
    }
    return NVML_SUCCESS;
}

static bool remote_bus(const nvpsim_device *device, unsigned link, nvpsim_bus_id *bus)
{
    const nvpsim_scenario *scenario = nvpsim__world->scenario;
    if (scenario->switch_count > 0) {
        return nvpsim__bus_id_parse(scenario->switches[link % scenario->switch_count].bus_id.bytes, bus);
    }
    const nvpsim_device *peer = peer_of(device, link);
    if (peer) {
        *bus = peer->bus;
    }
    return peer != NULL;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetNvLinkRemotePciInfo_v2(nvmlDevice_t device, unsigned int link, nvmlPciInfo_t *pci)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    nvpsim_bus_id bus;
    nvmlReturn_t result = active_check(own, link, pci);
    if (result != NVML_SUCCESS) {
        return result;
    }
    if (!remote_bus(own, link, &bus)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    nvmlPciInfo_t info = { .domain = bus.domain, .bus = bus.bus, .device = bus.device };
    const nvpsim_device *peer = peer_of(own, link);
    if (peer && peer->spec->pci_device_id.state == NVPSIM_GIVEN) {
        info.pciDeviceId = (unsigned)peer->spec->pci_device_id.value;
    }
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
    if (result != NVML_SUCCESS) {
        return result;
    }
    nvp_PciInfo_v2_t old = { .domain = info.domain, .bus = info.bus, .device = info.device, .pciDeviceId = info.pciDeviceId };
    memcpy(old.busId, info.busIdLegacy, sizeof old.busId);
    memcpy(pci, &old, sizeof old);
    return NVML_SUCCESS;
}

/* The first version tells encryption only; the second adds the firmware, of which none is told here. */
nvmlReturn_t nvpsim__serve_nvmlDeviceGetNvLinkInfo(nvmlDevice_t device, nvmlNvLinkInfo_t *info)
{
    if (!info) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    bool is_second = info->version == nvmlNvLinkInfo_v2;
    if (info->version != nvmlNvLinkInfo_v1 && !is_second) {
        return nvpsim__version_mismatch();
    }
    if (nvpsim__nvlinks(nvpsim__device_of(device)) == 0) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    info->isNvleEnabled = 0;
    if (is_second) {
        memset(&info->firmwareInfo, 0, sizeof info->firmwareInfo);
    }
    return NVML_SUCCESS;
}

/* Links run at their full speed, and know no other mode. */
nvmlReturn_t nvpsim__serve_nvmlDeviceGetNvlinkSupportedBwModes(nvmlDevice_t device, nvmlNvlinkSupportedBwModes_t *supportedBwMode)
{
    if (!supportedBwMode) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (supportedBwMode->version != nvmlNvlinkSupportedBwModes_v1) {
        return nvpsim__version_mismatch();
    }
    if (nvpsim__nvlinks(nvpsim__device_of(device)) == 0) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    memset(supportedBwMode->bwModes, 0, sizeof supportedBwMode->bwModes);
    supportedBwMode->totalBwModes = 1;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetNvlinkBwMode(nvmlDevice_t device, nvmlNvlinkGetBwMode_t *getBwMode)
{
    if (!getBwMode) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (getBwMode->version != nvmlNvlinkGetBwMode_v1) {
        return nvpsim__version_mismatch();
    }
    if (nvpsim__nvlinks(nvpsim__device_of(device)) == 0) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    getBwMode->bIsBest = 1;
    getBwMode->bwMode = 0;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlSystemGetNvlinkBwMode(unsigned int *nvlinkBwMode)
{
    if (!nvlinkBwMode) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    nvpsim_number links = nvpsim__world->scenario->nvlink_links;
    if (links.state != NVPSIM_GIVEN || links.value == 0) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *nvlinkBwMode = 0;
    return NVML_SUCCESS;
}
