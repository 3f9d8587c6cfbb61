/*
 * The driver that knows every version: where a device, and the far end of its links, sit on the bus. The second device is a
 * virtual function in a domain of more than four digits.
 */
#include "family.h"

#include <stdio.h>

struct place {
    unsigned int domain, bus, device, function;
};

static struct place place_of(nvmlDevice_t device)
{
    return device == FAMILY_DEVICE(0) ? (struct place){ 0xabc, 0x3b, 0x1f, 0 } : (struct place){ 0x10000, 0xe1, 0, 3 };
}

static const char *bus_id(const struct place *place, int digits)
{
    static _Thread_local char text[64];
    unsigned int domain = digits == 4 ? place->domain & 0xffff : place->domain;
    snprintf(text, sizeof(text), "%0*X:%02X:%02X.%X", digits, domain, place->bus & 0xff, place->device & 0xff,
             place->function & 0xf);
    return text;
}

static void put_v3(nvmlPciInfo_t *pci, const struct place *place)
{
    *pci = (nvmlPciInfo_t){ .domain = place->domain,
                            .bus = place->bus,
                            .device = place->device,
                            .pciDeviceId = 0x233010de,
                            .pciSubSystemId = 0x165a10de };
    memcpy(pci->busIdLegacy, bus_id(place, 4), 13);
    memcpy(pci->busId, bus_id(place, 8), 17);
}

static void put_v2(nvmlPciInfo_t *pci, const struct place *place)
{
    nvp_PciInfo_v2_t older = { .domain = place->domain,
                               .bus = place->bus,
                               .device = place->device,
                               .pciDeviceId = 0x233010de,
                               .pciSubSystemId = 0x165a10de };
    memcpy(older.busId, bus_id(place, 4), 13);
    memcpy(pci, &older, sizeof(older));
}

nvmlReturn_t nvmlDeviceGetPciInfo(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
    nvmlReturn_t status = family_begin_device(device, pci);
    if (status == NVML_SUCCESS) {
        struct place place = place_of(device);
        nvp_PciInfo_v1_t older = { .domain = place.domain, .bus = place.bus, .device = place.device, .pciDeviceId = 0x233010de };
        memcpy(older.busId, bus_id(&place, 4), 13);
        memcpy(pci, &older, sizeof(older));
    }
    return status;
}

nvmlReturn_t nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
    nvmlReturn_t status = family_begin_device(device, pci);
    if (status == NVML_SUCCESS) {
        struct place place = place_of(device);
        put_v2(pci, &place);
    }
    return status;
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
    nvmlReturn_t status = family_begin_device(device, pci);
    if (status == NVML_SUCCESS) {
        struct place place = place_of(device);
        put_v3(pci, &place);
    }
    return status;
}

nvmlReturn_t nvmlDeviceGetPciInfoExt(nvmlDevice_t device, nvmlPciInfoExt_t *pci)
{
    nvmlReturn_t status = family_begin_device(device, pci);
    status = status == NVML_SUCCESS ? family_word(pci->version, nvmlPciInfoExt_v1, nvmlPciInfoExt_v1) : status;
    if (status == NVML_SUCCESS) {
        struct place place = place_of(device);
        *pci = (nvmlPciInfoExt_t){ .version = pci->version,
                                   .domain = place.domain,
                                   .bus = place.bus,
                                   .device = place.device,
                                   .pciDeviceId = 0x233010de,
                                   .pciSubSystemId = 0x165a10de,
                                   .baseClass = 3,
                                   .subClass = 2 };
        memcpy(pci->busId, bus_id(&place, 8), 17);
    }
    return status;
}

nvmlReturn_t nvmlDeviceGetNvLinkRemotePciInfo(nvmlDevice_t device, unsigned int link, nvmlPciInfo_t *pci)
{
    struct place place = { 1, 0x20 + link, 4, 0 };
    nvmlReturn_t status = family_begin_device(device, pci);
    status = status == NVML_SUCCESS && link > 5 ? NVML_ERROR_INVALID_ARGUMENT : status;
    if (status == NVML_SUCCESS) {
        put_v2(pci, &place);
    }
    return status;
}

nvmlReturn_t nvmlDeviceGetNvLinkRemotePciInfo_v2(nvmlDevice_t device, unsigned int link, nvmlPciInfo_t *pci)
{
    struct place place = { 1, 0x20 + link, 4, 0 };
    nvmlReturn_t status = family_begin_device(device, pci);
    status = status == NVML_SUCCESS && link > 5 ? NVML_ERROR_INVALID_ARGUMENT : status;
    if (status == NVML_SUCCESS) {
        put_v3(pci, &place);
    }
    return status;
}
