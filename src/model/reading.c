/*
 * What people and programs read from a reading: numbers, texts, and copies of it.
 */
#include "model/reading.h"

#include <string.h>

double nvp_reading_number(const nvp_reading *reading, double otherwise)
{
    if (reading == NULL) {
        return otherwise;
    }
    switch (reading->kind) {
    case NVP_KIND_UINT:
        return (double)reading->as.uint_value;
    case NVP_KIND_INT:
        return (double)reading->as.int_value;
    case NVP_KIND_REAL:
        return reading->as.real_value;
    default:
        return otherwise;
    }
}

uint64_t nvp_reading_uint(const nvp_reading *reading, uint64_t otherwise)
{
    if (reading == NULL) {
        return otherwise;
    }
    if (reading->kind == NVP_KIND_INT && reading->as.int_value >= 0) {
        return (uint64_t)reading->as.int_value;
    }
    return reading->kind == NVP_KIND_UINT ? reading->as.uint_value : otherwise;
}

const char *nvp_reading_text(const nvp_reading *reading, const char *otherwise)
{
    return reading != NULL && reading->kind == NVP_KIND_TEXT ? reading->as.text : otherwise;
}

static nvp_reading copy_items(struct nvp__arena *arena, const nvp_reading *reading)
{
    nvp_reading *items = nvp__arena_new(arena, reading->count, sizeof *items);
    if (items == NULL) {
        return nvp__reading_na(NVP_ERROR_NO_MEMORY);
    }
    for (uint32_t i = 0; i < reading->count; i++) {
        items[i] = nvp__reading_copy(arena, &reading->as.items[i]);
    }
    nvp_reading copy = *reading;
    copy.as.items = items;
    return copy;
}

nvp_reading nvp__reading_copy(struct nvp__arena *arena, const nvp_reading *reading)
{
    if (reading->kind == NVP_KIND_LIST) {
        return copy_items(arena, reading);
    }
    if (reading->kind == NVP_KIND_TEXT) {
        return nvp__reading_text(nvp__arena_text(arena, reading->as.text, strlen(reading->as.text)), reading->read_at_us);
    }
    return *reading;
}
