/*
 * Answers about memory errors: ECC modes and counts, retired pages, remapped rows.
 */
#include "driver/serve.h"

static nvmlReturn_t mode_put(nvmlEnableState_t *out, nvpsim_number mode)
{
    if (!out) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (mode.state != NVPSIM_GIVEN) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *out = mode.value ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED;
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetEccMode(nvmlDevice_t device, nvmlEnableState_t *current, nvmlEnableState_t *pending)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!current || !pending) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    nvmlReturn_t result = mode_put(current, own->spec->ecc_current);
    if (result == NVML_SUCCESS) {
        *pending = atomic_load_explicit(&own->settings->ecc_pending, memory_order_relaxed) ? NVML_FEATURE_ENABLED
                                                                                           : NVML_FEATURE_DISABLED;
    }
    return result;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetDefaultEccMode(nvmlDevice_t device, nvmlEnableState_t *defaultMode)
{
    return mode_put(defaultMode, nvpsim__device_of(device)->spec->ecc_default);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceSetEccMode(nvmlDevice_t device, nvmlEnableState_t ecc)
{
    nvpsim_device *own = nvpsim__device_of(device);
    if (own->spec->ecc_current.state != NVPSIM_GIVEN) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    if (ecc != NVML_FEATURE_ENABLED && ecc != NVML_FEATURE_DISABLED) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    nvmlReturn_t result = nvpsim__may_change();
    if (result == NVML_SUCCESS) {
        atomic_store_explicit(&own->settings->ecc_pending, (unsigned)ecc, memory_order_relaxed);
    }
    return result;
}

/* Counts exist while ECC is on. */
static bool ecc_is_on(const nvpsim_device *device)
{
    return device->spec->ecc_current.state == NVPSIM_GIVEN && device->spec->ecc_current.value;
}

static bool is_cleared(const nvpsim_device *device, unsigned counter)
{
    const nvpsim_settings *settings = device->settings;
    return atomic_load_explicit(counter == NVPSIM_ECC_VOLATILE ? &settings->ecc_volatile_cleared
                                                               : &settings->ecc_aggregate_cleared,
                                memory_order_relaxed);
}

uint64_t nvpsim__ecc_count(const nvpsim_device *device, unsigned error, unsigned counter, unsigned place)
{
    const nvpsim_number *counts = device->spec->ecc_errors[counter][error];
    if (is_cleared(device, counter)) {
        return 0;
    }
    if (place != NVPSIM_ECC_TOTAL || counts[NVPSIM_ECC_TOTAL].state == NVPSIM_GIVEN) {
        return counts[place].state == NVPSIM_GIVEN ? counts[place].value : 0;
    }
    uint64_t sum = 0;
    for (unsigned i = 0; i < NVPSIM_ECC_TOTAL; i++) {
        sum += counts[i].state == NVPSIM_GIVEN ? counts[i].value : 0;
    }
    return sum;
}

static bool kinds_known(nvmlMemoryErrorType_t error, nvmlEccCounterType_t counter)
{
    return (unsigned)error < NVML_MEMORY_ERROR_TYPE_COUNT && (unsigned)counter < NVML_ECC_COUNTER_TYPE_COUNT;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetTotalEccErrors(nvmlDevice_t device, nvmlMemoryErrorType_t errorType,
                                                       nvmlEccCounterType_t counterType, unsigned long long *eccCounts)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!eccCounts || !kinds_known(errorType, counterType)) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!ecc_is_on(own)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *eccCounts = nvpsim__ecc_count(own, (unsigned)errorType, (unsigned)counterType, NVPSIM_ECC_TOTAL);
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetDetailedEccErrors(nvmlDevice_t device, nvmlMemoryErrorType_t errorType,
                                                          nvmlEccCounterType_t counterType, nvmlEccErrorCounts_t *eccCounts)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    unsigned error = (unsigned)errorType, counter = (unsigned)counterType;
    if (!eccCounts || !kinds_known(errorType, counterType)) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!ecc_is_on(own)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    eccCounts->l1Cache = nvpsim__ecc_count(own, error, counter, NVPSIM_ECC_L1);
    eccCounts->l2Cache = nvpsim__ecc_count(own, error, counter, NVPSIM_ECC_L2);
    eccCounts->deviceMemory = nvpsim__ecc_count(own, error, counter, NVPSIM_ECC_DEVICE);
    eccCounts->registerFile = nvpsim__ecc_count(own, error, counter, NVPSIM_ECC_REGISTER);
    return NVML_SUCCESS;
}

/* The place that a location of NVML names; -1 for one that this hardware does not count. */
static int place_of(nvmlMemoryLocation_t location)
{
    switch (location) {
    case NVML_MEMORY_LOCATION_L1_CACHE:
        return NVPSIM_ECC_L1;
    case NVML_MEMORY_LOCATION_L2_CACHE:
        return NVPSIM_ECC_L2;
    case NVML_MEMORY_LOCATION_DEVICE_MEMORY:
        return NVPSIM_ECC_DEVICE;
    case NVML_MEMORY_LOCATION_REGISTER_FILE:
        return NVPSIM_ECC_REGISTER;
    case NVML_MEMORY_LOCATION_TEXTURE_MEMORY:
        return NVPSIM_ECC_TEXTURE;
    default:
        return -1;
    }
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetMemoryErrorCounter(nvmlDevice_t device, nvmlMemoryErrorType_t errorType,
                                                           nvmlEccCounterType_t counterType, nvmlMemoryLocation_t locationType,
                                                           unsigned long long *count)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    int place = place_of(locationType);
    if (!count || !kinds_known(errorType, counterType) ||
        (unsigned)locationType >= nvpsim__driver_known[NVPSIM_KNOWN_MEMORY_LOCATIONS]) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!ecc_is_on(own) || place < 0) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *count = nvpsim__ecc_count(own, (unsigned)errorType, (unsigned)counterType, (unsigned)place);
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceClearEccErrorCounts(nvmlDevice_t device, nvmlEccCounterType_t counterType)
{
    nvpsim_device *own = nvpsim__device_of(device);
    if ((unsigned)counterType >= NVML_ECC_COUNTER_TYPE_COUNT) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (!ecc_is_on(own)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    nvmlReturn_t result = nvpsim__may_change();
    if (result == NVML_SUCCESS) {
        atomic_store_explicit(counterType == NVML_VOLATILE_ECC ? &own->settings->ecc_volatile_cleared
                                                               : &own->settings->ecc_aggregate_cleared,
                              true, memory_order_relaxed);
    }
    return result;
}

static nvmlReturn_t pages_put(const nvpsim_device *device, nvmlPageRetirementCause_t cause, unsigned int *count,
                              unsigned long long *addresses, unsigned long long *timestamps)
{
    const nvpsim_device_spec *spec = device->spec;
    if (cause != NVML_PAGE_RETIREMENT_CAUSE_MULTIPLE_SINGLE_BIT_ECC_ERRORS &&
        cause != NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    bool is_double = cause == NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR;
    nvpsim_number stated = is_double ? spec->retired_double : spec->retired_single;
    const nvpsim_numbers *pages = is_double ? &spec->retired_double_pages : &spec->retired_single_pages;
    if (count && stated.state != NVPSIM_GIVEN && pages->count == 0) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    unsigned available =
        stated.state == NVPSIM_GIVEN && stated.value > pages->count ? (unsigned)stated.value : (unsigned)pages->count;
    nvmlReturn_t result = nvpsim__list_room(count, addresses, available);
    for (unsigned i = 0; result == NVML_SUCCESS && addresses && i < available; i++) {
        addresses[i] = i < pages->count ? pages->values[i] : UINT64_C(0x1000) * (i + 1);
        if (timestamps) {
            timestamps[i] = nvpsim__wall_us(0) / 1000000;
        }
    }
    return result;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetRetiredPages(nvmlDevice_t device, nvmlPageRetirementCause_t cause,
                                                     unsigned int *pageCount, unsigned long long *addresses)
{
    return pages_put(nvpsim__device_of(device), cause, pageCount, addresses, NULL);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetRetiredPages_v2(nvmlDevice_t device, nvmlPageRetirementCause_t cause,
                                                        unsigned int *pageCount, unsigned long long *addresses,
                                                        unsigned long long *timestamps)
{
    if (addresses && !timestamps) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    return pages_put(nvpsim__device_of(device), cause, pageCount, addresses, timestamps);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetRetiredPagesPendingStatus(nvmlDevice_t device, nvmlEnableState_t *isPending)
{
    const nvpsim_device_spec *spec = nvpsim__device_of(device)->spec;
    nvpsim_number pending = spec->retired_pending;
    if (pending.state == NVPSIM_ABSENT && spec->retired_double.state == NVPSIM_GIVEN) {
        pending = (nvpsim_number){ NVPSIM_GIVEN, 0 };
    }
    return mode_put(isPending, pending);
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetRemappedRows(nvmlDevice_t device, unsigned int *corrRows, unsigned int *uncRows,
                                                     unsigned int *isPending, unsigned int *failureOccurred)
{
    const nvpsim_device_spec *spec = nvpsim__device_of(device)->spec;
    if (!corrRows || !uncRows || !isPending || !failureOccurred) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (spec->remapped_correctable.state != NVPSIM_GIVEN) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *corrRows = (unsigned)spec->remapped_correctable.value;
    *uncRows = (unsigned)spec->remapped_uncorrectable.value;
    *isPending = (unsigned)spec->remapped_pending.value;
    *failureOccurred = (unsigned)spec->remapped_failure.value;
    return NVML_SUCCESS;
}

/* This form came with 580.159 and has no version word. */
nvmlReturn_t nvpsim__serve_nvmlDeviceGetRemappedRows_v2(nvmlDevice_t device, nvmlRemappedRowsInfo_v2_t *info)
{
    unsigned correctable, uncorrectable, pending, failed;
    if (!info) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    nvmlReturn_t result = nvpsim__serve_nvmlDeviceGetRemappedRows(device, &correctable, &uncorrectable, &pending, &failed);
    if (result == NVML_SUCCESS) {
        *info = (nvmlRemappedRowsInfo_v2_t){
            .corrActiveRemaps = correctable, .uncActiveRemaps = uncorrectable, .bPending = pending, .bFailureOccurred = failed
        };
    }
    return result;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetRowRemapperHistogram(nvmlDevice_t device, nvmlRowRemapperHistogramValues_t *values)
{
    const nvpsim_device_spec *spec = nvpsim__device_of(device)->spec;
    if (!values) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (spec->banks_max.state != NVPSIM_GIVEN) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *values = (nvmlRowRemapperHistogramValues_t){ .max = (unsigned)spec->banks_max.value,
                                                  .high = (unsigned)spec->banks_high.value,
                                                  .partial = (unsigned)spec->banks_partial.value,
                                                  .low = (unsigned)spec->banks_low.value,
                                                  .none = (unsigned)spec->banks_none.value };
    return NVML_SUCCESS;
}

nvmlReturn_t nvpsim__serve_nvmlDeviceGetSramEccErrorStatus(nvmlDevice_t device, nvmlEccSramErrorStatus_t *status)
{
    const nvpsim_device *own = nvpsim__device_of(device);
    if (!status) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (status->version != nvmlEccSramErrorStatus_v1) {
        return nvpsim__version_mismatch();
    }
    if (!ecc_is_on(own)) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    *status = (nvmlEccSramErrorStatus_t){ .version = status->version,
                                          .aggregateCor = nvpsim__ecc_count(own, 0, NVPSIM_ECC_AGGREGATE, NVPSIM_ECC_L2),
                                          .aggregateUncSecDed = nvpsim__ecc_count(own, 1, NVPSIM_ECC_AGGREGATE, NVPSIM_ECC_L2),
                                          .volatileCor = nvpsim__ecc_count(own, 0, NVPSIM_ECC_VOLATILE, NVPSIM_ECC_L2),
                                          .volatileUncSecDed = nvpsim__ecc_count(own, 1, NVPSIM_ECC_VOLATILE, NVPSIM_ECC_L2) };
    return NVML_SUCCESS;
}

/* None has occurred: the list is empty. */
nvmlReturn_t
nvpsim__serve_nvmlDeviceGetSramUniqueUncorrectedEccErrorCounts(nvmlDevice_t device,
                                                               nvmlEccSramUniqueUncorrectedErrorCounts_t *errorCounts)
{
    if (!errorCounts) {
        return NVML_ERROR_INVALID_ARGUMENT;
    }
    if (errorCounts->version != nvmlEccSramUniqueUncorrectedErrorCounts_v1) {
        return nvpsim__version_mismatch();
    }
    if (!ecc_is_on(nvpsim__device_of(device))) {
        return NVML_ERROR_NOT_SUPPORTED;
    }
    errorCounts->entryCount = 0;
    return NVML_SUCCESS;
}
