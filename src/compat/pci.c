/*
 * Where a device sits on the bus: three structs under one name, each larger than the one before, and one with a version word.
 * All are read into one form and written from it. The long bus id has eight digits of domain, the short one four.
 */
#include "compat/adapters.h"

#include "base/compiler.h"
#include "compat/digits.h"
#include "compat/driver.h"

#include <string.h>

#define SHORT_ID_SIZE sizeof(((nvp_PciInfo_v1_t *)NULL)->busId)
#define LONG_ID_SIZE sizeof(((nvmlPciInfo_t *)NULL)->busId)

/* What one of the calls has answered. A bus id that it does not give is made when it is wanted. */
struct place {
    union {
        nvp_PciInfo_v1_t v1;
        nvp_PciInfo_v2_t v2;
        nvmlPciInfo_t v3;
        nvmlPciInfoExt_v1_t ext;
    } answer;
    const char *short_id, *long_id;
    unsigned int domain, bus, device, device_id, subsystem_id, base_class, sub_class;
};

/*
 * The part after the dot; bus ids of GPUs end in ".0", those of virtual functions need not. The dot stands in its place but in a
 * text that no driver has written yet.
 */
static NVP__INLINE char function_of(const char *bus_id, size_t size, size_t usual_dot)
{
    const char *dot = bus_id[usual_dot] == '.' ? &bus_id[usual_dot] : memchr(bus_id, '.', size - 1);
    return dot != NULL && dot[1] != '\0' ? dot[1] : '0';
}

/* The lower four digits. */
static NVP__INLINE char *put_domain(char *at, unsigned int domain)
{
    return nvp__put_byte(nvp__put_byte(at, domain >> 8, nvp__upper_digits), domain, nvp__upper_digits);
}

static NVP__INLINE char *put_rest(char *at, const struct place *place, char function)
{
    *at++ = ':';
    at = nvp__put_byte(at, place->bus, nvp__upper_digits);
    *at++ = ':';
    at = nvp__put_byte(at, place->device, nvp__upper_digits);
    *at++ = '.';
    *at++ = function;
    return at;
}

/* Of a domain that is too long the lower digits are kept. */
static NVP__INLINE void put_short_id(char *id, const struct place *place)
{
    if (place->short_id != NULL) {
        memcpy(id, place->short_id, SHORT_ID_SIZE);
        return;
    }
    char *at = put_domain(id, place->domain);
    at = put_rest(at, place, function_of(place->long_id, LONG_ID_SIZE, strlen("00000000:00:00")));
    memset(at, 0, SHORT_ID_SIZE - strlen("0000:00:00.0"));
}

static NVP__INLINE void put_long_id(char *id, const struct place *place)
{
    if (place->long_id != NULL) {
        memcpy(id, place->long_id, LONG_ID_SIZE);
        return;
    }
    char *at = put_domain(put_domain(id, place->domain >> 16), place->domain);
    at = put_rest(at, place, function_of(place->short_id, SHORT_ID_SIZE, strlen("0000:00:00")));
    memset(at, 0, LONG_ID_SIZE - strlen("00000000:00:00.0"));
}

static NVP__INLINE void from_v1(struct place *place)
{
    const nvp_PciInfo_v1_t *from = &place->answer.v1;
    place->short_id = from->busId;
    place->long_id = NULL;
    place->domain = from->domain;
    place->bus = from->bus;
    place->device = from->device;
    place->device_id = from->pciDeviceId;
    place->subsystem_id = NVP__COMPAT_UNKNOWN_U32;
    place->base_class = NVP__COMPAT_UNKNOWN_U32;
    place->sub_class = NVP__COMPAT_UNKNOWN_U32;
}

/* v2 begins as v1 does. */
static NVP__INLINE void from_v2(struct place *place)
{
    from_v1(place);
    place->subsystem_id = place->answer.v2.pciSubSystemId;
}

static NVP__INLINE void from_v3(struct place *place)
{
    const nvmlPciInfo_t *from = &place->answer.v3;
    place->short_id = from->busIdLegacy;
    place->long_id = from->busId;
    place->domain = from->domain;
    place->bus = from->bus;
    place->device = from->device;
    place->device_id = from->pciDeviceId;
    place->subsystem_id = from->pciSubSystemId;
    place->base_class = NVP__COMPAT_UNKNOWN_U32;
    place->sub_class = NVP__COMPAT_UNKNOWN_U32;
}

static NVP__INLINE void from_ext(struct place *place)
{
    const nvmlPciInfoExt_v1_t *from = &place->answer.ext;
    place->short_id = NULL;
    place->long_id = from->busId;
    place->domain = from->domain;
    place->bus = from->bus;
    place->device = from->device;
    place->device_id = from->pciDeviceId;
    place->subsystem_id = from->pciSubSystemId;
    place->base_class = from->baseClass;
    place->sub_class = from->subClass;
}

static NVP__INLINE void to_v1(nvp_PciInfo_v1_t *to, const struct place *place)
{
    put_short_id(to->busId, place);
    to->domain = place->domain;
    to->bus = place->bus;
    to->device = place->device;
    to->pciDeviceId = place->device_id;
}

static NVP__INLINE void to_v2(nvp_PciInfo_v2_t *to, const struct place *place)
{
    *to = (nvp_PciInfo_v2_t){ .domain = place->domain,
                              .bus = place->bus,
                              .device = place->device,
                              .pciDeviceId = place->device_id,
                              .pciSubSystemId = place->subsystem_id };
    put_short_id(to->busId, place);
}

static NVP__INLINE void to_v3(nvmlPciInfo_t *to, const struct place *place)
{
    put_short_id(to->busIdLegacy, place);
    put_long_id(to->busId, place);
    to->domain = place->domain;
    to->bus = place->bus;
    to->device = place->device;
    to->pciDeviceId = place->device_id;
    to->pciSubSystemId = place->subsystem_id;
}

static NVP__INLINE void to_ext(nvmlPciInfoExt_v1_t *to, const struct place *place)
{
    put_long_id(to->busId, place);
    to->domain = place->domain;
    to->bus = place->bus;
    to->device = place->device;
    to->pciDeviceId = place->device_id;
    to->pciSubSystemId = place->subsystem_id;
    to->baseClass = place->base_class;
    to->subClass = place->sub_class;
}

/* One reader for each call. A caller's NULL goes on to the library, which knows what to answer. */

static NVP__INLINE nvmlReturn_t read_v1(nvmlDevice_t device, bool wanted, struct place *place)
{
    place->answer.v1 = (nvp_PciInfo_v1_t){ 0 };
    nvmlReturn_t status = NVP__OWN(nvmlDeviceGetPciInfo)(device, wanted ? (void *)&place->answer.v1 : NULL);
    from_v1(place);
    return status;
}

static NVP__INLINE nvmlReturn_t read_v2(nvmlDevice_t device, bool wanted, struct place *place)
{
    place->answer.v2 = (nvp_PciInfo_v2_t){ 0 };
    nvmlReturn_t status = NVP__OWN(nvmlDeviceGetPciInfo_v2)(device, wanted ? (void *)&place->answer.v2 : NULL);
    from_v2(place);
    return status;
}

static NVP__INLINE nvmlReturn_t read_v3(nvmlDevice_t device, bool wanted, struct place *place)
{
    place->answer.v3 = (nvmlPciInfo_t){ 0 };
    nvmlReturn_t status = NVP__OWN(nvmlDeviceGetPciInfo_v3)(device, wanted ? &place->answer.v3 : NULL);
    from_v3(place);
    return status;
}

static NVP__INLINE nvmlReturn_t read_ext(nvmlDevice_t device, bool wanted, struct place *place)
{
    place->answer.ext = (nvmlPciInfoExt_v1_t){ .version = nvmlPciInfoExt_v1 };
    nvmlReturn_t status = NVP__OWN(nvmlDeviceGetPciInfoExt)(device, wanted ? &place->answer.ext : NULL);
    from_ext(place);
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
    struct place place;
    place.answer.v3 = (nvmlPciInfo_t){ 0 };
    nvmlReturn_t status = NVP__OWN(nvmlDeviceGetNvLinkRemotePciInfo_v2)(device, link, pci != NULL ? &place.answer.v3 : NULL);
    if (status == NVML_SUCCESS && pci != NULL) {
        from_v3(&place);
        to_v2(pci, &place);
    }
    return status;
}

nvmlReturn_t nvp__compat_remote_pci_v2_from_v1(nvmlDevice_t device, unsigned int link, nvmlPciInfo_t *pci)
{
    struct place place;
    place.answer.v2 = (nvp_PciInfo_v2_t){ 0 };
    nvmlReturn_t status = NVP__OWN(nvmlDeviceGetNvLinkRemotePciInfo)(device, link, pci != NULL ? (void *)&place.answer.v2 : NULL);
    if (status == NVML_SUCCESS && pci != NULL) {
        from_v2(&place);
        to_v3(pci, &place);
    }
    return status;
}
