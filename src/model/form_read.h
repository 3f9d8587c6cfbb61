/*
 * Groups of readings from JSON; the other side of what snapshot_json.c writes.
 */
#ifndef NVP_MODEL_FORM_READ_H
#define NVP_MODEL_FORM_READ_H

#include "base/arena.h"
#include "model/form.h"
#include "model/json.h"

/** A member of an object that is known: `take` reads its value to `offset` of what the object is read into. */
struct nvp__json_member {
    const char *name;
    bool (*take)(struct nvp__json *json, unsigned int at, void *into);
    size_t offset;
};

/** Reads an object; every known member has to be there, once; others are passed over. */
bool nvp__json_members(struct nvp__json *json, unsigned int whole, const struct nvp__json_member members[], size_t count,
                       void *into);

/* Ways to take a value. */
bool nvp__take_uint64(struct nvp__json *json, unsigned int at, void *into);
bool nvp__take_int64(struct nvp__json *json, unsigned int at, void *into);
/** null, or {"reason":...,"status":...}: into an nvp_reading that is N/A, or has status 0 and reason NONE for null. */
bool nvp__take_reason(struct nvp__json *json, unsigned int at, void *into);
/** The token itself, as an unsigned int. */
bool nvp__take_token(struct nvp__json *json, unsigned int at, void *into);

/** A group on its way: `readings` are those of the form, all N/A (no data) at first. */
struct nvp__group {
    const struct nvp__form *form;
    struct nvp__arena *arena;
    nvp_reading *readings;
    unsigned int na, ages; /* objects; 0: none */
    struct nvp__base_times times;
    bool seen[NVP_METRIC_COUNT]; /* fields that the text has */
};

_Static_assert(NVP_METRIC_COUNT >= (int)NVP_PROCESS_FIELD_COUNT && NVP_METRIC_COUNT >= (int)NVP_HOST_FIELD_COUNT,
               "the largest group");

/** Reads the values out of an object; "na", "ages_us" and "read_at_us" among them are noted in the group. */
bool nvp__group_values(struct nvp__json *json, unsigned int whole, struct nvp__group *group);

/** Gives all readings of a group their times and reasons. */
bool nvp__group_finish(struct nvp__json *json, struct nvp__group *group);

#endif
