/*
 * Readings from JSON: values of the kinds that their tables allow, why others are N/A, and when each was made.
 * Names that are not known come from a newer version and are passed over.
 */
#include "model/form_read.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "model/reading.h"

#define NAME_SIZE 128 /* longer names are not ours */
#define ITEMS_MAX 65536u

/* Where a value goes, for what it is needed, and how it is called in messages. */
struct place {
    const struct nvp__form *form;
    struct nvp__arena *arena;
    unsigned int field;
    const char *name;
};

bool nvp__take_uint64(struct nvp__json *json, unsigned int at, void *into)
{
    return nvp__json_uint64(json, at, into);
}

bool nvp__take_int64(struct nvp__json *json, unsigned int at, void *into)
{
    return nvp__json_int64(json, at, into);
}

bool nvp__take_token(struct nvp__json *json, unsigned int at, void *into)
{
    (void)json;
    *(unsigned int *)into = at;
    return true;
}

static const struct nvp__json_member *find_member(const struct nvp__json_member members[], size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(members[i].name, name) == 0) {
            return &members[i];
        }
    }
    return NULL;
}

bool nvp__json_members(struct nvp__json *json, unsigned int whole, const struct nvp__json_member members[], size_t count,
                       void *into)
{
    uint32_t seen = 0;
    char name[NAME_SIZE];
    if (!nvp__json_is_object(json, whole)) {
        return nvp__json_fail(json, whole, "an object is expected");
    }
    for (unsigned int at = nvp__json_first(json, whole); at != 0; at = nvp__json_next(json, whole, at)) {
        nvp__json_word(json, at, name, sizeof(name));
        const struct nvp__json_member *member = find_member(members, count, name);
        uint32_t bit = member != NULL ? UINT32_C(1) << (member - members) : 0;
        if ((seen & bit) != 0) {
            return nvp__json_fail(json, at, "'%s' for the second time", name);
        }
        seen |= bit;
        if (member != NULL && !member->take(json, at + 1, (char *)into + member->offset)) {
            return false;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if ((seen >> i & 1) == 0) {
            return nvp__json_fail(json, whole, "'%s' is missing in the object", members[i].name);
        }
    }
    return true;
}

static bool take_reason_word(struct nvp__json *json, unsigned int at, void *into)
{
    char word[NAME_SIZE];
    nvp_reading *reading = into;
    if (!nvp__json_is_text(json, at)) {
        return nvp__json_fail(json, at, "the word of a reason is expected");
    }
    nvp__json_word(json, at, word, sizeof(word));
    for (int i = NVP_REASON_NONE + 1; i <= NVP_REASON_UNKNOWN; i++) {
        if (strcmp(nvp_reason_word((nvp_reason)i), word) == 0) {
            reading->reason = (nvp_reason)i;
        }
    }
    return true;
}

static bool take_status_number(struct nvp__json *json, unsigned int at, void *into)
{
    int64_t number = 0;
    nvp_reading *reading = into;
    if (!nvp__json_int64(json, at, &number)) {
        return false;
    }
    if (number == 0 || number < INT_MIN || number > INT_MAX) {
        return nvp__json_fail(json, at, "%lld is not the status of a failure", (long long)number);
    }
    reading->status = (nvp_status)number;
    return true;
}

bool nvp__take_reason(struct nvp__json *json, unsigned int at, void *into)
{
    static const struct nvp__json_member members[] = { { "reason", take_reason_word, 0 }, { "status", take_status_number, 0 } };
    nvp_reading *reading = into;
    *reading = (nvp_reading){ .kind = NVP_KIND_NA };
    if (nvp__json_is_null(json, at)) {
        return true;
    }
    if (!nvp__json_members(json, at, members, sizeof(members) / sizeof(members[0]), reading)) {
        return false;
    }
    if (reading->reason == NVP_REASON_NONE) { /* a word of a newer version */
        reading->reason = nvp_status_reason(reading->status);
    }
    return true;
}

/* A number of the kind that the table wants, if it wants one. */
static bool read_number(struct nvp__json *json, const struct place *place, unsigned int at, nvp_reading *reading)
{
    unsigned int kinds = place->form->kinds(place->field);
    if ((kinds & NVP_KIND_NUMBER) == 0) {
        return nvp__json_fail(json, at, "%s: a text is expected", place->name);
    }
    if (!nvp__json_number(json, at, reading)) {
        return false;
    }
    if ((kinds & NVP_KIND_NUMBER) == NVP_KIND_REAL) {
        *reading = nvp__reading_real(nvp_reading_number(reading, 0), 0);
    }
    return (kinds & (unsigned int)reading->kind) != 0
               ? true
               : nvp__json_fail(json, at, "%s: a whole number that is not negative is expected", place->name);
}

static bool read_text(struct nvp__json *json, const struct place *place, unsigned int at, nvp_reading *reading)
{
    char word[NAME_SIZE];
    uint64_t number = 0;
    if (place->form->style(place->field) == NVP__AS_WORD) {
        nvp__json_word(json, at, word, sizeof(word));
        if (nvp_metric_word_number((nvp_metric)place->field, word, &number)) {
            *reading = nvp__reading_uint(number, 0);
            return true;
        }
    }
    if ((place->form->kinds(place->field) & NVP_KIND_TEXT) == 0) {
        return nvp__json_fail(json, at, "%s: a number is expected", place->name);
    }
    const char *text = nvp__json_text(json, at, place->arena);
    *reading = nvp__reading_text(text, 0);
    return text != NULL ? true : nvp__json_no_memory(json);
}

/* ["compute","mps",8] */
static bool read_types(struct nvp__json *json, const struct place *place, unsigned int whole, nvp_reading *reading)
{
    uint64_t types = 0;
    for (unsigned int at = nvp__json_first(json, whole); at != 0; at = nvp__json_next(json, whole, at)) {
        char word[NAME_SIZE];
        uint64_t bits = 0;
        if (nvp__json_is_text(json, at)) {
            nvp__json_word(json, at, word, sizeof(word));
            for (unsigned int i = 0; i < NVP__TYPE_COUNT; i++) {
                bits |= (uint64_t)(strcmp(word, nvp__type_words[i]) == 0) << i;
            }
        } else if (!nvp__json_uint64(json, at, &bits)) {
            return nvp__json_fail(json, at, "%s: words are expected", place->name);
        }
        types |= bits;
    }
    *reading = nvp__reading_uint(types, 0);
    return true;
}

static bool read_value(struct nvp__json *json, const struct place *place, unsigned int at, bool in_list, nvp_reading *reading);

static bool read_list(struct nvp__json *json, const struct place *place, unsigned int whole, nvp_reading *reading)
{
    unsigned int count = nvp__json_size(json, whole), i = 0;
    if (count > ITEMS_MAX) {
        return nvp__json_fail(json, whole, "%s: more than %u items", place->name, ITEMS_MAX);
    }
    nvp_reading *items = nvp__arena_new(place->arena, count, sizeof(*items));
    if (items == NULL) {
        return nvp__json_no_memory(json);
    }
    for (unsigned int at = nvp__json_first(json, whole); at != 0; at = nvp__json_next(json, whole, at), i++) {
        if (!read_value(json, place, at, true, &items[i])) {
            return false;
        }
    }
    *reading = (nvp_reading){ .kind = NVP_KIND_LIST, .count = count, .as.items = items };
    return true;
}

static bool read_value(struct nvp__json *json, const struct place *place, unsigned int at, bool in_list, nvp_reading *reading)
{
    bool is_true = false, wants_list = !in_list && (place->form->kinds(place->field) & NVP_KIND_LIST) != 0;
    enum nvp__style style = place->form->style(place->field);
    if (nvp__json_is_null(json, at)) {
        *reading = nvp__reading_na(NVP_ERROR_NO_DATA);
        return true;
    }
    if (nvp__json_is_array(json, at)) {
        if (style == NVP__AS_TYPES) {
            return read_types(json, place, at, reading);
        }
        return wants_list ? read_list(json, place, at, reading)
                          : nvp__json_fail(json, at, "%s: no list is expected", place->name);
    }
    if (wants_list || style == NVP__AS_TYPES) {
        return nvp__json_fail(json, at, "%s: a list is expected", place->name);
    }
    if (nvp__json_is_text(json, at)) {
        return read_text(json, place, at, reading);
    }
    if (style == NVP__AS_BOOL && nvp__json_is_bool(json, at, &is_true)) {
        *reading = nvp__reading_uint(is_true, 0);
        return true;
    }
    return read_number(json, place, at, reading);
}

static bool note_reserved(struct nvp__json *json, unsigned int key, const char *name, struct nvp__group *group)
{
    bool is_na = strcmp(name, "na") == 0;
    if (is_na || strcmp(name, "ages_us") == 0) {
        unsigned int *where = is_na ? &group->na : &group->ages;
        if (*where != 0) {
            return nvp__json_fail(json, key, "'%s' for the second time", name);
        }
        *where = key + 1;
        return true;
    }
    return strcmp(name, "read_at_us") != 0 || nvp__json_int64(json, key + 1, &group->times.read_at_us);
}

bool nvp__group_values(struct nvp__json *json, unsigned int whole, struct nvp__group *group)
{
    char name[NAME_SIZE];
    struct place place = { .form = group->form, .arena = group->arena, .name = name };
    if (!nvp__json_is_object(json, whole)) {
        return nvp__json_fail(json, whole, "an object is expected");
    }
    for (unsigned int at = nvp__json_first(json, whole); at != 0; at = nvp__json_next(json, whole, at)) {
        nvp__json_word(json, at, name, sizeof(name));
        if (!group->form->find(name, &place.field)) {
            if (!note_reserved(json, at, name, group)) {
                return false;
            }
            continue;
        }
        if (group->seen[place.field]) {
            return nvp__json_fail(json, at, "'%s' for the second time", name);
        }
        group->seen[place.field] = true;
        if (!read_value(json, &place, at + 1, false, &group->readings[place.field])) {
            return false;
        }
    }
    return true;
}

/* A reading that "na" or "ages_us" names. */
struct named {
    bool known;
    unsigned int field;
    nvp_reading *reading;
};

/* Takes "name" or "name[3]" apart. */
static bool find_reading(struct nvp__json *json, unsigned int key, const struct nvp__group *group, struct named *named)
{
    char name[NAME_SIZE];
    unsigned long index = 0;
    nvp__json_word(json, key, name, sizeof(name));
    char *bracket = strchr(name, '[');
    if (bracket != NULL) {
        char *end;
        index = strtoul(bracket + 1, &end, 10);
        if (strcmp(end, "]") != 0 || bracket[1] < '0' || bracket[1] > '9') {
            return nvp__json_fail(json, key, "'%s': the number of an item is expected in brackets", name);
        }
        *bracket = '\0';
    }
    named->known = group->form->find(name, &named->field);
    if (!named->known) {
        return true;
    }
    named->reading = &group->readings[named->field];
    if (bracket == NULL) {
        return true;
    }
    if (named->reading->kind != NVP_KIND_LIST || index >= named->reading->count) {
        return nvp__json_fail(json, key, "'%s' has no item %lu", name, index);
    }
    named->reading = (nvp_reading *)&named->reading->as.items[index]; /* const for those who read; they are this reader's own */
    return true;
}

static bool read_reasons(struct nvp__json *json, struct nvp__group *group)
{
    if (group->na == 0 || !nvp__json_is_object(json, group->na)) {
        return group->na == 0 ? true : nvp__json_fail(json, group->na, "an object is expected");
    }
    for (unsigned int at = nvp__json_first(json, group->na); at != 0; at = nvp__json_next(json, group->na, at)) {
        struct named named = { false, 0, NULL };
        nvp_reading why;
        if (!find_reading(json, at, group, &named) || !nvp__take_reason(json, at + 1, &why)) {
            return false;
        }
        if (why.status == NVP_SUCCESS || (named.known && named.reading->kind != NVP_KIND_NA)) {
            return nvp__json_fail(json, at,
                                  why.status == NVP_SUCCESS ? "a reason is missing" : "a reason for a value that is there");
        }
        if (named.known) {
            *named.reading = why;
        }
    }
    return true;
}

static void set_time(nvp_reading *reading, int64_t read_at_us)
{
    reading->read_at_us = read_at_us;
    for (uint32_t i = 0; reading->kind == NVP_KIND_LIST && i < reading->count; i++) {
        nvp_reading *item = (nvp_reading *)&reading->as.items[i];
        item->read_at_us = nvp__usual_time(item, false, read_at_us);
    }
}

static bool read_ages(struct nvp__json *json, struct nvp__group *group)
{
    if (group->ages == 0 || !nvp__json_is_object(json, group->ages)) {
        return group->ages == 0 ? true : nvp__json_fail(json, group->ages, "an object is expected");
    }
    for (unsigned int at = nvp__json_first(json, group->ages); at != 0; at = nvp__json_next(json, group->ages, at)) {
        struct named named = { false, 0, NULL };
        int64_t age_us = 0;
        bool never = nvp__json_is_null(json, at + 1);
        if (!find_reading(json, at, group, &named) || (!never && !nvp__json_int64(json, at + 1, &age_us))) {
            return false;
        }
        if (named.known) {
            set_time(named.reading, never ? 0 : (int64_t)((uint64_t)group->times.now_us - (uint64_t)age_us));
        }
    }
    return true;
}

bool nvp__group_finish(struct nvp__json *json, struct nvp__group *group)
{
    if (!read_reasons(json, group)) {
        return false;
    }
    for (unsigned int i = 0; i < group->form->count; i++) {
        if (group->seen[i]) {
            int64_t base_us = nvp__base_time(group->form, i, group->times);
            set_time(&group->readings[i], nvp__usual_time(&group->readings[i], group->form->na_has_time, base_us));
        }
    }
    return read_ages(json, group);
}
