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

/* What one of the calls has answered: the numbers as in the largest struct. A bus id that it does not give is made when it is wanted. */
struct place {
    union {
        nvp_PciInfo_v1_t v1;
        nvp_PciInfo_v2_t v2;
        nvmlPciInfo_t v3;
        nvmlPciInfoExt_v1_t ext;
    } answer;
    const char *short_id, *long_id;
    nvmlPciInfoExt_v1_t numbers; /* but for its version and its bus id */
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
    at = nvp__put_byte(at, place->numbers.bus, nvp__upper_digits);
    *at++ = ':';
    at = nvp__put_byte(at, place->numbers.device, nvp__upper_digits);
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
    char *at = put_domain(id, place->numbers.domain);
    at = put_rest(at, place, function_of(place->long_id, LONG_ID_SIZE, strlen("00000000:00:00")));
    memset(at, 0, SHORT_ID_SIZE - strlen("0000:00:00.0"));
}

static NVP__INLINE void put_long_id(char *id, const struct place *place)
{
    if (place->long_id != NULL) {
        memcpy(id, place->long_id, LONG_ID_SIZE);
        return;
    }
    char *at = put_domain(put_domain(id, place->numbers.domain >> 16), place->numbers.domain);
    at = put_rest(at, place, function_of(place->short_id, SHORT_ID_SIZE, strlen("0000:00:00")));
    memset(at, 0, LONG_ID_SIZE - strlen("00000000:00:00.0"));
}

/* What all four structs have under the same names. */
#define COPY_COMMON(to, from)                                                                                                    \
    do {                                                                                                                         \
        (to)->domain = (from)->domain;                                                                                           \
        (to)->bus = (from)->bus;                                                                                                 \
        (to)->device = (from)->device;                                                                                           \
        (to)->pciDeviceId = (from)->pciDeviceId;                                                                                 \
    } while (0)

#define UNKNOWN NVP__COMPAT_UNKNOWN_U32

#define FROM(form, its_short_id, its_long_id, subsystem, base_class, sub_class)                                                  \
    static NVP__INLINE void from_##form(struct place *place)                                                                     \
    {                                                                                                                            \
        const __typeof__(place->answer.form) *from = &place->answer.form;                                                        \
        place->short_id = its_short_id;                                                                                          \
        place->long_id = its_long_id;                                                                                            \
        COPY_COMMON(&place->numbers, from);                                                                                      \
        place->numbers.pciSubSystemId = subsystem;                                                                               \
        place->numbers.baseClass = base_class;                                                                                   \
        place->numbers.subClass = sub_class;                                                                                     \
    }

FROM(v1, from->busId, NULL, UNKNOWN, UNKNOWN, UNKNOWN)
FROM(v2, from->busId, NULL, from->pciSubSystemId, UNKNOWN, UNKNOWN)
FROM(v3, from->busIdLegacy, from->busId, from->pciSubSystemId, UNKNOWN, UNKNOWN)
FROM(ext, NULL, from->busId, from->pciSubSystemId, from->baseClass, from->subClass)

static NVP__INLINE void to_v1(nvp_PciInfo_v1_t *to, const struct place *place)
{
    put_short_id(to->busId, place);
    COPY_COMMON(to, &place->numbers);
}

static NVP__INLINE void to_v2(nvp_PciInfo_v2_t *to, const struct place *place)
{
    *to = (nvp_PciInfo_v2_t){ .pciSubSystemId = place->numbers.pciSubSystemId };
    COPY_COMMON(to, &place->numbers);
    put_short_id(to->busId, place);
}

static NVP__INLINE void to_v3(nvmlPciInfo_t *to, const struct place *place)
{
    put_short_id(to->busIdLegacy, place);
    put_long_id(to->busId, place);
    COPY_COMMON(to, &place->numbers);
    to->pciSubSystemId = place->numbers.pciSubSystemId;
}

static NVP__INLINE void to_ext(nvmlPciInfoExt_v1_t *to, const struct place *place)
{
    put_long_id(to->busId, place);
    COPY_COMMON(to, &place->numbers);
    to->pciSubSystemId = place->numbers.pciSubSystemId;
    to->baseClass = place->numbers.baseClass;
    to->subClass = place->numbers.subClass;
}

/* One reader for each call. A caller's NULL goes on to the library, which knows what to answer. */
#define READ(form, function, before)                                                                                             \
    static NVP__INLINE nvmlReturn_t read_##form(nvmlDevice_t device, bool wanted, struct place *place)                           \
    {                                                                                                                            \
        place->answer.form = (__typeof__(place->answer.form))before;                                                             \
        nvmlReturn_t status = function(device, wanted ? (void *)&place->answer.form : NULL);                           \
        from_##form(place);                                                                                                      \
        return status;                                                                                                           \
    }

READ(v1, NVP__OWN(nvmlDeviceGetPciInfo), { 0 })
READ(v2, NVP__OWN(nvmlDeviceGetPciInfo_v2), { 0 })
READ(v3, NVP__OWN(nvmlDeviceGetPciInfo_v3), { 0 })
READ(ext, NVP__OWN(nvmlDeviceGetPciInfoExt), { .version = nvmlPciInfoExt_v1 })

#define GIVE(form, type, source, is_known)                                                                                       \
    nvmlReturn_t nvp__compat_pci_##form##_from_##source(nvmlDevice_t device, type *pci)                                          \
    {                                                                                                                            \
        struct place place;                                                                                                      \
        if (!(is_known)) {                                                                                                       \
            return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;                                                                         \
        }                                                                                                                        \
        nvmlReturn_t status = read_##source(device, pci != NULL, &place);                                                        \
        if (status == NVML_SUCCESS && pci != NULL) {                                                                             \
            to_##form(pci, &place);                                                                                              \
        }                                                                                                                        \
        return status;                                                                                                           \
    }

#define HAS_NO_VERSION true
#define IS_EXT_V1 (pci == NULL || pci->version == nvmlPciInfoExt_v1)

GIVE(v1, nvp_PciInfo_v1_t, v2, HAS_NO_VERSION)
GIVE(v1, nvp_PciInfo_v1_t, v3, HAS_NO_VERSION)
GIVE(v1, nvp_PciInfo_v1_t, ext, HAS_NO_VERSION)
GIVE(v2, nvp_PciInfo_v2_t, v1, HAS_NO_VERSION)
GIVE(v2, nvp_PciInfo_v2_t, v3, HAS_NO_VERSION)
GIVE(v2, nvp_PciInfo_v2_t, ext, HAS_NO_VERSION)
GIVE(v3, nvmlPciInfo_t, v1, HAS_NO_VERSION)
GIVE(v3, nvmlPciInfo_t, v2, HAS_NO_VERSION)
GIVE(v3, nvmlPciInfo_t, ext, HAS_NO_VERSION)
GIVE(ext, nvmlPciInfoExt_v1_t, v1, IS_EXT_V1)
GIVE(ext, nvmlPciInfoExt_v1_t, v2, IS_EXT_V1)
GIVE(ext, nvmlPciInfoExt_v1_t, v3, IS_EXT_V1)

/* The two versions of this call have the structs of the second and the third of those above. */
#define GIVE_REMOTE(wanted, form, type, source, from, function)                                                                  \
    nvmlReturn_t nvp__compat_remote_pci_##wanted##_from_##source(nvmlDevice_t device, unsigned int link, type *pci)              \
    {                                                                                                                            \
        struct place place;                                                                                                      \
        place.answer.from = (__typeof__(place.answer.from)){ 0 };                                                                \
        nvmlReturn_t status = function(device, link, pci != NULL ? (void *)&place.answer.from : NULL);                 \
        if (status == NVML_SUCCESS && pci != NULL) {                                                                             \
            from_##from(&place);                                                                                                 \
            to_##form(pci, &place);                                                                                              \
        }                                                                                                                        \
        return status;                                                                                                           \
    }

GIVE_REMOTE(v1, v2, nvp_PciInfo_v2_t, v2, v3, NVP__OWN(nvmlDeviceGetNvLinkRemotePciInfo_v2))
GIVE_REMOTE(v2, v3, nvmlPciInfo_t, v1, v2, NVP__OWN(nvmlDeviceGetNvLinkRemotePciInfo))
