/*
 * Making readings: the only way in which the library fills an nvp_reading, so that kind, reason and status always agree.
 */
#ifndef NVP_MODEL_READING_H
#define NVP_MODEL_READING_H

#include <nvpulse/metric.h>

#include "base/arena.h"

/** N/A, with the reason that `status` stands for (NVP_ERROR_NO_DATA for NVP_SUCCESS). */
static inline nvp_reading nvp__reading_na(nvp_status status)
{
    nvp_status why = status == NVP_SUCCESS ? NVP_ERROR_NO_DATA : status;
    return (nvp_reading){ .kind = NVP_KIND_NA, .reason = nvp_status_reason(why), .status = why };
}

static inline nvp_reading nvp__reading_uint(uint64_t number, int64_t read_at_us)
{
    return (nvp_reading){ .kind = NVP_KIND_UINT, .as.uint_value = number, .read_at_us = read_at_us };
}

static inline nvp_reading nvp__reading_int(int64_t number, int64_t read_at_us)
{
    return (nvp_reading){ .kind = NVP_KIND_INT, .as.int_value = number, .read_at_us = read_at_us };
}

static inline nvp_reading nvp__reading_real(double number, int64_t read_at_us)
{
    return (nvp_reading){ .kind = NVP_KIND_REAL, .as.real_value = number, .read_at_us = read_at_us };
}

/** A text that lives elsewhere, as long as the reading does; N/A (no memory) for NULL. */
static inline nvp_reading nvp__reading_text(const char *text, int64_t read_at_us)
{
    return text == NULL ? nvp__reading_na(NVP_ERROR_NO_MEMORY)
                        : (nvp_reading){ .kind = NVP_KIND_TEXT, .as.text = text, .read_at_us = read_at_us };
}

/** A copy whose text and items live in `arena`; N/A (no memory) when it is full. */
nvp_reading nvp__reading_copy(struct nvp__arena *arena, const nvp_reading *reading);

#endif
