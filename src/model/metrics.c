/*
 * The tables of metrics, calls and words, and how they are searched. Knows nothing of devices.
 */
#include "model/metrics.h"

#include <string.h>

#include <nvpulse/nvml.h>

#include "base/compiler.h"

const struct nvp__metric_call nvp__metric_calls[NVP__CALL_COUNT] = {
#define NVP_METRIC_CALL(id, function, mig, count, ...) [NVP__CALL_##id] = { function, mig, count, { __VA_ARGS__ } },
#include "model/calls.def"
};

/* Each set once, as the words name it. */
enum nvp__words {
    NVP__WORDS_NONE,
    NVP__WORDS_ACTIVE,
    NVP__WORDS_ADDRESSING,
    NVP__WORDS_ARCHITECTURE,
    NVP__WORDS_BRAND,
    NVP__WORDS_COMPUTE,
    NVP__WORDS_DRIVER_MODEL,
    NVP__WORDS_ENABLED,
    NVP__WORDS_FABRIC,
    NVP__WORDS_LINK_STATE,
    NVP__WORDS_OPERATION,
    NVP__WORDS_PEER,
    NVP__WORDS_POWER_SOURCE,
    NVP__WORDS_PSTATE,
    NVP__WORDS_RECOVERY,
    NVP__WORDS_SUPPORTED,
    NVP__WORDS_VIRTUALIZATION,
    NVP__WORDS_YES
};

static const struct word {
    int set;
    uint64_t number;
    const char *word, *smi_word;
} words[] = {
#define NVP_WORD(set, number, word, smi_word) { NVP__WORDS_##set, number, word, smi_word },
#include "model/words.def"
};

#define SMI(names, unit, divisor, decimals)                                                                                      \
    .smi_name = (names), .smi_unit = (unit), .smi_divisor = (divisor), .smi_decimals = (decimals)
#define PROMETHEUS(name, factor_) .prometheus_name = (name), .prometheus_factor = (factor_)
#define SOURCES(...) .sources = { __VA_ARGS__ }
#define LIST(...) .info.is_list = true, .sources = { __VA_ARGS__ }
#define FIELD(field, scope_, factor_)                                                                                            \
    {                                                                                                                            \
        .how = NVP__BY_FIELD, .id = (field), .scope = (scope_), .factor = (factor_)                                              \
    }
#define CALL(call)                                                                                                               \
    {                                                                                                                            \
        .how = NVP__BY_CALL, .id = NVP__CALL_##call, .factor = 1                                                                 \
    }
#define MEMBER(call, name)                                                                                                       \
    {                                                                                                                            \
        .how = NVP__BY_CALL, .id = NVP__CALL_##call, .factor = 1, .member = (name)                                               \
    }
#define BIT(call, bit)                                                                                                           \
    {                                                                                                                            \
        .how = NVP__BY_BIT, .id = NVP__CALL_##call, .scope = (bit)                                                               \
    }
#define COSTLY(call, factor_)                                                                                                    \
    {                                                                                                                            \
        .how = NVP__BY_CALL, .id = NVP__CALL_##call, .factor = (factor_), .costly = true                                         \
    }
#define RATE(metric)                                                                                                             \
    {                                                                                                                            \
        .how = NVP__BY_RATE, .id = NVP_METRIC_##metric                                                                           \
    }
#define EVENT(what)                                                                                                              \
    {                                                                                                                            \
        .how = NVP__BY_EVENT, .id = NVP__EVENT_##what                                                                            \
    }
#define GPM(number)                                                                                                              \
    {                                                                                                                            \
        .how = NVP__BY_GPM, .id = (number)                                                                                       \
    }
#define DERIVE(what, call)                                                                                                       \
    {                                                                                                                            \
        .how = NVP__BY_DERIVING, .id = NVP__CALL_##call, .scope = NVP__DERIVE_##what                                             \
    }
#define EACH_FAN(call)                                                                                                           \
    {                                                                                                                            \
        .how = NVP__BY_EACH_FAN, .id = NVP__CALL_##call, .factor = 1                                                             \
    }
#define EACH_LINK(field, factor_)                                                                                                \
    {                                                                                                                            \
        .how = NVP__BY_EACH_LINK, .id = (field), .factor = (factor_)                                                             \
    }
#define EACH_LINK_CALL(call)                                                                                                     \
    {                                                                                                                            \
        .how = NVP__BY_EACH_LINK_CALL, .id = NVP__CALL_##call, .factor = 1                                                       \
    }

const struct nvp__metric nvp__metrics[NVP_METRIC_COUNT] = {
#define NVP_METRIC(id_, group_, name_, kind_, tier_, unit_, words_, smi, prometheus, sources_, help_)                            \
    [NVP_METRIC_##id_] = { .info = { .metric = NVP_METRIC_##id_,                                                                 \
                                     .name = (name_),                                                                            \
                                     .group = (group_),                                                                          \
                                     .kind = NVP_METRIC_##kind_,                                                                 \
                                     .tier = NVP_TIER_##tier_,                                                                   \
                                     .unit = (unit_),                                                                            \
                                     .help = (help_),                                                                            \
                                     smi,                                                                                        \
                                     prometheus },                                                                               \
                           .words = NVP__WORDS_##words_,                                                                         \
                           sources_ },
#include "model/metrics.def"
};

size_t nvp_metric_count(void)
{
    return NVP_METRIC_COUNT;
}

const nvp_metric_info *nvp_metric_get(nvp_metric metric)
{
    return (unsigned int)metric < NVP_METRIC_COUNT ? &nvp__metrics[metric].info : NULL;
}

const nvp_metric_info *nvp_metric_find(const char *name)
{
    size_t low = 0, high = NVP_METRIC_COUNT;
    while (name != NULL && low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(name, nvp__metrics[middle].info.name);
        if (order == 0) {
            return &nvp__metrics[middle].info;
        }
        *(order < 0 ? &high : &low) = order < 0 ? middle : middle + 1;
    }
    return NULL;
}

/* Whether `name` is one of `names`, which '|' separates. */
static bool is_among(const char *name, size_t length, const char *names)
{
    for (const char *one = names; *one != '\0'; one += strcspn(one, "|"), one += *one == '|') {
        if (strcspn(one, "|") == length && memcmp(one, name, length) == 0) {
            return true;
        }
    }
    return false;
}

const nvp_metric_info *nvp_metric_find_smi(const char *smi_name)
{
    size_t length = smi_name == NULL ? 0 : strlen(smi_name);
    for (size_t i = 0; length > 0 && i < NVP_METRIC_COUNT; i++) {
        if (is_among(smi_name, length, nvp__metrics[i].info.smi_name)) {
            return &nvp__metrics[i].info;
        }
    }
    return NULL;
}

static const struct word *find_word(nvp_metric metric, uint64_t number)
{
    int set = (unsigned int)metric < NVP_METRIC_COUNT ? nvp__metrics[metric].words : NVP__WORDS_NONE;
    for (size_t i = 0; i < NVP__COUNT_OF(words); i++) {
        if (words[i].set == set && words[i].number == number) {
            return &words[i];
        }
    }
    return NULL;
}

const char *nvp_metric_word(nvp_metric metric, uint64_t number)
{
    const struct word *word = find_word(metric, number);
    return word == NULL ? NULL : word->word;
}

const char *nvp_metric_smi_word(nvp_metric metric, uint64_t number)
{
    const struct word *word = find_word(metric, number);
    return word == NULL ? NULL : word->smi_word;
}

bool nvp_metric_word_number(nvp_metric metric, const char *word, uint64_t *number)
{
    int set = (unsigned int)metric < NVP_METRIC_COUNT ? nvp__metrics[metric].words : NVP__WORDS_NONE;
    for (size_t i = 0; word != NULL && set != NVP__WORDS_NONE && i < NVP__COUNT_OF(words); i++) {
        if (words[i].set == set && strcmp(words[i].word, word) == 0) {
            *number = words[i].number;
            return true;
        }
    }
    return false;
}

bool nvp__metric_has_words(nvp_metric metric)
{
    return nvp__metrics[metric].words != NVP__WORDS_NONE;
}
