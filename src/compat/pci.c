/*
 * Where a device sits on the bus: three structs under one name, each larger than the one before, and one with a version word.
 * All are read into one form and written from it. The long bus id has eight digits of domain, the short one four.
 */
#include "compat/adapters.h"

#include "compat/driver.h"

#include <string.h>

struct place {
    nvmlPciInfo_t info;
    unsigned int base_class;
    unsigned int sub_class;
};

/* The part after the dot; bus ids of GPUs end in ".0", those of virtual functions need not. */
static char function_of(const char *bus_id, size_t size)
{
    const char *dot = memchr(bus_id, '.', size - 1);
    return dot != NULL && dot[1] != '\0' ? dot[1] : '0';
}

static char *put_hex(char *at, unsigned int number, int digits)
{
    for (int i = digits - 1; i >= 0; i--, number >>= 4) {
        at[i] = "0123456789ABCDEF"[number & 0xf];
    }
    return at + digits;
}

/* Not by snprintf, which takes ten times as long as all the rest. Of a domain that is too long the lower digits are kept. */
static void write_bus_id(char *bus_id, size_t size, int domain_digits, const nvmlPciInfo_t *info, char function)
{
    memset(bus_id, 0, size);
    char *at = put_hex(bus_id, info->domain, domain_digits);
    *at++ = ':';
    at = put_hex(at, info->bus, 2);
    *at++ = ':';
    at = put_hex(at, info->device, 2);
    *at++ = '.';
    *at = function;
}

static void complete(struct place *place, char function)
{
    write_bus_id(place->info.busId, sizeof(place->info.busId), 8, &place->info, function);
    place->base_class = NVP__COMPAT_UNKNOWN_U32;
    place->sub_class = NVP__COMPAT_UNKNOWN_U32;
}

static void from_v1(struct place *place, const nvp_PciInfo_v1_t *older)
{
    memcpy(place->info.busIdLegacy, older->busId, sizeof(older->busId));
    place->info.domain = older->domain;
    place->info.bus = older->bus;
    place->info.device = older->device;
    place->info.pciDeviceId = older->pciDeviceId;
    place->info.pciSubSystemId = NVP__COMPAT_UNKNOWN_U32;
    complete(place, function_of(older->busId, sizeof(older->busId)));
}

static void from_v2(struct place *place, const nvp_PciInfo_v2_t *older)
{
    nvp_PciInfo_v1_t first;
    memcpy(&first, older, sizeof(first));
    from_v1(place, &first);
    place->info.pciSubSystemId = older->pciSubSystemId;
}

static void from_v3(struct place *place, const nvmlPciInfo_t *info)
{
    place->info = *info;
    place->base_class = NVP__COMPAT_UNKNOWN_U32;
    place->sub_class = NVP__COMPAT_UNKNOWN_U32;
}

static void from_ext(struct place *place, const nvmlPciInfoExt_v1_t *ext)
{
    place->info.domain = ext->domain;
    place->info.bus = ext->bus;
    place->info.device = ext->device;
    place->info.pciDeviceId = ext->pciDeviceId;
    place->info.pciSubSystemId = ext->pciSubSystemId;
    memcpy(place->info.busId, ext->busId, sizeof(place->info.busId));
    write_bus_id(place->info.busIdLegacy, sizeof(place->info.busIdLegacy), 4, &place->info,
                 function_of(ext->busId, sizeof(ext->busId)));
    place->base_class = ext->baseClass;
    place->sub_class = ext->subClass;
}

static void to_v1(nvp_PciInfo_v1_t *older, const struct place *place)
{
    memcpy(older->busId, place->info.busIdLegacy, sizeof(older->busId));
    older->domain = place->info.domain;
    older->bus = place->info.bus;
    older->device = place->info.device;
    older->pciDeviceId = place->info.pciDeviceId;
}

static void to_v2(nvp_PciInfo_v2_t *older, const struct place *place)
{
    *older = (nvp_PciInfo_v2_t){ .domain = place->info.domain,
                                 .bus = place->info.bus,
                                 .device = place->info.device,
                                 .pciDeviceId = place->info.pciDeviceId,
                                 .pciSubSystemId = place->info.pciSubSystemId };
    memcpy(older->busId, place->info.busIdLegacy, sizeof(older->busId));
}

static void to_v3(nvmlPciInfo_t *info, const struct place *place)
{
    *info = place->info;
}

static void to_ext(nvmlPciInfoExt_v1_t *ext, const struct place *place)
{
    *ext = (nvmlPciInfoExt_v1_t){ .version = ext->version,
                                  .domain = place->info.domain,
                                  .bus = place->info.bus,
                                  .device = place->info.device,
                                  .pciDeviceId = place->info.pciDeviceId,
                                  .pciSubSystemId = place->info.pciSubSystemId,
                                  .baseClass = place->base_class,
                                  .subClass = place->sub_class };
    memcpy(ext->busId, place->info.busId, sizeof(ext->busId));
}

/* One reader for each call. A caller's NULL goes on to the library, which knows what to answer. */

static nvmlReturn_t read_v1(nvmlDevice_t device, bool wanted, struct place *place)
{
    nvp_PciInfo_v1_t older = { 0 };
    nvmlReturn_t status = NVP__OWN(nvmlDeviceGetPciInfo)(device, wanted ? (void *)&older : NULL);
    from_v1(place, &older);
    return status;
}

static nvmlReturn_t read_v2(nvmlDevice_t device, bool wanted, struct place *place)
{
    nvp_PciInfo_v2_t older = { 0 };
    nvmlReturn_t status = NVP__OWN(nvmlDeviceGetPciInfo_v2)(device, wanted ? (void *)&older : NULL);
    from_v2(place, &older);
    return status;
}

static nvmlReturn_t read_v3(nvmlDevice_t device, bool wanted, struct place *place)
{
    nvmlPciInfo_t info = { 0 };
    nvmlReturn_t status = NVP__OWN(nvmlDeviceGetPciInfo_v3)(device, wanted ? &info : NULL);
    from_v3(place, &info);
    return status;
}

static nvmlReturn_t read_ext(nvmlDevice_t device, bool wanted, struct place *place)
{
    nvmlPciInfoExt_v1_t ext = { .version = nvmlPciInfoExt_v1 };
    nvmlReturn_t status = NVP__OWN(nvmlDeviceGetPciInfoExt)(device, wanted ? &ext : NULL);
    from_ext(place, &ext);
    return status;
}

#define GIVE(form, type, source)                                                                                                 \
    nvmlReturn_t nvp__compat_pci_##form##_from_##source(nvmlDevice_t device, type *pci)                                          \
    {                                                                                                                            \
        struct place place;                                                                                                      \
        nvmlReturn_t status = read_##source(device, pci != NULL, &place);                                                        \
        if (status == NVML_SUCCESS && pci != NULL) {                                                                             \
            to_##form(pci, &place);                                                                                              \
        }                                                                                                                        \
        return status;                                                                                                           \
    }

GIVE(v1, nvp_PciInfo_v1_t, v2)
GIVE(v1, nvp_PciInfo_v1_t, v3)
GIVE(v1, nvp_PciInfo_v1_t, ext)
GIVE(v2, nvp_PciInfo_v2_t, v1)
GIVE(v2, nvp_PciInfo_v2_t, v3)
GIVE(v2, nvp_PciInfo_v2_t, ext)
GIVE(v3, nvmlPciInfo_t, v1)
GIVE(v3, nvmlPciInfo_t, v2)
GIVE(v3, nvmlPciInfo_t, ext)

#define GIVE_EXT(source)                                                                                                         \
    nvmlReturn_t nvp__compat_pci_ext_from_##source(nvmlDevice_t device, nvmlPciInfoExt_v1_t *pci)                                \
    {                                                                                                                            \
        struct place place;                                                                                                      \
        if (pci != NULL && pci->version != nvmlPciInfoExt_v1) {                                                                  \
            return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;                                                                         \
        }                                                                                                                        \
        nvmlReturn_t status = read_##source(device, pci != NULL, &place);                                                        \
        if (status == NVML_SUCCESS && pci != NULL) {                                                                             \
            to_ext(pci, &place);                                                                                                 \
        }                                                                                                                        \
        return status;                                                                                                           \
    }

GIVE_EXT(v1)
GIVE_EXT(v2)
GIVE_EXT(v3)

nvmlReturn_t nvp__compat_remote_pci_v1_from_v2(nvmlDevice_t device, unsigned int link, nvp_PciInfo_v2_t *pci)
{
    nvmlPciInfo_t info = { 0 };
    struct place place;
    nvmlReturn_t status = NVP__OWN(nvmlDeviceGetNvLinkRemotePciInfo_v2)(device, link, pci != NULL ? &info : NULL);
    if (status == NVML_SUCCESS && pci != NULL) {
        from_v3(&place, &info);
        to_v2(pci, &place);
    }
    return status;
}

nvmlReturn_t nvp__compat_remote_pci_v2_from_v1(nvmlDevice_t device, unsigned int link, nvmlPciInfo_t *pci)
{
    nvp_PciInfo_v2_t older = { 0 };
    struct place place;
    nvmlReturn_t status = NVP__OWN(nvmlDeviceGetNvLinkRemotePciInfo)(device, link, pci != NULL ? (void *)&older : NULL);
    if (status == NVML_SUCCESS && pci != NULL) {
        from_v2(&place, &older);
        to_v3(pci, &place);
    }
    return status;
}
