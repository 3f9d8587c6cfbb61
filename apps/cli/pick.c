/*
 * Compares words with the devices of a snapshot. A word is tried as an index first, then as a PCI bus id, then as a UUID.
 */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "pick.h"

/** A UUID without "GPU-" must have so many characters, so that "10" never means the GPU whose UUID begins so. */
#define LEAST_BARE 4

/** The longest list of devices in a message. */
#define LISTED_MAX 8

const nvp_metric cli_pick_metrics[] = {
    NVP_METRIC_IDENTITY_PCI_BUS_ID,
    NVP_METRIC_IDENTITY_UUID,
    NVP_METRIC_MIG_COMPUTE_INSTANCE_ID,
    NVP_METRIC_MIG_GPU_INSTANCE_ID,
};
const size_t cli_pick_metric_count = sizeof cli_pick_metrics / sizeof *cli_pick_metrics;

/** A word, and how far it has been read. */
struct text {
    const char *at, *end;
};

/* Takes a number; false when there is none or it is too large. */
static bool take_number(struct text *text, unsigned int base, unsigned long *number)
{
    unsigned long value = 0;
    const char *begin = text->at;
    for (; text->at < text->end && isxdigit((unsigned char)*text->at); text->at++) {
        int letter = tolower((unsigned char)*text->at);
        unsigned int digit = letter >= 'a' ? (unsigned int)(letter - 'a') + 10u : (unsigned int)(letter - '0');
        if (digit >= base) {
            break;
        }
        if (value > (UINT_MAX - digit) / base) {
            return false;
        }
        value = value * base + digit;
    }
    *number = value;
    return text->at > begin;
}

static bool take(struct text *text, char sign)
{
    bool there = text->at < text->end && *text->at == sign;
    text->at += there;
    return there;
}

/** A place on the PCI bus, or a pair of indices. */
struct numbers {
    unsigned long first, second, third;
};

/* "[domain:]bus:device[.function]", in hexadecimal. */
static bool parse_pci(struct text text, struct numbers *pci)
{
    unsigned long last, function = 0;
    *pci = (struct numbers){ 0 };
    if (!take_number(&text, 16, &pci->second) || !take(&text, ':') || !take_number(&text, 16, &last)) {
        return false;
    }
    if (take(&text, ':')) {
        pci->first = pci->second;
        pci->second = last;
        if (!take_number(&text, 16, &last)) {
            return false;
        }
    }
    pci->third = last;
    return (!take(&text, '.') || take_number(&text, 16, &function)) && text.at == text.end && function == 0;
}

static struct text text_of(const char *string)
{
    return (struct text){ string, string + strlen(string) };
}

static const char *reading(const nvp_device_sample *device, nvp_metric metric)
{
    return nvp_reading_text(nvp_device_sample_get(device, metric), "");
}

/* A PCI bus id is no pair of indices: it has a point, or two colons. */
static bool is_pci(const struct text *word)
{
    const char *colon = memchr(word->at, ':', (size_t)(word->end - word->at));
    return colon != NULL && (memchr(word->at, '.', (size_t)(word->end - word->at)) != NULL ||
                             memchr(colon + 1, ':', (size_t)(word->end - colon - 1)) != NULL);
}

static bool matches_pci(const nvp_device_sample *device, const struct text *word)
{
    struct numbers asked, own;
    return device->mig_index < 0 && parse_pci(*word, &asked) &&
           parse_pci(text_of(reading(device, NVP_METRIC_IDENTITY_PCI_BUS_ID)), &own) && asked.first == own.first &&
           asked.second == own.second && asked.third == own.third;
}

/* "2", or "2:1" for a MIG device. */
static bool is_index(struct text word, struct numbers *index, bool *is_mig)
{
    *index = (struct numbers){ 0 };
    if (!take_number(&word, 10, &index->first)) {
        return false;
    }
    *is_mig = take(&word, ':');
    return (!*is_mig || take_number(&word, 10, &index->second)) && word.at == word.end;
}

static bool begins(const char *string, const char *prefix, size_t length)
{
    return length > 0 && strncasecmp(string, prefix, length) == 0;
}

static bool skip_word(struct text *text, const char *word)
{
    size_t length = strlen(word);
    bool there = (size_t)(text->end - text->at) >= length && strncasecmp(text->at, word, length) == 0;
    text->at += there ? length : 0;
    return there;
}

static const nvp_device_sample *parent_of(const nvp_snapshot *snapshot, const nvp_device_sample *device)
{
    const nvp_device_sample *other;
    for (size_t i = 0; (other = nvp_snapshot_device(snapshot, i)) != NULL; i++) {
        if (other->index == device->index && other->mig_index < 0) {
            return other;
        }
    }
    return NULL;
}

static bool has_id(const nvp_device_sample *device, nvp_metric metric, struct text *word)
{
    unsigned long number;
    return take(word, '/') && take_number(word, 10, &number) &&
           nvp_reading_uint(nvp_device_sample_get(device, metric), UINT64_MAX) == number;
}

/* "MIG-GPU-<uuid>/<GPU instance>/<compute instance>", the name of a MIG device up to driver 450. */
static bool matches_instances(const nvp_snapshot *snapshot, const nvp_device_sample *device, struct text word)
{
    const char *slash = memchr(word.at, '/', (size_t)(word.end - word.at));
    const nvp_device_sample *parent = device->mig_index < 0 ? NULL : parent_of(snapshot, device);
    if (slash == NULL || parent == NULL || !skip_word(&word, "MIG-")) {
        return false;
    }
    size_t length = (size_t)(slash - word.at);
    word.at = slash;
    return begins(reading(parent, NVP_METRIC_IDENTITY_UUID), slash - length, length) &&
           has_id(device, NVP_METRIC_MIG_GPU_INSTANCE_ID, &word) && has_id(device, NVP_METRIC_MIG_COMPUTE_INSTANCE_ID, &word) &&
           word.at == word.end;
}

static bool matches_uuid(const nvp_snapshot *snapshot, const nvp_device_sample *device, const struct text *word)
{
    const char *uuid = reading(device, NVP_METRIC_IDENTITY_UUID);
    size_t length = (size_t)(word->end - word->at);
    struct text name = *word;
    if (skip_word(&name, "GPU-") || skip_word(&name, "MIG-")) {
        return begins(uuid, word->at, length) || matches_instances(snapshot, device, *word);
    }
    return length >= LEAST_BARE && device->mig_index < 0 && begins(uuid, "GPU-", 4) && begins(uuid + 4, word->at, length);
}

/* A whole UUID is its device's, though another one may go on behind it: ".../1/1" and ".../1/10". */
static bool is_whole(const nvp_device_sample *device, const struct text *word)
{
    const char *uuid = reading(device, NVP_METRIC_IDENTITY_UUID);
    size_t length = (size_t)(word->end - word->at);
    return strlen(uuid) == length && begins(uuid, word->at, length);
}

cli_match cli_pick_match(const nvp_snapshot *snapshot, const char *word, size_t length, size_t *place)
{
    struct text text = { word, word + length };
    struct numbers index;
    bool is_mig = false, by_index = is_index(text, &index, &is_mig), by_pci = is_pci(&text);
    const nvp_device_sample *device;
    size_t found = 0;
    for (int attempt = 0; attempt < 2 && found == 0; attempt++) { /* "1234" is an index; when there is none, a UUID */
        for (size_t i = 0; (device = nvp_snapshot_device(snapshot, i)) != NULL; i++) {
            bool matches;
            if (attempt == 0) {
                matches = by_index && device->index == index.first && device->mig_index == (is_mig ? (int)index.second : -1);
            } else {
                matches = by_pci ? matches_pci(device, &text) : matches_uuid(snapshot, device, &text);
            }
            found += matches;
            *place = matches ? i : *place;
            if (matches && is_whole(device, &text)) {
                return CLI_MATCH_ONE;
            }
        }
    }
    return found == 0 ? CLI_MATCH_NONE : found == 1 ? CLI_MATCH_ONE : CLI_MATCH_SEVERAL;
}

/* The next word of a comma separated list, without the spaces around it; false at the end. */
static bool next_word(const char **list, struct text *word)
{
    if (*list == NULL) {
        return false;
    }
    const char *comma = strchrnul(*list, ',');
    *word = (struct text){ *list, comma };
    while (word->at < word->end && *word->at == ' ') {
        word->at++;
    }
    while (word->end > word->at && word->end[-1] == ' ') {
        word->end--;
    }
    *list = *comma == ',' ? comma + 1 : NULL;
    return true;
}

bool cli_pick_needs_metrics(const char *list)
{
    struct text word;
    struct numbers index;
    bool is_mig;
    while (next_word(&list, &word)) {
        if (!is_index(word, &index, &is_mig) || word.end - word.at >= LEAST_BARE) {
            return true;
        }
    }
    return false;
}

static void choose(const nvp_snapshot *snapshot, size_t place, bool with_mig, bool *chosen)
{
    const nvp_device_sample *picked = nvp_snapshot_device(snapshot, place), *device;
    chosen[place] = true;
    for (size_t i = 0; with_mig && picked->mig_index < 0 && (device = nvp_snapshot_device(snapshot, i)) != NULL; i++) {
        chosen[i] = chosen[i] || device->index == picked->index;
    }
}

cli_match cli_pick_mark(const nvp_snapshot *snapshot, const char *list, bool with_mig, bool *chosen, const char **missing)
{
    static char unfound[96];
    cli_match result = CLI_MATCH_ONE;
    struct text word;
    while (next_word(&list, &word)) {
        size_t place = 0, length = (size_t)(word.end - word.at);
        cli_match match = cli_pick_match(snapshot, word.at, length, &place);
        if (match == CLI_MATCH_ONE) {
            choose(snapshot, place, with_mig, chosen);
        } else if (result == CLI_MATCH_ONE) {
            result = match;
            snprintf(unfound, sizeof unfound, "%.*s", (int)(length < sizeof unfound ? length : sizeof unfound - 1), word.at);
        }
    }
    if (missing != NULL) {
        *missing = result == CLI_MATCH_ONE ? NULL : unfound;
    }
    return result;
}

/* The indices of a list that has nothing else. */
static unsigned int *indices_of(const char *list, size_t *count)
{
    size_t words = 1;
    for (const char *c = list; *c != '\0'; c++) {
        words += *c == ',';
    }
    unsigned int *gpus = calloc(words, sizeof *gpus);
    struct text word;
    while (gpus != NULL && next_word(&list, &word)) {
        struct numbers index;
        bool is_mig;
        is_index(word, &index, &is_mig);
        gpus[(*count)++] = (unsigned int)index.first;
    }
    return gpus;
}

/* All devices, and who they are; NULL when they cannot be asked. */
static nvp_snapshot *look(unsigned int flags)
{
    const nvp_snapshot_options options = {
        .struct_size = sizeof options,
        .metrics = cli_pick_metrics,
        .metric_count = cli_pick_metric_count,
        .flags = NVP_SNAPSHOT_NO_PROCESSES | flags,
    };
    nvp_snapshot *snapshot = NULL;
    return nvp_snapshot_take(&options, &snapshot) == NVP_SUCCESS ? snapshot : NULL;
}

static unsigned int *gpus_of(const nvp_snapshot *snapshot, const char *list, size_t *count)
{
    size_t devices = nvp_snapshot_device_count(snapshot);
    bool *chosen = calloc(devices + 1, sizeof *chosen);
    unsigned int *gpus = NULL;
    if (chosen != NULL && cli_pick_mark(snapshot, list, false, chosen, NULL) == CLI_MATCH_ONE) {
        gpus = calloc(devices + 1, sizeof *gpus);
    }
    for (size_t i = 0; gpus != NULL && i < devices; i++) {
        if (chosen[i]) {
            gpus[(*count)++] = nvp_snapshot_device(snapshot, i)->index;
        }
    }
    free(chosen);
    return gpus;
}

unsigned int *cli_pick_gpus(const char *list, unsigned int flags, size_t *count)
{
    *count = 0;
    if (!cli_pick_needs_metrics(list)) {
        return indices_of(list, count);
    }
    nvp_snapshot *snapshot = look(flags);
    unsigned int *gpus = snapshot == NULL ? NULL : gpus_of(snapshot, list, count);
    nvp_snapshot_free(snapshot);
    return gpus;
}

/* "0, 1, 1:0, 1:1", as far as there is room. */
static void list_devices(const nvp_snapshot *snapshot, char *text, size_t size)
{
    const nvp_device_sample *device;
    size_t used = 0, count = nvp_snapshot_device_count(snapshot);
    text[0] = '\0';
    for (size_t i = 0; i < LISTED_MAX && (device = nvp_snapshot_device(snapshot, i)) != NULL && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s%u", i > 0 ? ", " : "", device->index);
        if (device->mig_index >= 0 && used < size) {
            used += (size_t)snprintf(text + used, size - used, ":%d", device->mig_index);
        }
    }
    if (count > LISTED_MAX && used < size) {
        snprintf(text + used, size - used, ", ... (%zu devices)", count);
    }
}

int cli_pick_refuse(const cli_command *command, cli_match match, const char *missing)
{
    char devices[160] = "";
    if (match == CLI_MATCH_SEVERAL) {
        return cli_misuse(command, "--id: '%s' is the beginning of several UUIDs", missing);
    }
    nvp_snapshot *snapshot = look(0);
    if (snapshot == NULL) {
        return cli_misuse(command, "--id: there is no device '%s'", missing);
    }
    list_devices(snapshot, devices, sizeof devices);
    nvp_snapshot_free(snapshot);
    return cli_misuse(command, "--id: there is no device '%s'; there are %s", missing, devices[0] != '\0' ? devices : "none");
}
