/*
 * Reads lists of metrics. Knows no metric by itself.
 */
#include <string.h>

#include "metric_list.h"
#include "suggest.h"

/** The longest word of a list that can name anything. */
#define WORD_BYTES 80

static void add(cli_metric_list *list, nvp_metric metric)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->metrics[i] == metric) {
            return;
        }
    }
    if (list->count < NVP_METRIC_COUNT) {
        list->metrics[list->count++] = metric;
    }
}

/* "all", or "power.*"; false when the word is neither, or there is no such group. */
static bool add_group(cli_metric_list *list, const char *word)
{
    size_t length = strlen(word);
    bool is_all = strcmp(word, "all") == 0, is_any = false;
    if (!is_all && (length < 3 || strcmp(word + length - 2, ".*") != 0)) {
        return false;
    }
    for (size_t i = 0; i < nvp_metric_count() && i < NVP_METRIC_COUNT; i++) {
        const nvp_metric_info *info = nvp_metric_get((nvp_metric)i);
        bool is_member = is_all || (strncmp(info->group, word, length - 2) == 0 && info->group[length - 2] == '\0');
        is_any = is_any || is_member;
        if (is_member && info->tier != NVP_TIER_COSTLY) {
            add(list, info->metric);
        }
    }
    return is_any;
}

static void refuse(const cli_command *command, const char *option, const char *word)
{
    cli_suggestion suggestion = CLI_SUGGESTION_FOR(word);
    for (size_t i = 0; i < nvp_metric_count(); i++) {
        cli_suggestion_offer(&suggestion, nvp_metric_get((nvp_metric)i)->name);
    }
    if (suggestion.nearest != NULL) {
        cli_misuse(command, "--%s: there is no metric '%s'; did you mean '%s'?", option, word, suggestion.nearest);
    } else {
        cli_misuse(command, "--%s: there is no metric '%s'", option, word);
    }
}

bool cli_metric_list_add(cli_metric_list *list, const cli_command *command, const char *option, const char *names)
{
    for (const char *at = names; at != NULL;) {
        char word[WORD_BYTES];
        const char *comma = strchrnul(at, ',');
        snprintf(word, sizeof word, "%.*s", (int)(comma - at), at);
        const nvp_metric_info *info = nvp_metric_find(word);
        info = info != NULL ? info : nvp_metric_find_smi(word);
        if (info != NULL) {
            add(list, info->metric);
        } else if (!add_group(list, word)) {
            refuse(command, option, word);
            return false;
        }
        at = *comma == ',' ? comma + 1 : NULL;
    }
    return true;
}
