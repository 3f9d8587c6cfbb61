/*
 * From what a driver answered to a reading: members, bits, factors, and the numbers that stand for nothing.
 */
#include <stdio.h>

#include <nvpulse/driver.h>
#include <nvpulse/function.h>
#include <nvpulse/value.h>

#include "model/reader.h"
#include "model/reading.h"

bool nvp__is_unsupported(nvp_status status)
{
    switch (status) {
    case NVML_ERROR_NOT_SUPPORTED:
    case NVML_ERROR_FUNCTION_NOT_FOUND:
    case NVML_ERROR_ARGUMENT_VERSION_MISMATCH:
    case NVML_ERROR_INVALID_ARGUMENT: /* a constant or a field id that this driver does not know */
    case NVML_ERROR_DEPRECATED:
    case NVP_ERROR_UNKNOWN_FUNCTION:
    case NVP_ERROR_NO_SUCH_FIELD:
        return true;
    default:
        return false;
    }
}

bool nvp__is_down(nvp_status status)
{
    return status == NVML_ERROR_GPU_IS_LOST || status == NVML_ERROR_RESET_REQUIRED || status == NVP_ERROR_SHUTTING_DOWN ||
           status == NVP_ERROR_FORKED;
}

bool nvp__is_missing(const char *function)
{
    nvp_driver_info info = NVP_DRIVER_INFO_INIT;
    return !nvp_function_available(nvp_function_find(function)) && nvp_driver_get_info(&info) == NVP_SUCCESS && info.loaded;
}

/* Some laptops and boards answer 0 for a limit that they do not have; a limit of 0 W cannot be. */
static bool zero_is_absent(unsigned int metric)
{
    switch (metric) {
    case NVP_METRIC_POWER_LIMIT_MW:
    case NVP_METRIC_POWER_ENFORCED_LIMIT_MW:
    case NVP_METRIC_POWER_DEFAULT_LIMIT_MW:
    case NVP_METRIC_POWER_MAX_LIMIT_MW:
    case NVP_METRIC_MEMORY_BUS_WIDTH_BITS:
        return true;
    default:
        return false;
    }
}

static nvp_reading scaled(unsigned int metric, const struct nvp__source *source, const nvp_value *value, int64_t read_at_us)
{
    switch (value->kind) {
    case NVP_KIND_NA:
        return nvp__reading_na(value->status);
    case NVP_KIND_UINT:
        if (value->as.uint_value == 0 && zero_is_absent(metric)) {
            return nvp__reading_na(NVP_ERROR_SENTINEL);
        }
        return nvp__reading_uint(value->as.uint_value * source->factor, read_at_us);
    case NVP_KIND_INT:
        return nvp__reading_int(value->as.int_value * (int64_t)source->factor, read_at_us);
    case NVP_KIND_REAL:
        return nvp__reading_real(value->as.real_value * source->factor, read_at_us);
    case NVP_KIND_TEXT:
        return nvp_value_text(value)[0] == '\0' ? nvp__reading_na(NVP_ERROR_SENTINEL)
                                                : nvp__reading_text(nvp_value_text(value), read_at_us);
    default:
        return nvp__reading_na(NVP_ERROR_NO_SUCH_FIELD);
    }
}

static nvp_reading member_of(unsigned int metric, const struct nvp__source *source, const nvp_value *value, nvp_value *scratch,
                             int64_t read_at_us)
{
    nvp_status status = nvp_value_field(value, source->member, scratch);
    return status != NVP_SUCCESS ? nvp__reading_na(status) : scaled(metric, source, scratch, read_at_us);
}

static nvp_reading bit_of(const struct nvp__source *source, const nvp_value *value, int64_t read_at_us)
{
    return value->kind == NVP_KIND_UINT ? nvp__reading_uint(value->as.uint_value >> source->scope & 1, read_at_us)
                                        : nvp__reading_na(NVP_ERROR_NO_SUCH_FIELD);
}

/* Two numbers of the answer, as CUDA writes them. */
static nvp_reading compute_capability(const nvp_value *value, nvp_value *scratch, int64_t read_at_us)
{
    nvp_value major = NVP_VALUE_INIT, minor = NVP_VALUE_INIT;
    char text[32] = "";
    if (nvp_value_field(value, "major", &major) == NVP_SUCCESS && nvp_value_field(value, "minor", &minor) == NVP_SUCCESS) {
        snprintf(text, sizeof text, "%.0f.%.0f", nvp_value_number(&major, 0), nvp_value_number(&minor, 0));
    }
    nvp_value_clear(&major);
    nvp_value_clear(&minor);
    nvp_status status = text[0] == '\0' ? NVP_ERROR_NO_SUCH_FIELD : nvp_value_set_text(scratch, text);
    return status != NVP_SUCCESS ? nvp__reading_na(status) : nvp__reading_text(nvp_value_text(scratch), read_at_us);
}

nvp_reading nvp__reading_of(unsigned int metric, const struct nvp__source *source, const nvp_value *value, nvp_value *scratch,
                            int64_t read_at_us)
{
    if (value->kind == NVP_KIND_NA) {
        return nvp__reading_na(value->status);
    }
    switch (source->how) {
    case NVP__BY_BIT:
        return bit_of(source, value, read_at_us);
    case NVP__BY_DERIVING:
        return compute_capability(value, scratch, read_at_us);
    default:
        return source->member != NULL ? member_of(metric, source, value, scratch, read_at_us)
                                      : scaled(metric, source, value, read_at_us);
    }
}
