/*
 * Retired pages and ECC counters.
 */
#include "compat/adapters.h"

#include "base/compiler.h"
#include "compat/driver.h"

#define PAGES_MAX 512 /* a device that retires more than 64 pages is to be replaced */

/* With success no more than there was room for; else what is needed. */
static unsigned int count_of(nvmlReturn_t status, unsigned int said, unsigned int room)
{
    return status == NVML_SUCCESS && said > room ? room : said;
}

/* v2 also writes time stamps, for which the caller of v1 has no room. */
nvmlReturn_t nvp__compat_retired_v1_from_v2(nvmlDevice_t device, nvmlPageRetirementCause_t cause, unsigned int *count,
                                            unsigned long long *addresses)
{
    unsigned long long timestamps_us[PAGES_MAX];
    unsigned int room = count != NULL && *count < PAGES_MAX ? *count : PAGES_MAX;
    unsigned int said = room;
    nvmlReturn_t status = NVP__OWN(nvmlDeviceGetRetiredPages_v2)(device, cause, count != NULL ? &said : NULL, addresses,
                                                                 addresses != NULL ? timestamps_us : NULL);
    if ((status == NVML_SUCCESS || status == NVML_ERROR_INSUFFICIENT_SIZE) && count != NULL) {
        *count = addresses != NULL ? count_of(status, said, room) : said;
    }
    return status;
}

nvmlReturn_t nvp__compat_retired_v2_from_v1(nvmlDevice_t device, nvmlPageRetirementCause_t cause, unsigned int *count,
                                            unsigned long long *addresses, unsigned long long *timestamps_us)
{
    unsigned int room = count != NULL ? *count : 0;
    if (addresses != NULL && timestamps_us == NULL && room > 0) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    nvmlReturn_t status = NVP__OWN(nvmlDeviceGetRetiredPages)(device, cause, count, addresses);
    if (status == NVML_SUCCESS && addresses != NULL && count != NULL) {
        *count = count_of(status, *count, room);
        for (unsigned int i = 0; i < *count; i++) {
            timestamps_us[i] = NVP__COMPAT_UNKNOWN_U64;
        }
    }
    return status;
}

nvmlReturn_t nvp__compat_ecc_detail_from_counter(nvmlDevice_t device, nvmlMemoryErrorType_t error, nvmlEccCounterType_t counter,
                                                 nvmlEccErrorCounts_t *counts)
{
    static const nvmlMemoryLocation_t locations[] = { NVML_MEMORY_LOCATION_L1_CACHE, NVML_MEMORY_LOCATION_L2_CACHE,
                                                      NVML_MEMORY_LOCATION_DEVICE_MEMORY, NVML_MEMORY_LOCATION_REGISTER_FILE };
    unsigned long long found[NVP__COUNT_OF(locations)];
    nvmlReturn_t answer = NVML_ERROR_NOT_SUPPORTED; /* unless one location is counted */
    if (counts == NULL) {
        return NVP__OWN(nvmlDeviceGetMemoryErrorCounter)(device, error, counter, locations[0], NULL);
    }
    for (size_t i = 0; i < NVP__COUNT_OF(locations); i++) {
        found[i] = NVP__COMPAT_UNKNOWN_U64;
        nvmlReturn_t status = NVP__OWN(nvmlDeviceGetMemoryErrorCounter)(device, error, counter, locations[i], &found[i]);
        if (status != NVML_SUCCESS && status != NVML_ERROR_NOT_SUPPORTED) {
            return status;
        }
        answer = status == NVML_SUCCESS ? NVML_SUCCESS : answer;
    }
    if (answer == NVML_SUCCESS) {
        *counts = (nvmlEccErrorCounts_t){
            .l1Cache = found[0], .l2Cache = found[1], .deviceMemory = found[2], .registerFile = found[3]
        };
    }
    return answer;
}

nvmlReturn_t nvp__compat_ecc_counter_from_detail(nvmlDevice_t device, nvmlMemoryErrorType_t error, nvmlEccCounterType_t counter,
                                                 nvmlMemoryLocation_t location, unsigned long long *count)
{
    nvmlEccErrorCounts_t counts = { 0 };
    const unsigned long long *const by_location[] = { [NVML_MEMORY_LOCATION_L1_CACHE] = &counts.l1Cache,
                                                      [NVML_MEMORY_LOCATION_L2_CACHE] = &counts.l2Cache,
                                                      [NVML_MEMORY_LOCATION_DEVICE_MEMORY] = &counts.deviceMemory,
                                                      [NVML_MEMORY_LOCATION_REGISTER_FILE] = &counts.registerFile };
    if ((unsigned int)location >= NVML_MEMORY_LOCATION_COUNT) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    nvmlReturn_t status = NVP__OWN(nvmlDeviceGetDetailedEccErrors)(device, error, counter, count != NULL ? &counts : NULL);
    if (status == NVML_SUCCESS && (size_t)location >= NVP__COUNT_OF(by_location)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    if (status == NVML_SUCCESS && count != NULL) {
        *count = *by_location[location];
    }
    return status;
}
