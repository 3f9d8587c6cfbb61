/*
 * CUDA_VISIBLE_DEVICES as CUDA reads it. Indices are taken to be NVML's, which go by the PCI bus, as CUDA's do with
 * CUDA_DEVICE_ORDER=PCI_BUS_ID.
 */
#include <ctype.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

#include "pick.h"
#include "select.h"

/** One entry of the list. */
struct entry {
    const char *text;
    size_t length;
    bool is_index;
};

/* The next entry without the spaces around it; false at the end. */
static bool next_entry(const char **list, struct entry *entry)
{
    if (*list == NULL) {
        return false;
    }
    const char *begin = *list, *comma = strchrnul(begin, ',');
    size_t length = (size_t)(comma - begin);
    while (length > 0 && isspace((unsigned char)*begin)) {
        begin++;
        length--;
    }
    while (length > 0 && isspace((unsigned char)begin[length - 1])) {
        length--;
    }
    *entry = (struct entry){ begin, length, length > 0 };
    for (size_t i = 0; i < length; i++) {
        entry->is_index = entry->is_index && isdigit((unsigned char)begin[i]);
    }
    *list = *comma == ',' ? comma + 1 : NULL;
    return true;
}

/* Where CUDA takes a UUID, it begins with what it is of; that leaves out PCI bus ids and pairs of indices, which CUDA does not know. */
static bool is_uuid(const struct entry *entry)
{
    return entry->length > 4 && (strncasecmp(entry->text, "GPU-", 4) == 0 || strncasecmp(entry->text, "MIG-", 4) == 0);
}

/* Finds what an entry names. Digits are an index here, and never the beginning of a UUID. */
static bool find(const nvp_snapshot *snapshot, const struct entry *entry, size_t *place)
{
    if (!entry->is_index) {
        return is_uuid(entry) && cli_pick_match(snapshot, entry->text, entry->length, place) == CLI_MATCH_ONE;
    }
    unsigned long index = 0;
    for (size_t i = 0; i < entry->length; i++) {
        index = index * 10 + (unsigned long)(entry->text[i] - '0');
        if (index > UINT_MAX) {
            return false;
        }
    }
    const nvp_device_sample *device;
    for (size_t i = 0; (device = nvp_snapshot_device(snapshot, i)) != NULL; i++) {
        if (device->index == index && device->mig_index < 0) {
            *place = i;
            return true;
        }
    }
    return false;
}

/* A GPU that is divided stands for its first MIG device: CUDA cannot use the whole. */
static size_t first_part(const nvp_snapshot *snapshot, size_t place)
{
    const nvp_device_sample *gpu = nvp_snapshot_device(snapshot, place), *next = nvp_snapshot_device(snapshot, place + 1);
    bool divided = gpu->mig_index < 0 && next != NULL && next->mig_index >= 0 && next->index == gpu->index;
    return divided ? place + 1 : place;
}

static bool is_among(size_t place, const size_t *places, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (places[i] == place) {
            return true;
        }
    }
    return false;
}

size_t select_visible(const nvp_snapshot *snapshot, const char *value, size_t *places)
{
    size_t count = 0;
    if (value == NULL) {
        for (; count < nvp_snapshot_device_count(snapshot); count++) {
            places[count] = count;
        }
        return count;
    }
    struct entry entry;
    bool first = true, indices = false;
    while (next_entry(&value, &entry)) {
        size_t place;
        indices = first ? entry.is_index : indices;
        first = false;
        if (entry.is_index != indices || !find(snapshot, &entry, &place)) {
            break;
        }
        place = first_part(snapshot, place);
        if (is_among(place, places, count)) {
            return 0;
        }
        places[count++] = place;
    }
    return count;
}
