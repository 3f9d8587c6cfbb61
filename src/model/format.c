/*
 * A reading as people see it, with the unit of its metric.
 */
#include <string.h>

#include <nvpulse/metric.h>

#include "base/out.h"
#include "model/metrics.h"

/* "mW" is shown as W with the digits that nvidia-smi shows; what has no unit there is shown in the unit that it is kept in. */
static const char *shown_unit(const nvp_metric_info *info)
{
    return info->smi_divisor != 1 || info->smi_unit[0] != '\0' ? info->smi_unit : info->unit;
}

static void put_number(struct nvp__out *out, const nvp_metric_info *info, const nvp_reading *reading)
{
    const char *unit = shown_unit(info);
    if (reading->kind == NVP_KIND_UINT && strcmp(unit, "mask") == 0) { /* its bits matter, and not how large it is */
        nvp__out_format(out, "0x%llx", (unsigned long long)reading->as.uint_value);
        return;
    }
    if (reading->kind == NVP_KIND_UINT && info->smi_divisor == 1) {
        nvp__out_format(out, "%llu", (unsigned long long)reading->as.uint_value);
    } else if (reading->kind == NVP_KIND_INT && info->smi_divisor == 1) {
        nvp__out_format(out, "%lld", (long long)reading->as.int_value);
    } else {
        unsigned int decimals = reading->kind == NVP_KIND_REAL && info->smi_divisor == 1 ? 2 : info->smi_decimals;
        nvp__out_format(out, "%.*f", (int)decimals, nvp_reading_number(reading, 0) / info->smi_divisor);
    }
    if (unit[0] != '\0') {
        nvp__out_format(out, " %s", unit);
    }
}

static void put_one(struct nvp__out *out, const nvp_metric_info *info, const nvp_reading *reading)
{
    if (!nvp_reading_has(reading)) {
        nvp__out_text(out, "N/A");
    } else if (reading->kind == NVP_KIND_TEXT) {
        nvp__out_text(out, reading->as.text);
    } else if (!nvp__metric_has_words(info->metric)) {
        put_number(out, info, reading);
    } else {
        uint64_t number = nvp_reading_uint(reading, UINT64_MAX);
        const char *word = nvp_metric_smi_word(info->metric, number);
        if (word != NULL) {
            nvp__out_text(out, word);
        } else {
            nvp__out_format(out, "unknown (%llu)", (unsigned long long)number);
        }
    }
}

size_t nvp_metric_format(nvp_metric metric, const nvp_reading *reading, char *buffer, size_t size)
{
    struct nvp__out out = nvp__out_over(buffer, size);
    const nvp_metric_info *info = nvp_metric_get(metric);
    if (info == NULL || !nvp_reading_has(reading)) {
        nvp__out_text(&out, "N/A");
    } else if (reading->kind != NVP_KIND_LIST) {
        put_one(&out, info, reading);
    } else {
        for (uint32_t i = 0; i < reading->count; i++) {
            nvp__out_text(&out, i == 0 ? "" : ", ");
            put_one(&out, info, &reading->as.items[i]);
        }
    }
    return out.length;
}
